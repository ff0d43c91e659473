#include "compiler/reduce/hidden_constraints.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>

#include "compiler/graph/bipartite.h"
#include "compiler/incidence/incidence.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

constexpr std::int64_t kLargest =
    1 << 20;                             // coefficient: what grows beyond says nothing that a sum could say
constexpr std::int64_t kMostTerms = 64;  // of a new sum, in which a coefficient is so many terms
constexpr std::size_t kMostWork = 20'000'000;  // entries

struct Entry {
  std::uint32_t variable;
  std::int64_t coefficient;
};
using Row = std::vector<Entry>;  // ascending variables, nothing zero

/// The coefficients of a residual `Σ c s` with whole numbers c; nullopt where it is not of that form.
std::optional<std::vector<std::int64_t>> whole_coefficients(ExprPool& pool, const EquationTable& table) {
  if (table.params > 0 || table.slots == 0) return std::nullopt;
  ExprId rest = symbolic::rewrite(pool, table.residual, pool, [&](const Node& leaf) {
    return leaf.op == Op::Slot ? pool.constant(0.0) : pool.intern(Node(leaf));
  });
  if (pool[rest].op != Op::Const || pool[rest].value != 0) return std::nullopt;
  std::vector<std::int64_t> result;
  for (ExprId slope : symbolic::gradient(pool, table.residual, table.slots)) {
    const Node& n = pool[slope];
    if (n.op != Op::Const || std::floor(n.value) != n.value || std::fabs(n.value) > kLargest)
      return std::nullopt;
    result.push_back(static_cast<std::int64_t>(n.value));
  }
  return result;
}

void tidy(Row& row) {
  std::ranges::sort(row, {}, &Entry::variable);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < row.size();) {
    Entry sum = row[k++];
    while (k < row.size() && row[k].variable == sum.variable) sum.coefficient += row[k++].coefficient;
    if (sum.coefficient != 0) row[kept++] = sum;
  }
  row.resize(kept);
}

/// a * row + b * other, without common factors; nullopt when numbers become too large.
std::optional<Row> combined(std::int64_t a, const Row& row, std::int64_t b, const Row& other) {
  Row result;
  result.reserve(row.size() + other.size());
  for (const Entry& e : row) result.push_back({e.variable, a * e.coefficient});
  for (const Entry& e : other) result.push_back({e.variable, b * e.coefficient});
  tidy(result);
  std::int64_t factor = 0;
  for (const Entry& e : result) factor = std::gcd(factor, e.coefficient);
  for (Entry& e : result) {
    e.coefficient /= factor;
    if (std::abs(e.coefficient) > kLargest) return std::nullopt;
  }
  return result;
}

/// The rows that are left when one after the other is left out that contains a column which no other
/// contains.
std::vector<std::uint32_t> core(const graph::Bipartite& graph) {
  std::vector<std::uint32_t> count(graph.columns, 0);
  // The numbers of the rows that contain a column, combined by exclusive or: of the last one left, its
  // number.
  std::vector<std::uint32_t> rows_of(graph.columns, 0);
  for (std::uint32_t r = 0; r < graph.rows(); ++r)
    for (std::uint32_t v : graph.row(r)) {
      ++count[v];
      rows_of[v] ^= r;
    }
  std::vector<bool> out(graph.rows(), false);
  std::vector<std::uint32_t> work;
  for (std::uint32_t v = 0; v < graph.columns; ++v)
    if (count[v] == 1) work.push_back(v);
  while (!work.empty()) {
    std::uint32_t column = work.back();
    work.pop_back();
    if (count[column] != 1) continue;
    std::uint32_t r = rows_of[column];
    out[r] = true;
    for (std::uint32_t v : graph.row(r)) {
      rows_of[v] ^= r;
      if (--count[v] == 1) work.push_back(v);
    }
  }
  std::vector<std::uint32_t> result;
  for (std::uint32_t r = 0; r < graph.rows(); ++r)
    if (!out[r]) result.push_back(r);
  return result;
}

/// Eliminates the columns that `pivots` says: the shortest row next, of its columns the rarest for a pivot,
/// so that little fills up (Markowitz 1957). By row: whether it was used for a pivot, or given up and left as
/// it was.
template <class IsPivot>
std::vector<bool> eliminate(std::vector<Row>& rows, std::uint32_t columns, IsPivot pivots) {
  std::vector<std::vector<std::uint32_t>> rows_of(columns);
  auto size_of = [&](std::uint32_t r) {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows[r], [&](const Entry& e) { return pivots(e.variable); }));
  };
  using Candidate = std::pair<std::size_t, std::uint32_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    for (const Entry& e : rows[r])
      if (pivots(e.variable)) rows_of[e.variable].push_back(r);
    queue.emplace(size_of(r), r);
  }
  std::vector<bool> done(rows.size(), false);
  std::size_t work = 0;
  while (!queue.empty()) {
    auto [size, r] = queue.top();
    queue.pop();
    if (done[r] || size == 0 || size != size_of(r)) continue;
    const Entry* pivot = nullptr;
    for (const Entry& e : rows[r])
      if (pivots(e.variable) && (!pivot || rows_of[e.variable].size() < rows_of[pivot->variable].size()))
        pivot = &e;
    done[r] = true;
    const Entry at = *pivot;
    std::vector<std::uint32_t> users = std::move(rows_of[at.variable]);
    std::ranges::sort(users);
    users.erase(std::ranges::unique(users).begin(), users.end());
    for (std::uint32_t other : users) {
      if (done[other]) continue;
      auto found = std::ranges::lower_bound(rows[other], at.variable, {}, &Entry::variable);
      if (found == rows[other].end() || found->variable != at.variable) continue;
      std::optional<Row> row = combined(at.coefficient, rows[other], -found->coefficient, rows[r]);
      if (!row || (work += row->size()) > kMostWork) {
        done[other] = true;  // as it was
        continue;
      }
      rows[other] = std::move(*row);
      for (const Entry& e : rows[r])
        if (e.variable != at.variable && pivots(e.variable)) rows_of[e.variable].push_back(other);
      queue.emplace(size_of(other), other);
    }
  }
  return done;
}

class Elimination {
 public:
  explicit Elimination(dae::System& dae) : dae_(dae) { equations_.append(dae.equations); }

  std::vector<Origin> run() {
    find_linear();
    eliminate_unknowns();
    find_redundant_constraints();
    return replace();
  }

 private:
  bool unknown(std::uint32_t v) const { return dae_.variables[v].derivative == dae::kNone; }

  /// The linear equations whose unknowns all occur in another of them, and these unknowns as a graph; and the
  /// linear equations without unknowns. Most models have none: two passes over the tables say so.
  void find_linear() {
    std::vector<std::uint8_t> count(dae_.variables.size(), 0);  // 2: twice or more, or no unknown
    for (std::uint32_t v = 0; v < dae_.variables.size(); ++v)
      if (!unknown(v)) count[v] = 2;
    auto met = [&](std::uint32_t v) { count[v] = static_cast<std::uint8_t>(count[v] + (count[v] < 2)); };
    for (const incidence::EquationList::Section& section : equations_.sections()) {
      std::optional<std::vector<std::int64_t>> whole;
      if (section.table && section.rows > 0) whole = whole_coefficients(dae_.exprs, *section.table);
      coefficients_.push_back(whole);
      if (whole)
        for (std::uint32_t v : section.table->unknowns) met(v);
      if (!section.table)
        for (Term t : section.sums->terms) met(t.unknown());
    }
    graph_.columns = static_cast<std::uint32_t>(dae_.variables.size());
    for (std::uint32_t number = 0; number < coefficients_.size(); ++number) {
      const incidence::EquationList::Section& section = equations_.sections()[number];
      if (section.table && !coefficients_[number]) continue;
      for (std::uint32_t row = 0; row < section.rows; ++row) {
        bool shared = true, any = false;
        equations_.each_variable(section.first + row,
                                 [&](std::uint32_t v) { shared = shared && count[v] > 1; });
        if (!shared) continue;
        equations_.each_variable(section.first + row, [&](std::uint32_t v) {
          if (!unknown(v)) return;
          graph_.targets.push_back(v);
          any = true;
        });
        if (!any) {
          constraints_.push_back(section.first + row);
          continue;
        }
        graph_.end_row();
        linear_.push_back(section.first + row);
      }
    }
  }

  Row row_of(std::uint32_t equation) const {
    const std::uint32_t number = equations_.section_of(equation);
    const incidence::EquationList::Section& section = equations_.sections()[number];
    Row row;
    if (section.table) {
      auto unknowns = section.table->unknowns_of(equation - section.first);
      for (std::size_t k = 0; k < unknowns.size(); ++k)
        row.push_back({unknowns[k], (*coefficients_[number])[k]});
    } else {
      for (Term t : section.sums->terms_of(equation - section.first))
        row.push_back({t.unknown(), t.negative() ? -1 : 1});
    }
    tidy(row);
    return row;
  }

  void eliminate_unknowns() {
    for (std::uint32_t r : core(graph_)) {
      equation_of_.push_back(linear_[r]);
      rows_.push_back(row_of(linear_[r]));
    }
    if (!rows_.empty()) done_ = eliminate(rows_, graph_.columns, [&](std::uint32_t v) { return unknown(v); });
  }

  /// Of what is said of states alone, what is said twice.
  void find_redundant_constraints() {
    for (std::uint32_t e : constraints_) {
      equation_of_.push_back(e);
      rows_.push_back(row_of(e));
      done_.push_back(true);
    }
    redundant_.assign(rows_.size(), false);
    graph::Bipartite graph;
    graph.columns = graph_.columns;
    std::vector<std::uint32_t> of_states;
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
      bool states = std::ranges::none_of(rows_[r], [&](const Entry& e) { return unknown(e.variable); });
      redundant_[r] = rows_[r].empty();
      if (!states || rows_[r].empty()) continue;
      of_states.push_back(r);
      for (const Entry& e : rows_[r]) graph.targets.push_back(e.variable);
      graph.end_row();
    }
    if (of_states.size() < 2) return;
    std::vector<std::uint32_t> kept = core(graph);
    std::vector<Row> copies;
    for (std::uint32_t k : kept) copies.push_back(rows_[of_states[k]]);
    eliminate(copies, graph.columns, [](std::uint32_t) { return true; });
    for (std::size_t k = 0; k < kept.size(); ++k)
      if (copies[k].empty()) redundant_[of_states[kept[k]]] = true;
  }

  /// Rows without an unknown become sums; redundant ones go.
  std::vector<Origin> replace() {
    std::vector<bool> gone(equations_.count(), false);
    std::vector<std::uint32_t> found, superfluous;
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
      if (redundant_[r]) {
        gone[equation_of_[r]] = true;
        superfluous.push_back(r);
        continue;
      }
      std::int64_t terms = 0;
      for (const Entry& e : rows_[r]) terms += std::abs(e.coefficient);
      if (done_[r] || terms > kMostTerms) continue;
      gone[equation_of_[r]] = true;
      found.push_back(r);
    }
    if (found.empty() && superfluous.empty()) return {};
    const std::vector<Origin> origins = origins_of(found), dropped = origins_of(superfluous);
    std::uint32_t equation = 0;
    for (EquationTable& table : dae_.equations.tables) {
      EquationTable kept;
      kept.residual = table.residual;
      kept.slots = table.slots;
      kept.params = table.params;
      for (std::size_t row = 0; row < table.rows(); ++row, ++equation) {
        if (gone[equation]) continue;
        auto unknowns = table.unknowns_of(row), parameters = table.parameters_of(row);
        kept.unknowns.insert(kept.unknowns.end(), unknowns.begin(), unknowns.end());
        kept.parameters.insert(kept.parameters.end(), parameters.begin(), parameters.end());
        kept.origins.push_back(table.origins[row]);
      }
      table = std::move(kept);
    }
    SumTable sums;
    auto add = [&](std::span<const Term> terms, Origin origin) {
      sums.terms.insert(sums.terms.end(), terms.begin(), terms.end());
      sums.offsets.push_back(static_cast<std::uint32_t>(sums.terms.size()));
      sums.origins.push_back(origin);
    };
    for (std::size_t row = 0; row < dae_.equations.sums.rows(); ++row, ++equation)
      if (!gone[equation]) add(dae_.equations.sums.terms_of(row), dae_.equations.sums.origins[row]);
    for (std::size_t k = 0; k < found.size(); ++k) {
      std::vector<Term> terms;
      for (const Entry& e : rows_[found[k]])
        for (std::int64_t n = std::abs(e.coefficient); n > 0; --n)
          terms.push_back(Term::of(e.variable, e.coefficient < 0));
      add(terms, origins[k]);
    }
    dae_.equations.sums = std::move(sums);
    std::erase_if(dae_.equations.tables, [](const EquationTable& table) { return table.rows() == 0; });
    return dropped;
  }

  std::vector<Origin> origins_of(const std::vector<std::uint32_t>& rows) const {
    std::vector<Origin> result;
    for (std::uint32_t r : rows) result.push_back(dae::origin(dae_.equations, equation_of_[r]));
    return result;
  }

  dae::System& dae_;
  incidence::EquationList equations_;
  std::vector<std::optional<std::vector<std::int64_t>>> coefficients_;  // by section
  std::vector<std::uint32_t> linear_, constraints_;  // equations: with unknowns, and without
  graph::Bipartite graph_;                           // of `linear_`, over unknowns
  std::vector<Row> rows_;                            // what was eliminated, then the constraints
  std::vector<std::uint32_t> equation_of_;           // by row
  std::vector<bool> done_;                           // pivot rows, and what was given up
  std::vector<bool> redundant_;
};

}  // namespace

std::vector<Origin> expose_constraints(dae::System& dae) { return Elimination(dae).run(); }

}  // namespace sigrel::reduce
