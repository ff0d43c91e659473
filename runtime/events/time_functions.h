// The arguments of zero crossings that depend on time, parameters and discrete variables alone, as functions
// of time (Model::time_functions): enclosed over intervals, with their derivatives, through the equations
// that compute what they read.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/events/pieces.h"
#include "runtime/interval.h"
#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class TimeFunctions {
 public:
  explicit TimeFunctions(const Model& model);

  std::size_t size() const { return model_.time_functions.size(); }
  const ZeroCrossing& crossing(std::size_t f) const {
    return model_.zero_crossings[model_.time_functions[f].zero_crossing];
  }
  std::uint32_t row(std::size_t f) const { return model_.time_functions[f].row; }
  Pieces pieces(std::size_t f, const double* parameters) const {
    return Pieces(model_, crossing(f), row(f), parameters);
  }

  /// Loads the parameters and discrete variables that function f reads, for `enclose`.
  void load(std::size_t f, const Point& point);
  /// The argument of function f over an interval of time; what it reads was loaded.
  Enclosure enclose(std::size_t f, Interval time);

  /// Whether rounding of the time or of the argument decides which piece the point is in.
  bool at_boundary(std::size_t f, const Point& point);
  /// A value that the argument takes a moment after the point, with the side of each boundary that it is on;
  /// nullopt if it stays at one.
  std::optional<double> right_limit(std::size_t f, const Point& point);

  /// Whether no event changes what function f reads.
  bool is_fixed(std::size_t f) const { return fixed_[f]; }
  /// The number of values that `append_inputs` appends.
  std::size_t inputs(std::size_t f) const;
  /// Appends what the function reads and only events change: discrete variables, and parameters of its rows.
  void append_inputs(std::size_t f, const Point& point, std::vector<double>& inputs) const;

 private:
  template <class Visit>
  void each_row(std::size_t f, const Visit& visit) const;
  template <class Visit>
  void each_parameter(std::size_t f, const Visit& visit) const;
  void find_fixed();
  void evaluate(const BatchRow& at, Interval time, Enclosure* out);

  const Model& model_;
  std::vector<std::uint32_t> first_input_, inputs_;  // by function: the variables that it reads
  std::vector<std::uint8_t> fixed_;                  // by function
  std::vector<Enclosure> values_;                    // by variable
  const double* parameters_ = nullptr;
};

}  // namespace runtime
