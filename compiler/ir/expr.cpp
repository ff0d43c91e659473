#include "compiler/ir/expr.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>

namespace sigrel {

int arity(Op op) {
  if (op <= Op::Time) return 0;
  if (op <= Op::Not || op == Op::PowInt || op == Op::Call1) return 1;
  return op == Op::Select || op == Op::Lookup2 || op == Op::Call3 ? 3 : 2;
}

bool has_jumps(Op op) {
  switch (op) {
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Sign:
    case Op::Abs:
    case Op::Min:
    case Op::Max:
    case Op::Lookup1: return true;
    default: return false;
  }
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

const char* spelling(Op op) {
  switch (op) {
    case Op::Const: return "const";
    case Op::Slot: return "slot";
    case Op::Der: return "der";
    case Op::Param: return "param";
    case Op::Time: return "time";
    case Op::Neg: return "-";
    case Op::Abs: return "abs";
    case Op::Sign: return "sign";
    case Op::Sqrt: return "sqrt";
    case Op::Exp: return "exp";
    case Op::Log: return "log";
    case Op::Log10: return "log10";
    case Op::Sin: return "sin";
    case Op::Cos: return "cos";
    case Op::Tan: return "tan";
    case Op::Asin: return "asin";
    case Op::Acos: return "acos";
    case Op::Atan: return "atan";
    case Op::Sinh: return "sinh";
    case Op::Cosh: return "cosh";
    case Op::Tanh: return "tanh";
    case Op::Asinh: return "asinh";
    case Op::Acosh: return "acosh";
    case Op::Atanh: return "atanh";
    case Op::Floor: return "floor";
    case Op::Ceil: return "ceiling";
    case Op::Round: return "round";
    case Op::Not: return "not";
    case Op::Add: return "+";
    case Op::Sub: return "-";
    case Op::Mul: return "*";
    case Op::Div: return "/";
    case Op::Pow: return "^";
    case Op::Min: return "min";
    case Op::Max: return "max";
    case Op::Atan2: return "atan2";
    case Op::Less: return "<";
    case Op::LessEqual: return "<=";
    case Op::Equal: return "==";
    case Op::NotEqual: return "/=";
    case Op::And: return "&&";
    case Op::Or: return "||";
    case Op::PowInt: return "^";
    case Op::Select: return "if";
    case Op::Lookup1: return "table1";
    case Op::Lookup2: return "table2";
    case Op::Call1:
    case Op::Call2:
    case Op::Call3: return "call";
  }
  return "?";
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
    case Op::Exp: return std::exp(a);
    case Op::Log: return std::log(a);
    case Op::Log10: return std::log10(a);
    case Op::Sin: return std::sin(a);
    case Op::Cos: return std::cos(a);
    case Op::Tan: return std::tan(a);
    case Op::Asin: return std::asin(a);
    case Op::Acos: return std::acos(a);
    case Op::Atan: return std::atan(a);
    case Op::Sinh: return std::sinh(a);
    case Op::Cosh: return std::cosh(a);
    case Op::Tanh: return std::tanh(a);
    case Op::Asinh: return std::asinh(a);
    case Op::Acosh: return std::acosh(a);
    case Op::Atanh: return std::atanh(a);
    case Op::Floor: return std::floor(a);
    case Op::Ceil: return std::ceil(a);
    case Op::Round: return std::round(a);
    case Op::Not: return a == 0.0 ? 1.0 : 0.0;
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    case Op::Pow: return std::pow(a, b);
    case Op::Min: return b < a ? b : a;
    case Op::Max: return a < b ? b : a;
    case Op::Atan2: return std::atan2(a, b);
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
  return h;
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

std::vector<ExprId> topological(const ExprPool& pool, std::span<const ExprId> roots) {
  // Children have smaller ids: take the greatest pending one. The cost does not depend on the pool size.
  std::vector<std::uint32_t> waiting;
  for (ExprId r : roots) waiting.push_back(r.value);
  std::ranges::make_heap(waiting);
  auto add = [&](std::uint32_t id) {
    waiting.push_back(id);
    std::ranges::push_heap(waiting);
  };
  std::vector<ExprId> result;
  while (!waiting.empty()) {
    const ExprId id{waiting.front()};
    std::ranges::pop_heap(waiting);
    waiting.pop_back();
    if (!result.empty() && result.back() == id) continue;
    result.push_back(id);
    const Node& n = pool[id];
    const int k = arity(n.op);
    if (k > 0) add(n.a);
    if (k > 1) add(n.b);
    if (k > 2) add(n.c);
  }
  std::ranges::reverse(result);
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
