// A line chart as a self-contained SVG.
#pragma once
#include <string>

#include "runtime/results/plot.h"

namespace runtime {

struct SvgOptions {
  int width = 960, height = 540;  // of the whole picture
};

/// Panes one above the other, over the same time.
std::string plot_svg(std::span<const Plot> panes, const SvgOptions& options = {});
std::string plot_svg(const Plot& plot, const SvgOptions& options = {});

}  // namespace runtime
