// Moving pictures of models with bodies, as pages and as stills.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/animate/scene.h"

namespace sigrel::animate {

/// The columns that a run must record for a picture of the model: those of the scene, and what the model
/// plots.
std::vector<std::string> outputs_of(const Compiled& model, const Scene& scene);
/// The names that the model plots, by pane, as they are among the columns of the run.
Panes plotted(const Compiled& model, const runtime::Trajectory& trajectory);

struct Animation {
  const Scene& scene;
  const Movement& movement;
  const Run& run;
  Panes panes = {};  // curves beside the picture
  std::string title = {};
  bool is_partial = false;  // the structure changed, and parts that began later are missing
};

/// A page without references to other files: the picture, drawn by WebGL, that is turned, zoomed and played,
/// and plots in step with it.
std::string page(const Animation& animation);

/// Page and still of a model that is run for them; nullopt if it has no shapes, or the run fails. `part`: the
/// time of the still, as a part of the run.
struct Rendered {
  std::string page, still;
};
std::optional<Rendered> render(Session& session, const Compiled& model, const std::string& library,
                               std::string title, double part);

/// The picture at a time, as SVG: seen from the same place as the page shows at first.
std::string still(const Animation& animation, double time, int width, int height);

}  // namespace sigrel::animate
