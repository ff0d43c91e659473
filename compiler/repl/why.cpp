#include "compiler/repl/why.h"

#include <fmt/format.h>

#include "compiler/session/results.h"

namespace sigrel::repl {
namespace {

/// The source of a span on one line.
std::string excerpt(const SourceMap& sources, Span span) {
  std::string text;
  bool space = false;
  for (char c : sources.text(span)) {
    if (c == '\n' || c == '\r' || c == '\t' || c == ' ') {
      space = true;
      continue;
    }
    if (space && !text.empty()) text += ' ';
    space = false;
    text += c;
    if (text.size() > 100) return text + " …";
  }
  return text;
}

void equation(const session::Compiled& model, std::uint32_t number, const SourceMap& sources, std::string& out) {
  Origin origin = dae::origin(model.dae.equations, number);
  const system::SourceEquation& source = model.system.sources[origin.source];
  std::string path = system::instance_name(model.system, origin.instance);
  switch (source.kind) {
    case system::EquationKind::NodeSum:
      out += fmt::format("  the flows at the node `{}` sum to zero{}\n", source.component, path.empty() ? "" : ", in " + path);
      break;
    case system::EquationKind::Potential:
      out += fmt::format("  the potentials at `{}` are equal{}\n", source.component, path.empty() ? "" : ", in " + path);
      break;
    case system::EquationKind::Written:
    case system::EquationKind::Argument:
    case system::EquationKind::Initial:
    case system::EquationKind::Assertion:
      out += fmt::format("  {}{}\n", excerpt(sources, source.span), path.empty() ? "" : fmt::format("    (`{}` in {})", text(model.system.templates[model.system.instances[origin.instance].body].relation), path));
      break;
  }
  if (source.span.file.value < sources.size()) out += fmt::format("    at {}\n", place(sources, source.span));
}

}  // namespace

std::string place(const SourceMap& sources, Span span) {
  const SourceFile& file = sources.file(span.file);
  Position at = file.position(span.begin);
  return fmt::format("{}:{}:{}", file.path, at.line, at.column);
}

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
                     place(sources, info.span));
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
    equation(model, assigned(by), sources, out);
  }
  return out;
}

}  // namespace sigrel::repl
