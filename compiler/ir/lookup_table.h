// Tables of data as functions of one or two arguments, stored as polynomials between the knots.
//
// One argument: n knots make n + 1 pieces, one before the first knot and one after the last, so that
// evaluation has no special cases at the ends; a piece is a cubic in the distance from the knot at its left
// (of the first piece: at its right). Two arguments: the same in either direction, (n + 1)(m + 1) pieces of 4
// x 4 coefficients (the tensor product).
//
// Linear: straight lines, a jump of the slope at each knot; two points with one argument are a jump of the
// value. Spline: the natural cubic spline (second
// derivative zero at both ends), twice continuously differentiable; its extension by straight lines is so
// too. (de Boor, A Practical Guide to Splines, chapters IV and XVII.)
#pragma once
#include <cstdint>
#include <vector>

namespace sigrel {

enum class Interpolation : std::uint8_t { Linear, Spline };
/// Outside the knots: the value at the nearest end, or the straight line that continues there.
enum class Outside : std::uint8_t { Hold, Extend };

struct LookupTable {
  std::vector<double> x, y;  // knots; `y` is empty in a table of one argument
  std::vector<double>
      coefficients;     // of each piece 4, lowest power first; of two arguments 4 x 4, powers of y inside
  bool smooth = false;  // neither the value nor the slope jumps
  bool jumps = false;   // the value jumps at some knot
  bool operator==(const LookupTable&) const = default;
};

/// At least two knots, and as many values. Knots increase strictly; of a linear table, two may be equal if
/// not all are.
LookupTable make_table(Interpolation kind, Outside outside, std::vector<double> x,
                       const std::vector<double>& values);
/// `values[i * y.size() + j]` belongs to x[i], y[j].
LookupTable make_table(Interpolation kind, Outside outside, std::vector<double> x, std::vector<double> y,
                       const std::vector<double>& values);

/// The value, or its derivative of the given order in each argument. At a knot the right piece counts.
double interpolate(const LookupTable& table, std::uint32_t order, double x);
double interpolate(const LookupTable& table, std::uint32_t order_x, std::uint32_t order_y, double x,
                   double y);

}  // namespace sigrel
