// A line chart as a self-contained SVG.
#pragma once
#include <string>

#include "runtime/plot.h"

namespace runtime {

struct SvgOptions {
  int width = 960, height = 540;
};

std::string plot_svg(const Plot& plot, const SvgOptions& options = {});

}  // namespace runtime
