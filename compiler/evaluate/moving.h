// What the evaluation of a sample says about other sizes.
//
// A definition with a size n is evaluated at n = 5, say. There the Int n and what is computed from it
// *moves*: with n + s in place of n, a value v becomes v + k·s, for a known k. Inside a loop whose number of
// turns moves, the index moves from turn to turn as well. A comparison of moving values comes out the same
// for the s where a linear inequality holds; a Region collects these. As long as s is in it, the evaluation
// takes the same path, and its result is the same but for the values that move with it. What is not linear (n
// * n, n `div` 2, a name made of n) is pinned: the Region is s = 0.
//
// Induction needs regions of single calls: `row n = if n == 1 then unit else series (row (n - 1)) unit` at 5
// evaluates down to row 1, but its own step says only n ≠ 1. A call that moves and gives a relation therefore
// has a region of its own, kept with the relation as its Origin, and says nothing about the caller: there the
// relation is the value of that call, whatever it is.
//
// Example: at n = 5 the step above has the region 4 + s ≥ 1: row n is series (row (n - 1)) unit for all n
// ≥ 2.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "compiler/evaluate/relation.h"

namespace sigrel::elaborate {

/// How much an Int grows when the size grows by one, and from one turn of the loop to the next.
struct Motion {
  std::int16_t size = 0, turn = 0;
  bool still() const { return size == 0 && turn == 0; }
  bool operator==(const Motion&) const = default;

  /// As the index of a Value; none for one that does not move.
  static Motion of(std::uint32_t index) {
    if (index == kConstant) return {};
    return {static_cast<std::int16_t>(index >> 16), static_cast<std::int16_t>(index & 0xFFFF)};
  }
  std::uint32_t index() const {
    if (still()) return kConstant;
    return static_cast<std::uint32_t>(static_cast<std::uint16_t>(size)) << 16 |
           static_cast<std::uint16_t>(turn);
  }
};

/// The parameter expression of a Real that is computed from a moving Int.
constexpr std::uint32_t kMovingReal = 0x7FFFFFFF;

class Region {
 public:
  /// value ≥ 0, as it moves.
  void require(std::int64_t value, Motion motion);
  void pin(Motion motion) {
    require(0, motion);
    require(0, {static_cast<std::int16_t>(-motion.size), static_cast<std::int16_t>(-motion.turn)});
  }
  void merge(const Region& other) {
    for (const Bound& b : other.bounds_) require(b.value, b.motion);
  }
  /// Whether it holds at `from` + t · `step` (sizes, turns) for all t = 0, 1, 2, …
  bool contains(std::pair<std::int64_t, std::int64_t> from, std::pair<std::int64_t, std::int64_t> step) const;
  /// For every larger size; nothing depends on a turn.
  bool holds_beyond() const {
    return contains({0, 0}, {1, 0}) && contains({0, 0}, {0, 1}) && contains({0, 0}, {0, -1});
  }
  bool holds_everywhere() const { return bounds_.empty(); }

 private:
  struct Bound {
    std::int64_t value;
    Motion motion;
    bool operator==(const Bound&) const = default;
  };
  std::vector<Bound> bounds_;
};

/// What the machine tells while it evaluates a sample.
class Moving {
 public:
  explicit Moving(Relations& relations, Heap& heap) : relations_(relations), heap_(heap) { begin(); }

  /// One evaluation: of a sample, of a body.
  void begin() { calls_.assign(1, {}); }
  Region finish();

  /// The outcome of a comparison: `a` and `b` are as they are, and stay so.
  void compared(const Value& a, const Value& b);
  void pin(const Value& v) { pin(Motion::of(v.index)); }
  void pin(Motion motion) { calls_.back().region.pin(motion); }
  void require(std::int64_t value, Motion motion) { calls_.back().region.require(value, motion); }
  /// The length of a list is used in a way that is not seen by matching.
  void pin_list(const Value& list);

  /// The index is one of a vector whose size moves.
  void inside(const Value& index, const Object& vector);

  /// A turn of a loop whose number of turns moves: what it asks is kept apart.
  void begin_turn() { calls_.push_back({kTurn, {}, {}}); }
  Region end_turn();
  /// Whether the turns of `regions` say what all turns do, for all larger sizes: the first, the last, and
  /// those between each in one way.
  static bool is_pattern(std::span<const Region> turns);

  /// The motion of a result, or a pin where it is not linear.
  std::uint32_t sum(const Value& a, const Value& b, int sign);
  std::uint32_t product(const Value& a, const Value& b);

  void enter(std::size_t depth, const Object& callee, std::span<const Value> args);
  void leave(std::size_t depth, Value& result);

  const Region& origin(std::uint32_t origin) const { return regions_[origin]; }

 private:
  static constexpr std::size_t kTurn = ~std::size_t{0};
  struct Call {
    std::size_t depth = 0;
    std::vector<std::uint64_t> key;
    Region region;
  };
  std::uint32_t checked(std::int64_t size, std::int64_t turn, const Value& a, const Value& b);

  Relations& relations_;
  Heap& heap_;
  std::vector<Call> calls_;  // the first is the evaluation itself
  std::map<std::vector<std::uint64_t>, std::uint32_t> origins_;
  std::vector<Region> regions_;
};

}  // namespace sigrel::elaborate
