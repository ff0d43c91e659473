// The first zero crossing of any watched difference within a step, looked for on the dense output.
//
// Signs at both ends of a step say nothing about what is between: a difference may cross zero and return. So
// every difference that may have done so is followed through the step.
//
//   at the end of the step: all are evaluated; those that are far from zero against the rate at which they
//     have varied over the last steps are quiet, and no more is done about them
//   the others are evaluated, with their rates (finite differences), at both ends of an interval, first the
//     step, and at a check point inside, whose position varies: from ends and rates a cubic polynomial
//     (Hermite) predicts the value there, and what it misses bounds the error of the polynomial
//   polynomial and error stay on one side of zero: no crossing
//   they cross it once, with a rate of one sign: the crossing is located (Chandrupatla 1997) to rounding
//   else the interval is cut at the check point, and its left part is examined first
//
// The side on which a difference has to be is what its comparison says (WatchedDifferences::side). A
// difference that is at zero where the search begins is examined as what its rate makes of it: where it
// leaves to the other side, that is an event at the beginning.
//
// Bounds are estimates and no enclosures: four data and a check on each interval. A difference that is not
// smooth is cut down to kNarrowest; the number of evaluations is limited.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/integrate/crossing_functions.h"
#include "runtime/integrate/integrator.h"

namespace runtime {

class CrossingSearch {
 public:
  /// `tolerance`: of the run, relative.
  CrossingSearch(CrossingFunctions& functions, Integrator& integrator, double tolerance);

  /// After an event; `discontinuous`: the equations or states have changed.
  void restart(bool discontinuous);
  /// Before the first step after `restart(true)`: takes the differences from the state from which the
  /// integrator starts. What a step gives for its beginning is exact to the tolerance only, so a difference
  /// that is at zero there may seem to be on the wrong side.
  bool begin(double time);
  /// Looks for the first crossing after `from` and not after `to`, both within the last step of the
  /// integrator. `from` is where the last call ended, or the crossing that it found. False: the failure
  /// of the functions.
  /// `cuts`: times between which the differences may not do what their ends do not show (StepCheck::cuts);
  /// where there are any, each part between them is examined.
  bool find(double from, double to, std::span<const double> cuts = {});

  // What the last call found:
  bool found() const { return found_; }
  /// That of the crossing; without one the time up to which there is none: `to`, or less after many
  /// evaluations.
  double time() const { return time_; }
  /// It is no crossing: a difference that was at zero, as a rule at `from`, leaves it here to the wrong side.
  bool left_zero() const { return left_zero_; }
  /// By watched number: the magnitude of the difference so far.
  std::span<const double> magnitudes() const { return magnitudes_; }
  /// 1 upwards, -1 downwards, 0 none, one entry for each watched difference; empty: none crossed.
  std::span<const int> directions() const { return directions_; }

 private:
  struct Node {
    double time = 0;
    std::vector<double> values, rates;  // of the suspects
  };
  enum class Verdict : std::uint8_t { Clear, Crosses, LeavesZero, Unclear };

  double end_of_domain(double from, double to);
  void enter_domain(double time);
  bool collect_suspects(double from, double to);
  bool examine(double from, double to);
  bool evaluate(double time, std::vector<double>& values);
  double rate_part(const std::vector<double>& a, const std::vector<double>& b) const;
  bool evaluate_rates(Node& node, double step);
  Verdict examine(std::size_t suspect, const Node& left, const Node& right, double check, bool first) const;
  void record_magnitude(std::size_t k, double begin, double end);
  bool locate(const Node& left, const Node& right);
  void leave_zero(const Node& left, const Node& right, double check, bool first);
  bool crosses_between(std::size_t suspect, const std::vector<double>& before,
                       const std::vector<double>& after) const {
    return sides_[suspect] * before[suspect] > 0 && sides_[suspect] * after[suspect] <= 0;
  }
  Node take_node();
  void give_back(Node node) { spare_.push_back(std::move(node)); }

  CrossingFunctions& functions_;
  Integrator& integrator_;
  double projected_;  // a part of a difference: errors by constraints at a restart
  // By watched number:
  std::vector<double> before_, now_;  // differences at both ends of the step
  std::vector<double> variation_;     // largest rate of change of late, per second
  std::vector<double> largest_;       // magnitude of late, also in parts of steps behind an event
  std::vector<double> magnitudes_;    // magnitude of late where intervals begin: of the solution alone
  std::vector<int> directions_;
  double last_end_ = 0;        // of the step that was searched last
  bool known_ = false;         // `before_` is that of `from`
  bool steady_ = false;        // `variation_` is known
  bool discontinuous_ = true;  // of the last restart
  std::vector<double> start_;  // the differences from which the integrator starts, if it has restarted
  // Of the search within the step, by suspect:
  std::vector<std::uint32_t> suspects_;  // watched numbers
  std::vector<double> sides_;            // 1 or -1
  std::vector<double> at_check_, trial_;
  std::vector<std::uint32_t> entered_;  // differences that are numbers at the end of the interval alone
  std::vector<Node> spare_;
  std::uint32_t check_ = 0;  // number of the next check point
  int evaluations_ = 0;

  bool found_ = false, left_zero_ = false;
  double time_ = 0;
};

}  // namespace runtime
