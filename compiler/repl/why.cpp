#include "compiler/repl/why.h"

#include <fmt/format.h>

#include "compiler/session/results.h"
#include "compiler/session/structure_report.h"

namespace sigrel::repl {

std::optional<std::string> explain_variable(const session::Compiled& model, std::string_view name, const SourceMap& sources) {
  const session::Results results(model.system, model.dae);
  std::optional<runtime::Column> column = results.find(name);
  std::string_view base = name;
  while (base.starts_with("der(") && base.ends_with(")")) base = base.substr(4, base.size() - 5);
  std::optional<std::uint32_t> unknown = system::find_unknown(model.system, base);
  if (!column || !unknown) return std::nullopt;

  std::string out;
  const system::LocalInfo& info = system::unknown_info(model.system, *unknown);
  std::string declared = system::unknown_name(model.system, *unknown);
  out += fmt::format("`{}`{} is declared at {}\n", base, declared == base ? "" : fmt::format(" is `{}`, which", declared),
                     session::place(sources, info.span));
  if (column->variable == runtime::kNone) {
    out += fmt::format("`{}` is zero: it was eliminated\n", name);
    return out;
  }
  std::uint32_t variable = column->variable;
  const dae::Variable& v = model.dae.variables[variable];
  std::string kept = dae::variable_name(model.system, model.dae, variable);
  if (column->negated) out += fmt::format("it is always the negative of `{}`\n", kept);
  else if (kept != name && v.order == 0 && kept != declared) out += fmt::format("it always equals `{}`\n", kept);

  auto assigned = [&](std::uint32_t x) { return x < model.dae.assign.size() ? model.dae.assign[x] : dae::kNone; };
  std::uint32_t by = variable;
  if (v.state) {
    while (model.dae.variables[by].state) by = model.dae.variables[by].derivative;
    out += fmt::format("`{}` is a state: integrated from `{}`\n", kept, dae::variable_name(model.system, model.dae, by));
  }
  if (assigned(by) != dae::kNone) {
    out += fmt::format("`{}` is determined by\n", dae::variable_name(model.system, model.dae, by));
    out += session::equation_text(model, assigned(by), sources);
  }
  return out;
}

}  // namespace sigrel::repl
