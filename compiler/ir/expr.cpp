#include "compiler/ir/expr.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <utility>

namespace sigrel {

bool has_jumps(Op op) {
  if (kind(op) == OpKind::Comparison || kind(op) == OpKind::Rounding) return true;
  return op == Op::Sign || op == Op::Abs || op == Op::Min || op == Op::Max || op == Op::Lookup1;
}

bool is_without_events(const Node& node) {
  return has_jumps(node.op) && (node.op == Op::Lookup1 ? node.c : node.value) == kNoEvent;
}

Node without_events(Node node) {
  if (node.op == Op::Lookup1)
    node.c = static_cast<std::uint32_t>(kNoEvent);
  else if (has_jumps(node.op))
    node.value = kNoEvent;
  return node;
}

namespace detail {

int precedence(Op op) {
  switch (op) {
    case Op::Select: return 1;
    case Op::Or: return 2;
    case Op::And: return 3;
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual: return 4;
    case Op::Add:
    case Op::Sub: return 5;
    case Op::Neg: return 6;
    case Op::Mul:
    case Op::Div: return 7;
    case Op::Pow:
    case Op::PowInt: return 8;
    default: return 100;
  }
}

std::string number_text(double value) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string s(buffer, end);
  if (s.find_first_of(".en") == std::string::npos) s += ".0";
  return s;
}

std::string integer_text(double value) { return std::to_string(static_cast<std::int64_t>(value)); }

}  // namespace detail

double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::Neg: return -a;
    case Op::Abs: return std::fabs(a);
    case Op::Sign: return a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0;
    case Op::Sqrt: return std::sqrt(a);
#define SIGREL_FUNCTION1(op, name, function) \
  case Op::op: return std::function(a);
#define SIGREL_FUNCTION2(op, name, function) \
  case Op::op: return std::function(a, b);
#include "compiler/ir/operations.def"
    case Op::Floor: return std::floor(a);
    case Op::Ceil: return std::ceil(a);
    case Op::Round: return std::round(a);
    case Op::Not: return a == 0.0 ? 1.0 : 0.0;
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    case Op::Min: return b < a ? b : a;
    case Op::Max: return a < b ? b : a;
    case Op::Less: return a < b ? 1.0 : 0.0;
    case Op::LessEqual: return a <= b ? 1.0 : 0.0;
    case Op::Equal: return a == b ? 1.0 : 0.0;
    case Op::NotEqual: return a != b ? 1.0 : 0.0;
    case Op::And: return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case Op::Or: return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    case Op::PowInt: return std::pow(a, b);  // b is the exponent as a number
    case Op::Select: return a != 0.0 ? b : c;
    case Op::Const:
    case Op::Slot:
    case Op::Der:
    case Op::Param:
    case Op::Time: break;
    case Op::Lookup1:
    case Op::Lookup2:
    case Op::Call1:
    case Op::Call2:
    case Op::Call3: break;
  }
  assert(false && "a leaf has no operands to apply to, and the library is not known here");
  return 0;
}

namespace {

std::uint64_t hash(const Node& n) {
  std::uint64_t h = static_cast<std::uint64_t>(n.op) * 0x9E3779B97F4A7C15ull;
  auto mix = [&](std::uint64_t v) {
    h = (h ^ v) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 32;
  };
  mix(n.a | static_cast<std::uint64_t>(n.b) << 32);
  mix(n.c);
  mix(std::bit_cast<std::uint64_t>(n.value));
  // Short fractions differ in their highest bits only, which a multiplication does not carry down.
  h *= 0xC4CEB9FE1A85EC53ull;
  return h ^ h >> 32;
}

bool same(const Node& x, const Node& y) {
  return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
         std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

}  // namespace

void ExprPool::grow() {
  std::size_t size = std::max<std::size_t>(64, buckets_.size() * 2);
  buckets_.assign(size, 0);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    std::size_t at = hash(nodes_[i]) & (size - 1);
    while (buckets_[at]) at = (at + 1) & (size - 1);
    buckets_[at] = i + 1;
  }
}

ExprId ExprPool::intern(const Node& node) {
  if ((nodes_.size() + 1) * 2 > buckets_.size()) grow();
  std::size_t mask = buckets_.size() - 1;
  std::size_t at = hash(node) & mask;
  for (; buckets_[at]; at = (at + 1) & mask)
    if (same(nodes_[buckets_[at] - 1], node)) return ExprId{buckets_[at] - 1};
  nodes_.push_back(node);
  buckets_[at] = static_cast<std::uint32_t>(nodes_.size());
  return ExprId{nodes_.size() - 1};
}

void ExprPool::truncate(std::size_t size) {
  if (size == 0 && nodes_.size() * 8 > buckets_.size()) {
    std::fill(buckets_.begin(), buckets_.end(), 0);
    nodes_.clear();
    return;
  }
  // Newest first: the probe chain of a node contains only older nodes before it, so clearing its bucket does
  // not break another chain.
  std::size_t mask = buckets_.size() - 1;
  while (nodes_.size() > size) {
    std::size_t at = hash(nodes_.back()) & mask;
    while (buckets_[at] != nodes_.size()) at = (at + 1) & mask;
    buckets_[at] = 0;
    nodes_.pop_back();
  }
}

namespace {

/// Of a small pool: from the highest id down, each node marks its operands, which have lower ids. `reached`:
/// bits of ids, all zero.
std::vector<ExprId> topological_small(const ExprPool& pool, std::span<const ExprId> roots,
                                      std::uint64_t* reached) {
  std::size_t count = 0, highest = 0;
  const auto reach = [&](std::uint32_t id) {
    std::uint64_t& word = reached[id / 64];
    count += !(word >> id % 64 & 1);
    word |= std::uint64_t{1} << id % 64;
  };
  for (ExprId root : roots) {
    reach(root.value);
    highest = std::max<std::size_t>(highest, root.value);
  }
  for (std::size_t w = highest / 64 + 1; w-- > 0;) {
    for (std::uint64_t left = ~std::uint64_t{0}; reached[w] & left;) {
      const int bit = 63 - std::countl_zero(reached[w] & left);
      left = (std::uint64_t{1} << bit) - 1;
      const Node& n = pool[ExprId{w * 64 + static_cast<std::size_t>(bit)}];
      const int k = arity(n.op);
      if (k > 0) reach(n.a);
      if (k > 1) reach(n.b);
      if (k > 2) reach(n.c);
    }
  }
  std::vector<ExprId> result;
  result.reserve(count);
  for (std::size_t w = 0; w <= highest / 64; ++w)
    for (std::uint64_t word = std::exchange(reached[w], 0); word; word &= word - 1)
      result.push_back(ExprId{w * 64 + static_cast<std::size_t>(std::countr_zero(word))});
  return result;
}

}  // namespace

std::vector<ExprId> topological(const ExprPool& pool, std::span<const ExprId> roots) {
  // Children have smaller ids: the order of ids will do. The marks are cleared node by node, so that the cost
  // does not depend on the size of the pool.
  constexpr std::size_t kSmall = 2048;  // nodes of a pool whose marks are quickly read
  thread_local std::vector<std::uint64_t> marks;
  if (roots.empty()) return {};
  if (marks.size() * 64 < pool.size()) marks.resize(pool.size() / 64 + 1);
  std::uint64_t* const reached = marks.data();
  if (pool.size() <= kSmall) return topological_small(pool, roots, reached);
  std::vector<ExprId> result;
  result.reserve(32);  // most expressions
  const auto reach = [&](std::uint32_t id) {
    std::uint64_t& word = reached[id / 64];
    const std::uint64_t bit = std::uint64_t{1} << id % 64;
    if (word & bit) return;
    word |= bit;
    result.push_back(ExprId{id});
  };
  for (ExprId root : roots) reach(root.value);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Node& n = pool[result[i]];
    const int k = arity(n.op);
    if (k > 0) reach(n.a);
    if (k > 1) reach(n.b);
    if (k > 2) reach(n.c);
  }
  for (ExprId id : result) reached[id.value / 64] = 0;
  std::ranges::sort(result, {}, &ExprId::value);
  return result;
}

std::string print(const ExprPool& pool, ExprId root) {
  return print(
      pool, root,
      [](std::uint32_t k, std::uint32_t order) {
        std::string s = "s" + std::to_string(k);
        for (; order; --order) s = "der(" + s + ")";
        return s;
      },
      [](std::uint32_t k) { return "p" + std::to_string(k); });
}

}  // namespace sigrel
