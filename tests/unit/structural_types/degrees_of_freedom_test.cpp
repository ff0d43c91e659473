// Degrees of freedom against all matchings, and what it costs.
#include "compiler/structural_types/degrees_of_freedom.h"

#include <chrono>
#include <iostream>

#include "compiler/structural_types/cover.h"
#include "compiler/structural_types/flat.h"
#include "components_at_random.h"

using namespace sigrel::structural_types;
using namespace random_definitions;

namespace {

/// The heaviest matching that covers rows and hidden columns, by trying them all.
int heaviest(const Flat& flat, std::uint32_t row, std::vector<bool>& taken, std::uint32_t hidden_left) {
  const Incidence& whole = flat.expansion.incidence;
  if (row == whole.rows.rows()) return hidden_left == 0 ? 0 : -1;
  int best = -1;
  for (std::uint32_t e = whole.rows.offsets[row]; e < whole.rows.offsets[row + 1]; ++e) {
    std::uint32_t c = whole.rows.targets[e];
    if (taken[c]) continue;
    taken[c] = true;
    int rest = heaviest(flat, row + 1, taken, hidden_left - (c >= whole.interface));
    taken[c] = false;
    if (rest >= 0) best = std::max(best, rest + static_cast<int>(flat.coefficients[e].order));
  }
  return best;
}

}  // namespace

TEST_CASE("degrees of freedom are the weight of the heaviest covering matching") {
  Dice dice(7);
  std::size_t compared = 0, with_some = 0;
  while (compared < 2000) {
    auto library = components_at_random(dice);
    auto root = static_cast<std::uint32_t>(library.components.size() - 1);
    auto flat = flatten(library, root, 8);
    if (!flat || !cover(flat->expansion.incidence).complete()) continue;
    ++compared;
    std::vector<bool> taken(flat->expansion.incidence.columns(), false);
    int expected = heaviest(*flat, 0, taken, flat->expansion.incidence.hidden);
    with_some += expected > 0;
    CHECK(degrees_of_freedom(library, root) == static_cast<std::uint32_t>(expected));
  }
  CHECK(with_some > compared / 4);
}

TEST_CASE("degrees of freedom of a chain of storages", "[.][speed]") {
  for (std::uint32_t n : {1000u, 10'000u, 30'000u}) {
    // c der u(k) = i(k) - i(k+1); u(k) - u(k+1) = r i(k+1); i(n+1) = 0; u(0), i(0) are the interface
    sigrel::components::Library library;
    sigrel::components::Component c;
    c.interface = 1;
    c.locals = 2 * n;
    auto equation = [&](std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> terms) {
      for (auto [v, order] : terms) {
        c.variables.push_back(v);
        c.coefficients.push_back({order, 1, 1});
      }
      c.offsets.push_back(static_cast<std::uint32_t>(c.variables.size()));
      c.sources.push_back(0);
    };
    for (std::uint32_t k = 0; k < n; ++k) {
      std::uint32_t u = 1 + 2 * k, i = u + 1;
      equation({{u, 1}, {k == 0 ? 0 : i - 2, 0}, {i, 0}});
      if (k + 1 < n)
        equation({{u, 0}, {u + 2, 0}, {i, 0}});
      else
        equation({{i, 0}});
    }
    library.components.push_back(c);
    auto start = std::chrono::steady_clock::now();
    auto result = degrees_of_freedom(library, 0);
    std::cout << n << " storages: " << *result << " degrees of freedom, "
              << std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()
              << " ms\n";
    CHECK(result == n);
  }
}
