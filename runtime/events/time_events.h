// Time events: the next instants at which zero crossings of time alone change, known before the step. Each is
// isolated once (isolation.h), and again only when it has passed or when an event has changed what its
// function reads.
#pragma once
#include <optional>
#include <vector>

#include "runtime/events/time_functions.h"

namespace runtime {

class TimeEvents {
 public:
  explicit TimeEvents(TimeFunctions& functions);

  /// The first time after that of the point at which any of the functions leaves the piece that is held;
  /// infinity if none does. Nothing changes before; at the result itself there may be nothing to change,
  /// where rounding or the limit of the search hides more.
  double next(const Point& point);
  /// The same for one function.
  double next_of(std::size_t f, const Point& point);

  /// Whether it is known that no function changes at this time or near it, whatever an event does.
  bool unchanged_at(double time) const;

  /// The function that had the most instants in a row at which nothing changed, if any had.
  std::optional<std::size_t> most_touches() const;

  /// EventIteration::resume, memory_size, save and load; the last two return the end of what they wrote or
  /// read.
  void resume();
  std::size_t memory_size() const { return 4 * known_.size() + inputs_.size(); }
  double* save(double* out) const;
  const double* load(const double* in);

 private:
  struct Known {
    double next = 0, window = 1;
    int touches = 0;  // instants in a row at which nothing changed
    std::size_t first_input = 0;
    bool valid = false;
  };
  void search(std::size_t f, const Point& point);

  TimeFunctions& functions_;
  std::vector<Known> known_;    // by function
  std::vector<double> inputs_;  // at the last search
  std::vector<double> now_;
};

}  // namespace runtime
