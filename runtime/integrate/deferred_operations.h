// Vector operations, deferred on long vectors.
//
// Operations on a long vector are queued until an element is read; then all of them are executed on one block
// of elements before the next. So the sums of an integrator's step pass through the cache once, not twenty
// times. An element depends on the same element of other vectors only: the results are those of executing one
// operation after the other.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "runtime/integrate/vector_kernels.h"

namespace runtime {

class ThreadPool;

constexpr std::size_t kMaxTerms = 4;  // of a combination: as many as fit the registers

/// z = an operation on vectors x and constants c.
struct VectorOperation {
  using Index = vector_kernels::Index;
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
  std::array<const double*, kMaxTerms> x{};
  std::array<double, kMaxTerms> c{};

  /// Executes it on elements [from, from + n).
  void perform(Index from, Index n) const;
};

class DeferredOperations {
 public:
  using Index = vector_kernels::Index;
  /// Vectors up to this length (all those of an integrator then fit the second-level cache) are not deferred.
  static constexpr Index kShort = 8 * 512;

  /// For vectors of `size` elements. The thread pool, if any, outlives it.
  DeferredOperations(Index size, ThreadPool* thread_pool);

  void add(const VectorOperation& operation) {
    if (size_ <= kShort)
      operation.perform(0, size_);
    else
      defer(operation);
  }
  /// Executes all operations.
  void complete();
  /// The same, and returns Σ (x w)².
  double complete_and_sum(const double* x, const double* w);

 private:
  using Sums = std::array<double, vector_kernels::kLanes>;
  void defer(const VectorOperation& operation);
  template <class Then>
  void each_block(Then then);

  Index size_;
  ThreadPool* thread_pool_;
  std::vector<VectorOperation> operations_;
  std::vector<Sums> sums_;  // of each chunk
};

}  // namespace runtime
