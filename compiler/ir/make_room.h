// Tables that are filled with a known number of rows are not made larger step by step: the steps are what a
// peak of memory is made of.
#pragma once
#include "compiler/ir/equations.h"

namespace sigrel {

/// Room for as many more rows, unless the table is longer already and grows as it likes.
inline void make_room(EquationTable& table, std::size_t more) {
  const std::size_t rows = table.rows() + more;
  if (more <= table.rows()) return;
  table.unknowns.reserve(rows * table.slots);
  table.parameters.reserve(rows * table.params);
}

}  // namespace sigrel
