// The canonical form of an expression: sums of products with leading coefficients, like terms and like
// factors collected.
//
// Sums are flattened, and a number times a sum is distributed; products of sums are not expanded, which could
// lose precision and increase the size. Everything else is an atom with canonical operands. The order of
// terms and factors depends on their structure, not on the pool: equal expressions of different models stay
// equal. A sum that is used several times and is not small is an atom, so that the form is never much larger
// than the expression.
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "compiler/symbolic/algebra.h"
#include "compiler/symbolic/canonical.h"

namespace sigrel::symbolic {
namespace {

constexpr std::size_t kCopiedTerms = 8;  // terms of a sum that is used several times
constexpr int kRounds = 16;              // of identities on one sum
constexpr int kNested = 4;               // depth of identities inside angles
constexpr std::size_t kImprovedRoots = 64,
                      kImprovedNodes = 2'000;  // larger expressions are seldom written by hand
constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();

std::uint64_t mixed(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0xFF51AFD7ED558CCDull;
  return h ^ h >> 32;
}

/// A number for each of a few nodes. Open addressing.
class HashByNode {
 public:
  const std::uint64_t* find(ExprId id) const {
    for (std::size_t at = place(id); !slots_.empty() && slots_[at].key; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].key == id.value + 1) return &slots_[at].hash;
    return nullptr;
  }
  /// Of a node that has none.
  void add(ExprId id, std::uint64_t hash) {
    if (++count_ * 2 > slots_.size()) {
      std::vector<Slot> old(std::max<std::size_t>(64, slots_.size() * 2));
      old.swap(slots_);
      for (const Slot& slot : old)
        if (slot.key) put(slot);
    }
    put({id.value + 1, hash});
  }

 private:
  struct Slot {
    std::uint32_t key = 0;  // id + 1
    std::uint64_t hash = 0;
  };
  std::size_t place(ExprId id) const { return id.value * 0x9E3779B1u >> 8 & (slots_.size() - 1); }
  void put(const Slot& slot) {
    std::size_t at = place(ExprId{slot.key - 1});
    while (slots_[at].key) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

class Canonicaliser final : public SumBuilder {
 public:
  Canonicaliser(ExprPool& pool, int nested) : pool_(pool), nested_(nested) {}

  ExprId run(ExprId root) {
    PerNode<Form>& forms = forms_.emplace(pool_, root, Form{});
    for (std::size_t k = 0; k < forms.size(); ++k)
      for (std::uint32_t operand : operands(pool_[forms.id(k)])) ++forms[ExprId{operand}].uses;
    for (std::size_t k = 0; k < forms.size(); ++k) forms.at(k).sum = sum_of(pool_[forms.id(k)], forms.id(k));
    return whole(root);
  }
  /// The same, with the sign that makes the first term positive.
  std::pair<double, ExprId> run_turned(ExprId root) {
    run(root);
    return turned(root);
  }

  ExprPool& pool() override { return pool_; }
  Factor factor(ExprId base) override { return {base, 1, rank(base)}; }
  std::pair<double, ExprId> trigonometric(Op op, ExprId x, double sign, ExprId y) override {
    ExprId plain = pool_.binary(sign > 0 ? Op::Add : Op::Sub, x, y);
    auto [turn, angle] = Canonicaliser(pool_, nested_ - 1).run_turned(plain);
    return {op == Op::Sin ? turn : 1.0, unary(pool_, op, angle)};
  }

 private:
  struct Form {
    Sum sum;
    std::uint32_t uses = 0;
    bool normal = false;  // sorted, no like terms, identities applied
    std::optional<ExprId> whole;
  };
  Form& form(ExprId id) { return (*forms_)[id]; }

  // Order.

  /// Leaves by kind and number, all others by a hash of their structure.
  std::uint64_t rank(ExprId id) {
    const Node& n = pool_[id];
    switch (n.op) {
      case Op::Slot: return n.a;
      case Op::Der: return 1ull << 60 | std::uint64_t{n.a} << 20 | n.b;
      case Op::Param: return 2ull << 60 | n.a;
      case Op::Time: return 3ull << 60;
      default: return 4ull << 60 | structure(id) >> 4;
    }
  }

  std::uint64_t structure(ExprId root) {
    if (const std::uint64_t* known = structure_.find(root)) return *known;
    work_.assign(1, root);
    while (!work_.empty()) {
      const ExprId id = work_.back();
      const Node& n = pool_[id];
      const std::size_t waiting = work_.size();
      std::uint64_t h = mixed(0x9E3779B97F4A7C15ull, static_cast<std::uint64_t>(n.op));
      for (std::uint32_t operand : operands(n)) {
        if (const std::uint64_t* known = structure_.find(ExprId{operand}))
          h = mixed(h, *known);
        else
          work_.push_back(ExprId{operand});
      }
      if (work_.size() > waiting) continue;
      work_.pop_back();
      if (structure_.find(id)) continue;
      if (n.op == Op::PowInt) h = mixed(h, n.b);
      if (operands(n).empty()) h = mixed(mixed(h, n.a), n.b);
      structure_.add(id, mixed(h, std::bit_cast<std::uint64_t>(n.value)));
    }
    return *structure_.find(root);
  }

  static bool before(const Term& a, const Term& b) {
    if (a.factors.empty() || b.factors.empty())
      return !a.factors.empty() && b.factors.empty();  // the constant term is last
    for (std::size_t i = 0; i < a.factors.size() && i < b.factors.size(); ++i) {
      const Factor &f = a.factors[i], &g = b.factors[i];
      if (f.before(g)) return true;
      if (g.before(f)) return false;
      if (f.exponent != g.exponent) return f.exponent > g.exponent;
    }
    return a.factors.size() > b.factors.size();
  }

  // Sums.

  /// Collects like terms. Terms that cancel up to rounding are dropped: 0.1 x + 0.2 x - 0.3 x. Integers are
  /// exact.
  void collect(Sum& sum) {
    std::ranges::stable_sort(sum, before);
    Sum result;
    double magnitude = 0;
    bool whole = true;
    auto note = [&](double coefficient) {
      magnitude += std::fabs(coefficient);
      whole = whole && coefficient == std::floor(coefficient);
    };
    auto close = [&] {
      if (!result.empty() && !whole && std::fabs(result.back().coefficient) <= kRounding * magnitude)
        result.pop_back();
    };
    for (Term& term : sum) {
      if (!result.empty() && result.back().factors == term.factors) {
        result.back().coefficient += term.coefficient;
        note(term.coefficient);
        continue;
      }
      close();
      magnitude = 0;
      whole = true;
      note(term.coefficient);
      result.push_back(std::move(term));
    }
    close();
    std::erase_if(result, [](const Term& term) { return term.coefficient == 0; });
    sum = std::move(result);
  }

  const Sum& normal(ExprId id) {
    Form& f = form(id);
    if (!f.normal) {
      collect(f.sum);
      for (int round = 0; nested_ > 0 && round < kRounds && apply_trigonometry(*this, f.sum); ++round)
        collect(f.sum);
      f.normal = true;
    }
    return f.sum;
  }

  ExprId whole(ExprId id) {
    if (!form(id).whole) form(id).whole = expression(normal(id));
    return *form(id).whole;
  }

  /// The canonical form of an operand, with the sign that makes its first term positive.
  std::pair<double, ExprId> turned(ExprId id) {
    const Sum& sum = normal(id);
    if (sum.empty() || sum.front().coefficient > 0) return {1.0, whole(id)};
    return {-1.0, expression(scaled(sum, -1.0))};
  }

  Sum atom(ExprId base) {
    Sum result(1);  // a list of terms would be copied
    if (auto value = constant_value(pool_, base)) {
      result.front().coefficient = *value;
    } else {
      result.front().coefficient = 1;
      result.front().factors.push_back(factor(base));
    }
    return result;
  }

  /// The terms of an operand of a sum.
  Sum terms(ExprId id) {
    Form& f = form(id);
    if (f.uses == 1) return std::move(f.sum);
    if (f.sum.size() <= kCopiedTerms) return f.sum;
    return atom(whole(id));
  }

  static Sum scaled(Sum sum, double by) {
    for (Term& term : sum) term.coefficient *= by;
    return sum;
  }

  /// The value of an operand if it is a number.
  std::optional<double> number(ExprId id) {
    const Sum& sum = normal(id);
    if (sum.empty()) return 0.0;
    if (sum.size() == 1 && sum.front().factors.empty()) return sum.front().coefficient;
    return std::nullopt;
  }

  /// An operand of a product as one term.
  Term single(ExprId id) {
    const Sum& sum = normal(id);
    if (sum.empty()) return {0.0, {}};
    if (sum.size() == 1) return sum.front();
    // A sum as a factor starts with a positive term, and its terms have no common integer factor.
    const double common = sum.front().coefficient;
    if (common != 1 && std::ranges::all_of(sum, [&](const Term& t) {
          return std::fabs(t.coefficient) == std::fabs(common);
        })) {
      Sum bare = sum;
      for (Term& term : bare) term.coefficient = term.coefficient == common ? 1.0 : -1.0;
      return {common, {factor(expression(bare))}};
    }
    auto [sign, base] = turned(id);
    return {sign, {factor(base)}};
  }

  /// Whether multiplication by 1/x is exact division by x: floor (49 / 49) is 1, but floor (49 * (1 / 49)) is
  /// 0.
  static bool has_reciprocal(double x) {
    int exponent = 0;
    return std::fabs(std::frexp(x, &exponent)) == 0.5 && std::isfinite(1.0 / x);
  }

  /// Nullopt if an exponent overflows.
  static std::optional<Term> product(const Term& a, const Term& b) {
    Term result{a.coefficient * b.coefficient, {}};
    auto x = a.factors.begin(), y = b.factors.begin();
    while (x != a.factors.end() || y != b.factors.end()) {
      if (y == b.factors.end() || (x != a.factors.end() && !x->same_place(*y) && x->before(*y))) {
        result.factors.push_back(*x++);
      } else if (x == a.factors.end() || !x->same_place(*y)) {
        result.factors.push_back(*y++);
      } else {
        std::int64_t exponent = std::int64_t{x->exponent} + y->exponent;
        if (std::abs(exponent) > 1'000'000) return std::nullopt;
        result.factors.push_back(*x++);
        result.factors.back().exponent = static_cast<std::int32_t>(exponent);
        ++y;
      }
    }
    return result;
  }

  /// term^n; nullopt if a factor is already in a denominator, or if the coefficient is not finite.
  std::optional<Term> power_of(Term term, std::int32_t n) {
    if (n < 0 && !has_reciprocal(term.coefficient)) {
      // The coefficient remains in the denominator.
      if (term.coefficient == 0) return std::nullopt;
      Term below{1.0, {factor(pool_.constant(std::fabs(term.coefficient)))}};
      term.coefficient = term.coefficient < 0 ? -1.0 : 1.0;
      auto both = product(term, below);
      if (!both) return std::nullopt;
      term = std::move(*both);
    }
    Term result{std::pow(term.coefficient, n), std::move(term.factors)};
    if (!std::isfinite(result.coefficient) || result.coefficient == 0) return std::nullopt;
    for (Factor& f : result.factors) {
      if (n < 0 && f.exponent < 0) return std::nullopt;
      std::int64_t exponent = std::int64_t{f.exponent} * n;
      if (std::abs(exponent) > 1'000'000) return std::nullopt;
      f.exponent = static_cast<std::int32_t>(exponent);
    }
    return result;
  }

  std::optional<Sum> power_sum(ExprId base, std::int32_t n) {
    if (n == 0) return Sum{{1.0, {}}};
    if (n == 1) return terms(base);
    if (auto value = number(base))
      if (const double result = std::pow(*value, n); std::isfinite(result)) return Sum{{result, {}}};
    auto result = power_of(single(base), n);
    if (!result) return std::nullopt;
    return Sum{std::move(*result)};
  }

  Sum sum_of(const Node n, ExprId id) {
    ExprId a{n.a}, b{n.b};
    switch (n.op) {
      case Op::Const:
      case Op::Slot:
      case Op::Der:
      case Op::Param:
      case Op::Time: return atom(id);
      case Op::Neg: return scaled(terms(a), -1.0);
      case Op::Add:
      case Op::Sub: {
        if (a == b) return scaled(terms(a), n.op == Op::Add ? 2.0 : 0.0);
        Sum left = terms(a), right = terms(b);
        if (n.op == Op::Sub) right = scaled(std::move(right), -1.0);
        if (left.size() < right.size()) left.swap(right);  // sorted later
        left.insert(left.end(), std::make_move_iterator(right.begin()), std::make_move_iterator(right.end()));
        return left;
      }
      case Op::Mul: {
        if (divides_by_zero(pool_, a) || divides_by_zero(pool_, b)) break;
        if (auto factor = number(a)) return scaled(terms(b), *factor);
        if (auto factor = number(b)) return scaled(terms(a), *factor);
        if (auto result = product(single(a), single(b))) return {std::move(*result)};
        break;
      }
      case Op::Div: {
        if (auto divisor = number(b)) {
          if (auto dividend = number(a); dividend && std::isfinite(*dividend / *divisor))
            return {{*dividend / *divisor, {}}};
          if (has_reciprocal(*divisor)) return scaled(terms(a), 1.0 / *divisor);
        }
        Term y = single(b);
        if (auto inverse = power_of(y, -1))
          if (auto result = product(single(a), *inverse)) return {std::move(*result)};
        break;
      }
      case Op::PowInt:
        if (auto result = power_sum(a, static_cast<std::int32_t>(n.b))) return std::move(*result);
        break;
      case Op::Pow:
        if (auto e = number(b); e && *e == std::floor(*e) && std::fabs(*e) < 1e6)
          if (auto result = power_sum(a, static_cast<std::int32_t>(*e))) return std::move(*result);
        break;
      default: break;
    }
    return function(n);
  }

  /// All other operations: an atom with canonical operands. The arguments of odd and even functions start
  /// with a positive term.
  Sum function(Node n) {
    double sign = 1;
    const Node from = n;
    switch (n.op) {
      case Op::Sin:
      case Op::Tan:
      case Op::Asin:
      case Op::Atan:
      case Op::Sinh:
      case Op::Tanh:
      case Op::Asinh: {
        auto [turn, argument] = turned(ExprId{n.a});
        n.a = argument.value;
        sign = turn;
        break;
      }
      case Op::Cos:
      case Op::Cosh:
      case Op::Abs: n.a = turned(ExprId{n.a}).second.value; break;
      default:
        n.a = whole(ExprId{n.a}).value;
        if (operands(n).size() > 1) n.b = whole(ExprId{n.b}).value;
        if (operands(n).size() > 2) n.c = whole(ExprId{n.c}).value;
    }
    ExprId result = simplified(pool_, n);
    for (std::uint32_t operand : operands(from))  // max x x = x
      if (form(ExprId{operand}).whole == result) return normal(ExprId{operand});
    if (pool_[result].op == Op::Neg) return scaled(atom(ExprId{pool_[result].a}), -sign);
    return scaled(atom(result), sign);
  }

  // Back to expressions.

  ExprId powers(const Term& term, bool below) {
    std::optional<ExprId> result;
    for (const Factor& f : term.factors) {
      if ((f.exponent < 0) != below) continue;
      ExprId p = power(pool_, f.base, below ? -f.exponent : f.exponent);
      result = result ? mul(pool_, *result, p) : p;
    }
    return result ? *result : pool_.constant(1.0);
  }

  /// The factors of the denominator where these are a number and a sum: their product would be distributed.
  std::optional<std::pair<Factor, Factor>> number_and_sum(const Term& term) const {
    std::vector<Factor> below;
    std::ranges::copy_if(term.factors, std::back_inserter(below),
                         [](const Factor& f) { return f.exponent < 0; });
    if (below.size() != 2) return std::nullopt;
    if (pool_[below[1].base].op == Op::Const) std::swap(below[0], below[1]);
    const Op sum = pool_[below[1].base].op;
    if (pool_[below[0].base].op != Op::Const || (sum != Op::Add && sum != Op::Sub) || below[1].exponent != -1)
      return std::nullopt;
    return std::pair(below[0], below[1]);
  }

  ExprId expression(const Term& term, double coefficient) {
    // The coefficient precedes the quotient: in the numerator it would be distributed.
    ExprId above = powers(term, false);
    if (const auto parts = number_and_sum(term)) {
      const auto& [number, sum] = *parts;
      const ExprId divisor = power(pool_, number.base, -number.exponent);
      return mul(pool_, pool_.constant(coefficient), div(pool_, div(pool_, above, sum.base), divisor));
    }
    const ExprId below = powers(term, true);
    if (is_constant(pool_, above, 1)) return div(pool_, pool_.constant(coefficient), below);
    return mul(pool_, pool_.constant(coefficient), div(pool_, above, below));
  }

  ExprId expression(const Sum& sum) {
    auto head = std::ranges::find_if(sum, [](const Term& term) { return term.coefficient > 0; });
    const bool turned = head == sum.end();
    if (turned) head = sum.begin();
    if (sum.empty()) return pool_.constant(0.0);
    ExprId result = expression(*head, std::fabs(head->coefficient));
    for (auto term = sum.begin(); term != sum.end(); ++term) {
      if (term == head) continue;
      bool minus = !turned && term->coefficient < 0;
      result =
          binary(pool_, minus ? Op::Sub : Op::Add, result, expression(*term, std::fabs(term->coefficient)));
    }
    return turned ? neg(pool_, result) : result;
  }

  ExprPool& pool_;
  int nested_;
  std::optional<PerNode<Form>> forms_;
  HashByNode structure_;
  std::vector<ExprId> work_;  // of `structure`
};

double weight(const Node& n) {
  switch (n.op) {
    case Op::Neg: return 0.5;
    case Op::Div:
    case Op::Sqrt: return 4;
    case Op::PowInt: {
      auto e = static_cast<std::int32_t>(n.b);
      auto size = static_cast<std::uint32_t>(e < 0 ? -e : e);
      if (size > 32) return 40;
      return std::bit_width(size) + std::popcount(size) - 2 + (e < 0 ? 4 : 0);
    }
    case Op::Pow: return 40;
    default: break;
  }
  switch (kind(n.op)) {
    case OpKind::Leaf: return 0;
    case OpKind::Function:
    case OpKind::Lookup:
    case OpKind::Call: return 20;
    case OpKind::Arithmetic:
    case OpKind::Rounding:
    case OpKind::Comparison:
    case OpKind::Logical: break;
  }
  return 1;
}

}  // namespace

namespace {

double cost_of_nodes(const ExprPool& pool, std::span<const ExprId> nodes) {
  double total = 0;
  for (ExprId id : nodes) total += weight(pool[id]);
  return total;
}

}  // namespace

double cost(const ExprPool& pool, std::span<const ExprId> roots) {
  return cost_of_nodes(pool, topological(pool, roots));
}

ExprId canonical(ExprPool& pool, ExprId root) { return Canonicaliser(pool, kNested).run(root); }

void improve(ExprPool& pool, std::span<ExprId> roots) {
  if (roots.size() > kImprovedRoots) return;
  const std::vector<ExprId> nodes = topological(pool, roots);
  if (nodes.size() > kImprovedNodes) return;
  const std::size_t size = pool.size();
  const double present = cost_of_nodes(pool, nodes);
  if (present == 0) return;
  std::vector<ExprId> better;
  Canonicaliser canonicaliser(pool, kNested);
  for (ExprId root : roots) better.push_back(canonicaliser.run(root));
  if (cost(pool, better) < present)
    std::ranges::copy(better, roots.begin());
  else
    pool.truncate(size);
}

}  // namespace sigrel::symbolic
