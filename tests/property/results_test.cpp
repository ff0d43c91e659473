// Result files: what is written is what is read.
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>

#include "runtime/results/csv.h"
#include "runtime/results/mat.h"
#include "tests/property/property.h"

using namespace runtime;
using property::Choices;

namespace {

std::string temporary(const char* ending) {
  return (std::filesystem::temp_directory_path() / ("sigrel_property_" + std::to_string(getpid()) + ending))
      .string();
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// Simple numbers first; any finite bits, and infinities.
double number(Choices& choices) {
  static constexpr double kSpecial[] = {0,        -0.0,     1,         0.1,     -1e308,
                                        4.9e-324, HUGE_VAL, -HUGE_VAL, 1.0 / 3, 123456789012345678.0};
  const std::uint32_t kind = choices.below(20);
  if (kind < std::size(kSpecial)) return kSpecial[kind];
  std::uint64_t value = 0;
  for (int k = 0; k < 5; ++k) value = value * 27720 + choices.below(27720);
  const double x = std::bit_cast<double>(value * 0x9E3779B97F4A7C15ull);
  return std::isfinite(x) ? x : 0.5;
}

/// Names of one to six pieces; those of result files hold anything but zeros.
std::string name(Choices& choices) {
  static constexpr const char* kPieces[] = {"a", "b", ".", "[1]", ",", "\"", "\n", " ", "der(x)", "ω'"};
  std::string text;
  for (std::uint32_t k = 1 + choices.below(6); k > 0; --k) text += kPieces[choices.below(std::size(kPieces))];
  return text;
}

struct Table {
  Output output;
  std::vector<double> times;
  std::vector<std::vector<double>> rows;
};

/// Columns are variables, negated ones, and the constant zero; several may be of one variable.
Table any_table() {
  Choices choices(*property::decisions());
  Table table;
  const std::uint32_t columns = 1 + choices.below(6), rows = choices.below(8);
  for (std::uint32_t c = 0; c < columns; ++c) {
    const std::uint32_t variable = choices.below(5);
    table.output.columns.push_back({variable == 4 ? kNone : variable, choices.below(3) == 2});
    table.output.names.push_back(name(choices) + std::to_string(c));
  }
  double time = 0;
  for (std::uint32_t r = 0; r < rows; ++r) {
    time += 0.1 * choices.below(4);
    table.times.push_back(time);
    double variables[4];
    for (double& v : variables) v = number(choices);
    std::vector<double> row;
    for (const Column& c : table.output.columns)
      row.push_back(c.variable == kNone ? 0 : c.negated ? -variables[c.variable] : variables[c.variable]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

template <class File>
void write(const std::string& path, const Table& table) {
  File file(path);
  RC_ASSERT(!file.begin(table.output));
  for (std::size_t r = 0; r < table.rows.size(); ++r) RC_ASSERT(!file.row(table.times[r], table.rows[r]));
  RC_ASSERT(!file.finish());
}

/// Names and all rows; the last row by itself.
void check_read(const std::string& path, const Table& table, bool signed_zeros) {
  auto reader = open_results(path);
  RC_ASSERT(!reader->failure());
  RC_ASSERT(reader->names().size() >= table.output.names.size());
  for (std::size_t c = 0; c < table.output.names.size(); ++c)
    RC_ASSERT(reader->names()[c] == table.output.names[c]);
  ResultReader::Row row;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    RC_ASSERT(reader->next(row));
    RC_ASSERT(bits(row.time) == bits(table.times[r]));
    for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
      RC_LOG() << "row " << r << ", column " << c << ": " << row.values[c] << ", written " << table.rows[r][c]
               << "\n";
      if (signed_zeros)
        RC_ASSERT(bits(row.values[c]) == bits(table.rows[r][c]));
      else
        RC_ASSERT(row.values[c] == table.rows[r][c]);
    }
  }
  RC_ASSERT(!reader->next(row));
  RC_ASSERT(!reader->failure());
  RC_ASSERT(open_results(path)->last(row) == !table.rows.empty());
  if (!table.rows.empty()) RC_ASSERT(row.values[0] == table.rows.back()[0]);
}

}  // namespace

TEST_CASE("a CSV file is read as it was written, to the last bit") {
  const std::string path = temporary(".csv");
  property::holds(
      [&] {
        const Table table = any_table();
        write<CsvFile>(path, table);
        check_read(path, table, true);
      },
      {.cases = 150, .size = 100});
  std::filesystem::remove(path);
}

TEST_CASE("a CSV file that is cut at any byte is refused, or gives rows that were written") {
  const std::string path = temporary(".csv");
  property::holds(
      [&] {
        const Table table = any_table();
        write<CsvFile>(path, table);
        Choices choices(*property::decisions());
        const auto size = static_cast<std::uint32_t>(std::filesystem::file_size(path));
        std::filesystem::resize_file(path, choices.below(size));
        const auto reader = open_results(path);
        ResultReader::Row row;
        for (std::size_t r = 0; reader->next(row); ++r) {
          RC_ASSERT(r < table.rows.size());
          RC_ASSERT(bits(row.time) == bits(table.times[r]));
          for (std::size_t c = 0; c < table.rows[r].size(); ++c)
            RC_ASSERT(bits(row.values[c]) == bits(table.rows[r][c]));
        }
      },
      {.cases = 150, .size = 100});
  std::filesystem::remove(path);
}

TEST_CASE("a MATLAB file is read with the numbers that were written") {
  const std::string path = temporary(".mat");
  property::holds(
      [&] {
        Table table = any_table();
        table.output.constants = {{"parameter", "[V]", 47.5}};
        write<MatFile>(path, table);
        check_read(path, table, false);
        auto reader = open_results(path);
        double parameter = 0;
        for (const Constant& c : reader->constants())
          if (c.name == "parameter") parameter = c.value;
        RC_ASSERT(parameter == 47.5);
      },
      {.cases = 150, .size = 100});
  std::filesystem::remove(path);
}
