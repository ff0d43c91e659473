#include "runtime/row_groups.h"

#include <algorithm>

#include "runtime/targets.h"

namespace runtime {

namespace {

constexpr std::size_t kLanes = 4;

FOR_EACH_TARGET void combine4(std::size_t n, const double* f, const double* a, const double* b, const double* c, const double* d, double* out) {
  INDEPENDENT
  for (std::size_t k = 0; k < n; ++k) out[k] += (f[0] * a[k] + f[1] * b[k]) + (f[2] * c[k] + f[3] * d[k]);
}
FOR_EACH_TARGET void combine1(std::size_t n, double f, const double* a, double* out) {
  INDEPENDENT
  for (std::size_t k = 0; k < n; ++k) out[k] += f * a[k];
}
double total(const double* s) { return (s[0] + s[2]) + (s[1] + s[3]); }
FOR_EACH_TARGET void multiply2(std::size_t n, const double* a, const double* b, const double* x, double* out) {
  double p[kLanes] = {}, q[kLanes] = {};
  const std::size_t whole = n - n % kLanes;
  for (std::size_t k = 0; k < whole; k += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      p[lane] += a[k + lane] * x[k + lane];
      q[lane] += b[k + lane] * x[k + lane];
    }
  for (std::size_t k = whole; k < n; ++k) {
    p[k - whole] += a[k] * x[k];
    q[k - whole] += b[k] * x[k];
  }
  out[0] = total(p);
  out[1] = total(q);
}

}  // namespace

void combine(const CommonRows& rows, const double* factors, double* out) {
  std::fill_n(out, rows.columns, 0.0);
  const auto row = [&](std::size_t a) { return rows.values + rows.starts[a]; };
  std::size_t a = 0;
  for (; a + 4 <= rows.rows; a += 4) combine4(rows.columns, factors + a, row(a), row(a + 1), row(a + 2), row(a + 3), out);
  for (; a < rows.rows; ++a) combine1(rows.columns, factors[a], row(a), out);
}

void multiply(const CommonRows& rows, const double* x, double* out) {
  const auto row = [&](std::size_t a) { return rows.values + rows.starts[a]; };
  std::size_t a = 0;
  for (; a + 2 <= rows.rows; a += 2) multiply2(rows.columns, row(a), row(a + 1), x, out + a);
  if (a < rows.rows) {
    double both[2];
    multiply2(rows.columns, row(a), row(a), x, both);
    out[a] = both[0];
  }
}

}  // namespace runtime
