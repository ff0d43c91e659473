#include "runtime/events/pieces.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

Pieces::Pieces(const Model& model, const ZeroCrossing& crossing, std::uint32_t row, const double* parameters)
    : model_(model), crossing_(crossing), row_(row) {
  if (crossing.kind != ZeroCrossing::Table) return;
  const KernelBatch& batch = model.batches[crossing.batch];
  const std::uint64_t column = batch.slots + batch.params - 1;
  const std::uint32_t number = model.tables[batch.table + column * batch.count + row];
  table_ = model.piece_tables[static_cast<std::size_t>(parameters[number])];
}

Interval Pieces::bounds(double number) const {
  switch (crossing_.kind) {
    case ZeroCrossing::Comparison: return number != 0 ? Interval{-kInfinity, 0} : Interval{0, kInfinity};
    // Beyond 2^53 the next number is further away than 1.
    case ZeroCrossing::Floor: return {number, std::max(number + 1, std::nextafter(number, kInfinity))};
    case ZeroCrossing::Round: return {number - 0.5, number + 0.5};
    case ZeroCrossing::Table: break;
  }
  const double* knots = model_.knots.data() + table_.first_knot;
  const auto k = static_cast<std::uint64_t>(number);
  return {k > 0 ? knots[k - 1] : -kInfinity, k < table_.knots ? knots[k] : kInfinity};
}

double Pieces::at(double argument) const {
  switch (crossing_.kind) {
    case ZeroCrossing::Comparison: return (crossing_.strict ? argument < 0 : argument <= 0) ? 1.0 : 0.0;
    case ZeroCrossing::Floor: return std::floor(argument);
    case ZeroCrossing::Round: return std::round(argument);
    case ZeroCrossing::Table: break;
  }
  const double* knots = model_.knots.data() + table_.first_knot;
  return static_cast<double>(std::upper_bound(knots, knots + table_.knots, argument) - knots);
}

double Pieces::next_to(double number, double argument) const {
  if (crossing_.kind == ZeroCrossing::Comparison) return number != 0 ? 0.0 : 1.0;
  const Interval piece = bounds(number);
  const bool up = piece.high - argument < argument - piece.low;
  if (std::isinf(up ? piece.high : piece.low)) return number;
  return up ? number + 1 : number - 1;
}

bool Pieces::hold(double number, double* parameters) const {
  const std::size_t rows = model_.batches[crossing_.batch].count;
  auto value = [&](std::size_t j) -> double& { return parameters[crossing_.first + j * rows + row_]; };
  const bool changes = value(0) != number;
  value(0) = number;
  if (crossing_.kind != ZeroCrossing::Table) return changes;
  const auto k = static_cast<std::uint64_t>(number);
  value(1) = model_.knots[table_.first_knot + (k > 0 ? k - 1 : 0)];
  for (std::size_t power = 0; power < 4; ++power)
    value(2 + power) = model_.coefficients[table_.first_coefficient + 4 * k + power];
  return changes;
}

double distance_inside(Interval bounds, double argument) {
  const double above = argument - bounds.low, below = bounds.high - argument;
  if (std::isinf(above) || std::isinf(below)) return std::min(above, below);
  if (above <= 0) return above;
  if (below <= 0) return below;
  return above * below / (bounds.high - bounds.low);
}

}  // namespace runtime
