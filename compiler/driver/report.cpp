#include "compiler/driver/report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cmath>

#include <algorithm>
#include <filesystem>

#include "compiler/diagnostics/display.h"
#include "compiler/session/statistics.h"
#include "runtime/results/output_file.h"
#include "runtime/results/plot_png.h"
#include "runtime/results/plot_terminal.h"

namespace sigrel::driver {
namespace {

constexpr std::size_t kFinalValues = 16;  // at most

runtime::TerminalOptions terminal_size() {
  runtime::TerminalOptions options;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 && size.ws_row >= 8) {
    options.width = std::min<int>(size.ws_col, 120);
    options.height = std::clamp<int>(size.ws_row - 6, 8, 24);
  }
  return options;
}

}  // namespace

std::string no_plot_file(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty() || extension == ".svg" || extension == ".png") return {};
  return "`" + path + "` must end in .svg or .png";
}

bool write_plot(const std::string& path, std::string_view svg, int width, int height,
                Diagnostics& diagnostics) {
  runtime::PngResult result;
  if (path.ends_with(".png"))
    result = runtime::write_png(path, svg, width, height);
  else
    result.error = runtime::write_file(path, svg);
  if (result.error.empty()) return true;
  Diagnostic& d = diagnostics.report(Code::ResultNotWritten, "the plot cannot be written to `" + path + "`")
                      .note(result.error);
  if (result.no_library)
    d.help("install the package `librsvg2-2`, or write an SVG file, with a name in .svg");
  return false;
}

void print_terminal_plot(std::span<const runtime::Plot> panes, bool color) {
  runtime::TerminalOptions options = terminal_size();
  options.colour = color;
  if (panes.size() > 1) options.height = std::max(8, options.height * 2 / 3);
  std::string text = runtime::plot_terminal(panes, options);
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
}

void print_terminal_plot(const Run& run, bool color) {
  if (!run.panes.empty()) print_terminal_plot(plots_of(run, {}), color);
}

void print_final_values(const Run& run, bool written, bool chosen) {
  if (run.final_values.empty()) return;
  // Plotted variables first in interest; variables of interfaces and unlabelled parts come last.
  const std::vector<std::string> plotted = run.plotted();
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < run.columns.size(); ++c)
    if (chosen || plotted.empty() || std::ranges::find(plotted, run.columns.names[c]) != plotted.end())
      shown.push_back(c);
  if (shown.size() <= pipeline::Results::kSmall)
    std::ranges::stable_sort(shown, {},
                             [&](std::size_t c) { return std::ranges::count(run.columns.names[c], '.'); });
  std::size_t all = run.columns.size();
  if (shown.size() > kFinalValues) shown.resize(kFinalValues);
  std::uint32_t width = 0;
  for (std::size_t c : shown) width = std::max(width, display_width(run.columns.names[c]));
  fmt::print("t = {:.10g} s\n", run.outcome.reached);
  for (std::size_t c : shown) {
    const std::string& name = run.columns.names[c];
    fmt::print("  {}{} = {}\n", name, std::string(width - display_width(name), ' '),
               pipeline::value_text(run.descriptions[c], run.final_values[c]));
  }
  if (all > shown.size())
    fmt::print("  and {} more{}\n", all - shown.size(), written ? "" : "; `-o FILE` writes all of them");
}

void print_statistics(const Compiled& model, const Run& run, explain::EventLog& events) {
  fmt::print("{}", session::statistics_text(model, run, events));
}

}  // namespace sigrel::driver
