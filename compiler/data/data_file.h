// A data file that a model names: columns of numbers with names, or a grid of numbers. What is read stays as
// it is for as long as the object lives, whatever happens to the file.
//
// CSV: the first line has the names of the columns, each with a unit in brackets behind it, or without one:
// `t [s],speed [km/h],gear`. Commas, semicolons or tabs separate the fields, as the first line shows; fields
// may be quoted, lines may end with CR LF, and the file may begin with a byte order mark. Empty lines and
// those that begin with `#` are skipped. MAT: results in the layout of Dymola (runtime/results/mat.h), with
// `time`.
//
// Numbers are converted to SI units. A field that is not read may hold anything; one that is read and is no
// finite number is a problem, with its line and column.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/base/units.h"
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::data {

/// Why something of a file cannot be used. The reader of a source reports it where the source names it.
struct Problem {
  Code code;
  std::string message;
  std::vector<std::string> notes = {}, helps = {};
  std::string meant = {};  // the name that may have been meant; else empty
};
template <class T>
using Result = tl::expected<T, Problem>;

/// A unit of a header, as it is written there.
struct Unit {
  std::string text;
  UnitScale scale;
};

/// Rows for the first argument, columns for the second: `values[i * y.size() + j]` belongs to x[i], y[j].
struct Grid {
  std::vector<double> x, y, values;
  /// Of x, y and the values, if the first field of the file has three units in brackets.
  std::optional<Unit> x_unit, y_unit, unit;
};

class DataFile {
 public:
  virtual ~DataFile() = default;
  DataFile(const DataFile&) = delete;

  /// The number of a column. A name is that before the unit, or all of the field.
  Result<std::uint32_t> find(std::string_view name) const;
  /// Null if the header has none; a problem if it is none that is known.
  Result<const Unit*> unit(std::uint32_t column) const;
  /// The numbers of a column, in SI units.
  virtual const Result<std::vector<double>>& numbers(std::uint32_t column) = 0;
  /// Why the numbers of a column cannot be read; nullopt: they can.
  std::optional<Problem> number_problem(std::uint32_t column);
  /// The same, also where they are not the arguments of a table: they ascend, and at most two are equal, at a
  /// jump.
  std::optional<Problem> order_problem(std::uint32_t column);
  virtual const Result<Grid>& grid() = 0;
  /// "line 12" of the number in this row of a column.
  virtual std::string place(std::size_t row) const = 0;

  const std::string& path() const { return path_; }  // as it was opened
  /// FNV-1a of the bytes.
  std::uint64_t digest() const { return digest_; }

 protected:
  struct Header {
    std::string whole, name;  // `speed [km/h]`, `speed`
    std::string unit_text;    // `km/h`; empty if there is none
    std::optional<Unit> unit{};
  };
  DataFile(std::string path, std::string shown, std::uint64_t digest)
      : path_(std::move(path)), shown_(std::move(shown)), digest_(digest) {}
  static Header header(std::string text);
  Problem problem(Code code, std::string what) const;  // "`cycle.csv` " + what

  std::vector<Header> headers_;
  std::optional<Problem> no_names_;  // why there are no headers
  std::string path_, shown_;

 private:
  std::uint64_t digest_;
};

/// `shown`: the file in messages, as the model names it.
Result<std::unique_ptr<DataFile>> open_data(const std::string& path, const std::string& shown);

}  // namespace sigrel::data
