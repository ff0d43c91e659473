// K5, K5': sets with one line more across than they have themselves.
//
// K5  A set Z of hidden columns with |N(Z)| = |Z|+1, N(Z) being the rows that contain one of them. In the
//     core every non-empty set of hidden columns has more rows than members (otherwise K1 would have taken
//     it away), so for any row e of N(Z), Hall's condition holds for Z and N(Z) - e: every row can be the
//     one that Z leaves over. N(Z) becomes one row with all columns of N(Z) outside Z.
// K5' The same for a set X of rows with |N(X)| = |X|+1, if at most one of its columns N(X) is an
//     interface column: N(X) becomes one column (the interface column, if there is one). Whichever column
//     X leaves over is the one that another row may take; and if that is the interface column, that the
//     context may take.
//
// The smallest such set around a line: give it two more copies. If the first one can be matched in addition
// and the second one cannot, the lines that the failed search has reached are the set (by Hall, as in
// cover.h). Lovász and Plummer, Matching Theory (1986), section 1.3, on surplus.
//
// Example: z, w hidden in rows {x z w} {y z w} {u z w}: three rows, two hidden columns; one row {x y u}.
#pragma once
#include "compiler/structural_types/dense.h"

namespace sigrel::structural_types {

template <unsigned W>
struct TightSet {
  Bits<W> lines, across;  // |across| = |lines| + 1
};

/// The smallest set of surplus one that contains `start`. `p` covers the side of `start`; hidden columns
/// only, if that is the columns. Empty: its surplus is larger.
template <unsigned W>
TightSet<W> surplus_one(const Dense<W>& d, const Pairing<W>& p, Side side, unsigned start) {
  std::array<std::uint16_t, 64 * W> from;
  Bits<W> seen = Bits<W>::single(start), todo = seen, met;
  Bits<W> free;
  unsigned end = 0;
  while (todo.any() && free.none()) {
    unsigned i = todo.pop();
    Bits<W> fresh = d.adjacent[side][i] & ~met;
    met |= fresh;
    for (unsigned j : fresh) from[j] = static_cast<std::uint16_t>(i);
    free = fresh & ~p.matched[across(side)];
    if (free.any()) end = free.first();
    for (unsigned j : fresh& p.matched[across(side)]) {
      unsigned next = p.mate[across(side)][j];
      if (!seen.test(next)) {
        seen.set(next);
        todo.set(next);
      }
    }
  }
  if (free.none()) return {};
  Pairing<W> with_copy = p;  // only used to go back from lines across; the copy is `start` a second time
  with_copy.matched[across(side)].set(end);
  for (unsigned j = end;;) {
    unsigned i = from[j];
    with_copy.mate[across(side)][j] = static_cast<std::uint16_t>(i);
    if (i == start) break;
    j = p.mate[side][i];
  }
  Reached<W> reached = reach(d, with_copy, side, Bits<W>::single(start), d.live[across(side)]);
  if ((reached.there & ~with_copy.matched[across(side)]).any()) return {};
  return {reached.here, reached.there};
}

/// K5, for every hidden column once. The type is a core.
template <unsigned W>
bool merge_rows_of_tight_sets(Dense<W>& d) {
  bool any = false;
  Pairing<W> p;
  cover_hidden(d, p);
  for (unsigned z : d.hidden()) {
    if (!d.live[kColumn].test(z)) continue;  // gone with an earlier set
    TightSet<W> set = surplus_one(d, p, kColumn, z);
    if (set.lines.none()) continue;
    for (unsigned c : set.lines) d.remove(kColumn, c);
    unsigned into = set.across.pop();
    for (unsigned r : set.across) d.merge(kRow, r, into);
    any = true;
    p = {};
    cover_hidden(d, p);
  }
  return any;
}

/// K5', for every row once. The type is a core.
template <unsigned W>
bool merge_columns_of_tight_sets(Dense<W>& d) {
  bool any = false;
  Pairing<W> p;
  cover_rows(d, p);
  for (unsigned e : d.live[kRow]) {
    if (!d.live[kRow].test(e)) continue;
    TightSet<W> set = surplus_one(d, p, kRow, e);
    if (set.lines.none() || (set.across & d.visible()).count() > 1) continue;
    for (unsigned r : set.lines) d.remove(kRow, r);
    unsigned into = set.across.pop();  // interface columns come first
    for (unsigned c : set.across) d.merge(kColumn, c, into);
    any = true;
    p = {};
    cover_rows(d, p);
  }
  return any;
}

}  // namespace sigrel::structural_types
