// Dynamic state selection in one state set (the dummy derivative method with pivoting at run time).
//
// A pendulum in Cartesian coordinates has one degree of freedom and two coordinates, x x + y y = 1; neither
// is a good state everywhere: where y = 0, x' does not determine y'. The set has one state of its own, s = a
// x + b y, with selectors a and b: (1, 0) or (0, 1). All equations hold for any selection; only the accuracy
// depends on it.
//
// The differentiated equations relate the derivatives z of the candidates: B z = …, with m rows and n
// columns. For dummy derivatives D and states S, B_D^-1 B_S is the sensitivity of D to S. Exchanging two
// variables multiplies the determinant of B_D by their entry; when no entry exceeds 1 in magnitude no
// exchange improves the selection (Knuth, Semi-optimal bases for linear dependencies (1985)). A selection is
// kept until an entry exceeds kSwitch, because every change restarts the integrator.
//
// The sensitivities come from sparse factors of B_D. Only where the present D is not determined at all, a
// selection is found by elimination in the whole of B, up to 25 million entries. Above, or where B has not
// the full rank, the selection stays, and the loop that it does not determine is reported where it is solved.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/archive.h"
#include "runtime/linear/linear_system.h"
#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class StateChoice {
 public:
  StateChoice(const Model& model, const StateSet& set, const std::vector<double>& nominal);

  /// Evaluates the Jacobian at this point and selects anew if the present selection has become bad (`fresh`:
  /// in any case). Whether the selection changed: then the selectors, which are parameters, and the values
  /// and derivatives of the states have changed accordingly.
  bool choose(const Point& point, std::span<double> parameters, bool fresh);

  /// Of a set without candidates: whether its equations still determine its derivatives. They do not where
  /// their determinant crosses zero; the simulation may then continue on another solution branch, on which
  /// the determinant turns back instead: so it is compared with the extrapolation of its last values.
  bool regular(const Point& point);
  /// An event: from here on the determinant may change at another rate.
  void begin_piece() { samples_ = std::min(samples_, 1u); }
  /// Of a set without candidates: whether the determinant is a small part of its largest value so far.
  bool nearly_singular() const {
    return set_.candidates == 0 && samples_ > 0 && std::abs(last_[1].determinant) < 0.05 * largest_;
  }
  const StateSet& set() const { return set_; }
  void visit(Archive& archive) {
    archive.fixed(selected_);
    dummies_.reset();
    archive(last_[0], last_[1], samples_, largest_, exponent_);
  }

 private:
  static constexpr double kSwitch = 2, kGood = 1.001;
  struct Source {
    std::uint32_t coefficient = 0;  // kNone: a constant
    double constant = 0;
  };
  double& at(std::size_t row, std::size_t column) { return matrix_[row * columns_ + column]; }
  bool evaluate(const Point& point);
  bool find_sensitivities();
  bool exchange(bool fresh);
  void fill();
  void pivot(std::size_t row, std::size_t column);
  bool pivot_column(std::size_t column);
  bool eliminate();
  void write(const Point& point, std::span<double> parameters);

  const Model& model_;
  const StateSet& set_;
  std::size_t rows_ = 0, columns_ = 0;
  // The entries of B, several of which may be at one place: where they are, what they are, their values.
  std::vector<Entry> entries_;
  std::vector<Source> sources_;
  std::vector<double> values_, coefficients_, scale_;
  // Of the present selection: factors of B_D, and the sensitivities of dummy candidates, by rows of these.
  std::optional<LinearSystem> dummies_;
  std::vector<std::uint32_t> column_of_, state_of_;  // of columns of B: in B_D, in B_S, or kNone
  std::vector<std::uint32_t> position_of_;           // of entries: in `dummies_`, or kNone
  std::vector<std::uint32_t> dummy_candidates_;
  std::vector<double> of_states_, sensitivities_;
  // For the elimination:
  std::vector<double> matrix_;           // B, dense
  std::vector<std::size_t> of_row_;      // columns of a row
  std::vector<std::uint32_t> basis_;     // per row: the column of its pivot, or kNone
  std::vector<std::uint8_t> in_basis_;   // per column
  std::vector<std::uint32_t> selected_;  // per state: the selected candidate
  struct Sample {
    double time = 0, determinant = 0;
    void visit(Archive& archive) { archive(time, determinant); }
  };
  Sample last_[2];        // of the last two points
  unsigned samples_ = 0;  // how many of them are set
  double largest_ = 0;    // magnitude of the determinant
  int exponent_ = 0;  // determinants are multiples of 2^exponent_: those of many equations under- or overflow
};

}  // namespace runtime
