#include "compiler/reduce/symbolic_dependency.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/exact/sparse_elimination.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

/// How well an expression serves as a pivot.
enum class Quality : std::uint8_t { Number, Parameters, Varies };

std::optional<std::int64_t> integer(const ExprPool& pool, ExprId expr) {
  const Node& n = pool[expr];
  if (n.op != Op::Const || n.value == 0 || std::floor(n.value) != n.value) return std::nullopt;
  if (std::fabs(n.value) > exact::kLargestInteger) return std::nullopt;
  return static_cast<std::int64_t>(n.value);
}

Quality quality(const ExprPool& pool, ExprId expr) {
  if (integer(pool, expr)) return Quality::Number;
  const bool fixed =
      std::ranges::none_of(topological(pool, std::span<const ExprId>(&expr, 1)),
                           [&](ExprId id) { return pool[id].op == Op::Slot || pool[id].op == Op::Time; });
  return fixed ? Quality::Parameters : Quality::Varies;
}

/// The equations Σ_k factor_k row_k[j] = -chosen[j], one for each column j: the last entry of an equation is
/// its right-hand side.
class Elimination {
 public:
  explicit Elimination(ExprPool& pool) : pool_(pool) {}

  void set_up(const std::vector<std::vector<Valued>>& rows, std::size_t chosen) {
    unknowns_ = rows.size() - 1;
    equations_.resize(rows.front().size());
    for (std::size_t j = 0; j < equations_.size(); ++j) {
      for (std::size_t k = 0; k < rows.size(); ++k)
        if (k != chosen) equations_[j].push_back(rows[k][j]);
      equations_[j].push_back(negative(rows[chosen][j]));
    }
    equation_of_.resize(unknowns_);
  }

  /// Whether the equations have exactly one solution.
  bool run() {
    std::vector<bool> used(equations_.size(), false), done(unknowns_, false);
    for (std::size_t step = 0; step < unknowns_; ++step) {
      const std::optional<Pivot> pivot = choose(used, done);
      if (!pivot || pivot->quality == Quality::Varies) return false;
      divisors_ += pivot->quality == Quality::Parameters;
      used[pivot->equation] = done[pivot->unknown] = true;
      equation_of_[pivot->unknown] = pivot->equation;
      for (std::size_t j = 0; j < equations_.size(); ++j)
        if (j != pivot->equation) cancel(equations_[j], equations_[pivot->equation], pivot->unknown);
    }
    for (std::size_t j = 0; j < equations_.size(); ++j)
      if (!used[j] && !equations_[j][unknowns_].value.zero()) return false;
    return true;
  }

  /// The factors, times the least common multiple of their numeric denominators, and this multiple at the
  /// end.
  std::vector<ExprId> solution() {
    std::int64_t multiple = 1;
    for (std::size_t k = 0; k < unknowns_; ++k)
      if (const auto n = integer(pool_, denominator(k)); n && multiple < exact::kLargestInteger)
        multiple = std::lcm(multiple, *n);
    std::vector<ExprId> result;
    for (std::size_t k = 0; k < unknowns_; ++k) {
      const ExprId below = denominator(k), above = equations_[equation_of_[k]][unknowns_].expr;
      const auto n = integer(pool_, below);
      const bool divides = n && multiple % *n == 0;
      const auto factor = static_cast<double>(divides ? multiple / *n : multiple);
      const ExprId scaled = made(Op::Mul, pool_.constant(factor), above);
      result.push_back(divides ? scaled : made(Op::Div, scaled, below));
    }
    result.push_back(pool_.constant(static_cast<double>(multiple)));
    return result;
  }
  std::size_t divisors() const { return divisors_; }

 private:
  struct Pivot {
    std::size_t equation, unknown, entries;
    Quality quality;
  };

  /// The best quality, then the equation with the fewest entries.
  std::optional<Pivot> choose(const std::vector<bool>& used, const std::vector<bool>& done) const {
    std::optional<Pivot> best;
    for (std::size_t j = 0; j < equations_.size(); ++j) {
      if (used[j]) continue;
      const auto entries = static_cast<std::size_t>(
          std::ranges::count_if(equations_[j], [](const Valued& e) { return !e.value.zero(); }));
      for (std::size_t k = 0; k < unknowns_; ++k) {
        if (done[k] || equations_[j][k].value.zero()) continue;
        const Quality q = quality(pool_, equations_[j][k].expr);
        if (!best || std::pair(q, entries) < std::pair(best->quality, best->entries))
          best = Pivot{j, k, entries, q};
      }
    }
    return best;
  }

  /// pivot · equation - entry · pivot equation: divisions of numbers would be rounded.
  void cancel(std::vector<Valued>& equation, const std::vector<Valued>& pivot, std::size_t unknown) {
    const Valued entry = equation[unknown], factor = pivot[unknown];
    if (entry.value.zero()) return;
    for (std::size_t k = 0; k <= unknowns_; ++k)
      equation[k] = difference(product(factor, equation[k]), product(entry, pivot[k]));
  }

  Valued product(const Valued& a, const Valued& b) {
    return {made(Op::Mul, a.expr, b.expr), a.value * b.value};
  }
  Valued difference(const Valued& a, const Valued& b) {
    const exact::Field value = a.value + -b.value;
    return {value.zero() ? pool_.constant(0.0) : made(Op::Sub, a.expr, b.expr), value};
  }
  ExprId denominator(std::size_t unknown) const { return equations_[equation_of_[unknown]][unknown].expr; }
  Valued negative(const Valued& a) {
    return {symbolic::simplified(pool_, {Op::Neg, a.expr.value, 0, 0, 0}), -a.value};
  }
  ExprId made(Op op, ExprId a, ExprId b) { return symbolic::simplified(pool_, {op, a.value, b.value, 0, 0}); }

  ExprPool& pool_;
  std::size_t unknowns_ = 0, divisors_ = 0;
  std::vector<std::vector<Valued>> equations_;
  std::vector<std::size_t> equation_of_;  // by unknown
};

}  // namespace

std::optional<SymbolicDependency> symbolic_dependency(ExprPool& pool,
                                                      const std::vector<std::vector<Valued>>& rows,
                                                      std::size_t chosen) {
  Elimination elimination(pool);
  elimination.set_up(rows, chosen);
  if (!elimination.run()) return std::nullopt;
  SymbolicDependency result;
  result.factors = elimination.solution();
  std::rotate(result.factors.begin() + static_cast<std::ptrdiff_t>(chosen), result.factors.end() - 1,
              result.factors.end());
  for (ExprId& factor : result.factors) symbolic::improve(pool, std::span(&factor, 1));
  result.divisors = elimination.divisors();
  return result;
}

}  // namespace sigrel::reduce
