// The origins of the rows of a table, run-length encoded. Adjacent rows mostly come from instances and items
// at equal distances, because an iteration or a repeated application created them; so the origins are stored
// as arithmetic sequences, and a million rows take as much memory as ten.
//
// Example: (5, 1), (7, 1), (9, 1), (3, 2) are a run from (5, 1) in steps of (2, 0), and a run of (3, 2).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sigrel {

/// The origin of an equation: an instance of a relation, and an item of the body of that relation.
struct Origin {
  std::uint32_t instance = 0;  // index of system::Instance
  std::uint32_t source = 0;    // index of system::SourceEquation
  bool operator==(const Origin&) const = default;
};

class Origins {
  struct Run {
    std::uint32_t first;  // row
    Origin at, step;      // steps are modulo 2^32
  };

 public:
  std::size_t size() const { return size_; }
  void push_back(Origin origin) {
    if (runs_.empty() || !continues(origin)) runs_.push_back({size_, origin, {}});
    ++size_;
  }
  void clear() {
    runs_.clear();
    size_ = 0;
  }
  Origin operator[](std::size_t row) const {
    return of(*(std::ranges::upper_bound(runs_, row, {}, &Run::first) - 1), row);
  }

  /// Access in ascending order of rows, without a search.
  class InOrder {
   public:
    explicit InOrder(const Origins& origins) : runs_(origins.runs_) {}
    Origin operator[](std::size_t row) {
      while (run_ + 1 < runs_.size() && runs_[run_ + 1].first <= row) ++run_;
      return of(runs_[run_], row);
    }

   private:
    const std::vector<Run>& runs_;
    std::size_t run_ = 0;
  };

 private:
  static Origin of(const Run& run, std::size_t row) {
    const auto k = static_cast<std::uint32_t>(row - run.first);
    return {run.at.instance + k * run.step.instance, run.at.source + k * run.step.source};
  }
  bool continues(Origin origin) {
    Run& last = runs_.back();
    if (size_ - last.first > 1) return of(last, size_) == origin;
    last.step = {origin.instance - last.at.instance, origin.source - last.at.source};
    return true;
  }

  std::vector<Run> runs_;
  std::uint32_t size_ = 0;
};

}  // namespace sigrel
