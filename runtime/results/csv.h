// Results as CSV, written row by row: a header `time,name,…`, or `time [s],name [V],…`, then numbers, in SI
// units, that read back to the same bits.
#pragma once
#include <cstdint>
#include <fstream>
#include <string>

#include "runtime/results/output.h"
#include "runtime/results/output_file.h"
#include "runtime/results/result_file.h"

namespace runtime {

/// A field of a header: quoted when it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

class CsvFile final : public Sink {
 public:
  explicit CsvFile(std::string path) : path_(std::move(path)) {}

  Error begin(const Output& output) override;
  Error row(double time, std::span<const double> values) override;
  Error save(Archive& archive) override;
  Error resume(const Output& output, Archive& archive) override;
  Error finish() override;

  std::uint64_t rows() const { return kept_rows_; }  // stored in the file

 private:
  Error flush();
  void count_kept(std::uint64_t bytes);

  std::string path_;
  OutputFile file_;
  std::string buffer_;      // complete rows only
  std::size_t header_ = 0;  // bytes of it in the buffer
  std::uint64_t rows_ = 0, kept_rows_ = 0;
  double last_time_ = 0, kept_until_ = 0;
  bool failed_ = false;
};

/// Reads what CsvFile writes, and other tables whose first column is `time`.
class CsvReader final : public ResultReader {
 public:
  explicit CsvReader(const std::string& path);
  bool next(Row& row) override;
  bool last(Row& row) override;

 private:
  bool parse(std::string_view text, Row& row);
  bool line();  // the next one that is not empty

  std::ifstream in_;
  std::string text_;
  std::size_t line_ = 1;
};

}  // namespace runtime
