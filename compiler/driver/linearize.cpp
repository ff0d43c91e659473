// sigrel linearize: a linear model at a point of a run.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "compiler/diagnostics/display.h"
#include "compiler/driver/command.h"
#include "runtime/results/csv.h"

namespace sigrel::driver {
namespace {

struct Options {
  std::string file, format = "text";
  std::optional<std::string> expression;
  std::vector<std::string> set;
  LinearizeOptions linearize;
  bool strict_initial = false;
};

using Names = std::vector<std::string>;

std::string number(double x) { return fmt::format("{:.10g}", x); }

/// A matrix with the names of its rows and columns, right-aligned.
void print_matrix(const char* title, const Names& rows, const Names& columns,
                  const std::vector<double>& values) {
  if (values.empty()) return;
  std::uint32_t left = 0;
  for (const std::string& row : rows) left = std::max(left, display_width(row));
  std::vector<std::uint32_t> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    widths.push_back(display_width(columns[c]));
    for (std::size_t r = 0; r < rows.size(); ++r)
      widths[c] = std::max(widths[c], display_width(number(values[r * columns.size() + c])));
  }
  auto padding = [](std::uint32_t width, const std::string& text) {
    return std::string(width - display_width(text), ' ');
  };
  fmt::print("\n{}\n  {}", title, std::string(left, ' '));
  for (std::size_t c = 0; c < columns.size(); ++c)
    fmt::print("  {}{}", padding(widths[c], columns[c]), columns[c]);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    fmt::print("\n  {}{}", rows[r], padding(left, rows[r]));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::string text = number(values[r * columns.size() + c]);
      fmt::print("  {}{}", padding(widths[c], text), text);
    }
  }
  fmt::print("\n");
}

/// Says where the point is no equilibrium, with the derivatives that are not zero.
void print_motion(const Linearization& l, const Names& rates) {
  constexpr std::size_t kShown = 4;
  std::string moving;
  std::size_t count = 0;
  for (std::size_t k = 0; k < l.rates.size(); ++k) {
    if (l.rates[k] == 0) continue;
    if (++count <= kShown)
      moving += fmt::format("{}{} = {}", count > 1 ? ", " : "", rates[k], number(l.rates[k]));
  }
  if (count == 0) return;
  if (count > kShown) moving += fmt::format(" and {} more", count - kShown);
  fmt::print("no equilibrium: {}; the matrices describe deviations from this motion\n", moving);
}

void print_text(const Linearization& l) {
  Names rates;
  for (const std::string& state : l.states) rates.push_back("der(" + state + ")");
  fmt::print("at t = {:.9g} s: {} state{}, {} input{}, {} output{}\n", l.time, l.states.size(),
             l.states.size() == 1 ? "" : "s", l.inputs.size(), l.inputs.size() == 1 ? "" : "s",
             l.outputs.size(), l.outputs.size() == 1 ? "" : "s");
  print_motion(l, rates);
  print_matrix("A", rates, l.states, l.model.a);
  print_matrix("B", rates, l.inputs, l.model.b);
  print_matrix("C", l.outputs, l.states, l.model.c);
  print_matrix("D", l.outputs, l.inputs, l.model.d);
  auto found = runtime::eigenvalues(l.model.a);
  if (!found.empty()) fmt::print("\neigenvalues of A, 1/s\n");
  for (auto z : found)
    if (z.imag() == 0)
      fmt::print("  {}\n", number(z.real()));
    else if (z.imag() > 0)
      fmt::print("  {} ± {} i    {} Hz, damping ratio {}\n", number(z.real()), number(z.imag()),
                 fmt::format("{:.6g}", std::abs(z) / (2 * std::acos(-1.0))),
                 fmt::format("{:.6g}", 0.0 - z.real() / std::abs(z)));
}

void print_json(const Linearization& l) {
  auto matrix = [](std::size_t rows, const std::vector<double>& values) {
    nlohmann::ordered_json result = nlohmann::ordered_json::array();
    const std::size_t width = rows ? values.size() / rows : 0;
    for (std::size_t r = 0; r < rows; ++r)
      result.push_back(std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(r * width),
                                           values.begin() + static_cast<std::ptrdiff_t>((r + 1) * width)));
    return result;
  };
  nlohmann::ordered_json j;
  j["time"] = l.time;
  j["states"] = l.states;
  j["inputs"] = l.inputs;
  j["outputs"] = l.outputs;
  j["derivatives"] = l.rates;
  j["A"] = matrix(l.states.size(), l.model.a);
  j["B"] = matrix(l.states.size(), l.model.b);
  j["C"] = matrix(l.outputs.size(), l.model.c);
  j["D"] = matrix(l.outputs.size(), l.model.d);
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (auto z : runtime::eigenvalues(l.model.a)) values.push_back({z.real(), z.imag()});
  j["eigenvalues"] = std::move(values);
  fmt::print("{}\n", j.dump());
}

/// [A B; C D] with names of columns and rows, for `column` of a model.
void print_csv(const Linearization& l) {
  std::string text = "row";
  for (const Names* names : {&l.states, &l.inputs})
    for (const std::string& name : *names) text += "," + runtime::csv_field(name);
  auto append = [&](const std::string& row, std::size_t at, const std::vector<double>& of_states,
                    const std::vector<double>& of_inputs) {
    text += "\n" + runtime::csv_field(row);
    for (std::size_t c = 0; c < l.states.size(); ++c)
      text += fmt::format(",{}", of_states[at * l.states.size() + c]);
    for (std::size_t c = 0; c < l.inputs.size(); ++c)
      text += fmt::format(",{}", of_inputs[at * l.inputs.size() + c]);
  };
  for (std::size_t r = 0; r < l.states.size(); ++r)
    append("der(" + l.states[r] + ")", r, l.model.a, l.model.b);
  for (std::size_t r = 0; r < l.outputs.size(); ++r) append(l.outputs[r], r, l.model.c, l.model.d);
  fmt::print("{}\n", text);
}

int linearize(const Globals& globals, const Options& options) {
  Settings set = parse_settings(options.set);
  Session session(globals.run_options());
  session.load(options.file);
  std::optional<Linearization> result;
  if (session.check(options.expression))
    if (std::shared_ptr<Compiled> model =
            session.compile(set, Backend::Jit, start_policy(options.strict_initial, options.linearize.run),
                            options.linearize.inputs, options.linearize.run.start))
      result = session.linearize(*model, options.linearize);
  print_diagnostics(globals, session);
  print_timings(globals, session);
  if (!result) return kUserError;
  const auto print = options.format == "json" ? print_json : options.format == "csv" ? print_csv : print_text;
  print(*result);
  return kSuccess;
}

}  // namespace

void add_linearize(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("linearize", "Linearize a model at a point of its run: A, B, C, D and eigenvalues");
  command->add_option("file", options->file, "Input file")->required()->type_name("FILE");
  command
      ->add_option("-e,--expression", options->expression,
                   "Run this experiment or relation instead of `main`")
      ->type_name("EXPR");
  command
      ->add_option("--at", options->linearize.run.stop,
                   "Time of the linearization in seconds (default: the start)")
      ->type_name("T");
  command
      ->add_option("--input", options->linearize.inputs,
                   "Variable to use as an input, independent of its equation; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--output", options->linearize.outputs, "Variable to use as an output; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      ->add_option("--tolerance", options->linearize.run.tolerance,
                   "Relative tolerance of the run to that time")
      ->type_name("X");
  command
      ->add_option("--max-step", options->linearize.run.max_step,
                   "Longest step of the integrator in seconds (default: any that meets the tolerance)")
      ->type_name("SECONDS");
  add_start_options(*command, options->strict_initial, options->linearize.run);
  command->add_option("--set", options->set, "Set a Real parameter by its hierarchical name; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--format", options->format, "Output format: text, json or csv")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->type_name("FORMAT");
  command->callback([&globals, &exit_code, options] { exit_code = linearize(globals, *options); });
}

}  // namespace sigrel::driver
