// What `sigrel run` tells about a run: a plot in the terminal, final values, statistics.
#pragma once
#include "compiler/session/session.h"
#include "runtime/results/plot.h"

namespace sigrel::driver {

/// The curves of the run's plot variables.
runtime::Plot plot_of(const Run& run, std::string title);

void print_terminal_plot(const Run& run, bool color);
/// In a size that fits the terminal.
void print_terminal_plot(std::span<const runtime::Plot> panes, bool color);
/// `written`: the results are in a file too. `chosen`: the columns are what somebody named; else those that
/// are plotted are shown, if any.
void print_final_values(const Run& run, bool written, bool chosen);
void print_statistics(const Compiled& model, const Run& run);

}  // namespace sigrel::driver
