// Which variables of a set are states, decided by numbers while the model runs.
//
// A pendulum in Cartesian coordinates has one degree of freedom and two coordinates, x x + y y = 1; neither
// is good everywhere: where y = 0, x does not tell y's rate. The set has one state of its own, s = a x + b y,
// with numbers a and b that select: (1, 0) or (0, 1). All equations hold whatever they are; only where the
// run is, and how exact it is there, depends on them.
//
// The differentiated equations tie the rates z of the candidates: B z = …, B of m rows and n columns. For
// dummies D and states S, B_D^-1 B_S says how fast dummies move when states do. An entry above 1 means that
// exchanging the two makes the determinant of B_D larger by that factor; where no entry is, the choice is as
// good as any next to it (Knuth, Semi-optimal bases for linear dependencies (1985)). A choice is left alone
// until an entry passes kSwitch, because every change restarts the integrator.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class StateChoice {
 public:
  StateChoice(const Model& model, const StateSet& set, const std::vector<double>& nominal);

  /// Looks at the Jacobian at this point, and chooses anew where the present choice has become bad (`fresh`:
  /// in any case). Whether the choice changed: then the selecting parameters are others, and the states have
  /// the values that go with them.
  bool choose(const Point& point, std::span<double> parameters, bool fresh);

  /// Of a set without candidates: whether its equations still determine its rates as they did before. Where
  /// their determinant passes through zero they do not, and there the run may take another solution, on which
  /// the determinant turns round instead: so it is compared with what its last values lead to.
  bool regular(const Point& point);
  /// Of a set without candidates: whether the determinant was last a small part of what it has been.
  bool nearly_singular() const {
    return set_.candidates == 0 && seen_ > 0 && std::abs(last_[1].determinant) < 0.05 * largest_;
  }
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
  struct Seen {
    double time = 0, determinant = 0;
  };
  Seen last_[2];        // the last two points
  unsigned seen_ = 0;   // how many of them there are
  double largest_ = 0;  // determinant, up to its sign
};

}  // namespace runtime
