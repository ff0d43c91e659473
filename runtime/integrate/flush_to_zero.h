// While it lives, numbers below the smallest normal one (2.2e-308) are treated as zero in this thread. A wave
// that decays far from its source leaves thousands of them, and an operation on one takes as long as a
// hundred others.
#pragma once
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace runtime {

class FlushToZero {
 public:
  FlushToZero() {
#ifdef __SSE2__
    before_ = _mm_getcsr();
    _mm_setcsr(before_ | kFlushResults | kFlushOperands);
#endif
  }
  ~FlushToZero() {
#ifdef __SSE2__
    _mm_setcsr(before_);
#endif
  }
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

 private:
  static constexpr unsigned kFlushResults = 0x8000, kFlushOperands = 0x0040;
  [[maybe_unused]] unsigned before_ = 0;
};

}  // namespace runtime
