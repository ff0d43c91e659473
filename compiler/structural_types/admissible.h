// K1: delete the edges that no covering matching uses, and take away what is matched in the same way in every
// context.
//
// Take one covering matching. A row points to the rows that are matched with its other columns; all free
// interface columns are one node, the context, which points to the rows that are matched with interface
// columns (they may give them up). Two covering matchings differ by cycles of this graph, and every cycle
// makes another covering matching: an edge is in one iff it is matched or stays within a strongly connected
// component. Hence, component by component:
//  - the one with the context is the core; the rules go on with it alone;
//  - any other component has as many rows as columns, and they are matched with each other in every
//    covering matching. Its interface columns are in every basis (coloops), its hidden columns are of no
//    further use: the component is taken away;
//  - an interface column without edges is in no basis (a loop).
// This is the fine decomposition of Dulmage and Mendelsohn, Coverings of bipartite graphs (1958); Tarjan's
// algorithm (1972).
//
// Example: rows {x z} {z} {x y}, z hidden: z belongs to row 1, so row 0 determines x and row 2 the rest, y:
// coloops x and y.
#pragma once
#include "compiler/structural_types/dense.h"

namespace sigrel::structural_types {

/// Returns the coloops that were taken away. What remains is the core; there is a covering matching, before
/// and after.
template <unsigned W>
Bits<W> keep_admissible(Dense<W>& d) {
  constexpr unsigned kContext = Bits<W>::kCapacity;
  Pairing<W> p;
  cover_hidden(d, p);
  cover_rows(d, p);
  const Bits<W> visible = d.visible();
  const Bits<W> free = visible & ~p.matched[kColumn];

  std::array<std::uint16_t, kContext + 1> index{}, low, stack, path;
  std::array<Bits<W>, kContext + 1> pending;  // columns that are still to be followed
  Bits<W> open;                               // rows on Tarjan's stack
  bool context_open = false, changed = false;
  unsigned count = 0, height = 0, depth = 0;
  Bits<W> coloops;

  auto node_of = [&](unsigned column) -> unsigned {
    return free.test(column) ? kContext : p.mate[kColumn][column];
  };
  auto enter = [&](unsigned v) {
    index[v] = low[v] = static_cast<std::uint16_t>(++count);
    stack[height++] = path[depth++] = static_cast<std::uint16_t>(v);
    if (v == kContext) {
      context_open = true;
      pending[v] = visible & p.matched[kColumn];
    } else {
      open.set(v);
      pending[v] = d.row(v);
    }
  };
  auto leave_component = [&](unsigned v) {
    Bits<W> rows, columns;
    bool core = false;
    unsigned w;
    do {
      w = stack[--height];
      if (w == kContext) {
        core = true;
        context_open = false;
        columns |= free;
      } else {
        rows.set(w);
        open.reset(w);
        columns.set(p.mate[kRow][w]);
      }
    } while (w != v);
    for (unsigned r : rows) {
      Bits<W> kept = core ? d.row(r) & columns : Bits<W>{};
      changed |= kept != d.row(r);
      d.adjacent[kRow][r] = kept;
    }
    if (core) return;
    coloops |= columns & visible;
    d.live[kRow] &= ~rows;
    d.live[kColumn] &= ~columns;
    for (unsigned c : columns) d.adjacent[kColumn][c] = {};
  };
  auto explore = [&](unsigned start) {
    enter(start);
    while (depth > 0) {
      unsigned v = path[depth - 1];
      if (pending[v].any()) {
        unsigned w = node_of(pending[v].pop());
        if (index[w] == 0)
          enter(w);
        else if (w == kContext ? context_open : open.test(w))
          low[v] = std::min(low[v], index[w]);
        continue;
      }
      --depth;
      if (depth > 0) low[path[depth - 1]] = std::min(low[path[depth - 1]], low[v]);
      if (low[v] == index[v]) leave_component(v);
    }
  };
  if (free.any()) explore(kContext);
  for (unsigned r : d.live[kRow])
    if (index[r] == 0) explore(r);

  if (changed) d.transpose_rows();
  for (unsigned c : d.visible())
    if (d.column(c).none()) d.live[kColumn].reset(c);
  return coloops;
}

}  // namespace sigrel::structural_types
