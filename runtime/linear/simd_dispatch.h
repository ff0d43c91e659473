// SIMD dispatch: loops that are compiled for several vector units.
#pragma once

// A function with one version for AVX2 and one for the baseline; the loader selects the one for the machine.
// Both give the same numbers, in files that are compiled without contraction to fused multiply-add.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define FOR_EACH_TARGET __attribute__((target_clones("avx2", "default")))
#define SEVERAL_TARGETS  // for files with a version of their own for each vector unit
#else
#define FOR_EACH_TARGET
#endif
// Asserts that operands are the same array or do not overlap: iterations are independent.
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
