// Result files of any format: `.mat` is MATLAB v4 in the layout of Dymola and OpenModelica, anything else
// CSV.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/results/output.h"

namespace runtime {

/// Why there is no result file of this name: an ending of another format. Empty: there is one. Names without
/// an ending are CSV.
std::string no_result_file(const std::string& path);
/// A sink that writes the result file of a simulation.
std::unique_ptr<Sink> make_result_file(const std::string& path);

/// The results of an earlier simulation, row by row.
class ResultReader {
 public:
  struct Row {
    double time = 0;
    std::vector<double> values;  // one per name
  };
  struct Failure {
    std::string what, note;  // predicate of "`out.csv` …"; empty if there is no note
  };

  virtual ~ResultReader() = default;
  const std::vector<std::string>& names() const { return names_; }
  /// One per name, or none at all: "[V]", "Bool".
  const std::vector<std::string>& descriptions() const { return descriptions_; }
  const std::vector<Constant>& constants() const { return constants_; }

  /// False at the end, or after a failure.
  virtual bool next(Row& row) = 0;
  /// The last row, without reading the others. False when there is none, or after a failure.
  virtual bool last(Row& row) = 0;
  const std::optional<Failure>& failure() const { return failure_; }

 protected:
  void refuse(std::string what, std::string note = {}) {
    failure_ = Failure{std::move(what), std::move(note)};
  }

  std::vector<std::string> names_, descriptions_;
  std::vector<Constant> constants_;

 private:
  std::optional<Failure> failure_;
};

/// Never null: a file that cannot be read has a failure. The format is determined by the first bytes.
std::unique_ptr<ResultReader> open_results(const std::string& path);

}  // namespace runtime
