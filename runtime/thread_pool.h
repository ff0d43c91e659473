// Threads that share a loop. The parts of a loop are the same whatever the number of threads is, each is done
// whole by one of them, and none reads what another writes: results are the same to the last bit.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace runtime {

/// As many threads as `asked`; 0: as the machine has, where that pays for loops that wait for memory.
unsigned thread_count(unsigned asked);

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);  // the caller is one of them
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// body(begin, end) for each part of [0, count): `grain` indices, the last part what remains. Returns when
  /// all are done. Not from within a body, and from one thread at a time.
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
    unsigned mode = 0;  // of the floating-point unit: that of the caller
  };
  void begin(Job job);
  void work();
  void take_parts();

  // A job's fields are written only while `open_` is false and no worker is inside.
  Job job_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> open_{false}, ended_{false};
  std::atomic<std::uint32_t> inside_{0}, number_{0};  // of workers; of the job
  std::vector<std::thread> workers_;
};

/// The same without a team: in the same parts, by the caller.
template <class Body>
void each_part(ThreadPool* thread_pool, std::size_t count, std::size_t grain, const Body& body) {
  if (thread_pool) return thread_pool->each(count, grain, body);
  for (std::size_t at = 0; at < count; at += grain) body(at, std::min(count, at + grain));
}

}  // namespace runtime
