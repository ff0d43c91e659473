// The table of a sweep: CSV with a row for each point: its parameters, the last, least and greatest value of
// each column, and the error of a point that failed. In a file each row also has the fingerprint of the sweep
// that made it, so that no other sweep continues the table.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/driver/fingerprint.h"
#include "compiler/session/sweep.h"
#include "runtime/results/output_file.h"

namespace sigrel::driver {

class SweepTable {
 public:
  /// An empty path: standard output. The grid outlives the table.
  SweepTable(const std::string& path, const session::SweepGrid& grid, const pipeline::Columns& columns,
             const Fingerprint& fingerprint);

  /// Creates the table.
  bool create();
  /// Continues the table behind its last complete row. False after an error that is in `diagnostics`, or in
  /// `error()`.
  bool resume(Diagnostics& diagnostics);
  bool add(const session::SweepRow& row);
  bool close() { return file_.close(); }

  std::uint64_t points() const { return points_; }  // in the table
  std::uint64_t failed() const { return failed_; }  // of them
  const std::string& error() const { return file_.error(); }

 private:
  bool read(std::uint64_t& bytes, Diagnostics& diagnostics);

  std::string path_;
  const session::SweepGrid& grid_;
  std::size_t columns_;
  std::string fingerprint_;  // empty on standard output
  std::string header_;
  runtime::OutputFile file_;
  std::uint64_t points_ = 0, failed_ = 0;
};

}  // namespace sigrel::driver
