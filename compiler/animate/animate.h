// Moving pictures of models with bodies, as pages and as stills.
#pragma once
#include <string>

#include "compiler/animate/scene.h"

namespace sigrel::animate {

struct Animation {
  const Scene& scene;
  const Movement& movement;
  const Run& run;
  Panes panes = {};  // curves beside the picture
  std::string title = {};
};

/// A page without references to other files: the picture, drawn by WebGL, that is turned, zoomed and played,
/// and plots in step with it.
std::string page(const Animation& animation);

/// The picture at a time, as SVG: seen from the same place as the page shows at first.
std::string still(const Animation& animation, double time, int width, int height);

}  // namespace sigrel::animate
