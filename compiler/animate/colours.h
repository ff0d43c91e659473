// What pages and stills have in common: colours, and the part of space that they show.
#pragma once
#include <string>

#include "compiler/animate/scene.h"

namespace sigrel::animate {

Vector body_colour(std::uint32_t body);
std::string hex(const Vector& rgb);
std::string colour_of(const Shape& shape);

struct View {
  Vector low{}, high{};  // of what moves, with the sizes of the shapes
  double ground = 0;     // the height of the plane that the shadows fall on
};
View view_of(const Scene& scene, const Movement& movement);

}  // namespace sigrel::animate
