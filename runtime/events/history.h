// History buffers for `delay`: the past values of every delayed signal, and the discontinuities in them.
//
// To the equations a delayed signal is a variable that is given, like those that events assign; it is set
// from the history at each point at which they are evaluated. No step is longer than the shortest delay, so
// the value is always known. Each step is stored as pieces: values at five equidistant points, whose
// interpolating polynomial is tested at a sixth; where it misses the tolerance the piece is halved. So
// neither long steps nor a delayed signal that no state determines (`delay (sin (100.0 * x)) 1.0`) costs
// accuracy. The values of all delays at one time are contiguous: a thousand are one loop.
//
// Where a delayed signal has a jump or a kink, the integrator stops when it arrives at the other end of the
// delay: exactly then, whatever the step, and restarts after a jump. Until that time the delay reads the
// values before the jump, from then on those after it. A kink causes a weaker one in the signals that depend
// on it, which arrives one delay later again (of x' = -x(t - 1), in the second derivative at 1, in the third
// at 2); the first few orders are tracked, too. The start is a kink: before it all signals were constant.
//
// Bellen and Zennaro, Numerical Methods for Delay Differential Equations, 2003, sections 2.2
// (discontinuities) and 4.1.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/archive.h"
#include "runtime/failure.h"
#include "runtime/model.h"

namespace runtime {

class History {
 public:
  static constexpr std::uint32_t kNodes = 5;

  explicit History(const Model& model);
  bool empty() const { return order_.empty(); }
  /// Reads the lengths of the delays, in seconds. False: one is not positive.
  bool read_lengths(std::span<const double> parameters, Failure& failure);
  /// In seconds; infinity if there is no delay.
  double shortest_delay() const;

  /// Sets each delayed signal to the current value of its source, as at the start. Whether one changes by
  /// more than rounding.
  bool set_to_current(std::span<double> values) const;
  /// The history ends at `time` and was constant before. `tolerance`: of the pieces, relative to the largest
  /// magnitude of the signal so far.
  void start(double time, std::span<const double> values, double tolerance);

  /// Continues that of the model before a change of structure, at its end, which is now. `continued`: for
  /// each delay of the model that of `past`; one that begins now had its present value before. `end_instant`
  /// follows, with the values of the sources after the change.
  struct Continued {
    std::uint32_t delay = kNone;  // of the other model; kNone: it begins
    bool negated = false;         // the delayed variable is the negative of the other one
  };
  void continue_from(const History& past, std::span<const Continued> continued,
                     std::span<const double> values, double tolerance);

  /// Sets the delayed signals to their values at `time`, which is at most the shortest delay after the end of
  /// the history.
  void evaluate(double time, std::span<double> values);

  /// Discards pieces that no evaluation reads that is at the end of the history or later.
  void discard_old();
  double end() const { return end_; }
  // A piece, which begins at the end: samples at its kNodes nodes, a test at kTest of its length, and then
  // `append_piece`.
  void sample(std::uint32_t node, std::span<const double> values);
  /// Whether the polynomial through the samples agrees with these values at kTest.
  static constexpr double kTest = 0.125;
  bool is_accurate(std::span<const double> values) const;
  void append_piece(double end);

  /// The next time at which a discontinuity arrives; infinity if there is none.
  double next_arrival() const;
  /// Admits those that arrive at this time. Whether there is a jump among them.
  bool arrive(double time);
  /// The values of the sources after the event at the end of the history. `changed`: it changed the
  /// equations.
  void end_instant(std::span<const double> values, bool changed);

  /// After `read_lengths`.
  void visit(Archive& archive);

 private:
  struct Discontinuity {
    double time = 0;        // at the source
    std::size_t piece = 0;  // the first after it
    int order = 0;          // of the derivative that jumps: 0 is a jump of the signal
    void visit(Archive& archive) { archive(time, piece, order); }
  };
  struct Group {  // delays of equal length: [first, last) of order_, piecewise constant ones from `constant`
                  // on
    double length = 0;
    std::uint32_t first = 0, constant = 0, last = 0;
    std::deque<Discontinuity> pending;  // not yet arrived
    std::optional<std::size_t> since;   // first piece after the last that arrived; none: before the start
    std::size_t piece = 0;              // of the last evaluation
    void visit(Archive& archive) { archive(pending, since, piece); }
  };
  double source(std::uint32_t k, std::span<const double> values) const;
  void add_discontinuity(Group& group, int order);
  void evaluate(Group& group, double time, std::span<double> values);

  const Model& model_;
  bool started_ = false;                  // until then delayed signals keep their values
  std::vector<std::uint32_t> order_;      // delays by length; all lists below are in this order
  std::vector<std::uint32_t> variables_;  // the delayed signals
  std::vector<Group> groups_;
  int max_order_ = 1;  // of the discontinuities that are tracked
  double tolerance_ = 1e-6;

  double end_ = 0;
  std::vector<double> before_start_, at_end_, largest_;  // `at_end_`: after the event there
  std::vector<double> samples_;                          // kNodes times all delays: the next piece
  std::size_t first_piece_ = 0;  // pieces are numbered from the start; those before this one are discarded
  std::vector<double> starts_, values_;  // of pieces: time; kNodes times all delays
  int arrived_order_ = -1;               // the lowest that arrived at the end; -1: none
};

/// What the delays of a model go on from whose structure has changed.
struct PastDelays {
  std::shared_ptr<const History> history{};     // null: nothing was delayed
  std::vector<History::Continued> continued{};  // by delay
};

}  // namespace runtime
