// The functions whose zero crossings are events: of each comparison of the model the side that it asks to be
// smaller minus the other (a - b of `a < b` and of `b > a`), of each other operation the distance of its
// argument from the boundaries of the piece that is held, positive inside. All of them are numbered through;
// those whose crossings depend on the solution have a second number among the *watched* ones, which the
// integrator monitors. Crossings of the others are known beforehand (time_events.h).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/events/pieces.h"
#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

/// Parts of the magnitude of a difference of late: below the first a difference is rounding error; one
/// that has just crossed zero is at zero below the second.
constexpr double kDifferenceRounding = 1e-14, kAtZero = 1e-9;

/// The magnitude of a difference of late, once it is `now`: its rounding error is one of its terms, and what
/// it was long ago says nothing about them. It is halved, but not below `terms`, their estimated magnitude.
inline double recent_magnitude(double before, double now, double terms) {
  if (!std::isfinite(now)) return before;
  return std::max(now, std::min(before, std::max(before / 2, terms)));
}

class ZeroCrossingFunctions {
 public:
  explicit ZeroCrossingFunctions(const Model& model);

  std::size_t size() const { return rows_.size(); }
  /// By watched number: the number of the function.
  std::span<const std::uint32_t> watched() const { return watched_; }
  /// The number of the function among Model::time_functions; kNone for a watched one.
  std::uint32_t time_function(std::size_t k) const { return rows_[k].time_function; }

  /// Evaluates the watched functions at a point at which the variables they read are up to date.
  void evaluate(const Point& point);
  /// The others as well, but for those that are known to be unchanged.
  void evaluate_all(const Point& point);
  /// Until the next call all functions of time are known to be as they were, so that what they hold is right;
  /// or none.
  void set_time_unchanged(bool on) { time_unchanged_ = on; }
  /// Whether `evaluate` is enough, as no others are left.
  bool none_to_evaluate() const { return time_unchanged_ || other_sections_.empty(); }
  bool is_unchanged(std::size_t k) const { return time_unchanged_ && !has_watched_[rows_[k].zero_crossing]; }
  /// Evaluates one.
  double evaluate_one(const Point& point, std::uint32_t k);
  /// By number: the values of the last evaluation of each.
  const std::vector<double>& differences() const { return differences_; }
  /// By number: the arguments of the last evaluation; of a comparison this is the difference.
  const std::vector<double>& arguments() const { return arguments_; }

  /// By number: differences below this are rounding errors; 0 unless measured.
  double rounding(std::size_t k) const { return rounding_[k]; }
  std::span<const double> roundings() const { return rounding_; }
  void set_roundings(std::span<const double> errors) { rounding_.assign(errors.begin(), errors.end()); }
  void record_rounding(std::size_t k, double error) { rounding_[k] = std::max(rounding_[k], error); }

  const ZeroCrossing& crossing(std::size_t k) const { return model_.zero_crossings[rows_[k].zero_crossing]; }
  const KernelBatch& batch(std::size_t k) const { return model_.batches[crossing(k).batch]; }
  /// The row of function k in its batch.
  std::uint32_t row(std::size_t k) const { return rows_[k].row; }
  std::uint32_t equation(std::size_t k) const { return model_.equations[batch(k).equations + row(k)]; }
  std::uint32_t variable(std::size_t k, std::uint32_t slot) const {
    return slot_variable(model_, batch(k), slot, row(k));
  }
  bool is_comparison(std::size_t k) const { return rows_[k].comparison; }
  /// The largest magnitude of a variable that the function reads.
  double largest_argument(std::size_t k, std::span<const double> values) const {
    double largest = 0;
    for (std::uint32_t slot = 0; slot < batch(k).slots; ++slot)
      if (const double value = std::abs(values[variable(k, slot)]); std::isfinite(value))
        largest = std::max(largest, value);
    return largest;
  }
  Pieces pieces(std::size_t k, const double* parameters) const {
    return Pieces(model_, crossing(k), row(k), parameters);
  }
  /// The parameter with what is held.
  std::uint32_t held_parameter(std::size_t k) const { return rows_[k].held; }
  /// What is held: of a comparison 1 below zero, else 0; of others the number of the piece.
  double held(std::size_t k, std::span<const double> parameters) const { return parameters[rows_[k].held]; }
  /// Holds another value. Whether it is another one.
  bool hold(std::size_t k, double value, std::span<double> parameters) const {
    if (is_comparison(k)) return std::exchange(parameters[rows_[k].held], value) != value;
    return pieces(k, parameters.data()).hold(value, parameters.data());
  }

 private:
  struct Row {
    std::uint32_t zero_crossing = 0, row = 0, time_function = kNone;
    std::uint32_t held = 0;  // the parameter with what is held
    bool comparison = false;
  };
  void measure(std::uint32_t c, std::size_t first, std::uint32_t begin, std::uint32_t end,
               const double* parameters);
  /// A zero crossing of the model: its functions begin at `first`.
  struct Section {
    std::uint32_t zero_crossing = 0, batch = 0, first = 0;
    bool is_comparison = false;
  };
  void evaluate(const Section& section, const Point& point);
  const Model& model_;
  std::vector<Section> watched_sections_, other_sections_;
  std::vector<std::uint8_t> has_watched_;  // by zero crossing
  bool time_unchanged_ = false;
  std::vector<Row> rows_;                        // by number
  std::vector<std::uint32_t> watched_;           // by watched number
  std::vector<double> differences_, arguments_;  // by number
  std::vector<double> rounding_;                 // by number
};

}  // namespace runtime
