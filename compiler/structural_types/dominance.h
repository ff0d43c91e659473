// K9: a hidden column and a row that may be matched with each other without loss.
//
// A hidden column h and a row e that contains it, such that every row that contains h contains all of e. If a
// covering matching pairs h with another row f, and e with c, then c is in f too: pair h with e and f with c.
// The same columns are determined. So h and e go. (The dual rule, for a row and the columns in it, has the
// same condition.)
//
// The maximal presentation (presentation.h) has the same B and shows dominance that other presentations hide.
//
// Example: h hidden in rows {h x} {h x y} {h x w}: row 0 takes h, {x y} {x w} remain.
#pragma once
#include "compiler/structural_types/presentation.h"

namespace sigrel::structural_types {

template <unsigned W>
bool drop_dominated(Dense<W>& d) {
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (unsigned h : d.hidden()) {
      Bits<W> common = d.live[kColumn];
      for (unsigned e : d.column(h)) common &= d.row(e);
      for (unsigned e : d.column(h)) {
        if (!d.row(e).subset_of(common)) continue;
        d.remove(kColumn, h);
        d.remove(kRow, e);
        again = any = true;
        break;
      }
    }
  }
  return any;
}

/// The same on the maximal presentation, which replaces the rows if something goes.
template <unsigned W>
bool drop_dominated_when_maximal(Dense<W>& d) {
  Dense<W> maximal = d;
  maximise(maximal);
  if (!drop_dominated(maximal)) return false;
  d = std::move(maximal);
  return true;
}

}  // namespace sigrel::structural_types
