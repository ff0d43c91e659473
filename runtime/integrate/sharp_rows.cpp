#include "runtime/integrate/sharp_rows.h"

#include <algorithm>
#include <cmath>

#include "runtime/solve/schedule.h"

namespace runtime {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The largest box extends from a value by this multiple of its change in the step, or of its magnitude or
// nominal value.
constexpr double kChanges = 16, kMagnitude = 0.5;
constexpr std::uint8_t kSmallestBox = 12, kTries = 3, kWait = 8;

/// Whether what a row of a batch gives turns where states do not.
bool is_curved(const Model& model, const KernelBatch& batch, std::uint32_t row,
               const std::vector<std::uint8_t>& curved) {
  if (batch.kernel == kNone) {
    const SumTable sums(model, batch);
    return std::any_of(sums.terms + sums.offsets[row], sums.terms + sums.offsets[row + 1],
                       [&](std::uint32_t term) { return curved[term >> 1] != 0; });
  }
  if (model.sharpness[batch.kernel].curved) return true;
  for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
    if (curved[slot_variable(model, batch, slot, row)]) return true;
  return false;
}

}  // namespace

SharpRows::SharpRows(const Model& model, const std::vector<double>& nominal) : model_(model) {
  if (model.sharpness.empty() || model.enclosures.empty() || model.states.empty()) return;
  std::vector<std::uint8_t> curved(model.variables, 0);
  std::vector<std::uint32_t> number(model.variables, kNone);
  for (const Step& step : model.dynamic) {
    if (step.kind == Step::Assign) {
      const KernelBatch& batch = model.batches[step.index];
      add(model, batch, curved, number);
      for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row)
        curved[solved_variable(model, batch, row)] = is_curved(model, batch, row, curved);
      continue;
    }
    const AlgebraicLoop& loop = model.loops[step.index];
    const bool linear = loop.kind == AlgebraicLoop::Fixed;
    if (!linear)
      for (std::uint32_t k = 0; k < loop.unknowns; ++k)
        curved[model.tearing_variables[loop.first_unknown + k]] = 1;
    for (const KernelBatch& batch : loop_batches(model, loop)) {
      for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row)
        curved[solved_variable(model, batch, row)] = !linear || is_curved(model, batch, row, curved);
      add(model, batch, curved, number);
    }
  }
  add_compared(model, curved, number);
  low_.assign(watched_.size(), kInfinity);
  high_.assign(watched_.size(), -kInfinity);
  until_.assign(rows_.size(), kInfinity);
  values_.resize(variables_.size());
  for (const std::uint32_t variable : variables_) nominal_.push_back(nominal[variable]);
  for (const std::uint32_t row : timed_) until_[row] = -kInfinity;
}

/// Adds the sharp rows among zero crossings, and those of what only these read.
void SharpRows::add_compared(const Model& model, std::vector<std::uint8_t>& curved,
                             std::vector<std::uint32_t>& number) {
  const std::size_t variables = variables_.size();
  std::vector<KernelBatch> batches;
  for (const Step& step : model.compared) {
    if (step.kind == Step::Assign)
      batches.push_back(model.batches[step.index]);
    else
      std::ranges::copy(loop_batches(model, model.loops[step.index]), std::back_inserter(batches));
  }
  std::vector<std::uint8_t> computed(model.variables, 0);
  for (const KernelBatch& batch : batches)
    for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row)
      curved[solved_variable(model, batch, row)] = computed[solved_variable(model, batch, row)] = 1;
  for (const ZeroCrossing& crossing : model.zero_crossings) batches.push_back(model.batches[crossing.batch]);
  for (const KernelBatch& batch : batches)
    if (batch.slots > 0) add(model, batch, curved, number);  // else time alone decides
  reads_compared_ = std::any_of(variables_.begin() + static_cast<std::ptrdiff_t>(variables), variables_.end(),
                                [&](std::uint32_t variable) { return computed[variable] != 0; });
}

/// Adds the sharp rows of a batch. `number`: of the variables, by variable of the model.
void SharpRows::add(const Model& model, const KernelBatch& batch, const std::vector<std::uint8_t>& curved,
                    std::vector<std::uint32_t>& number) {
  if (batch.kernel == kNone) return;
  const Sharpness& sharpness = model.sharpness[batch.kernel];
  if (sharpness.kind == Sharpness::None || !model.enclosures[batch.kernel].function) return;
  std::vector<std::uint32_t> found;
  for (std::uint32_t row = 0; row < batch.count; ++row)
    if (sharpness.kind == Sharpness::Any || std::ranges::any_of(sharpness.slots, [&](std::uint32_t slot) {
          return curved[slot_variable(model, batch, slot, row)] != 0;
        }))
      found.push_back(row);
  if (found.empty()) return;
  const auto group = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back({batch.kernel, static_cast<std::uint32_t>(found.size()), tables_.size(), batch.slots,
                     batch.params, parameters_.size()});
  parameters_.resize(parameters_.size() + batch.params * found.size());
  for (std::uint32_t column = 0; column < batch.slots + batch.params; ++column) {
    for (const std::uint32_t row : found) {
      std::uint32_t entry = slot_variable(model, batch, column, row);
      if (column < batch.slots) {
        std::uint32_t& own = number[entry];
        if (own == kNone) {
          own = static_cast<std::uint32_t>(variables_.size());
          variables_.push_back(entry);
        }
        entry = own;
      }
      tables_.push_back(entry);
    }
  }
  for (std::uint32_t k = 0; k < found.size(); ++k) {
    const auto first = static_cast<std::uint32_t>(watched_.size());
    for (const std::uint32_t slot : sharpness.slots)
      watched_.push_back(tables_[groups_[group].table + std::uint64_t{slot} * found.size() + k]);
    if (std::ranges::any_of(sharpness.slots, [&](std::uint32_t slot) {
          return curved[slot_variable(model, batch, slot, found[k])] != 0;
        }))
      turning_.push_back(static_cast<std::uint32_t>(rows_.size()));
    if (sharpness.reads_time) timed_.push_back(static_cast<std::uint32_t>(rows_.size()));
    rows_.push_back({group, k, first, static_cast<std::uint32_t>(watched_.size())});
  }
}

void SharpRows::drop_box(std::uint32_t number) {
  const Row& row = rows_[number];
  for (std::uint32_t k = row.first_watch; k < row.end_watch; ++k) {
    low_[k] = kInfinity;
    high_[k] = -kInfinity;
  }
  if (until_[number] != kInfinity) until_[number] = -kInfinity;
}

void SharpRows::compare_parameters(const double* parameters) {
  for (std::uint32_t number = 0; number < rows_.size(); ++number) {
    Row& row = rows_[number];
    const Group& group = groups_[row.group];
    const std::uint32_t* column = tables_.data() + group.table + std::uint64_t{group.slots} * group.count;
    double* before = parameters_.data() + group.parameters;
    bool same = true;
    for (std::uint64_t k = row.row; k < std::uint64_t{group.params} * group.count; k += group.count) {
      same = same && before[k] == parameters[column[k]];
      before[k] = parameters[column[k]];
    }
    if (same) continue;
    drop_box(number);
    row.wait = 0;
  }
}

void SharpRows::collect_outside(double time, const double* now, std::vector<std::uint32_t>& rows) const {
  constexpr std::size_t kBlock = 64;  // looked at without branches
  std::size_t row = 0;
  for (std::size_t begin = 0; begin < watched_.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, watched_.size());
    std::uint32_t inside = 1;
    for (std::size_t k = begin; k < end; ++k) {
      const double value = now[watched_[k]];
      inside &= static_cast<std::uint32_t>(low_[k] <= value) & static_cast<std::uint32_t>(value <= high_[k]);
    }
    if (inside) continue;
    for (std::size_t k = begin; k < end; ++k) {
      const double value = now[watched_[k]];
      if (low_[k] <= value && value <= high_[k]) continue;
      while (rows_[row].end_watch <= k) ++row;
      if (rows.empty() || rows.back() != row) rows.push_back(static_cast<std::uint32_t>(row));
    }
  }
  for (const std::uint32_t timed : timed_)
    if (!(time <= until_[timed])) rows.push_back(timed);
}

Resolution SharpRows::evaluate(const Row& row, Interval time, const double* parameters) {
  const Group& group = groups_[row.group];
  const EnclosureKernel& kernel = model_.enclosures[group.kernel];
  Resolution resolution;
  const EnclosureArguments arguments{.time = time,
                                     .values = values_.data(),
                                     .parameters = parameters,
                                     .table = tables_.data() + group.table,
                                     .stride = group.count,
                                     .row = row.row,
                                     .out = nullptr,
                                     .resolution = &resolution};
  kernel.function(kernel.self, &arguments);
  return resolution;
}

Resolution SharpRows::over_path(std::uint32_t number, Interval time, const Path* paths,
                                const double* parameters) {
  const Row& row = rows_[number];
  const Group& group = groups_[row.group];
  for (std::uint32_t slot = 0; slot < group.slots; ++slot) {
    const std::uint32_t variable = tables_[group.table + std::uint64_t{slot} * group.count + row.row];
    const Path& path = paths[variable];
    const auto [low, high] = std::minmax(path.first, path.last);
    const double slope = (path.last - path.first) / time.width(), turn = 4 * path.bend / time.width();
    values_[variable] = std::isfinite(low + high + path.bend)
                            ? Enclosure{{low - path.bend, high + path.bend}, {slope - turn, slope + turn}}
                            : Enclosure{Interval::whole(), Interval::whole()};
  }
  return evaluate(row, time, parameters);
}

/// Over all values within `part` of the largest distance from the last one, and those on the path. Where one
/// value alone varies, or the time, slopes are those by it; else they are unknown.
bool SharpRows::over_box(const Row& row, Interval time, const Path* paths, double part,
                         const double* parameters) {
  const Group& group = groups_[row.group];
  for (std::uint32_t slot = 0; slot < group.slots; ++slot) {
    const std::uint32_t variable = tables_[group.table + std::uint64_t{slot} * group.count + row.row];
    values_[variable] = Enclosure::constant(paths[variable].last);
  }
  const bool alone = row.end_watch - row.first_watch + (time.is_point() ? 0 : 1) == 1;
  for (std::uint32_t k = row.first_watch; k < row.end_watch; ++k) {
    const Path& path = paths[watched_[k]];
    const double size = std::max(std::abs(path.last), nominal_[watched_[k]]);
    const double change = std::abs(path.last - path.first) + path.bend;
    const double reach = std::max(part * std::max(kMagnitude * size, kChanges * change), change);
    low_[k] = path.last - reach;
    high_[k] = path.last + reach;
    values_[watched_[k]] = {{low_[k], high_[k]}, alone ? Interval{1, 1} : Interval::whole()};
  }
  return evaluate(row, time, parameters).resolved;
}

bool SharpRows::find_box(std::uint32_t number, Interval time, double stop, const Path* paths,
                         const double* parameters) {
  Row& row = rows_[number];
  if (row.wait > 0) {
    --row.wait;
    drop_box(number);
    return false;
  }
  const bool timed = until_[number] != kInfinity;
  std::uint8_t size = row.size > 0 ? row.size - 1 : 0;
  for (std::uint8_t tries = 0; tries < kTries && size <= kSmallestBox; ++tries, ++size) {
    const double part = std::ldexp(1.0, -2 * size);
    const double end = timed ? time.high + part * (stop - time.high) : time.low;
    if (!over_box(row, {time.low, end}, paths, part, parameters)) continue;
    row.size = size;
    if (timed) until_[number] = end;
    return true;
  }
  row.size = std::min(size, kSmallestBox);
  row.wait = kWait;
  drop_box(number);
  return false;
}

}  // namespace runtime
