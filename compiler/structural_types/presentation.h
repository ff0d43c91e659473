// K6 and the canonical presentation: which edges a transversal matroid needs.
//
// The rows present a transversal matroid M on all columns, hidden ones included: its bases are the sets of
// columns that are perfectly matched with the rows. B is M contracted by the hidden columns, so whatever
// keeps M keeps B. Bondy and Welsh, Some results on transversal matroids and constructions for identically
// self-dual matroids (1971): an edge (e, x) can be added to a presentation without changing M iff x is a
// coloop of M restricted to the columns outside row e.
//
// Hence (K6) an edge may go iff, with it gone, x is such a coloop. Outside row e and without e, match as much
// as possible: x is a coloop iff it can be matched in addition, iff one of its rows is reached from an
// unmatched row by alternating paths. One matching per row answers for all of its edges. And every coloop may
// be added: since M does not change, all at once, which gives the maximal presentation; Mason (1971): it is
// unique.
//
// A type without hidden columns is shown by its `sparse` form: edges deleted from the maximal presentation,
// rows in the order in which they are shown, columns from the last one back. A function of the maximal
// presentation, so equal types are shown alike and only they.
//
// Example: rows {x y z} {y z}: every pair is a basis; maximal {x y z} {x y z}, sparse {x y} {x z}.
#pragma once
#include <algorithm>

#include "compiler/structural_types/dense.h"

namespace sigrel::structural_types {

/// A maximum matching of the rows but `e` with the columns outside row e, from a matching of all rows.
template <unsigned W>
Pairing<W> matched_outside(const Dense<W>& d, const Pairing<W>& all, unsigned e) {
  Pairing<W> p = all;
  p.part(kRow, e);
  const Bits<W> outside = d.live[kColumn] & ~d.row(e);
  Bits<W> displaced;
  for (unsigned c : d.row(e) & p.matched[kColumn]) {
    displaced.set(p.mate[kColumn][c]);
    p.part(kColumn, c);
  }
  for (unsigned r : displaced) augment(d, p, kRow, r, outside);
  return p;
}

/// The columns that `e` may gain.
template <unsigned W>
Bits<W> addable(const Dense<W>& d, const Pairing<W>& all, unsigned e) {
  Pairing<W> p = matched_outside(d, all, e);
  const Bits<W> outside = d.live[kColumn] & ~d.row(e);
  Bits<W> others = d.live[kRow];
  others.reset(e);
  Reached<W> free = reach(d, p, kColumn, outside & ~p.matched[kColumn], others);
  return outside & ~free.here;
}

/// Deletes what `e` can do without: of the columns `first`, then of the others, each time the last one that
/// may go.
template <unsigned W>
bool thin_row(Dense<W>& d, Pairing<W>& all, unsigned e, const Bits<W>& first) {
  Pairing<W> p = matched_outside(d, all, e);
  bool any = false;
  while (true) {
    const Bits<W> outside = d.live[kColumn] & ~d.row(e);
    Bits<W> unmatched = d.live[kRow] & ~p.matched[kRow];
    unmatched.reset(e);
    if (unmatched.none()) break;
    Bits<W> rows = reach(d, p, kRow, unmatched, outside).here;
    Bits<W> deletable;
    for (unsigned r : rows) deletable |= d.row(r);
    deletable &= d.row(e);
    if (deletable.none()) break;
    if ((deletable & first).any()) deletable &= first;
    unsigned x = 0;
    for (unsigned c : deletable) x = c;
    d.erase(e, x);
    augment(d, p, kColumn, x, d.live[kRow] & ~Bits<W>::single(e));
    any = true;
  }
  if (any && !d.row(e).test(all.mate[kRow][e])) {
    all.part(kRow, e);
    augment(d, all, kRow, e, d.live[kColumn]);
  }
  return any;
}

/// K6 for the rows that contain hidden columns, hidden edges first.
template <unsigned W>
bool thin_hidden(Dense<W>& d) {
  Pairing<W> all;
  cover_rows(d, all);
  bool any = false;
  for (unsigned e : d.live[kRow])
    if ((d.row(e) & d.hidden()).any()) any |= thin_row(d, all, e, d.hidden());
  return any;
}

/// The unique maximal presentation of M; columns that are coloops of M end up in every row.
template <unsigned W>
void maximise(Dense<W>& d) {
  Pairing<W> all;
  cover_rows(d, all);
  for (unsigned e : d.live[kRow])
    for (unsigned c : addable(d, all, e)) d.insert(e, c);
}

/// The canonical sparse form of a type without hidden columns.
template <unsigned W>
void make_sparse(Dense<W>& d) {
  maximise(d);
  auto sort_rows = [&d] {
    std::vector<Bits<W>> rows;
    for (unsigned r : d.live[kRow]) rows.push_back(d.row(r));
    std::ranges::sort(rows, shown_before<W>);
    d.adjacent[kRow] = rows;
    d.live[kRow] = Bits<W>::below(static_cast<unsigned>(rows.size()));
    d.transpose_rows();
  };
  sort_rows();
  Pairing<W> all;
  cover_rows(d, all);
  for (unsigned e : d.live[kRow]) thin_row(d, all, e, {});
  sort_rows();
}

}  // namespace sigrel::structural_types
