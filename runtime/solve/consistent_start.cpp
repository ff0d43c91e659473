#include "runtime/solve/consistent_start.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "runtime/numbers.h"
#include "runtime/solve/rectangular_system.h"

namespace runtime {

namespace {

// Relative to the magnitude of the terms of an equation: a coefficient that is zero up to rounding errors.
constexpr double kVanishing = 1e-10;
// The same where the equation has determined another variable: what is left is the rounding of that.
constexpr double kVanishingBeside = 1e-7;
// Of the terms of an equation: its residual when all is known, and where a contradiction is a small one.
constexpr double kStillHolds = 1e-6, kNearlyHolds = 1e-2;
constexpr int kSamples = 3;  // points at which a coefficient must vanish
// Equations that are solved together; and those of a loop of which the rank is examined although it has been
// solved.
constexpr std::size_t kMostRows = 20'000, kMostExamined = 500;
// Refused guesses, for each of which all begins anew: so many, and more while they cost less than this, in
// variables.
constexpr std::size_t kMostRefused = 20, kMostRestarted = 10'000'000;

/// A number in [-1, 1] that looks random.
double sample(std::uint32_t variable, int point) {
  const double k = static_cast<double>(variable % 100003 + 1) + 0.37 * (point + 1);
  return 2 * std::fmod(golden_fraction(k) + 0.2247448713915890 * (point + 1), 1.0) - 1;
}

}  // namespace

ConsistentStart::ConsistentStart(ModelInstance& instance)
    : instance_(instance), equations_(instance.model, instance.nominal) {
  find_levels();
}

void ConsistentStart::find_levels() {
  const Model& model = instance_.model;
  levels_.assign(model.variables, 0);
  for (std::uint32_t v = 0; v < model.derivative_of.size(); ++v)
    for (std::uint32_t d = model.derivative_of[v]; d != kNone && levels_[v] < kHighest;
         d = model.derivative_of[d])
      ++levels_[v];
  for (const std::uint32_t v : model.constants) levels_[v] = kHighest;
}

bool ConsistentStart::solve(double time) {
  time_ = time;
  start_ = instance_.values;
  guessed_.refused.clear();
  const std::size_t most = std::max(kMostRefused, kMostRestarted / std::max<std::size_t>(start_.size(), 1));
  for (std::size_t tries = 0; tries <= most; ++tries) {
    const std::size_t refused = guessed_.refused.size();
    std::ranges::copy(start_, instance_.values.begin());
    if (attempt()) return true;
    if (guessed_.refused.size() == refused) return false;
  }
  return false;
}

void ConsistentStart::begin() {
  const std::uint32_t variables = instance_.model.variables;
  failure_ = {};
  visited_.assign(variables, 0);
  visit_ = 0;
  known_.assign(variables, 1);  // unless the schedule determines them
  for (const Step& step : instance_.model.initial)
    if (step.kind == Step::Solve)
      for (const std::uint32_t v : variables_of(step.index)) known_[v] = 0;
    else
      for (std::uint32_t row = 0; row < instance_.model.batches[step.index].count; ++row)
        known_[equations_.solved({step.index, row})] = 0;
  determinations_.reset(variables);
  in_pool_.reset(variables), in_waiting_.reset(variables);
  pool_.clear(), waiting_.clear(), guesses_.clear(), guessed_.taken.clear(), guessed_.moved.clear();
  examine_next_.clear(), ready_.clear();
  for (auto& next : try_next_) next.clear();
  next_guess_ = 0;
  singular_ = all_known_ = nearly_holds_ = false;
}

bool ConsistentStart::attempt() {
  begin();
  execute_schedule();
  Progress progress = Progress::Some;
  while (progress == Progress::Some) progress = advance();
  if (progress == Progress::Failed) return false;
  all_known_ = std::ranges::all_of(known_, [](std::uint8_t k) { return k != 0; });
  if (!all_known_ && !failure_) describe_undetermined();
  // A variable on which an equation hardly depends may have been determined since, and be large.
  return all_known_ && !failure_ && std::ranges::all_of(pool_, [&](const Equation& e) {
           return e.done && equations_.holds(e.at, point(), kStillHolds);
         });
}

void ConsistentStart::execute_schedule() {
  const Model& model = instance_.model;
  for (const Step& step : model.initial) {
    if (step.kind == Step::Solve) {
      wait_or_solve(step.index);
      continue;
    }
    if (step.kind == Step::Guess) continue;
    for (std::uint32_t row = 0; row < model.batches[step.index].count; ++row)
      if (const BatchRow at{step.index, row}; is_guess(at))
        guesses_.push_back(at);
      else
        wait_or_assign(at);
  }
  for (const std::uint32_t batch : model.initial_checks)
    for (std::uint32_t row = 0; row < model.batches[batch].count; ++row) add_to_pool({batch, row});
}

/// The first of the steps of the file comment that applies.
ConsistentStart::Progress ConsistentStart::advance() {
  if (const Progress p = examine_pool(); p != Progress::None) return p;
  if (const Progress p = solve_pool(); p != Progress::None) return p;
  return take_guess() || admit_waiting() || keep_undetermined() ? Progress::Some : Progress::None;
}

void ConsistentStart::wait_or_assign(BatchRow at) {
  std::vector<std::uint32_t> open = open_variables(at);
  std::erase(open, equations_.solved(at));
  if (!open.empty()) return wait({.at = at}, open);
  execute({.at = at});
}

void ConsistentStart::wait_or_solve(std::uint32_t loop) {
  const std::vector<std::uint32_t> own = variables_of(loop);
  std::vector<std::uint32_t> open;
  for (const BatchRow& at : rows_of(loop))
    for (const std::uint32_t v : open_variables(at))
      if (!std::ranges::binary_search(own, v)) open.push_back(v);
  std::ranges::sort(open);
  open.erase(std::ranges::unique(open).begin(), open.end());
  if (!open.empty()) return wait({.at = {}, .loop = loop}, open);
  execute({.at = {}, .loop = loop});
}

void ConsistentStart::wait(Waiting item, std::span<const std::uint32_t> open) {
  item.open = static_cast<std::uint32_t>(open.size());
  for (const std::uint32_t v : open) in_waiting_.add(v, static_cast<std::uint32_t>(waiting_.size()));
  waiting_.push_back(item);
}

/// What the item reads is known. Where it does not determine its variables, its equations join the pool.
void ConsistentStart::execute(const Waiting& item) {
  if (item.loop == kNone) {
    const std::uint32_t v = equations_.solved(item.at);
    if (!known_[v] && execute_row(item.at)) return determine({&v, 1}, {&item.at, 1});
    singular_ = singular_ || !known_[v];
    return add_to_pool(item.at);
  }
  const std::vector<BatchRow> rows = rows_of(item.loop);
  const std::vector<std::uint32_t> variables = variables_of(item.loop);
  const bool all_open = std::ranges::none_of(variables, [&](std::uint32_t v) { return known_[v] != 0; });
  if (all_open && execute_loop(item.loop)) return determine(variables, rows);
  singular_ = singular_ || all_open;
  for (const BatchRow& at : rows) add_to_pool(at);
}

bool ConsistentStart::execute_row(BatchRow at) {
  const std::uint32_t v = equations_.solved(at);
  double& value = instance_.values[v];
  evaluate_rows(instance_.model, instance_.model.batches[at.batch], point(), at.row, at.row + 1, nullptr);
  bool fine = std::isfinite(value);
  if (fine && !equations_.always_solvable(at)) {
    const auto& partials = equations_.partials(at, point());
    const auto own = std::ranges::find(partials, v, &EquationRows::Partial::variable);
    const double unit = std::max(std::abs(value), instance_.nominal[v]);
    fine = std::abs(own->value) * unit > kVanishing * equations_.magnitude(partials, point());
  }
  if (!fine) value = start_[v];
  return fine;
}

bool ConsistentStart::execute_loop(std::uint32_t loop) {
  const Step step{Step::Solve, loop};
  const Failure before = std::exchange(instance_.failure(), Failure{});
  bool fine = instance_.evaluator.run_checked({&step, 1}, point());
  instance_.failure() = before;
  // Pivots of the size of rounding errors lead to a result, but not to the solution. Newton's method leaves
  // variables that nothing determines at some value.
  if (std::vector<BatchRow> rows = rows_of(loop); fine && rows.size() <= kMostExamined) {
    RectangularSystem system(equations_, std::move(rows), variables_of(loop));
    fine = instance_.model.loops[loop].kind == AlgebraicLoop::Nonlinear ? !system.has_free_unknown(point())
                                                                        : system.determines_all(point());
  }
  if (!fine)
    for (const std::uint32_t v : variables_of(loop)) instance_.values[v] = start_[v];
  return fine;
}

std::vector<BatchRow> ConsistentStart::rows_of(std::uint32_t loop) const {
  const Model& model = instance_.model;
  std::vector<BatchRow> rows;
  for (std::uint32_t k = 0; k < model.loops[loop].batches; ++k) {
    const std::uint32_t batch = model.loops[loop].first_batch + k;
    for (std::uint32_t row = 0; row < model.batches[batch].count; ++row) rows.push_back({batch, row});
  }
  return rows;
}

/// Ascending.
std::vector<std::uint32_t> ConsistentStart::variables_of(std::uint32_t loop) const {
  const Model& model = instance_.model;
  const AlgebraicLoop& l = model.loops[loop];
  const auto first = model.tearing_variables.begin() + l.first_unknown;
  std::vector<std::uint32_t> variables(first, first + l.unknowns);
  for (const BatchRow& at : rows_of(loop))
    if (model.batches[at.batch].role == Role::Solve) variables.push_back(equations_.solved(at));
  std::ranges::sort(variables);
  return variables;
}

void ConsistentStart::add_to_pool(BatchRow at) {
  const auto number = static_cast<std::uint32_t>(pool_.size());
  for (const std::uint32_t v : open_variables(at)) in_pool_.add(v, number);
  std::uint8_t level = kHighest;
  for (const std::uint32_t v : equations_.variables(at)) level = std::min(level, levels_[v]);
  pool_.push_back({.at = at, .level = level});
  examine_next_.push_back(number);
  try_next_[level].push_back(number);
}

std::vector<std::uint32_t> ConsistentStart::open_variables(BatchRow at) {
  std::vector<std::uint32_t> open;
  std::ranges::copy_if(equations_.variables(at), std::back_inserter(open),
                       [&](std::uint32_t v) { return known_[v] == 0; });
  return open;
}

void ConsistentStart::determine(std::span<const std::uint32_t> variables, std::span<const BatchRow> by) {
  determinations_.add(variables, by);
  for (const std::uint32_t v : variables) known_[v] = 1;
  for (const std::uint32_t v : variables) {
    in_pool_.each(v, [&](std::uint32_t number) {
      Equation& e = pool_[number];
      if (e.done) return;
      if (std::exchange(e.tried, false)) try_next_[e.level].push_back(number);
      if (!std::exchange(e.changed, true)) examine_next_.push_back(number);
    });
    in_waiting_.each(v, [&](std::uint32_t number) {
      if (--waiting_[number].open == 0 && !waiting_[number].done) ready_.push_back(number);
    });
  }
}

void ConsistentStart::execute_ready() {
  while (!ready_.empty()) {
    const std::uint32_t number = ready_.back();
    ready_.pop_back();
    if (std::exchange(waiting_[number].done, true)) continue;
    execute(Waiting(waiting_[number]));
  }
}

ConsistentStart::Progress ConsistentStart::examine_pool() {
  Progress result = Progress::None;
  execute_ready();
  while (!examine_next_.empty()) {
    const std::uint32_t number = examine_next_.back();
    examine_next_.pop_back();
    pool_[number].changed = false;
    if (pool_[number].done) continue;
    const Progress here = examine(number);
    if (here == Progress::Failed) return here;
    if (here == Progress::Some) result = here;
    execute_ready();
  }
  return result;
}

ConsistentStart::Progress ConsistentStart::examine(std::uint32_t number) {
  const BatchRow at = pool_[number].at;
  std::vector<std::uint32_t> open = open_variables(at);
  if (!open.empty()) open = influential(at, open, pool_[number].used ? kVanishingBeside : kVanishing);
  if (open.size() > 1) return Progress::None;
  if (open.empty()) {
    if (!equations_.holds(at, point(), RectangularSystem::kTolerance) && !contradict({&at, 1}))
      return Progress::Failed;
    pool_[number].done = true;
    return Progress::Some;
  }
  RectangularSystem one(equations_, {at}, open);
  if (one.solve(point()) != RectangularSystem::Result::Solved || !one.determines_all(point())) {
    instance_.values[open[0]] = start_[open[0]];
    return Progress::None;
  }
  pool_[number].done = true;
  determine(open, {&at, 1});
  return Progress::Some;
}

/// Of the open variables of an equation those on which it depends, at the values of the known ones.
std::vector<std::uint32_t> ConsistentStart::influential(BatchRow at, std::span<const std::uint32_t> open,
                                                        double vanishing) {
  std::vector<std::uint32_t> result;
  for (int k = 0; k < kSamples && result.size() < open.size(); ++k) {
    for (const std::uint32_t v : open) instance_.values[v] = start_[v] + instance_.nominal[v] * sample(v, k);
    const auto& partials = equations_.partials(at, point());
    const double magnitude = equations_.magnitude(partials, point());
    for (const EquationRows::Partial& p : partials) {
      const double unit = std::max(std::abs(instance_.values[p.variable]), instance_.nominal[p.variable]);
      if (known_[p.variable] || std::ranges::find(result, p.variable) != result.end()) continue;
      if (!(std::abs(p.value) * unit <= vanishing * magnitude)) result.push_back(p.variable);
    }
  }
  for (const std::uint32_t v : open) instance_.values[v] = start_[v];
  std::ranges::sort(result);
  return result;
}

/// Solves components of the pool until one of them determines a variable.
ConsistentStart::Progress ConsistentStart::solve_pool() {
  for (auto next = try_next_.rbegin(); next != try_next_.rend(); ++next)
    while (!next->empty()) {
      const std::uint32_t first = next->back();
      next->pop_back();
      if (pool_[first].done || pool_[first].tried) continue;
      std::vector<std::uint32_t> unknowns;
      const std::vector<std::uint32_t> members = component_of(first, unknowns);
      if (members.size() > kMostRows || unknowns.size() > kMostRows) continue;
      if (const Progress p = solve_component(members, std::move(unknowns)); p != Progress::None) return p;
    }
  return Progress::None;
}

/// The equations that share open variables with the first, and so on, of its level or a higher one, and these
/// variables, ascending. Beyond kMostRows it is cut.
std::vector<std::uint32_t> ConsistentStart::component_of(std::uint32_t first,
                                                         std::vector<std::uint32_t>& unknowns) {
  ++visit_;
  std::vector<std::uint32_t> members{first};
  pool_[first].visit = visit_;
  for (std::size_t k = 0; k < members.size() && members.size() <= kMostRows; ++k) {
    pool_[members[k]].tried = true;
    for (const std::uint32_t v : open_variables(pool_[members[k]].at)) {
      if (std::exchange(visited_[v], visit_) == visit_) continue;
      unknowns.push_back(v);
      in_pool_.each(v, [&](std::uint32_t other) {
        if (!pool_[other].done && pool_[other].level >= pool_[first].level &&
            std::exchange(pool_[other].visit, visit_) != visit_)
          members.push_back(other);
      });
    }
  }
  std::ranges::sort(unknowns);
  return members;
}

ConsistentStart::Progress ConsistentStart::solve_component(std::span<const std::uint32_t> members,
                                                           std::vector<std::uint32_t> unknowns) {
  std::vector<BatchRow> rows;
  for (const std::uint32_t m : members) rows.push_back(pool_[m].at);
  RectangularSystem system(equations_, rows, unknowns);
  const RectangularSystem::Result result = system.solve(point());
  if (result == RectangularSystem::Result::Contradiction && !contradict(rows)) return Progress::Failed;
  const bool solved =
      result == RectangularSystem::Result::Solved || result == RectangularSystem::Result::Contradiction;
  for (const std::uint32_t m : members) pool_[m].solved = solved;
  std::vector<std::uint32_t> found;
  if (solved) {
    const std::vector<bool> determined = system.determined(point());
    for (std::size_t k = 0; k < unknowns.size(); ++k)
      if (determined[k]) found.push_back(unknowns[k]);
  }
  if (found.size() < unknowns.size())
    for (const std::uint32_t v : unknowns)
      if (!std::ranges::binary_search(found, v) && !solved) instance_.values[v] = start_[v];
  if (found.empty()) return Progress::None;
  if (found.size() == unknowns.size())
    for (const std::uint32_t m : members) pool_[m].done = true;
  else
    for (const std::uint32_t m : members) pool_[m].used = true;
  determine(found, rows);
  return Progress::Some;
}

bool ConsistentStart::take_guess() {
  while (next_guess_ < guesses_.size()) {
    const BatchRow at = guesses_[next_guess_++];
    const std::uint32_t v = equations_.solved(at);
    if (known_[v] || std::ranges::find(guessed_.refused, v) != guessed_.refused.end()) continue;
    if (!execute_row(at)) continue;
    determine({&v, 1}, {&at, 1});
    return true;
  }
  return false;
}

bool ConsistentStart::admit_waiting() {
  bool any = false;
  for (Waiting& item : waiting_) {
    if (std::exchange(item.done, true)) continue;
    any = true;
    if (item.loop == kNone)
      add_to_pool(item.at);
    else
      for (const BatchRow& at : rows_of(item.loop)) add_to_pool(at);
  }
  return any;
}

/// All equations that contain open variables hold whatever value one of these has: a state among them keeps
/// its guess, or, if no solution has this value, that of the solution found from the guesses.
bool ConsistentStart::keep_undetermined() {
  if (std::ranges::any_of(pool_, [](const Equation& e) { return !e.done && !e.solved; })) return false;
  const Model& model = instance_.model;
  std::vector<std::uint8_t> own(model.states.size(), 0);  // of a set of states
  std::vector<std::uint32_t> candidates;
  for (const StateSet& set : model.sets) {
    std::fill_n(own.begin() + set.first_state, set.states, std::uint8_t{1});
    const auto first = model.set_variables.begin() + set.first_variable + set.eliminated + set.candidates;
    candidates.insert(candidates.end(), first, first + set.candidates);
  }
  for (std::size_t k = 0; k < own.size(); ++k)
    if (!own[k]) candidates.push_back(model.states[k].variable);
  std::erase_if(candidates, [&](std::uint32_t v) { return known_[v] != 0; });
  if (candidates.empty()) return false;
  const auto with_guess =
      std::ranges::find_if(candidates, [&](std::uint32_t v) { return model.has_guess(v); });
  const std::uint32_t v = with_guess != candidates.end() ? *with_guess : candidates.front();
  if (std::ranges::find(guessed_.refused, v) != guessed_.refused.end()) {
    guessed_.moved.push_back({v, start_[v], instance_.values[v]});
  } else {
    guessed_.taken.push_back(v);
    instance_.values[v] = start_[v];
  }
  determine({&v, 1}, {});
  return true;
}

/// Equations that have no solution: `failure_`, unless there is one, and what else is determined remains of
/// interest. False: the guess of a state is to blame.
bool ConsistentStart::contradict(std::span<const BatchRow> rows) {
  if (failure_) return true;
  const Contradiction found = find_contradiction(equations_, rows, determinations_, point());
  // Without factors the equations contradict each other only beyond their linearisation: any guess that they
  // depend on may be the reason.
  for (const BatchRow& at : found.factors.empty() ? found.causes : found.rows)
    if (instance_.model.batches[at.batch].role == Role::Solve && is_guess(at))
      return guessed_.refused.push_back(equations_.solved(at)), false;
  failure_ = Failure{.kind = FailureKind::StartContradicts, .initial = true, .time = time_};
  failure_.dependent = !found.factors.empty();
  failure_.dependent_equations = static_cast<std::uint32_t>(found.rows.size());
  failure_.unknowns = failure_.dependent_equations;
  failure_.left_over = found.left_over;
  nearly_holds_ = std::ranges::all_of(
      found.rows, [&](const BatchRow& at) { return equations_.holds(at, point(), kNearlyHolds); });
  for (std::size_t k = 0; k < found.rows.size(); ++k) {
    const double value = failure_.dependent ? found.factors[k] : equations_.residual(found.rows[k], point());
    failure_.equations.push_back({equations_.equation(found.rows[k]), value});
  }
  return true;
}

void ConsistentStart::describe_undetermined() {
  failure_ = Failure{.kind = FailureKind::StartUndetermined, .initial = true, .time = time_};
  const bool solved = std::ranges::all_of(pool_, [](const Equation& e) { return e.done || e.solved; });
  if (!solved) {
    failure_ = {};
    return;
  }
  for (std::uint32_t v = 0; v < known_.size(); ++v) {
    if (known_[v]) continue;
    ++failure_.unknowns;
    if (failure_.variables.size() < kFailureDetails)
      failure_.variables.push_back({v, instance_.values[v], 0});
  }
  for (const Equation& e : pool_)
    if (!open_variables(e.at).empty() && failure_.equations.size() < kFailureDetails)
      failure_.equations.push_back({equations_.equation(e.at), 0});
}

}  // namespace runtime
