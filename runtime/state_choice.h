// Which variables of a set are states, decided by numbers while the model runs.
//
// A pendulum in Cartesian coordinates has one degree of freedom and two coordinates, x x + y y = 1; neither is good everywhere:
// where y = 0, x does not tell y's rate. The set has one state of its own, s = a x + b y, with numbers a and b that select: (1, 0)
// or (0, 1). All equations hold whatever they are; only where the run is, and how exact it is there, depends on them.
//
// The differentiated equations tie the rates z of the candidates: B z = …, B of m rows and n columns. For dummies D and states S,
// B_D^-1 B_S says how fast dummies move when states do. An entry above 1 means that exchanging the two makes the determinant of
// B_D larger by that factor; where no entry is, the choice is as good as any next to it (Knuth, Semi-optimal bases for linear
// dependencies (1985)). A choice is left alone until an entry passes kSwitch, because every change restarts the integrator.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model.h"
#include "runtime/schedule.h"

namespace runtime {

class StateChoice {
 public:
  StateChoice(const Model& model, const StateSet& set, const std::vector<double>& nominal);

  /// Looks at the Jacobian at this point, and chooses anew where the present choice has become bad (`fresh`: in any case).
  /// Whether the choice changed: then the selecting parameters are others, and the states have the values that go with them.
  bool choose(const Point& point, std::span<double> parameters, bool fresh);

  /// Of a set without candidates: whether its equations still determine its rates as they did before. Where their determinant
  /// changes its sign they did not on the way, and the run may have gone on along another solution.
  bool regular(const Point& point);
  const StateSet& set() const { return set_; }

 private:
  static constexpr double kSwitch = 2, kGood = 1.001;
  struct Scatter {
    std::uint32_t coefficient, position;
  };
  double& at(std::size_t row, std::size_t column) { return matrix_[row * columns_ + column]; }
  void fill(const Point& point);
  void pivot(std::size_t row, std::size_t column);
  bool pivot_column(std::size_t column);
  void write(const Point& point, std::span<double> parameters);

  const Model& model_;
  const StateSet& set_;
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<Scatter> scatter_;
  std::vector<double> constant_, coefficients_, scale_, matrix_;
  std::vector<std::uint32_t> basis_;     // per row: the column of its pivot, or kNone
  std::vector<std::uint8_t> in_basis_;   // per column
  std::vector<std::uint32_t> selected_;  // per state: the candidate that it is
  int sign_ = 0;                         // of the determinant, when it was last looked at
};

}  // namespace runtime
