#include "runtime/results/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace runtime {

namespace {

constexpr std::size_t kFlushSize = 256 * 1024;

void append_number(std::string& text, double value) {
  char digits[32];
  // The shortest digits that read back as the same number: 17 at most.
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

namespace {

/// ` [V]`; empty if the description has no unit.
std::string header_unit(std::string_view description) {
  const std::string_view unit = unit_in(description);
  return unit.empty() ? std::string() : fmt::format(" [{}]", unit);
}

}  // namespace

Sink::Error CsvFile::begin(const Output& output) {
  if (!file_.open(path_)) {
    failed_ = true;
    return {path_, file_.error()};
  }
  const bool units = output.header_units && !output.descriptions.empty();
  buffer_ = output.header_units ? "time [s]" : "time";
  for (std::size_t c = 0; c < output.names.size(); ++c)
    buffer_ += ',' + csv_field(output.names[c] + (units ? header_unit(output.descriptions[c]) : ""));
  buffer_ += '\n';
  header_ = buffer_.size();
  return {};
}

Sink::Error CsvFile::row(double time, std::span<const double> values) {
  if (failed_) return {};
  append_number(buffer_, time);
  for (double value : values) {
    buffer_ += ',';
    if (!std::isnan(value)) append_number(buffer_, value);  // empty: it does not exist at this time
  }
  buffer_ += '\n';
  ++rows_;
  last_time_ = time;
  // The first rows go out at once: a disk that is full is known before hours of computing.
  return rows_ <= 2 || buffer_.size() >= kFlushSize ? flush() : Error{};
}

/// The rows among the first `bytes` of the buffer, which the file has kept.
void CsvFile::count_kept(std::uint64_t bytes) {
  if (bytes <= header_) return;
  std::string_view kept = std::string_view(buffer_).substr(0, bytes);
  kept = kept.substr(0, kept.rfind('\n') + 1);  // a pipe may have taken a part of a row
  if (kept.size() <= header_) return;
  kept_rows_ += static_cast<std::uint64_t>(std::ranges::count(kept.substr(header_), '\n'));
  const std::size_t before = kept.rfind('\n', kept.size() - 2);
  const std::string_view row =
      kept.substr(before == std::string_view::npos ? 0 : before + 1);  // npos: no header
  std::from_chars(row.data(), row.data() + row.size(), kept_until_);
}

Sink::Error CsvFile::flush() {
  const std::uint64_t before = file_.size();
  if (!file_.write(buffer_)) {
    failed_ = true;
    count_kept(file_.size() - before);
    return {path_, file_.error(), kept_rows_, kept_until_};
  }
  buffer_.clear();
  header_ = 0;
  kept_rows_ = rows_;
  kept_until_ = last_time_;
  return {};
}

Sink::Error CsvFile::save(Archive& archive) {
  if (failed_) return {};
  if (Error error = flush()) return error;
  OutputFile::Mark mark;
  if (!file_.mark(mark)) {
    failed_ = true;
    return {path_, file_.error(), kept_rows_, kept_until_};
  }
  archive(mark, rows_, last_time_);
  return {};
}

Sink::Error CsvFile::resume(const Output&, Archive& archive) {
  OutputFile::Mark mark;
  archive(mark, rows_, last_time_);
  kept_rows_ = rows_;
  kept_until_ = last_time_;
  if (archive.fine() && file_.append(path_, mark)) return {};
  failed_ = true;
  return {path_, file_.error(), kept_rows_, kept_until_};
}

Sink::Error CsvFile::finish() {
  if (failed_) return {};
  if (Error error = flush()) return error;
  if (!file_.close()) return {path_, file_.error(), kept_rows_, kept_until_};
  return {};
}

namespace {

/// The fields of one line; a quoted field of a header may hold line breaks.
std::vector<std::string> fields(std::istream& in) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (int c; (c = in.get()) != EOF;) {
    if (quoted) {
      if (c == '"' && in.peek() == '"')
        result.back() += static_cast<char>(in.get());
      else if (c == '"')
        quoted = false;
      else
        result.back() += static_cast<char>(c);
    } else if (c == '"')
      quoted = true;
    else if (c == ',')
      result.emplace_back();
    else if (c == '\n')
      break;
    else if (c != '\r')
      result.back() += static_cast<char>(c);
  }
  return result;
}

}  // namespace

CsvReader::CsvReader(const std::string& path) : in_(path, std::ios::binary) {
  // A file without lines, such as /dev/zero, may have no end.
  if (const int first = in_.peek(); first == 't' || first == '"') names_ = fields(in_);
  if (!in_.is_open() || in_.bad())
    refuse("cannot be read");  // a folder can be opened, and not read
  else if (names_.size() < 2 || (names_[0] != "time" && names_[0] != "time [s]"))
    refuse("is no table of results: its first line is not `time` and names of variables");
  else
    names_.erase(names_.begin());
  // `b[3] [V]`
  const auto unit_of = [](const std::string& name) {
    const std::size_t at = name.rfind(" [");
    return name.ends_with(']') && at != std::string::npos ? at : name.size();
  };
  if (std::ranges::all_of(names_, [&](const std::string& name) { return unit_of(name) == name.size(); }))
    return;
  for (std::string& name : names_) {
    const std::size_t at = unit_of(name);
    descriptions_.push_back(at == name.size() ? std::string() : name.substr(at + 1));
    name.resize(at);
  }
}

bool CsvReader::line() {
  while (std::getline(in_, text_)) {
    ++line_;
    if (text_.ends_with('\r')) text_.pop_back();
    // A line without end and without all its fields is what a run that was killed has left of a row.
    const bool ends = !in_.eof() || text_.empty();
    if (!ends && std::ranges::count(text_, ',') < static_cast<std::ptrdiff_t>(names_.size())) return false;
    if (!ends) {  // `0.123` may have been `0.123456`, or `0.123e-7`
      refuse(fmt::format("has no end of line {}, its last one: digits may be missing there", line_),
             "delete this line, or end it with a line break if it is complete");
      return false;
    }
    if (!text_.empty()) return true;
  }
  return false;
}

bool CsvReader::next(Row& row) { return !failure() && line() && parse(text_, row); }

bool CsvReader::last(Row& row) {
  if (failure()) return false;
  std::string found;
  std::size_t at = 0;
  while (line()) {
    found.swap(text_);
    at = line_;
  }
  if (failure() || found.empty()) return false;
  line_ = at;
  return parse(found, row);
}

bool CsvReader::parse(std::string_view text, Row& row) {
  row.values.clear();
  std::size_t column = 0;
  for (bool more = true; more; ++column) {
    const std::size_t comma = text.find(',');
    const std::string_view field = text.substr(0, comma);
    double value = std::numeric_limits<double>::quiet_NaN();  // an empty field: it did not exist then
    const bool empty = field.empty() && column > 0;
    auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (!empty && (error != std::errc{} || end != field.data() + field.size())) {
      refuse(fmt::format("has no number in line {}, column {}", line_, column + 1),
             fmt::format("it says `{}` there", field.substr(0, 40)));
      return false;
    }
    if (column == 0)
      row.time = value;
    else
      row.values.push_back(value);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  if (row.values.size() == names_.size()) return true;
  refuse(fmt::format("has {} numbers in line {}, for {} names", column, line_, names_.size() + 1),
         "the file may have been cut off");
  return false;
}

}  // namespace runtime
