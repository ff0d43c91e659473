#include "compiler/explain/feedback.h"

#include <algorithm>

namespace sigrel::explain {

using runtime::KernelBatch;
using runtime::RowIndex;

Feedback::Feedback(const RowIndex& rows, std::uint32_t crossing)
    : rows_(rows), reached_(rows.nodes(), false) {
  std::vector<bool> visited(rows.size(), false);
  for (const RowIndex::Section& section : rows.sections()) {
    if (section.kind != RowIndex::Kind::Crossing || section.rows == 0) continue;
    const std::uint32_t first = rows.crossing_number(section.first);
    if (crossing < first || crossing >= first + section.rows) continue;
    const std::uint32_t row = section.first + (crossing - first);
    rows.each_written(row, [&](std::uint32_t node) { held_.push_back(node); });
    rows.each_read(row, [&](std::uint32_t node) { reach(node); });
    visited[row] = true;
  }
  for (std::size_t k = 0; k < queue_.size(); ++k)
    for (const std::uint32_t row : rows.writers(queue_[k])) {
      if (visited[row]) continue;
      visited[row] = true;
      if (!driver_) look_for_driver(row);
      rows.each_read(row, [&](std::uint32_t node) { reach(node); });
    }
}

void Feedback::reach(std::uint32_t node) {
  if (reached_[node]) return;
  reached_[node] = true;
  queue_.push_back(node);
}

void Feedback::look_for_driver(std::uint32_t row) {
  const RowIndex::Section& section = rows_.section_of(row);
  if (section.kind != RowIndex::Kind::Dynamic && section.kind != RowIndex::Kind::Compared) return;
  const runtime::Model& model = rows_.model();
  if (!section.loop) return look_for_driver(rows_.batch_of(section), row - section.first);
  for (const KernelBatch& batch : runtime::loop_batches(model, model.loops[section.index]))
    for (std::uint32_t k = 0; k < batch.count; ++k) look_for_driver(batch, k);
}

void Feedback::look_for_driver(const KernelBatch& batch, std::uint32_t row) {
  if (batch.kernel == runtime::kNone || driver_) return;
  const runtime::Model& model = rows_.model();
  for (std::uint32_t k = 0; k < batch.params; ++k) {
    const std::uint32_t parameter = runtime::slot_variable(model, batch, batch.slots + k, row);
    if (std::ranges::find(held_, rows_.parameter_node(parameter)) == held_.end()) continue;
    driver_ = model.equations[batch.equations + row];
    return;
  }
}

Drivers find_drivers(const runtime::Model& model, const runtime::Failure& failure) {
  const RowIndex rows(model);
  Drivers drivers;
  for (const runtime::FailedEquation& crossing : failure.equations) {
    const Feedback feedback(rows, crossing.equation);
    for (const std::uint32_t t : failure.triggers)
      if (feedback.depends_on(t) && std::ranges::find(drivers.triggers, t) == drivers.triggers.end())
        drivers.triggers.push_back(t);
    if (feedback.driver()) drivers.equations.push_back(*feedback.driver());
  }
  return drivers;
}

}  // namespace sigrel::explain
