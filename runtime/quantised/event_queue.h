// The next times of numbered events: a binary heap with the position of every event, so that a time is
// changed in O(log n). Events at the same time are ordered by their number.
#pragma once
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace runtime {

class EventQueue {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  /// `events` of them, none of which is due.
  explicit EventQueue(std::uint32_t events) : times_(events, kNever), heap_(events), position_(events) {
    std::iota(heap_.begin(), heap_.end(), 0u);
    std::iota(position_.begin(), position_.end(), 0u);
  }

  std::uint32_t first() const { return heap_.front(); }
  double first_time() const { return heap_.empty() ? kNever : times_[heap_.front()]; }
  double time(std::uint32_t event) const { return times_[event]; }

  void set(std::uint32_t event, double time) {
    const bool earlier = time < times_[event];
    times_[event] = time;
    if (earlier)
      rise(position_[event]);
    else
      sink(position_[event]);
  }

 private:
  bool before(std::uint32_t a, std::uint32_t b) const {
    return times_[a] < times_[b] || (times_[a] == times_[b] && a < b);
  }
  void place(std::size_t at, std::uint32_t event) {
    heap_[at] = event;
    position_[event] = static_cast<std::uint32_t>(at);
  }
  void rise(std::size_t at) {
    const std::uint32_t event = heap_[at];
    for (; at > 0 && before(event, heap_[(at - 1) / 2]); at = (at - 1) / 2) place(at, heap_[(at - 1) / 2]);
    place(at, event);
  }
  void sink(std::size_t at) {
    const std::uint32_t event = heap_[at];
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
      if (!before(heap_[child], event)) break;
      place(at, heap_[child]);
      at = child;
    }
    place(at, event);
  }

  std::vector<double> times_;            // by event
  std::vector<std::uint32_t> heap_;      // events
  std::vector<std::uint32_t> position_;  // by event: its place in the heap
};

}  // namespace runtime
