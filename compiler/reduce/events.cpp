#include "compiler/reduce/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/singularity/source_names.h"

namespace sigrel::reduce {

void take_assignments(const system::System& system, dae::System& dae, Diagnostics& diagnostics) {
  std::vector<Origin> origins(system.events.assignments.size());
  for (const EquationTable& table : dae.values.tables)
    for (std::size_t row = 0; row < table.rows(); ++row) origins[table.tags[row]] = table.origins[row];
  constexpr std::size_t kEnough = 5;
  const std::size_t before = diagnostics.error_count();
  singularity::SourceNames terms(system);
  std::unordered_map<std::uint32_t, std::uint32_t> source_of;  // variable -> assignment
  std::unordered_set<std::uint32_t> delayed;
  for (const system::Delay& d : system.delays)
    if (dae.aliases[d.unknown].kind != dae::Alias::Zero) delayed.insert(dae.aliases[d.unknown].variable);
  for (std::uint32_t k = 0;
       k < system.events.assignments.size() && diagnostics.error_count() < before + kEnough; ++k) {
    const system::Assignment& a = system.events.assignments[k];
    const dae::Alias alias = dae.aliases[a.target];
    const Span span = system.sources[origins[k].source].span;
    const bool state = alias.kind != dae::Alias::Zero && dae.variables[alias.variable].state &&
                       dae.variables[alias.variable].set == dae::kNone && !delayed.contains(alias.variable);
    if (!state) {
      const std::string name = terms.name(a.target, origins[k].instance);
      Diagnostic& d = diagnostics.report(
          Code::NotAssignable, span, fmt::format("`{}` is neither a discrete variable nor a state", name));
      d.label(fmt::format("between events an equation gives `{}`", name));
      d.note("`:=` changes what keeps its value or is integrated: all else follows from that");
      d.help(fmt::format("assign a state that `{}` follows from; `sigrel explain FILE --states` shows them",
                         name));
      terms.note_instance(d, origins[k].instance);
      continue;
    }
    auto [first, fresh] = source_of.try_emplace(alias.variable, k);
    if (!fresh) {
      const std::string name = terms.name(a.target, origins[k].instance);
      Diagnostic& d =
          diagnostics.report(Code::AssignedTwice, span, fmt::format("`{}` is assigned in two places", name));
      d.label("the second").also(system.sources[origins[first->second].source].span, "the first");
      d.note("if both happened at the same instant, neither would be right");
      d.help("assign it in one `when`: `when a || b do x := if a then … else …`");
      terms.note_instance(d, origins[k].instance);
      continue;
    }
    dae.assignments.push_back({a.trigger, alias.variable, alias.kind == dae::Alias::Negated});
  }
}

namespace {

void report_derivative_of_delay(const system::System& system, const dae::System& dae, std::uint32_t variable,
                                Origin origin, const std::string& why, Diagnostics& diagnostics) {
  auto delay = std::ranges::find_if(system.delays, [&](const system::Delay& d) {
    return dae.aliases[d.unknown].kind != dae::Alias::Zero && dae.aliases[d.unknown].variable == variable;
  });
  singularity::SourceNames terms(system);
  Diagnostic& d = diagnostics
                      .report(Code::DelayDifferentiated, system.sources[origin.source].span,
                              "the derivative of a delayed signal is needed")
                      .label(why);
  d.also(system.sources[delay->origin.source].span, "delayed here");
  d.note("the past is kept as values, and where it has a jump or a kink there is no derivative");
  d.help("delay the derivative instead: `v = der x`, and `delay v dt`");
  terms.note_instance(d, origin.instance);
}

}  // namespace

void report_derivatives_of_delays(const system::System& system, const dae::System& dae,
                                  const std::vector<singularity::UnsupportedDerivative>& found,
                                  Diagnostics& diagnostics) {
  constexpr std::size_t kEnough = 5;
  for (std::size_t k = 0; k < std::min(found.size(), kEnough); ++k)
    report_derivative_of_delay(system, dae, dae.aliases[found[k].unknown].variable, found[k].origin, "",
                               diagnostics);
}

void check_delays(const system::System& system, const dae::System& dae, Diagnostics& diagnostics) {
  if (system.delays.empty() || dae.derivative_of.empty()) return;
  std::unordered_map<std::uint32_t, std::uint32_t> rates;  // of what `delay` gives
  for (const system::Delay& d : system.delays)
    if (dae.aliases[d.unknown].kind != dae::Alias::Zero)
      rates.emplace(dae.variables[dae.aliases[d.unknown].variable].derivative,
                    dae.aliases[d.unknown].variable);
  std::uint32_t equation = 0;
  auto look = [&](std::uint32_t variable, Origin origin) {
    auto at = rates.find(variable);
    if (at == rates.end() || dae.derivative_of[equation] == dae::kNone || diagnostics.has_errors()) return;
    report_derivative_of_delay(system, dae, at->second, origin,
                               "this ties states to each other, so its derivative is part of the model too",
                               diagnostics);
  };
  for (const EquationTable& table : dae.equations.tables)
    for (std::size_t row = 0; row < table.rows(); ++row, ++equation)
      for (std::uint32_t v : table.unknowns_of(row)) look(v, table.origins[row]);
  for (std::size_t row = 0; row < dae.equations.sums.rows(); ++row, ++equation)
    for (Term t : dae.equations.sums.terms_of(row)) look(t.unknown(), dae.equations.sums.origins[row]);
}

}  // namespace sigrel::reduce
