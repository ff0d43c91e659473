#include "runtime/thread_pool.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace runtime {

namespace {

constexpr unsigned kMostByDefault = 8;  // memory is saturated with fewer
constexpr int kSpins = 2000;  // of a worker before it sleeps until the next job: some ten microseconds

unsigned mode() {
#ifdef __SSE2__
  return _mm_getcsr();
#else
  return 0;
#endif
}

void set_mode([[maybe_unused]] unsigned mode) {
#ifdef __SSE2__
  _mm_setcsr(mode);
#endif
}

void pause() {
#ifdef __SSE2__
  _mm_pause();
#endif
}

}  // namespace

unsigned thread_count(unsigned requested) {
  return requested ? requested : std::clamp(std::thread::hardware_concurrency(), 1u, kMostByDefault);
}

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned k = 1; k < threads; ++k) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  ended_ = true;
  ++number_;
  number_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::begin(Job job) {
  job_ = job;
  job_.mode = mode();
  next_ = 0;
  open_ = true;
  ++number_;
  number_.notify_all();
  take_parts();
  open_ = false;
  while (inside_ != 0) pause();
}

void ThreadPool::take_parts() {
  const std::size_t parts = (job_.count + job_.grain - 1) / job_.grain;
  for (std::size_t part = next_++; part < parts; part = next_++)
    job_.call(job_.body, part * job_.grain, std::min(job_.count, (part + 1) * job_.grain));
}

void ThreadPool::work() {
  for (std::uint32_t seen = 0; !ended_;) {
    for (int spin = 0; spin < kSpins && number_ == seen; ++spin) pause();
    number_.wait(seen);
    seen = number_;
    ++inside_;
    if (open_) {
      set_mode(job_.mode);
      take_parts();
    }
    --inside_;
  }
}

}  // namespace runtime
