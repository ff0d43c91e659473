#include "compiler/data/csv_data.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

namespace sigrel::data {
namespace {

/// One line after the other, without those that are blank or a comment.
struct Lines {
  std::string_view rest;
  std::size_t number = 0;  // of the last one

  bool next(std::string_view& line) {
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      ++number;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.starts_with('#') && line.find_first_not_of(" \t") != std::string_view::npos) return true;
    }
    return false;
  }
};

/// The next field of a line, without quotes and blanks around it. `scratch` holds one with quotes inside.
/// False behind the last one.
bool next_field(std::string_view& line, bool& more, char separator, std::string_view& field,
                std::string& scratch) {
  if (!more) return false;
  std::size_t begin = line.find_first_not_of(' ');
  if (begin != std::string_view::npos && line[begin] == '"') {
    std::size_t at = begin + 1;
    bool doubled = false;
    for (; at < line.size(); ++at) {
      if (line[at] != '"') continue;
      if (at + 1 == line.size() || line[at + 1] != '"') break;
      doubled = true;
      ++at;
    }
    field = line.substr(begin + 1, std::min(at, line.size()) - begin - 1);
    if (doubled) {
      scratch.clear();
      for (std::size_t k = 0; k < field.size(); ++k) {
        scratch += field[k];
        if (field[k] == '"') ++k;
      }
      field = scratch;
    }
    const std::size_t end = line.find(separator, std::min(at, line.size()));
    more = end != std::string_view::npos;
    line.remove_prefix(more ? end + 1 : line.size());
    return true;
  }
  const std::size_t end = line.find(separator);
  field = line.substr(0, end);
  more = end != std::string_view::npos;
  line.remove_prefix(more ? end + 1 : line.size());
  while (field.starts_with(' ') || field.starts_with('\t')) field.remove_prefix(1);
  while (field.ends_with(' ') || field.ends_with('\t')) field.remove_suffix(1);
  return true;
}

/// Nullopt if it is no finite number.
std::optional<double> number(std::string_view field) {
  if (field.starts_with('+') && field.size() > 1 && field[1] != '-') field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (end != field.data() + field.size() || field.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {  // too large, or so small that it is zero
    value = std::strtod(std::string(field).c_str(), nullptr);
    return std::abs(value) < 1 ? std::optional(value) : std::nullopt;
  }
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// The separator that the first line shows.
char separator_of(std::string_view line) {
  bool quoted = false;
  bool semicolon = false, tab = false;
  for (char c : line) {
    if (c == '"') quoted = !quoted;
    semicolon |= !quoted && c == ';';
    tab |= !quoted && c == '\t';
  }
  return semicolon ? ';' : tab ? '\t' : ',';
}

class CsvData final : public DataFile {
 public:
  CsvData(const std::string& path, const std::string& shown, std::uint64_t digest, std::string text)
      : DataFile(path, shown, digest), text_(std::move(text)) {
    body_ = {text_};
    body_.next(first_);
    separator_ = separator_of(first_);
    bool numbers = true;
    for_each_field(first_, [&](std::string_view field) {
      numbers = numbers && number(field);
      headers_.push_back(header(std::string(field)));
    });
    if (!numbers) return;
    no_names_ = problem(Code::DataUnreadable, "has no names of columns");
    no_names_->notes.push_back(fmt::format("its line {} consists of numbers", body_.number));
    no_names_->helps.emplace_back(
        "give it a first line with a name for each column, and its unit: `t [s],speed [km/h]`");
  }

  const Result<std::vector<double>>& numbers(std::uint32_t column) override {
    auto [at, fresh] = columns_.try_emplace(column);
    if (fresh) at->second = read_column(column);
    return at->second;
  }

  const Result<Grid>& grid() override {
    if (!grid_) grid_ = read_grid();
    return *grid_;
  }

  std::string place(std::size_t row) const override {
    Lines lines = body_;
    std::string_view line;
    for (std::size_t k = 0; k <= row; ++k) lines.next(line);
    return fmt::format("line {}", lines.number);
  }

 private:
  template <class F>
  void for_each_field(std::string_view line, F f) const {
    std::string scratch;
    std::string_view field;
    bool more = true;
    while (next_field(line, more, separator_, field, scratch)) f(field);
  }

  std::string_view separator_name() const {
    return separator_ == ';' ? "semicolon" : separator_ == '\t' ? "tab" : "comma";
  }

  /// Not in the text of the file, as far as the line is concerned: which field is none.
  Problem no_number(std::size_t line, std::size_t column, const std::string& name,
                    std::string_view field) const {
    Problem p =
        problem(Code::DataValue,
                fmt::format("has {} in line {}, column {}{}", field.empty() ? "a gap" : "no finite number",
                            line, column + 1, name.empty() ? "" : fmt::format(" (`{}`)", name)));
    if (field.empty()) {
      p.helps.emplace_back("remove the line, or fill in the number: nothing is interpolated over a gap");
      return p;
    }
    p.notes.push_back(fmt::format("it says `{}` there", field.substr(0, 40)));
    const bool comma = separator_ != ',' && field.find(',') != std::string_view::npos;
    if (comma && field.find_first_not_of("+-0123456789,eE") == std::string_view::npos)
      p.helps.emplace_back("numbers have a decimal point: replace the commas of the file by points");
    return p;
  }

  Problem wrong_count(std::size_t line, std::size_t found, std::size_t expected) const {
    Problem p = problem(Code::DataValue, fmt::format("has {} field{} in line {}, and {} in its first line",
                                                     found, found == 1 ? "" : "s", line, expected));
    p.notes.push_back(
        fmt::format("its fields are separated by a {}, as the first line shows", separator_name()));
    if (separator_ == ',' && found == 2 * expected)
      p.helps.emplace_back("numbers have a decimal point: commas separate the fields");
    return p;
  }

  Result<std::vector<double>> read_column(std::uint32_t column) const {
    std::vector<double> values;
    const Unit* unit = headers_[column].unit ? &*headers_[column].unit : nullptr;
    Lines lines = body_;
    std::string scratch;
    for (std::string_view line; lines.next(line);) {
      std::string_view rest = line, field, wanted;
      std::string kept;
      bool more = true;
      std::size_t count = 0;
      while (next_field(rest, more, separator_, field, scratch)) {
        if (count++ != column) continue;
        wanted = field;
        if (field.data() == scratch.data()) wanted = kept = scratch;
      }
      if (count != headers_.size()) return tl::unexpected(wrong_count(lines.number, count, headers_.size()));
      const auto value = number(wanted);
      if (!value) return tl::unexpected(no_number(lines.number, column, headers_[column].name, wanted));
      values.push_back(unit ? to_si(*value, unit->scale) : *value);
    }
    if (!values.empty()) return values;
    return tl::unexpected(problem(Code::DataUnreadable, "has names of columns, and no numbers"));
  }

  /// The units in the first field of a grid.
  Result<std::vector<Unit>> grid_units(std::string_view corner) const {
    std::vector<Unit> units;
    for (std::size_t open; (open = corner.find('[')) != std::string_view::npos;) {
      const std::size_t end = corner.find(']', open);
      if (end == std::string_view::npos) break;
      const std::string text(corner.substr(open + 1, end - open - 1));
      auto scale = read_unit(text);
      if (!scale)
        return tl::unexpected(
            problem(Code::DataUnit, fmt::format("has `[{}]` in its first field, which is not a unit", text)));
      units.push_back({text, *scale});
      corner.remove_prefix(end + 1);
    }
    if (units.empty() || units.size() == 3) return units;
    Problem p = problem(Code::DataUnit, fmt::format("has {} unit{} in its first field", units.size(),
                                                    units.size() == 1 ? "" : "s"));
    p.helps.emplace_back(
        "there are three, of the first column, the first row and the values, as in `speed [rpm] torque [N*m] "
        "loss [W]`, "
        "or none");
    return tl::unexpected(std::move(p));
  }

  Result<Grid> read_grid() const {
    Grid grid;
    std::vector<Unit> units;
    std::optional<Problem> wrong;
    std::size_t count = 0;
    const std::size_t first_line = body_.number;
    auto take = [&](std::string_view field, std::size_t line, const Unit* unit, std::vector<double>& to) {
      const auto value = number(field);
      if (!value && !wrong) wrong = no_number(line, count, {}, field);
      to.push_back(!value ? 0.0 : unit ? to_si(*value, unit->scale) : *value);
    };
    for_each_field(first_, [&](std::string_view field) {
      if (count == 0) {
        auto found = grid_units(field);
        if (found)
          units = *std::move(found);
        else
          wrong = found.error();
      } else {
        take(field, first_line, units.empty() ? nullptr : &units[1], grid.y);
      }
      ++count;
    });
    const std::size_t expected = count;
    Lines lines = body_;
    for (std::string_view line; !wrong && lines.next(line);) {
      count = 0;
      for_each_field(line, [&](std::string_view field) {
        const Unit* unit = units.empty() ? nullptr : &units[count == 0 ? 0 : 2];
        take(field, lines.number, unit, count == 0 ? grid.x : grid.values);
        ++count;
      });
      if (!wrong && count != expected) wrong = wrong_count(lines.number, count, expected);
      if (!wrong && grid.x.size() > 1 && !(grid.x.end()[-2] < grid.x.back()))
        wrong = problem(Code::TableOrder,
                        fmt::format("does not ascend in its first column: {} comes after {} in line {}",
                                    grid.x.back(), grid.x.end()[-2], lines.number));
    }
    for (std::size_t j = 1; !wrong && j < grid.y.size(); ++j)
      if (!(grid.y[j - 1] < grid.y[j]))
        wrong = problem(Code::TableOrder,
                        fmt::format("does not ascend in its first line: {} comes after {} in column {}",
                                    grid.y[j], grid.y[j - 1], j + 2));
    if (!wrong && (grid.x.size() < 2 || grid.y.size() < 2)) {
      wrong = problem(
          Code::TableSize,
          fmt::format("is a grid of {} row{} and {} column{} of values: a table has at least two of both",
                      grid.x.size(), grid.x.size() == 1 ? "" : "s", grid.y.size(),
                      grid.y.size() == 1 ? "" : "s"));
      wrong->notes.emplace_back(
          "its first line has the values of the second argument, from the second field on");
    }
    if (wrong) return tl::unexpected(std::move(*wrong));
    if (!units.empty()) grid.x_unit = units[0], grid.y_unit = units[1], grid.unit = units[2];
    return grid;
  }

  std::string text_;
  std::string_view first_;
  Lines body_;  // behind the first line
  char separator_ = ',';
  std::unordered_map<std::uint32_t, Result<std::vector<double>>> columns_;
  std::optional<Result<Grid>> grid_;
};

}  // namespace

std::unique_ptr<DataFile> open_csv(const std::string& path, const std::string& shown, std::uint64_t digest,
                                   std::string text) {
  return std::make_unique<CsvData>(path, shown, digest, std::move(text));
}

}  // namespace sigrel::data
