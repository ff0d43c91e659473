#include "runtime/components/row_index.h"

namespace runtime {

RowIndex::RowIndex(const Model& model)
    : model_(model), first_trigger_(static_cast<std::uint32_t>(model.variables + model.parameters.size())) {
  nodes_ = first_trigger_ + model.events.triggers;
  auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  section_of_batch_.assign(model.batches.size(), kNone);
  add({.kind = Kind::State}, count(model.states));
  add(Kind::Dynamic, model.dynamic);
  add(Kind::Compared, model.compared);
  first_crossing_ = size_;
  for (std::uint32_t c = 0; c < model.zero_crossings.size(); ++c) {
    const std::uint32_t batch = model.zero_crossings[c].batch;
    add({.kind = Kind::Crossing, .index = batch, .crossing = c}, model.batches[batch].count);
  }
  crossings_ = size_ - first_crossing_;
  auto add_batches = [&](Kind kind, std::span<const std::uint32_t> batches) {
    std::uint32_t tag = 0;
    for (const std::uint32_t batch : batches) {
      add({.kind = kind, .index = batch, .tag = tag}, model.batches[batch].count);
      tag += model.batches[batch].count;
    }
  };
  add_batches(Kind::Condition, model.events.conditions);
  add_batches(Kind::Value, model.events.values);
  add({.kind = Kind::Previous}, count(model.events.previous));
  add({.kind = Kind::Clock}, count(model.events.clocks));
  add({.kind = Kind::Alternative}, count(model.events.alternatives));
  add({.kind = Kind::Delay}, count(model.delays));
  add(Kind::Asserted, model.asserted);
  add_batches(Kind::Assertion, model.assertions);
  section_of_.resize(size_);
  for (std::uint32_t s = 0; s < sections_.size(); ++s)
    for (std::uint32_t k = 0; k < sections_[s].rows; ++k) section_of_[sections_[s].first + k] = s;
  find_writers();
}

void RowIndex::add(Section section, std::uint32_t rows) {
  if (rows == 0) return;
  section.first = size_;
  section.rows = rows;
  size_ += rows;
  sections_.push_back(section);
}

void RowIndex::add(Kind kind, std::span<const Step> steps) {
  for (const Step& step : steps) {
    const bool loop = step.kind == Step::Solve;
    if (!loop && kind != Kind::Asserted)
      section_of_batch_[step.index] = static_cast<std::uint32_t>(sections_.size());
    add({.kind = kind, .loop = loop, .index = step.index}, loop ? 1 : model_.batches[step.index].count);
  }
}

void RowIndex::find_writers() {
  first_writer_.assign(std::size_t{nodes_} + 2, 0);
  for (std::uint32_t row = 0; row < size_; ++row)
    each_written(row, [&](std::uint32_t node) { ++first_writer_[node + 2]; });
  for (std::size_t k = 2; k < first_writer_.size(); ++k) first_writer_[k] += first_writer_[k - 1];
  writers_.resize(first_writer_.back());
  for (std::uint32_t row = 0; row < size_; ++row)
    each_written(row, [&](std::uint32_t node) { writers_[first_writer_[node + 1]++] = row; });
  first_writer_.pop_back();
}

}  // namespace runtime
