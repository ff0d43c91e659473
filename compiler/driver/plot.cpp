// sigrel plot: plots variables of one or several runs, in one or several panes.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "compiler/driver/command.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/report.h"
#include "compiler/pipeline/results.h"
#include "compiler/session/result_table.h"
#include "runtime/results/plot_svg.h"

namespace sigrel::driver {
namespace {

struct Options {
  std::vector<std::string> files, panes;
  std::string output, title;
  int width = 960, height = 0;
};

/// Distinct names of the runs: their file names, with folders where the file names are equal.
std::vector<std::string> run_names(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).stem().string());
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() ? names : files;
}

/// The common unit of all curves of a pane, in brackets; empty if they differ.
std::string common_unit(const std::vector<std::string>& descriptions) {
  std::string unit;
  for (const std::string& text : descriptions) {
    const std::size_t open = text.rfind('[');
    if (open == std::string::npos || !text.ends_with(']')) return {};
    const std::string shown = pipeline::shown_unit(std::string_view(text).substr(open));
    if (!unit.empty() && unit != shown) return {};
    unit = shown;
  }
  return unit;
}

runtime::Plot make_pane(const std::vector<std::string>& patterns,
                        const std::vector<session::ResultTable>& tables,
                        const std::vector<std::string>& runs) {
  runtime::Plot pane;
  std::vector<std::string> descriptions;
  for (const std::string& pattern : patterns)
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const session::ResultTable& table = tables[t];
      for (std::size_t k = 0; k < table.names.size(); ++k) {
        if (!pipeline::matches(pattern, table.names[k])) continue;
        std::string name = table.names[k] + (tables.size() > 1 ? " (" + runs[t] + ")" : "");
        if (std::ranges::find(pane.curves, name, &runtime::Curve::name) != pane.curves.end())
          continue;  // matched by an earlier pattern
        descriptions.push_back(table.descriptions[k]);
        std::vector<double> values = table.columns[k];
        const std::string_view unit =
            std::string_view(table.descriptions[k])
                .substr(std::min(table.descriptions[k].size(), table.descriptions[k].rfind('[')));
        pipeline::convert(unit, values);
        if (table.piecewise_constant(k))
          pane.curves.push_back(runtime::make_steps(std::move(name), table.times, values));
        else
          pane.curves.push_back({std::move(name), std::move(values), table.times});
        pane.curves.back().states = pipeline::state_names(table.descriptions[k]);
      }
    }
  pane.y_label = common_unit(descriptions);
  return pane;
}

void write_picture(const Options& options, const std::vector<runtime::Plot>& panes,
                   Diagnostics& diagnostics) {
  const int height = options.height > 0 ? options.height : height_of(panes.size());
  const std::string svg = runtime::plot_svg(panes, {options.width, height});
  write_plot(options.output, svg, options.width, height, diagnostics);
}

int plot(const Globals& globals, const Options& options) {
  if (const std::string reason = no_plot_file(options.output); !reason.empty())
    throw CLI::ValidationError("-o", reason);
  std::vector<std::vector<std::string>> wanted;
  std::vector<std::string> all;
  for (const std::string& text : options.panes) {
    wanted.push_back(split_names(text));
    all.insert(all.end(), wanted.back().begin(), wanted.back().end());
  }
  Diagnostics diagnostics;
  std::vector<NamedFile> inputs;
  for (const std::string& file : options.files) inputs.push_back({"results to plot", file});
  if (!outputs_are_separate(std::vector<NamedFile>{{"`-o`", options.output}}, inputs, diagnostics)) {
    print_diagnostics(globals, diagnostics, SourceMap{});
    return kUserError;
  }
  std::vector<session::ResultTable> tables;
  auto chosen = [&](std::string_view name) {
    return std::ranges::any_of(all,
                               [&](const std::string& pattern) { return pipeline::matches(pattern, name); });
  };
  for (const std::string& file : options.files)
    if (auto table = session::read_results(file, chosen, diagnostics)) tables.push_back(std::move(*table));
  if (!diagnostics.has_errors()) session::check_patterns(all, tables, diagnostics);
  if (!diagnostics.has_errors()) {
    std::vector<runtime::Plot> panes;
    for (const auto& patterns : wanted)
      panes.push_back(make_pane(patterns, tables, run_names(options.files)));
    panes.front().title = options.title;
    if (options.output.empty())
      print_terminal_plot(panes, use_color(globals, stdout));
    else
      write_picture(options, panes, diagnostics);
  }
  print_diagnostics(globals, diagnostics, SourceMap{});
  return diagnostics.has_errors() ? kUserError : kSuccess;
}

}  // namespace

void add_plot(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("plot", "Plot variables from result files");
  command->add_option("files", options->files, "Result files, CSV or MATLAB")->required()->type_name("FILE");
  command
      ->add_option(
          "-v,--variables", options->panes,
          "Variables of a pane, separated by commas; * matches any characters; repeat for more panes")
      ->required()
      ->type_name("NAME[,NAME…]")
      ->allow_extra_args(false);
  command
      ->add_option("-o,--output", options->output,
                   "Write an .svg or .png file instead of plotting in the terminal")
      ->type_name("FILE");
  command->add_option("--title", options->title, "Title of the plot")->type_name("TEXT");
  command->add_option("--width", options->width, "Width of the picture")
      ->check(CLI::Range(240, 10000))
      ->type_name("N");
  command->add_option("--height", options->height, "Height of the picture")
      ->check(CLI::Range(160, 10000))
      ->type_name("N");
  command->callback([&globals, &exit_code, options] { exit_code = plot(globals, *options); });
}

}  // namespace sigrel::driver
