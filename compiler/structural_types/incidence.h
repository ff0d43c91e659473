// Equations over interface and hidden columns, sparse: what a definition becomes before it is reduced to a
// type.
//
// Example: x, y interface and z hidden with f(x, z) = 0, g(y, z) = 0 is interface 2, hidden 1, rows {0 2} {1
// 2}.
#pragma once
#include "compiler/graph/bipartite.h"

namespace sigrel::structural_types {

struct Incidence {
  std::uint32_t interface = 0;  // columns 0 … interface-1
  std::uint32_t hidden = 0;     // the columns after them
  graph::Bipartite rows;        // rows.columns == columns()

  std::uint32_t columns() const { return interface + hidden; }
};

}  // namespace sigrel::structural_types
