#include "compiler/structure/pencil.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>

#include "compiler/structure/graph/bipartite.h"
#include "compiler/structure/incidence.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::structure {
namespace {

constexpr std::uint64_t kPrime = (1ull << 61) - 1;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  std::uint64_t folded = static_cast<std::uint64_t>(product & kPrime) + static_cast<std::uint64_t>(product >> 61);
  return folded >= kPrime ? folded - kPrime : folded;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return (a += b) >= kPrime ? a - kPrime : a; }
std::uint64_t minus(std::uint64_t a) { return a == 0 ? 0 : kPrime - a; }
std::uint64_t power(std::uint64_t a, std::uint64_t n) {
  std::uint64_t r = 1;
  for (; n; n >>= 1, a = times(a, a))
    if (n & 1) r = times(r, a);
  return r;
}
std::uint64_t inverse(std::uint64_t a) { return power(a, kPrime - 2); }

/// A number that depends on nothing but its arguments.
std::uint64_t drawn(std::uint64_t kind, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  std::uint64_t h = 0x9E3779B97F4A7C15ull * (kind + 1);
  for (std::uint64_t x : {a, b, c}) {
    h = (h ^ x) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 29;
    h *= 0xC4CEB9FE1A85EC53ull;
    h ^= h >> 32;
  }
  return h % (kPrime - 1) + 1;
}

/// Values of a shape's partial derivatives for one row after the other.
class Evaluator {
 public:
  Evaluator(const ExprPool& pool, std::vector<ExprId> roots) : pool_(pool), roots_(std::move(roots)) {
    nodes_ = topological(pool, roots_);
    value_.resize(nodes_.empty() ? 0 : nodes_.back().value + 1);
  }
  std::vector<std::uint64_t> row(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> params) {
    for (ExprId id : nodes_) value_[id.value] = node(pool_[id], slots, params);
    std::vector<std::uint64_t> result;
    for (ExprId root : roots_) result.push_back(value_[root.value]);
    return result;
  }

 private:
  std::uint64_t node(const Node& n, std::span<const std::uint32_t> slots, std::span<const std::uint32_t> params) {
    auto v = [&](std::uint32_t id) { return value_[id]; };
    switch (n.op) {
      case Op::Const:
        if (std::floor(n.value) == n.value && std::fabs(n.value) < 1e15)
          return n.value < 0 ? minus(static_cast<std::uint64_t>(-n.value)) : static_cast<std::uint64_t>(n.value);
        return n.value < 0 ? minus(drawn(1, std::bit_cast<std::uint64_t>(-n.value))) : drawn(1, std::bit_cast<std::uint64_t>(n.value));
      case Op::Slot: return drawn(2, slots[n.a]);
      case Op::Param: return drawn(3, params[n.a]);
      case Op::Time: return drawn(4, 0);
      case Op::Neg: return minus(v(n.a));
      case Op::Add: return plus(v(n.a), v(n.b));
      case Op::Sub: return plus(v(n.a), minus(v(n.b)));
      case Op::Mul: return times(v(n.a), v(n.b));
      case Op::Div: return times(v(n.a), inverse(v(n.b)));
      case Op::PowInt: {
        auto e = static_cast<std::int32_t>(n.b);
        return power(e < 0 ? inverse(v(n.a)) : v(n.a), static_cast<std::uint64_t>(std::abs(std::int64_t{e})));
      }
      default: {
        int k = arity(n.op);
        return drawn(100 + static_cast<std::uint64_t>(n.op), v(n.a), k > 1 ? v(n.b) : 0, k > 2 ? v(n.c) : 0);
      }
    }
  }
  const ExprPool& pool_;
  std::vector<ExprId> roots_, nodes_;
  std::vector<std::uint64_t> value_;
};

struct Entry {
  std::uint32_t column;
  std::uint64_t value;
};
using SparseRow = std::vector<Entry>;  // ascending columns

void tidy(SparseRow& row) {
  std::ranges::sort(row, {}, &Entry::column);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < row.size();) {
    Entry sum = row[k++];
    while (k < row.size() && row[k].column == sum.column) sum.value = plus(sum.value, row[k++].value);
    if (sum.value != 0) row[kept++] = sum;
  }
  row.resize(kept);
}

/// row += factor * other
SparseRow combined(const SparseRow& row, std::uint64_t factor, const SparseRow& other) {
  SparseRow result;
  result.reserve(row.size() + other.size());
  auto a = row.begin();
  for (auto b = other.begin(); a != row.end() || b != other.end();) {
    if (b == other.end() || (a != row.end() && a->column < b->column)) {
      result.push_back(*a++);
    } else if (a == row.end() || b->column < a->column) {
      result.push_back({b->column, times(factor, b->value)});
      ++b;
    } else {
      std::uint64_t v = plus(a->value, times(factor, b->value));
      if (v != 0) result.push_back({a->column, v});
      ++a, ++b;
    }
  }
  return result;
}

std::vector<SparseRow> matrix(const dae::System& dae, std::span<const std::uint32_t> equations, std::span<const std::uint32_t> variables) {
  std::vector<std::uint32_t> column(dae.variables.size(), graph::kNone);
  for (std::uint32_t c = 0; c < variables.size(); ++c) column[variables[c]] = c;
  std::vector<std::uint64_t> scale(dae.variables.size(), 1);
  const std::uint64_t s = drawn(5, 0);
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {  // a derivative is s times its integral
    if (dae.variables[v].integral == dae::kNone) continue;
    column[v] = column[dae.variables[v].integral];
    scale[v] = times(s, scale[dae.variables[v].integral]);
  }
  EquationList list;
  list.append(dae.equations);
  ExprPool pool = dae.exprs;
  std::vector<std::vector<ExprId>> partials(list.sections().size());
  for (std::size_t k = 0; k < partials.size(); ++k)
    if (const EquationTable* t = list.sections()[k].table) partials[k] = symbolic::gradient(pool, t->residual, t->slots);
  std::vector<std::optional<Evaluator>> evaluators(partials.size());
  std::vector<SparseRow> rows;
  for (std::uint32_t e : equations) {
    std::uint32_t number = list.section_of(e);
    const EquationList::Section& section = list.sections()[number];
    SparseRow row;
    if (section.table) {
      if (!evaluators[number]) evaluators[number].emplace(pool, partials[number]);
      auto slots = section.table->unknowns_of(e - section.first);
      auto values = evaluators[number]->row(slots, section.table->parameters_of(e - section.first));
      for (std::size_t k = 0; k < slots.size(); ++k)
        if (column[slots[k]] != graph::kNone) row.push_back({column[slots[k]], times(values[k], scale[slots[k]])});
    } else {
      for (Term t : section.sums->terms_of(e - section.first))
        if (column[t.unknown()] != graph::kNone) row.push_back({column[t.unknown()], t.negative() ? kPrime - 1 : 1});
    }
    tidy(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::optional<std::vector<NullVector>> null_vectors(const dae::System& dae, std::span<const std::uint32_t> equations,
                                                    std::span<const std::uint32_t> variables) {
  constexpr std::size_t kMostWork = 50'000'000;
  std::vector<SparseRow> rows = matrix(dae, equations, variables);
  const auto columns = static_cast<std::uint32_t>(variables.size());
  // The shortest row next, its rarest column for a pivot: little fills up (Markowitz 1957).
  std::vector<std::vector<std::uint32_t>> rows_of(columns);
  using Candidate = std::pair<std::size_t, std::uint32_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    for (const Entry& e : rows[r]) rows_of[e.column].push_back(r);
    if (!rows[r].empty()) queue.emplace(rows[r].size(), r);
  }
  std::vector<bool> done(rows.size(), false);
  std::vector<std::uint32_t> pivot_row(columns, graph::kNone), order;
  std::size_t work = 0;
  while (!queue.empty()) {
    auto [size, r] = queue.top();
    queue.pop();
    if (done[r] || rows[r].empty() || size != rows[r].size()) continue;
    done[r] = true;
    const Entry* pivot = &rows[r].front();
    for (const Entry& e : rows[r])
      if (rows_of[e.column].size() < rows_of[pivot->column].size()) pivot = &e;
    const std::uint32_t column = pivot->column;
    const std::uint64_t scale = inverse(pivot->value);
    pivot_row[column] = r;
    order.push_back(column);
    std::vector<std::uint32_t> users = std::move(rows_of[column]);
    std::ranges::sort(users);
    users.erase(std::ranges::unique(users).begin(), users.end());
    for (std::uint32_t other : users) {
      if (done[other]) continue;
      auto at = std::ranges::lower_bound(rows[other], column, {}, &Entry::column);
      if (at == rows[other].end() || at->column != column) continue;
      rows[other] = combined(rows[other], minus(times(at->value, scale)), rows[r]);
      work += rows[other].size();
      if (work > kMostWork) return std::nullopt;
      for (const Entry& e : rows[r])
        if (e.column != column) rows_of[e.column].push_back(other);
      if (!rows[other].empty()) queue.emplace(rows[other].size(), other);
    }
  }
  // One vector per free column: that one is 1, the other free ones are 0, the pivots follow, last first.
  std::vector<NullVector> result;
  std::vector<std::uint64_t> value(columns);
  for (std::uint32_t free = 0; free < columns && result.size() < 8; ++free) {
    if (pivot_row[free] != graph::kNone) continue;
    std::ranges::fill(value, 0);
    value[free] = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
      std::uint64_t sum = 0, own = 1;
      for (const Entry& e : rows[pivot_row[order[k]]]) {
        if (e.column == order[k])
          own = e.value;
        else if (value[e.column] != 0)
          sum = plus(sum, times(e.value, value[e.column]));
      }
      value[order[k]] = times(minus(sum), inverse(own));
    }
    NullVector vector;
    vector.level = true;
    for (std::uint32_t c = 0; c < columns; ++c) {
      if (value[c] == 0) continue;
      vector.variables.push_back(variables[c]);
      vector.level = vector.level && (value[c] == 1 || value[c] == kPrime - 1);
    }
    result.push_back(std::move(vector));
  }
  return result;
}

}  // namespace sigrel::structure
