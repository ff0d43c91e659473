// The functions that generated code calls, except those imported by a model: libm, the library of
// ir/library.h, and the functions that LLVM inserts for loops that fill or copy memory.
#include <cmath>
#include <cstring>

#include "compiler/ir/library.h"
#include "compiler/lower/lower.h"

extern "C" void sincos(double, double*, double*);

namespace sigrel::lower {
namespace {

void* of(double (*function)(double)) { return reinterpret_cast<void*>(function); }
void* of(double (*function)(double, double)) { return reinterpret_cast<void*>(function); }

const Symbol kSymbols[] = {
#define SIGREL_FUNCTION1(op, name, function) {#function, of(::function)},
#define SIGREL_FUNCTION2 SIGREL_FUNCTION1
#include "compiler/ir/operations.def"
    {"floor", of(::floor)},
    {"ceil", of(::ceil)},
    {"round", of(::round)},
    {"trunc", of(::trunc)},
    {"sqrt", of(::sqrt)},
    // LLVM combines a sine and a cosine of one operand.
    {"sincos", reinterpret_cast<void*>(::sincos)},
    {"sigrel_lookup1", reinterpret_cast<void*>(sigrel_lookup1)},
    {"sigrel_lookup2", reinterpret_cast<void*>(sigrel_lookup2)},
    {"sigrel_slope1", reinterpret_cast<void*>(sigrel_slope1)},
    {"sigrel_slope2", reinterpret_cast<void*>(sigrel_slope2)},
    {"sigrel_slope3", reinterpret_cast<void*>(sigrel_slope3)},
    {"memset", reinterpret_cast<void*>(::memset)},
    {"memcpy", reinterpret_cast<void*>(::memcpy)},
    {"memmove", reinterpret_cast<void*>(::memmove)},
};

}  // namespace

std::span<const Symbol> symbols() { return kSymbols; }

}  // namespace sigrel::lower
