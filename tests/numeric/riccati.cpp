// The optimal state feedback of random plants (`Matrices.lqr`), against the invariant subspace of the
// Hamiltonian matrix that its eigenvectors give; and `solve` against a factorisation with full pivoting.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <random>

#include "tests/numeric/numeric.h"

using namespace sigrel;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

namespace {

std::string literal(const MatrixXd& m) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    text += i == 0 ? "[" : ", [";
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      text += fmt::format("{}({:.17e})", j == 0 ? "" : ", ", m(i, j));
    text += "]";
  }
  return text + "]";
}

/// The matrix `k` of a model that defines it by this expression.
std::optional<MatrixXd> computed(const std::string& expression, Eigen::Index rows, Eigen::Index columns) {
  const std::string text = fmt::format(
      "import Matrices\n\nm :: SR ()\nm = sigrel () where\n  local k :: Real^({},{})\n  k = {}\n\n"
      "main = simulate m with {{ stop = 0.0 }}\n",
      rows, columns, expression);
  INFO(text);
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
  if (!session.load_text("m.sr", text) || !session.check()) return std::nullopt;
  const auto model = session.compile({}, Backend::Interpreter);
  if (!model) return std::nullopt;
  const Run run = session.run(*model, {});
  MatrixXd k(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      k(i, j) = run.value(fmt::format("k[{},{}]", i + 1, j + 1)).value();
  return k;
}

MatrixXd random_matrix(std::mt19937_64& random, Eigen::Index rows, Eigen::Index columns) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

MatrixXd optimal_gain(const MatrixXd& a, const MatrixXd& b, const MatrixXd& q, const MatrixXd& r) {
  const Eigen::Index n = a.rows();
  const MatrixXd g = b * r.inverse() * b.transpose();
  MatrixXd hamiltonian(2 * n, 2 * n);
  hamiltonian << a, -g, -q, -a.transpose();
  const Eigen::EigenSolver<MatrixXd> solver(hamiltonian);
  MatrixXcd stable(2 * n, n);
  Eigen::Index found = 0;
  for (Eigen::Index k = 0; k < 2 * n; ++k)
    if (solver.eigenvalues()(k).real() < 0 && found < n) stable.col(found++) = solver.eigenvectors().col(k);
  REQUIRE(found == n);
  const MatrixXd x = (stable.bottomRows(n) * stable.topRows(n).inverse()).real();
  return r.inverse() * b.transpose() * x;
}

}  // namespace

TEST_CASE("The gain of the optimal state feedback of random plants") {
  std::mt19937_64 random(3);
  for (int k = 0; k < 25; ++k) {
    const Eigen::Index n = 1 + static_cast<Eigen::Index>(random() % 6),
                       m = 1 + static_cast<Eigen::Index>(random() % 2);
    const MatrixXd a = random_matrix(random, n, n), b = random_matrix(random, n, m),
                   root = random_matrix(random, n, n), q = root * root.transpose(),
                   r = MatrixXd::Identity(m, m) * 0.1;
    const auto gain =
        computed(fmt::format("lqr {} {} {} {}", literal(a), literal(b), literal(q), literal(r)), m, n);
    REQUIRE(gain);
    const MatrixXd expected = optimal_gain(a, b, q, r);
    CHECK((*gain - expected).norm() <= 1e-6 * expected.norm());
    CHECK((a - b * *gain).eigenvalues().real().maxCoeff() < 0);
  }
}

TEST_CASE("Systems of equations with badly scaled rows, and inverses") {
  std::mt19937_64 random(4);
  for (int k = 0; k < 25; ++k) {
    const Eigen::Index n = 1 + static_cast<Eigen::Index>(random() % 7);
    MatrixXd a = random_matrix(random, n, n);
    a(0, 0) = 0;  // a pivot that has to be passed over
    if (n == 1) a(0, 0) = 3;
    const MatrixXd b = random_matrix(random, n, 2);
    const auto x = computed(fmt::format("solve {} {}", literal(a), literal(b)), n, 2);
    REQUIRE(x);
    CHECK((*x - a.fullPivLu().solve(b)).norm() <= 1e-9 * x->norm());
    const auto inverse = computed(fmt::format("inverse {}", literal(a)), n, n);
    REQUIRE(inverse);
    CHECK((*inverse * a - MatrixXd::Identity(n, n)).norm() <= 1e-9 * inverse->norm() * a.norm());
  }
}

TEST_CASE("A plant that cannot be stabilised has no gain, and a singular matrix no inverse") {
  CHECK_FALSE(computed("lqr [[1.0, 0.0], [0.0, -1.0]] [[0.0], [1.0]] (identity 2) (identity 1)", 1, 2));
  CHECK_FALSE(computed("lqr [[0.0, 1.0], [-1.0, 0.0]] [[0.0], [0.0]] (identity 2) (identity 1)", 1, 2));
  CHECK_FALSE(computed("lqr [[1.0]] [[1.0]] [[1.0]] [[0.0]]", 1, 1));
  CHECK_FALSE(computed("inverse [[1.0, 2.0], [2.0, 4.0]]", 2, 2));
  CHECK(computed("inverse [[1.0, 2.0], [2.0, 5.0]]", 2, 2));
}
