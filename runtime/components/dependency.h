// The independent components of a model: parts that exchange nothing while it is simulated.
//
// What depends on time and parameters alone, whatever the states, is *shared*: its values are known to all,
// so it connects nothing, and each component that reads it evaluates it for itself. All other rows connect
// what they read and write; a component is a connected part. Clocks are shared, and so is a discrete variable
// that only clocks assign. Rows of sinks (discrete_sinks.h) connect nothing either.
//
//   x1' = u - x1, x2' = u - x2, u = sin time     two components; u is shared
//   x1' = x2 - x1, x2' = - x2                    one
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/components/row_index.h"

namespace runtime {

/// Per node: whether it depends on the states. Linear in the rows; a chain of `pre` against the order of
/// evaluation takes further passes. Empty: too many.
std::vector<std::uint8_t> dependent_nodes(const RowIndex& rows);

struct Dependency {
  static constexpr std::uint32_t kShared = kNone, kSink = kNone - 1;

  Dependency() = default;
  /// `dependent`: dependent_nodes(rows); `sinks`: by row, 1 if it belongs to a sink.
  Dependency(const RowIndex& rows, std::span<const std::uint8_t> dependent,
             std::span<const std::uint8_t> sinks);

  std::uint32_t components = 0;            // numbered by their first rows
  std::vector<std::uint32_t> component;    // by row: its component, kShared or kSink
  std::vector<std::uint32_t> first, rows;  // by component: its rows, ascending
};

/// How rows and what they write vary between events.
struct Variation {
  enum Kind : std::uint8_t {
    Constant,  // piecewise constant
    Affine,    // affine in continuous variables, with piecewise constant coefficients and without time
    Other,
  };
  explicit Variation(const RowIndex& rows);
  /// Of the row of a state: its derivative. Of a loop: Affine if its equations are, with a matrix that is
  /// piecewise constant.
  std::vector<Kind> row;
  std::vector<Kind> node;
};

/// The piecewise constant nodes that are read as factors of continuous variables by rows that are affine, or
/// as parameters of these rows: while they have the same values, so have the coefficients. Ascending.
std::vector<std::uint32_t> coefficient_nodes(const RowIndex& rows, const Variation& variation);

}  // namespace runtime
