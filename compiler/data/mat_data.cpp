#include "compiler/data/mat_data.h"

#include <fmt/format.h>

#include <cmath>

#include "runtime/results/mat.h"

namespace sigrel::data {
namespace {

/// All columns, read when the file is opened: the file may change later.
class MatData final : public DataFile {
 public:
  MatData(const std::string& path, const std::string& shown, std::uint64_t digest)
      : DataFile(path, shown, digest) {}

  /// A failure of the reader; empty: none.
  std::optional<Problem> read() {
    runtime::MatReader reader(path_);
    headers_.push_back(header("time [s]"));
    headers_.back().whole = "time";
    for (std::size_t k = 0; k < reader.names().size(); ++k) {
      Header h{reader.names()[k], reader.names()[k], {}, {}};
      if (k < reader.descriptions().size()) {
        // Dymola writes `[K|degC]`: values in K, which it shows in degC.
        const Header described = header("x " + reader.descriptions()[k]);
        const std::string unit = described.unit_text.substr(0, described.unit_text.find('|'));
        if (auto scale = read_unit(unit); scale && !unit.empty())
          h.unit_text = unit, h.unit = Unit{unit, *scale};
      }
      headers_.push_back(std::move(h));
    }
    values_.resize(headers_.size());
    runtime::ResultReader::Row row;
    while (reader.next(row)) {
      values_[0].push_back(row.time);
      for (std::size_t k = 0; k < row.values.size(); ++k) values_[k + 1].push_back(row.values[k]);
    }
    if (const auto& failure = reader.failure()) {
      Problem p = problem(Code::DataUnreadable, failure->what);
      if (!failure->note.empty()) p.notes.push_back(failure->note);
      return p;
    }
    if (values_[0].empty()) return problem(Code::DataUnreadable, "has no rows");
    columns_.resize(headers_.size());
    return std::nullopt;
  }

  const Result<std::vector<double>>& numbers(std::uint32_t column) override {
    if (columns_[column]) return *columns_[column];
    std::vector<double> values = std::move(values_[column]);
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (std::isfinite(values[row])) continue;
      columns_[column] = tl::unexpected(problem(
          Code::DataValue,
          fmt::format("has {} in row {} of `{}`", std::isnan(values[row]) ? "a gap" : "no finite number",
                      row + 1, headers_[column].name)));
      return *columns_[column];
    }
    if (const auto& unit = headers_[column].unit)
      for (double& value : values) value = to_si(value, unit->scale);
    columns_[column] = std::move(values);
    return *columns_[column];
  }

  const Result<Grid>& grid() override {
    if (!grid_) grid_ = tl::unexpected(problem(Code::DataUnreadable, "is no grid: grids are read from CSV"));
    return *grid_;
  }

  std::string place(std::size_t row) const override { return fmt::format("row {}", row + 1); }

 private:
  std::vector<std::vector<double>> values_;  // as they are in the file
  std::vector<std::optional<Result<std::vector<double>>>> columns_;
  std::optional<Result<Grid>> grid_;
};

}  // namespace

bool is_mat(const std::string& path) { return runtime::MatReader::is_mat(path); }

Result<std::unique_ptr<DataFile>> open_mat(const std::string& path, const std::string& shown,
                                           std::uint64_t digest) {
  auto file = std::make_unique<MatData>(path, shown, digest);
  if (auto problem = file->read()) return tl::unexpected(*std::move(problem));
  return file;
}

}  // namespace sigrel::data
