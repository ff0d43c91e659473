// Systems E x' = A x + q(t) with singular matrices E, of any index, whose solutions are known: in the
// coordinates z = W x they have the canonical form of Weierstrass, z1' = -K z1 and N z2' = z2 + q2 with a
// nilpotent N. Random unimodular matrices U and W hide it: the matrices are full, and no incidence shows
// which derivatives cancel.
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <Eigen/LU>

#include "numeric.h"

namespace {

using sigrel::Session;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

class Source {
 public:
  explicit Source(unsigned seed) : random_(seed) {}
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  /// Products of elementary matrices: integers, determinant 1, and an inverse of integers.
  Matrix unimodular(Index n) {
    Matrix m = Matrix::Identity(n, n);
    for (int k = 0; k < 2 * n; ++k) {
      const Index i = whole(0, static_cast<int>(n) - 1), j = whole(0, static_cast<int>(n) - 1);
      if (i != j) m.row(i) += (whole(0, 1) ? 1 : -1) * m.row(j);
    }
    return m;
  }

 private:
  std::mt19937 random_;
};

/// z1 has `exponents`; z2 consists of chains that begin where `begins` says so, and q2 = a sin t + b.
struct Pencil {
  std::vector<int> exponents, begins;
  Matrix u, w;
  Vector a, b;

  Index size() const { return static_cast<Index>(exponents.size() + begins.size()); }
  Index states() const { return static_cast<Index>(exponents.size()); }
  Matrix nilpotent() const {
    Matrix n = Matrix::Zero(size(), size());
    for (Index k = 0; k + 1 < size() - states(); ++k)
      if (!begins[static_cast<std::size_t>(k + 1)]) n(states() + k, states() + k + 1) = 1;
    return n;
  }
  /// x(t), where z1 is 1 at the start.
  Vector solution(double t) const {
    Vector z(size()), derivative[4];
    for (int order = 0; order < 4; ++order) {
      const double value[] = {std::sin(t), std::cos(t), -std::sin(t), -std::cos(t)};
      derivative[order] = a * value[order];
      if (order == 0) derivative[order] += b;
    }
    Matrix power = Matrix::Identity(size(), size());
    z.setZero();
    for (const Vector& d : derivative) {  // z2 = -Σ Nⁱ q2⁽ⁱ⁾
      z -= power * d;
      power = power * nilpotent();
    }
    for (Index k = 0; k < states(); ++k) z(k) = std::exp(-exponents[static_cast<std::size_t>(k)] * t);
    return w.inverse() * z;
  }
};

Pencil pencil(Source& random) {
  Pencil p;
  for (int k = random.whole(0, 2); k > 0; --k) p.exponents.push_back(random.whole(1, 2));
  for (int k = random.whole(1, 4), length = 0; k > 0; --k) {
    p.begins.push_back(length == 0 || length == 3 || random.whole(0, 2) == 0);
    length = p.begins.back() ? 1 : length + 1;
  }
  p.u = random.unimodular(p.size());
  p.w = random.unimodular(p.size());
  p.a = p.b = Vector::Zero(p.size());
  for (Index k = p.states(); k < p.size(); ++k) {
    p.a(k) = random.whole(-2, 2);
    p.b(k) = random.whole(-2, 2);
  }
  return p;
}

std::string sum(const Eigen::RowVectorXd& row, const char* format) {
  std::string text;
  for (Index k = 0; k < row.size(); ++k)
    if (row(k) != 0)
      text += fmt::format("{}({:.1f}) * ", text.empty() ? "" : " + ", row(k)) +
              fmt::format(fmt::runtime(format), k);
  return text.empty() ? "0.0" : text;
}

/// The model; with `scaled`, row k is multiplied by a parameter of its own.
std::string source(const Pencil& p, bool scaled) {
  const Index n = p.size();
  Matrix e = p.nilpotent(), a = Matrix::Identity(n, n);
  for (Index k = 0; k < p.states(); ++k) {
    e(k, k) = 1;
    a(k, k) = -p.exponents[static_cast<std::size_t>(k)];
  }
  const Matrix left = p.u * e * p.w, right = p.u * a * p.w;
  const Vector of_sine = p.u * p.a, constant = p.u * p.b;
  std::string parameters, types, values, unknowns;
  for (Index k = 0; k < n; ++k) {
    unknowns += fmt::format("{}x{}", k ? ", " : "", k);
    if (!scaled) continue;
    parameters += fmt::format(" p{}", k);
    types += "Real -> ";
    values += fmt::format(" {}", 1.25 + 0.5 * static_cast<double>(k));
  }
  std::string text =
      fmt::format("m :: {}SR ()\nm{} = sigrel () where\n  local {} :: Real\n", types, parameters, unknowns);
  for (Index k = 0; k < n; ++k) {
    const std::string factor = scaled ? fmt::format("p{} * ", k) : "";
    text += fmt::format("  {0}({1}) = {0}({2} + ({3:.1f}) * sin time + ({4:.1f}))\n", factor,
                        sum(left.row(k), "der x{}"), sum(right.row(k), "x{}"), of_sine(k), constant(k));
  }
  if (p.states() > 0) text += "  initially\n";
  for (Index k = 0; k < p.states(); ++k) text += fmt::format("    {} = 1.0\n", sum(p.w.row(k), "x{}"));
  return text + fmt::format("\nmain = simulate (m{}) with {{ stop = 1.0, tolerance = 1.0e-9 }}\n", values);
}

struct Outcome {
  std::string errors;
  std::optional<Vector> values;
};

Outcome outcome(const std::string& text, Index n) {
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true});
  session.load_text("model.sr", text);
  session.check(std::nullopt);
  std::shared_ptr<sigrel::pipeline::Compiled> compiled;
  if (!session.diagnostics().has_errors()) compiled = session.compile({}, sigrel::Backend::Interpreter);
  Outcome result;
  if (compiled && !session.diagnostics().has_errors()) {
    const sigrel::Run run = session.run(*compiled, {});
    if (run.completed()) {
      result.values.emplace(n);
      for (Index k = 0; k < n; ++k) (*result.values)(k) = numeric::value(run, fmt::format("x{}", k));
    }
  }
  for (const sigrel::Diagnostic& d : session.diagnostics().all())
    if (d.severity == sigrel::Severity::Error) result.errors += render_text(d, session.sources(), false);
  return result;
}

}  // namespace

TEST_CASE("Mass matrices of any rank and index: the solutions are those of the canonical form") {
  Source random(5);
  for (int k = 0; k < 300; ++k) {
    const Pencil p = pencil(random);
    const std::string text = source(p, k % 3 == 2);
    const Outcome found = outcome(text, p.size());
    INFO(text << found.errors);
    REQUIRE(found.values);
    const Vector expected = p.solution(1);
    CHECK((*found.values - expected).cwiseAbs().maxCoeff() < 1e-5 * std::max(1.0, expected.norm()));
  }
}

TEST_CASE("Singular pencils of full matrices are refused") {
  Source random(6);
  for (int k = 0; k < 100; ++k) {
    Pencil p = pencil(random);
    if (p.size() < 2) continue;
    // The last row becomes the sum of the others, its right-hand side too or not.
    p.u.row(p.size() - 1) = p.u.topRows(p.size() - 1).colwise().sum();
    const std::string text = source(p, k % 3 == 2);
    INFO(text);
    const Outcome found = outcome(text, p.size());
    CHECK_FALSE(found.values);
    CHECK(found.errors.find("error[SR0") != std::string::npos);
  }
}

TEST_CASE("Copies of a circuit with a hidden constraint share their tables and kernels") {
  const auto compiled = [](int copies) {
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true});
    session.load_text("model.sr", fmt::format(R"(import Electrical
supply :: Real -> SR ()
supply k = sigrel () where
  constantVoltage (12.0 + k) <> (p, n)
  gyrator k      <> (p, n, q, n)
  inductor 2.0   <> (q, n)
  capacitor 0.5  <> (q, n)
  capacitor 0.1  <> (p, n)
  resistor 10.0  <> (p, n)
  resistor 1.0e3 <> (n, g)
  ground <> g
main = sigrel () where
  for k in 1 .. {} do
    supply (real k) <> ()
)",
                                              copies));
    session.check(std::nullopt);
    auto result = session.compile({}, sigrel::Backend::Interpreter);
    for (const sigrel::Diagnostic& d : session.diagnostics().all())
      if (d.severity == sigrel::Severity::Error) FAIL(render_text(d, session.sources(), false));
    return result;
  };
  const auto few = compiled(3), many = compiled(200);
  CHECK(few->dae.equations.tables.size() == many->dae.equations.tables.size());
  CHECK(few->plan.model.kernels.size() == many->plan.model.kernels.size());
}
