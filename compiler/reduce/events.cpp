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
  // Trigger and variable -> assignment: those of one handler always coincide.
  std::unordered_map<std::uint64_t, std::uint32_t> source_of;
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
      d.note("`:=` changes discrete variables and states; all other variables follow from these");
      d.help(fmt::format("assign a state that `{}` follows from; `sigrel explain FILE --states` shows them",
                         name));
      terms.note_instance(d, origins[k].instance);
      continue;
    }
    auto [first, fresh] = source_of.try_emplace(std::uint64_t{a.trigger} << 32 | alias.variable, k);
    if (!fresh) {
      const std::string name = terms.name(a.target, origins[k].instance);
      Diagnostic& d = diagnostics.report(Code::AssignedTwice, span,
                                         fmt::format("`{}` is assigned twice in one event handler", name));
      d.label("the second").also(system.sources[origins[first->second].source].span, "the first");
      d.note("both happen at the same instant: the order of the lines has no meaning");
      d.help("remove one of them, or write one assignment with a condition: `x := if a then … else …`");
      terms.note_instance(d, origins[k].instance);
      continue;
    }
    dae.assignments.push_back({a.trigger, alias.variable, alias.kind == dae::Alias::Negated});
  }
}

}  // namespace sigrel::reduce
