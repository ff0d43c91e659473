// Functions of time on intervals: enclosures of random expressions contain values and difference quotients,
// and the first exit from an interval of values is not after the first one that dense sampling finds.
#include <cmath>
#include <random>

#include "compiler/interpret/enclose.h"
#include "compiler/ir/expr.h"
#include "runtime/events/isolation.h"
#include "tests/property/property.h"

using namespace sigrel;
using property::Choices;
using runtime::Enclosure;
using runtime::Interval;

namespace {

constexpr double kStop = 10;
constexpr int kSamples = 2'000;

/// An expression of time alone: waves, polynomials, steps and quotients.
ExprId build(ExprPool& pool, Choices& choices, int depth) {
  static constexpr double kNumbers[] = {1, 0.5, 2, -1, 3, 7, -0.25, 0.1};
  const std::uint32_t kind = choices.below(depth == 0 ? 3 : 21);
  auto operand = [&] { return build(pool, choices, depth - 1); };
  auto binary = [&](Op op) {
    const ExprId a = operand();
    return pool.binary(op, a, operand());
  };
  static constexpr Op kUnary[] = {Op::Sin,  Op::Cos, Op::Exp,   Op::Tanh,  Op::Atan, Op::Abs,
                                  Op::Sqrt, Op::Log, Op::Floor, Op::Round, Op::Sinh, Op::Sign};
  static constexpr Op kBinary[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max};
  if (kind < 2) return pool.time();
  if (kind == 2) return pool.constant(kNumbers[choices.below(std::size(kNumbers))]);
  if (kind < 14) return pool.unary(kUnary[kind - 3], operand());
  if (kind < 20) return binary(kBinary[kind - 14]);
  return pool.power(operand(), static_cast<std::int32_t>(choices.below(4)) + 1);
}

class Function {
 public:
  explicit Function(const std::vector<std::uint16_t>& numbers) {
    Choices choices(numbers);
    root_ = build(pool_, choices, 4);
    code_ = interpret::enclosures(pool_, {.outputs = {root_}});
  }
  Enclosure enclose(Interval time) const {
    Enclosure result;
    const runtime::EnclosureArguments arguments{.time = time, .out = &result};
    code_->kernels[0].function(code_->kernels[0].self, &arguments);
    return result;
  }
  double at(double time) const {
    std::vector<double> values;
    const std::vector<ExprId> ids = topological(pool_, {&root_, 1});
    auto of = [&](std::uint32_t id) {
      return values[static_cast<std::size_t>(std::ranges::lower_bound(ids, ExprId{id}) - ids.begin())];
    };
    for (const ExprId id : ids) {
      const Node& n = pool_[id];
      const int operands = arity(n.op);
      values.push_back(n.op == Op::Time    ? time
                       : n.op == Op::Const ? n.value
                                           : apply(n.op, of(n.a),
                                                   n.op == Op::PowInt ? static_cast<std::int32_t>(n.b)
                                                   : operands > 1     ? of(n.b)
                                                                      : 0,
                                                   0));
    }
    return values.back();
  }
  std::string text() const { return print(pool_, root_); }

 private:
  ExprPool pool_;
  ExprId root_;
  std::unique_ptr<interpret::EnclosureCode> code_;
};

}  // namespace

TEST_CASE("Enclosures contain values and difference quotients") {
  property::holds(
      [] {
        const Function f(*property::decisions());
        std::mt19937_64 random(1);
        std::uniform_real_distribution<> time(0, kStop);
        for (int k = 0; k < 50; ++k) {
          double a = time(random), b = k % 2 ? time(random) : a + 1e-3 * time(random);
          if (a > b) std::swap(a, b);
          const Enclosure over = f.enclose({a, b});
          const double x = a + 0.3 * (b - a), y = a + 0.8 * (b - a), fx = f.at(x), fy = f.at(y);
          if (!std::isfinite(fx) || !std::isfinite(fy) || y <= x) continue;
          const double slope = (fy - fx) / (y - x);
          const double rounding = 1e-12 * (std::abs(fx) + std::abs(fy) + 1) / (y - x);
          if (!over.value.contains(fx) || !over.value.contains(fy) ||
              over.derivative.low > slope + rounding || over.derivative.high < slope - rounding)
            RC_FAIL(f.text() + " over " + std::to_string(a) + " .. " + std::to_string(b));
        }
      },
      {.cases = 2'000, .size = 100});
}

TEST_CASE("No sampled crossing is before the isolated one") {
  property::holds(
      [] {
        const Function f(*property::decisions());
        const double start = f.at(0);
        if (!std::isfinite(start) || start == 0) return;
        const double infinity = std::numeric_limits<double>::infinity();
        const Interval allowed = start > 0 ? Interval{0, infinity} : Interval{-infinity, 0};
        const double exit =
            runtime::first_exit([&](Interval time) { return f.enclose(time); }, allowed, 0, {});
        if (!(exit > 0)) RC_FAIL(f.text() + ": no progress");
        for (int k = 0; k <= kSamples; ++k) {
          const double time = kStop * k / kSamples, value = f.at(time);
          if (std::isfinite(value) && time < exit * (1 - 1e-12) && value * start < 0 &&
              std::abs(value) > 1e-9 * (1 + std::abs(start)))
            RC_FAIL(f.text() + " has crossed at " + std::to_string(time) + ", not at " +
                    std::to_string(exit));
        }
      },
      {.cases = 2'000, .size = 100});
}
