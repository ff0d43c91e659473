#include "compiler/driver/sweep_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "runtime/results/csv.h"

namespace sigrel::driver {
namespace {

std::string parameters_of(const std::vector<double>& values) {
  std::string text;
  for (double value : values) text += fmt::format("{},", value);
  return text;
}

}  // namespace

SweepTable::SweepTable(const std::string& path, const session::SweepGrid& grid,
                       const pipeline::Columns& columns, const Fingerprint& fingerprint)
    : path_(path.empty() ? "/dev/stdout" : path), grid_(grid), columns_(columns.size()) {
  for (const session::SweepAxis& axis : grid.axes()) header_ += runtime::csv_field(axis.name) + ',';
  for (const std::string& name : columns.names)
    for (const char* what : {"", "min ", "max "}) header_ += runtime::csv_field(what + name) + ',';
  header_ += "error";
  if (!path.empty()) {
    fingerprint_ = fingerprint.text();
    header_ += ",fingerprint";
  }
  header_ += '\n';
}

bool SweepTable::create() { return file_.create(path_) && file_.write(header_); }

bool SweepTable::resume(Diagnostics& diagnostics) {
  std::uint64_t bytes = 0;
  return file_.append(path_) && read(bytes, diagnostics) && file_.truncate(bytes) &&
         (bytes > 0 || file_.write(header_));
}

/// Counts the points, and the bytes up to the end of the last complete line.
bool SweepTable::read(std::uint64_t& bytes, Diagnostics& diagnostics) {
  std::ifstream in(path_, std::ios::binary);
  std::string line;
  auto whole_line = [&] { return std::getline(in, line) && !in.eof(); };
  auto refuse = [&](const std::string& why) {
    diagnostics.report(Code::SweepTable, "`" + path_ + "` is not a part of this sweep")
        .note(why)
        .help("repeat the options of the interrupted sweep, or choose another file");
    return false;
  };
  const bool begun = whole_line();
  if (!begun && header_.starts_with(line)) return true;  // ended before the header was complete
  if (!begun || line + '\n' != header_) return refuse("its first line names other parameters or outputs");
  bytes = header_.size();
  const std::string end = "," + fingerprint_;
  for (; whole_line(); ++points_) {
    const std::uint64_t number = points_ + 2;
    if (points_ >= grid_.size()) return refuse("it has more rows than the sweep has points");
    if (!line.starts_with(parameters_of(grid_.values(points_))))
      return refuse(fmt::format("line {} has other parameters", number));
    if (!line.ends_with(end)) {
      const bool same_model = line.substr(line.rfind(',') + 1).starts_with(fingerprint_.substr(0, 9));
      return refuse(
          same_model
              ? fmt::format("line {} is of a run with other settings: options such as `--set` and "
                            "`--stop`, or the file of `--init-from`",
                            number)
              : fmt::format("line {} is of another model, or of another version of it or of Sigrel", number));
    }
    bytes += line.size() + 1;
    failed_ += !std::string_view(line).substr(0, line.size() - end.size()).ends_with(',');
  }
  return true;
}

bool SweepTable::add(const session::SweepRow& row) {
  std::string text = parameters_of(row.parameters);
  for (std::size_t k = 0; k < columns_; ++k)
    text += row.error.empty() ? fmt::format("{},{},{},", row.last[k], row.least[k], row.greatest[k]) : ",,,";
  text += runtime::csv_field(row.error);
  if (!fingerprint_.empty()) text += ',' + fingerprint_;
  if (!file_.write(text + '\n')) return false;
  ++points_;
  failed_ += !row.error.empty();
  return true;
}

}  // namespace sigrel::driver
