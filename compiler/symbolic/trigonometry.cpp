// Identities between two terms of a sum that differ only in sines and cosines. Each term registers the
// identities that it could be one half of; it is paired with the first term that is the other half and has
// the same coefficient, up to the sign in the identity.
#include <map>
#include <tuple>
#include <utility>

#include "compiler/symbolic/canonical.h"

namespace sigrel::symbolic {
namespace {

constexpr std::size_t kMostTrigonometric = 6;  // factors of a term that are considered

/// The remaining factors after one occurrence at each of two positions (or two at one position) is removed.
std::vector<Factor> without(std::vector<Factor> factors, std::size_t i, std::size_t j) {
  factors[i].exponent -= 1;
  factors[j].exponent -= 1;
  std::erase_if(factors, [](const Factor& f) { return f.exponent == 0; });
  return factors;
}

/// sin x cos y and similar: the subject of an identity, and its cofactor.
struct Half {
  using Key =
      std::tuple<std::vector<std::pair<std::uint32_t, std::int32_t>>, std::uint32_t, std::uint32_t, bool>;
  std::vector<Factor> rest;
  ExprId x, y;  // the angles, x first by rank; equal in a square
  bool sine_x, sine_y;

  Key key() const {
    std::vector<std::pair<std::uint32_t, std::int32_t>> factors;
    for (const Factor& f : rest) factors.emplace_back(f.base.value, f.exponent);
    return {std::move(factors), x.value, y.value, sine_x == sine_y};
  }
};

class Round {
 public:
  Round(SumBuilder& builder, Sum& sum) : builder_(builder), sum_(sum), gone_(sum.size(), false) {}

  bool run() {
    const std::size_t count = sum_.size();
    for (std::size_t t = 0; t < count; ++t) visit(t);
    if (!changed_) return false;
    Sum left;
    for (std::size_t t = 0; t < sum_.size(); ++t)
      if (t >= gone_.size() || !gone_[t]) left.push_back(std::move(sum_[t]));
    sum_ = std::move(left);
    return true;
  }

 private:
  void visit(std::size_t t) {
    const std::vector<Factor> factors = sum_[t].factors;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < factors.size() && places.size() < kMostTrigonometric; ++i) {
      Op op = builder_.pool()[factors[i].base].op;
      if ((op == Op::Sin || op == Op::Cos) && factors[i].exponent > 0) places.push_back(i);
    }
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t j = i; j < places.size(); ++j) {
        if (i == j && factors[places[i]].exponent < 2) continue;
        if (meet(t, half(factors, places[i], places[j]))) return;
      }
  }

  Half half(const std::vector<Factor>& factors, std::size_t i, std::size_t j) {
    const Node f = builder_.pool()[factors[i].base], g = builder_.pool()[factors[j].base];
    Half h{without(factors, i, j), ExprId{f.a}, ExprId{g.a}, f.op == Op::Sin, g.op == Op::Sin};
    if (h.x != h.y && builder_.factor(h.y).before(builder_.factor(h.x))) {
      std::swap(h.x, h.y);
      std::swap(h.sine_x, h.sine_y);
    }
    return h;
  }

  bool meet(std::size_t t, Half h) {
    auto [at, fresh] = waiting_.try_emplace(h.key(), std::vector<Waiting>{});
    for (const Waiting& other : at->second) {
      if (gone_[other.term] || other.sine_x == h.sine_x) continue;  // both halves are needed
      const double a =
          h.sine_x ? sum_[other.term].coefficient : sum_[t].coefficient;  // of the half with cos x
      const double b =
          h.sine_x ? sum_[t].coefficient : sum_[other.term].coefficient;  // of the half with sin x
      if (a != b && a != -b) continue;
      Term made;
      made.factors = h.rest;
      if (h.sine_x == h.sine_y) {
        if (h.x == h.y) {  // a cos² + b sin²
          if (a != b) continue;
          made.coefficient = a;
        } else {  // a cos x cos y + b sin x sin y
          multiply(made, a, builder_.trigonometric(Op::Cos, h.x, a == b ? -1.0 : 1.0, h.y));
        }
      } else {
        if (h.x == h.y) continue;  // sin x cos x is one term
        // a cos x sin y + b sin x cos y
        multiply(made, b, builder_.trigonometric(Op::Sin, h.x, a == b ? 1.0 : -1.0, h.y));
      }
      gone_[t] = gone_[other.term] = true;
      sum_.push_back(std::move(made));
      return changed_ = true;
    }
    at->second.push_back({t, h.sine_x});
    return false;
  }

  void multiply(Term& term, double coefficient, std::pair<double, ExprId> signed_value) {
    auto [sign, value] = signed_value;
    const Node n = builder_.pool()[value];
    if (n.op == Op::Const) {
      term.coefficient = coefficient * sign * n.value;
      return;
    }
    term.coefficient = coefficient * sign;
    Factor f = builder_.factor(value);
    auto place = term.factors.begin();
    while (place != term.factors.end() && place->before(f) && !place->same_place(f)) ++place;
    if (place != term.factors.end() && place->same_place(f))
      ++place->exponent;
    else
      term.factors.insert(place, f);
  }

  struct Waiting {
    std::size_t term;
    bool sine_x;
  };
  SumBuilder& builder_;
  Sum& sum_;
  std::vector<bool> gone_;
  std::map<Half::Key, std::vector<Waiting>> waiting_;
  bool changed_ = false;
};

}  // namespace

bool apply_trigonometry(SumBuilder& builder, Sum& sum) {
  auto has_two = [&](const Term& term) {
    int found = 0;
    for (const Factor& f : term.factors) {
      Op op = builder.pool()[f.base].op;
      if ((op == Op::Sin || op == Op::Cos) && f.exponent > 0) found += f.exponent;
    }
    return found >= 2;
  };
  std::size_t candidates = 0;
  for (const Term& term : sum) candidates += has_two(term);
  return candidates >= 2 && Round(builder, sum).run();
}

}  // namespace sigrel::symbolic
