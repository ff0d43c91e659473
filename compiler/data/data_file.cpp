#include "compiler/data/data_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/read_file.h"
#include "compiler/data/csv_data.h"
#include "compiler/data/mat_data.h"

namespace sigrel::data {
namespace {

/// FNV-1a, 64 bits (Fowler, Noll, Vo; RFC 9923).
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xCBF29CE484222325ull;
  for (char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

constexpr std::size_t kShown = 8;  // names of columns in a message

}  // namespace

/// `speed [km/h]` and `speed[km/h]` have a unit; `x[1]` and `x[1,2]` are elements of vectors.
DataFile::Header DataFile::header(std::string text) {
  Header header{std::string(trimmed(text)), {}, {}};
  header.name = header.whole;
  const std::size_t open = header.whole.rfind('[');
  if (!header.whole.ends_with(']') || open == std::string::npos || open == 0) return header;
  const std::string_view inside =
      trimmed(std::string_view(header.whole).substr(open + 1, header.whole.size() - open - 2));
  const bool apart = header.whole[open - 1] == ' ' || header.whole[open - 1] == '\t';
  if (inside.empty() || (!apart && inside.find_first_not_of("0123456789,") == std::string_view::npos))
    return header;
  header.unit_text = inside;
  header.name = trimmed(std::string_view(header.whole).substr(0, open));
  if (auto scale = read_unit(inside)) header.unit = Unit{header.unit_text, *scale};
  return header;
}

Problem DataFile::problem(Code code, std::string what) const {
  return {code, fmt::format("`{}` {}", shown_, what)};
}

Result<std::uint32_t> DataFile::find(std::string_view name) const {
  if (no_names_) return tl::unexpected(*no_names_);
  std::vector<std::uint32_t> found;
  for (std::uint32_t k = 0; k < headers_.size(); ++k)
    if (headers_[k].whole == name) found.push_back(k);
  if (found.empty())
    for (std::uint32_t k = 0; k < headers_.size(); ++k)
      if (headers_[k].name == name) found.push_back(k);
  if (found.size() == 1) return found[0];
  if (found.size() > 1) {
    Problem p = problem(Code::DataColumn, fmt::format("has {} columns `{}`", found.size(), name));
    p.notes.push_back(fmt::format("they are columns {} and {}", found[0] + 1, found[1] + 1));
    p.helps.emplace_back("give each column a name of its own");
    return tl::unexpected(std::move(p));
  }
  Problem p = problem(Code::DataColumn, fmt::format("has no column `{}`", name));
  std::vector<std::string_view> names;
  for (const Header& header : headers_) names.push_back(header.name);
  if (auto near = did_you_mean(name, names)) p.meant = *near;
  std::string list;
  for (std::size_t k = 0; k < std::min(names.size(), kShown); ++k)
    list += fmt::format("{}`{}`", k == 0 ? "" : ", ", names[k]);
  if (names.size() > kShown) list += fmt::format(" and {} more", names.size() - kShown);
  p.notes.push_back(names.size() == 1 ? fmt::format("its only column is {}", list)
                                      : fmt::format("its columns are {}", list));
  if (names.size() == 1) p.notes.emplace_back("columns are separated by commas, semicolons or tabs");
  return tl::unexpected(std::move(p));
}

Result<const Unit*> DataFile::unit(std::uint32_t column) const {
  const Header& header = headers_[column];
  if (header.unit_text.empty()) return nullptr;
  if (header.unit) return &*header.unit;
  std::string unknown;
  read_unit(header.unit_text, &unknown);
  Problem p = problem(Code::DataUnit, fmt::format("has a column `{}`, and {} is not a unit", header.whole,
                                                  unknown.empty() ? fmt::format("`{}`", header.unit_text)
                                                                  : fmt::format("`{}`", unknown)));
  std::string near = similar_unit(unknown);
  if (near.empty())
    if (auto name = did_you_mean(unknown, unit_names())) near = *name;
  if (!near.empty()) p.helps.push_back(fmt::format("did you mean `[{}]`?", near));
  p.helps.push_back(fmt::format(
      "units are written as in the language, for example `[km/h]`; if this is none, name the column \"{}\"",
      header.whole));
  return tl::unexpected(std::move(p));
}

std::optional<Problem> DataFile::number_problem(std::uint32_t column) {
  const auto& values = numbers(column);
  return values ? std::nullopt : std::optional(values.error());
}

std::optional<Problem> DataFile::order_problem(std::uint32_t column) {
  const auto& values = numbers(column);
  if (!values) return values.error();
  const std::vector<double>& x = *values;
  for (std::size_t k = 1; k < x.size(); ++k) {
    const bool thrice = k > 1 && x[k] == x[k - 2];
    if (x[k - 1] <= x[k] && !thrice) continue;
    const std::string& name = headers_[column].name;
    Problem p =
        problem(Code::TableOrder,
                thrice ? fmt::format("has {} three times in `{}`, the last time in {}", x[k], name, place(k))
                       : fmt::format("does not ascend in `{}`: {} comes after {} in {}", name, x[k], x[k - 1],
                                     place(k)));
    p.notes.emplace_back("the arguments of a table ascend; two rows with the same one are a jump");
    return p;
  }
  return std::nullopt;
}

Result<std::unique_ptr<DataFile>> open_data(const std::string& path, const std::string& shown) {
  auto text = read_file(path);
  auto refuse = [&](std::string what, std::string note, std::string help = {}) {
    Problem p{Code::DataUnreadable, fmt::format("`{}` {}", shown, what)};
    if (!note.empty()) p.notes.push_back(std::move(note));
    if (!help.empty()) p.helps.push_back(std::move(help));
    return tl::unexpected(std::move(p));
  };
  if (!text) return refuse("cannot be read", text.error());
  const std::uint64_t digest = hash(*text);
  if (text->starts_with("MATLAB 5.0") || text->starts_with("MATLAB 7"))
    return refuse("is a MAT-file of version 5 or later", "MAT-files of results are version 4",
                  "export its columns as CSV, with their names in the first line");
  if (text->starts_with("PK\x03\x04"))
    return refuse("is no table of text", "it is a spreadsheet, or an archive of files",
                  "save the sheet as CSV");
  if (is_mat(path)) return open_mat(path, shown, digest);
  if (text->starts_with("\xEF\xBB\xBF")) text->erase(0, 3);
  if (text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF"))
    return refuse("is UTF-16 text", "data files are UTF-8 text", "save it as UTF-8");
  if (std::string_view(*text).substr(0, 4096).find('\0') != std::string_view::npos)
    return refuse("is no table of text", "it has bytes that no text has");
  if (text->find_first_not_of(" \t\r\n") == std::string::npos)
    return refuse("is empty", {},
                  "the first line has the names of the columns, for example `t [s],speed [km/h]`");
  return open_csv(path, shown, digest, std::move(*text));
}

}  // namespace sigrel::data
