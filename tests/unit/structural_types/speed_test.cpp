// Measurements, not part of the suite: unit_structural "[speed]".
#include <chrono>
#include <iostream>

#include "networks.h"
#include "random_definitions.h"

using namespace sigrel::structural_types;
using namespace networks;
using namespace random_definitions;

namespace {

/// Microseconds of type_of for each definition, of three runs the best.
std::vector<double> time_types(const std::vector<Definition>& library) {
  std::vector<double> best(library.size(), 1e9);
  for (int run = 0; run < 3; ++run) {
    std::vector<Typing> types(library.size());
    for (std::size_t i = 0; i < library.size(); ++i) {
      auto start = std::chrono::steady_clock::now();
      types[i] =
          type_of(library[i], [&](std::uint32_t r) -> const StructuralType& { return *types[r].type; });
      best[i] = std::min(
          best[i],
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
  }
  return best;
}

void show(const std::string& what, std::vector<double> times, std::size_t skip = 0) {
  times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(skip));
  std::ranges::sort(times);
  double sum = 0;
  for (double t : times) sum += t;
  std::cout << what << ": " << times.size() << " definitions, median " << times[times.size() / 2]
            << " us, 90% " << times[times.size() * 9 / 10] << ", 99% " << times[times.size() * 99 / 100]
            << ", longest " << times.back() << ", all " << sum / 1e3 << " ms\n";
}

}  // namespace

TEST_CASE("random definitions of 10 to 40 equations", "[.][speed]") {
  Dice dice(1);
  std::vector<Definition> library;
  std::size_t hidden = 0;
  while (library.size() < 10000) {
    std::uint32_t equations = dice.number(10, 40), interface = dice.number(2, 10),
                  rank = dice.number(1, interface - 1);
    if (rank >= equations) continue;
    Definition d(interface, equations - rank);
    for (std::uint32_t e = 0; e < equations; ++e)
      d.equation(dice.sample(interface + d.locals(), dice.number(2, 4)));
    Typing type = type_of(d, nullptr);
    if (!type.type) continue;
    hidden += type.type->hidden() > 0;
    library.push_back(std::move(d));
  }
  show("random, well formed", time_types(library));
  std::cout << "  with hidden columns left: " << hidden << "\n";
}

TEST_CASE("random definitions of many equations and wide interfaces", "[.][speed]") {
  for (std::uint32_t equations : {50u, 100u, 200u, 400u, 1000u}) {
    Dice dice(equations);
    std::vector<Definition> library;
    std::size_t hidden = 0;
    while (library.size() < 20) {
      std::uint32_t interface = equations / 2, rank = equations / 4;
      Definition d(interface, equations - rank);
      for (std::uint32_t e = 0; e < equations; ++e) {
        Variables row = dice.sample(interface + d.locals(), dice.number(2, 4));
        row.push_back((interface + e) % (interface + d.locals()));  // a covering matching
        d.equation(row);
      }
      hidden += type_of(d, nullptr).type->hidden() > 0;
      library.push_back(std::move(d));
    }
    show(std::to_string(equations) + " equations", time_types(library));
    std::cout << "  with hidden columns left: " << hidden << "\n";
  }
}

TEST_CASE("definitions that apply others", "[.][speed]") {
  Dice dice(2);
  std::vector<Definition> library;
  std::vector<Typing> types;
  while (library.size() < 1000) {
    Definition d(dice.number(2, 5), dice.number(0, 5));
    std::uint32_t equations = d.locals() + dice.number(1, d.interface() - 1);
    for (std::uint32_t e = 0; e < equations; ++e)
      d.equation(dice.sample(d.interface() + d.locals(), dice.number(2, 4)));
    Typing type = type_of(d, nullptr);
    if (!type.type) continue;
    library.push_back(d);
    types.push_back(type);
  }
  std::size_t hidden = 0;
  while (library.size() < 11000) {
    std::uint32_t children = dice.number(3, 10), rank = 0;
    Variables chosen;
    for (std::uint32_t c = 0; c < children; ++c) {
      chosen.push_back(dice.number(0, 999));
      rank += types[chosen.back()].type->rank();
    }
    std::uint32_t interface = dice.number(2, 8), own = dice.number(0, 10);
    if (rank + own < 10 + interface || rank + own > 40) continue;
    Definition d(interface, rank + own - dice.number(1, interface - 1));
    for (std::uint32_t c : chosen) {
      d.application(c);
      for (std::uint32_t i = 0; i < library[c].interface(); ++i)
        if (dice.chance(0.1))
          d.expression(dice.sample(d.interface() + d.locals(), 2));
        else
          d.variable(dice.number(0, d.interface() + d.locals() - 1));
    }
    for (std::uint32_t e = 0; e < own; ++e)
      d.equation(dice.sample(d.interface() + d.locals(), dice.number(2, 4)));
    Typing type = type_of(d, [&](std::uint32_t r) -> const StructuralType& { return *types[r].type; });
    if (!type.type) continue;
    hidden += type.type->hidden() > 0;
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
  for (std::uint32_t n : {2u, 3u, 4u, 5u, 7u, 10u, 30u, 300u}) {
    library.push_back(network(n * n, mesh_edges(n)));
    names.push_back("mesh " + std::to_string(n));
    library.push_back(flat_network(n * n, mesh_edges(n)));
    names.push_back("mesh " + std::to_string(n) + " written out");
  }
  std::vector<double> times = time_types(library);
  std::vector<Typing> types = types_of(library);
  for (std::size_t i = 0; i < library.size(); ++i) {
    std::cout << names[i] << ", " << library[i].locals() << " locals: " << times[i] << " us, ";
    if (!types[i].type)
      std::cout << "singular\n";
    else if (types[i].type->hidden() > 9)
      std::cout << types[i].type->hidden() << " hidden columns\n";
    else
      std::cout << to_text(*types[i].type, pins) << "\n";
  }
}
