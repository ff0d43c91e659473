// Loops for the vector unit.
#pragma once

// One version of a loop for AVX2 and one for any machine of its kind; the loader takes what the machine has.
// Both give the same numbers, in files that are compiled without contraction to fused multiply-add.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define FOR_EACH_TARGET __attribute__((target_clones("avx2", "default")))
#define SEVERAL_TARGETS  // where a file has its own version for each
#else
#define FOR_EACH_TARGET
#endif
// Operands are the same array or do not overlap: no iteration needs another's result.
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
