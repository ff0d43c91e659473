// Threads that execute the parts of a loop. The parts do not depend on the number of threads, each is
// executed by one of them, and none reads what another writes: results are the same to the last bit.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace runtime {

/// `requested` threads; 0: as many as the machine has, up to a number beyond which memory is the limit.
unsigned thread_count(unsigned requested);

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);  // the caller is one of them
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls body(begin, end) for each part of [0, count): `grain` indices, the last part the rest. Returns
  /// when all are done. To be called from one thread at a time, and not from within a body.
  template <class Body>
  void each(std::size_t count, std::size_t grain, const Body& body) {
    if (workers_.empty() || count <= grain) {
      for (std::size_t at = 0; at < count; at += grain) body(at, std::min(count, at + grain));
      return;
    }
    begin({[](const void* self, std::size_t from, std::size_t to) {
             (*static_cast<const Body*>(self))(from, to);
           },
           &body, count, grain});
  }

 private:
  struct Job {
    void (*call)(const void* body, std::size_t from, std::size_t to) = nullptr;
    const void* body = nullptr;
    std::size_t count = 0, grain = 1;
    unsigned mode = 0;  // of the floating-point unit of the caller
  };
  void begin(Job job);
  void work();
  void take_parts();

  // A job's fields are written only while `open_` is false and no worker is inside.
  Job job_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> open_{false}, ended_{false};
  std::atomic<std::uint32_t> inside_{0}, number_{0};  // workers inside; number of the job
  std::vector<std::thread> workers_;
};

/// ThreadPool::each, or without a pool the same parts one after the other.
template <class Body>
void each_part(ThreadPool* thread_pool, std::size_t count, std::size_t grain, const Body& body) {
  if (thread_pool) return thread_pool->each(count, grain, body);
  for (std::size_t at = 0; at < count; at += grain) body(at, std::min(count, at + grain));
}

}  // namespace runtime
