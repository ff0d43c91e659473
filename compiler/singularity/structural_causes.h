// Why a system of equations is structurally singular: sets of equations that contain fewer unknowns than they
// have members (over-determined), and sets of unknowns that occur in fewer equations than they have members
// (under-determined). Hall (1935): a system without such sets is structurally regular. Flat systems and
// relation definitions are analysed alike; the context of a definition may determine the unknowns of its
// interface, which are the first columns.
//
// Over-determined: equations are added in their order until a set of them has too few unknowns; the set is
// minimal, and its last equation is the one that is too many. Under-determined: the connected components of
// the under-determined part of the incidence without the interface, one cause each, shown by its smallest set
// around one unknown. Both by the decomposition
// of Dulmage and Mendelsohn (graph/dulmage_mendelsohn.h).
//
// Example: rows {x} {x} {y z} {u}, no interface: rows 0 and 1 have only x between them, y and z occur only in
// row 2. With y in the interface nothing is under-determined.
#pragma once
#include <optional>
#include <vector>

#include "compiler/graph/dulmage_mendelsohn.h"

namespace sigrel::singularity {

struct OverDetermined {
  graph::HallSet set;       // one column fewer than rows
  std::size_t surplus = 0;  // equations too many in the whole system
};

struct UnderDetermined {
  graph::HallSet set;  // minimal: one column more than rows, the rows that contain one of the columns
  std::vector<std::uint32_t> occurrences;  // of each column: the number of rows that contain it
  std::size_t missing = 0;                 // rows that its connected component has too few
  /// All columns of the component: those for which one more row would leave fewer missing.
  std::vector<std::uint32_t> undetermined;
};

struct StructuralCauses {
  std::optional<OverDetermined> over;
  std::vector<UnderDetermined> under;  // in the order of their first columns
  bool empty() const { return !over && under.empty(); }
};

/// One row per equation, one column per unknown.
StructuralCauses structural_causes(const graph::Bipartite& incidence, std::uint32_t interface = 0);

}  // namespace sigrel::singularity
