#include "compiler/session/start_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "compiler/base/units.h"
#include "compiler/pipeline/results.h"
#include "runtime/results/result_file.h"

namespace sigrel::session {
namespace {

using runtime::ResultReader;

constexpr std::size_t kListed = 5;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::optional<double> number(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Diagnostic& refuse(Diagnostics& diagnostics, const std::string& path, const std::string& why) {
  return diagnostics.report(Code::StartFileUnusable, fmt::format("`{}` {}", path, why));
}

struct StartRow {
  ResultReader::Row row;
  std::vector<double> held;  // values for discrete variables: not interpolated
};

/// The row at a time, interpolated between two rows; the last row without a time. Nullopt after an error.
std::optional<StartRow> row_at(ResultReader& file, const std::string& path, std::optional<double> at,
                               Diagnostics& diagnostics) {
  auto outside = [&](const char* where, double end) -> std::nullopt_t {
    refuse(diagnostics, path, fmt::format("has no results at t = {:.9g} s", *at))
        .note(fmt::format("they {} at t = {:.9g} s", where, end));
    return std::nullopt;
  };
  ResultReader::Row before, here;
  bool any = false;
  if (!at) {
    any = file.last(here);
  } else {
    while (file.next(here) && here.time <= *at) {
      any = true;
      std::swap(before, here);
    }
    if (!file.failure() && !any && !here.values.empty()) return outside("begin", here.time);
  }
  if (file.failure()) {
    Diagnostic& d = refuse(diagnostics, path, file.failure()->what);
    if (!file.failure()->note.empty())
      d.note(file.failure()->note);
    else
      d.help("give a file written by `sigrel run -o`");
    return std::nullopt;
  }
  if (!any) {
    refuse(diagnostics, path, "has no rows").help("run the model again with `-o`");
    return std::nullopt;
  }
  if (!at) return StartRow{here, here.values};
  if (before.time == *at) return StartRow{before, before.values};
  if (!(here.time > *at)) return outside("end", before.time);
  const double part = (*at - before.time) / (here.time - before.time);
  StartRow result{before, before.values};
  for (std::size_t k = 0; k < before.values.size(); ++k)
    result.row.values[k] += part * (here.values[k] - before.values[k]);
  result.row.time = *at;
  return result;
}

/// What the note says about parameters: those of which the file has another value, and columns of the file
/// that the model does not have.
void describe_parameters(const std::vector<runtime::Constant>& parameters,
                         const std::vector<std::string>& names, std::vector<bool> used,
                         const std::vector<double>& values, Diagnostic& note) {
  std::unordered_map<std::string_view, double> here;
  for (const runtime::Constant& c : parameters) here.emplace(c.name, c.value);
  std::string unknown;
  std::size_t listed = 0, different = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (used[k] || names[k].starts_with("der(") || names[k] == "time") continue;
    if (auto it = here.find(names[k]); it == here.end()) {
      if (listed++ < kListed) unknown += fmt::format("{}`{}`", listed > 1 ? ", " : "", names[k]);
    } else if (std::abs(values[k] - it->second) >
               1e-9 * std::max(std::abs(values[k]), std::abs(it->second))) {
      if (different++ < kListed)
        note.help(fmt::format("the file is of a model with `--set {}={:.10g}`, which is {:.10g} here",
                              names[k], values[k], it->second));
    }
  }
  if (listed > kListed) unknown += fmt::format(" and {} more", listed - kListed);
  if (listed > 0)
    note.note("not used, because the model has no variable of this name: " + unknown)
        .help("if it is a parameter, `--set NAME=VALUE` gives it the value in the file");
}

}  // namespace

std::pair<std::string, std::optional<double>> split_start_request(const std::string& request) {
  if (std::size_t mark = request.rfind('@'); mark != std::string::npos && mark + 1 < request.size())
    if (auto at = number(std::string_view(request).substr(mark + 1))) return {request.substr(0, mark), at};
  return {request, std::nullopt};
}

bool start_from_file(const pipeline::Compiled& model, const std::string& request,
                     runtime::Experiment& experiment, Diagnostics& diagnostics) {
  const auto [path, at] = split_start_request(request);
  const std::unique_ptr<ResultReader> file = runtime::open_results(path);
  const std::optional<StartRow> start = row_at(*file, path, at, diagnostics);
  if (!start) return false;

  const std::vector<std::string>& names = file->names();
  std::unordered_map<std::string_view, std::size_t> given;
  for (std::size_t k = 0; k < names.size(); ++k) given.emplace(names[k], k);
  std::vector<double> from(model.plan.model.variables, kMissing);
  std::vector<bool> held(from.size(), false);
  for (std::uint32_t v : model.plan.model.constants) held[v] = true;
  for (std::uint32_t v = 0; v < held.size(); ++v) held[v] = held[v] || model.plan.model.is_discrete(v);
  pipeline::Columns found;
  std::vector<bool> used(names.size(), false);
  auto take = [&](const std::string& name, runtime::Column column) {
    auto it = given.find(name);
    if (it == given.end()) return;
    found.add(name, column);
    used[it->second] = true;
    if (column.variable == runtime::kNone) return;
    const double value = held[column.variable] ? start->held[it->second] : start->row.values[it->second];
    if (std::isfinite(value)) from[column.variable] = column.negated ? -value : value;
  };
  const pipeline::Results results(model.system, model.dae);
  results.each([&](std::string name, runtime::Column column) {
    take(name, column);
    return true;
  });
  const pipeline::Columns states = results.states();
  for (std::size_t k = 0; k < states.size(); ++k) take(states.names[k], states.columns[k]);
  if (found.size() == 0) {
    diagnostics.report(Code::StartFileUnusable, fmt::format("`{}` has no variable of this model", path))
        .note(fmt::format(
            "its columns are {}{}", names[0],
            names.size() > 1 ? fmt::format(", {}{}", names[1], names.size() > 2 ? ", …" : "") : ""))
        .help("give results of this model, or of a model with the same names");
    return false;
  }

  if (!file->descriptions().empty()) {
    const std::vector<std::string> own = results.descriptions(found);
    for (std::size_t k = 0; k < found.size(); ++k) {
      const std::string_view there = runtime::unit_in(file->descriptions()[given.at(found.names[k])]);
      const std::string_view here = runtime::unit_in(own[k]);
      if (!units_differ(there, here.empty() ? "1" : here)) continue;
      refuse(diagnostics, path, fmt::format("has `{}` in {}", found.names[k], there))
          .note(here.empty() ? "in this model it is a number without a unit"
                             : fmt::format("in this model it is in {}", here))
          .help("give the values of this column in SI units, as `sigrel run -o` writes them");
      return false;
    }
  }

  // The states, the candidates of state sets, and the constants of the run.
  std::vector<std::uint32_t> needed;
  std::vector<bool> before(model.plan.model.variables,
                           false);  // at the start, `pre x` and `delay x` follow from x
  for (const runtime::Events::Previous& p : model.plan.model.events.previous) before[p.variable] = true;
  for (const runtime::Delay& d : model.plan.model.delays) before[d.variable] = true;
  for (std::uint32_t v : model.plan.model.constants)
    if (!before[v]) needed.push_back(v);
  for (const runtime::State& s : model.plan.model.states)
    if (model.dae.variables[s.variable].set == dae::kNone) needed.push_back(s.variable);
  for (const dae::StateSet& set : model.dae.sets)
    for (std::uint32_t rate : set.candidates) needed.push_back(model.dae.variables[rate].integral);
  std::vector<std::string> missing;
  for (std::uint32_t v : needed)
    if (std::isnan(from[v])) missing.push_back("`" + dae::variable_name(model.system, model.dae, v) + "`");
  if (!missing.empty()) {
    std::ranges::sort(missing);
    std::string names;
    for (std::size_t k = 0; k < missing.size() && k < kListed; ++k) names += (k ? ", " : "") + missing[k];
    if (missing.size() > kListed) names += fmt::format(" and {} more", missing.size() - kListed);
    diagnostics.report(Code::StartFileUnusable, fmt::format("`{}` has no value of {}", path, names))
        .note(missing.size() == 1 ? "this is a state of the model: its initial value is required"
                                  : "these are states of the model: their initial values are required")
        .help("record them: the setting `outputs` of the experiment selects the columns of the file");
    return false;
  }
  for (const std::uint32_t v : needed) {
    const system::SignalType type = system::unknown_info(model.system, model.dae.variables[v].unknown).type;
    const bool is_bool = type == system::SignalType::Bool, is_int = type == system::SignalType::Int;
    if (!(is_int && from[v] != std::floor(from[v])) && !(is_bool && from[v] != 0 && from[v] != 1)) continue;
    diagnostics
        .report(Code::StartFileUnusable, fmt::format("`{}` gives `{}` the value {}", path,
                                                     dae::variable_name(model.system, model.dae, v), from[v]))
        .note(is_bool ? "this is a Bool: its value is 0 or 1"
                      : "this is an Int: its value is a whole number");
    return false;
  }
  Diagnostic& note = diagnostics.report(
      Code::StartFromFile,
      fmt::format("the initial values are taken from `{}` at t = {:.9g} s", path, start->row.time));
  if (model.structures) {
    note.severity = Severity::Warning;
    note.note("results do not tell in which modes the switches were: they are in those of the start here");
    note.help("choose the modes of the start by an expression, or let one run go on to the end");
  }
  if (model.dae.initial.count() > 0) note.note("initial equations of the model are not used");
  describe_parameters(
      results.constants(runtime::evaluate_parameters(model.plan.model, experiment.overrides), {}), names,
      std::move(used), start->row.values, note);
  experiment.from = std::move(from);
  const double apart = std::abs(start->row.time - experiment.start);
  experiment.continues =
      apart <= 1e-12 * std::max(std::abs(start->row.time), std::abs(experiment.stop - experiment.start));
  return true;
}

}  // namespace sigrel::session
