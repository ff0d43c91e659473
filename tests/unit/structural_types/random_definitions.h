// Random libraries in the manner of the reference file, and what brute force says about small types.
#pragma once
#include <algorithm>
#include <random>
#include <set>

#include "compiler/structural_types/expand.h"
#include "compiler/structural_types/family.h"

namespace random_definitions {

using sigrel::structural_types::Definition;
using sigrel::structural_types::Incidence;
using Variables = std::vector<std::uint32_t>;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// Between both, inclusive.
  std::uint32_t number(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(engine_() % (high - low + 1));
  }
  bool chance(double p) { return static_cast<double>(engine_() >> 11) * 0x1p-53 < p; }
  Variables sample(std::uint32_t variables, std::uint32_t count) {
    Variables all(variables);
    for (std::uint32_t v = 0; v < variables; ++v) all[v] = v;
    count = std::min(count, variables);
    for (std::uint32_t i = 0; i < count; ++i) std::swap(all[i], all[number(i, variables - 1)]);
    all.resize(count);
    return all;
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

struct Shape {
  std::uint32_t leaves = 3, middles = 3;
  bool closed_top = true;
  double expressions = 0.25, slack = 0.15;
};

inline int balance(const std::vector<Definition>& library, const Definition& d) {
  int rank = static_cast<int>(d.equations().rows()) - static_cast<int>(d.locals());
  for (std::uint32_t a = 0; a < d.applications(); ++a) rank += balance(library, library[d.relation(a)]);
  return rank;
}

inline std::vector<Definition> library(Dice& dice, const Shape& shape = {}) {
  std::vector<Definition> all;
  std::vector<int> rank;
  auto slack = [&] { return dice.chance(shape.slack) ? (dice.chance(0.5) ? 1 : -1) : 0; };
  auto equations = [&](Definition& d, int count) {
    std::uint32_t variables = d.interface() + d.locals();
    for (int e = 0; e < count; ++e) d.equation(dice.sample(variables, dice.number(2, 4)));
  };
  for (std::uint32_t k = 0; k < shape.leaves; ++k) {
    std::uint32_t interface = dice.number(2, 5), locals = dice.number(0, 5);
    Definition d(interface, locals);
    equations(d, static_cast<int>(locals + dice.number(1, interface - 1)) + slack());
    rank.push_back(balance(all, d));
    all.push_back(d);
  }
  for (std::uint32_t k = 0; k < shape.middles + shape.closed_top; ++k) {
    bool top = k == shape.middles;
    std::uint32_t interface = top ? 0 : dice.number(2, 6);
    Variables children(dice.number(2, 4));
    int sum = 0;
    for (std::uint32_t& c : children) {
      c = dice.number(0, static_cast<std::uint32_t>(all.size()) - 1);
      sum += rank[c];
    }
    std::uint32_t locals =
        top ? static_cast<std::uint32_t>(std::max(2, sum + static_cast<int>(dice.number(0, 3)) - 1))
            : dice.number(2, 6);
    Definition d(interface, locals);
    std::uint32_t variables = interface + locals;
    for (std::uint32_t c : children) {
      d.application(c);
      for (std::uint32_t i = 0; i < all[c].interface(); ++i)
        if (dice.chance(shape.expressions))
          d.expression(dice.sample(variables, 2));
        else
          d.variable(dice.number(0, variables - 1));
    }
    int wanted = static_cast<int>(locals) + (top ? 0 : static_cast<int>(dice.number(1, interface - 1)));
    equations(d, std::max(0, wanted - sum) + slack());
    rank.push_back(balance(all, d));
    all.push_back(d);
  }
  return all;
}

/// A random system with a covering matching, columns in ascending order in every row.
inline Incidence coverable(Dice& dice, std::uint32_t interface, std::uint32_t hidden, std::uint32_t rows) {
  while (true) {
    Incidence incidence{interface, hidden, {}};
    incidence.rows.columns = incidence.columns();
    for (std::uint32_t r = 0; r < rows; ++r) {
      Variables row = dice.sample(incidence.columns(), dice.number(1, 4));
      std::ranges::sort(row);
      incidence.rows.targets.insert(incidence.rows.targets.end(), row.begin(), row.end());
      incidence.rows.end_row();
    }
    if (sigrel::structural_types::cover(incidence).complete()) return incidence;
  }
}

/// B by trying every set of columns with every order of rows: a set of bit masks of interface columns.
inline std::set<std::uint32_t> brute_force(const Incidence& incidence) {
  const std::uint32_t hidden = ((1u << incidence.hidden) - 1) << incidence.interface;
  std::set<std::uint32_t> sets{0};  // columns that the rows so far can be matched with
  for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r) {
    std::set<std::uint32_t> next;
    for (std::uint32_t set : sets)
      for (std::uint32_t c : incidence.rows.row(r))
        if (!(set >> c & 1)) next.insert(set | 1u << c);
    sets = std::move(next);
  }
  std::set<std::uint32_t> bases;
  for (std::uint32_t set : sets)
    if ((set & hidden) == hidden) bases.insert(set & ~hidden);
  return bases;
}

inline std::set<std::uint32_t> masks(const std::vector<Variables>& sets) {
  std::set<std::uint32_t> result;
  for (const Variables& set : sets) {
    std::uint32_t mask = 0;
    for (std::uint32_t c : set) mask |= 1u << c;
    result.insert(mask);
  }
  return result;
}

}  // namespace random_definitions
