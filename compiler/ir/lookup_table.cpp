#include "compiler/ir/lookup_table.h"

#include <algorithm>
#include <span>

namespace sigrel {
namespace {

/// Second derivatives of the natural spline at the knots: a tridiagonal system, diagonally dominant.
std::vector<double> curvatures(std::span<const double> x, std::span<const double> v) {
  std::size_t n = x.size();
  std::vector<double> m(n, 0.0), diagonal(n, 1.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
    double factor = i == 1 ? 0.0 : left / diagonal[i - 1];
    diagonal[i] = 2 * (left + right) - factor * left;
    m[i] = 6 * ((v[i + 1] - v[i]) / right - (v[i] - v[i - 1]) / left) - factor * m[i - 1];
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] = (m[i] - (x[i + 1] - x[i]) * m[i + 1]) / diagonal[i];
  return m;
}

/// Four coefficients of each of the n + 1 pieces. `v`, `left`: the values at the right and the left of each
/// knot; they differ where a linear table jumps.
std::vector<double> pieces(Interpolation kind, Outside outside, std::span<const double> x,
                           std::span<const double> v, std::span<const double> left) {
  std::size_t n = x.size();
  std::vector<double> m = kind == Interpolation::Spline ? curvatures(x, v) : std::vector<double>(n, 0.0);
  std::vector<double> c(4 * (n + 1), 0.0);
  double slope = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    double h = x[i + 1] - x[i], rise = (left[i + 1] - v[i]) / h;
    double* p = &c[4 * (i + 1)];
    p[0] = v[i];
    p[1] = rise - h * (2 * m[i] + m[i + 1]) / 6;
    p[2] = m[i] / 2;
    p[3] = (m[i + 1] - m[i]) / (6 * h);
    slope = rise + h * (m[i] + 2 * m[i + 1]) / 6;  // at the right end
  }
  c[0] = left[0];
  c[4 * n] = v[n - 1];
  if (outside == Outside::Extend) {
    c[1] = c[5];
    c[4 * n + 1] = slope;
  }
  return c;
}

struct Place {
  std::size_t piece;
  double distance;
};

Place find(const std::vector<double>& knots, double x) {
  auto piece = static_cast<std::size_t>(std::ranges::upper_bound(knots, x) - knots.begin());
  return {piece, x - knots[piece == 0 ? 0 : piece - 1]};
}

/// The derivative of the given order of c0 + c1 u + c2 u² + c3 u³.
double cubic(const double* c, std::uint32_t order, double u) {
  switch (order) {
    case 0: return c[0] + u * (c[1] + u * (c[2] + u * c[3]));
    case 1: return c[1] + u * (2 * c[2] + u * (3 * c[3]));
    case 2: return 2 * c[2] + u * (6 * c[3]);
    case 3: return 6 * c[3];
    default: return 0;
  }
}

bool is_smooth(Interpolation kind, Outside outside) {
  return kind == Interpolation::Spline && outside == Outside::Extend;
}

}  // namespace

LookupTable make_table(Interpolation kind, Outside outside, std::vector<double> x,
                       const std::vector<double>& values) {
  // Points with the same argument become one knot.
  std::vector<double> knots, left, right;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (knots.empty() || knots.back() != x[k]) {
      knots.push_back(x[k]);
      left.push_back(values[k]);
      right.push_back(values[k]);
    }
    right.back() = values[k];
  }
  std::vector<double> coefficients = pieces(kind, outside, knots, right, left);
  return {std::move(knots), {}, std::move(coefficients), is_smooth(kind, outside), left != right};
}

LookupTable make_table(Interpolation kind, Outside outside, std::vector<double> x, std::vector<double> y,
                       const std::vector<double>& values) {
  // Pieces in y of every row, then each of their coefficients as a function of x.
  std::size_t n = x.size(), m = y.size(), width = 4 * (m + 1);
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < n; ++i)
    rows.push_back(
        pieces(kind, outside, y, std::span(values).subspan(i * m, m), std::span(values).subspan(i * m, m)));
  std::vector<double> coefficients((n + 1) * (m + 1) * 16), column(n);
  for (std::size_t k = 0; k < width; ++k) {
    for (std::size_t i = 0; i < n; ++i) column[i] = rows[i][k];
    std::vector<double> along = pieces(kind, outside, x, column, column);
    for (std::size_t piece = 0; piece <= n; ++piece)
      for (std::size_t power = 0; power < 4; ++power)
        coefficients[(piece * (m + 1) + k / 4) * 16 + power * 4 + k % 4] = along[piece * 4 + power];
  }
  return {std::move(x), std::move(y), std::move(coefficients), is_smooth(kind, outside), false};
}

double interpolate(const LookupTable& table, std::uint32_t order, double x) {
  Place at = find(table.x, x);
  return cubic(&table.coefficients[at.piece * 4], order, at.distance);
}

double interpolate(const LookupTable& table, std::uint32_t order_x, std::uint32_t order_y, double x,
                   double y) {
  Place in_x = find(table.x, x), in_y = find(table.y, y);
  const double* c = &table.coefficients[(in_x.piece * (table.y.size() + 1) + in_y.piece) * 16];
  double along[4];
  for (int power = 0; power < 4; ++power) along[power] = cubic(c + 4 * power, order_y, in_y.distance);
  return cubic(along, order_x, in_x.distance);
}

}  // namespace sigrel
