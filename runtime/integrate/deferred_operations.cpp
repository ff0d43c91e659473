#include "runtime/integrate/deferred_operations.h"

#include <algorithm>

#include "runtime/thread_pool.h"

namespace runtime {

namespace {

using Index = vector_kernels::Index;
// Elements of a vector that stay in the first-level cache together with those of several others.
constexpr Index kBlock = 512;
// Elements that a thread processes at once; a long sum is added up in chunks of this size, in their order.
constexpr Index kChunk = 16 * kBlock;
constexpr std::size_t kMaxDeferred = 64;

}  // namespace

void VectorOperation::perform(Index from, Index n) const {
  double* to = z + from;
  const auto at = [&](std::size_t k) { return x[k] + from; };
  switch (kind) {
    case Fill: vector_kernels::fill(n, c[0], to); break;
    case Copy: std::copy_n(at(0), n, to); break;
    case Scale: vector_kernels::scale(n, c[0], at(0), to); break;
    case Sum: vector_kernels::sum(n, at(0), at(1), to); break;
    case Difference: vector_kernels::difference(n, at(0), at(1), to); break;
    case LinearSum: vector_kernels::linear_sum(n, c[0], at(0), c[1], at(1), to); break;
    case Product: vector_kernels::product(n, at(0), at(1), to); break;
    case Quotient: vector_kernels::quotient(n, at(0), at(1), to); break;
    case Absolute: vector_kernels::absolute(n, at(0), to); break;
    case Reciprocal: vector_kernels::reciprocal(n, at(0), to); break;
    case AddConstant: vector_kernels::add_constant(n, at(0), c[0], to); break;
    case Combine2: vector_kernels::combine2(n, c.data(), std::array{at(0), at(1)}.data(), to); break;
    case Combine3: vector_kernels::combine3(n, c.data(), std::array{at(0), at(1), at(2)}.data(), to); break;
    case Combine4:
      vector_kernels::combine4(n, c.data(), std::array{at(0), at(1), at(2), at(3)}.data(), to);
      break;
  }
}

DeferredOperations::DeferredOperations(Index size, ThreadPool* thread_pool)
    : size_(size), thread_pool_(thread_pool), sums_(static_cast<std::size_t>((size + kChunk - 1) / kChunk)) {
  if (size > kShort) operations_.reserve(kMaxDeferred);
}

void DeferredOperations::defer(const VectorOperation& operation) {
  operations_.push_back(operation);
  if (operations_.size() == kMaxDeferred) complete();
}

void DeferredOperations::complete() {
  if (!operations_.empty()) each_block([](Index, Index, double*) {});
}

double DeferredOperations::complete_and_sum(const double* x, const double* w) {
  each_block([=](Index from, Index n, double* sums) {
    vector_kernels::weighted_squares(n, x + from, w + from, sums);
  });
  double all = 0;
  for (const Sums& chunk : sums_) all += vector_kernels::total(chunk.data());
  return all;
}

/// Executes all operations block by block, and calls then(from, n, sums of the chunk) after each block.
template <class Then>
void DeferredOperations::each_block(Then then) {
  each_part(thread_pool_, static_cast<std::size_t>(size_), static_cast<std::size_t>(kChunk),
            [&](std::size_t begin, std::size_t end) {
              Sums& sums = sums_[begin / kChunk];
              sums.fill(0.0);
              for (Index from = static_cast<Index>(begin); from < static_cast<Index>(end); from += kBlock) {
                const Index n = std::min(kBlock, static_cast<Index>(end) - from);
                for (const VectorOperation& operation : operations_) operation.perform(from, n);
                then(from, n, sums.data());
              }
            });
  operations_.clear();
}

}  // namespace runtime
