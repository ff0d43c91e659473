// Random libraries of components with slopes: some are small integers, the others any number.
#pragma once
#include "compiler/ir/components.h"
#include "random_definitions.h"

namespace random_definitions {

struct Slopes {
  double exact = 0.6, derivative = 0.3;
};

/// A hierarchy of small relations; children come first, the last one may have an empty interface.
inline sigrel::components::Library components_at_random(Dice& dice, const Slopes& coefficients = {}) {
  using namespace sigrel::components;
  Library library;
  const std::uint32_t count = dice.number(1, 3);
  for (std::uint32_t k = 0; k < count; ++k) {
    Component c;
    const bool closed = k + 1 == count && dice.chance(0.4);
    c.interface = closed ? 0 : dice.number(1, 4);
    c.locals = dice.number(closed ? 1 : 0, 4);
    const std::uint32_t variables = c.interface + c.locals;
    int rank = 0;
    for (std::uint32_t a = k == 0 ? 0 : dice.number(0, 2); a > 0; --a) {
      std::uint32_t child = dice.number(0, k - 1);
      c.applications.push_back({child, static_cast<std::uint32_t>(c.arguments.size())});
      for (std::uint32_t i = 0; i < library.components[child].interface; ++i)
        c.arguments.push_back(dice.number(0, variables - 1));
      const Component& d = library.components[child];
      rank += static_cast<int>(d.sources.size()) - static_cast<int>(d.locals);
    }
    int equations = static_cast<int>(c.locals + (closed ? 0 : dice.number(0, c.interface))) - rank;
    for (int e = 0; e < equations; ++e) {
      for (std::uint32_t v : dice.sample(variables, dice.number(1, 3))) {
        c.variables.push_back(v);
        Coefficient coefficient;
        if (dice.chance(coefficients.derivative)) coefficient.order = dice.number(1, 2);
        coefficient.factor = dice.chance(0.5) ? 1 : -1;
        if (!dice.chance(coefficients.exact)) coefficient.generic = dice.number(1, 2);
        c.coefficients.push_back(coefficient);
      }
      c.offsets.push_back(static_cast<std::uint32_t>(c.variables.size()));
      c.sources.push_back(0);
    }
    library.components.push_back(std::move(c));
  }
  return library;
}

}  // namespace random_definitions
