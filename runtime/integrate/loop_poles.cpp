#include "runtime/integrate/loop_poles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "runtime/integrate/step_pieces.h"
#include "runtime/solve/algebraic_loop.h"

namespace runtime {

namespace {

/// A change of sign is isolated to this part of the step.
constexpr double kIsolated = 1e-3;
/// Distance, as a part of the step, of the values that tell a pole: nearer, rounding errors look like one.
constexpr double kSpacing = 0.02;
/// A pole c / (t - moment) is one if c, as a part of the length of the step, exceeds this times value plus
/// nominal value.
constexpr double kResidue = 1e-6;

/// Places about the moment, as multiples of the spacing, and weights of the values there: the sum is 0 for
/// polynomials of degree two, and 1 for 1 / place.
struct Stencil {
  std::array<double, 4> places, weights;
};
constexpr Stencil kAround = {{-2, -1, 1, 2}, {1.0 / 3, -2.0 / 3, 2.0 / 3, -1.0 / 3}},
                  kAfter = {{1, 2, 3, 4}, {4, -12, 12, -4}}, kBefore = {{-1, -2, -3, -4}, {-4, 12, -12, 4}};

}  // namespace

LoopPoles::LoopPoles(ModelInstance& instance, Defect& defect) : instance_(instance), defect_(defect) {
  for (const Step& step : instance.model.dynamic)
    if (step.kind == Step::Solve && instance.model.loops[step.index].kind == AlgebraicLoop::Linear)
      loops_.push_back({step.index});
}

void LoopPoles::begin(double time) {
  has_turned(time);
  advance();
}

bool LoopPoles::has_turned(double time) {
  bool turned = false;
  for (WatchedLoop& watched : loops_) {
    watched.now = instance_.evaluator.loop(watched.loop).determinant_sign(instance_.point(time));
    turned = turned || watched.now != watched.before;
  }
  return turned;
}

void LoopPoles::advance() {
  for (WatchedLoop& watched : loops_) watched.before = watched.now;
}

std::optional<LoopPoles::Part> LoopPoles::find(double begin, Integrator& integrator) {
  begin_ = begin;
  std::vector<TurnedLoop> turned;
  for (const WatchedLoop& watched : loops_)
    if (watched.now != watched.before) turned.push_back({watched.loop, false, watched.before, watched.now});
  while (!turned.empty()) {
    if (const auto part = compare_untorn(turned, integrator)) return part;
    if (turned.empty()) break;
    Isolation isolation;
    if (const auto part = isolate(turned, integrator, isolation)) return part;
    if (isolation.mixed) continue;
    if (const auto part = find_residue(turned, isolation, integrator)) return part;
  }
  return std::nullopt;
}

/// At the current values.
int LoopPoles::sign(const TurnedLoop& turned, double time) {
  AlgebraicLoopSolver& solver = instance_.evaluator.loop(turned.loop);
  const Point point = instance_.point(time);
  return turned.untorn ? solver.untorn_determinant_sign(point) : solver.determinant_sign(point);
}

/// Signs with and without tearing are those of different matrices. Where a loop has one of each, both become
/// the latter. Loops without a change of this sign are removed.
std::optional<LoopPoles::Part> LoopPoles::compare_untorn(std::vector<TurnedLoop>& turned,
                                                         Integrator& integrator) {
  bool any = false;
  for (TurnedLoop& t : turned) {
    t.untorn = t.untorn || (t.before * t.now != 0 && std::abs(t.before) != std::abs(t.now));
    any = any || t.untorn;
  }
  if (!any) return std::nullopt;
  for (const double time : {begin_, integrator.time()}) {
    if (!defect_.evaluate(time, integrator)) return Part{begin_, integrator.time() - begin_};
    for (TurnedLoop& t : turned)
      if (t.untorn) (time == begin_ ? t.before : t.now) = sign(t, time);
  }
  std::erase_if(turned, [](const TurnedLoop& t) { return t.before == t.now; });
  return std::nullopt;
}

/// Isolates the moment at which the sign of the first loop changes.
std::optional<LoopPoles::Part> LoopPoles::isolate(std::vector<TurnedLoop>& turned, Integrator& integrator,
                                                  Isolation& found) {
  auto& [low, high, mixed] = found;
  low = {begin_, {}}, high = {integrator.time(), {}};
  for (const TurnedLoop& loop : turned) {
    low.signs.push_back(loop.before);
    high.signs.push_back(loop.now);
  }
  const double least = std::max(kIsolated * (high.time - low.time), shortest_piece(low.time, high.time));
  const int kind = std::max(std::abs(turned[0].before), std::abs(turned[0].now));
  Bound middle;
  while (high.time - low.time > least) {
    middle.time = low.time + kCut * (high.time - low.time);
    if (!defect_.evaluate(middle.time, integrator)) return Part{low.time, high.time - low.time};
    middle.signs.clear();
    for (const TurnedLoop& loop : turned) middle.signs.push_back(sign(loop, middle.time));
    const int first = middle.signs.front();
    if (first != 0 && std::abs(first) != kind) {
      turned[0].untorn = mixed = true;
      return std::nullopt;
    }
    std::swap(first == turned[0].before ? low : high, middle);
  }
  return std::nullopt;
}

/// Whether a solution has a pole at the moment that was isolated: that of the first loop, and of all that
/// turn at this moment, as equal parts of a model do. These are removed from the list.
std::optional<LoopPoles::Part> LoopPoles::find_residue(std::vector<TurnedLoop>& turned,
                                                       const Isolation& isolation, Integrator& integrator) {
  const auto& [low, high, mixed] = isolation;
  const Model& model = instance_.model;
  std::vector<std::uint32_t> variables, ends;  // the variables of a loop after another
  for (const TurnedLoop& loop : turned) {
    AlgebraicLoopSolver& solver = instance_.evaluator.loop(loop.loop);
    variables.insert(variables.end(), solver.unknowns().begin(), solver.unknowns().end());
    for (const KernelBatch& batch : loop_batches(model, model.loops[loop.loop]))
      for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row)
        variables.push_back(solved_variable(model, batch, row));
    ends.push_back(static_cast<std::uint32_t>(variables.size()));
  }
  const Part here{low.time, high.time - low.time};
  const double moment = (low.time + high.time) / 2, spacing = kSpacing * (integrator.time() - begin_);
  const Stencil& stencil = moment - begin_ < 2 * spacing              ? kAfter
                           : integrator.time() - moment < 2 * spacing ? kBefore
                                                                      : kAround;
  std::array<std::vector<double>, 4> samples;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!defect_.evaluate(moment + stencil.places[i] * spacing, integrator)) return here;
    for (const std::uint32_t v : variables) samples[i].push_back(instance_.values[v]);
  }
  std::vector<TurnedLoop> others;
  std::size_t k = 0;
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const bool turns_here = low.signs[i] == turned[i].before && high.signs[i] != turned[i].before;
    if (!turns_here) others.push_back(turned[i]);
    for (; k < ends[i]; ++k) {
      double residue = 0, size = HUGE_VAL;
      for (std::size_t p = 0; p < samples.size(); ++p) {
        residue += kSpacing * stencil.weights[p] * samples[p][k];
        size = std::min(size, std::abs(samples[p][k]));
      }
      size += instance_.nominal[variables[k]];
      if (turns_here && !(std::abs(residue) <= kResidue * size)) return here;
    }
  }
  turned = std::move(others);
  return std::nullopt;
}

}  // namespace runtime
