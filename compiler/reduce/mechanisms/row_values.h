// The equations of a flat system as numbers: their residuals and partial derivatives, where the unknowns have
// given values, at one time. Derivatives with respect to time count as zero.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// The values of all parameters, with the numbers of the model.
std::vector<double> parameter_values(const system::System& system);

/// Whether there are parameters that a run can change without another compilation.
bool has_changeable_parameters(const system::System& system);

/// What is known of parameters when some of them are changed without another compilation, by a run or a
/// sweep.
struct ChangedParameters {
  /// Values of all parameters, with generic ones of either sign for those that can change. Those may be
  /// outside of what the model is made for: then others are no numbers.
  std::vector<std::vector<double>> values;
  /// By parameter: whether it depends on changes like an analytic function. What generic values satisfy holds
  /// then for all; `max 0.0 p` may satisfy it for negative p alone.
  std::vector<bool> is_analytic;
};
ChangedParameters changed_parameters(const system::System& system);

class RowValues {
 public:
  /// `equations` must not change while this exists.
  RowValues(system::System& system, const Equations& equations, double time);

  struct Row {
    std::uint32_t table = 0;  // of the equations; their number: a sum
    std::uint32_t row = 0;
  };
  double time() const { return time_; }
  const std::vector<Row>& rows() const { return rows_; }  // by number of the equation
  Origin origin(std::uint32_t equation) const;
  /// Of each occurrence.
  std::span<const std::uint32_t> unknowns(std::uint32_t equation) const;
  /// Whether it contains a derivative, of the k-th of its unknowns if that is given.
  bool has_derivative(std::uint32_t equation) { return shape(equation).differentiated; }
  bool has_derivative(std::uint32_t equation, std::size_t k) {
    return shape(equation).slot_differentiated[k];
  }
  bool reads_time(std::uint32_t equation) { return shape(equation).reads_time; }
  /// Whether the partial derivative with respect to the k-th unknown is the same nonzero number everywhere.
  bool is_explicit(std::uint32_t equation, std::size_t k);
  /// Whether the partial derivative is a number that depends on parameters at most.
  bool is_linear(std::uint32_t equation, std::size_t k);
  /// Of an equation that is written `u = f(...)`, and explicit in u: the place of u in `unknowns`.
  std::optional<std::size_t> left_side(std::uint32_t equation);
  /// The residual; `gradient` becomes the partial derivative for each of `unknowns`.
  double evaluate(std::uint32_t equation, std::span<const double> values, std::vector<double>& gradient);

 private:
  struct Shape {
    std::vector<Node> program;           // operands first, by their places in it
    std::vector<std::uint32_t> results;  // of the residual, then of its derivatives
    std::vector<bool> is_constant;       // derivatives that are nonzero numbers
    std::vector<bool> is_linear;         // derivatives without unknowns and time
    std::vector<bool> slot_differentiated;
    bool differentiated = false, reads_time = false;
  };
  const Shape& shape(std::uint32_t equation);
  void build(const EquationTable& table, Shape& shape);

  system::System& system_;
  double time_;
  const Equations& equations_;
  std::vector<Row> rows_;
  std::vector<std::optional<Shape>> shapes_;  // of the tables
  Shape sum_;
  std::vector<double> parameters_, work_;
  std::vector<std::size_t> first_of_sum_;  // in the next, and its size
  std::vector<std::uint32_t> unknowns_of_sums_;
};

}  // namespace sigrel::reduce
