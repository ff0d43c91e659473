// Comparisons that are events: their values between two instants, when those instants are, and what holds
// after one.
//
// Between events every comparison has one value (a parameter that the equations read), while its difference,
// left side minus right side, moves freely. The integrator stops where a difference passes zero. There, and
// at the start, the values are made consistent: equations are solved, comparisons that say otherwise now are
// set to what they say, until none does. Where a difference stands at zero, the direction in which it came
// decides, or else the one in which it goes; so a comparison does not return to its old value at the instant
// at which it left it. Where it should have (what it decides drives the difference back), the step after that
// shows it: the run goes back to the instant, and on from there.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class ZeroCrossings {
 public:
  explicit ZeroCrossings(const Model& model);
  /// How often to solve and `update` until nothing changes; from the second number on one at a time, because
  /// several that change at once may overshoot for ever.
  static constexpr int kRounds = 200, kRoundsAtOnce = 20;

  bool empty() const { return differences_.empty(); }
  /// Comparisons whose instants depend on the solution: what the integrator watches.
  std::size_t watched() const { return watched_.size(); }
  /// Their differences at a point where what they read is up to date.
  void watch(const Point& point, double* out);
  /// For an integrator, which needs not know how many there are, all in one: the smallest, each from the side
  /// of zero on which it was at the beginning. Below zero one has crossed; before such a point those that
  /// have are looked at alone. What stands at zero waits until it has left it.
  double nearest(const Point& point);
  /// Each begins anew on the side on which it is at this time.
  void watch_from(double time) {
    watched_from_ = time;
    sought_until_ = -HUGE_VAL;
  }
  /// Directions in which they have crossed at a point where `nearest` is not above zero; they are watched
  /// from there on.
  void crossings(const Point& point, std::vector<int>& directions);

  /// The next instant after `time` at which a comparison of time changes; infinity when there is none.
  double next(const Point& point, double time);

  /// A watched difference passed zero here, upwards (1) or downwards (-1): one entry for each, 0 for the
  /// others.
  void crossed(std::span<const int> directions, std::span<double> parameters);

  /// Sets the values that are wrong at the point, whose present values are solutions, or only the first of
  /// them. Whether there were any.
  bool update(const Point& point, std::span<double> parameters, bool first_only);
  /// Sets all values to what they are at the point, of which nothing else is remembered. Whether that changes
  /// one.
  bool follow(const Point& point, std::span<double> parameters);
  /// Differences that stand at zero without having crossed it, as at the start of a sine: whether there are
  /// any at the point ...
  /// (`leaving`: also those that are where they crossed while something was assigned).
  bool undecided(const Point& point, bool leaving);
  /// ... and what they say a moment later. Whether that changes a value.
  bool look_ahead(const Point& later, std::span<double> parameters);
  /// Where differences go: at a point, and a moment later without any event.
  void head(const Point& here, const Point& later);
  /// An assignment turned a difference back to where it came from, although it was going the other way when
  /// it crossed: what is left of the motion is within the error of the integrator.
  bool lost() const { return lost_; }
  /// Variables were assigned (`assigned`: 1): what stood at zero is decided by where it is now, if that is
  /// another place, and else by where it goes. To be called before `update`, with values of the model after
  /// the assignment.
  void moved(const Point& point, std::span<const std::uint8_t> assigned);
  /// Nothing has crossed any more; to be called when the instant is over.
  void settled(std::span<const double> parameters);
  /// What became of differences that stood at zero when their comparisons were decided, one step later.
  enum class Outlook {
    AsDecided,   // they went where they were taken to go, or have not moved
    TurnedBack,  // one that had crossed turned at once, in the way the integrator does not see: `turned` says
                 // which, and where to
    Missed,  // one that was decided by where it goes has not gone there: an event was too short to be seen;
             // `endless` tells which
  };
  Outlook outlook(const Point& before, const Point& now, std::span<const double> parameters);
  /// As what `crossed` takes; of the last outlook.
  std::span<const int> turned() const { return turned_; }
  /// Whether `outlook` may see something.
  bool watchful() const { return !doubtful_.empty(); }

  /// That there is no end to it: with the relations that changed last.
  Failure endless(const Point& point) const;

 private:
  struct Row {
    std::uint32_t zero_crossing = 0, row = 0;
  };
  void evaluate(const Point& point);
  bool below(const Point& point, std::size_t k) const;

  const Model& model_;
  std::vector<Row> rows_;               // of all relations
  std::vector<std::uint32_t> watched_;  // by watched number: the row
  std::vector<double> differences_, largest_, before_, earlier_;
  enum Crossing : std::uint8_t {
    None,    // its value is what its difference says
    Came,    // it has just passed zero: the direction in which it came decides
    Goes,    // it stands at zero, and was decided by the direction in which it goes
    Leaves,  // and then something was assigned: the direction in which it goes decides
    Placed,  // it was itself assigned: what it is now decides
  };
  template <class T>
  T& value_of(std::size_t k, std::span<T> parameters) const {
    return parameters[model_.zero_crossings[rows_[k].zero_crossing].first + rows_[k].row];
  }
  bool at_zero(std::size_t k) const;
  std::vector<Crossing> crossed_;
  std::vector<double> sides_;  // by watched number: 1, -1, or 0 where it stands at zero
  double watched_from_ = 0;
  std::vector<std::uint32_t> sought_;  // watched numbers of those that have crossed until `sought_until_`
  double sought_until_ = -HUGE_VAL;
  std::vector<std::uint8_t> changed_, came_;  // `came_`: the value of the direction in which it crossed
  enum class Doubt : std::uint8_t { None, Crossed, Goes };  // why `outlook` looks at a difference
  void doubt(std::uint32_t watched, Doubt why);
  std::vector<std::uint32_t> undecided_, doubtful_;  // watched numbers
  std::vector<Doubt> doubt_;
  std::vector<int> turned_;
  std::vector<double> present_;  // differences at the last `update`
  std::vector<double> here_;     // differences where something is undecided
  std::vector<double> heading_;  // before the instant: the sign of their rates
  bool lost_ = false;
};

}  // namespace runtime
