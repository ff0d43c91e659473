#include "compiler/session/plots.h"

namespace sigrel {
namespace {

runtime::Plot plot_of(const Run& run, std::span<const std::string> names) {
  runtime::Plot plot;
  plot.times = run.trajectory.times();
  for (const std::string& name : names) {
    const std::string_view description = run.description(name);
    std::vector<double> values = run.column(name);
    pipeline::convert(description, values);
    const std::string unit = pipeline::display_unit(description) ? pipeline::shown_unit(description) : "";
    if (plot.curves.empty())
      plot.y_label = unit;
    else if (unit != plot.y_label)
      plot.y_label.clear();
    if (pipeline::is_piecewise_constant(description))
      plot.curves.push_back(runtime::make_steps(name, plot.times, values));
    else
      plot.curves.push_back({name, std::move(values)});
    plot.curves.back().states = pipeline::state_names(description);
  }
  return plot;
}

}  // namespace

int height_of(std::size_t panes) { return panes <= 1 ? 540 : 300 * static_cast<int>(panes); }

std::vector<runtime::Plot> plots_of(const Run& run, std::string title) {
  std::vector<runtime::Plot> plots;
  for (const std::vector<std::string>& pane : run.panes) plots.push_back(plot_of(run, pane));
  if (plots.empty()) plots.push_back(plot_of(run, {}));
  plots.front().title = std::move(title);
  return plots;
}

std::string plot_svg(const Run& run, std::string title) {
  const std::vector<runtime::Plot> panes = plots_of(run, std::move(title));
  runtime::SvgOptions size;
  size.height = height_of(panes.size());
  return runtime::plot_svg(panes, size);
}

}  // namespace sigrel
