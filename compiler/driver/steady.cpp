// sigrel steady: finds a steady state of a model.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "compiler/diagnostics/display.h"
#include "compiler/driver/command.h"
#include "compiler/pipeline/results.h"
#include "runtime/results/csv.h"

namespace sigrel::driver {
namespace {

struct Options {
  std::string file, format = "text";
  std::optional<std::string> expression;
  std::vector<std::string> set, fix, vary;
  SteadyOptions steady;
  bool strict_initial = false;
};

double bound(std::string_view text, double otherwise, const std::string& whole) {
  if (text.empty()) return otherwise;
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw CLI::ValidationError("--vary",
                               "`" + whole + "` is not NAME or NAME=LOW..HIGH, for example v=0..50");
  return value;
}

/// "v", "v=0..50", "v=0..".
SteadyOptions::Vary parse_vary(const std::string& text) {
  SteadyOptions::Vary result;
  const std::size_t equals = text.find('=');
  result.name = text.substr(0, equals);
  if (equals == std::string::npos) return result;
  const std::string_view range = std::string_view(text).substr(equals + 1);
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos)
    throw CLI::ValidationError(
        "--vary", "`" + text + "` is not NAME or NAME=LOW..HIGH; use --fix or --set to give a value");
  result.lower = bound(range.substr(0, dots), result.lower, text);
  result.upper = bound(range.substr(dots + 2), result.upper, text);
  return result;
}

const char* role_name(SteadyRow::Role role) {
  switch (role) {
    case SteadyRow::State: return "state";
    case SteadyRow::Input: return "input";
    case SteadyRow::Parameter: return "parameter";
    case SteadyRow::Given: return "given";
    case SteadyRow::Goal: return "goal";
    case SteadyRow::Held: return "held";
    case SteadyRow::Variable: return "variable";
  }
  return "";
}

/// Free, given and sought values, and the first of those that are held; if there are only these, as in a
/// model without states, the first variables instead.
std::vector<SteadyRow> shown_rows(const SteadyPoint& point) {
  constexpr std::size_t kShown = 20;
  std::vector<SteadyRow> rows;
  std::size_t held = 0;
  for (const SteadyRow& row : point.rows)
    if (row.role != SteadyRow::Held || ++held <= kShown) rows.push_back(row);
  if (held < point.rows.size()) return rows;
  rows.clear();
  for (std::size_t k = 0; k < point.all.size() && k < kShown; ++k)
    rows.push_back({SteadyRow::Variable, point.all.names[k], point.values[k], false, point.descriptions[k]});
  return rows;
}

std::string value_of(const SteadyRow& row) { return pipeline::value_text(row.description, row.value); }

void print_text(const SteadyPoint& point) {
  const std::vector<SteadyRow> rows = shown_rows(point);
  std::uint32_t width = 0, value_width = 0;
  for (const SteadyRow& row : rows) {
    width = std::max(width, display_width(row.name));
    value_width = std::max(value_width, display_width(value_of(row)));
  }
  fmt::print("steady at t = {:.9g} s\n", point.time);
  for (const SteadyRow& row : rows) {
    std::string name = row.name + std::string(width - display_width(row.name), ' ');
    std::string value = value_of(row);
    fmt::print("  {:<9}  {}  {}{}{}\n", role_name(row.role), name,
               std::string(value_width - display_width(value), ' '), value,
               row.at_bound ? "  at its bound" : "");
  }
  if (std::ranges::find(point.rows, SteadyRow::Held, &SteadyRow::role) != point.rows.end())
    fmt::print(
        "held are discrete variables after the events of the start: no clock ticks and no `when` fires\n");
}

void print_json(const SteadyPoint& point) {
  nlohmann::ordered_json j, values = nlohmann::ordered_json::object();
  j["time"] = point.time;
  for (const char* role : {"state", "input", "parameter", "given", "goal", "held"}) {
    nlohmann::ordered_json part = nlohmann::ordered_json::object();
    for (const SteadyRow& row : point.rows)
      if (std::string_view(role_name(row.role)) == role) part[row.name] = row.value;
    if (!part.empty()) j[role] = std::move(part);
  }
  for (std::size_t k = 0; k < point.all.size(); ++k) values[point.all.names[k]] = point.values[k];
  j["values"] = std::move(values);
  fmt::print("{}\n", j.dump());
}

/// Results with one row, in the format that `--init-from` reads.
void print_csv(const SteadyPoint& point) {
  std::string header = "time", row = fmt::format("{}", point.time);
  for (std::size_t k = 0; k < point.all.size(); ++k) {
    header += "," + runtime::csv_field(point.all.names[k]);
    row += fmt::format(",{}", point.values[k]);
  }
  for (const SteadyRow& r : point.rows)  // the values of --vary belong to the point
    if (r.role == SteadyRow::Parameter) {
      header += "," + runtime::csv_field(r.name);
      row += fmt::format(",{}", r.value);
    }
  fmt::print("{}\n{}\n", header, row);
}

/// Makes the free parameters parameters of the compiled model, like those of --set. False after errors.
bool set_varied(Session& session, const std::vector<SteadyOptions::Vary>& vary, Settings& set) {
  if (vary.empty()) return true;
  auto arguments = session.arguments();
  if (!arguments) return false;
  for (const SteadyOptions::Vary& v : vary) {
    if (std::ranges::find(set, v.name, &Settings::value_type::first) != set.end()) continue;
    auto found = std::ranges::find(*arguments, v.name, &elaborate::Argument::name);
    if (found == arguments->end() || found->structural) continue;
    double value = 0;  // where the search starts
    if (auto [end, error] =
            std::from_chars(found->value.data(), found->value.data() + found->value.size(), value);
        error == std::errc{})
      set.emplace_back(v.name, value);
  }
  return true;
}

int steady(const Globals& globals, Options& options) {
  Settings set = parse_settings(options.set);
  options.steady.fix = parse_settings(options.fix);
  for (const std::string& text : options.vary) options.steady.vary.push_back(parse_vary(text));
  Session session(globals.run_options());
  session.load(options.file);
  std::optional<SteadyPoint> result;
  if (session.check(options.expression) && set_varied(session, options.steady.vary, set)) {
    std::vector<std::string> varied;
    for (const SteadyOptions::Vary& vary : options.steady.vary) varied.push_back(vary.name);
    if (std::shared_ptr<Compiled> model =
            session.compile(set, Backend::Jit, start_policy(options.strict_initial, options.steady.run),
                            std::move(varied), options.steady.run.start))
      result = session.steady(*model, options.steady);
  }
  print_diagnostics(globals, session);
  print_timings(globals, session);
  if (!result) return kUserError;
  if (options.format == "json")
    print_json(*result);
  else if (options.format == "csv")
    print_csv(*result);
  else
    print_text(*result);
  return kSuccess;
}

}  // namespace

void add_steady(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  SteadyOptions& s = options->steady;
  CLI::App* command =
      app.add_subcommand("steady", "Find a steady state of a model: all derivatives of states are zero");
  command->add_option("file", options->file, "Input file")->required()->type_name("FILE");
  command
      ->add_option("-e,--expression", options->expression,
                   "Run this experiment or relation instead of `main`")
      ->type_name("EXPR");
  command->add_option("--set", options->set, "Set a Real parameter by its hierarchical name; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--fix", options->fix, "Prescribe the value of a variable in the steady state; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--vary", options->vary,
          "Free a parameter or a variable, within bounds; a variable becomes independent of its equation; "
          "repeatable")
      ->type_name("NAME[=LOW..HIGH]")
      ->allow_extra_args(false);
  CLI::Option* least = command
                           ->add_option("--minimise,--minimize", s.minimise,
                                        "Find a steady state that minimises this variable")
                           ->type_name("NAME");
  command->add_option("--maximise,--maximize", s.maximise, "Find a steady state that maximises this variable")
      ->type_name("NAME")
      ->excludes(least);
  command
      ->add_option("--exclude", s.exclude,
                   "State that keeps its initial value and need not be at rest; repeatable")
      ->type_name("STATE")
      ->allow_extra_args(false);
  command->add_option("--at", s.run.start, "Time in seconds (default: the start of the experiment)")
      ->type_name("T");
  add_start_options(*command, options->strict_initial, s.run);
  command
      ->add_option("--format", options->format, "Output format: text, json or csv (readable by --init-from)")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->type_name("FORMAT");
  command->callback([&globals, &exit_code, options] { exit_code = steady(globals, *options); });
}

}  // namespace sigrel::driver
