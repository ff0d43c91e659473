#include "compiler/reduce/local_choices.h"

#include <algorithm>
#include <deque>

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;
constexpr std::uint64_t kMostWork = 200'000'000;

class Groups {
 public:
  using Suitable = std::function<bool(const LocalChoice&)>;

  Groups(std::uint32_t rows, std::span<const std::vector<std::uint32_t>> columns, const Suitable& suitable)
      : columns_(columns), suitable_(suitable), columns_of_(rows), taken_(rows, false), queued_(rows, false) {
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
      for (std::uint32_t row : columns[c]) columns_of_[row].push_back(c);
      outside_.push_back(static_cast<std::uint32_t>(columns[c].size()));
    }
    touched_.assign(columns.size(), false);
  }

  /// Makes groups of at most this many rows; those that remain are left for larger ones.
  void extract(std::size_t largest) {
    for (std::uint32_t row = 0; row < taken_.size(); ++row)
      if (!taken_[row]) enqueue(row);
    while (!queue_.empty() && work_ <= kMostWork) {
      const std::uint32_t row = queue_.front();
      queue_.pop_front();
      queued_[row] = false;
      if (!taken_[row]) grow(row, largest);
    }
    queue_.clear();
    queued_.assign(queued_.size(), false);
  }

  bool complete() const { return std::ranges::find(taken_, false) == taken_.end(); }
  std::vector<LocalChoice> take() { return std::move(choices_); }

 private:
  void enqueue(std::uint32_t row) {
    queued_[row] = true;
    queue_.push_back(row);
  }

  void grow(std::uint32_t seed, std::size_t largest) {
    std::vector<std::uint32_t> rows, near;  // of the group; columns with entries in it
    for (std::uint32_t row = seed; row != kNone; row = next(near)) {
      rows.push_back(row);
      join(row, near);
      LocalChoice group{rows, {}};
      std::ranges::copy_if(near, std::back_inserter(group.columns),
                           [&](std::uint32_t c) { return outside_[c] == 0; });
      std::ranges::sort(group.rows);
      std::ranges::sort(group.columns);
      if (suitable_(group)) {
        accept(near);
        choices_.push_back(std::move(group));
        return;
      }
      if (rows.size() == largest) break;
    }
    for (std::uint32_t row : rows) {
      taken_[row] = false;
      for (std::uint32_t c : columns_of_[row]) ++outside_[c];
    }
    for (std::uint32_t c : near) touched_[c] = false;
  }

  void join(std::uint32_t row, std::vector<std::uint32_t>& near) {
    taken_[row] = true;
    for (std::uint32_t c : columns_of_[row]) {
      --outside_[c];
      if (touched_[c]) continue;
      touched_[c] = true;
      near.push_back(c);
    }
    work_ += columns_of_[row].size() + near.size();
  }

  /// A row outside the group in the column that has fewest of them, or kNone.
  std::uint32_t next(const std::vector<std::uint32_t>& near) {
    std::uint32_t best = kNone;
    for (std::uint32_t c : near)
      if (outside_[c] > 0 && (best == kNone || outside_[c] < outside_[best])) best = c;
    if (best == kNone) return kNone;
    return *std::ranges::find_if(columns_[best], [&](std::uint32_t row) { return !taken_[row]; });
  }

  /// What is beside the group may be one by itself now.
  void accept(const std::vector<std::uint32_t>& near) {
    for (std::uint32_t c : near) {
      touched_[c] = false;
      if (outside_[c] == 0) continue;
      work_ += columns_[c].size();
      for (std::uint32_t row : columns_[c])
        if (!taken_[row] && !queued_[row]) enqueue(row);
    }
  }

  std::span<const std::vector<std::uint32_t>> columns_;
  const Suitable& suitable_;
  std::vector<std::vector<std::uint32_t>> columns_of_;  // by row
  std::vector<std::uint32_t> outside_;  // by column: rows that are neither in a choice nor in the group
  std::vector<bool> taken_, queued_, touched_;
  std::deque<std::uint32_t> queue_;
  std::vector<LocalChoice> choices_;
  std::uint64_t work_ = 0;
};

}  // namespace

std::optional<std::vector<LocalChoice>> local_choices(
    std::uint32_t rows, std::span<const std::vector<std::uint32_t>> columns, std::size_t largest,
    const std::function<bool(const LocalChoice&)>& suitable) {
  Groups groups(rows, columns, suitable);
  for (std::size_t size = 1; size <= largest && !groups.complete(); size *= 4) groups.extract(size);
  if (!groups.complete()) return std::nullopt;
  return groups.take();
}

}  // namespace sigrel::reduce
