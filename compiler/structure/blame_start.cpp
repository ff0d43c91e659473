// Blame for the system that the start solves.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/structure/blame.h"
#include "compiler/structure/graph/dulmage_mendelsohn.h"
#include "compiler/structure/graph/matching.h"
#include "compiler/structure/incidence.h"
#include "compiler/structure/source_terms.h"

namespace sigrel::structure {

void report_strange_derivatives(const system::System& system, const std::vector<StrangeDerivative>& strange,
                                Diagnostics& diagnostics) {
  SourceTerms terms(system);
  for (std::size_t k = 0; k < strange.size() && k < 5; ++k) {
    const StrangeDerivative& s = strange[k];
    std::string name = terms.name(s.unknown, s.origin.instance), derivative = name;
    for (std::uint32_t order = 0; order < s.order; ++order) derivative = "der " + (order == 0 ? derivative : "(" + derivative + ")");
    Diagnostic& d = diagnostics.report(Code::DerivativeNotInEquations, system.sources[s.origin.source].span,
                                       fmt::format("no equation contains `{}`", derivative));
    bool assertion = system.sources[s.origin.source].kind == system::EquationKind::Assertion;
    d.label(assertion ? std::string("so it is never computed") : fmt::format("so its start cannot be found{}", s.order == 1 ? fmt::format(": `{}` is not a state", name) : ""));
    terms.note_instance(d, s.origin.instance);
    d.help(fmt::format("{}add an unknown for `{}` to the equations", assertion ? "" : "give the start of a state instead, or ", derivative));
  }
}

void report_overdetermined_start(const system::System& system, const dae::System& dae,
                                 const std::vector<std::uint32_t>& column_of_equation, const std::vector<std::uint32_t>& unmatched,
                                 Diagnostics& diagnostics) {
  EquationList list;
  list.append(dae.equations);
  const std::uint32_t equations = list.count();
  list.append(dae.initial);
  ExprPool pool = dae.exprs;
  graph::Bipartite g = determining_incidence(pool, list, static_cast<std::uint32_t>(dae.variables.size()));
  graph::Matching matching = graph::Matching::empty(list.count(), g.columns);
  for (std::uint32_t e = 0; e < list.count(); ++e)
    if (column_of_equation[e] != graph::kNone) matching.match(e, column_of_equation[e]);

  // Everything that takes part in the first conflict, and further ones that share equations with it.
  std::vector<bool> in_set(list.count(), false), column_in_set(g.columns, false);
  std::size_t conflicts = 0, separate = 0;
  for (std::size_t k = 0; k < unmatched.size() && k < 20; ++k) {
    graph::HallSet set = graph::too_many_rows(g, matching, unmatched[k]);
    bool shares = k == 0 || std::ranges::any_of(set.rows, [&](std::uint32_t r) { return in_set[r]; });
    if (!shares) {
      ++separate;
      continue;
    }
    ++conflicts;
    for (std::uint32_t r : set.rows) in_set[r] = true;
    for (std::uint32_t c : set.columns) column_in_set[c] = true;
  }
  std::vector<Origin> origins;
  for (std::uint32_t e = equations; e < list.count(); ++e)
    if (in_set[e]) origins.push_back(list.origin(e));
  std::vector<std::uint32_t> states;
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    if (column_in_set[v] && dae.variables[v].derivative != dae::kNone && dae.variables[v].set == dae::kNone) states.push_back(dae.variables[v].unknown);
  std::ranges::sort(states);
  states.erase(std::ranges::unique(states).begin(), states.end());

  SourceTerms terms(system);
  std::uint32_t where = terms.common_instance(origins);
  auto places = terms.places(origins, where);
  std::size_t freedom = origins.size() - std::min(origins.size(), conflicts);
  Diagnostic& d = diagnostics.report(
      Code::TooManyInitialEquations, places.back().span,
      freedom == 0 ? fmt::format("the equations leave no freedom for {}", origins.size() == 1 ? "an initial equation" : counted(origins.size(), "initial equation"))
                   : fmt::format("{} for {} of freedom", counted(origins.size(), "initial equation"),
                                 freedom == 1 ? "1 degree" : fmt::format("{} degrees", freedom)));
  d.label(freedom == 0 ? "what this fixes follows from the equations already"
                       : fmt::format("the others already fix what this fixes: the start of {}", listed(terms.names(states, where))));
  terms.label(d, places, "together with this");
  terms.note_instance(d, where);
  if (separate > 0) d.note(fmt::format("{} too many, elsewhere", separate == 1 ? "1 more initial equation is" : fmt::format("{} more initial equations are", separate)));
  d.help(origins.size() == 1 ? std::string("drop it, or make it a `guess`")
                             : fmt::format("drop {} of the {}, or make {} a `guess`", number_word(conflicts), number_word(origins.size()),
                                           conflicts == 1 ? "it" : "them each"));
}

}  // namespace sigrel::structure
