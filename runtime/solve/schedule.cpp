#include "runtime/solve/schedule.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/solve/algebraic_loop.h"
#include "runtime/solve/profile.h"
#include "runtime/thread_pool.h"

namespace runtime {

namespace {

constexpr std::size_t kGrain = 4096;  // rows that a thread evaluates at once; a multiple of the vector width

void call(const Model& model, std::uint32_t kernel, const KernelBatch& batch, const Point& point,
          double* out) {
  KernelArguments arguments;
  arguments.time = point.time;
  arguments.values = point.values;
  arguments.parameters = point.parameters;
  arguments.table = model.tables.data() + batch.table;
  arguments.stride = batch.count;
  arguments.out = out;
  const Kernel& code = model.kernels[kernel];
  if (batch.count <= kGrain) {
    arguments.end = batch.count;
    code.function(code.self, &arguments);
    return;
  }
  each_part(point.thread_pool, batch.count, kGrain, [&](std::size_t begin, std::size_t end) {
    KernelArguments part = arguments;
    part.begin = begin;
    part.end = end;
    code.function(code.self, &part);
  });
}

/// The value of a term; its sign is the lowest bit of the term.
inline double signed_value(std::uint32_t term, const double* values) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(values[term >> 1]) ^
                               static_cast<std::uint64_t>(term & 1) << 63);
}

/// The sum of all terms but the one at `solved`. Most sums are of nodes with two or three parts.
inline double rest(const std::uint32_t* terms, std::uint32_t count, std::uint32_t solved,
                   const double* values) {
  double sum = 0;
  if (count == 2) return sum + signed_value(terms[1 - solved], values);
  if (count == 3)
    return sum + signed_value(terms[solved == 0], values) + signed_value(terms[solved == 2 ? 1 : 2], values);
  for (std::uint32_t k = 0; k < solved; ++k) sum += signed_value(terms[k], values);
  for (std::uint32_t k = solved + 1; k < count; ++k) sum += signed_value(terms[k], values);
  return sum;
}

void evaluate_sums(const Model& model, const KernelBatch& batch, double* values, double* out,
                   std::size_t begin, std::size_t end) {
  const SumTable table(model, batch);
  if (batch.role == Role::Residual) {
    for (std::size_t row = begin; row < end; ++row) {
      double sum = 0;
      for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k)
        sum += signed_value(table.terms[k], values);
      out[row] = sum;
    }
    return;
  }
  for (std::size_t row = begin; row < end; ++row) {
    const std::uint32_t* terms = table.terms + table.offsets[row];
    const std::uint32_t solved = table.positions[row];
    const double sum = rest(terms, table.offsets[row + 1] - table.offsets[row], solved, values);
    values[terms[solved] >> 1] = -std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) ^
                                                        static_cast<std::uint64_t>(terms[solved] & 1) << 63);
  }
}

}  // namespace

std::vector<Step> needed_steps(const Model& model, std::span<const Step> from,
                               std::vector<std::uint8_t>& wanted) {
  auto reads = [&](const KernelBatch& batch, std::uint32_t row) {
    each_variable(model, batch, row, [&](std::uint32_t v) { wanted[v] = 1; });
  };
  std::vector<Step> steps;
  for (auto step = from.rbegin(); step != from.rend(); ++step) {
    bool needed = false;
    if (step->kind == Step::Solve) {
      const AlgebraicLoop& loop = model.loops[step->index];
      for (std::uint32_t k = 0; k < loop.unknowns; ++k)
        needed = needed || wanted[model.tearing_variables[loop.first_unknown + k]];
      for (const KernelBatch& batch : loop_batches(model, loop))
        for (std::uint32_t row = 0; row < batch.count && !needed && batch.role == Role::Solve; ++row)
          needed = wanted[solved_variable(model, batch, row)];
      for (const KernelBatch& batch : loop_batches(model, loop))
        for (std::uint32_t row = 0; row < batch.count && needed; ++row) reads(batch, row);
    } else {
      const KernelBatch& batch = model.batches[step->index];
      for (std::uint32_t row = 0; row < batch.count; ++row) {
        if (!wanted[solved_variable(model, batch, row)]) continue;
        needed = true;
        reads(batch, row);
      }
    }
    if (needed) steps.push_back(*step);
  }
  std::ranges::reverse(steps);
  return steps;
}

void evaluate(const Model& model, const KernelBatch& batch, const Point& point, double* out) {
  if (batch.kernel == kNone)
    each_part(point.thread_pool, batch.count, kGrain, [&](std::size_t begin, std::size_t end) {
      evaluate_sums(model, batch, point.values, out, begin, end);
    });
  else
    call(model, batch.kernel, batch, point, out);
}

void evaluate_rows(const Model& model, const KernelBatch& batch, const Point& point, std::uint32_t begin,
                   std::uint32_t end, double* out) {
  if (batch.kernel == kNone) {
    evaluate_sums(model, batch, point.values, out, begin, end);
    return;
  }
  const Kernel& kernel = model.kernels[batch.kernel];
  const KernelArguments arguments{
      point.time, point.values, point.parameters, model.tables.data() + batch.table, batch.count, begin,
      end,        out};
  kernel.function(kernel.self, &arguments);
}

void evaluate_partials(const Model& model, const KernelBatch& batch, const Point& point, double* out) {
  call(model, batch.partials, batch, point, out);
}

Evaluator::Evaluator(const Model& model, std::vector<double> nominal)
    : model_(model),
      nominal_(std::move(nominal)),
      loops_(model.loops.size()),
      index_(std::make_unique<GradientIndex>()) {}
Evaluator::~Evaluator() = default;

AlgebraicLoopSolver& Evaluator::loop(std::uint32_t index) {
  if (!loops_[index])
    loops_[index] = std::make_unique<AlgebraicLoopSolver>(model_, model_.loops[index], nominal_, *index_);
  return *loops_[index];
}

std::uint64_t Evaluator::loop_factorisations() const {
  std::uint64_t sum = 0;
  for (const auto& loop : loops_)
    if (loop) sum += loop->factorisations();
  return sum;
}

void Evaluator::parameters_changed() {
  for (auto& loop : loops_)
    if (loop) loop->parameters_changed();
}

bool Evaluator::solve_loop(std::uint32_t index, const Point& point) {
  AlgebraicLoopSolver& solver = loop(index);
  const std::uint64_t iterations = solver.iterations();
  const bool solved = solver.solve(point, failure_);
  if (profile_) profile_->loops[index].iterations += solver.iterations() - iterations;
  if (solved) return true;
  if (!continuation_ || failure_.linear || failure_.kind == FailureKind::ZeroPivot ||
      !solver.solve_by_continuation(point, failure_))
    return false;
  if (!lists_continued_) return true;
  const AlgebraicLoop& loop = model_.loops[index];
  const KernelBatch& batch = model_.batches[loop.first_batch];
  continued_.push_back(
      {loop.unknowns, model_.tearing_variables[loop.first_unknown], model_.equations[batch.equations]});
  return true;
}

template <bool checked>
bool Evaluator::run_step(const Step& step, const Point& point) {
  const KernelBatch* batch = step.kind == Step::Solve ? nullptr : &model_.batches[step.index];
  if (step.kind == Step::Solve) return solve_loop(step.index, point);
  if (step.kind == Step::Guess)
    evaluate_guesses(*batch, point);
  else
    evaluate(model_, *batch, point, nullptr);
  return !checked || step.kind == Step::Guess || check_finite(*batch, point);
}

template <bool checked>
bool Evaluator::run_all(std::span<const Step> steps, const Point& point) {
  if (profile_ && !profile_->inside_jacobian) {
    for (const Step& step : steps) {
      const CostTimer timer(&(step.kind == Step::Solve ? profile_->loops : profile_->batches)[step.index]);
      if (!run_step<checked>(step, point)) return false;
    }
    return true;
  }
  for (const Step& step : steps)
    if (!run_step<checked>(step, point)) return false;
  return true;
}

bool Evaluator::run(std::span<const Step> steps, const Point& point) { return run_all<false>(steps, point); }

bool Evaluator::run_checked(std::span<const Step> steps, const Point& point) {
  return run_all<true>(steps, point);
}

void Evaluator::evaluate_guesses(const KernelBatch& batch, const Point& point) {
  for (std::uint32_t row = 0; row < batch.count; ++row) {
    double& value = point.values[solved_variable(model_, batch, row)];
    const double before = value;
    evaluate_rows(model_, batch, point, row, row + 1, nullptr);
    if (!std::isfinite(value)) value = before;
  }
}

bool Evaluator::check_finite(const KernelBatch& batch, const Point& point) {
  bool fine = true;
  std::vector<double> partials;
  for (std::uint32_t row = 0; row < batch.count; ++row) {
    const std::uint32_t variable = solved_variable(model_, batch, row);
    const double value = point.values[variable];
    if (std::isfinite(value)) continue;
    if (fine) {
      failure_ = Failure{.kind = FailureKind::NotFinite, .time = point.time, .unknowns = 1};
      fine = false;
      if (batch.role == Role::Solve && batch.kernel != kNone)
        partials.resize(std::size_t{batch.slots} * batch.count);
      if (!partials.empty()) evaluate_partials(model_, batch, point, partials.data());
    }
    const bool zero = !partials.empty() && partials[std::size_t{batch.solved} * batch.count + row] == 0;
    if (zero && failure_.equations.empty()) {
      failure_.kind = FailureKind::LoopSingular;
      failure_.linear = failure_.dependent = true;
      failure_.dependent_equations = 1;
      failure_.combined = {variable};
      for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
        if (partials[std::size_t{slot} * batch.count + row] != 0)
          failure_.constrained.push_back(slot_variable(model_, batch, slot, row));
    }
    if (zero != failure_.linear) continue;
    failure_.equations.push_back({model_.equations[batch.equations + row], value});
    failure_.variables.push_back({variable, value, 0});
    if (failure_.equations.size() == kFailureDetails) break;
  }
  return fine;
}

}  // namespace runtime
