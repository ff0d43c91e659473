// The mixed layer against linear algebra with real numbers, on random hierarchies and hand-made ones; what it
// costs.
#include "compiler/structural_types/mixed.h"

#include <chrono>
#include <cmath>
#include <iostream>

#include "components_at_random.h"

using namespace sigrel::structural_types;
using namespace sigrel::components;
using namespace random_definitions;

namespace {

/// Rank by elimination with complete pivoting; what is below a billionth of the largest entry is nothing.
std::uint32_t numerical_rank(std::vector<std::vector<double>> m, std::uint32_t first, std::uint32_t last) {
  double largest = 0;
  for (auto& row : m)
    for (std::uint32_t c = first; c < last; ++c) largest = std::max(largest, std::fabs(row[c]));
  std::uint32_t rank = 0;
  std::vector<bool> used(last, false);
  for (; rank < m.size(); ++rank) {
    std::uint32_t r = rank, column = last;
    double best = 1e-9 * largest;
    for (std::uint32_t i = rank; i < m.size(); ++i)
      for (std::uint32_t c = first; c < last; ++c)
        if (!used[c] && std::fabs(m[i][c]) > best) best = std::fabs(m[i][c]), r = i, column = c;
    if (column == last) return rank;
    used[column] = true;
    std::swap(m[rank], m[r]);
    for (std::uint32_t i = rank + 1; i < m.size(); ++i) {
      double factor = m[i][column] / m[rank][column];
      for (std::uint32_t c = first; c < last; ++c) m[i][c] -= factor * m[rank][c];
    }
  }
  return rank;
}

/// Whether the linearised system is regular for some random real values of its generic numbers and of s.
bool regular_in_numbers(const Flat& flat, Dice& dice) {
  const Incidence& whole = flat.expansion.incidence;
  auto number = [&] {
    return (dice.chance(0.5) ? 1.0 : -1.0) * (0.5 + static_cast<double>(dice.number(0, 1'000'000)) / 1e6);
  };
  for (int turn = 0; turn < 3; ++turn) {
    const double s = number();
    std::vector<std::vector<double>> m(whole.rows.rows(), std::vector<double>(whole.columns()));
    for (std::uint32_t r = 0; r < m.size(); ++r) {
      std::vector<double> generic{number(), number()};
      for (std::uint32_t k = whole.rows.offsets[r]; k < whole.rows.offsets[r + 1]; ++k) {
        const Coefficient& coefficient = flat.coefficients[k];
        double value = static_cast<double>(coefficient.factor) * std::pow(s, coefficient.order);
        m[r][whole.rows.targets[k]] += coefficient.generic ? value * generic[coefficient.generic - 1] : value;
      }
    }
    if (numerical_rank(m, 0, whole.columns()) == whole.rows.rows() &&
        numerical_rank(m, whole.interface, whole.columns()) == whole.hidden)
      return true;
  }
  return false;
}

/// Definitions of `equations` equations with most coefficients 1 or -1, each with a structural type.
Library many(Dice& dice, std::size_t count) {
  Library library;
  while (library.components.size() < count) {
    std::uint32_t equations = dice.number(10, 40), interface = dice.number(2, 10),
                  rank = dice.number(1, interface - 1);
    if (rank >= equations) continue;
    Component c;
    c.interface = interface;
    c.locals = equations - rank;
    for (std::uint32_t e = 0; e < equations; ++e) {
      for (std::uint32_t v : dice.sample(interface + c.locals, dice.number(2, 4))) {
        c.variables.push_back(v);
        c.coefficients.push_back(
            {dice.chance(0.1) ? 1u : 0u, dice.chance(0.3) ? 1u : 0u, dice.chance(0.5) ? 1 : -1});
      }
      c.offsets.push_back(static_cast<std::uint32_t>(c.variables.size()));
      c.sources.push_back(0);
    }
    library.components.push_back(std::move(c));
    auto flat = flatten(library, static_cast<std::uint32_t>(library.components.size() - 1), 100);
    if (!cover(flat->expansion.incidence).complete()) library.components.pop_back();
  }
  return library;
}

}  // namespace

TEST_CASE("singular in the mixed layer is singular in numbers, and conversely") {
  Dice dice(11);
  std::size_t judged = 0, singular = 0, differ = 0;
  for (int i = 0; i < 4000; ++i) {
    Library library = components_at_random(dice, {0.85, 0.15});
    MixedLayer mixed(library);
    std::vector<bool> sound(library.components.size(), false);
    for (std::uint32_t c = 0; c < library.components.size(); ++c) {
      bool parts = std::ranges::all_of(library.components[c].applications,
                                       [&](auto& a) { return sound[a.component]; });
      auto flat = flatten(library, c, 100);
      if (!parts || !flat || !cover(flat->expansion.incidence).complete()) continue;
      auto found = mixed.check(c, definition_of(library.components[c], library.components));
      bool in_numbers = regular_in_numbers(*flat, dice);
      ++judged;
      singular += found.has_value();
      differ += found.has_value() == in_numbers;
      sound[c] = !found;
    }
  }
  INFO(judged << " definitions, " << singular << " singular");
  CHECK(differ == 0);
  CHECK(singular > 100);
  CHECK(judged - singular > 2000);
}

TEST_CASE("null vectors name the equations that depend on each other, and the unknowns that are free") {
  // x - y = p, y - x = q over p, q: the sum of both contains neither x nor y; x = y = 1 moves nothing.
  Library library;
  Component c;
  c.interface = 2;
  c.locals = 2;
  c.variables = {2, 3, 0, 3, 2, 1};
  c.coefficients = {{0, 0, 1}, {0, 0, -1}, {0, 0, -1}, {0, 0, 1}, {0, 0, -1}, {0, 0, -1}};
  c.offsets = {0, 3, 6};
  c.sources = {0, 0};
  library.components.push_back(c);
  auto found = MixedLayer(library).check(0, definition_of(c, library.components));
  REQUIRE(found);
  CHECK(found->redundant.empty());
  REQUIRE(found->free.size() == 1);
  CHECK(found->free[0].support == std::vector<std::uint32_t>{2, 3});
  CHECK(found->free[0].floating);
  // With p left out of the first, x - y = 0, and q of the second, they say the same.
  library.components[0].coefficients[2].factor = library.components[0].coefficients[5].factor = 0;
  found = MixedLayer(library).check(0, definition_of(c, library.components));
  REQUIRE(found);
  REQUIRE(found->redundant.size() == 1);
  CHECK(found->redundant[0].support == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("instances of one component are different ones where it matters") {
  // a(x, y): y = k x, drawn once for all uses. In b(x, y, z), a <> (x, z), a <> (x, z) leaves nothing of z
  // unless the two differ.
  Library library;
  Component a;
  a.interface = 2;
  a.variables = {1, 0};
  a.coefficients = {{0, 0, 1}, {0, 1, -1}};
  a.offsets = {0, 2};
  a.sources = {0};
  Component b;
  b.interface = 2;
  b.applications = {{0, 0}, {0, 2}};
  b.arguments = {0, 1, 0, 1};
  library.components = {a, b};
  MixedLayer mixed(library);
  CHECK(!mixed.check(0, definition_of(a, library.components)));
  CHECK(!mixed.check(1, definition_of(b, library.components)));
}

TEST_CASE("the mixed layer of 10 000 definitions", "[.][speed]") {
  Dice dice(3);
  Library library = many(dice, 10'000);
  MixedLayer mixed(library);
  std::vector<double> times;
  std::size_t singular = 0, equations = 0;
  for (std::uint32_t c = 0; c < library.components.size(); ++c) {
    Definition definition = definition_of(library.components[c], library.components);
    auto start = std::chrono::steady_clock::now();
    auto found = mixed.check(c, definition);
    double time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    equations += library.components[c].sources.size();
    if (found)
      ++singular;
    else
      times.push_back(time);
  }
  std::ranges::sort(times);
  std::cout << times.size() << " regular definitions of " << equations / library.components.size()
            << " equations on average (" << singular << " singular): median " << times[times.size() / 2]
            << " us, 99% " << times[times.size() * 99 / 100] << " us, longest " << times.back() << " us\n";
}

TEST_CASE("the mixed layer of a flat chain and of a chain by halves", "[.][speed]") {
  // r(a, b, i, j): a - b = k i, i = j. A chain of 2^n of them by halves, and n nodes of one definition.
  Library library;
  Component r;
  r.interface = 4;
  r.variables = {0, 1, 2, 2, 3};
  r.coefficients = {{0, 0, 1}, {0, 0, -1}, {0, 1, -1}, {0, 0, 1}, {0, 0, -1}};
  r.offsets = {0, 3, 5};
  r.sources = {0, 0};
  library.components.push_back(r);
  const std::uint32_t n = 10'000;
  Component chain;
  chain.interface = 4;  // a0 an i0 in
  chain.locals = 2 * (n - 1);
  auto potential = [&](std::uint32_t k) { return k == 0 ? 0 : k == n ? 1 : 4 + 2 * (k - 1); };
  auto current = [&](std::uint32_t k) { return k == 0 ? 2 : k == n ? 3 : 5 + 2 * (k - 1); };
  for (std::uint32_t k = 0; k < n; ++k) {
    chain.applications.push_back({0, 4 * k});
    chain.arguments.insert(chain.arguments.end(),
                           {potential(k), potential(k + 1), current(k), current(k + 1)});
  }
  library.components.push_back(chain);
  for (std::uint32_t k = 0; k < 20; ++k) {
    Component twice;
    twice.interface = 4;
    twice.locals = 2;
    std::uint32_t part = k == 0 ? 0 : k + 1;
    twice.applications = {{part, 0}, {part, 4}};
    twice.arguments = {0, 4, 2, 5, 4, 1, 5, 3};
    library.components.push_back(twice);
  }
  MixedLayer mixed(library);
  for (std::uint32_t c = 0; c < library.components.size(); ++c) {
    Definition definition = definition_of(library.components[c], library.components);
    auto start = std::chrono::steady_clock::now();
    CHECK(!mixed.check(c, definition));
    double time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    if (c == 1 || c + 1 == library.components.size())
      std::cout << (c == 1 ? "10 000 parts in one definition: " : "2^20 parts by halves, the last: ") << time
                << " us\n";
  }
}
