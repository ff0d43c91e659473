#include "runtime/results/trajectory.h"

#include <algorithm>
#include <new>

namespace runtime {

namespace {
constexpr std::size_t kBlockValues = 64 * 1024;
}

Sink::Error Trajectory::begin(const Output& output) {
  names_ = output.names;
  blocks_.clear();
  rows_ = 0;
  block_rows_ = std::max<std::size_t>(1, kBlockValues / (names_.size() + 1));
  return {};
}

Sink::Error Trajectory::row(double time, std::span<const double> values) {
  if (rows_ % block_rows_ == 0) {
    double* block = new (std::nothrow) double[block_rows_ * (columns() + 1)];
    if (!block) return {"memory", "out of memory"};
    blocks_.emplace_back(block);
  }
  double* to = blocks_.back().get() + rows_ % block_rows_ * (columns() + 1);
  *to = time;
  std::copy(values.begin(), values.end(), to + 1);
  ++rows_;
  return {};
}

Sink::Error Trajectory::save(Archive& archive) {
  archive(rows_);
  for (std::size_t r = 0; r < rows_; ++r) {
    const std::span<double> row(blocks_[r / block_rows_].get() + r % block_rows_ * (columns() + 1),
                                columns() + 1);
    archive.fixed(row);
  }
  return {};
}

Sink::Error Trajectory::resume(const Output& output, Archive& archive) {
  begin(output);
  std::size_t rows = 0;
  archive(rows);
  for (std::vector<double> row(columns() + 1); rows_ < rows && archive.fine();) {
    archive.fixed(row);
    if (Error error = this->row(row[0], std::span(row).subspan(1))) return error;
  }
  return {};
}

std::vector<double> Trajectory::times() const {
  std::vector<double> result(rows_);
  for (std::size_t r = 0; r < rows_; ++r) result[r] = time(r);
  return result;
}

std::vector<double> Trajectory::column(std::size_t column) const {
  std::vector<double> result(rows_);
  for (std::size_t r = 0; r < rows_; ++r) result[r] = value(r, column);
  return result;
}

}  // namespace runtime
