#include "compiler/animate/colours.h"

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace sigrel::animate {

Vector body_colour(std::uint32_t body) {
  static constexpr Vector kPalette[] = {{0.36, 0.48, 0.62}, {0.18, 0.44, 0.72}, {0.85, 0.42, 0.18},
                                        {0.20, 0.60, 0.38}, {0.55, 0.28, 0.69}, {0.75, 0.58, 0.10},
                                        {0.76, 0.20, 0.45}, {0.25, 0.58, 0.58}, {0.50, 0.38, 0.28}};
  constexpr std::uint32_t kCount = std::size(kPalette);
  return kPalette[body == 0 ? 0 : 1 + (body - 1) % (kCount - 1)];
}

std::string hex(const Vector& rgb) {
  const auto byte = [](double x) { return static_cast<int>(std::lround(255 * std::clamp(x, 0.0, 1.0))); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(rgb[0]), byte(rgb[1]), byte(rgb[2]));
}

std::string colour_of(const Shape& s) {
  if (s.kind == Shape::Arrow) return "#c8281e";
  if (s.colour) return hex(*s.colour);
  if (s.quiet) return "#5b6168";
  Vector rgb = body_colour(s.body);
  // Rods and springs are lighter than the bodies that they join.
  if (s.kind == Shape::Rod || s.kind == Shape::Coil)
    for (double& c : rgb) c = 0.55 * c + 0.30;
  return hex(rgb);
}

View view_of(const Scene& scene, const Movement& m) {
  constexpr std::size_t kRows = 200;  // that are looked at
  View view{m.low, m.high, 0};
  const std::size_t rows = m.times.size(), step = std::max<std::size_t>(1, rows / kRows);
  for (const Shape& s : scene.shapes) {
    Eigen::Vector3d half(s.size[0] / 2, s.size[1] / 2, s.size[2] / 2);
    if (s.kind == Shape::Ball) half *= 2;
    if (s.kind == Shape::Cylinder) half = {s.size[0], s.size[1], s.size[2] / 2};
    if (s.kind != Shape::Box && s.kind != Shape::Ball && s.kind != Shape::Cylinder) continue;
    const Eigen::Quaterniond turn(s.turn[0], s.turn[1], s.turn[2], s.turn[3]);
    for (std::size_t row = 0; row < rows; row += step) {
      const float* p = m.poses.data() + (row * scene.frames.size() + s.frame) * 7;
      if (!std::isfinite(p[0])) continue;
      const Eigen::Matrix3d axes = (Eigen::Quaterniond(p[3], p[4], p[5], p[6]) * turn).toRotationMatrix();
      const Eigen::Vector3d reach = axes.cwiseAbs() * half;
      for (std::size_t k = 0; k < 3; ++k) {
        view.low[k] = std::min(view.low[k], p[k] - reach(static_cast<Eigen::Index>(k)));
        view.high[k] = std::max(view.high[k], p[k] + reach(static_cast<Eigen::Index>(k)));
      }
    }
  }
  view.ground = scene.ground ? 0 : view.low[2];
  return view;
}

}  // namespace sigrel::animate
