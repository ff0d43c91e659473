// What a picture of a model shows: the shapes of the parts of `Spatial` and `Planar` in it, on frames that a
// run moves. Shapes follow from the parts and their arguments; nobody draws them. `boxShape` and its kin of
// the library add others.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/session/session.h"

namespace sigrel::animate {

using Vector = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // the real part first

struct Shape {
  enum Kind : std::uint8_t {
    Box,       // size: its edges
    Ball,      // size: the radius, three times
    Cylinder,  // along the third axis; size: radius, radius, length
    Rod,       // from `frame` to `to`; size: the radius
    Coil,      // the same, a spring
    Arrow,     // of a vector that ends at the frame; size: metres per unit of it
    Trace,     // the path of the frame so far
    Axes       // of the frame
  } kind = Box;
  std::uint32_t frame = 0, to = 0, vector = 0;  // of Scene::frames, Scene::vectors
  Vector size{};                                // in m; 0: chosen by the size of the scene
  Quaternion turn{1, 0, 0, 0};                  // from the axes of the shape to those of the frame
  std::uint32_t group = 0;                      // of Scene::groups
  std::uint32_t body = 0;             // frames that rods join are one body, with a colour; 0: the ground
  bool quiet = false;                 // a joint, or the ground: in grey
  bool thick = false;                 // a rod with mass
  int layer = 0;                      // in the plane: those of higher ones cover others
  std::optional<Vector> colour = {};  // red, green, blue, from 0 to 1
};

/// Where the values of a frame are: unknowns of the flat system.
struct Frame {
  std::string name;  // "a", "base.b"
  std::vector<std::uint32_t>
      unknowns;  // Spatial: r[1] to r[3], rot[1,1] to rot[3,3] by rows; Planar: x, y, phi
};

struct Scene {
  bool planar = false;
  std::vector<Frame> frames;
  std::vector<std::array<std::uint32_t, 3>> vectors;  // unknowns; forces that the picture shows
  std::vector<Shape> shapes;
  std::vector<std::string> groups;  // labels of parts of the model; the first one is of those without
  bool ground = false;              // something touches the plane r[3] = 0

  bool empty() const { return shapes.empty(); }
};

/// `library`: the folder of the standard library, whose parts are known. `parameters`: of the run.
Scene scene_of(const Compiled& model, const SourceMap& sources, const std::string& library,
               std::span<const double> parameters);

/// The names of all columns that `movement` needs.
std::vector<std::string> columns_of(const Compiled& model, const Scene& scene);

/// Positions, orientations and forces over time, thinned to at most `most` rows.
struct Movement {
  std::vector<double> times;
  std::vector<float> poses;    // by row and frame: three coordinates, four of the quaternion
  std::vector<float> vectors;  // by row and vector
  Vector low{}, high{};        // of all frames at all times
  std::size_t rows = 0;        // of the run

  double size() const;  // the diagonal of that box, in m
};

/// Missing values, where a part does not exist yet, are NaN.
Movement movement(const Compiled& model, const Scene& scene, const runtime::Trajectory& trajectory,
                  std::size_t most);

/// What the view follows: all that moves, if it moves far relative to its size, as a car does on its way.
struct Following {
  std::vector<std::uint32_t> frames;  // its middle is that of the box around these
  double size = 0;                    // the largest diagonal of that box, with the shapes, in m
};
std::optional<Following> following(const Scene& scene, const Movement& movement);

/// Gives shapes without a size the usual one, and drops rods inside of boxes.
void choose_sizes(Scene& scene, const Movement& movement);

}  // namespace sigrel::animate
