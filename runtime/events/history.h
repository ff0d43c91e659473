// What was: the past of every signal that the model delays, and what the equations get of it.
//
// For the equations a delay is a variable that somebody else sets, as those that events assign; it is set
// from the past for each point at which they are evaluated. No step is longer than the shortest delay, so
// that the past is always known. What is delayed is kept, step by step, as its values at five points: the
// polynomial through them is tested at a sixth, and where it is not good enough for the tolerance the piece
// is halved. So neither steps that are long for what is delayed nor a delay of something that no state is
// (`delay (sin (100.0 * x)) 1.0`) costs accuracy. The values of all delays at one time lie side by side: a
// thousand are one loop.
//
// Where something that is delayed jumps or has a kink, the integrator stops when that arrives: exactly then,
// whatever the step, and starts anew if it was a jump. Until then a delay sees what is before the jump, from
// then on what is after it. A kink makes a fainter one in what depends on it, which arrives later again (of
// x' = -x(t - 1), in the second derivative at 1, in the third at 2); the first few of these are met, too. The
// start is a kink: before it everything was as it is there.
//
// Bellen and Zennaro, Numerical Methods for Delay Differential Equations, 2003, sections 2.2
// (discontinuities) and 4.1.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/model.h"

namespace runtime {

class History {
 public:
  static constexpr std::uint32_t kNodes = 5;

  explicit History(const Model& model);
  bool empty() const { return order_.empty(); }
  /// Reads how long they are. False: one is not positive.
  bool measure(std::span<const double> parameters, Failure& failure);
  /// The shortest one; infinity when there is none.
  double shortest() const;

  /// At the start each is what it delays. Whether that changes one (by more than rounding).
  bool catch_up(std::span<double> values) const;
  /// The past ends here, and before was always what is now; pieces are as good as `tolerance` asks.
  void begin(double time, std::span<const double> values, double tolerance);

  /// Sets the delays to what they are at a time that is not further from the end of the past than the
  /// shortest of them.
  void recall(double time, std::span<double> values);

  /// Drops what nobody can ask for any more, from now on only times after the end of the past being asked
  /// for.
  void forget();
  // A piece of the past, from its end on: its values at five points, and at the one by which they are tested.
  double end() const { return end_; }
  void note(std::uint32_t node, std::span<const double> values);
  /// Whether the polynomial through the five agrees with these values at `kTest` of the piece.
  static constexpr double kTest = 0.125;
  bool agrees(std::span<const double> values) const;
  void append(double time);

  /// The next instant at which a jump or kink arrives; infinity when there is none.
  double next() const;
  /// Lets those that arrive at this time in. Whether there is a jump among them.
  bool arrive(double time);
  /// What is delayed has these values after what happened at the end of the past; `changed`: equations became
  /// others.
  void happened(std::span<const double> values, bool changed);

 private:
  struct Break {
    double time = 0;
    std::size_t piece = 0;  // the first after it
    int level = 0;          // 0: a jump, k: in the k-th derivative
  };
  struct Group {  // of equal length
    double length = 0;
    std::uint32_t first = 0, held = 0, last = 0;  // of order_: those that are held come after the others
    std::deque<Break> coming;                     // what has not arrived yet
    std::optional<std::size_t>
        since;              // the first piece after the last break that has; none: what was before the start
    std::size_t piece = 0;  // of the last look
  };
  double present(std::uint32_t k, std::span<const double> values) const;
  void add_break(Group& group, int level);
  void look(Group& group, double time, std::span<double> values);

  const Model& model_;
  std::vector<std::uint32_t> order_;      // delays by length
  std::vector<std::uint32_t> variables_;  // in that order: what they set
  std::vector<Group> groups_;
  int levels_ = 1;  // of kinks that are met
  double tolerance_ = 1e-6;

  double end_ = 0;
  std::vector<double> before_, now_, largest_;  // before the start; at the end, after what happened there
  std::vector<double> noted_;                   // five times all
  std::size_t first_piece_ =
      0;  // pieces are counted from the start; those that nobody can see any more are gone
  std::vector<double> starts_, values_;
  int arriving_ = -1;  // the lowest level that arrived at the end, or -1
};

}  // namespace runtime
