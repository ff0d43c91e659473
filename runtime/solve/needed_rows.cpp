#include "runtime/solve/needed_rows.h"

#include <algorithm>

namespace runtime {

NeededRows::NeededRows(const Model& model, std::span<const Step> dynamic, std::span<const Step> observed,
                       std::vector<std::uint8_t> wanted)
    : model_(model), wanted_(std::move(wanted)) {
  add(observed);
  add(dynamic);
  std::ranges::reverse(parts_);
}

/// From the last step to the first: a row is needed if what it solves is.
void NeededRows::add(std::span<const Step> steps) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->kind == Step::Assign) {
      add_rows(*step);
    } else if (!needed_steps(model_, std::span(&*step, 1), wanted_).empty()) {
      parts_.push_back({*step});
      ++rows_;
    }
  }
}

void NeededRows::add_rows(const Step& step) {
  const KernelBatch& batch = model_.batches[step.index];
  for (std::uint32_t row = batch.count; row-- > 0;) {
    if (!wanted_[solved_variable(model_, batch, row)]) continue;
    ++rows_;
    const bool extends = !parts_.empty() && parts_.back().step.kind == Step::Assign &&
                         parts_.back().step.index == step.index && parts_.back().begin == row + 1;
    if (extends)
      parts_.back().begin = row;
    else
      parts_.push_back({step, row, row + 1});
    each_variable(model_, batch, row, [&](std::uint32_t v) { wanted_[v] = 1; });
  }
}

bool NeededRows::evaluate(Evaluator& evaluator, const Point& point) const {
  for (const Part& part : parts_) {
    const bool whole =
        part.step.kind == Step::Solve || part.end - part.begin == model_.batches[part.step.index].count;
    if (!whole)
      evaluate_rows(model_, model_.batches[part.step.index], point, part.begin, part.end, nullptr);
    else if (!evaluator.run(std::span(&part.step, 1), point))
      return false;
  }
  return true;
}

}  // namespace runtime
