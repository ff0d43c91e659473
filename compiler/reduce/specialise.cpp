#include "compiler/reduce/specialise.h"

#include <algorithm>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

std::uint64_t hash(std::uint32_t table, std::span<const std::uint32_t> pattern) {
  std::uint64_t h = table * 0x9E3779B97F4A7C15ull + 1;
  for (std::uint32_t p : pattern) {
    h = (h ^ p) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 32;
  }
  return h;
}

/// The coefficient and the rest of root = coefficient * slot + rest, where the coefficient is a number.
std::optional<std::pair<double, ExprId>> numeric_coefficient(ExprPool& pool, ExprId root,
                                                             std::uint32_t slot) {
  auto linear = symbolic::linear_in(pool, root, slot);
  if (!linear || pool[linear->factor].op != Op::Const) return std::nullopt;
  return std::pair{pool[linear->factor].value, linear->rest};
}

void classify(ExprPool& pool, Specialised& s) {
  const Node& root = pool[s.residual];
  if (s.leaves.empty()) {
    s.form = root.op == Op::Const && root.value == 0 ? Form::Nothing : Form::NoUnknown;
    return;
  }
  if (s.leaves.size() > 2 || !s.params.empty()) return;
  for (const Leaf& leaf : s.leaves)
    if (leaf.order != 0) return;
  s.a = s.leaves.front().slot;
  s.b = s.leaves.back().slot;
  auto first = numeric_coefficient(pool, s.residual, s.a);
  if (!first || first->first == 0) return;
  ExprId rest = first->second;
  double second = 0;
  if (s.leaves.size() == 2) {
    auto other = numeric_coefficient(pool, rest, s.b);
    if (!other) return;
    second = other->first;
    rest = other->second;
    if (second != first->first && second != -first->first) return;
  }
  if (pool[rest].op != Op::Const || pool[rest].value != 0) return;
  s.form = s.leaves.size() == 1 ? Form::Zero : second == first->first ? Form::Opposite : Form::Equal;
}

}  // namespace

std::uint32_t Shapes::add(const EquationTable& table) {
  tables_.push_back(&table);
  latest_.push_back(0xFFFFFFFFu);
  return static_cast<std::uint32_t>(tables_.size() - 1);
}

std::uint32_t Shapes::specialise(std::uint32_t table, std::span<const std::uint32_t> pattern) {
  auto same = [&](const Entry& e) {
    return e.table == table && std::equal(pattern.begin(), pattern.end(), patterns_.begin() + e.first);
  };
  if (latest_[table] != 0xFFFFFFFFu && same(entries_[latest_[table]]))
    return entries_[latest_[table]].specialised;
  if ((entries_.size() + 1) * 2 > buckets_.size()) grow();
  std::size_t at = hash(table, pattern) & (buckets_.size() - 1);
  for (; buckets_[at]; at = (at + 1) & (buckets_.size() - 1))
    if (same(entries_[buckets_[at] - 1])) {
      latest_[table] = buckets_[at] - 1;
      return entries_[latest_[table]].specialised;
    }
  Entry entry{table, static_cast<std::uint32_t>(patterns_.size()), make(*tables_[table], pattern)};
  patterns_.insert(patterns_.end(), pattern.begin(), pattern.end());
  entries_.push_back(entry);
  buckets_[at] = static_cast<std::uint32_t>(entries_.size());
  latest_[table] = buckets_[at] - 1;
  return entry.specialised;
}

void Shapes::grow() {
  std::size_t size = std::max<std::size_t>(64, buckets_.size() * 2);
  buckets_.assign(size, 0);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const Entry& e = entries_[i];
    std::size_t at = hash(e.table, {patterns_.data() + e.first, tables_[e.table]->slots}) & (size - 1);
    while (buckets_[at]) at = (at + 1) & (size - 1);
    buckets_[at] = i + 1;
  }
}

std::uint32_t Shapes::make(const EquationTable& table, std::span<const std::uint32_t> pattern) {
  ExprPool& pool = work_.begin();
  Specialised s;
  s.residual = symbolic::rewrite(source_, table.residual, pool, [&](const Node& leaf) {
    if (leaf.op != Op::Slot && leaf.op != Op::Der) return pool.intern(leaf);
    std::uint32_t p = pattern[leaf.a];
    if (p == SlotPattern::kZero) return pool.constant(0.0);
    Node image = leaf;
    if (p >= 4) image.a = (p - 4) / 2;
    ExprId id = pool.intern(image);
    return p % 2 == 1 ? symbolic::simplified(pool, {Op::Neg, id.value, 0, 0, 0}) : id;
  });
  symbolic::improve(pool, std::span(&s.residual, 1));  // slots that cancel do not occur
  for (ExprId id : topological(pool, std::span<const ExprId>(&s.residual, 1))) {
    const Node& n = pool[id];
    if (n.op == Op::Slot) s.leaves.push_back({n.a, 0});
    if (n.op == Op::Der) s.leaves.push_back({n.a, n.b});
    if (n.op == Op::Param) s.params.push_back(n.a);
  }
  std::ranges::sort(s.leaves);
  std::ranges::sort(s.params);
  classify(pool, s);
  s.residual = work_.keep(s.residual);
  specialised_.push_back(std::move(s));
  return static_cast<std::uint32_t>(specialised_.size() - 1);
}

}  // namespace sigrel::reduce
