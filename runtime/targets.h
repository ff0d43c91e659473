// A function marked so is compiled once for AVX2 and once for any machine of its kind; the loader takes what the machine has.
// Both give the same numbers: files that use it are compiled without contraction to fused multiply-add.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_TARGET __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EACH_TARGET
#endif
