// Size dependence: what the evaluation of a sample at one size implies for other sizes.
//
// A definition with a size n is evaluated at n = 5, say. There the Int n and the Ints computed from it depend
// on the size: with n + s in place of n, a value v becomes v + k·s for a known k (SizeDependence). In a loop
// whose number of iterations depends on the size, the index also depends on the iteration. A comparison of
// such values has the same outcome for the s that satisfy a linear inequality; a SizeRegion collects these
// inequalities. For s in the region the evaluation takes the same path, and its result is the same up to the
// values that depend on s. A use that is not linear in the size (n * n, n `div` 2, a name that contains n)
// restricts the region to s = 0.
//
// Induction needs the regions of single calls: `row n = if n == 1 then unit else series (row (n - 1)) unit`
// at 5 evaluates down to row 1, but its own step requires only n ≠ 1. A call with size-dependent arguments
// that returns a relation therefore has a region of its own, which is kept as the origin of the relation and
// does not restrict the caller: for the caller, the relation is the value of that call.
//
// Example: at n = 5 the step above has the region 4 + s ≥ 1: row n is series (row (n - 1)) unit for all n
// ≥ 2.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "compiler/evaluate/relation.h"

namespace sigrel::evaluate {

/// The increase of an Int when the size increases by one, and from one iteration of the loop to the next.
struct SizeDependence {
  std::int16_t size = 0, iteration = 0;
  bool is_constant() const { return size == 0 && iteration == 0; }
  bool operator==(const SizeDependence&) const = default;

  /// From and to Value::index; kConstant if the value is constant.
  static SizeDependence decode(std::uint32_t index) {
    if (index == kConstant) return {};
    index ^= kBias;
    return {static_cast<std::int16_t>(index >> 16), static_cast<std::int16_t>(index & 0xFFFF)};
  }
  std::uint32_t encode() const {
    if (is_constant()) return kConstant;
    return (static_cast<std::uint32_t>(static_cast<std::uint16_t>(size)) << 16 |
            static_cast<std::uint16_t>(iteration)) ^
           kBias;
  }

 private:
  /// Keeps the codes of small increases, (-1, -1) among them, apart from kConstant.
  static constexpr std::uint32_t kBias = 0x80008000;
};

/// The Param leaf for a Real that is computed from a size-dependent Int.
constexpr std::uint32_t kSizeDependentReal = 0x7FFFFFFF;

/// Linear inequalities in the change of the size and of the iteration.
class SizeRegion {
 public:
  /// value ≥ 0.
  void require(std::int64_t value, SizeDependence dependence);
  /// Excludes every change of the value.
  void pin(SizeDependence d) {
    require(0, d);
    require(0, {static_cast<std::int16_t>(-d.size), static_cast<std::int16_t>(-d.iteration)});
  }
  void merge(const SizeRegion& other) {
    for (const Bound& b : other.bounds_) require(b.value, b.dependence);
  }
  /// Whether it contains `from` + t · `step` (size, iteration) for all t = 0, 1, 2, …
  bool contains(std::pair<std::int64_t, std::int64_t> from, std::pair<std::int64_t, std::int64_t> step) const;
  /// Whether it contains every larger size, and does not depend on the iteration.
  bool holds_beyond() const {
    return contains({0, 0}, {1, 0}) && contains({0, 0}, {0, 1}) && contains({0, 0}, {0, -1});
  }
  bool holds_everywhere() const { return bounds_.empty(); }

 private:
  struct Bound {
    std::int64_t value;
    SizeDependence dependence;
    bool operator==(const Bound&) const = default;
  };
  std::vector<Bound> bounds_;
};

/// Collects the regions during the evaluation of a sample.
class SizeAnalysis {
 public:
  explicit SizeAnalysis(Relations& relations, Heap& heap) : relations_(relations), heap_(heap) { begin(); }

  /// Starts the evaluation of a sample or of a body.
  void begin() { calls_.assign(1, {}); }
  SizeRegion finish();

  /// Requires the outcome of a comparison of `a` and `b` to stay the same.
  void compared(const Value& a, const Value& b);
  void pin(const Value& v) { pin(SizeDependence::decode(v.index)); }
  void pin(SizeDependence dependence) { calls_.back().region.pin(dependence); }
  void require(std::int64_t value, SizeDependence dependence) {
    calls_.back().region.require(value, dependence);
  }
  /// The length of a list is used other than by matching.
  void pin_list(const Value& list);

  /// Requires the index to be in the range of a vector whose size depends on the sample.
  void inside(const Value& index, const Object& vector);

  /// An iteration of a loop whose number of iterations depends on the size has a region of its own.
  void begin_iteration() { calls_.push_back({kIteration, {}, {}}); }
  SizeRegion end_iteration();
  /// Whether these iterations represent those of all larger sizes: the first, the last, and the ones between
  /// each take the same path.
  static bool is_uniform(std::span<const SizeRegion> iterations);

  /// The encoded dependence of the result; pins the operands where it is not linear.
  std::uint32_t sum(const Value& a, const Value& b, int sign);
  std::uint32_t product(const Value& a, const Value& b);

  void enter(std::size_t depth, const Object& callee, std::span<const Value> args);
  void leave(std::size_t depth, Value& result);

  const SizeRegion& origin(std::uint32_t origin) const { return regions_[origin]; }

 private:
  static constexpr std::size_t kIteration = ~std::size_t{0};
  struct Call {
    std::size_t depth = 0;
    std::vector<std::uint64_t> key;
    SizeRegion region;
  };
  std::uint32_t checked(std::int64_t size, std::int64_t iteration, const Value& a, const Value& b);

  Relations& relations_;
  Heap& heap_;
  std::vector<Call> calls_;  // the first is the evaluation itself
  std::map<std::vector<std::uint64_t>, std::uint32_t> origins_;
  std::vector<SizeRegion> regions_;
};

}  // namespace sigrel::evaluate
