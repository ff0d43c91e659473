#include "compiler/reduce/linear_combinations.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>

#include "compiler/exact/rational.h"
#include "compiler/exact/sparse_elimination.h"
#include "compiler/reduce/combination_shape.h"
#include "compiler/reduce/equation_rows.h"

namespace sigrel::reduce {
namespace {

constexpr std::size_t kMostLeaves = 4096;  // of a combination
constexpr std::size_t kMostGroups = 24;    // of factors that differ by expressions

class Combiner {
 public:
  Combiner(const system::System& system, dae::System& dae, const incidence::EquationList& equations,
           const Offsets& offsets)
      : dae_(dae),
        equations_(equations),
        offsets_(offsets),
        definitions_(system),
        maker_(dae, equations, definitions_),
        removed_(equations.count(), false),
        uses_(equations.count(), 0) {}

  Combined run(const Dependencies& dependencies) {
    for (const DependentEquations& dependency : dependencies.found)
      for (const DependentEquations::Part& part : dependency.parts) ++uses_[part.equation];
    for (const DependentEquations& dependency : dependencies.found)
      if (find_members(dependency)) add(dependency.block, dependencies.block_of_column);
    if (!result_.changed) return std::move(result_);
    remove_equations(dae_.equations, removed_);
    for (auto& [pattern, shape] : shapes_)
      if (shape && shape->table.rows() > 0) dae_.equations.tables.push_back(std::move(shape->table));
    for (std::size_t row = 0; row < sums_.rows(); ++row)
      add_sum(dae_.equations.sums, sums_.terms_of(row), sums_.origins[row]);
    return std::move(result_);
  }

 private:
  /// The members of the combination, in groups of factors that differ by rational numbers.
  bool find_members(const DependentEquations& dependency) {
    members_.clear();
    lowest_ = offsets_.equation[dependency.equation];
    std::vector<exact::Field> inverse;      // by group, of the factor of its first member
    std::vector<std::int64_t> denominator;  // by group
    std::vector<exact::Rational> in_group;  // by member
    for (const DependentEquations::Part& part : dependency.parts) {
      std::optional<exact::Rational> factor;
      std::uint32_t group = 0;
      for (; group < inverse.size(); ++group)
        if ((factor = exact::rational(part.factor * inverse[group]))) break;
      if (!factor) {
        if (inverse.size() == kMostGroups) return false;
        factor = exact::Rational{1, 1};
        inverse.push_back(part.factor.inverse());
        denominator.push_back(1);
      }
      denominator[group] = std::lcm(denominator[group], factor->denominator);
      if (denominator[group] > exact::kLargestInteger) return false;
      in_group.push_back(*factor);
      const std::uint32_t order = offsets_.equation[part.equation] - lowest_;
      const bool replaceable =
          part.equation == dependency.equation || (order == 0 && uses_[part.equation] == 1);
      members_.push_back({part.equation, 0, order, group, replaceable});
    }
    for (std::size_t k = 0; k < members_.size(); ++k) {
      Member& m = members_[k];
      m.factor = in_group[k].numerator * (denominator[m.group] / in_group[k].denominator);
      if (std::abs(m.factor) > exact::kLargestInteger) return false;
    }
    if (inverse.size() == 1)  // the preferred one
      for (Member& m : members_) m.replaceable = m.equation == dependency.equation;
    return true;
  }

  void add(std::uint32_t block, const std::vector<std::uint32_t>& block_of_column) {
    if (!collect(block, block_of_column)) return;
    auto [at, fresh] = shapes_.try_emplace(pattern_);
    if (fresh) at->second = maker_.make(members_, leaves_);
    if (!at->second) return;
    CombinationShape& shape = *at->second;
    result_.changed = true;
    if (shape.leaves.empty())
      for (const Member& m : members_) result_.dependent.push_back(equations_.origin(m.equation));
    const EquationId replaced = members_[shape.replaced].equation;
    removed_[replaced] = true;
    add_row(shape, equations_.origin(replaced));
  }

  /// The leaves and parameters of the members, without repetitions, and the pattern of the combination: equal
  /// patterns have one shape.
  bool collect(std::uint32_t block, const std::vector<std::uint32_t>& block_of_column) {
    leaves_ = {};
    pattern_.clear();
    each_leaf([&](Derived leaf) { leaves_.variables.push_back(leaf); },
              [&](std::uint32_t p) { leaves_.parameters.push_back(p); }, [](std::uint32_t) {});
    if (leaves_.variables.size() > kMostLeaves) return false;
    sort_unique(leaves_.variables);
    sort_unique(leaves_.parameters);
    for (Derived leaf : leaves_.variables) {
      const VariableId v{leaf.variable};
      leaves_.highest.push_back(offsets_.variable[v] == lowest_ + leaf.order &&
                                block_of_column[offsets_.column[v]] == block);
      pattern_.push_back(leaves_.highest.back());
    }
    each_leaf([&](Derived leaf) { pattern_.push_back(leaves_.place(leaf)); },
              [&](std::uint32_t p) { pattern_.push_back(leaves_.place(p)); },
              [&](std::uint32_t word) { pattern_.push_back(word); });
    return true;
  }

  template <class T>
  static void sort_unique(std::vector<T>& list) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }

  /// Visits leaves and parameters of the members in order, and words that tell members apart.
  template <class Leaf, class Parameter, class Word>
  void each_leaf(Leaf leaf, Parameter parameter, Word word) {
    for (const Member& m : members_) {
      const SectionId number = equations_.section_of(m.equation);
      const incidence::EquationList::Section& section = equations_.sections()[number];
      const std::uint32_t row = section.row_of(m.equation);
      for (std::size_t w : {number.value, m.order, static_cast<std::uint32_t>(m.factor),
                            m.group * 2 + (m.replaceable ? 1 : 0)})
        word(static_cast<std::uint32_t>(w));
      if (section.table) {
        const auto unknowns = section.table->unknowns_of(row);
        for (auto [slot, order] : maker_.slots(number, m.order)) leaf(derived(dae_, unknowns[slot], order));
        for (std::uint32_t p : section.table->parameters_of(row)) definitions_.visit(p, parameter, word);
      } else {
        const auto terms = section.sums->terms_of(row);
        word(static_cast<std::uint32_t>(terms.size()));
        for (Term t : terms) {
          word(t.negative());
          leaf(derived(dae_, t.unknown(), m.order));
        }
      }
    }
  }

  void add_row(CombinationShape& shape, Origin origin) {
    std::vector<std::uint32_t> variables;
    for (std::uint32_t leaf : shape.leaves) variables.push_back(variable(leaves_.variables[leaf]));
    if (shape.integers) {
      std::vector<Term> terms;
      for (std::size_t k = 0; k < variables.size(); ++k)
        for (std::int64_t n = std::abs((*shape.integers)[k]); n > 0; --n)
          terms.push_back(Term::of(variables[k], (*shape.integers)[k] < 0));
      return add_sum(sums_, terms, origin);
    }
    EquationTable& table = shape.table;
    table.unknowns.insert(table.unknowns.end(), variables.begin(), variables.end());
    for (std::uint32_t p : shape.parameters) table.parameters.push_back(leaves_.parameters[p]);
    table.origins.push_back(origin);
  }

  /// The variable, and those between it and a variable that exists, are made where they are missing.
  std::uint32_t variable(Derived leaf) {
    auto [v, order] = derived(dae_, leaf.variable, leaf.order);
    for (; order > 0; --order) {
      const auto next = static_cast<std::uint32_t>(dae_.variables.size());
      const dae::Variable integral = dae_.variables[v];
      dae_.variables.push_back({.unknown = integral.unknown, .order = integral.order + 1u, .integral = v});
      dae_.variables[v].derivative = next;
      offsets_.variable.push_back(offsets_.variable[VariableId{v}] - 1);
      offsets_.column.push_back(offsets_.column[VariableId{v}]);
      v = next;
    }
    return v;
  }

  dae::System& dae_;
  const incidence::EquationList& equations_;
  Offsets offsets_;  // also of the variables that are made
  ParameterDefinitions definitions_;
  CombinationShapes maker_;
  std::map<std::vector<std::uint32_t>, std::optional<CombinationShape>> shapes_;
  std::vector<Member> members_;  // of the combination at hand
  std::uint32_t lowest_ = 0;     // its offset
  Leaves leaves_;
  std::vector<std::uint32_t> pattern_;
  IdVector<EquationId, bool> removed_;
  IdVector<EquationId, std::uint32_t> uses_;  // in dependencies
  SumTable sums_;
  Combined result_;
};

}  // namespace

Combined combine(const system::System& system, dae::System& dae, const incidence::EquationList& equations,
                 const Offsets& offsets, const Dependencies& dependencies) {
  if (dependencies.found.empty()) return {};
  return Combiner(system, dae, equations, offsets).run(dependencies);
}

}  // namespace sigrel::reduce
