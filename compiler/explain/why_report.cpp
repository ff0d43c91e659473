#include "compiler/explain/why_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/explain/structure_report.h"
#include "compiler/graph/blt.h"
#include "compiler/incidence/incidence.h"
#include "compiler/pipeline/results.h"
#include "compiler/reduce/elimination.h"

namespace sigrel::explain {
namespace {

constexpr std::size_t kShown = 20;  // at most

class Why {
 public:
  Why(const pipeline::Compiled& model, const SourceMap& sources)
      : model_(model), system_(model.system), dae_(model.dae), sources_(sources) {}

  std::string of(std::string_view name, std::uint32_t unknown, const runtime::Column& column) {
    std::string_view base = name;
    while (base.starts_with("der(") && base.ends_with(")")) base = base.substr(4, base.size() - 5);
    const std::string declared = unknown_name(unknown);
    out_ = fmt::format("`{}`{} is declared at {}\n", base,
                       declared == base ? "" : fmt::format(" is `{}`, which", declared),
                       place(sources_, system::unknown_info(system_, unknown).span));
    links(reduce::elimination_chain(system_, dae_, unknown));
    if (column.variable == runtime::kNone) {
      out_ += fmt::format("`{}` is always zero\n", name);
      return std::move(out_);
    }
    const std::uint32_t variable = column.variable;
    const std::string kept = variable_name(variable);
    if (column.negated)
      out_ += fmt::format("it is always the negative of `{}`\n", kept);
    else if (kept != name && dae_.variables[variable].order == 0 && kept != declared)
      out_ += fmt::format("it always equals `{}`\n", kept);
    state(variable);
    return std::move(out_);
  }

 private:
  std::string unknown_name(std::uint32_t unknown) const { return system::unknown_name(system_, unknown); }
  std::string variable_name(std::uint32_t variable) const {
    return dae::variable_name(system_, dae_, variable);
  }
  std::uint32_t equation_for(std::uint32_t variable) const {
    return variable < dae_.assign.size() ? dae_.assign[variable] : dae::kNone;
  }

  void links(const std::vector<reduce::Link>& chain) {
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const reduce::Link& link = chain[k];
      if (chain.size() > kShown && k == kShown / 2) {
        std::size_t left_out = chain.size() - kShown;
        out_ += fmt::format("… and {} more such equations\n", left_out);
        k += left_out - 1;
        continue;
      }
      if (!link.origin) {
        out_ += fmt::format(
            "`{}` is set to 0: no equation fixes this floating potential (`sigrel explain SR0312`)\n",
            unknown_name(link.from));
        continue;
      }
      out_ += link.to ? fmt::format("`{}` = {}`{}`, because\n", unknown_name(link.from),
                                    link.negative ? "-" : "", unknown_name(*link.to))
                      : fmt::format("`{}` = 0, because\n", unknown_name(link.from));
      out_ += origin_text(model_, *link.origin, sources_);
    }
  }

  void state(std::uint32_t variable) {
    const dae::Variable& v = dae_.variables[variable];
    for (const dae::StateSet& set : dae_.sets)
      for (std::uint32_t rate : set.candidates)
        if (dae_.variables[rate].integral == variable) return chosen(set, variable);
    if (v.state && dae::constants(dae_)[variable] && kept(variable)) return;
    if (v.state) {
      std::uint32_t rate = variable;
      while (dae_.variables[rate].state) rate = dae_.variables[rate].derivative;
      out_ += fmt::format("`{}` is a state: integrated from `{}`{}\n", variable_name(variable),
                          variable_name(rate), preference(variable));
      return determined(rate);
    }
    if (v.derivative != dae::kNone && equation_for(variable) != dae::kNone)
      out_ += fmt::format("`{}` is differentiated, but not a state{}: an equation determines it\n",
                          variable_name(variable), preference(variable));
    determined(variable);
  }

  /// Explains variables that only events or history buffers change. Returns whether this is one.
  bool kept(std::uint32_t variable) {
    switch (kept_variables(system_, dae_)[variable]) {
      case Kept::Constant: return false;
      case Kept::Previous:
        out_ += fmt::format("`{}` is the value before the event\n", variable_name(variable));
        return true;
      case Kept::Delay: {
        auto delay = std::ranges::find_if(system_.delays, [&](const system::Delay& d) {
          return dae_.aliases[d.unknown].kind != dae::Alias::Zero &&
                 dae_.aliases[d.unknown].variable == variable;
        });
        out_ +=
            fmt::format("`{}` is a delayed value, from the history buffer of\n", variable_name(variable)) +
            origin_text(model_, delay->origin, sources_);
        return true;
      }
      case Kept::Assigned: break;
    }
    out_ += fmt::format("`{}` changes only at events, by\n", variable_name(variable));
    for (const EquationTable& table : dae_.values.tables)
      for (std::size_t row = 0; row < table.rows(); ++row)
        if (dae_.assignments[table.tags[row]].variable == variable)
          out_ += origin_text(model_, table.origins[row], sources_);
    return true;
  }

  void chosen(const dae::StateSet& set, std::uint32_t variable) {
    std::vector<std::string> names;
    for (std::uint32_t rate : set.candidates)
      names.push_back(fmt::format("`{}`", variable_name(dae_.variables[rate].integral)));
    out_ +=
        fmt::format("`{}` is a state at times: {} of {} are states, selected during the run\n",
                    variable_name(variable), set.states.size(), fmt::format("{}", fmt::join(names, ", ")));
    out_ += "they are constrained by\n";
    for (std::size_t k = 0; k < set.equations.size() && k < kShown; ++k)
      out_ += equation_text(model_, set.equations[k], sources_);
  }

  std::string preference(std::uint32_t variable) const {
    for (const system::Attribute& a : system_.attributes) {
      if (a.kind != system::AttributeKind::StatePreference ||
          dae_.aliases[a.unknown].kind == dae::Alias::Zero || dae_.aliases[a.unknown].variable != variable)
        continue;
      return fmt::format(" (`state = …` at {})", place(sources_, a.span));
    }
    return "";
  }

  void determined(std::uint32_t variable) {
    const std::uint32_t equation = equation_for(variable);
    if (equation == dae::kNone) return;
    out_ += fmt::format("`{}` is determined by\n", variable_name(variable));
    out_ += equation_text(model_, equation, sources_);
    incidence::EquationList equations;
    equations.append(dae_.equations);
    const graph::Bipartite incidence =
        incidence::incidence(equations, static_cast<std::uint32_t>(dae_.variables.size()));
    std::vector<std::uint32_t> variable_of(equations.count(), dae::kNone);
    for (std::uint32_t v = 0; v < dae_.assign.size(); ++v)
      if (dae_.assign[v] != dae::kNone) variable_of[dae_.assign[v]] = v;
    const graph::Blocks blocks = graph::blt(incidence, dae_.assign);
    for (std::uint32_t b = 0; b < blocks.count(); ++b) {
      auto rows = blocks.block(b);
      if (std::ranges::find(rows, equation) == rows.end()) continue;
      if (rows.size() > 1) return together(rows, variable_of, variable);
    }
    std::vector<std::string> needs;
    bool more = false;
    for (std::uint32_t v : incidence.row(equation)) {
      if (v == variable) continue;
      std::string name = fmt::format("`{}`", variable_name(v));
      if (std::ranges::find(needs, name) != needs.end()) continue;
      if (needs.size() == kShown)
        more = true;
      else
        needs.push_back(std::move(name));
    }
    if (!needs.empty())
      out_ += fmt::format("from {}{}\n", fmt::join(needs, ", "), more ? " and others" : "");
    else if (!depends_on_time(equation))
      out_ += "from parameters only: it is constant\n";
  }

  void together(std::span<const std::uint32_t> rows, const std::vector<std::uint32_t>& variable_of,
                std::uint32_t variable) {
    std::vector<std::string> names;
    for (std::uint32_t r : rows)
      if (variable_of[r] != variable && variable_of[r] != dae::kNone)
        names.push_back(fmt::format("`{}`", variable_name(variable_of[r])));
    std::ranges::sort(names);
    std::size_t more = names.size() - std::min(names.size(), kShown);
    names.resize(names.size() - more);
    out_ += fmt::format("in an algebraic loop of {} equations, together with {}{}\n", rows.size(),
                        fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }

  bool depends_on_time(std::uint32_t equation) const {
    incidence::EquationList list;
    list.append(dae_.equations);
    const auto& section = list.section(EquationId{equation});
    if (!section.table) return false;
    auto nodes = topological(dae_.exprs, std::span<const ExprId>(&section.table->residual, 1));
    return std::ranges::any_of(nodes, [&](ExprId id) { return dae_.exprs[id].op == Op::Time; });
  }

  const pipeline::Compiled& model_;
  const system::System& system_;
  const dae::System& dae_;
  const SourceMap& sources_;
  std::string out_;
};

}  // namespace

std::optional<std::string> why_text(const pipeline::Compiled& model, std::string_view name,
                                    const SourceMap& sources) {
  std::optional<runtime::Column> column = pipeline::Results(model.system, model.dae).find(name);
  std::string_view base = name;
  while (base.starts_with("der(") && base.ends_with(")")) base = base.substr(4, base.size() - 5);
  std::optional<std::uint32_t> unknown = system::find_unknown(model.system, base);
  if (!column || !unknown) return std::nullopt;
  return Why(model, sources).of(name, *unknown, *column);
}

}  // namespace sigrel::explain
