#include "runtime/integrate/vector_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/linear/simd_dispatch.h"

namespace runtime::vector_kernels {

FOR_EACH_TARGET void linear_sum(Index n, double a, const double* x, double b, const double* y, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}
FOR_EACH_TARGET void sum(Index n, const double* x, const double* y, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = x[i] + y[i];
}
FOR_EACH_TARGET void difference(Index n, const double* x, const double* y, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = x[i] - y[i];
}
FOR_EACH_TARGET void product(Index n, const double* x, const double* y, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = x[i] * y[i];
}
FOR_EACH_TARGET void quotient(Index n, const double* x, const double* y, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = x[i] / y[i];
}
FOR_EACH_TARGET void fill(Index n, double c, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = c;
}
FOR_EACH_TARGET void scale(Index n, double c, const double* x, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = c * x[i];
}
FOR_EACH_TARGET void absolute(Index n, const double* x, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = std::abs(x[i]);
}
FOR_EACH_TARGET void reciprocal(Index n, const double* x, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = 1.0 / x[i];
}
FOR_EACH_TARGET void add_constant(Index n, const double* x, double b, double* z) {
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = x[i] + b;
}

FOR_EACH_TARGET void combine2(Index n, const double* c, const double* const* x, double* z) {
  const double *x0 = x[0], *x1 = x[1];
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = c[0] * x0[i] + c[1] * x1[i];
}
FOR_EACH_TARGET void combine3(Index n, const double* c, const double* const* x, double* z) {
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2];
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = c[0] * x0[i] + c[1] * x1[i] + c[2] * x2[i];
}
FOR_EACH_TARGET void combine4(Index n, const double* c, const double* const* x, double* z) {
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  INDEPENDENT
  for (Index i = 0; i < n; ++i) z[i] = c[0] * x0[i] + c[1] * x1[i] + c[2] * x2[i] + c[3] * x3[i];
}

FOR_EACH_TARGET bool all_within(Index n, const double* x, const double* low, const double* high) {
  std::int64_t outside = 0;  // as wide as the elements
  for (Index i = 0; i < n; ++i)
    outside |= static_cast<std::int64_t>(!(x[i] >= low[i])) | static_cast<std::int64_t>(!(x[i] <= high[i]));
  return outside == 0;
}

FOR_EACH_TARGET void weighted_squares(Index n, const double* x, const double* w, double* sums) {
  const Index whole = n - n % static_cast<Index>(kLanes);
  double lanes[kLanes];
  std::copy_n(sums, kLanes, lanes);
  for (Index i = 0; i < whole; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double v = x[i + static_cast<Index>(lane)] * w[i + static_cast<Index>(lane)];
      lanes[lane] += v * v;
    }
  for (Index i = whole; i < n; ++i) lanes[i - whole] += x[i] * w[i] * (x[i] * w[i]);
  std::copy_n(lanes, kLanes, sums);
}

}  // namespace runtime::vector_kernels
