// The flat system of a definition: all that it applies, down to the last equation. Types make it unnecessary
// for verdicts; it names the equations of a singular definition by instance path, and tests compare types
// with it.
//
// Columns: interface and locals of the definition, then locals and auxiliary unknowns of its instances. Rows:
// of every instance those of its applications first, then its own, as in compose().
//
// Example: r(p) with local z has {p z} {z}; top() with locals a, b applies r(a), r(a + b): columns a b z z'
// u, rows {a z} {z} {u z'} {z'} {u a b}; u is the auxiliary unknown.
#pragma once
#include "compiler/structural_types/definition.h"

namespace sigrel::structural_types {

/// Instances form a tree; the definition itself is the first.
struct Instance {
  std::uint32_t definition;   // in the library
  std::uint32_t parent;       // an instance; of the first: itself
  std::uint32_t application;  // of the parent
};
struct FlatRow {
  std::uint32_t instance;
  bool argument;  // the auxiliary equation of an argument, else an equation of the instance's definition
  std::uint32_t index;  // of the argument or equation
};
struct FlatColumn {
  std::uint32_t instance;
  bool argument;  // the auxiliary unknown of an argument, else a variable of the instance's definition
  std::uint32_t index;
};

struct Expansion {
  Incidence incidence;  // a column occurs in a row as often as in the equation
  std::vector<Instance> instances;
  std::vector<FlatRow> rows;
  std::vector<FlatColumn> columns;
};

/// `root` is a definition of the library.
Expansion expand(std::span<const Definition> library, std::uint32_t root);

}  // namespace sigrel::structural_types
