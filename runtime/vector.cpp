#include "runtime/vector.h"

#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

// One version of every loop for AVX2 and one for any machine of its kind; the loader takes what the machine has. Both give the same
// numbers: this file is compiled without contraction to fused multiply-add.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_TARGET __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EACH_TARGET
#endif
// Operands are the same array or do not overlap: no iteration needs another's result.
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace runtime {
namespace {

using Index = sunindextype;
constexpr std::size_t kLanes = 8;
constexpr Index kBlock = 1024;  // elements of a vector that stay in the first cache while several others pass by

struct Content {
  Index size = 0;
  double* data = nullptr;
};

Content& content(N_Vector v) { return *static_cast<Content*>(v->content); }
double* at(N_Vector v) { return content(v).data; }
Index size(N_Vector v) { return content(v).size; }

// ---- loops ----------------------------------------------------------------------------------------------------------------------------

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

/// z = Σ c_k x_k, terms added in this order.
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

// Sums over kLanes lanes, element i to lane i mod kLanes.
template <class Term>
inline __attribute__((always_inline)) double lanes(Index n, Term term) {
  double sums[kLanes] = {};
  const Index whole = n - n % static_cast<Index>(kLanes);
  for (Index i = 0; i < whole; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(i + static_cast<Index>(lane));
  for (Index i = whole; i < n; ++i) sums[i - whole] += term(i);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}
FOR_EACH_TARGET double weighted_squares(Index n, const double* x, const double* w) {
  return lanes(n, [=](Index i) {
    const double v = x[i] * w[i];
    return v * v;
  });
}
// ---- operations -------------------------------------------------------------------------------------------------------------------------

N_Vector_ID kind(N_Vector) { return SUNDIALS_NVEC_CUSTOM; }

void destroy(N_Vector v) {
  if (!v) return;
  if (v->content) {
    std::free(at(v));
    delete &content(v);
  }
  N_VFreeEmpty(v);
}

N_Vector clone_empty(N_Vector w) {
  N_Vector v = N_VNewEmpty(w->sunctx);
  if (!v) return nullptr;
  auto* made = new (std::nothrow) Content{.size = size(w)};
  if (!made || N_VCopyOps(w, v) != 0) {
    delete made;
    N_VFreeEmpty(v);
    return nullptr;
  }
  v->content = made;
  return v;
}

bool allocate(N_Vector v) {
  constexpr std::size_t line = 64;
  const std::size_t bytes = (static_cast<std::size_t>(size(v)) * sizeof(double) + line - 1) / line * line;
  content(v).data = static_cast<double*>(std::aligned_alloc(line, std::max(bytes, line)));
  return at(v) != nullptr;
}

N_Vector clone(N_Vector w) {
  N_Vector v = clone_empty(w);
  if (v && !allocate(v)) {
    destroy(v);
    return nullptr;
  }
  return v;
}

void space(N_Vector v, sunindextype* reals, sunindextype* integers) {
  *reals = size(v);
  *integers = 1;
}
sunindextype length(N_Vector v) { return size(v); }

void n_linear_sum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z) {
  if (a == 1 && b == 1)
    sum(size(z), at(x), at(y), at(z));
  else if (a == 1 && b == -1)
    difference(size(z), at(x), at(y), at(z));
  else
    linear_sum(size(z), a, at(x), b, at(y), at(z));
}
void n_const(realtype c, N_Vector z) { std::fill_n(at(z), size(z), c); }
void n_product(N_Vector x, N_Vector y, N_Vector z) { product(size(z), at(x), at(y), at(z)); }
void n_quotient(N_Vector x, N_Vector y, N_Vector z) { quotient(size(z), at(x), at(y), at(z)); }
void n_scale(realtype c, N_Vector x, N_Vector z) {
  if (c != 1)
    scale(size(z), c, at(x), at(z));
  else if (x != z)
    std::copy_n(at(x), size(z), at(z));
}
void n_absolute(N_Vector x, N_Vector z) { absolute(size(z), at(x), at(z)); }
void n_reciprocal(N_Vector x, N_Vector z) { reciprocal(size(z), at(x), at(z)); }
void n_add_constant(N_Vector x, realtype b, N_Vector z) { add_constant(size(z), at(x), b, at(z)); }
realtype n_wrms(N_Vector x, N_Vector w) {
  return std::sqrt(weighted_squares(size(x), at(x), at(w)) / static_cast<double>(size(x)));
}
realtype n_max_norm(N_Vector x) {
  double largest = 0;
  for (Index i = 0; i < size(x); ++i) largest = std::max(largest, std::abs(at(x)[i]));
  return largest;
}
realtype n_min(N_Vector x) { return size(x) ? *std::min_element(at(x), at(x) + size(x)) : std::numeric_limits<double>::max(); }
/// z = Σ c_k X_k, in groups of terms small enough for registers; z may be X_0.
int n_combination(int count, realtype* c, N_Vector* x, N_Vector z) {
  if (count <= 0) return -1;
  if (count == 1) {
    n_scale(c[0], x[0], z);
    return 0;
  }
  for (Index from = 0; from < size(z); from += kBlock) {
    const Index n = std::min(kBlock, size(z) - from);
    double factors[4];
    const double* terms[4];
    for (int k = 0; k < count;) {
      int held = 0;
      if (k > 0) {  // what there is so far
        factors[0] = 1;
        terms[0] = at(z) + from;
        held = 1;
      }
      for (; held < 4 && k < count; ++held, ++k) {
        factors[held] = c[k];
        terms[held] = at(x[k]) + from;
      }
      (held == 2 ? combine2 : held == 3 ? combine3 : combine4)(n, factors, terms, at(z) + from);
    }
  }
  return 0;
}

/// Z_k = a_k x + Y_k.
int n_scale_add(int count, realtype* a, N_Vector x, N_Vector* y, N_Vector* z) {
  if (count <= 0) return -1;
  for (Index from = 0; from < size(x); from += kBlock) {
    const Index n = std::min(kBlock, size(x) - from);
    for (int k = 0; k < count; ++k) linear_sum(n, a[k], at(x) + from, 1, at(y[k]) + from, at(z[k]) + from);
  }
  return 0;
}

int n_scale_array(int count, realtype* c, N_Vector* x, N_Vector* z) {
  if (count <= 0) return -1;
  for (int k = 0; k < count; ++k) n_scale(c[k], x[k], z[k]);
  return 0;
}

}  // namespace

Vector new_vector(std::size_t count, _SUNContext* context) {
  N_Vector v = N_VNewEmpty(context);
  if (!v) return nullptr;
  v->content = new (std::nothrow) Content{.size = static_cast<Index>(count)};
  N_Vector_Ops ops = v->ops;
  ops->nvgetvectorid = kind;
  ops->nvclone = clone;
  ops->nvcloneempty = clone_empty;
  ops->nvdestroy = destroy;
  ops->nvspace = space;
  ops->nvgetarraypointer = at;
  ops->nvgetlength = length;
  ops->nvlinearsum = n_linear_sum;
  ops->nvconst = n_const;
  ops->nvprod = n_product;
  ops->nvdiv = n_quotient;
  ops->nvscale = n_scale;
  ops->nvabs = n_absolute;
  ops->nvinv = n_reciprocal;
  ops->nvaddconst = n_add_constant;
  ops->nvmaxnorm = n_max_norm;
  ops->nvwrmsnorm = n_wrms;
  ops->nvmin = n_min;
  ops->nvlinearcombination = n_combination;
  ops->nvscaleaddmulti = n_scale_add;
  ops->nvscalevectorarray = n_scale_array;
  if (!v->content || !allocate(v)) {
    destroy(v);
    return nullptr;
  }
  std::fill_n(at(v), count, 0.0);
  return v;
}

double* data(Vector vector) { return at(vector); }

}  // namespace runtime
