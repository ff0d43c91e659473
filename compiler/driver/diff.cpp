// sigrel diff: whether the results of one run stay within a tube around those of another.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "compiler/base/units.h"
#include "compiler/diagnostics/display.h"
#include "compiler/driver/command.h"
#include "compiler/pipeline/results.h"
#include "compiler/session/result_table.h"
#include "runtime/analysis/tube.h"

namespace sigrel::driver {
namespace {

constexpr std::size_t kShown = 20;

struct Options {
  std::string reference, other;
  std::vector<std::string> variables;
  runtime::Tube tube;
  bool all = false;
};

struct Difference {
  std::string name;
  runtime::Departure departure;
};

void print_names(const char* what, const std::string& path, const std::vector<std::string>& names, bool all) {
  if (names.empty()) return;
  fmt::print("{} `{}`: ", what, path);
  const std::size_t shown = all ? names.size() : std::min(names.size(), kShown);
  for (std::size_t k = 0; k < shown; ++k) fmt::print("{}{}", k ? ", " : "", names[k]);
  if (shown < names.size()) fmt::print(" and {} more: --all lists them", names.size() - shown);
  fmt::print("\n");
}

void print_differences(std::vector<Difference>& differences, bool all) {
  std::ranges::stable_sort(differences, {}, [](const Difference& d) { return d.departure.time; });
  const std::size_t shown = all ? differences.size() : std::min(differences.size(), kShown);
  std::uint32_t width = 0;
  for (std::size_t k = 0; k < shown; ++k) width = std::max(width, display_width(differences[k].name));
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& [name, d] = differences[k];
    fmt::print(
        "  {}{}  leaves the tube at t = {:.9g} s: {:.9g} is not in {:.9g} … {:.9g}; largest deviation {:.3g} "
        "at t = {:.9g} s\n",
        name, std::string(width - display_width(name), ' '), d.time, d.value, d.low, d.high, d.worst,
        d.worst_time);
  }
  if (shown < differences.size()) fmt::print("  and {} more: --all lists them\n", differences.size() - shown);
}

/// Compares the common variables. Returns whether they agree.
bool compare(const session::ResultTable& a, const session::ResultTable& b, const Options& options) {
  std::unordered_map<std::string_view, std::size_t> in_b;
  for (std::size_t k = 0; k < b.names.size(); ++k) in_b.emplace(b.names[k], k);
  std::vector<Difference> differences;
  std::vector<std::string> missing, units;
  std::size_t compared = 0;
  for (std::size_t k = 0; k < a.names.size(); ++k) {
    auto at = in_b.find(a.names[k]);
    if (at == in_b.end()) {
      missing.push_back(a.names[k]);
      continue;
    }
    ++compared;
    const std::string_view unit_a = runtime::unit_in(a.descriptions[k]),
                           unit_b = runtime::unit_in(b.descriptions[at->second]);
    if (units_differ(unit_a, unit_b)) {
      units.push_back(fmt::format("{} ({} and {})", a.names[k], unit_a, unit_b));
      in_b.erase(at);
      continue;
    }
    const bool steps = a.piecewise_constant(k);
    if (auto departure =
            runtime::leaves_tube(a.times, a.columns[k], b.times, b.columns[at->second], options.tube, steps))
      differences.push_back({a.names[k], *departure});
    in_b.erase(at);
  }
  std::vector<std::string> more;
  for (const std::string& name : b.names)
    if (in_b.contains(name)) more.push_back(name);

  const double slack = options.tube.time + 1e-9 * (a.times.back() - a.times.front());
  const bool same_range = std::abs(a.times.front() - b.times.front()) <= slack &&
                          std::abs(a.times.back() - b.times.back()) <= slack;
  fmt::print("{} of {} variables differ\n", differences.size() + units.size(), compared);
  print_differences(differences, options.all);
  if (!same_range)
    fmt::print("`{}` has t = {:.9g} … {:.9g} s, `{}` t = {:.9g} … {:.9g} s\n", a.path, a.times.front(),
               a.times.back(), b.path, b.times.front(), b.times.back());
  print_names("in other units in", b.path, units, options.all);
  print_names("missing in", b.path, missing, options.all);
  print_names("only in", b.path, more, options.all);
  return differences.empty() && units.empty() && missing.empty() && same_range;
}

int diff(const Globals& globals, const Options& options) {
  Diagnostics diagnostics;
  const std::vector<std::string> variables = split_names(options.variables);
  auto wanted = [&](std::string_view name) {
    return variables.empty() || std::ranges::any_of(variables, [&](const std::string& pattern) {
             return pipeline::matches(pattern, name);
           });
  };
  std::vector<session::ResultTable> tables;
  for (const std::string& file : {options.reference, options.other})
    if (auto table = session::read_results(file, wanted, diagnostics)) tables.push_back(std::move(*table));
  if (tables.size() == 2) session::check_patterns(variables, tables, diagnostics);
  const bool same = !diagnostics.has_errors() && compare(tables[0], tables[1], options);
  print_diagnostics(globals, diagnostics, SourceMap{});
  return same ? kSuccess : kUserError;
}

}  // namespace

void add_diff(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "diff", "Compare two result files: does the second stay within a tube around the first?");
  command->add_option("reference", options->reference, "Reference results, CSV or MATLAB")
      ->required()
      ->type_name("A");
  command->add_option("other", options->other, "Results to compare, at their own times")
      ->required()
      ->type_name("B");
  command
      ->add_option("-v,--variables", options->variables,
                   "Compare only these variables; * matches any characters; repeatable")
      ->type_name("NAME[,NAME…]")
      ->allow_extra_args(false);
  command
      ->add_option("--relative", options->tube.relative,
                   "Half height of the tube, relative to the largest magnitude of a variable (default 1e-4)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("X");
  command
      ->add_option("--absolute", options->tube.absolute,
                   "Absolute term added to the half height (default 1e-8)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("X");
  command->add_option("--time", options->tube.time, "Allowed time shift of a value, in seconds (default 0)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("T");
  command->add_flag("--all", options->all, "List all differences");
  command->footer(
      "Exit codes: 0 if all variables of A agree, 1 if some differ or are missing, or a file cannot be "
      "read.");
  command->callback([&globals, &exit_code, options] { exit_code = diff(globals, *options); });
}

}  // namespace sigrel::driver
