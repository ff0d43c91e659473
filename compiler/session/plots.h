// Plots of a run: its panes, with units of display.
#pragma once
#include <string>
#include <vector>

#include "compiler/session/session.h"
#include "runtime/results/plot_svg.h"

namespace sigrel {

/// A plot for each pane of the run, at least one.
std::vector<runtime::Plot> plots_of(const Run& run, std::string title);
/// The height of a picture of so many panes, in pixels.
int height_of(std::size_t panes);
/// All panes as one picture.
std::string plot_svg(const Run& run, std::string title);

}  // namespace sigrel
