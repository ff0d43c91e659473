// Structural types of relations with switches: a type for each mode, and what random relations say of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../structural_types/random_definitions.h"
#include "compiler/explain/structural_types.h"
#include "compiler/structural_types/combinations.h"
#include "structure.h"

using namespace sigrel;
using namespace random_definitions;
using structural_types::StructuralType;
using structure::has_types;
using structure::refused;

TEST_CASE("a relation with switches has a type for each combination of modes") {
  const char* source = R"(
import Electrical

diode :: SR (p :: Pin, n :: Pin)
diode = sigrel (p, n) where
  local u :: Real
  twoPin <> (p, n, u)
  switch Open where
    mode Open where
      p.i = 0.0
      until u > 0.0 -> Closed
    mode Closed where
      u = 0.0
      until p.i < 0.0 -> Open

nested :: SR (p :: Pin, n :: Pin)
nested = sigrel (p, n) where
  local u :: Real
  twoPin <> (p, n, u)
  switch Off where
    mode Off where
      p.i = 0.0
      until time > 1.0 -> On
    mode On where
      switch Open where
        mode Open where
          p.i = 0.0
          until u > 0.0 -> Closed
        mode Closed where
          u = 0.0
          until p.i < 0.0 -> Open
      until time > 2.0 -> Off

constant :: Real -> SR (x :: Real)
constant a = sigrel (x) where
  switch Low where
    mode Low where
      x = a
      until time > 1.0 -> High 2.0
    mode High b where
      x = a * b
      until time > 2.0 -> Low

chosen :: SR (x :: Real)
chosen = sigrel (x) where
  switch Of (constant 1.0) where
    mode Of r where
      r <> x
      until time > 1.0 -> Of (constant 2.0)

pair :: SR (a :: Pin, b :: Pin)
pair = sigrel (a, b) where
  diode <> (a, b)
  diode <> (b, a)
)";
  has_types(source, {{"diode", "{p.i; n.i} in Open, {p.v n.v; p.i n.i} in Closed"},
                     {"nested", "{p.i; n.i} in Off and On+Open, {p.v n.v; p.i n.i} in On+Closed"},
                     {"constant", "{x}"},
                     {"chosen", "{x}"}});
}

TEST_CASE("a singular mode is refused in its line, once") {
  auto diode = [](const char* open, const char* closed) {
    return fmt::format(R"(
import Electrical

diode :: SR (p :: Pin, n :: Pin)
diode = sigrel (p, n) where
  local u :: Real
  twoPin <> (p, n, u)
  switch Open where
    mode Open where
      p.i = 0.0
      {}
      until u > 0.0 -> Closed
    mode Closed where
      {}
      until p.i < 0.0 -> Open
)",
                       open, closed);
  };
  refused(
      diode("", "u = 0.0\n      p.v = n.v").c_str(), "SR0311",
      "an equation of `diode` about `p.v` and `n.v` is redundant in the mode `Closed`\n  --> test.sr:15:7");
  refused(diode("p.i = 2.0", "u = 0.0").c_str(), "SR0301", "in the mode `Open`\n  --> test.sr:11:7");
  refused(diode("u = 2.0 * u", "u = 0.0\n      u = 1.0").c_str(), "SR0301",
          "in the mode `Closed`\n  --> test.sr:15:7");
  refused(diode("local w :: Real", "u = 0.0").c_str(), "SR0302",
          "nothing determines `w` in `diode` in the mode `Open`\n  --> test.sr:11:13");
}

TEST_CASE("a fault outside of the modes is reported without them") {
  structure::Structure s(R"(
two :: SR (x :: Real)
two = sigrel (x) where
  local y, z :: Real
  y = 1.0
  y = 2.0
  switch A where
    mode A where
      x = y
      until time > 1.0 -> B
    mode B where
      x = 2.0 * y
      until time > 2.0 -> A
  z = 1.0
)");
  INFO(s.messages);
  CHECK(s.codes() == std::vector<std::string>{"SR0301"});
  CHECK(s.messages.find("mode") == std::string::npos);
}

TEST_CASE("modes that are possible with some modes of other switches are in order") {
  const char* source = R"(
both :: SR (x :: Real)
both = sigrel (x) where
  local y :: Real
  switch A where
    mode A where
      x = 1.0
      until time > 1.0 -> B
    mode B where
      y = 1.0
      until time > 2.0 -> A
  switch C where
    mode C where
      y = 1.0
      until time > 1.0 -> D
    mode D where
      x = 1.0
      until time > 2.0 -> C
)";
  has_types(source, {{"both", "{x} in A+C and B+D, none in B+C and A+D"}});
}

TEST_CASE("each mode keeps the contract") {
  auto source = [](const char* contract) {
    return fmt::format(R"(
load :: SR (x :: Real, y :: Real) {{{}}}
load = sigrel (x, y) where
  switch Near where
    mode Near where
      x = 2.0 * sin y
      until time > 1.0 -> Far
    mode Far where
      x = 2.0
      until time > 2.0 -> Near
)",
                       contract);
  };
  has_types(source("#1").c_str(), {{"load", "{x y} in Near, {x} in Far"}});
  has_types(source("x").c_str(), {});
  refused(source("x y").c_str(), "SR0306", "in the mode `Far`");
}

TEST_CASE("what applies a relation with switches is refused if no mode can complete it") {
  const char* source = R"(
step :: SR (x :: Real)
step = sigrel (x) where
  switch A where
    mode A where
      x = 1.0
      until time > 1.0 -> B
    mode B where
      x = sin time
      until time > 2.0 -> A

twice :: SR (y :: Real)
twice = sigrel (y) where
  local x :: Real
  step <> x
  x = 2.0
  y = 1.0
)";
  refused(source, "SR0301", "`twice`");
}

TEST_CASE("a model that can be in some modes is warned of the others") {
  structure::Structure s(R"(
model :: SR ()
model = sigrel () where
  local i, u :: Real
  i = 1.0 + sin time
  switch Open where
    mode Open where
      i = 0.0
      until u > 0.0 -> Closed
    mode Closed where
      u = 0.0
      until i < 0.0 -> Open
)");
  INFO(s.messages);
  CHECK(s.fine);
  CHECK(s.messages.starts_with("warning[SR0301]"));
  CHECK(s.messages.find("in the mode `Open`") != std::string::npos);
}

namespace {

/// A relation with switches of two modes each, in numbers: what is common, and each mode's equations.
struct Switching {
  std::uint32_t interface = 0, locals = 0;
  std::vector<Variables> common;
  std::vector<std::array<std::vector<Variables>, 2>> switches;

  std::size_t combinations() const { return std::size_t{1} << switches.size(); }
  Definition in(std::size_t combination) const {
    Definition d(interface, locals);
    for (const Variables& e : common) d.equation(e);
    for (std::size_t s = 0; s < switches.size(); ++s)
      for (const Variables& e : switches[s][combination >> s & 1]) d.equation(e);
    return d;
  }
};

Switching random_switching(Dice& dice) {
  Switching result{dice.number(1, 4), dice.number(0, 3), {}, {}};
  const std::uint32_t variables = result.interface + result.locals;
  auto equations = [&](std::uint32_t count) {
    std::vector<Variables> list;
    for (std::uint32_t e = 0; e < count; ++e) list.push_back(dice.sample(variables, dice.number(1, 3)));
    return list;
  };
  result.common = equations(dice.number(0, result.locals));
  result.switches.resize(dice.number(1, 2));
  for (auto& modes : result.switches) {
    const std::uint32_t count = dice.number(1, 2);
    for (auto& mode : modes) mode = equations(count + dice.chance(0.15));
  }
  return result;
}

std::string written(const std::string& name, const Switching& s) {
  int number = 0;
  auto equation = [&](const Variables& variables) {
    std::string text = ++number % 2 == 0 ? "sin " : "exp ";
    for (std::size_t k = 0; k < variables.size(); ++k)
      text += (k == 0 ? "v" : k == 1 ? " + v" : " * v") + std::to_string(variables[k]);
    return text + fmt::format(" = {}.5\n", number);
  };
  std::vector<std::string> formals, locals;
  for (std::uint32_t v = 0; v < s.interface; ++v) formals.push_back(fmt::format("v{}", v));
  for (std::uint32_t v = 0; v < s.locals; ++v) locals.push_back(fmt::format("v{}", s.interface + v));
  std::string text = fmt::format("{0} :: SR ({1} :: Real)\n{0} = sigrel ({2}) where\n", name,
                                 fmt::join(formals, " :: Real, "), fmt::join(formals, ", "));
  if (s.locals) text += fmt::format("  local {} :: Real\n", fmt::join(locals, ", "));
  for (const Variables& e : s.common) text += "  " + equation(e);
  for (std::size_t k = 0; k < s.switches.size(); ++k) {
    text += fmt::format("  switch M{}0 where\n", k);
    for (int m = 0; m < 2; ++m) {
      text += fmt::format("    mode M{}{} where\n", k, m);
      for (const Variables& e : s.switches[k][static_cast<std::size_t>(m)]) text += "      " + equation(e);
      text += fmt::format("      until time > {}.0 -> M{}{}\n", m + 1, k, 1 - m);
    }
  }
  return text + "\n";
}

bool completable(const Definition& d) {
  return structural_types::cover(structural_types::expand(std::vector<Definition>{d}, 0).incidence)
      .complete();
}

}  // namespace

TEST_CASE("random relations with switches: modes are refused as the flat systems are") {
  Dice dice(20);
  std::size_t refused_modes = 0, accepted = 0, wrong = 0, types_differ = 0;
  for (int n = 0; n < 400; ++n) {
    const Switching s = random_switching(dice);
    std::vector<bool> possible(2 * s.switches.size(), false);
    for (std::size_t c = 0; c < s.combinations(); ++c)
      if (completable(s.in(c)))
        for (std::size_t k = 0; k < s.switches.size(); ++k) possible[2 * k + (c >> k & 1)] = true;
    const bool fine = std::ranges::all_of(possible, std::identity{});
    structure::Structure checked(written("random", s));
    INFO(written("random", s) << checked.messages);
    wrong += fine != checked.fine;
    CHECK(fine == checked.fine);
    ++(fine ? accepted : refused_modes);
    if (!fine) continue;
    Diagnostics diagnostics;
    explain::StructuralTypes types = explain::structural_types(checked.session.program(), diagnostics);
    const components::Component& base = types.library.components[types.components.begin()->second];
    std::set<std::vector<std::vector<std::uint32_t>>> expected, found;
    for (std::size_t c = 0; c < s.combinations(); ++c)
      if (Definition d = s.in(c); completable(d))
        expected.insert(*structural_types::bases(
            structural_types::reduce(structural_types::expand(std::vector<Definition>{d}, 0).incidence)));
    for (const auto& c : base.combinations)
      if (const auto& type = types.checked.types[*c.component]) found.insert(*structural_types::bases(*type));
    types_differ += expected != found;
  }
  CHECK(wrong == 0);
  CHECK(types_differ == 0);
  CHECK(refused_modes > 50);
  CHECK(accepted > 50);
}

TEST_CASE("the join of types contains each of them, and is the type where they are equal") {
  Dice dice(21);
  std::size_t joined = 0;
  for (int n = 0; n < 300; ++n) {
    const std::uint32_t interface = dice.number(1, 5);
    std::vector<StructuralType> types;
    for (std::uint32_t t = dice.number(2, 3); t-- > 0;) {
      const std::uint32_t locals = dice.number(0, 3);
      Definition d(interface, locals);
      for (std::uint32_t e = 0; e < locals + dice.number(1, interface); ++e)
        d.equation(dice.sample(interface + locals, dice.number(1, 3)));
      if (completable(d))
        types.push_back(
            structural_types::reduce(structural_types::expand(std::vector<Definition>{d}, 0).incidence));
    }
    if (types.empty()) continue;
    const std::optional<StructuralType> all = structural_types::join(types);
    CHECK(all.has_value() ==
          std::ranges::all_of(types, [&](auto& t) { return t.rank() == types[0].rank(); }));
    if (!all) continue;
    ++joined;
    for (const StructuralType& t : types) CHECK(structural_types::included(t, *all).value());
    CHECK(structural_types::join(std::array{types[0], types[0]}) == types[0]);
  }
  CHECK(joined > 50);
}

TEST_CASE("random definitions that apply relations with switches: refused where no modes fit") {
  Dice dice(22);
  std::size_t refused = 0, accepted = 0;
  for (int n = 0; n < 400; ++n) {
    // Two relations, of which all modes are possible, and one equation fewer or more in the whole.
    std::vector<Switching> parts;
    while (parts.size() < 2) {
      Switching s = random_switching(dice);
      s.switches.resize(1);
      if (completable(s.in(0)) && completable(s.in(1))) parts.push_back(std::move(s));
    }
    const std::uint32_t locals = dice.number(1, 4);
    std::vector<Variables> arguments, equations;
    for (const Switching& s : parts) {
      Variables& list = arguments.emplace_back();
      for (std::uint32_t i = 0; i < s.interface; ++i) list.push_back(dice.number(0, locals - 1));
    }
    for (std::uint32_t e = dice.number(0, locals); e-- > 0;)
      equations.push_back(dice.sample(locals, dice.number(1, 2)));
    std::string text = written("p0", parts[0]) + written("p1", parts[1]);
    std::vector<std::string> names;
    for (std::uint32_t v = 0; v < locals; ++v) names.push_back(fmt::format("w{}", v));
    text +=
        fmt::format("whole :: SR ()\nwhole = sigrel () where\n  local {} :: Real\n", fmt::join(names, ", "));
    for (std::size_t p = 0; p < 2; ++p) {
      std::vector<std::string> given;
      for (std::uint32_t a : arguments[p]) given.push_back(names[a]);
      text += fmt::format("  p{} <> ({})\n", p, fmt::join(given, ", "));
    }
    for (std::size_t e = 0; e < equations.size(); ++e) {
      std::string sum;
      for (std::uint32_t v : equations[e]) sum += (sum.empty() ? "sin " : " + exp ") + names[v];
      text += fmt::format("  {} = {}.5\n", sum, e);
    }
    bool possible = false;
    for (std::size_t c = 0; c < 4; ++c) {
      Definition whole(0, locals);
      for (const Variables& e : equations) whole.equation(e);
      for (std::uint32_t p = 0; p < 2; ++p) {
        whole.application(p);
        for (std::uint32_t a : arguments[p]) whole.variable(a);
      }
      const std::vector<Definition> library{parts[0].in(c & 1), parts[1].in(c >> 1), whole};
      possible |= structural_types::cover(structural_types::expand(library, 2).incidence).complete();
    }
    structure::Structure checked(text);
    INFO(text << checked.messages);
    CHECK(checked.fine == possible);
    ++(checked.fine ? accepted : refused);
  }
  CHECK(refused > 50);
  CHECK(accepted > 20);
}
