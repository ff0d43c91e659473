#include "runtime/integrate/sharp_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/integrate/vector_kernels.h"
#include "runtime/solve/schedule.h"

namespace runtime {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The largest box extends from a value by this multiple of its change in the step, or of its magnitude or
// nominal value.
constexpr double kChanges = 16, kMagnitude = 0.5;
constexpr std::uint8_t kSmallestBox = 12, kTries = 3, kWait = 8;
// Where a larger box was not resolved the next ones are of the same size.
constexpr std::uint8_t kSteady = 4;

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
      const bool all = batch.kernel != kNone && model.sharpness[batch.kernel].curved;
      for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row)
        curved[solved_variable(model, batch, row)] = all || is_curved(model, batch, row, curved);
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
  const auto unread = static_cast<std::uint32_t>(variables_.size());
  for (const Group& group : groups_)
    std::ranges::replace(std::span(tables_).subspan(group.table, std::uint64_t{group.slots} * group.count),
                         kNone, unread);
  ranges_.assign(watched_.size(), {kInfinity, -kInfinity});
  until_.assign(rows_.size(), kInfinity);
  values_.assign(variables_.size() + 1, {Interval::whole(), Interval::whole()});
  for (const std::uint32_t variable : variables_) nominal_.push_back(nominal[variable]);
  for (const std::uint32_t row : timed_) until_[row] = -kInfinity;
  find_readers();
}

void SharpRows::find_readers() {
  low_.assign(variables_.size(), kInfinity);
  high_.assign(variables_.size(), -kInfinity);
  first_reader_.assign(variables_.size() + 1, 0);
  readers_.resize(watched_.size());
  std::vector<std::uint8_t> turns(variables_.size(), 0);
  for (const std::uint32_t v : watched_) ++first_reader_[v];
  std::inclusive_scan(first_reader_.begin(), first_reader_.end(), first_reader_.begin());
  for (auto row = static_cast<std::uint32_t>(rows_.size()); row-- > 0;)
    for (std::uint32_t k = rows_[row].end_watch; k-- > rows_[row].first_watch;) {
      readers_[--first_reader_[watched_[k]]] = {row, k};
      turns[watched_[k]] |= static_cast<std::uint8_t>(rows_[row].turning);
    }
  for (std::uint32_t v = 0; v < variables_.size(); ++v)
    if (turns[v]) turning_.push_back(v);
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
  found.reserve(batch.count);
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
  std::uint64_t place = tables_.size();
  tables_.resize(place + std::uint64_t{batch.slots + batch.params} * found.size(), kNone);
  for (std::uint32_t column = 0; column < batch.slots + batch.params; ++column) {
    const bool is_slot = column < batch.slots;
    if (is_slot && !std::ranges::binary_search(sharpness.slots, column)) {
      place += found.size();
      continue;
    }
    for (const std::uint32_t row : found) {
      std::uint32_t entry = slot_variable(model, batch, column, row);
      if (is_slot) {
        std::uint32_t& own = number[entry];
        if (own == kNone) {
          own = static_cast<std::uint32_t>(variables_.size());
          variables_.push_back(entry);
        }
        entry = own;
      }
      tables_[place++] = entry;
    }
  }
  for (std::uint32_t k = 0; k < found.size(); ++k) {
    const auto first = static_cast<std::uint32_t>(watched_.size());
    for (const std::uint32_t slot : sharpness.slots)
      watched_.push_back(tables_[groups_[group].table + std::uint64_t{slot} * found.size() + k]);
    const bool turning = std::ranges::any_of(sharpness.slots, [&](std::uint32_t slot) {
      return curved[slot_variable(model, batch, slot, found[k])] != 0;
    });
    if (sharpness.reads_time) timed_.push_back(static_cast<std::uint32_t>(rows_.size()));
    if (turning) turning_rows_.push_back(static_cast<std::uint32_t>(rows_.size()));
    rows_.push_back({.group = group,
                     .row = k,
                     .first_watch = first,
                     .end_watch = static_cast<std::uint32_t>(watched_.size()),
                     .turning = turning});
  }
}

void SharpRows::drop_box(std::uint32_t number) {
  const Row& row = rows_[number];
  for (std::uint32_t k = row.first_watch; k < row.end_watch; ++k) {
    ranges_[k] = {kInfinity, -kInfinity};
    low_[watched_[k]] = kInfinity;
    high_[watched_[k]] = -kInfinity;
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

/// Collects the readers of a variable in whose boxes it is not; those that watch something that turns, where
/// it is not with a margin.
void SharpRows::collect_outside(std::uint32_t variable, double value, double margin,
                                std::vector<std::uint32_t>& rows) {
  left_.push_back(variable);
  for (const Reader& reader : readers(variable))
    if (!ranges_[reader.watch].contains(value, rows_[reader.row].turning ? margin : 0))
      rows.push_back(reader.row);
}

void SharpRows::collect_outside(double time, const double* now, std::vector<std::uint32_t>& rows) {
  constexpr std::size_t kBlock = 64;
  left_.clear();
  for (std::size_t begin = 0; begin < variables_.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, variables_.size());
    if (vector_kernels::all_within(static_cast<vector_kernels::Index>(end - begin), now + begin, &low_[begin],
                                   &high_[begin]))
      continue;
    for (std::size_t v = begin; v < end; ++v)
      if (!(low_[v] <= now[v] && now[v] <= high_[v]))
        collect_outside(static_cast<std::uint32_t>(v), now[v], 0, rows);
  }
  for (const std::uint32_t timed : timed_)
    if (!(time <= until_[timed])) rows.push_back(timed);
}

void SharpRows::find_common_parts() {
  for (const std::uint32_t v : left_) {
    Range common;
    for (const Reader& reader : readers(v)) {
      common.low = std::max(common.low, ranges_[reader.watch].low);
      common.high = std::min(common.high, ranges_[reader.watch].high);
    }
    low_[v] = common.low;
    high_[v] = common.high;
  }
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
  bool rests = until_[number] == kInfinity;  // time does not matter
  each_variable(number, [&](std::uint32_t variable) {
    const Path& path = paths[variable];
    rests = rests && path.first == path.last && path.bend == 0;
    const auto [low, high] = std::minmax(path.first, path.last);
    const double slope = (path.last - path.first) / time.width(), turn = 4 * path.bend / time.width();
    values_[variable] = std::isfinite(low + high + path.bend)
                            ? Enclosure{{low - path.bend, high + path.bend}, {slope - turn, slope + turn}}
                            : Enclosure{Interval::whole(), Interval::whole()};
  });
  if (rests) return {.resolved = true};
  return evaluate(row, time, parameters);
}

/// Over all values within `part` of the largest distance from the last one, and those on the path. Where one
/// value alone varies, or the time, slopes are those by it; else they are unknown.
bool SharpRows::over_box(const Row& row, Interval time, const Path* paths, double part,
                         const double* parameters) {
  const bool alone = row.end_watch - row.first_watch + (time.is_point() ? 0 : 1) == 1;
  for (std::uint32_t k = row.first_watch; k < row.end_watch; ++k) {
    const Path& path = paths[watched_[k]];
    const double size = std::max(std::abs(path.last), nominal_[watched_[k]]);
    const double change = std::abs(path.last - path.first) + path.bend;
    const double reach = std::max(part * std::max(kMagnitude * size, kChanges * change), change);
    ranges_[k] = {path.last - reach, path.last + reach};
    values_[watched_[k]] = {{ranges_[k].low, ranges_[k].high}, alone ? Interval{1, 1} : Interval::whole()};
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
  if (row.size == kNoBox) row.size = groups_[row.group].size;
  const bool larger = row.size > 0 && row.steady == 0;
  std::uint8_t size = larger ? row.size - 1 : row.size;
  for (std::uint8_t tries = 0; tries < kTries && size <= kSmallestBox; ++tries, ++size) {
    const double part = 1.0 / static_cast<double>(std::uint64_t{1} << 2 * size);
    const double end = timed ? time.high + part * (stop - time.high) : time.low;
    if (!over_box(row, {time.low, end}, paths, part, parameters)) continue;
    if (row.steady > 0)
      --row.steady;
    else if (larger && size >= row.size)
      row.steady = kSteady;
    row.size = groups_[row.group].size = size;
    if (timed) until_[number] = end;
    for (std::uint32_t k = row.first_watch; k < row.end_watch; ++k) {
      const std::uint32_t v = watched_[k];
      low_[v] = std::max(low_[v], ranges_[k].low);
      high_[v] = std::min(high_[v], ranges_[k].high);
    }
    return true;
  }
  row.size = std::min(size, kSmallestBox);
  row.wait = kWait;
  drop_box(number);
  return false;
}

}  // namespace runtime
