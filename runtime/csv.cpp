#include "runtime/csv.h"

#include <charconv>

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

Sink::Error CsvFile::begin(std::span<const std::string> names) {
  if (!file_.open(path_)) {
    failed_ = true;
    return {path_, file_.error()};
  }
  buffer_ = "time";
  for (const std::string& name : names) buffer_ += ',' + csv_field(name);
  buffer_ += '\n';
  return {};
}

Sink::Error CsvFile::row(double time, std::span<const double> values) {
  if (failed_) return {};
  append_number(buffer_, time);
  for (double value : values) {
    buffer_ += ',';
    append_number(buffer_, value);
  }
  buffer_ += '\n';
  ++rows_;
  last_time_ = time;
  // The first rows go out at once: a disk that is full is known before hours of computing.
  return rows_ <= 2 || buffer_.size() >= kFlushSize ? flush() : Error{};
}

Sink::Error CsvFile::flush() {
  if (!file_.write(buffer_)) {
    failed_ = true;
    return {path_, file_.error(), kept_rows_, kept_until_};
  }
  buffer_.clear();
  kept_rows_ = rows_;
  kept_until_ = last_time_;
  return {};
}

Sink::Error CsvFile::finish() {
  if (failed_) return {};
  if (Error error = flush()) return error;
  if (!file_.close()) return {path_, file_.error(), kept_rows_, kept_until_};
  return {};
}

}  // namespace runtime
