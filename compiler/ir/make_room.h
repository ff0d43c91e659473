// Reserves the memory of tables and lists whose number of rows is known: growing them step by step would
// increase the memory peak.
#pragma once
#include <vector>

#include "compiler/ir/equations.h"

namespace sigrel {

/// Reserves memory for more rows, unless the table is larger already and grows geometrically.
inline void make_room(EquationTable& table, std::size_t more) {
  const std::size_t rows = table.rows() + more;
  if (more <= table.rows()) return;
  table.unknowns.reserve(rows * table.slots);
  table.parameters.reserve(rows * table.params);
}

template <class T>
void make_room(std::vector<T>& list, std::size_t more) {
  if (more > list.size()) list.reserve(list.size() + more);
}

}  // namespace sigrel
