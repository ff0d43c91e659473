// K2, K3, K4: what has one or two choices.
//
// K2  A hidden column in one row only, or a row with one column only that is hidden: they belong to each
//     other in every covering matching; both go.
// K3  A hidden column in two rows a, b: one of them has it, the other one determines something else, of
//     its own choice. The two become one row with the columns of both.
// K4  A row {z, y} with z hidden: it has one of them, the other one belongs to another row (or, if it is
//     an interface column, may be left to the context). The two become one column, which is y. An alias.
//
// Each is an equivalence, read in either direction a covering matching of one side is one of the other, so B
// stays. K3 is K5 for one column and K4 is K5' for one row (surplus.h); they are here because they do nearly
// all of the work.
//
// Example: rows {x z} {z w} {w y}, z and w hidden: K3 on z gives {x w} {w y}, on w {x y}.
#pragma once
#include "compiler/structural_types/dense.h"

namespace sigrel::structural_types {

/// Until none of the three applies; returns whether one did.
template <unsigned W>
bool merge_small(Dense<W>& d) {
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (unsigned z : d.hidden()) {
      unsigned degree = d.column(z).count();
      if (degree > 2) continue;
      Bits<W> rows = d.column(z);
      unsigned a = rows.pop();
      d.remove(kColumn, z);
      if (degree == 1)
        d.remove(kRow, a);
      else
        d.merge(kRow, rows.first(), a);
      again = true;
    }
    for (unsigned e : d.live[kRow]) {
      unsigned degree = d.row(e).count();
      if (degree > 2) continue;
      Bits<W> hidden = d.row(e) & d.hidden();
      if (hidden.none()) continue;
      unsigned y = d.row(e).first();  // the interface column comes first
      d.remove(kRow, e);
      if (degree == 1)
        d.remove(kColumn, y);
      else
        d.merge(
            kColumn,
            [&] {
              hidden.reset(y);
              return hidden.first();
            }(),
            y);
      again = true;
    }
    any |= again;
  }
  return any;
}

}  // namespace sigrel::structural_types
