// Relation parameters: sizes that are found by bisection against all sizes, and against random relations in
// the place of the hole.
#include <catch2/catch.hpp>

#include "compiler/structural_types/holes.h"
#include "random_definitions.h"

using namespace sigrel;
using namespace sigrel::structural_types;
using namespace random_definitions;

namespace {

std::uint32_t add_hole(components::Library& library, std::uint32_t interface, bool by_function = false) {
  components::Component c;
  c.interface = interface;
  c.hole = static_cast<std::uint32_t>(library.holes.size());
  c.holes = {*c.hole};
  auto component = static_cast<std::uint32_t>(library.components.size());
  library.holes.push_back({{}, {intern("part"), {}, by_function, {}}, component});
  library.components.push_back(std::move(c));
  return component;
}

/// A body that applies components that are there already.
std::uint32_t add_body(components::Library& library, Dice& dice, const Variables& parts,
                       std::uint32_t equations) {
  components::Component c;
  c.interface = dice.number(1, 4);
  c.locals = dice.number(0, 4);
  std::uint32_t variables = c.interface + c.locals;
  std::set<std::uint32_t> holes;
  for (std::uint32_t part : parts) {
    c.applications.push_back({part, static_cast<std::uint32_t>(c.arguments.size())});
    for (std::uint32_t i = 0; i < library.components[part].interface; ++i)
      c.arguments.push_back(dice.number(0, variables - 1));
    holes.insert(library.components[part].holes.begin(), library.components[part].holes.end());
  }
  c.holes.assign(holes.begin(), holes.end());
  for (std::uint32_t e = 0; e < equations; ++e) {
    for (std::uint32_t v : dice.sample(variables, dice.number(1, 3))) c.variables.push_back(v);
    c.offsets.push_back(static_cast<std::uint32_t>(c.variables.size()));
    c.sources.push_back(0);
  }
  library.components.push_back(std::move(c));
  return static_cast<std::uint32_t>(library.components.size() - 1);
}

/// Whether the last component is well-formed with these types in the holes, flat from the leaves up.
bool well_formed(const components::Library& library, const std::vector<StructuralType>& actual) {
  std::vector<std::optional<StructuralType>> types;
  for (const components::Component& c : library.components) {
    if (c.hole) {
      types.emplace_back(actual[*c.hole]);
      continue;
    }
    Typing type = type_of(definition_of(c, library.components),
                          [&](std::uint32_t r) -> const StructuralType& { return *types[r]; });
    if (!type.type) return false;
    types.push_back(std::move(type.type));
  }
  return true;
}

Fit fit_of(const components::Library& library) {
  std::vector<std::optional<StructuralType>> types(library.components.size());
  Holes holes(library, types);
  Fit fit;
  for (std::uint32_t c = 0; c < library.components.size(); ++c) fit = holes.fit(c);
  return fit;
}

}  // namespace

TEST_CASE("uniform: any set of as many columns") {
  for (std::uint32_t n = 0; n <= 5; ++n)
    for (std::uint32_t k = 0; k <= n; ++k) {
      std::size_t binomial = 1;
      for (std::uint32_t i = 0; i < k; ++i) binomial = binomial * (n - i) / (i + 1);
      CHECK(bases(uniform(k, n))->size() == binomial);
    }
}

TEST_CASE(
    "one hole: the sizes are those with which the body is well-formed, and whatever fits has one of them") {
  Dice dice(4);
  std::size_t none = 0, some = 0, fitting = 0;
  for (int round = 0; round < 1500; ++round) {
    components::Library library;
    std::uint32_t n = dice.number(1, 4);
    std::uint32_t hole = add_hole(library, n);
    Variables parts(dice.number(1, 2), hole);
    if (dice.chance(0.4)) {
      std::uint32_t middle = add_body(library, dice, parts, dice.number(0, 3));
      parts = {middle, dice.chance(0.5) ? hole : middle};
    }
    add_body(library, dice, parts, dice.number(0, 4));
    std::vector<std::uint32_t> exact;
    for (std::uint32_t k = 0; k <= n; ++k)
      if (well_formed(library, {uniform(k, n)})) exact.push_back(k);
    Fit fit = fit_of(library);
    REQUIRE((fit.kind == Fit::Some) == !exact.empty());
    (exact.empty() ? none : some) += 1;
    if (!exact.empty()) {
      REQUIRE(exact.size() == exact.back() - exact.front() + 1);
      REQUIRE(fit.sizes == std::vector<Interval>{{exact.front(), exact.back()}});
      REQUIRE(fit.only.has_value() == (exact.size() == 1));
    }
    for (int actual = 0; actual < 8; ++actual) {
      std::uint32_t hidden = dice.number(0, 2), rank = dice.number(0, n);
      StructuralType type = reduce(coverable(dice, n, hidden, hidden + rank));
      if (!well_formed(library, {type})) continue;
      ++fitting;
      REQUIRE(std::ranges::find(exact, rank) != exact.end());
    }
  }
  INFO(none << " " << some << " " << fitting);
  CHECK(none > 200);
  CHECK(some > 200);
  CHECK(fitting > 1000);
}

TEST_CASE("two holes: each size in an interval occurs in a combination, and no other size does") {
  Dice dice(5);
  std::size_t none = 0, some = 0;
  for (int round = 0; round < 600; ++round) {
    components::Library library;
    std::uint32_t n[2] = {dice.number(1, 3), dice.number(1, 3)};
    Variables parts;
    for (std::uint32_t size : n) parts.push_back(add_hole(library, size));
    if (dice.chance(0.4)) parts.push_back(add_body(library, dice, parts, dice.number(0, 2)));
    add_body(library, dice, parts, dice.number(0, 4));
    std::set<std::uint32_t> sizes[2];
    std::size_t combinations = 0;
    for (std::uint32_t a = 0; a <= n[0]; ++a)
      for (std::uint32_t b = 0; b <= n[1]; ++b)
        if (well_formed(library, {uniform(a, n[0]), uniform(b, n[1])})) {
          sizes[0].insert(a);
          sizes[1].insert(b);
          ++combinations;
        }
    Fit fit = fit_of(library);
    if (fit.kind == Fit::Spoilt) {  // the part by itself has no sizes
      REQUIRE(combinations == 0);
      continue;
    }
    REQUIRE((fit.kind == Fit::Some) == (combinations > 0));
    (combinations ? some : none) += 1;
    if (!combinations) continue;
    for (std::size_t h = 0; h < 2; ++h) {
      REQUIRE(fit.sizes[h] == Interval{*sizes[h].begin(), *sizes[h].rbegin()});
      REQUIRE(sizes[h].size() == fit.sizes[h].last - fit.sizes[h].first + 1);
    }
    REQUIRE(fit.only.has_value() == (combinations == 1));
  }
  CHECK(none > 50);
  CHECK(some > 50);
}

TEST_CASE("a function may give another relation at each use: nothing is said against it") {
  for (bool by_function : {false, true}) {
    components::Library library;
    std::uint32_t hole = add_hole(library, 1, by_function);
    // part <> x; part <> y; x = 1 over x, with y hidden: no equation for x, one for y.
    components::Component c;
    c.interface = c.locals = 1;
    c.applications = {{hole, 0}, {hole, 1}};
    c.arguments = {0, 1};
    c.variables = {0};
    c.offsets = {0, 1};
    c.sources = {0};
    c.holes = {0};
    library.components.push_back(c);
    CHECK(fit_of(library).kind == (by_function ? Fit::Unknown : Fit::None));
  }
}
