// A row of parts of any length: whether every longer one has the type of this one.
//
// The columns of a relation with `for i in 1 .. n` have places (Component::places): x[3] and what iteration 3
// makes are at 3. A row of the incidence is at the least place in it, so that once the rows up to a place are
// seen, its columns occur nowhere else: they are hidden, and a type over the columns that lie ahead and
// those without a place is all that the rest depends on. With n + 1 in place of n there is one place more; if
// the rows at the places between the ends are all alike, in both, and the type repeats from one place to
// the next, it is the same at the far end, however far that is.
//
// Example: rows {x1 p} {x1 x2} {x2 x3} … {xn q} over p, q. After place 1 the type is {p x2}, after place 2
// {p x3}: it repeats.
#pragma once
#include <cstdint>
#include <span>

#include "compiler/structural_types/definition.h"

namespace sigrel::structural_types {

struct RowOfParts {
  const Composition* composition;
  std::uint32_t interface;
  std::span<const std::int32_t> places;  // of interface and locals; components::kNoPlace for none
};

/// `longer` has one place more. True: every longer row has the type of `shorter` too (or none either).
bool repeats(const RowOfParts& shorter, const RowOfParts& longer);

}  // namespace sigrel::structural_types
