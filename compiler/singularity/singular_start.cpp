// Reports about the system that is solved at the start: derivatives that no equation contains, and initial
// equations beyond the degrees of freedom.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/graph/matching.h"
#include "compiler/incidence/incidence.h"
#include "compiler/singularity/singular_system.h"
#include "compiler/singularity/source_names.h"

namespace sigrel::singularity {

namespace {

/// "Real<m/s/s>".
std::string type_of_derivative(const system::System& system, const UnsupportedDerivative& of) {
  const auto written = text(system::unknown_info(system, of.unknown).unit);
  std::string unit(written.substr(0, written.find('|')));
  if (unit.empty()) unit = "1";
  for (std::uint32_t order = 0; order < of.order; ++order) unit += "/s";
  return "Real<" + unit + ">";
}

}  // namespace

void report_unsupported_derivatives(const system::System& system,
                                    const std::vector<UnsupportedDerivative>& derivatives,
                                    Diagnostics& diagnostics) {
  SourceNames terms(system);
  for (std::size_t k = 0; k < derivatives.size() && k < 5; ++k) {
    const UnsupportedDerivative& s = derivatives[k];
    std::string name = terms.name(s.unknown, s.origin.instance), derivative = name;
    for (std::uint32_t order = 0; order < s.order; ++order)
      derivative = "der " + (order == 0 ? derivative : "(" + derivative + ")");
    Diagnostic& d = diagnostics.report(Code::DerivativeNotInEquations, system.sources[s.origin.source].span,
                                       fmt::format("no equation contains `{}`", derivative));
    bool assertion = system.sources[s.origin.source].kind == system::EquationKind::Assertion;
    d.label(assertion ? std::string("so it is never computed")
                      : fmt::format("so its start cannot be found{}",
                                    s.order == 1 ? fmt::format(": `{}` is not a state", name) : ""));
    terms.note_instance(d, s.origin.instance);
    if (!assertion) d.help("give the start of a state instead");
    d.help(fmt::format("{}let an equation define it: `local d :: {}` and `{}`, and use `d` here",
                       assertion ? "" : "or ", type_of_derivative(system, s), "d = " + derivative));
  }
}

namespace {

/// The conflict in an over-determined start: the first of some redundant equations, and others that share
/// equations with it.
struct Conflict {
  std::vector<Origin> initial;        // the initial equations
  std::vector<std::uint32_t> states;  // unknowns that they all together fix
  std::size_t surplus = 0, elsewhere = 0;
};

Conflict conflict(const dae::System& dae, const plan::Plan& plan,
                  const std::vector<std::uint32_t>& redundant) {
  incidence::EquationList list;
  list.append(dae.equations);
  const std::uint32_t equations = list.count();
  list.append(dae.initial);
  ExprPool pool = dae.exprs;
  graph::Bipartite g =
      incidence::determining_incidence(pool, list, static_cast<std::uint32_t>(dae.variables.size()));
  graph::Matching matching = graph::Matching::empty(list.count(), g.columns);
  for (std::uint32_t v = 0; v < g.columns; ++v)
    if (plan.initial_assign[v] < list.count()) matching.match(plan.initial_assign[v], v);

  Conflict result;
  std::vector<bool> in_set(list.count(), false), column_in_set(g.columns, false);
  for (std::size_t k = 0; k < redundant.size() && k < 20; ++k) {
    graph::HallSet set = graph::too_many_rows(g, matching, redundant[k]);
    if (k > 0 && !std::ranges::any_of(set.rows, [&](std::uint32_t r) { return in_set[r]; })) {
      ++result.elsewhere;
      continue;
    }
    ++result.surplus;
    for (std::uint32_t r : set.rows) in_set[r] = true;
    for (std::uint32_t c : set.columns) column_in_set[c] = true;
  }
  for (EquationId e : ids<EquationId>(equations, list.count()))
    if (in_set[e.value]) result.initial.push_back(list.origin(e));
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    if (column_in_set[v] && dae.variables[v].derivative != dae::kNone && dae.variables[v].set == dae::kNone)
      result.states.push_back(dae.variables[v].unknown);
  std::ranges::sort(result.states);
  result.states.erase(std::ranges::unique(result.states).begin(), result.states.end());
  return result;
}

std::vector<std::uint32_t> equations_of(const std::vector<Contradiction>& contradictions) {
  std::vector<std::uint32_t> result;
  for (const Contradiction& c : contradictions) result.push_back(c.equation);
  return result;
}

Origin origin_of(const dae::System& dae, std::uint32_t equation) {
  const auto equations = static_cast<std::uint32_t>(dae.equations.count());
  return equation < equations ? dae::origin(dae.equations, equation)
                              : dae::origin(dae.initial, equation - equations);
}

}  // namespace

const char* sides_differ(const dae::System& dae, std::uint32_t equation) {
  const char* sides[] = {"its two sides differ", "the two sides of its derivative differ",
                         "the two sides of its second derivative differ"};
  return sides[std::min<std::uint32_t>(dae::differentiations(dae, equation), 2)];
}

std::size_t overdetermined_start_size(const dae::System& dae, const plan::Plan& plan,
                                      const std::vector<Contradiction>& contradictions) {
  return conflict(dae, plan, equations_of(contradictions)).initial.size();
}

void report_overdetermined_start(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                                 const std::vector<Contradiction>& contradictions, Diagnostics& diagnostics) {
  const std::vector<std::uint32_t> redundant = equations_of(contradictions);
  const Conflict found = conflict(dae, plan, redundant);

  SourceNames terms(system);
  std::uint32_t where = terms.common_instance(found.initial);
  auto places = terms.places(found.initial, where);
  const Span contradiction = system.sources[origin_of(dae, redundant.front()).source].span;
  bool written = false;  // the contradiction is one of them, and comes last
  if (auto at = std::ranges::find(places, contradiction, &SourceNames::Place::span); at != places.end()) {
    std::rotate(at, at + 1, places.end());
    written = true;
  }
  const std::size_t count = found.initial.size(), freedom = count - std::min(count, found.surplus);
  Diagnostic& d = diagnostics.report(
      Code::TooManyInitialEquations, places.back().span,
      freedom == 0
          ? fmt::format("the equations contradict {}",
                        count == 1 ? "an initial equation" : counted(count, "initial equation"))
          : fmt::format("{} for {} of freedom contradict each other", counted(count, "initial equation"),
                        freedom == 1 ? "1 degree" : fmt::format("{} degrees", freedom)));
  const std::string differ = fmt::format("{} by {:.6g}", sides_differ(dae, redundant.front()),
                                         std::abs(contradictions.front().residual));
  d.label((freedom == 0           ? "already determined by the equations"
           : found.states.empty() ? "already determined by the others"
                                  : fmt::format("already determined by the others: the start of {}",
                                                listed(terms.names(found.states, where)))) +
          (written ? "; " + differ : ""));
  label_others(d, places, "together with this");
  if (!written) d.also(contradiction, differ);
  terms.note_instance(d, where);
  if (found.elsewhere > 0)
    d.note(fmt::format("{} too many, elsewhere",
                       found.elsewhere == 1 ? "1 more initial equation is"
                                            : fmt::format("{} more initial equations are", found.elsewhere)));
  d.help(count == 1 ? std::string("drop it, or make it a `guess`")
         : found.surplus >= count
             ? std::string("drop them, or make them each a `guess`")
             : fmt::format("drop {} of the {}, or make {} a `guess`", number_word(found.surplus),
                           number_word(count), found.surplus == 1 ? "it" : "them each"));
}

void note_redundant_initial(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                            Diagnostics& diagnostics) {
  if (plan.redundant_initial.empty()) return;
  const Conflict found = conflict(dae, plan, plan.redundant_initial);
  const std::size_t count = plan.redundant_initial.size();
  SourceNames terms(system);
  std::uint32_t where = terms.common_instance(found.initial);
  auto places = terms.places(found.initial, where);
  Diagnostic& d = diagnostics.report(
      Code::SpareInitialEquations, places.back().span,
      count == 1
          ? std::string(
                "1 initial equation more than there are degrees of freedom, and it agrees with the others")
          : fmt::format(
                "{} initial equations more than there are degrees of freedom, and they agree with the others",
                count));
  d.label(places.size() == 1 ? "follows from the equations"
          : count == 1       ? "one of these follows from the others"
                             : fmt::format("{} of these follow from the others", number_word(count)));
  label_others(d, places, "together with this");
  terms.note_instance(d, where);
  if (places.size() > 1)
    d.note(
        "incidence does not show which: numbers decide whether one of them alone is determined by the rest");
  d.help(places.size() == 1 ? "drop it, or keep it as a check"
         : count == 1       ? "drop the one that is determined by what remains, or keep it as a check"
                            : "drop those that are determined by what remains, or keep them as checks");
}

}  // namespace sigrel::singularity
