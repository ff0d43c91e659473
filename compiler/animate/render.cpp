#include <algorithm>

#include "compiler/animate/animate.h"
#include "compiler/pipeline/results.h"
#include "runtime/solve/parameters.h"

namespace sigrel::animate {

std::vector<std::string> outputs_of(const Compiled& model, const Scene& scene) {
  const pipeline::Results results(model);
  std::vector<std::string> names;
  // What only auxiliary unknowns hold has no name in results.
  for (std::string& name : columns_of(model, scene))
    if (results.find(name)) names.push_back(std::move(name));
  for (const std::vector<std::string>& pane : model.experiment.plot)
    names.insert(names.end(), pane.begin(), pane.end());
  return names;
}

Panes plotted(const Compiled& model, const runtime::Trajectory& trajectory) {
  Panes panes;
  for (const std::vector<std::string>& patterns : model.experiment.plot) {
    std::vector<std::string> pane;
    for (const std::string& pattern : patterns)
      for (const std::string& name : trajectory.names())
        if (pipeline::matches(pattern, name) && std::ranges::find(pane, name) == pane.end())
          pane.push_back(name);
    if (!pane.empty()) panes.push_back(std::move(pane));
  }
  return panes;
}

std::optional<Rendered> render(Session& session, const Compiled& model, const std::string& library,
                               std::string title, double part) {
  constexpr int kWidth = 960, kHeight = 540;
  constexpr std::size_t kRows = 1'500;  // of a page
  Scene scene = scene_of(model, session.sources(), library, runtime::evaluate_parameters(model.plan.model));
  if (scene.empty()) return std::nullopt;
  RunOptions options;
  options.outputs = outputs_of(model, scene);
  const Run run = session.run(model, options);
  if (!run.completed() || run.trajectory.rows() == 0) return std::nullopt;
  const Movement moves = movement(model, scene, run.trajectory, kRows);
  choose_sizes(scene, moves);
  const double begin = moves.times.front(), end = moves.times.back();
  const Animation animation{scene, moves, run, plotted(model, run.trajectory), std::move(title)};
  return Rendered{page(animation), still(animation, begin + part * (end - begin), kWidth, kHeight)};
}

}  // namespace sigrel::animate
