#include "runtime/results/mat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

namespace runtime {

namespace {

static_assert(std::endian::native == std::endian::little, "type numbers below say little endian");

constexpr std::size_t kFlushSize = 256 * 1024;
constexpr std::uint32_t kDouble = 0, kInt32 = 20, kText = 51;
constexpr std::size_t kHeader = 20;

template <class T>
void append(std::string& to, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  to.append(bytes, sizeof value);
}

void append_header(std::string& to, std::uint32_t type, std::size_t rows, std::size_t columns,
                   std::string_view name) {
  for (std::size_t number : {std::size_t{type}, rows, columns, std::size_t{0}, name.size() + 1})
    append(to, static_cast<std::uint32_t>(number));
  to.append(name);
  to += '\0';
}

/// One text per column, padded with blanks, as text is in MATLAB.
void append_texts(std::string& to, std::string_view name, const std::vector<std::string_view>& texts) {
  std::size_t longest = 1;
  for (std::string_view text : texts) longest = std::max(longest, text.size());
  append_header(to, kText, longest, texts.size(), name);
  for (std::string_view text : texts) {
    to.append(text);
    to.append(longest - text.size(), ' ');
  }
}

}  // namespace

Sink::Error MatFile::fail() {
  failed_ = true;
  return {path_, file_.error(), kept_rows_, kept_until_};
}

Sink::Error MatFile::begin(const Output& output) {
  if (!file_.open(path_)) return fail();
  std::vector<std::string_view> names = {"time"}, descriptions = {"[s]"};
  std::vector<std::array<std::int32_t, 4>> info = {{0, 1, 0, -1}};
  std::string constants;
  std::int32_t constant_rows = 1;
  auto constant = [&](double value) {
    append(constants, value);
    return ++constant_rows;
  };

  std::map<std::uint32_t, std::int32_t>
      row_of;  // variable, row of data_2 (negative where that holds the negative)
  std::optional<std::int32_t> zero;
  for (std::uint32_t c = 0; c < output.names.size(); ++c) {
    names.push_back(output.names[c]);
    descriptions.push_back(output.descriptions.empty() ? std::string_view() : output.descriptions[c]);
    const Column column = output.columns[c];
    if (column.variable == kNone) {
      if (!zero) zero = constant(0.0);
      info.push_back({1, *zero, 0, 0});
      continue;
    }
    auto [at, fresh] = row_of.try_emplace(column.variable, 0);
    if (fresh) {
      stored_.push_back(c);
      const auto row = static_cast<std::int32_t>(stored_.size() + 1);
      at->second = column.negated ? -row : row;
    }
    info.push_back({2, column.negated ? -at->second : at->second, 0, -1});
  }
  for (const Constant& c : output.constants) {
    names.push_back(c.name);
    descriptions.push_back(c.description);
    info.push_back({1, constant(c.value), 0, 0});
  }

  // Four rows, as columns of the matrix have them: Atrajectory, 1.1, nothing, binTrans.
  const std::array<std::string, 4> lines = {"Atrajectory", "1.1", "", "binTrans"};
  std::vector<std::string> letters(lines[0].size(), std::string(4, ' '));
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t k = 0; k < lines[r].size(); ++k) letters[k][r] = lines[r][k];
  append_texts(buffer_, "Aclass", {letters.begin(), letters.end()});
  append_texts(buffer_, "name", names);
  append_texts(buffer_, "description", descriptions);
  append_header(buffer_, kInt32, 4, info.size(), "dataInfo");
  for (const auto& column : info)
    for (std::int32_t number : column) append(buffer_, number);
  append_header(buffer_, kDouble, static_cast<std::size_t>(constant_rows), 2, "data_1");
  append(buffer_, 0.0);  // the start is known with the first row
  buffer_ += constants;
  stop_at_ = buffer_.size();
  append(buffer_, 0.0);
  buffer_ += constants;
  count_at_ = buffer_.size() + 8;
  append_header(buffer_, kDouble, stored_.size() + 1, 0, "data_2");
  if (!file_.write(buffer_, buffer_.size())) return fail();
  buffer_.clear();
  return {};
}

Sink::Error MatFile::row(double time, std::span<const double> values) {
  if (failed_) return {};
  append(buffer_, time);
  for (std::uint32_t c : stored_) append(buffer_, values[c]);
  if (rows_++ == 0) {
    std::string start;
    append(start, time);
    const std::uint64_t start_at = stop_at_ - (count_at_ - 8 - stop_at_);  // the other column of data_1
    if (!file_.patch(start_at, start)) return fail();
  }
  // The first rows go out at once: a disk that is full is known before hours of computing.
  return rows_ <= 2 || buffer_.size() >= kFlushSize ? flush() : Error{};
}

/// The number of rows, and the time of the last one.
bool MatFile::patch_end(std::uint64_t rows, double until) {
  std::string count, stop;
  append(count, static_cast<std::uint32_t>(rows));
  append(stop, until);
  return file_.patch(count_at_, count) && file_.patch(stop_at_, stop);
}

Sink::Error MatFile::flush() {
  const std::size_t row = (stored_.size() + 1) * sizeof(double);
  const std::uint64_t before = file_.size();
  const bool fine = file_.write(buffer_, row);
  const std::string reason = file_.error();
  const std::uint64_t kept = (file_.size() - before) / row;  // all of them, or as many as fit
  if (kept > 0) {
    double until = 0;
    std::memcpy(&until, buffer_.data() + (kept - 1) * row, sizeof until);
    if (!patch_end(kept_rows_ + kept, until)) return fail();
    kept_rows_ += kept;
    kept_until_ = until;
  }
  buffer_.clear();
  if (fine) return {};
  failed_ = true;
  return {path_, reason, kept_rows_, kept_until_};
}

Sink::Error MatFile::save(Archive& archive) {
  if (failed_) return {};
  if (Error error = flush()) return error;
  OutputFile::Mark mark;
  const std::uint64_t row = (stored_.size() + 1) * sizeof(double);
  if (!file_.mark(mark, file_.size() - kept_rows_ * row)) return fail();
  archive(mark, stored_, stop_at_, count_at_, rows_, kept_rows_, kept_until_);
  return {};
}

Sink::Error MatFile::resume(const Output&, Archive& archive) {
  OutputFile::Mark mark;
  archive(mark, stored_, stop_at_, count_at_, rows_, kept_rows_, kept_until_);
  return archive.fine() && file_.append(path_, mark) && patch_end(kept_rows_, kept_until_) ? Error{} : fail();
}

Sink::Error MatFile::finish() {
  if (failed_) return {};
  if (Error error = flush()) return error;
  return file_.close() ? Error{} : fail();
}

// ---- reading
// ---------------------------------------------------------------------------------------------------------

std::uint32_t MatReader::Matrix::element() const {
  if (type == 1 || type == kText || type == kDouble) return type == kText ? 1 : 8;
  return type == 10 || type == kInt32 ? 4 : 0;
}

bool MatReader::is_mat(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char start[kHeader + 7] = {};
  in.read(start, sizeof start);
  return in && std::memcmp(start + kHeader, "Aclass", 7) == 0;
}

MatReader::MatReader(const std::string& path) : in_(path, std::ios::binary) {
  if (!in_) {
    refuse("cannot be read");
    return;
  }
  in_.seekg(0, std::ios::end);
  size_ = static_cast<std::uint64_t>(in_.tellg());
  in_.seekg(0);
  read();
}

/// The header at the place where the file stands; then it stands behind the matrix.
std::optional<MatReader::Matrix> MatReader::header(std::string& name) {
  const auto at = static_cast<std::uint64_t>(in_.tellg());
  std::array<std::uint32_t, 5> numbers{};
  if (!in_.read(reinterpret_cast<char*>(numbers.data()), kHeader) || numbers[4] == 0 || numbers[4] > 64)
    return std::nullopt;
  name.resize(numbers[4]);
  if (!in_.read(name.data(), static_cast<std::streamsize>(name.size()))) return std::nullopt;
  name.resize(name.find('\0') == std::string::npos ? name.size() : name.find('\0'));
  Matrix m{numbers[0], numbers[1], numbers[2], at + kHeader + numbers[4]};
  const std::uint64_t bytes = std::uint64_t{m.rows} * m.columns * m.element();
  if (numbers[3] != 0 || m.element() == 0 || m.begin > size_) return std::nullopt;
  if (bytes > size_ - m.begin) {  // cut off: what is whole of it
    const std::uint64_t column = std::uint64_t{m.rows} * m.element();
    m.columns = column == 0 ? 0 : static_cast<std::uint32_t>((size_ - m.begin) / column);
  }
  in_.seekg(static_cast<std::streamoff>(m.begin + std::uint64_t{m.rows} * m.columns * m.element()));
  return m;
}

bool MatReader::numbers(const Matrix& m, std::uint64_t first, std::uint64_t count, std::vector<double>& out) {
  out.resize(count);
  in_.clear();
  in_.seekg(static_cast<std::streamoff>(m.begin + first * m.element()));
  std::string bytes(count * m.element(), '\0');
  if (!in_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return false;
  auto take = [&]<class T>(T value) {
    for (std::uint64_t k = 0; k < count; ++k) {
      std::memcpy(&value, bytes.data() + k * sizeof value, sizeof value);
      out[k] = static_cast<double>(value);
    }
  };
  if (m.type == kText)
    take(std::uint8_t{});
  else if (m.type == kInt32)
    take(std::int32_t{});
  else if (m.type == 10)
    take(float{});
  else
    take(double{});
  return true;
}

namespace {

/// A character of a matrix of text; a damaged file has any number there.
char letter(double number) {
  return number >= 0 && number <= 255 ? static_cast<char>(static_cast<unsigned char>(number)) : '?';
}

}  // namespace

bool MatReader::texts(const Matrix& m, std::vector<std::string>& out) {
  std::vector<double> letters;
  if (!numbers(m, 0, std::uint64_t{m.rows} * m.columns, letters)) return false;
  for (std::uint32_t c = 0; c < m.columns; ++c) {
    std::string text;
    for (std::uint32_t r = 0; r < m.rows; ++r) text += letter(letters[std::size_t{c} * m.rows + r]);
    text.resize(text.find_last_not_of(std::string_view(" \0", 2)) + 1);
    out.push_back(std::move(text));
  }
  return true;
}

void MatReader::read() {
  const std::string_view order[] = {"Aclass", "name", "description", "dataInfo", "data_1", "data_2"};
  std::vector<Matrix> found;
  for (std::string_view expected : order) {
    std::string name;
    auto m = header(name);
    if (!m || name != expected)
      return refuse(
          fmt::format("is no table of results: its matrix {} is not `{}`", found.size() + 1, expected),
          "the file may have been cut off");
    found.push_back(*m);
  }
  const Matrix &names = found[1], &descriptions = found[2], &info = found[3], &constants = found[4];
  data_ = found[5];
  std::vector<double> form, where, values;
  if (!numbers(found[0], 0, std::uint64_t{found[0].rows} * found[0].columns, form))
    return refuse("cannot be read");
  std::string orientation;
  for (std::uint32_t c = 0; c < found[0].columns && found[0].rows == 4; ++c)
    orientation += letter(form[4 * std::size_t{c} + 3]);
  if (!orientation.starts_with("binTrans"))
    return refuse("has its results in rows (`binNormal`)",
                  "only the layout `binTrans` is read, in which a run can write while it computes");
  const bool fits = info.rows == 4 && info.columns == names.columns && descriptions.columns == names.columns;
  std::vector<std::string> all, described;
  if (!fits || !texts(names, all) || !texts(descriptions, described) ||
      !numbers(info, 0, std::uint64_t{4} * info.columns, where) ||
      !numbers(constants, 0, constants.columns > 0 ? constants.rows : 0, values))
    return refuse("is no table of results: its matrices do not fit together");
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double from = where[4 * k], row = where[4 * k + 1];
    const bool constant = from == 1;
    if (from == 0 || all[k] == "time" || all[k] == "Time") continue;
    const auto rows = static_cast<double>(constant ? values.size() : data_.rows);
    if (!(std::abs(row) >= 1 && std::abs(row) <= rows))
      return refuse(fmt::format("has no numbers for `{}`", all[k]));
    const auto index = static_cast<std::size_t>(std::abs(row));
    if (constant)
      constants_.push_back({all[k], described[k], row < 0 ? -values[index - 1] : values[index - 1]});
    names_.push_back(all[k]);
    descriptions_.push_back(described[k]);
    where_.push_back(constant ? 0 : static_cast<std::int32_t>(row));
    fixed_.push_back(constant ? constants_.back().value : 0);
  }
  if (names_.empty()) refuse("is no table of results: it names no variables");
}

bool MatReader::next(Row& row) {
  if (failure() || at_ >= data_.columns || data_.rows == 0) return false;
  if (!numbers(data_, std::uint64_t{at_} * data_.rows, data_.rows, column_)) {
    refuse(fmt::format("ends in row {}", at_ + 1), "the file may have been cut off");
    return false;
  }
  ++at_;
  row.time = column_[0];
  row.values.resize(names_.size());
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const double value =
        where_[k] == 0 ? fixed_[k] : column_[static_cast<std::size_t>(std::abs(where_[k])) - 1];
    row.values[k] = where_[k] < 0 ? 0.0 - value : value;  // never a negative zero
  }
  return true;
}

bool MatReader::last(Row& row) {
  if (data_.columns > 0) at_ = data_.columns - 1;
  return next(row);
}

}  // namespace runtime
