#include "runtime/integrate/vector.h"

#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>

#include "runtime/integrate/deferred_operations.h"

namespace runtime {
namespace {

using Index = vector_kernels::Index;

struct Content {
  Index size = 0;
  std::shared_ptr<DeferredOperations> operations{};  // one for all clones
  double* data = nullptr;
};

Content& content(N_Vector v) { return *static_cast<Content*>(v->content); }
double* at(N_Vector v) { return content(v).data; }
Index size(N_Vector v) { return content(v).size; }

void add(N_Vector z, VectorOperation::Kind kind, std::array<const double*, kMaxTerms> x = {},
         std::array<double, kMaxTerms> c = {}) {
  content(z).operations->add({kind, at(z), x, c});
}
void complete(N_Vector v) {
  if (size(v) > DeferredOperations::kShort) content(v).operations->complete();
}
double* completed(N_Vector v) {
  complete(v);
  return at(v);
}

N_Vector_ID kind(N_Vector) { return SUNDIALS_NVEC_CUSTOM; }

void destroy(N_Vector v) {
  if (!v) return;
  if (v->content) {
    complete(v);
    std::free(at(v));
    delete &content(v);
  }
  N_VFreeEmpty(v);
}

N_Vector clone_empty(N_Vector w) {
  N_Vector v = N_VNewEmpty(w->sunctx);
  if (!v) return nullptr;
  auto* made = new (std::nothrow) Content{.size = size(w), .operations = content(w).operations};
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
    add(z, VectorOperation::Sum, {at(x), at(y)});
  else if (a == 1 && b == -1)
    add(z, VectorOperation::Difference, {at(x), at(y)});
  else
    add(z, VectorOperation::LinearSum, {at(x), at(y)}, {a, b});
}
void n_const(realtype c, N_Vector z) { add(z, VectorOperation::Fill, {}, {c}); }
void n_product(N_Vector x, N_Vector y, N_Vector z) { add(z, VectorOperation::Product, {at(x), at(y)}); }
void n_quotient(N_Vector x, N_Vector y, N_Vector z) { add(z, VectorOperation::Quotient, {at(x), at(y)}); }
void n_scale(realtype c, N_Vector x, N_Vector z) {
  if (c != 1)
    add(z, VectorOperation::Scale, {at(x)}, {c});
  else if (x != z)
    add(z, VectorOperation::Copy, {at(x)});
}
void n_absolute(N_Vector x, N_Vector z) { add(z, VectorOperation::Absolute, {at(x)}); }
void n_reciprocal(N_Vector x, N_Vector z) { add(z, VectorOperation::Reciprocal, {at(x)}); }
void n_add_constant(N_Vector x, realtype b, N_Vector z) {
  add(z, VectorOperation::AddConstant, {at(x)}, {b});
}
realtype n_wrms(N_Vector x, N_Vector w) {
  return std::sqrt(content(x).operations->complete_and_sum(at(x), at(w)) / static_cast<double>(size(x)));
}
realtype n_dot(N_Vector x, N_Vector y) {
  const double *a = completed(x), *b = completed(y);
  const auto count = static_cast<std::size_t>(size(x));
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += a[k] * b[k];
  return sum;
}
realtype n_wrms_mask(N_Vector x, N_Vector w, N_Vector mask) {
  const double *values = completed(x), *weights = completed(w), *masked = completed(mask);
  const auto count = static_cast<std::size_t>(size(x));
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double weighted = masked[k] > 0 ? values[k] * weights[k] : 0;
    sum += weighted * weighted;
  }
  return std::sqrt(sum / static_cast<double>(count));
}
realtype n_max_norm(N_Vector x) {
  double largest = 0;
  for (const double value : std::span(completed(x), static_cast<std::size_t>(size(x))))
    largest = std::max(largest, std::abs(value));
  return largest;
}
realtype n_min(N_Vector x) {
  return size(x) ? *std::min_element(completed(x), at(x) + size(x)) : std::numeric_limits<double>::max();
}
/// z = Σ c_k X_k, in groups of terms; z may be X_0.
int n_combination(int count, realtype* c, N_Vector* x, N_Vector z) {
  if (count <= 0) return -1;
  if (count == 1) n_scale(c[0], x[0], z);
  for (int k = 0; k < count && count > 1;) {
    std::array<double, kMaxTerms> factors{};
    std::array<const double*, kMaxTerms> terms{};
    std::size_t terms_used = 0;
    if (k > 0) {  // the sum so far
      factors[0] = 1;
      terms[terms_used++] = at(z);
    }
    for (; terms_used < kMaxTerms && k < count; ++terms_used, ++k) {
      factors[terms_used] = c[k];
      terms[terms_used] = at(x[k]);
    }
    add(z,
        terms_used == 2   ? VectorOperation::Combine2
        : terms_used == 3 ? VectorOperation::Combine3
                          : VectorOperation::Combine4,
        terms, factors);
  }
  return 0;
}

/// Z_k = a_k x + Y_k.
int n_scale_add(int count, realtype* a, N_Vector x, N_Vector* y, N_Vector* z) {
  if (count <= 0) return -1;
  for (int k = 0; k < count; ++k) add(z[k], VectorOperation::LinearSum, {at(x), at(y[k])}, {a[k], 1});
  return 0;
}

int n_scale_array(int count, realtype* c, N_Vector* x, N_Vector* z) {
  if (count <= 0) return -1;
  for (int k = 0; k < count; ++k) n_scale(c[k], x[k], z[k]);
  return 0;
}

}  // namespace

Vector new_vector(std::size_t count, _SUNContext* context, ThreadPool* thread_pool) {
  N_Vector v = N_VNewEmpty(context);
  if (!v) return nullptr;
  v->content = new (std::nothrow)
      Content{.size = static_cast<Index>(count),
              .operations = std::make_shared<DeferredOperations>(static_cast<Index>(count), thread_pool)};
  N_Vector_Ops ops = v->ops;
  ops->nvgetvectorid = kind;
  ops->nvclone = clone;
  ops->nvcloneempty = clone_empty;
  ops->nvdestroy = destroy;
  ops->nvspace = space;
  ops->nvgetarraypointer = completed;
  ops->nvgetlength = length;
  ops->nvlinearsum = n_linear_sum;
  ops->nvconst = n_const;
  ops->nvprod = n_product;
  ops->nvdiv = n_quotient;
  ops->nvscale = n_scale;
  ops->nvabs = n_absolute;
  ops->nvinv = n_reciprocal;
  ops->nvaddconst = n_add_constant;
  ops->nvdotprod = n_dot;
  ops->nvmaxnorm = n_max_norm;
  ops->nvwrmsnorm = n_wrms;
  ops->nvwrmsnormmask = n_wrms_mask;
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

double* data(Vector vector) { return completed(vector); }

}  // namespace runtime
