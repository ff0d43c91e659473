// Comparisons that are events: their values between two instants, when those instants are, and what holds after one.
//
// Between events every comparison has one value (a parameter that the equations read), while its difference, left side minus right side,
// moves freely. The integrator stops where a difference passes zero. There, and at the start, the values are made consistent: equations
// are solved, comparisons that say otherwise now are set to what they say, until none does. Where a difference stands at zero, the
// direction in which it came decides, or else the one in which it goes; so a comparison does not return to its old value at the instant at which it left it.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/schedule.h"

namespace runtime {

class Relations {
 public:
  explicit Relations(const Model& model);
  /// How often to solve and `update` until nothing changes; from the second number on one at a time, because several that
  /// change at once may overshoot for ever.
  static constexpr int kRounds = 200, kRoundsAtOnce = 20;

  bool empty() const { return differences_.empty(); }
  /// Comparisons whose instants depend on the solution: what the integrator watches.
  std::size_t watched() const { return watched_.size(); }
  /// Their differences at a point where what they read is up to date.
  void watch(const Point& point, double* out);

  /// The next instant after `time` at which a comparison of time changes; infinity when there is none.
  double next(const Point& point, double time);

  /// A watched difference passed zero here, upwards (1) or downwards (-1): one entry for each, 0 for the others.
  void crossed(std::span<const int> directions, std::span<double> parameters);

  /// Sets the values that are wrong at the point, whose present values are solutions, or only the first of them. Whether there were any.
  bool update(const Point& point, std::span<double> parameters, bool first_only);
  /// Sets all values to what they are at the point, of which nothing else is remembered. Whether that changes one.
  bool follow(const Point& point, std::span<double> parameters);
  /// Differences that stand at zero without having crossed it, as at the start of a sine: whether there are any at the point ...
  bool undecided(const Point& point);
  /// ... and what they say a moment later. Whether that changes a value.
  bool look_ahead(const Point& later, std::span<double> parameters);
  /// Nothing has crossed any more; to be called when the values are consistent.
  void settled();

  /// That there is no end to it: with the relations that changed last.
  Failure endless(const Point& point) const;

 private:
  struct Row {
    std::uint32_t relation = 0, row = 0;
  };
  void evaluate(const Point& point);
  bool below(const Point& point, std::size_t k) const;

  const Model& model_;
  std::vector<Row> rows_;                // of all relations
  std::vector<std::uint32_t> watched_;   // by watched number: the row
  std::vector<double> differences_, largest_, before_, earlier_;
  std::vector<std::uint8_t> crossed_, changed_;
  std::vector<std::uint32_t> undecided_;
};

}  // namespace runtime
