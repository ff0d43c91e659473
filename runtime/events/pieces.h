// Pieces: the smooth parts of an operation that jumps, such as floor or a table (ZeroCrossing), as intervals
// of its argument, and what the equations read of the piece that is held.
//
//   Floor  n: [n, n + 1)     Round  n: from n - 1/2 to n + 1/2     Table  k: from knot k - 1 to knot k
//
// The first and the last piece of a table are unbounded at one side.
#pragma once
#include <cstdint>

#include "runtime/interval.h"
#include "runtime/model.h"

namespace runtime {

class Pieces {
 public:
  Pieces(const Model& model, const ZeroCrossing& crossing, std::uint32_t row, const double* parameters);

  /// The arguments for which piece `number` holds.
  Interval bounds(double number) const;
  /// The piece that holds at an argument.
  double at(double argument) const;
  /// The piece beyond the nearest boundary of piece `number`; itself if there is none.
  double next_to(double number, double argument) const;

  /// The piece that is held.
  static double held(const ZeroCrossing& crossing, std::uint32_t row, const double* parameters) {
    return parameters[crossing.first + row];
  }
  /// Holds a piece: writes its number and, of a table, its polynomial. Whether it is another one.
  bool hold(double number, double* parameters) const;

 private:
  const Model& model_;
  const ZeroCrossing& crossing_;
  const std::uint32_t row_;
  PieceTable table_;  // Table
};

/// A function that is positive inside the bounds, zero at the boundaries with slope 1 or -1, negative
/// outside, and continuously differentiable: its zero crossing is the event.
double distance_inside(Interval bounds, double argument);

}  // namespace runtime
