#include "compiler/order/time_functions.h"

#include <algorithm>
#include <optional>

#include "compiler/order/sharpness.h"

namespace sigrel::order {
namespace {

using runtime::BatchRow;
using runtime::KernelBatch;
using runtime::kNone;
using runtime::Role;

// A zero crossing that reads more than this is watched by the integrator, like one that depends on states.
constexpr std::size_t kMostRows = 1'000;

class Search {
 public:
  explicit Search(plan::Plan& plan) : plan_(plan), model_(plan.model), kind_(model_.variables, Kind::Other) {
    row_of_.resize(model_.variables);
    mark_.assign(model_.variables, kNone);
    enclosed_.resize(plan.kernels.size());
  }

  void mark_constants(const system::System& system, const dae::System& dae) {
    for (std::uint32_t v : model_.constants) kind_[v] = Kind::Constant;
    for (const system::Delay& d : system.delays)
      if (dae.aliases[d.unknown].kind != dae::Alias::Zero)
        kind_[dae.aliases[d.unknown].variable] = Kind::Other;
    for (const runtime::Step& step : model_.invariant) {
      if (step.kind == runtime::Step::Assign) {
        mark_solved(model_.batches[step.index]);
        continue;
      }
      const runtime::AlgebraicLoop& loop = model_.loops[step.index];
      for (const KernelBatch& batch : loop_batches(loop)) mark_solved(batch);
      for (std::uint32_t k = 0; k < loop.unknowns; ++k)
        kind_[model_.tearing_variables[loop.first_unknown + k]] = Kind::Constant;
    }
  }

  void mark_functions_of_time(const std::vector<runtime::Step>& schedule) {
    for (const runtime::Step& step : schedule) {
      if (step.kind != runtime::Step::Assign) continue;
      const KernelBatch& batch = model_.batches[step.index];
      if (!is_enclosed(batch)) continue;
      for (std::uint32_t row = 0; row < batch.count; ++row) {
        const std::uint32_t solved = solved_variable(batch, row);
        if (!depends_on_time_alone(batch, row, solved)) continue;
        kind_[solved] = Kind::OfTime;
        row_of_[solved] = static_cast<std::uint32_t>(rows_.size());
        rows_.push_back({step.index, row});
      }
    }
  }

  void add_functions() {
    for (std::uint32_t c = 0; c < model_.zero_crossings.size(); ++c) {
      const std::uint32_t number = model_.zero_crossings[c].batch;
      const KernelBatch& batch = model_.batches[number];
      if (!is_enclosed(batch)) continue;
      for (std::uint32_t row = 0; row < batch.count; ++row) {
        if (!depends_on_time_alone(batch, row, std::nullopt)) continue;
        const auto needed = needed_rows({number, row});
        if (!needed) continue;
        model_.time_functions.push_back({c, row, static_cast<std::uint32_t>(model_.time_rows.size()),
                                         static_cast<std::uint32_t>(needed->size())});
        for (std::uint32_t k : *needed) model_.time_rows.push_back(rows_[k]);
      }
    }
  }

 private:
  enum class Kind : std::uint8_t { Other, Constant, OfTime };

  std::span<const KernelBatch> loop_batches(const runtime::AlgebraicLoop& loop) const {
    return {model_.batches.data() + loop.first_batch, loop.batches};
  }

  template <class Visit>
  void each_variable(const KernelBatch& batch, std::uint32_t row, const Visit& visit) const {
    const std::uint32_t* table = model_.tables.data() + batch.table;
    if (batch.kernel != kNone) {
      for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
        visit(table[std::uint64_t{slot} * batch.count + row]);
      return;
    }
    const std::uint32_t* terms = table + batch.count + 1 + (batch.role == Role::Solve ? batch.count : 0);
    for (std::uint32_t k = table[row]; k < table[row + 1]; ++k) visit(terms[k] >> 1);
  }

  std::uint32_t solved_variable(const KernelBatch& batch, std::uint32_t row) const {
    const std::uint32_t* table = model_.tables.data() + batch.table;
    if (batch.kernel != kNone) return table[std::uint64_t{batch.solved} * batch.count + row];
    const std::uint32_t* positions = table + batch.count + 1;
    return positions[batch.count + table[row] + positions[row]] >> 1;
  }

  void mark_solved(const KernelBatch& batch) {
    if (batch.role != Role::Solve) return;
    for (std::uint32_t row = 0; row < batch.count; ++row) kind_[solved_variable(batch, row)] = Kind::Constant;
  }

  bool depends_on_time_alone(const KernelBatch& batch, std::uint32_t row,
                             std::optional<std::uint32_t> solved) const {
    bool alone = true;
    each_variable(batch, row,
                  [&](std::uint32_t v) { alone = alone && (v == solved || kind_[v] != Kind::Other); });
    return alone;
  }

  /// Whether all operations of the batch can be evaluated on intervals.
  bool is_enclosed(const KernelBatch& batch) {
    if (batch.kernel == kNone) return batch.role == Role::Solve;
    std::optional<bool>& known = enclosed_[batch.kernel];
    if (!known)
      known = std::ranges::all_of(topological(plan_.exprs, plan_.kernels[batch.kernel].outputs),
                                  [&](ExprId id) { return has_enclosure(plan_.exprs[id].op); });
    return *known;
  }

  /// The rows that compute what a row reads, by number in `rows_`, in order of evaluation.
  std::optional<std::vector<std::uint32_t>> needed_rows(BatchRow of) {
    std::vector<std::uint32_t> result;
    const std::uint32_t stamp = stamp_++;
    auto add = [&](BatchRow at) {
      each_variable(model_.batches[at.batch], at.row, [&](std::uint32_t v) {
        if (kind_[v] != Kind::OfTime || mark_[v] == stamp) return;
        mark_[v] = stamp;
        result.push_back(row_of_[v]);
      });
    };
    add(of);
    for (std::size_t k = 0; k < result.size(); ++k) {
      if (result.size() > kMostRows) return std::nullopt;
      add(rows_[result[k]]);
    }
    std::ranges::sort(result);
    return result;
  }

  plan::Plan& plan_;
  runtime::Model& model_;
  std::vector<Kind> kind_;                     // by variable
  std::vector<BatchRow> rows_;                 // those that compute functions of time, in order of evaluation
  std::vector<std::uint32_t> row_of_;          // by variable: into `rows_`
  std::vector<std::optional<bool>> enclosed_;  // by kernel
  std::vector<std::uint32_t> mark_;            // by variable: the last search that met it
  std::uint32_t stamp_ = 0;
};

}  // namespace

void find_time_functions(const system::System& system, const dae::System& dae, plan::Plan& plan) {
  if (plan.model.zero_crossings.empty()) return;
  Search search(plan);
  search.mark_constants(system, dae);
  search.mark_functions_of_time(plan.model.dynamic);
  search.mark_functions_of_time(plan.model.compared);
  search.add_functions();
}

}  // namespace sigrel::order
