// Follows the solutions of nonlinear algebraic loops from one row or step to the next.
//
// Where a loop has several solutions, these are branches, and a run has to stay on the one that its start is
// on. Newton's method only finds a solution. It is one on the same branch if the method contracts from the
// solution before (AlgebraicLoopSolver::branch_uncertain), which is the usual case and costs nothing; or if
// it contracts from the polynomial through the last solutions, and these predict the new one to a part of its
// change (LoopPredictor): the positions of a moving car are far from those before, and go on as they did. If
// it does neither, the branch is followed with shorter steps, whose length adapts (Allgower and Georg,
// Introduction to numerical continuation methods, chapter 6; the time is the parameter). Where even the
// shortest step does not contract and the solution jumps, the branch ends: as a rule it turns back in time
// there, at a fold, where the Jacobian of the loop is singular.
//
//   x^3 - x = time from time = -1, x = -1.3: the branch ends at time = 0.385, x = -0.577. Another one, with
//   x = 1.15 there, goes on. Between two rows before and after that, Newton's method finds it as well.
//
// Rows, whose loops nothing is integrated from, go on with the solution that is found behind the end, and the
// jump is told. If an integrator solves the loop in its evaluations (explicit form), no step goes over it. In
// the implicit form the integrator predicts and corrects the solution, and its error test sees a jump.
// Where an integrator cannot go on, branch_end.h finds whether the end of a branch is the reason.
//
// A row without uncertainty may still have passed an excursion: sources that leave and return between two
// rows of a model without states are not seen.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/integrate/experiment.h"
#include "runtime/integrate/integrator.h"
#include "runtime/integrate/reduced_system.h"
#include "runtime/solve/loop_predictor.h"
#include "runtime/solve/needed_rows.h"

namespace runtime {

class BranchCheck {
 public:
  /// `observed`: the steps that rows evaluate. All arguments outlive the check. `predict`: rows are alone and
  /// without events, so that the solutions of loops can be predicted by those of the rows before.
  BranchCheck(ModelInstance& instance, ReducedSystem& system, Integrator& integrator,
              std::span<const Step> observed, bool predict);

  /// The current values are a solution at this time, and what was before it is of no concern: at the start
  /// and after an event.
  void restart(double time);
  /// Rows show these variables alone (per variable: 1). It pays if that leaves out most of the rows that the
  /// dynamic schedule evaluates, and is ignored otherwise.
  void show_only(std::vector<std::uint8_t> variables);
  /// Before a step of the integrator.
  void begin_step();
  /// Whether the loops of the step have stayed on their branches. False: `shorter` is the length of the part
  /// of it in which they do.
  bool accepts_step();
  double shorter() const { return shorter_; }
  /// Of a step whose beginning is the end of a branch, or of rows that find no other solution behind it.
  Failure failure() const;

  /// Sets all variables at a time within the last step, or at the next row (ReducedSystem::output). False:
  /// the failure of the instance.
  bool output(double time);
  /// The same for what rows show, and for loops; all else keeps values of another time.
  bool output_shown(double time);
  /// Sets the solutions of loops to those just before an event, from which the ones after it are found.
  void approach_event(double time);
  /// Sets all variables at this time, where the integrator cannot go on; the solutions of loops to the last
  /// ones where they have none there.
  void approach_end(double time);
  /// Everything up to this time within the last step has been seen, and there is no event.
  void end_part(double time);

  const std::vector<BranchJump>& jumps() const { return jumps_; }

 private:
  struct Solution {
    double time = 0;
    std::vector<double> values;  // of `variables_`
  };
  enum class End : std::uint8_t { Reached, Jumps, Lost, Unclear };
  using Solve = std::function<bool(double)>;

  void collect(std::span<const Step> steps);
  void gather(double time, Solution& out) const;
  void restore(const Solution& from);
  bool uncertain() const;
  void begin(bool stay = false, bool rough = false);
  double length_factor() const;
  bool solve_row(double time);
  bool follow_rows(double time, double factor);
  bool solve_anew(double time);
  bool predicted(double time);
  bool predicted_step(double time);
  bool meets(const Solution& prediction, double changed) const;
  End follow(Solution& at, double to, double length, const Solve& solve);
  double change(const Solution& from, std::size_t* most = nullptr) const;
  bool ends_at(const Failure& failure);
  void record_jump(const Solution& from);

  ModelInstance& instance_;
  ReducedSystem& system_;
  Integrator& integrator_;
  std::span<const Step> observed_;
  std::optional<LoopPredictor> predictor_;       // of rows
  std::optional<LoopPredictor> step_predictor_;  // of the steps of the explicit form
  std::optional<NeededRows> shown_;
  bool shown_only_ = false;  // `output` sets nothing else
  std::vector<std::uint32_t> loops_;
  std::vector<std::uint32_t> variables_, loop_of_;  // of the loops; those of the dynamic schedule first
  std::size_t dynamic_loops_ = 0;
  std::vector<Step> dynamic_steps_;  // of the dynamic schedule: what these loops need
  Solution last_;                    // of the last row or step
  bool known_ = false;               // `last_`
  bool lost_ = false;                // there was no solution behind `last_`
  std::optional<Solution> ended_before_event_;
  Solution end_;  // of the last step, dynamic loops only
  double shorter_ = 0;
  std::uint32_t ended_ = 0;  // the loop whose branch ended
  std::vector<double> held_;
  std::vector<BranchJump> jumps_;
};

}  // namespace runtime
