// Output of `sigrel run`: a plot in the terminal, final values, statistics.
#pragma once
#include "compiler/explain/event_log.h"
#include "compiler/session/plots.h"
#include "compiler/session/session.h"
#include "runtime/results/plot.h"

namespace sigrel::driver {

/// Why a plot cannot be written to a file of this name: the ending is that of another format. Empty: it can.
std::string no_plot_file(const std::string& path);
/// Writes a plot as it is, or as PNG if the name ends in .png; false (reported) if that fails.
bool write_plot(const std::string& path, std::string_view svg, int width, int height,
                Diagnostics& diagnostics);

void print_terminal_plot(const Run& run, bool color);
/// Scaled to the terminal.
void print_terminal_plot(std::span<const runtime::Plot> panes, bool color);
/// `written`: the results are also in a file. `chosen`: the user selected the columns; otherwise only the
/// plotted ones are shown, if there are any.
void print_final_values(const Run& run, bool written, bool chosen);
/// `events`: that observed the run.
void print_statistics(const Compiled& model, const Run& run, explain::EventLog& events);

}  // namespace sigrel::driver
