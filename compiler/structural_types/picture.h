// A relation as a matrix: its equations are rows, its unknowns are columns, and a matching is marked. Shown
// by `sigrel explain FILE RELATION --structure`.
//
// A relation that is applied takes part with its equations if all of their unknowns are its interface, and
// otherwise with the rows of its type. The auxiliary unknown of an argument that is an expression is folded
// into the equations that use it: it is replaced by the unknowns of the expression. So
// `foo <> (w, u + x, v + y)` looks as it is written: the row x2 x3 of foo(x1, x2, x3) is u x v y. The
// matching is that of the system before folding (an unknown that stands for the auxiliary one takes its
// place), and what is folded is never used for verdicts.
//
// Example: bar(u, y) with locals v w x:  u = sin v; foo <> (u, w + x, y + v); w * x = exp v
//
//     u   y  |  v   w   x
//     1   0  | [1]  0   0
//     1  [1] |  1   1   1
//     0   1  |  1  [1]  1
//     0   0  |  1   1  [1]
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/ir/components.h"
#include "compiler/structural_types/structural_type.h"

namespace sigrel::structural_types {

struct Picture {
  struct Column {
    std::string name;
    bool blamed = false;
  };
  struct Row {
    std::uint32_t line = 0;
    std::string text;                    // the equation or application as it is written; its first line
    bool continued = false;              // another row of the application above
    std::vector<std::uint32_t> columns;  // ascending
    std::optional<std::uint32_t> matched;
    bool blamed = false;
  };
  std::string relation;
  std::string modes;            // "Open": of the switches of the relation, where it has some
  std::vector<Column> columns;  // the interface, then the locals
  std::uint32_t interface = 0;
  std::vector<Row> rows;

  std::optional<StructuralType>
      type;  // absent for a singular relation: there rows and columns of a Hall set are blamed
  std::optional<std::uint32_t> freedom;  // initial conditions that it takes at most
  std::string assumed;  // "load {#2}": a relation parameter takes part as any relation with so many equations
  std::optional<StructuralType>
      maximal;  // the maximal presentation, where it differs from the rows of `type`
};

/// `types` as check() gives them. One picture; of a relation with switches one for each combination of their
/// modes. None if the component applies a relation that is singular itself, or if nothing can be said of its
/// relation parameters.
std::vector<Picture> pictures(const components::Library& library,
                              const std::vector<std::optional<StructuralType>>& types,
                              std::uint32_t component, const SourceMap& sources);

/// For a terminal. What is more than a screen is left out, and said to be.
std::string to_text(const Picture& picture);
/// An SVG document of its own.
std::string to_svg(std::span<const Picture> pictures);

}  // namespace sigrel::structural_types
