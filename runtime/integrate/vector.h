// The vectors of the integrators: SUNDIALS' N_Vector over plain arrays, with vectorised operations
// (vector_kernels.h), which are deferred on long vectors (deferred_operations.h).
//
// Distributions compile the stock serial vector without optimisation, and an integrator with a cheap model
// spends most of its time there.
#pragma once
#include <cstddef>

struct _generic_N_Vector;
struct _SUNContext;

namespace runtime {

class ThreadPool;

using Vector = _generic_N_Vector*;

/// A vector of `size` zeros; null if there is not enough memory. N_VDestroy releases it. The operands of an
/// operation must be clones (N_VClone) of one vector. The thread pool, if any, is for long vectors and
/// outlives them.
Vector new_vector(std::size_t size, _SUNContext* context, ThreadPool* thread_pool = nullptr);
/// The elements, with all operations completed.
double* data(Vector vector);

}  // namespace runtime
