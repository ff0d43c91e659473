// What lies between the two rotations of an edge, b = a T: how T depends on the unknowns of the edge, and so
// its angular velocity on their derivatives.
//
// Example: `b.rot = a.rot * turn e phi` turns about e with der phi, whatever phi is.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/system.h"
#include "compiler/reduce/mechanisms/rotation_edges.h"
#include "compiler/reduce/mechanisms/row_values.h"

namespace sigrel::reduce {

struct RelativeRotation {
  enum Kind : std::uint8_t {
    Fixed,       // it does not turn
    Axis,        // about an axis that is constant in the frame that it starts from
    Quaternion,  // the rotation of a quaternion of any length
  } kind = Fixed;
  /// The equations of the edge determine `from`, rather than `to`.
  bool determines_from = false;
  /// Axis: over the parameters of the edge. Its length is the ratio of the angular velocity to the
  /// derivative.
  std::array<ExprId, 3> axis{};
  /// Unknowns: the angle, or the quaternion with its real part first.
  std::vector<std::uint32_t> coordinates;
};

/// Finds relative rotations. What has the same shape is analysed once, for all parameters; each edge is
/// compared with what was found, at three points of its unknowns, with its own numbers and with others that a
/// run can give to it. Edges that depend on these like no analytic function, and other forms, such as two
/// angles in one equation, an angle that is not linear in its unknown, or one that time turns, are none.
class RelativeRotations {
 public:
  /// `pool` has the residuals of the edges; expressions are added.
  RelativeRotations(const system::System& system, ExprPool& pool);
  /// Nullopt: of another form, or not a rotation.
  std::optional<RelativeRotation> of(const RotationEdge& edge);

 private:
  struct Shape {
    bool is_known = false;  // of a known form
    bool determines_from = false;
    RelativeRotation::Kind kind = RelativeRotation::Fixed;
    Matrix matrix{};                  // over slots and parameters: to = from * matrix
    std::vector<Matrix> partials;     // by free slot
    std::array<ExprId, 3> axis{};     // Axis
    ExprId angle, ratio;              // Axis: of the sines and cosines; its derivative
    std::vector<std::uint32_t> free;  // slots; Quaternion: in the order of its elements
  };
  const Shape& shape(const RotationEdge& edge);
  void analyse(const RotationEdge& edge, Shape& shape);
  bool find_angle(Shape& shape);
  bool find_quaternion(const RotationEdge& edge, Shape& shape);
  bool agrees(const RotationEdge& edge, const Shape& shape);
  bool agrees_with_numbers(const RotationEdge& edge, const Shape& shape,
                           const std::vector<double>& parameters);
  using Numbers = std::array<double, 9>;
  double value(ExprId expr, std::span<const double> slots, const RotationEdge& edge,
               const std::vector<double>& parameters);

  ExprPool& pool_;
  std::vector<double> own_;  // of parameters
  ChangedParameters changed_;
  std::map<std::vector<std::uint32_t>, Shape> shapes_;
};

}  // namespace sigrel::reduce
