// Passes the result rows of a simulation to its sinks.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/results/output.h"

namespace runtime {

class Recorder {
 public:
  /// `output` outlives the recorder.
  explicit Recorder(const Output& output) : output_(output), row_(output.columns.size()) {}
  virtual ~Recorder() = default;

  // False: a sink failed (`error()`).
  bool begin();
  /// Selects the columns from `values`, which has one entry for each variable of the model.
  virtual bool row(double time, const std::vector<double>& values);
  bool finish();

  std::uint64_t rows() const { return rows_; }
  double seconds() const { return seconds_; }  // spent in rows and the end
  /// Of the first sink that failed.
  const Sink::Error& error() const { return error_; }

 private:
  const Output& output_;
  std::vector<double> row_;
  std::uint64_t rows_ = 0;
  double seconds_ = 0;
  Sink::Error error_;
};

}  // namespace runtime
