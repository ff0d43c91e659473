// The vectors of the integrators: SUNDIALS' N_Vector over plain arrays, with operations that use the vector
// unit.
//
// Distributions compile the stock serial vector without optimisation, and an integrator with a cheap model
// spends most of its time there. A sum runs over eight lanes, added up in one order, and nothing is
// contracted: all machines give the same numbers.
#pragma once
#include <cstddef>

struct _generic_N_Vector;
struct _SUNContext;

namespace runtime {

class ThreadPool;

using Vector = _generic_N_Vector*;

/// A vector of `size` zeros; null when memory is short. N_VDestroy releases it. N_VClone makes more of its
/// kind: only these may meet in an operation. `team`, if any, works on long ones, and outlives them.
Vector new_vector(std::size_t size, _SUNContext* context, ThreadPool* thread_pool = nullptr);
double* data(Vector vector);

}  // namespace runtime
