// A line chart of characters: braille dots (two by four in a cell), or plain ASCII.
#pragma once
#include <string>

#include "runtime/results/plot.h"

namespace runtime {

struct TerminalOptions {
  int width = 80, height = 20;  // of one pane without title and legend, in characters
  bool colour = false;          // ANSI colours
  bool ascii = false;
};

/// Panes one above the other, over the same time.
std::string plot_terminal(std::span<const Plot> panes, const TerminalOptions& options = {});
std::string plot_terminal(const Plot& plot, const TerminalOptions& options = {});

}  // namespace runtime
