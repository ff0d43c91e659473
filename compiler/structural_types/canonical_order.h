// Numbers rows and hidden columns by how they are connected, so that the rules that choose (K6, K9) choose
// alike for every order in which the equations are written.
//
// Colour refinement (Weisfeiler and Leman 1968): interface columns have a colour each, since they have names;
// hidden columns one in common. Then every line takes a new colour from its own and those of its neighbours,
// some times. Lines of one colour are nearly always images of each other under a symmetry of the type;
// where they are not, only the choice among exact types depends on the order, never B.
//
// Also copies a matrix into a smaller word size, without the lines that are no longer live.
//
// Example: rows {x z} {y w} {z w}: z is "with x", w is "with y"; the order of z and w follows from that of x
// and y.
#pragma once
#include <algorithm>
#include <numeric>

#include "compiler/structural_types/dense.h"

namespace sigrel::structural_types {

constexpr std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

/// Live rows and hidden columns in canonical order.
struct Order {
  std::vector<unsigned> rows, hidden;
};

template <unsigned W>
Order canonical_order(const Dense<W>& d) {
  Order order;
  for (unsigned r : d.live[kRow]) order.rows.push_back(r);
  for (unsigned c : d.hidden()) order.hidden.push_back(c);
  std::vector<std::uint64_t> of_row(d.adjacent[kRow].size(), 1), of_column(d.adjacent[kColumn].size(), 2);
  for (unsigned c : d.visible()) of_column[c] = mix(d.label[c] + 3);
  auto refine = [&](Side side, const auto& lines, std::vector<std::uint64_t>& here,
                    const std::vector<std::uint64_t>& there) {
    for (unsigned i : lines) {
      std::uint64_t sum = 0;
      for (unsigned j : d.adjacent[side][i]) sum += mix(there[j]);
      here[i] = mix(here[i] ^ mix(sum));
    }
  };
  const unsigned rounds = order.hidden.empty() ? 1 : 4;
  for (unsigned round = 0; round < rounds; ++round) {
    refine(kRow, order.rows, of_row, of_column);
    refine(kColumn, order.hidden, of_column, of_row);
  }
  std::ranges::stable_sort(order.rows, {}, [&](unsigned r) { return of_row[r]; });
  std::ranges::stable_sort(order.hidden, {}, [&](unsigned c) { return of_column[c]; });
  return order;
}

/// The live part of a type, numbered from 0 in the given order, in words of another size; it fits.
template <unsigned To, unsigned From>
Dense<To> compacted(const Dense<From>& d, const Order& order) {
  std::vector<unsigned> columns;
  std::vector<std::uint32_t> labels;
  for (unsigned c : d.visible()) {
    columns.push_back(c);
    labels.push_back(d.label[c]);
  }
  auto interface = static_cast<std::uint32_t>(columns.size());
  columns.insert(columns.end(), order.hidden.begin(), order.hidden.end());
  Dense<To> small = dense_of<To>(interface, static_cast<std::uint32_t>(order.hidden.size()),
                                 static_cast<std::uint32_t>(order.rows.size()));
  small.label = std::move(labels);
  std::vector<unsigned> renamed(d.adjacent[kColumn].size());
  for (unsigned c = 0; c < columns.size(); ++c) renamed[columns[c]] = c;
  for (unsigned r = 0; r < order.rows.size(); ++r)
    for (unsigned c : d.row(order.rows[r])) small.insert(r, renamed[c]);
  return small;
}

/// The connected parts of a type; each has its own rows and hidden columns, and keeps its labels.
template <unsigned W>
std::vector<Dense<W>> connected_parts(const Dense<W>& d) {
  std::vector<Dense<W>> parts;
  Bits<W> rest = d.live[kRow];
  while (rest.any()) {
    Bits<W> rows = Bits<W>::single(rest.first()), todo = rows, columns;
    while (todo.any()) {
      Bits<W> fresh = d.row(todo.pop()) & ~columns;
      columns |= fresh;
      for (unsigned c : fresh) {
        Bits<W> more = d.column(c) & ~rows;
        rows |= more;
        todo |= more;
      }
    }
    rest &= ~rows;
    Dense<W> part = d;
    part.live[kRow] = rows;
    part.live[kColumn] = columns;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace sigrel::structural_types
