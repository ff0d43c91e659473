#include "compiler/reduce/linear_combinations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/exact/random_point.h"
#include "compiler/exact/rational.h"
#include "compiler/exact/sparse_elimination.h"
#include "compiler/reduce/equation_rows.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

constexpr std::size_t kMostLeaves = 4096;  // of a combination

/// A derivative of a variable, which need not be a variable yet: `order` more than the variable's own.
struct Derived {
  std::uint32_t variable, order;
  auto operator<=>(const Derived&) const = default;
};

/// The expression of an equation of a table, or of a derivative of it, over slots and derivatives of slots.
struct Source {
  ExprId residual;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> leaves;  // slot and order, ascending
};

/// Integer factors of a dependency, and by how many orders each equation is differentiated.
struct Member {
  EquationId equation;
  std::int64_t factor;
  std::uint32_t order;
};

std::optional<std::vector<Member>> integer_members(const DependentEquations& dependency,
                                                   const Offsets& offsets) {
  std::int64_t denominator = 1;
  std::vector<exact::Rational> factors;
  for (const DependentEquations::Part& part : dependency.parts) {
    const std::optional<exact::Rational> factor = exact::rational(part.factor);
    if (!factor) return std::nullopt;
    denominator = std::lcm(denominator, factor->denominator);
    if (denominator > exact::kLargestInteger) return std::nullopt;
    factors.push_back(*factor);
  }
  const std::uint32_t lowest = offsets.equation[dependency.equation];
  std::vector<Member> members;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const EquationId e = dependency.parts[k].equation;
    const std::int64_t factor = factors[k].numerator * (denominator / factors[k].denominator);
    if (std::abs(factor) > exact::kLargestInteger) return std::nullopt;
    members.push_back({e, factor, offsets.equation[e] - lowest});
  }
  return members;
}

/// The combinations with one pattern: the same tables, orders and factors, and the same leaves in common.
struct Shape {
  bool possible = false;  // the highest derivatives cancel
  EquationTable table;
  std::optional<std::vector<std::int64_t>> integers;  // coefficients of the slots: its rows become sums
  std::vector<std::uint32_t> leaves, params;          // of the pattern: those that are left
};

class Combiner {
 public:
  Combiner(dae::System& dae, const incidence::EquationList& equations, const Offsets& offsets)
      : dae_(dae), equations_(equations), offsets_(offsets), removed_(equations.count(), false) {}

  Combined run(const std::vector<DependentEquations>& dependencies) {
    for (const DependentEquations& dependency : dependencies)
      if (const auto members = integer_members(dependency, offsets_)) add(dependency.equation, *members);
    if (!result_.changed) return std::move(result_);
    remove_equations(dae_.equations, removed_);
    for (auto& [pattern, shape] : shapes_)
      if (shape.table.rows() > 0) dae_.equations.tables.push_back(std::move(shape.table));
    for (std::size_t row = 0; row < sums_.rows(); ++row)
      add_sum(dae_.equations.sums, sums_.terms_of(row), sums_.origins[row]);
    return std::move(result_);
  }

 private:
  void add(EquationId replaced, const std::vector<Member>& members) {
    if (!collect(members)) return;
    auto [at, fresh] = shapes_.try_emplace(pattern_);
    Shape& shape = at->second;
    if (fresh) shape = make(members);
    if (!shape.possible) return;
    result_.changed = true;
    if (shape.leaves.empty())
      for (const Member& m : members) result_.dependent.push_back(equations_.origin(m.equation));
    removed_[replaced] = true;
    add_row(shape, equations_.origin(replaced));
  }

  /// The leaves and parameters of the members, without repetitions, and the pattern of the combination.
  bool collect(const std::vector<Member>& members) {
    leaves_.clear();
    params_.clear();
    each_leaf(members, [&](Derived leaf) { leaves_.push_back(leaf); },
              [&](std::uint32_t p) { params_.push_back(p); }, [](std::uint32_t) {});
    if (leaves_.size() > kMostLeaves) return false;
    sort_unique(params_);
    sort_unique(leaves_);
    pattern_.clear();
    each_leaf(members, [&](Derived leaf) { pattern_.push_back(place(leaves_, leaf)); },
              [&](std::uint32_t p) { pattern_.push_back(place(params_, p)); },
              [&](std::uint32_t word) { pattern_.push_back(word); });
    return true;
  }

  template <class T>
  static void sort_unique(std::vector<T>& list) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }
  template <class T>
  static std::uint32_t place(const std::vector<T>& sorted, const T& item) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(sorted, item) - sorted.begin());
  }

  /// Visits leaves and parameters of the members in order, and words that tell members apart.
  template <class Leaf, class Param, class Word>
  void each_leaf(const std::vector<Member>& members, Leaf leaf, Param param, Word word) {
    for (const Member& m : members) {
      const SectionId number = equations_.section_of(m.equation);
      const incidence::EquationList::Section& section = equations_.sections()[number];
      const std::uint32_t row = section.row_of(m.equation);
      word(static_cast<std::uint32_t>(number.value));
      word(m.order);
      word(static_cast<std::uint32_t>(m.factor));
      if (section.table) {
        const auto unknowns = section.table->unknowns_of(row);
        for (auto [slot, order] : source(number, m.order).leaves) leaf(derived(unknowns[slot], order));
        for (std::uint32_t p : section.table->parameters_of(row)) param(p);
      } else {
        const auto terms = section.sums->terms_of(row);
        word(static_cast<std::uint32_t>(terms.size()));
        for (Term t : terms) {
          word(t.negative());
          leaf(derived(t.unknown(), m.order));
        }
      }
    }
  }

  /// Follows the derivatives that are variables.
  Derived derived(std::uint32_t v, std::uint32_t order) const {
    for (; order > 0 && dae_.variables[v].derivative != dae::kNone; --order) v = dae_.variables[v].derivative;
    return {v, order};
  }

  const Source& source(SectionId section, std::uint32_t order) {
    auto [at, fresh] = sources_.try_emplace({section, order});
    if (!fresh) return at->second;
    ExprPool& pool = dae_.exprs;
    Source& s = at->second;
    s.residual = equations_.sections()[section].table->residual;
    for (; order > 0; --order) s.residual = symbolic::time_derivative(pool, s.residual);
    for (ExprId id : topological(pool, std::span<const ExprId>(&s.residual, 1))) {
      const Node& n = pool[id];
      if (n.op == Op::Slot) s.leaves.emplace_back(n.a, 0);
      if (n.op == Op::Der) s.leaves.emplace_back(n.a, n.b);
    }
    std::ranges::sort(s.leaves);
    return s;
  }

  /// The sum of the members over the collected leaves as slots.
  ExprId sum(const std::vector<Member>& members) {
    ExprPool& pool = dae_.exprs;
    ExprId result = pool.constant(0.0);
    for (const Member& m : members) {
      const ExprId scaled =
          symbolic::simplified(pool, {Op::Mul, pool.constant(static_cast<double>(m.factor)).value,
                                      expression(m).value, 0, 0});
      result = symbolic::simplified(pool, {Op::Add, result.value, scaled.value, 0, 0});
    }
    symbolic::improve(pool, std::span(&result, 1));
    return result;
  }

  ExprId expression(const Member& m) {
    ExprPool& pool = dae_.exprs;
    const SectionId number = equations_.section_of(m.equation);
    const incidence::EquationList::Section& section = equations_.sections()[number];
    const std::uint32_t row = section.row_of(m.equation);
    auto slot = [&](std::uint32_t v, std::uint32_t order) {
      return pool.slot(place(leaves_, derived(v, order)));
    };
    if (!section.table) {
      ExprId result = pool.constant(0.0);
      for (Term t : section.sums->terms_of(row))
        result = symbolic::simplified(pool, {t.negative() ? Op::Sub : Op::Add, result.value,
                                             slot(t.unknown(), m.order).value, 0, 0});
      return result;
    }
    const auto unknowns = section.table->unknowns_of(row);
    const auto parameters = section.table->parameters_of(row);
    return symbolic::rewrite(pool, source(number, m.order).residual, pool, [&](const Node& leaf) {
      switch (leaf.op) {
        case Op::Slot: return slot(unknowns[leaf.a], 0);
        case Op::Der: return slot(unknowns[leaf.a], leaf.b);
        case Op::Param: return pool.param(place(params_, parameters[leaf.a]));
        default: return pool.intern(Node(leaf));
      }
    });
  }

  Shape make(const std::vector<Member>& members) {
    Shape shape;
    for (const Member& m : members)
      if (const auto& section = equations_.section(m.equation); section.table && m.order > 0)
        if (symbolic::call_without_derivative(dae_.exprs, section.table->residual)) return shape;
    ExprId residual = sum(members);
    shape.possible = remove_cancelled(residual);
    if (!shape.possible) return shape;
    ExprPool& pool = dae_.exprs;
    for (ExprId id : topological(pool, std::span<const ExprId>(&residual, 1))) {
      if (pool[id].op == Op::Slot) shape.leaves.push_back(pool[id].a);
      if (pool[id].op == Op::Param) shape.params.push_back(pool[id].a);
    }
    std::ranges::sort(shape.leaves);
    std::ranges::sort(shape.params);
    EquationTable& table = shape.table;
    table.slots = static_cast<std::uint32_t>(shape.leaves.size());
    table.params = static_cast<std::uint32_t>(shape.params.size());
    table.residual = symbolic::rewrite(pool, residual, pool, [&](const Node& leaf) {
      switch (leaf.op) {
        case Op::Slot: return pool.slot(place(shape.leaves, leaf.a));
        case Op::Param: return pool.param(place(shape.params, leaf.a));
        default: return pool.intern(Node(leaf));
      }
    });
    shape.integers = integer_coefficients(pool, table);
    std::int64_t terms = 0;
    if (shape.integers)
      for (std::int64_t c : *shape.integers) terms += std::abs(c);
    if (terms > kMostTerms) shape.integers.reset();
    return shape;
  }

  /// Removes the slots on which the residual does not depend: those whose coefficient is zero at the random
  /// point. Whether that succeeds.
  bool remove_cancelled(ExprId& residual) {
    ExprPool& pool = dae_.exprs;
    const auto slots = static_cast<std::uint32_t>(leaves_.size());
    std::vector<std::uint32_t> variables(slots), parameters(params_.size());
    std::iota(variables.begin(), variables.end(), 0u);
    std::iota(parameters.begin(), parameters.end(), 0u);
    const std::vector<ExprId> partials = symbolic::gradient(pool, residual, slots);
    const std::vector<exact::Field> values =
        exact::PointEvaluator(pool, partials).row(variables, parameters);
    for (std::uint32_t k = 0; k < slots; ++k) {
      if (!values[k].zero() || (pool[partials[k]].op == Op::Const && pool[partials[k]].value == 0)) continue;
      const auto linear = symbolic::linear_in(pool, residual, k);
      if (!linear) return false;
      residual = linear->rest;
    }
    return true;
  }

  void add_row(Shape& shape, Origin origin) {
    std::vector<std::uint32_t> variables;
    for (std::uint32_t leaf : shape.leaves) variables.push_back(variable(leaves_[leaf]));
    if (shape.integers) {
      std::vector<Term> terms;
      for (std::size_t k = 0; k < variables.size(); ++k)
        for (std::int64_t n = std::abs((*shape.integers)[k]); n > 0; --n)
          terms.push_back(Term::of(variables[k], (*shape.integers)[k] < 0));
      return add_sum(sums_, terms, origin);
    }
    EquationTable& table = shape.table;
    table.unknowns.insert(table.unknowns.end(), variables.begin(), variables.end());
    for (std::uint32_t p : shape.params) table.parameters.push_back(params_[p]);
    table.origins.push_back(origin);
  }

  /// The variable, and those between it and a variable that exists, are made where they are missing.
  std::uint32_t variable(Derived leaf) {
    auto [v, order] = derived(leaf.variable, leaf.order);
    for (; order > 0; --order) {
      const auto next = static_cast<std::uint32_t>(dae_.variables.size());
      const dae::Variable integral = dae_.variables[v];
      dae_.variables.push_back({.unknown = integral.unknown, .order = integral.order + 1u, .integral = v});
      dae_.variables[v].derivative = next;
      v = next;
    }
    return v;
  }

  dae::System& dae_;
  const incidence::EquationList& equations_;
  const Offsets& offsets_;
  std::map<std::pair<SectionId, std::uint32_t>, Source> sources_;
  std::map<std::vector<std::uint32_t>, Shape> shapes_;
  std::vector<Derived> leaves_;        // of the combination at hand, ascending
  std::vector<std::uint32_t> params_;  // the same
  std::vector<std::uint32_t> pattern_;
  IdVector<EquationId, bool> removed_;
  SumTable sums_;
  Combined result_;
};

}  // namespace

Combined combine(dae::System& dae, const incidence::EquationList& equations, const Offsets& offsets,
                 const std::vector<DependentEquations>& dependencies) {
  return Combiner(dae, equations, offsets).run(dependencies);
}

}  // namespace sigrel::reduce
