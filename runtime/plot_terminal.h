// A line chart of characters: braille dots (two by four in a cell), or plain ASCII.
#pragma once
#include <string>

#include "runtime/plot.h"

namespace runtime {

struct TerminalOptions {
  int width = 80, height = 20;  // of the whole plot without title and legend, in characters
  bool colour = false;          // ANSI colours
  bool ascii = false;
};

std::string plot_terminal(const Plot& plot, const TerminalOptions& options = {});

}  // namespace runtime
