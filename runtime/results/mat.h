// Results as MATLAB v4, in the layout that Dymola and OpenModelica write and that their tools read
// ("binTrans").
//
// A file is a sequence of matrices; each is five 32-bit integers (type, rows, columns, imaginary part, length
// of the name), the name with its zero, and the elements column by column. The types here: 0 double, 20
// int32, 51 text. The matrices:
//
//   Aclass       "Atrajectory", "1.1", "", "binTrans": 4 rows of 11 characters
//   name         a column of text for each variable; the first is "time"
//   description  likewise: a text, with the unit in brackets at its end
//   dataInfo     a column of four for each: 0 time, 1 in data_1, 2 in data_2; the row there, counted from 1,
//                negative for the negative of it; 0 for linear interpolation; -1 for no values outside the
//                time range (0 for constants)
//   data_1       constants: a row for the time and one for each, a column for the start and one for the stop
//   data_2       a row for the time and one for each variable that is not an alias of another one; a column
//                for each output time
//
// The last matrix grows while it is written: its number of columns is updated with each block, so that the
// file can be read at any moment. Definition: MATLAB Level 4 MAT-file format; the matrices as in
// OpenModelica's user's guide, "Technical Details".
#pragma once
#include <cstdint>
#include <fstream>
#include <string>

#include "runtime/results/output.h"
#include "runtime/results/output_file.h"
#include "runtime/results/result_file.h"

namespace runtime {

class MatFile final : public Sink {
 public:
  explicit MatFile(std::string path) : path_(std::move(path)) {}

  Error begin(const Output& output) override;
  Error row(double time, std::span<const double> values) override;
  Error save(Archive& archive) override;
  Error resume(const Output& output, Archive& archive) override;
  Error finish() override;

 private:
  bool patch_end(std::uint64_t rows, double until);
  Error flush();
  Error fail();

  std::string path_;
  OutputFile file_;
  std::string buffer_;                        // complete rows only
  std::vector<std::uint32_t> stored_;         // which columns are rows of data_2, in their order
  std::uint64_t stop_at_ = 0, count_at_ = 0;  // offsets: of the stop in data_1, of the columns of data_2
  std::uint64_t rows_ = 0, kept_rows_ = 0;
  double kept_until_ = 0;
  bool failed_ = false;
};

/// Reads such a file, also one by Dymola or OpenModelica, in double or single precision.
class MatReader final : public ResultReader {
 public:
  static bool is_mat(const std::string& path);
  explicit MatReader(const std::string& path);
  bool next(Row& row) override;
  bool last(Row& row) override;

 private:
  struct Matrix {
    std::uint32_t type = 0, rows = 0, columns = 0;
    std::uint64_t begin = 0;        // of its elements
    std::uint32_t element() const;  // bytes; 0: a type that is not read here
  };
  void read();
  std::optional<Matrix> header(std::string& name);
  bool texts(const Matrix& m, std::vector<std::string>& out);
  bool numbers(const Matrix& m, std::uint64_t first, std::uint64_t count, std::vector<double>& out);

  std::ifstream in_;
  std::uint64_t size_ = 0;
  Matrix data_;
  // Per name: the row of data_2 from 1 on, negative for the negative, 0 for a constant; and the constant.
  std::vector<std::int32_t> where_;
  std::vector<double> fixed_;
  std::vector<double> column_;
  std::uint32_t at_ = 0;
};

}  // namespace runtime
