// Checks that a step has seen what the equations do inside it. A short pulse between two steps, or a pole,
// leaves no trace in the values that an integrator sees, and so none in its error estimate.
//
// What may hide there are sharp operations, such as exponentials and quotients: polynomials of a few moderate
// values do not. Their rows are enclosed over the step (sharp_rows.h). If all are resolved, as in nearly
// every step, nothing is hidden. If not:
//
//   the step is halved, and rows are enclosed over the halves, and so on, long pieces first, until they are
//     resolved or the piece is as short as rounding allows
//   where a piece is halved the defect (defect.h) times the length of the piece is what has been missed:
//     where it is more than kAllowed times what the tolerance allows, the step is refused
//   a divisor that crosses zero is a pole, and no step goes over it
//
// Linear algebraic loops divide by determinants, which no row does: see loop_poles.h.
//
// So the enclosures find the pulse and the defect says whether it matters, however short it is. Values
// between those at which the model was evaluated are taken from straight lines with a margin, which is an
// estimate; terms of the time alone are enclosed exactly. What foreign functions and tables of two
// arguments do is not looked at.
//
// Besides, the defect at one point of the step must not be far too large, whatever the equations: the
// iteration of an integrator may converge to what is no solution, where its Jacobian is much too old. This
// costs an evaluation, so it is done in every step of a small model, and in some of a large one: in fewer and
// fewer while the defect is far below that limit.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "runtime/integrate/defect.h"
#include "runtime/integrate/integrator.h"
#include "runtime/integrate/loop_poles.h"
#include "runtime/integrate/reduced_system.h"
#include "runtime/integrate/sharp_rows.h"

namespace runtime {

class StepCheck {
 public:
  /// `start`, `stop`: of the run, in seconds; `tolerance`: of a step, relative.
  StepCheck(ModelInstance& instance, ReducedSystem& system, double start, double stop, double tolerance);

  /// The integrator begins anew at the current values.
  void restart();
  /// Before a step from this time.
  void begin(double time);
  /// Whether the last step of the integrator has seen all of it.
  bool accepts(Integrator& integrator);
  /// After a refusal: the length of the step that takes the place of the refused one. It ends before what was
  /// missed, or is a part of it.
  double shorter() const { return shorter_; }
  /// Of an accepted step: ascending times inside. Between two of them, and the ends, every sharp row is
  /// resolved.
  std::span<const double> cuts() const { return cuts_; }
  /// Evaluations of the model so far.
  std::uint64_t evaluations() const { return defect_.evaluations(); }

 private:
  struct Node {  // a time inside the step, with the values of `scanned_` there
    double time = 0;
    std::vector<double> values;
  };
  struct Piece {  // of the step
    Node begin, end;
    std::vector<double> bends;        // by number in `scanned_`
    std::vector<std::uint32_t> rows;  // that are not known to be resolved
  };

  bool is_due(double length);
  bool is_solution(Integrator& integrator);
  void find_unresolved(double end);
  bool scan(Integrator& integrator);
  Piece whole_step(double end);
  bool halve(Piece piece, Integrator& integrator, std::deque<Piece>& pieces);
  bool is_resolved(const Piece& piece, bool& pole);
  void gather(double time, std::vector<double>& out);
  void evaluate_compared(double time);
  bool refuse(double from, double length);
  bool has_no_pole(Integrator& integrator);

  ModelInstance& instance_;
  SharpRows rows_;
  Defect defect_;
  double stop_, long_step_;
  std::size_t least_between_;  // steps between points that are checked in any case
  double begin_ = 0, shorter_ = 0;
  // Of those points:
  std::size_t between_ = 0;  // steps from one to the next
  std::size_t steps_ = 0;    // since the last one
  bool far_below_ = false;   // its defect was far below the limit
  std::uint32_t point_ = 0;  // its number
  double longest_ = 0;       // step with one
  // By variable of the sharp rows:
  bool known_ = false;                // `before_`
  std::vector<double> before_, now_;  // at both ends of the step
  std::vector<double> earlier_;       // at the beginning of the step before
  double last_length_ = 0;            // of that step; 0: there is none since the restart
  std::vector<SharpRows::Path> paths_;
  std::vector<std::uint32_t> outside_, unresolved_;
  // Of a scan:
  std::vector<std::uint32_t> scanned_;  // variables of the unresolved rows
  std::vector<std::uint32_t> place_;    // by variable: in `scanned_`
  double largest_ = 0;                  // defect
  std::vector<double> cuts_;
  int evaluations_ = 0;
  std::vector<double> held_;
  std::optional<LoopPoles> poles_;
};

}  // namespace runtime
