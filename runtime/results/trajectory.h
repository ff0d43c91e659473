// A trajectory in memory: rows of time and values, in blocks, so that growth never copies.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/results/output.h"

namespace runtime {

class Trajectory final : public Sink {
 public:
  Error begin(const Output& output) override;
  Error row(double time, std::span<const double> values) override;
  Error save(Archive& archive) override;
  Error resume(const Output& output, Archive& archive) override;
  Error finish() override { return {}; }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  double time(std::size_t row) const { return at(row)[0]; }
  std::span<const double> values(std::size_t row) const { return {at(row) + 1, columns()}; }
  double value(std::size_t row, std::size_t column) const { return at(row)[column + 1]; }

  /// One column over all rows, for plots.
  std::vector<double> times() const;
  std::vector<double> column(std::size_t column) const;

 private:
  const double* at(std::size_t row) const {
    return blocks_[row / block_rows_].get() + row % block_rows_ * (columns() + 1);
  }

  std::vector<std::string> names_;
  std::vector<std::unique_ptr<double[]>> blocks_;
  std::size_t block_rows_ = 1, rows_ = 0;
};

}  // namespace runtime
