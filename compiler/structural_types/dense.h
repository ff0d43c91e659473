// A structural type while it is reduced: rows and columns as bit sets of each other, up to 64·W of each.
//
// Columns 0 … interface-1 are interface columns, `label` says which ones of the definition; the columns after
// them are hidden. Rows and columns that a rule takes away are no longer in `live`; numbers stay until
// `compacted` renumbers.
//
// A matching is a Pairing; the search is the same for both sides, so sides are numbers. Rows never exceed
// columns, since a covering matching exists.
//
// Example: rows {x z} {y z} with z hidden: adjacent[kRow] = {0 2} {1 2}, adjacent[kColumn] = {0} {1} {0 1},
// interface = 2.
#pragma once
#include <vector>

#include "compiler/structural_types/bits.h"

namespace sigrel::structural_types {

enum Side : unsigned { kRow = 0, kColumn = 1 };
constexpr Side across(Side side) { return side == kRow ? kColumn : kRow; }

template <unsigned W>
struct Dense {
  std::uint32_t interface = 0;
  std::vector<std::uint32_t> label;  // of each interface column
  Bits<W> live[2];
  std::vector<Bits<W>> adjacent[2];

  Bits<W> visible() const { return live[kColumn] & Bits<W>::below(interface); }
  Bits<W> hidden() const { return live[kColumn] & ~Bits<W>::below(interface); }
  const Bits<W>& row(unsigned r) const { return adjacent[kRow][r]; }
  const Bits<W>& column(unsigned c) const { return adjacent[kColumn][c]; }

  void insert(unsigned r, unsigned c) {
    adjacent[kRow][r].set(c);
    adjacent[kColumn][c].set(r);
  }
  void erase(unsigned r, unsigned c) {
    adjacent[kRow][r].reset(c);
    adjacent[kColumn][c].reset(r);
  }
  /// Takes a row or column away, with its edges.
  void remove(Side side, unsigned i) {
    for (unsigned j : adjacent[side][i]) adjacent[across(side)][j].reset(i);
    adjacent[side][i] = {};
    live[side].reset(i);
  }
  /// The edges of `from` go to `to`; `from` is taken away.
  void merge(Side side, unsigned from, unsigned to) {
    for (unsigned j : adjacent[side][from]) {
      adjacent[across(side)][j].set(to);
      adjacent[side][to].set(j);
    }
    remove(side, from);
  }
  /// Brings the columns in line with the rows.
  void transpose_rows() {
    for (Bits<W>& column : adjacent[kColumn]) column = {};
    for (unsigned r : live[kRow])
      for (unsigned c : row(r)) adjacent[kColumn][c].set(r);
  }
};

/// An empty matrix with room for rows and columns, all of them live.
template <unsigned W>
Dense<W> dense_of(std::uint32_t interface, std::uint32_t hidden, std::uint32_t rows) {
  Dense<W> d;
  d.interface = interface;
  d.label.resize(interface);
  for (std::uint32_t i = 0; i < interface; ++i) d.label[i] = i;
  d.live[kRow] = Bits<W>::below(rows);
  d.live[kColumn] = Bits<W>::below(interface + hidden);
  d.adjacent[kRow].resize(rows);
  d.adjacent[kColumn].resize(interface + hidden);
  return d;
}

template <unsigned W>
struct Pairing {
  std::array<std::uint16_t, 64 * W> mate[2];  // meaningful where `matched`
  Bits<W> matched[2];

  void pair(Side side, unsigned i, unsigned j) {
    mate[side][i] = static_cast<std::uint16_t>(j);
    mate[across(side)][j] = static_cast<std::uint16_t>(i);
    matched[side].set(i);
    matched[across(side)].set(j);
  }
  void part(Side side, unsigned i) {
    matched[across(side)].reset(mate[side][i]);
    matched[side].reset(i);
  }
};

/// Where alternating paths from some lines of a side lead: over any edge, back over a matched one. They end
/// at unmatched lines across, which are reached too.
template <unsigned W>
struct Reached {
  Bits<W> here, there;
};
template <unsigned W>
Reached<W> reach(const Dense<W>& d, const Pairing<W>& p, Side side, const Bits<W>& start,
                 const Bits<W>& allowed) {
  Reached<W> reached{start, {}};
  Bits<W> todo = start;
  while (todo.any()) {
    Bits<W> fresh = d.adjacent[side][todo.pop()] & allowed & ~reached.there;
    reached.there |= fresh;
    for (unsigned j : fresh& p.matched[across(side)]) {
      unsigned i = p.mate[across(side)][j];
      if (!reached.here.test(i)) {
        reached.here.set(i);
        todo.set(i);
      }
    }
  }
  return reached;
}

/// Matches line `start` of `side`, moving others if necessary; only lines across that are `allowed` are used.
/// Lines that are matched stay so. False: it cannot be, and nothing has changed.
template <unsigned W>
bool augment(const Dense<W>& d, Pairing<W>& p, Side side, unsigned start, const Bits<W>& allowed) {
  std::array<std::uint16_t, 64 * W> from, stack;
  unsigned depth = 0;
  Bits<W> open = allowed;
  stack[depth++] = static_cast<std::uint16_t>(start);
  while (depth > 0) {
    unsigned i = stack[--depth];
    Bits<W> fresh = d.adjacent[side][i] & open;
    Bits<W> free = fresh & ~p.matched[across(side)];
    if (free.any()) {
      unsigned j = free.first();
      while (true) {
        bool last = i == start;
        unsigned before = p.mate[side][i];
        p.pair(side, i, j);
        if (last) return true;
        j = before;
        i = from[j];
      }
    }
    open &= ~fresh;
    for (unsigned j : fresh) {
      from[j] = static_cast<std::uint16_t>(i);
      stack[depth++] = p.mate[across(side)][j];
    }
  }
  return false;
}

/// A matching that covers the hidden columns, then also the rows (see cover.h). Both exist.
template <unsigned W>
void cover_hidden(const Dense<W>& d, Pairing<W>& p) {
  for (unsigned z : d.hidden()) augment(d, p, kColumn, z, d.live[kRow]);
}
template <unsigned W>
void cover_rows(const Dense<W>& d, Pairing<W>& p) {
  for (unsigned r : d.live[kRow] & ~p.matched[kRow]) augment(d, p, kRow, r, d.live[kColumn]);
}

}  // namespace sigrel::structural_types
