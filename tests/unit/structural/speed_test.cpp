// Measurements, not part of the suite: unit_structural "[speed]".
#include <chrono>
#include <iostream>

#include "random_definitions.h"

using namespace sigrel::structural;
using namespace random_definitions;

namespace {

/// Microseconds of type_of for each definition, of three runs the best.
std::vector<double> time_types(const std::vector<Definition>& library) {
  std::vector<double> best(library.size(), 1e9);
  for (int run = 0; run < 3; ++run) {
    std::vector<Type> types(library.size());
    for (std::size_t i = 0; i < library.size(); ++i) {
      auto start = std::chrono::steady_clock::now();
      types[i] = type_of(library[i], [&](std::uint32_t r) -> const Kernel& { return *types[r].kernel; });
      best[i] = std::min(best[i], std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
  }
  return best;
}

void show(const std::string& what, std::vector<double> times, std::size_t skip = 0) {
  times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(skip));
  std::ranges::sort(times);
  double sum = 0;
  for (double t : times) sum += t;
  std::cout << what << ": " << times.size() << " definitions, median " << times[times.size() / 2] << " us, 90% "
            << times[times.size() * 9 / 10] << ", 99% " << times[times.size() * 99 / 100] << ", longest " << times.back() << ", all "
            << sum / 1e3 << " ms\n";
}

/// p.v p.i n.v n.i with locals u, i.
Definition two_pin() {
  Definition d(4, 2);
  d.equation(Variables{4, 0, 2});
  d.equation(Variables{5, 1});
  d.equation(Variables{1, 3});
  d.equation(Variables{4, 5});
  return d;
}

/// `count` resistors between nodes; nodes 0 and 1 are the pins p and n of the definition. Node potentials, then the pin
/// currents of every resistor.
Definition network(std::uint32_t nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
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

Definition mesh(std::uint32_t n) {
  // Corner 0 is p, the opposite corner n.
  std::vector<std::uint32_t> number(n * n);
  for (std::uint32_t k = 0, next = 2; k < n * n; ++k) number[k] = k == 0 ? 0 : k == n * n - 1 ? 1 : next++;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t y = 0; y < n; ++y)
    for (std::uint32_t x = 0; x < n; ++x) {
      if (x + 1 < n) edges.emplace_back(number[y * n + x], number[y * n + x + 1]);
      if (y + 1 < n) edges.emplace_back(number[y * n + x], number[(y + 1) * n + x]);
    }
  return network(n * n, edges);
}

/// Nodes in a row, as in a filter or a pipe.
Definition chain(std::uint32_t resistors) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t e = 0; e < resistors; ++e) edges.emplace_back(e == 0 ? 0 : e + 1, e + 1 == resistors ? 1 : e + 2);
  return network(resistors + 1, edges);
}

}  // namespace

TEST_CASE("random definitions of 10 to 40 equations", "[.][speed]") {
  Dice dice(1);
  std::vector<Definition> library;
  std::size_t hidden = 0;
  while (library.size() < 10000) {
    std::uint32_t equations = dice.number(10, 40), interface = dice.number(2, 10), rank = dice.number(1, interface - 1);
    if (rank >= equations) continue;
    Definition d(interface, equations - rank);
    for (std::uint32_t e = 0; e < equations; ++e) d.equation(dice.sample(interface + d.locals(), dice.number(2, 4)));
    Type type = type_of(d, nullptr);
    if (!type.kernel) continue;
    hidden += type.kernel->hidden() > 0;
    library.push_back(std::move(d));
  }
  show("random, well formed", time_types(library));
  std::cout << "  with hidden columns left: " << hidden << "\n";
}

TEST_CASE("definitions that apply others", "[.][speed]") {
  Dice dice(2);
  std::vector<Definition> library;
  std::vector<Type> types;
  while (library.size() < 1000) {
    Definition d(dice.number(2, 5), dice.number(0, 5));
    std::uint32_t equations = d.locals() + dice.number(1, d.interface() - 1);
    for (std::uint32_t e = 0; e < equations; ++e) d.equation(dice.sample(d.interface() + d.locals(), dice.number(2, 4)));
    Type type = type_of(d, nullptr);
    if (!type.kernel) continue;
    library.push_back(d);
    types.push_back(type);
  }
  std::size_t hidden = 0;
  while (library.size() < 11000) {
    std::uint32_t children = dice.number(3, 10), rank = 0;
    Variables chosen;
    for (std::uint32_t c = 0; c < children; ++c) {
      chosen.push_back(dice.number(0, 999));
      rank += types[chosen.back()].kernel->rank();
    }
    std::uint32_t interface = dice.number(2, 8), own = dice.number(0, 10);
    if (rank + own < 10 + interface || rank + own > 40) continue;
    Definition d(interface, rank + own - dice.number(1, interface - 1));
    for (std::uint32_t c : chosen) {
      d.application(c);
      for (std::uint32_t i = 0; i < library[c].interface(); ++i)
        if (dice.chance(0.1)) d.expression(dice.sample(d.interface() + d.locals(), 2));
        else d.variable(dice.number(0, d.interface() + d.locals() - 1));
    }
    for (std::uint32_t e = 0; e < own; ++e) d.equation(dice.sample(d.interface() + d.locals(), dice.number(2, 4)));
    Type type = type_of(d, [&](std::uint32_t r) -> const Kernel& { return *types[r].kernel; });
    if (!type.kernel) continue;
    hidden += type.kernel->hidden() > 0;
    library.push_back(std::move(d));
    types.push_back(std::move(type));
  }
  show("applying 3 to 10 others, 10 to 40 rows", time_types(library), 1000);
  std::cout << "  with hidden columns left: " << hidden << "\n";
}

TEST_CASE("engineering components", "[.][speed]") {
  const std::vector<std::string> pins = {"p.v", "p.i", "n.v", "n.i"};
  std::vector<Definition> library{two_pin()};
  std::vector<std::string> names{"two pins"};
  for (std::uint32_t n : {2u, 5u, 10u, 20u, 40u}) {
    library.push_back(chain(n));
    names.push_back("chain " + std::to_string(n));
  }
  for (std::uint32_t n : {2u, 3u, 4u, 5u, 7u, 10u}) {
    library.push_back(mesh(n));
    names.push_back("mesh " + std::to_string(n));
  }
  std::vector<double> times = time_types(library);
  std::vector<Type> types = types_of(library);
  for (std::size_t i = 0; i < library.size(); ++i) {
    std::cout << names[i] << ", " << library[i].locals() << " locals: " << times[i] << " us, ";
    if (types[i].kernel) std::cout << to_text(*types[i].kernel, pins) << "\n";
    else std::cout << "singular\n";
  }
}
