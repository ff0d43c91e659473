#include "compiler/order/discrete.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/singularity/source_names.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::order {
namespace {

class Check {
 public:
  Check(const system::System& system, const dae::System& dae, ExprPool& pool,
        const incidence::EquationList& equations, Diagnostics& diagnostics)
      : system_(system),
        dae_(dae),
        pool_(pool),
        equations_(equations),
        terms_(system),
        diagnostics_(diagnostics) {}

  /// Whether the equation is `variable = …` up to sign.
  bool is_explicit(EquationId equation, VariableId variable) {
    const incidence::EquationList::Section& s = equations_.section(equation);
    const std::uint32_t row = s.row_of(equation), v = variable.value;
    if (!s.table) return std::ranges::count(s.sums->terms_of(row), v, &Term::unknown) == 1;
    auto unknowns = s.table->unknowns_of(row);
    if (std::ranges::count(unknowns, v) != 1) return false;
    auto slot = static_cast<std::uint32_t>(std::ranges::find(unknowns, v) - unknowns.begin());
    auto [at, fresh] = explicit_.try_emplace({s.table->residual, slot}, false);
    if (fresh) {
      auto linear = symbolic::linear_in(pool_, s.table->residual, slot);
      at->second =
          linear && pool_[linear->factor].op == Op::Const && std::fabs(pool_[linear->factor].value) == 1;
    }
    return at->second;
  }

  void report_loop(BlockId block, const Scheduler& scheduler, const std::vector<std::uint8_t>& discrete) {
    const auto equations = scheduler.equations(block);
    std::vector<Origin> origins, own;
    std::vector<std::uint32_t> piecewise, others;
    for (EquationId e : equations) {
      const std::uint32_t v = scheduler.variable_of(e).value;
      origins.push_back(equations_.origin(e));
      if (discrete[v]) own.push_back(origins.back());
      (discrete[v] ? piecewise : others).push_back(dae_.variables[v].unknown);
    }
    std::uint32_t where = terms_.common_instance(origins);
    auto places = terms_.places(own, where);
    auto names = terms_.names(piecewise, where);
    Diagnostic& d = diagnostics_.report(
        Code::DiscreteLoop, places.back().span,
        fmt::format("{} {} on {}", singularity::listed(names), names.size() == 1 ? "depends" : "depend",
                    names.size() == 1 ? "itself" : "each other"));
    d.label(equations.size() == 1
                ? std::string("the result of this is needed to compute it")
                : fmt::format("part of a loop of {}", singularity::counted(equations.size(), "equation")));
    singularity::label_others(d, places, "and this");
    if (!others.empty())
      d.note(fmt::format("the loop leads through {}", singularity::listed(terms_.names(others, where))));
    d.note("a Bool or Int signal has no derivative: a loop through it cannot be solved by iteration");
    d.help(others.empty() ? "let one of them depend on a state, or on time, instead"
                          : "determine it by comparisons, as in `high = x > 1.0`: these are solved by event "
                            "iteration, and no part of a loop");
    terms_.note_instance(d, where);
  }

  void report_implicit(EquationId equation, VariableId variable) {
    Origin origin = equations_.origin(equation);
    std::uint32_t unknown = dae_.variables[variable.value].unknown;
    std::string name = terms_.name(unknown, origin.instance);
    bool is_bool = system::unknown_info(system_, unknown).type == system::SignalType::Bool;
    Diagnostic& d = diagnostics_.report(
        Code::DiscreteNotExplicit, system_.sources[origin.source].span,
        fmt::format("no equation gives the {} `{}` explicitly", is_bool ? "Bool" : "Int", name));
    d.label(fmt::format("`{}` is determined by this", name));
    d.help(fmt::format("write it as `{0} = …`, with `{0}` on that side only", name));
    terms_.note_instance(d, origin.instance);
  }

 private:
  const system::System& system_;
  const dae::System& dae_;
  ExprPool& pool_;
  const incidence::EquationList& equations_;
  singularity::SourceNames terms_;
  Diagnostics& diagnostics_;
  std::map<std::pair<ExprId, std::uint32_t>, bool> explicit_;
};

}  // namespace

std::vector<std::uint8_t> discrete_variables(const system::System& system, const dae::System& dae) {
  std::vector<std::uint8_t> unknowns;
  for (const system::Instance& instance : system.instances) {
    const auto& locals = system.templates[instance.body].locals;
    for (std::uint32_t k = 0; k < locals.size(); ++k) {
      if (locals[k].type == system::SignalType::Real) continue;
      unknowns.resize(system.unknowns);
      unknowns[instance.first_unknown + k] = 1;
    }
  }
  if (unknowns.empty()) return {};
  std::vector<std::uint8_t> result;
  result.reserve(dae.variables.size());
  for (const dae::Variable& v : dae.variables) result.push_back(unknowns[v.unknown]);
  return result;
}

bool check_discrete(const system::System& system, const dae::System& dae,
                    const std::vector<std::uint8_t>& discrete, ExprPool& pool,
                    const incidence::EquationList& equations, const Scheduler& scheduler,
                    Diagnostics& diagnostics) {
  if (discrete.empty()) return true;
  Check check(system, dae, pool, equations, diagnostics);
  std::size_t before = diagnostics.error_count();
  constexpr std::size_t kEnough = 5;
  for (BlockId block : ids<BlockId>(0, scheduler.block_count())) {
    if (diagnostics.error_count() >= before + kEnough) break;
    const auto in_block = scheduler.equations(block);
    if (std::ranges::none_of(in_block,
                             [&](EquationId e) { return discrete[scheduler.variable_of(e).value]; }))
      continue;
    const EquationId equation = in_block[0];
    const VariableId variable = scheduler.variable_of(equation);
    if (in_block.size() > 1) {
      check.report_loop(block, scheduler, discrete);
    } else if (!check.is_explicit(equation, variable)) {
      check.report_implicit(equation, variable);
    }
  }
  return diagnostics.error_count() == before;
}

}  // namespace sigrel::order
