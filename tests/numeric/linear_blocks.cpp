// Linear blocks with coefficients of very different sizes, and singular ones: random systems with known
// answers, and networks. A result is right, or an error names the equations.
#include <array>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <Eigen/LU>
#include <Eigen/SVD>

#include "numeric.h"

namespace {

using sigrel::Session;

struct Answer {
  std::string errors;
  std::vector<double> values;
};

/// The final values of x0 … in `model ()` of this source.
Answer answer(const std::string& source, std::size_t unknowns) {
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
  session.load_text("model.sr", source);
  session.check(std::nullopt);
  Answer answer;
  std::shared_ptr<sigrel::pipeline::Compiled> compiled;
  if (!session.diagnostics().has_errors()) compiled = session.compile({}, sigrel::Backend::Interpreter);
  if (compiled && !session.diagnostics().has_errors()) {
    const sigrel::Run run = session.run(*compiled, {});
    if (run.completed())
      for (std::size_t k = 0; k < unknowns; ++k)
        answer.values.push_back(numeric::value(run, fmt::format("x{}", k)));
  }
  for (const sigrel::Diagnostic& d : session.diagnostics().all())
    if (d.severity == sigrel::Severity::Error) answer.errors += render_text(d, session.sources(), false);
  return answer;
}

std::string source(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, const char* factor) {
  std::string text = "main = sigrel () where\n  local ";
  for (Eigen::Index k = 0; k < a.cols(); ++k) text += fmt::format("{}x{}", k ? ", " : "", k);
  text += " :: Real\n";
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    std::string row;
    for (Eigen::Index k = 0; k < a.cols(); ++k)
      if (a(i, k) != 0) row += fmt::format("{}({:.17}) * x{}", row.empty() ? "" : " + ", a(i, k), k);
    text += fmt::format("  {} = ({:.17}){}\n", row, b(i), factor);
  }
  return text;
}

double condition(Eigen::MatrixXd a) {
  a = a.cwiseAbs().rowwise().maxCoeff().cwiseInverse().asDiagonal() * a;
  const Eigen::VectorXd singular = Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues();
  return singular(0) / singular(singular.size() - 1);
}

}  // namespace

TEST_CASE("Small pivots of tearing do not cost digits") {
  // Condition 6, all unknowns 1: dividing by the coefficients of tearing lost all digits of x3.
  const Answer seven = answer(R"(main = sigrel () where
  local x0, x1, x2, x3, x4, x5, x6 :: Real
  -0.004 * x1 + 2000.0 * x5 = 1999.996
  x0 + x1 + x5 = 3.0
  0.008 * x2 - 700.0 * x4 = -699.992
  x0 + x2 - 0.002 * x3 = 1.998
  x0 + 0.001 * x4 = 1.001
  x5 + x6 = 2.0
  x0 + x3 + x6 = 3.0
)",
                              7);
  INFO(seven.errors);
  REQUIRE(seven.values.size() == 7);
  for (double x : seven.values) CHECK(x == Approx(1).epsilon(1e-9));

  // Resistors from 1 mΩ to 1 MΩ at 10 V: a ladder of dividers.
  const Answer ladder = answer(R"(import Electrical
main = sigrel () where
  constantVoltage 10.0 <> (a, g)
  resistor 1.0e-3 <> (a, b)
  resistor 1.0e6  <> (b, g)
  resistor 1.0e6  <> (b, c)
  resistor 1.0e-3 <> (c, g)
  resistor 1.0e6  <> (c, d)
  resistor 1.0e-3 <> (d, e)
  resistor 1.0e3  <> (e, g)
  ground <> g
  local x0, x1 :: Real
  x0 = c.v
  x1 = d.v
)",
                               2);
  INFO(ladder.errors);
  REQUIRE(ladder.values.size() == 2);
  const double at_d = 1e6 + 1e-3 + 1e3, at_c = 1 / (1 / 1e-3 + 1 / at_d), at_b = 1e6 + at_c;
  const double b = 10 / (1 + 1e-3 * (1 / 1e6 + 1 / at_b)), c = b * at_c / at_b;
  CHECK(ladder.values[0] == Approx(c).epsilon(1e-9));
  CHECK(ladder.values[1] == Approx(c * (1e-3 + 1e3) / at_d).epsilon(1e-9));
}

TEST_CASE("Random well-conditioned systems of badly scaled equations are solved") {
  std::mt19937 random(7);
  auto uniform = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  int solved = 0;
  while (solved < 60) {
    const auto n = static_cast<Eigen::Index>(uniform(3, 16));
    const double span = uniform(2, 5.5);
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index k = 0; k < n; ++k)
        if (i == k || uniform(0, 1) < 3.0 / static_cast<double>(n))
          a(i, k) = (uniform(0, 1) < 0.5 ? -1 : 1) * std::pow(10.0, std::round(uniform(-span, span)));
    if (!(condition(a) < 1e6)) continue;
    Eigen::VectorXd x(n);
    for (double& value : x) value = std::round(uniform(0.5, 2) * 100) / 100;
    const Eigen::VectorXd b = a * x;
    if (!((a.partialPivLu().solve(b) - x).cwiseAbs().maxCoeff() < 1e-8)) continue;
    const std::string text = source(a, b, "");
    const Answer found = answer(text, static_cast<std::size_t>(n));
    INFO(text << found.errors);
    REQUIRE(found.values.size() == static_cast<std::size_t>(n));
    for (Eigen::Index k = 0; k < n; ++k) CHECK(std::abs(found.values[k] - x(k)) < 1e-6);
    ++solved;
  }
}

TEST_CASE("Systems that are singular by their numbers are refused, consistent or not") {
  std::mt19937 random(11);
  auto whole = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  for (int k = 0; k < 80; ++k) {
    const Eigen::Index n = whole(2, 7);
    Eigen::MatrixXd a(n, n);
    Eigen::VectorXd b(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (double& value : a.row(i)) value = whole(0, 2) ? whole(-9, 9) / 10.0 : 0;
      if (a(i, i) == 0) a(i, i) = 0.7;
      b(i) = whole(-9, 9) / 10.0;
    }
    // The last row is a combination of others, up to rounding.
    a.row(n - 1).setZero();
    double right = 0;
    for (Eigen::Index i = 0; i + 1 < n; ++i) {
      const int factor = i == 0 ? 2 : whole(-2, 3);
      a.row(n - 1) += factor * a.row(i);
      right += factor * b(i);
    }
    const bool consistent = k % 3 == 0;
    b(n - 1) = consistent ? right : right + 0.3;
    if ((a.cwiseAbs().colwise().maxCoeff().array() == 0).any()) continue;
    const std::string text = source(a, b, k % 2 ? " * time" : "");
    const Answer found = answer(text, static_cast<std::size_t>(n));
    INFO(text << found.errors);
    CHECK(found.values.empty());
    CHECK(found.errors.find("error[SR0") != std::string::npos);
  }
}

TEST_CASE("Dependent equations are named, with what their combination leaves") {
  const Answer contradiction = answer(R"(main = sigrel () where
  local x0, x1 :: Real
  -0.4 * x0 - 0.6 * x1 = 0.3
  -0.2 * x0 - 0.3 * x1 = 0.1
)",
                                      2);
  INFO(contradiction.errors);
  CHECK(contradiction.errors.starts_with("error[SR0509]: linear equations are dependent at the start"));
  CHECK(contradiction.errors.find("their sides differ by 0.05: they contradict each other") !=
        std::string::npos);
  CHECK(contradiction.errors.find("= 0.3") != std::string::npos);
  CHECK(contradiction.errors.find("= 0.1") != std::string::npos);

  // A heater in a network that nothing cools or stores.
  const Answer heater = answer(R"(import Thermal
main = sigrel () where
  conduction 0.53 <> (k38, k37)
  conduction 0.781 <> (k39, k17)
  heater 1.69 <> k39
  heatMeter <> (k37, k17, q)
  local q :: Real
  conduction 0.373 <> (k39, k17)
  conduction 2.03 <> (k38, k39)
  conduction 0.616 <> (k38, k17)
)",
                               0);
  INFO(heater.errors);
  CHECK(heater.errors.starts_with("error[SR0310]: no reference potential"));
  CHECK(heater.errors.find("heater 1.69 <> k39") != std::string::npos);
}
