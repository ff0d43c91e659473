// Networks of resistors as definitions: chains and meshes between two pins p.v p.i n.v n.i.
#pragma once
#include "random_definitions.h"

namespace networks {

using random_definitions::Definition;
using random_definitions::Variables;

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// p.v p.i n.v n.i with locals u, i.
inline Definition two_pin() {
  Definition d(4, 2);
  d.equation(Variables{4, 0, 2});
  d.equation(Variables{5, 1});
  d.equation(Variables{1, 3});
  d.equation(Variables{4, 5});
  return d;
}

/// `count` resistors between nodes; nodes 0 and 1 are the pins p and n of the definition. Node potentials,
/// then the pin currents of every resistor.
inline Definition network(std::uint32_t nodes, const Edges& edges) {
  auto resistors = static_cast<std::uint32_t>(edges.size());
  Definition d(4, nodes - 2 + 2 * resistors);
  auto potential = [&](std::uint32_t node) { return node == 0 ? 0u : node == 1 ? 2u : 2 + node; };
  auto current = [&](std::uint32_t edge, std::uint32_t end) { return 2 + nodes + 2 * edge + end; };
  for (std::uint32_t e = 0; e < resistors; ++e) {
    d.application(0);
    d.variable(potential(edges[e].first));
    d.variable(current(e, 0));
    d.variable(potential(edges[e].second));
    d.variable(current(e, 1));
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    Variables sum;
    if (node < 2) sum.push_back(node == 0 ? 1 : 3);
    for (std::uint32_t e = 0; e < resistors; ++e) {
      if (edges[e].first == node) sum.push_back(current(e, 0));
      if (edges[e].second == node) sum.push_back(current(e, 1));
    }
    d.equation(sum);
  }
  return d;
}

/// The same with the resistors written out: voltage and both pin currents of each are locals, nothing is
/// applied.
inline Definition flat_network(std::uint32_t nodes, const Edges& edges) {
  auto resistors = static_cast<std::uint32_t>(edges.size());
  Definition d(4, nodes - 2 + 3 * resistors);
  auto potential = [&](std::uint32_t node) { return node == 0 ? 0u : node == 1 ? 2u : 2 + node; };
  std::vector<Variables> sums(nodes);
  sums[0].push_back(1);
  sums[1].push_back(3);
  for (std::uint32_t e = 0; e < resistors; ++e) {
    std::uint32_t u = 2 + nodes + 3 * e, into = u + 1, out = u + 2;
    d.equation(Variables{u, potential(edges[e].first), potential(edges[e].second)});
    d.equation(Variables{into, out});
    d.equation(Variables{u, into});
    sums[edges[e].first].push_back(into);
    sums[edges[e].second].push_back(out);
  }
  for (const Variables& sum : sums) d.equation(sum);
  return d;
}

inline Edges mesh_edges(std::uint32_t n) {
  // Corner 0 is p, the opposite corner n.
  std::vector<std::uint32_t> number(n * n);
  for (std::uint32_t k = 0, next = 2; k < n * n; ++k) number[k] = k == 0 ? 0 : k == n * n - 1 ? 1 : next++;
  Edges edges;
  for (std::uint32_t y = 0; y < n; ++y)
    for (std::uint32_t x = 0; x < n; ++x) {
      if (x + 1 < n) edges.emplace_back(number[y * n + x], number[y * n + x + 1]);
      if (y + 1 < n) edges.emplace_back(number[y * n + x], number[(y + 1) * n + x]);
    }
  return edges;
}

/// Nodes in a row, as in a filter or a pipe.
inline Definition chain(std::uint32_t resistors) {
  Edges edges;
  for (std::uint32_t e = 0; e < resistors; ++e)
    edges.emplace_back(e == 0 ? 0 : e + 1, e + 1 == resistors ? 1 : e + 2);
  return network(resistors + 1, edges);
}

}  // namespace networks
