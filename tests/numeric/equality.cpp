// Comparisons that an assignment brings to equality: they take the value that they have immediately
// afterwards, and keep their former one where both are right. Against closed forms, by every solver.
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "numeric.h"

using namespace sigrel;
using numeric::Model;
using numeric::Value;

namespace {

RunOptions options(double stop, const char* solver) {
  return {.stop = stop, .tolerance = 1e-9, .steps = 4, .solver = solver};
}

/// `own`: with clocks of independent parts.
void check_each(const std::string& expression, double stop, const std::vector<Value>& values) {
  for (const char* solver : {"auto", "own", "cvode", "adams", "ida", "qss"}) {
    INFO(expression << ", " << solver);
    const bool own = std::string(solver) == "own";
    RunOptions run = options(stop, own ? "auto" : solver);
    if (own) run.components = runtime::ComponentClocks::On;
    check_values(Model("equality.sr", expression.c_str()).run(run), values);
  }
}

/// The rate after `met`; none if both sides drive back to equality.
std::optional<double> rate_after(bool above, double a, double b) {
  if (a > 0 && b < 0) return above ? a : b;
  if (a > 0) return a;
  if (b < 0) return b;
  return std::nullopt;
}

}  // namespace

TEST_CASE("A comparison at equality keeps its value if that drives it there") {
  for (const bool above : {true, false})
    for (const double a : {-0.5, 0.75})
      for (const double b : {-0.25, 1.5}) {
        const std::string expression = std::string("met ") + (above ? "True" : "False") + " (" +
                                       std::to_string(a) + ") (" + std::to_string(b) + ")";
        if (const auto rate = rate_after(above, a, b)) {
          const double x = 1 + *rate * 1.6;
          check_each(expression, 2, {{"p", x}, {"q", x}, {"r", x}, {"s", x}});
        } else {
          Model model("equality.sr", expression.c_str());
          for (const char* solver : {"auto", "cvode", "ida", "qss"})
            CHECK(model.refusal(options(2, solver)).find("SR0511") != std::string::npos);
        }
      }
}

TEST_CASE("No condition is briefly false where a handler puts a state") {
  check_each("put", 1.95, {{"above", 0}, {"notBelow", 0}, {"below", 0}, {"notAbove", 0}, {"x", 0.55}});
  check_each("putAndFall", 1.95, {{"above", 4}, {"notBelow", 4}, {"below", 5}, {"notAbove", 5}, {"x", 0.25}});
}

TEST_CASE("A comparison of what is put to rest at equality is that of equal sides") {
  check_each("putToRest", 3, {{"x", 2}, {"y", 1}, {"z", 2}});
}

TEST_CASE("A handler that assigns what its condition reads does not make it true again") {
  check_each("same (-0.6968) 1.0266 0.2885", 4, {{"n", 1}, {"m", 0.2885}, {"x", 4 * 1.0266 - 0.6968}});
  check_each("follow", 2, {{"n", 1}, {"k", 1}, {"m", 0.25}, {"half", 0.25}});
  for (int k = 0; k < 10; ++k) {
    const double rate = 0.7 + 0.1 * std::sqrt(k), limit = 0.3 * std::exp(-0.1 * k);
    const std::string expression = "same (-0.5) " + std::to_string(rate) + " " + std::to_string(limit);
    check_each(expression, 2, {{"n", 1}});
  }
}

TEST_CASE("A comparison that another one of the instant carries back fires later, whatever the stop time") {
  for (const double stop : {20.0, 3e3, 1e5, 1e7})
    for (const char* step : {"0.05", "1.0e-4"}) {
      INFO(stop);
      check_each("carriedBack " + std::string(step), stop, {{"n", 1}, {"at", 1 + std::stod(step)}});
    }
}
