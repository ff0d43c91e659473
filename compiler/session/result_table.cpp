#include "compiler/session/result_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/pipeline/results.h"
#include "runtime/results/plot.h"
#include "runtime/results/result_file.h"

namespace sigrel::session {

bool ResultTable::piecewise_constant(std::size_t column) const {
  const std::string& said = descriptions[column];
  return pipeline::is_piecewise_constant(said) ||
         (said.empty() && runtime::looks_piecewise_constant(columns[column]));
}

std::optional<ResultTable> read_results(const std::string& path,
                                        const std::function<bool(std::string_view)>& wanted,
                                        Diagnostics& diagnostics) {
  const auto file = runtime::open_results(path);
  ResultTable table;
  table.path = path;
  table.known = file->names();
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < table.known.size(); ++k) {
    if (!wanted(table.known[k])) continue;
    places.push_back(k);
    table.names.push_back(table.known[k]);
    table.descriptions.push_back(file->descriptions().empty() ? std::string() : file->descriptions()[k]);
  }
  table.columns.resize(places.size());
  runtime::ResultReader::Row row;
  while (file->next(row)) {
    table.times.push_back(row.time);
    for (std::size_t k = 0; k < places.size(); ++k) table.columns[k].push_back(row.values[places[k]]);
  }
  if (file->failure()) {
    Diagnostic& d =
        diagnostics.report(Code::ResultsUnreadable, fmt::format("`{}` {}", path, file->failure()->what));
    if (!file->failure()->note.empty()) d.note(file->failure()->note);
    return d.help("give a file written by `sigrel run -o`"), std::nullopt;
  }
  if (table.times.empty()) {
    diagnostics.report(Code::ResultsUnreadable, fmt::format("`{}` has no rows", path))
        .help("run the model again with `-o`");
    return std::nullopt;
  }
  return table;
}

runtime::Trajectory trajectory_of(const ResultTable& table) {
  runtime::Trajectory trajectory;
  runtime::Output output;
  output.names = table.names;
  trajectory.begin(output);
  std::vector<double> row(table.columns.size());
  for (std::size_t k = 0; k < table.times.size(); ++k) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = table.columns[c][k];
    trajectory.row(table.times[k], row);
  }
  return trajectory;
}

void check_patterns(std::span<const std::string> patterns, std::span<const ResultTable> tables,
                    Diagnostics& diagnostics) {
  for (const std::string& pattern : patterns) {
    auto has = [&](const ResultTable& t) {
      return std::ranges::any_of(t.known,
                                 [&](const std::string& name) { return pipeline::matches(pattern, name); });
    };
    if (std::ranges::any_of(tables, has)) continue;
    std::string where;
    for (std::size_t k = 0; k < tables.size() && k < 3; ++k)
      where += (k ? ", `" : "`") + tables[k].path + "`";
    if (tables.size() > 3) where += ", …";
    Diagnostic& d = diagnostics.report(
        Code::UnknownResult,
        fmt::format("no variable {} `{}` in {}",
                    pattern.find('*') == std::string::npos ? "is named" : "matches", pattern, where));
    std::vector<std::string_view> names;
    for (const ResultTable& t : tables) names.insert(names.end(), t.known.begin(), t.known.end());
    if (auto near = did_you_mean(pattern, names)) {
      d.help("did you mean `" + std::string(*near) + "`?");
    } else if (!names.empty()) {
      std::string some;
      for (std::size_t i = 0; i < names.size() && i < 6; ++i)
        some += fmt::format("{}`{}`", i ? ", " : "", names[i]);
      d.help("available: " + some + (names.size() > 6 ? " and others" : ""));
    }
  }
}

}  // namespace sigrel::session
