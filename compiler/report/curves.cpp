#include "compiler/report/curves.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <set>
#include <string_view>
#include <vector>

#include "compiler/pipeline/results.h"

namespace sigrel::report {

using nlohmann::ordered_json;

namespace {

/// The rows that a curve keeps: of each bucket the first, the least, the greatest and the last. Empty: all.
std::vector<std::uint32_t> kept_rows(const runtime::Trajectory& t, std::size_t column, std::size_t most) {
  std::vector<std::uint32_t> kept;
  const std::size_t rows = t.rows();
  if (rows <= most) return kept;
  const std::size_t buckets = most / 4;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t begin = rows * b / buckets, end = rows * (b + 1) / buckets;
    std::size_t least = begin, greatest = begin;
    for (std::size_t row = begin; row < end; ++row) {
      if (t.value(row, column) < t.value(least, column)) least = row;
      if (t.value(row, column) > t.value(greatest, column)) greatest = row;
    }
    for (const std::size_t row : std::set<std::size_t>{begin, least, greatest, end - 1})
      kept.push_back(static_cast<std::uint32_t>(row));
  }
  return kept;
}

/// Seven digits are enough to see; NaN and infinity have no notation in JSON.
ordered_json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  double rounded = value;
  const std::string text = fmt::format("{:.7g}", value);
  std::sscanf(text.c_str(), "%lf", &rounded);
  return rounded;
}

}  // namespace

ordered_json curve(const Run& run, const runtime::Trajectory& t, std::size_t column, std::size_t most,
                   bool own_times) {
  const std::string& name = t.names()[column];
  const std::string_view description = run.description(name);
  ordered_json s;
  std::vector<std::uint32_t> rows = kept_rows(t, column, most);
  const bool all = rows.empty();
  if (all)
    for (std::uint32_t row = 0; row < t.rows(); ++row) rows.push_back(row);
  ordered_json values = ordered_json::array(), times = ordered_json::array();
  for (const std::uint32_t row : rows) {
    values.push_back(number(t.value(row, column)));
    if (own_times) times.push_back(t.time(row));
  }
  if (own_times)
    s["times"] = std::move(times);
  else if (!all)
    s["rows"] = rows;
  s["values"] = std::move(values);
  std::vector<double> probe = {0.0, 1.0};
  pipeline::convert(description, probe);
  s["scale"] = probe[1] - probe[0];
  s["offset"] = probe[0];
  std::string unit = pipeline::shown_unit(description);
  if (unit.starts_with('[') && unit.ends_with(']')) unit = unit.substr(1, unit.size() - 2);
  s["unit"] = unit;
  if (pipeline::is_piecewise_constant(description)) s["steps"] = true;
  if (const auto states = pipeline::state_names(description); !states.empty()) s["states"] = states;
  return s;
}

std::string script_text(const ordered_json& data) {
  const std::string text = data.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

}  // namespace sigrel::report
