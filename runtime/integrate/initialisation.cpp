#include "runtime/integrate/initialisation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/solve/consistent_start.h"
#include "runtime/solve/equation_rows.h"
#include "runtime/solve/other_solution.h"

namespace runtime {

namespace {

/// Whether the failure of all equations at once tells more than that of one equation or loop.
bool tells_more(const ConsistentStart& all, const Failure& one) {
  if (!all.failure()) return false;
  if (one.kind == FailureKind::ZeroPivot) return true;
  if (one.kind == FailureKind::StartContradicts) return all.singular() || all.failure().dependent;
  const bool contradiction = all.failure().kind == FailureKind::StartContradicts;
  if (!one.linear && contradiction && all.failure().dependent && all.nearly_holds()) return true;
  if (one.kind != FailureKind::LoopSingular || !one.linear) return false;
  if (contradiction && !all.all_determined()) return false;
  if (!one.dependent || one.unknowns + one.inner == 1) return true;
  // Equations of the loop add up to one without unknowns, and so do those that contradict each other.
  const bool contradicts = std::abs(one.left_over) > one.rounding;
  return contradiction && (!contradicts || all.failure().dependent_equations != one.dependent_equations);
}

}  // namespace

bool Initialisation::run(double time, std::span<const double> from, bool seek_other_solutions) {
  seeks_others_ = seek_other_solutions;
  Evaluator& evaluator = instance_.evaluator;
  instance_.values = start_values(instance_.model, instance_.parameters);
  const Point point = instance_.point(time);
  if (!events_.history().read_lengths(instance_.parameters, evaluator.failure())) return false;
  evaluator.allow_continuation(events_.zero_crossings().empty());
  const bool done = (from.empty() ? solve(point) : start_from(point, from)) &&
                    evaluator.run_checked(instance_.model.observed, point) &&
                    (!from.empty() || initial_equations_hold(point, true)) && advance_previous(point);
  events_.zero_crossings().end_instant(instance_.parameters, instance_.values);
  if (done) events_.handler().accept(point);
  evaluator.allow_continuation(false);
  if (done) states_.start_checks(time);
  if (done && states_are_finite(time)) return true;
  evaluator.failure().initial = true;
  return false;
}

/// The model's own initialisation.
bool Initialisation::solve(const Point& point) {
  if (solve_schedule(point)) {
    // Zero crossings have values: another solution may contradict them.
    if (seeks_others_ && events_.zero_crossings().empty())
      others_ = runtime::other_solutions(instance_, point.time, instance_.model.initial);
  } else if (!solve_at_once(point)) {
    return false;
  }
  states_.select(point.time);
  return constants_determine_invariants(point) &&
         instance_.evaluator.run_checked(instance_.model.dynamic, point);
}

/// Whether constants of the run determine what follows from them alone. Initial equations may have given such
/// a variable a value that the constants, with a parameter of 0, do not determine. The values do not change.
bool Initialisation::constants_determine_invariants(const Point& point) {
  const std::vector<double> before = instance_.values;
  const bool done = instance_.evaluator.run_checked(instance_.model.invariant, point);
  std::ranges::copy(before, instance_.values.begin());
  return done;
}

/// Each equation, or algebraic loop, determines the variables that the initial schedule gives it.
bool Initialisation::solve_schedule(const Point& point) {
  Evaluator& evaluator = instance_.evaluator;
  const Model& model = instance_.model;
  bool done = events_.make_consistent(point, model.initial, &states_);
  if (!done && !events_.zero_crossings().empty()) {
    evaluator.failure() = {};
    evaluator.allow_continuation(true);
    // In place: `point` refers to the values.
    std::ranges::copy(start_values(model, instance_.parameters), instance_.values.begin());
    const std::function<bool()> follow = [&] {
      return events_.zero_crossings().follow(point, instance_.parameters);
    };
    Point following = point;
    following.follow = &follow;
    done = evaluator.run_checked(model.initial, following) &&
           events_.make_consistent(point, model.initial, &states_);
  }
  if (!done || model.initial_checks.empty()) return done;
  // The dynamic schedule, which zero crossings read, may have taken other equations for the same variables.
  return evaluator.run_checked(model.initial, point) && initial_equations_hold(point, false);
}

/// After `solve_schedule` has failed, whose failure remains unless this one tells more.
bool Initialisation::solve_at_once(const Point& point) {
  const Failure before = std::exchange(instance_.failure(), Failure{});
  if (before.kind == FailureKind::EndlessEvents) return instance_.failure() = before, false;
  ZeroCrossings& zero_crossings = events_.zero_crossings();
  ConsistentStart start(instance_);
  std::ranges::copy(start_values(instance_.model, instance_.parameters), instance_.values.begin());
  if (!zero_crossings.empty()) zero_crossings.update_by_guesses(point, instance_.parameters);
  for (int iteration = 0; iteration < ZeroCrossings::kIterations; ++iteration) {
    instance_.evaluator.parameters_changed();
    std::ranges::copy(start_values(instance_.model, instance_.parameters), instance_.values.begin());
    if (!start.solve(point.time)) break;
    states_.select(point.time);
    if (!events_.make_consistent(point, {})) break;
    if (events_.zero_crossings_changed()) continue;
    guessed_ = start.guessed();
    return true;
  }
  const bool more = tells_more(start, before);
  instance_.failure() = more ? start.failure() : before;
  if (more && before.kind == FailureKind::StartContradicts && !start.singular())
    instance_.failure().violated = before.equations;
  return false;
}

/// The states as `from` gives them; its other values are guesses.
bool Initialisation::start_from(const Point& point, std::span<const double> from) {
  const Model& model = instance_.model;
  std::vector<double>& values = instance_.values;
  Evaluator& evaluator = instance_.evaluator;
  for (std::uint32_t v = 0; v < model.variables; ++v)
    if (!std::isnan(from[v])) values[v] = from[v];
  // The own states of a set follow from its candidates by the selectors.
  for (const StateSet& set : model.sets) {
    const std::uint32_t* candidates =
        model.set_variables.data() + set.first_variable + set.eliminated + set.candidates;
    for (std::uint32_t s = 0; s < set.states; ++s) {
      double& value = values[model.states[set.first_state + s].variable];
      value = 0;
      for (std::uint32_t k = 0; k < set.candidates; ++k)
        value += instance_.parameters[set.first_selector + s * set.candidates + k] * values[candidates[k]];
    }
  }
  states_.select(point.time);
  if (!evaluator.run_checked(model.invariant, point) || !evaluator.run_checked(model.dynamic, point) ||
      !events_.make_consistent(point, {}))
    return false;
  // `from` has no history of delayed signals: they were constant before the start.
  History& history = events_.history();
  for (int iteration = 0;
       !history.empty() && events_.evaluate_inputs(point) && history.set_to_current(values); ++iteration) {
    if (iteration == ZeroCrossings::kIterations) {
      evaluator.failure() = Failure{.kind = FailureKind::LoopNotConverged, .time = point.time, .unknowns = 1};
      evaluator.failure().variables.push_back(
          {model.delays[0].variable, values[model.delays[0].variable], 0});
      return false;
    }
    if (!events_.make_consistent(point, {})) return false;
  }
  return !evaluator.failure();
}

/// Whether the redundant initial equations hold, or all of them: their residuals relative to the magnitude of
/// their terms. At the end the equations of the model hold exactly, and given values may differ from the
/// solution although all equations together were satisfied within a tolerance. At a singular position the
/// dynamic schedule may lead to another solution than the initial one.
bool Initialisation::initial_equations_hold(const Point& point, bool all) {
  constexpr double kTolerance = 1e-6;
  const Model& model = instance_.model;
  EquationRows equations(model, instance_.nominal);
  Failure failure{.kind = FailureKind::StartContradicts, .time = point.time};
  auto check = [&](std::uint32_t batch, std::uint32_t first) {
    for (std::uint32_t row = 0; row < model.batches[batch].count; ++row) {
      const BatchRow at{batch, row};
      const std::uint32_t equation = equations.equation(at);
      if (equation < first || equation >= model.first_guess) continue;
      if (equations.holds(at, point, kTolerance)) continue;
      ++failure.unknowns;  // here: the number of violated equations
      if (failure.equations.size() < kFailureDetails)
        failure.equations.push_back({equation, equations.residual(at, point)});
    }
  };
  for (const std::uint32_t batch : model.initial_checks) check(batch, 0);
  for (std::size_t k = 0; all && k < model.initial.size(); ++k) {
    const Step& step = model.initial[k];
    if (step.kind == Step::Assign) check(step.index, model.first_initial_equation);
    for (std::uint32_t b = 0; step.kind == Step::Solve && b < model.loops[step.index].batches; ++b)
      check(model.loops[step.index].first_batch + b, model.first_initial_equation);
  }
  if (failure.equations.empty()) return true;
  instance_.failure() = std::move(failure);
  return false;
}

/// At the start `pre x` is x.
bool Initialisation::advance_previous(const Point& point) {
  for (int iteration = 0; events_.handler().advance_previous(instance_.values); ++iteration) {
    if (iteration < ZeroCrossings::kIterations && events_.make_consistent(point, {}) &&
        instance_.evaluator.run_checked(instance_.model.observed, point))
      continue;
    if (!instance_.failure()) {
      instance_.failure() = events_.zero_crossings().endless(point);
      events_.handler().add_unsettled(instance_.values, instance_.failure());
    }
    return false;
  }
  // What is only observed reads `pre` as well.
  return instance_.model.events.previous.empty() ||
         instance_.evaluator.run_checked(instance_.model.observed, point);
}

/// A state whose initial value is a parameter without a value is computed by no equation.
bool Initialisation::states_are_finite(double time) {
  Failure& failure = instance_.failure();
  for (const State& state : instance_.model.states) {
    const double value = instance_.values[state.variable];
    if (std::isfinite(value)) continue;
    if (!failure) failure = Failure{.kind = FailureKind::NotFinite, .time = time, .unknowns = 1};
    if (failure.variables.size() < kFailureDetails) failure.variables.push_back({state.variable, value, 0});
  }
  return !failure;
}

}  // namespace runtime
