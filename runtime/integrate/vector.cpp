#include "runtime/integrate/vector.h"

#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "runtime/linear/simd_dispatch.h"
#include "runtime/thread_pool.h"

namespace runtime {
namespace {

using Index = sunindextype;
constexpr std::size_t kLanes = 8;
constexpr Index kBlock =
    512;  // elements of a vector that stay in the first cache while several others pass by
constexpr Index kChunk =
    16 *
    kBlock;  // a thread does as many at once; a long sum is added up in parts of this size, in their order
constexpr Index kShort = 8 * kBlock;  // all vectors of an integrator fit the second cache
constexpr std::size_t kTerms = 4;     // as many as fit the registers

// ---- loops
// ----------------------------------------------------------------------------------------------------------------------------

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

/// Adds (x w)² to kLanes sums, element i to lane i mod kLanes.
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
double total(const double* s) { return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); }

// ---- operations that wait
// -----------------------------------------------------------------------------------------------------------

struct Operation {
  enum Kind : std::uint8_t {
    Fill,
    Copy,
    Scale,
    Sum,
    Difference,
    LinearSum,
    Product,
    Quotient,
    Absolute,
    Reciprocal,
    AddConstant,
    Combine2,
    Combine3,
    Combine4
  } kind;
  double* z;
  std::array<const double*, kTerms> x{};
  std::array<double, kTerms> c{};
};

void perform(const Operation& o, Index from, Index n) {
  double* z = o.z + from;
  const auto x = [&](std::size_t k) { return o.x[k] + from; };
  switch (o.kind) {
    case Operation::Fill: std::fill_n(z, n, o.c[0]); break;
    case Operation::Copy: std::copy_n(x(0), n, z); break;
    case Operation::Scale: scale(n, o.c[0], x(0), z); break;
    case Operation::Sum: sum(n, x(0), x(1), z); break;
    case Operation::Difference: difference(n, x(0), x(1), z); break;
    case Operation::LinearSum: linear_sum(n, o.c[0], x(0), o.c[1], x(1), z); break;
    case Operation::Product: product(n, x(0), x(1), z); break;
    case Operation::Quotient: quotient(n, x(0), x(1), z); break;
    case Operation::Absolute: absolute(n, x(0), z); break;
    case Operation::Reciprocal: reciprocal(n, x(0), z); break;
    case Operation::AddConstant: add_constant(n, x(0), o.c[0], z); break;
    case Operation::Combine2: combine2(n, o.c.data(), std::array{x(0), x(1)}.data(), z); break;
    case Operation::Combine3: combine3(n, o.c.data(), std::array{x(0), x(1), x(2)}.data(), z); break;
    case Operation::Combine4: combine4(n, o.c.data(), std::array{x(0), x(1), x(2), x(3)}.data(), z); break;
  }
}

/// Operations on long vectors wait until somebody looks at an element; then all of them are done on one block
/// before the next. So what an integrator adds up in a step goes through the cache once, not twenty times. An
/// element depends on the same element of others only: the numbers are those of one operation after the
/// other.
class Waiting {
 public:
  Waiting(Index size, ThreadPool* thread_pool) : size_(size), thread_pool_(thread_pool) {
    if (size > kShort) operations_.reserve(kMost);
  }
  void add(const Operation& o) {
    if (size_ <= kShort) return perform(o, 0, size_);
    operations_.push_back(o);
    if (operations_.size() == kMost) settle();
  }
  void settle() {
    if (!operations_.empty()) each_block([](Index, Index, double*) {});
  }
  /// Σ (x w)², after everything that waits.
  double settle_and_sum(const double* x, const double* w) {
    each_block([=](Index from, Index n, double* sums) { weighted_squares(n, x + from, w + from, sums); });
    double all = 0;
    for (const Sums& part : sums_) all += total(part.data());
    return all;
  }

 private:
  using Sums = std::array<double, kLanes>;
  static constexpr std::size_t kMost = 64;

  template <class Then>
  void each_block(Then then) {
    each_part(thread_pool_, static_cast<std::size_t>(size_), static_cast<std::size_t>(kChunk),
              [&](std::size_t begin, std::size_t end) {
                Sums& sums = sums_[begin / kChunk];
                sums.fill(0.0);
                for (Index from = static_cast<Index>(begin); from < static_cast<Index>(end); from += kBlock) {
                  const Index n = std::min(kBlock, static_cast<Index>(end) - from);
                  for (const Operation& o : operations_) perform(o, from, n);
                  then(from, n, sums.data());
                }
              });
    operations_.clear();
  }

  Index size_;
  ThreadPool* thread_pool_;
  std::vector<Operation> operations_;
  std::vector<Sums> sums_{static_cast<std::size_t>((size_ + kChunk - 1) / kChunk)};  // of each chunk
};

struct Content {
  Index size = 0;
  std::shared_ptr<Waiting> waiting{};  // one for all clones
  double* data = nullptr;
};

Content& content(N_Vector v) { return *static_cast<Content*>(v->content); }
double* at(N_Vector v) { return content(v).data; }
Index size(N_Vector v) { return content(v).size; }

void add(N_Vector z, Operation::Kind kind, std::array<const double*, kTerms> x = {},
         std::array<double, kTerms> c = {}) {
  content(z).waiting->add({kind, at(z), x, c});
}
void settle(N_Vector v) {
  if (size(v) > kShort) content(v).waiting->settle();
}
double* settled(N_Vector v) {
  settle(v);
  return at(v);
}

// ---- operations
// -------------------------------------------------------------------------------------------------------------------------

N_Vector_ID kind(N_Vector) { return SUNDIALS_NVEC_CUSTOM; }

void destroy(N_Vector v) {
  if (!v) return;
  if (v->content) {
    settle(v);
    std::free(at(v));
    delete &content(v);
  }
  N_VFreeEmpty(v);
}

N_Vector clone_empty(N_Vector w) {
  N_Vector v = N_VNewEmpty(w->sunctx);
  if (!v) return nullptr;
  auto* made = new (std::nothrow) Content{.size = size(w), .waiting = content(w).waiting};
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
    add(z, Operation::Sum, {at(x), at(y)});
  else if (a == 1 && b == -1)
    add(z, Operation::Difference, {at(x), at(y)});
  else
    add(z, Operation::LinearSum, {at(x), at(y)}, {a, b});
}
void n_const(realtype c, N_Vector z) { add(z, Operation::Fill, {}, {c}); }
void n_product(N_Vector x, N_Vector y, N_Vector z) { add(z, Operation::Product, {at(x), at(y)}); }
void n_quotient(N_Vector x, N_Vector y, N_Vector z) { add(z, Operation::Quotient, {at(x), at(y)}); }
void n_scale(realtype c, N_Vector x, N_Vector z) {
  if (c != 1)
    add(z, Operation::Scale, {at(x)}, {c});
  else if (x != z)
    add(z, Operation::Copy, {at(x)});
}
void n_absolute(N_Vector x, N_Vector z) { add(z, Operation::Absolute, {at(x)}); }
void n_reciprocal(N_Vector x, N_Vector z) { add(z, Operation::Reciprocal, {at(x)}); }
void n_add_constant(N_Vector x, realtype b, N_Vector z) { add(z, Operation::AddConstant, {at(x)}, {b}); }
realtype n_wrms(N_Vector x, N_Vector w) {
  return std::sqrt(content(x).waiting->settle_and_sum(at(x), at(w)) / static_cast<double>(size(x)));
}
realtype n_max_norm(N_Vector x) {
  double largest = 0;
  for (const double value : std::span(settled(x), static_cast<std::size_t>(size(x))))
    largest = std::max(largest, std::abs(value));
  return largest;
}
realtype n_min(N_Vector x) {
  return size(x) ? *std::min_element(settled(x), at(x) + size(x)) : std::numeric_limits<double>::max();
}
/// z = Σ c_k X_k, in groups of terms; z may be X_0.
int n_combination(int count, realtype* c, N_Vector* x, N_Vector z) {
  if (count <= 0) return -1;
  if (count == 1) n_scale(c[0], x[0], z);
  for (int k = 0; k < count && count > 1;) {
    std::array<double, kTerms> factors{};
    std::array<const double*, kTerms> terms{};
    std::size_t held = 0;
    if (k > 0) {  // what there is so far
      factors[0] = 1;
      terms[held++] = at(z);
    }
    for (; held < kTerms && k < count; ++held, ++k) {
      factors[held] = c[k];
      terms[held] = at(x[k]);
    }
    add(z,
        held == 2   ? Operation::Combine2
        : held == 3 ? Operation::Combine3
                    : Operation::Combine4,
        terms, factors);
  }
  return 0;
}

/// Z_k = a_k x + Y_k.
int n_scale_add(int count, realtype* a, N_Vector x, N_Vector* y, N_Vector* z) {
  if (count <= 0) return -1;
  for (int k = 0; k < count; ++k) add(z[k], Operation::LinearSum, {at(x), at(y[k])}, {a[k], 1});
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
              .waiting = std::make_shared<Waiting>(static_cast<Index>(count), thread_pool)};
  N_Vector_Ops ops = v->ops;
  ops->nvgetvectorid = kind;
  ops->nvclone = clone;
  ops->nvcloneempty = clone_empty;
  ops->nvdestroy = destroy;
  ops->nvspace = space;
  ops->nvgetarraypointer = settled;
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

double* data(Vector vector) { return settled(vector); }

}  // namespace runtime
