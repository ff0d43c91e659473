// Why a simulation failed, as data: numbers of equations and variables, with their values. The caller has
// their names and the source, and writes the message.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runtime {

enum class FailureKind : std::uint8_t {
  None,
  LoopNotConverged,     // Newton's method does not converge in an algebraic loop
  BranchEnds,           // of a loop: the solution that the run has followed ends at `variables`
  LoopSingular,         // the Jacobian of an algebraic loop is singular; `variables` starts with the column
  StartContradicts,     // the initial values violate `equations`, or, dependent, a combination of them
  StartUndetermined,    // all equations of the start leave `variables` open; `equations` contain them
  ZeroPivot,            // in a loop, the coefficient of `variables` in `equations` is zero or not finite
  NotFinite,            // an equation, its Jacobian, or one of `assignments` gives NaN or infinity
  UndefinedCondition,   // one of `triggers` gives NaN or infinity: an Int in it is divided by zero, or too
                        // large
  ErrorTest,            // the integrator cannot meet the tolerance with any step
  Convergence,          // the integrator's Newton method does not converge with any step
  NoProgress,           // steps became so small that the stop time is out of reach
  ToleranceTooSmall,    // for double precision
  TooDense,             // the Jacobian of the explicit form, which was requested, does not fit in memory
  QuantisedStateSet,    // quantised states, which were requested, and states selected from `variables`
  QuantisedDelay,       // quantised states, which were requested, and a delay of length `parameters`
  BadExperiment,        // stop before start, or a tolerance or time that is not a positive finite number
  StatesLost,           // the selected states no longer determine `variables` by `equations`
  Assertion,            // `equations`: the number of the violated assertion; `variables`: those it reads
  EndlessEvents,        // zero crossings, `equations`, of `variables` change without end at one instant
  AssignmentsDisagree,  // `assignments`, to `variables`, depend on their own results; or else those of
                        // `triggers` do
  AssignmentsConflict,  // two `assignments` that were executed together assign different values to
                        // `variables`
  AssignmentLost,  // two such assign one value, but executed one after the other would have given the second
  IntegerRange,    // one of `assignments` gives an Int variable a value that may have been rounded
  BadClock,        // a clock of `triggers` has a period that is not positive, or ticks out of order
  BadDelay,        // the length of a delay, `parameters`, is not positive
  Structure,       // no system follows a change of structure; reported by its source (structure.h)
  Output,          // a result cannot be written: `path` and `error`
  Checkpoint,      // `path` cannot be stored, or, `initial`, continued: `error`
  Internal,        // a solver rejected its input, which is a bug; `error` names the call
};

struct FailedVariable {
  std::uint32_t variable = 0;
  double value = 0;
  double weight = 0;  // integrator: estimated local error relative to what the tolerance allows
};

struct FailedEquation {
  std::uint32_t equation = 0;
  double residual = 0;
};

struct Follower {  // an inner variable of an algebraic loop, and the equation that gives it
  std::uint32_t variable = 0, equation = 0;
  double value = 0;
};

struct FailedParameter {
  std::uint32_t parameter = 0;
  double value = 0;
};

struct Failure {
  FailureKind kind = FailureKind::None;
  bool initial = false;  // during initialisation
  double time = 0;
  std::uint32_t unknowns = 0;    // tearing variables of the loop
  std::uint32_t inner = 0;       // inner variables of the loop
  bool linear = false;           // of the loop
  std::uint32_t iterations = 0;  // of Newton's method
  /// LoopSingular, StartContradicts: linear (or linearised) equations, this many, add up to one without
  /// unknowns. Their factors stand in `equations` as residuals; the sum is `left_over` instead of zero, up to
  /// `rounding`.
  bool dependent = false;
  std::uint32_t dependent_equations = 0;
  double left_over = 0, rounding = 0;
  double step = 0;           // the integrator's last step size
  std::uint32_t events = 0;  // EndlessEvents: that followed each other; without `step`: rounds of one instant
  double interval = 0;       // EndlessEvents: ever more closely, the last two after this time
  std::vector<FailedVariable> variables{};  // worst first, at most a few
  std::vector<FailedEquation> equations{};  // worst first, at most a few
  /// StartContradicts, dependent: redundant initial equations that do not hold, where the schedule succeeded.
  std::vector<FailedEquation> violated{};
  std::vector<std::uint32_t> triggers{};     // that fired last, at most a few
  std::vector<std::uint32_t> assignments{};  // AssignmentsConflict, NotFinite: into Events::assignments
  std::vector<Follower> followers{};         // of a loop, in order, at most a few
  /// LoopSingular, dependent: known variables that the sum still contains, and the unknowns of which the
  /// equations determine only a combination; at most a few.
  std::vector<std::uint32_t> constrained{}, combined{};
  std::vector<FailedParameter> parameters{};  // ZeroPivot: of the equation; BadDelay, QuantisedDelay
  std::uint64_t kept_rows = 0;                // Output: complete rows in the file, and the time of the last
  double kept_until = 0;
  std::string path{}, error{};  // Output, Checkpoint, Internal

  explicit operator bool() const { return kind != FailureKind::None; }
};

/// An algebraic loop that was solved by continuation, after Newton's method had failed.
struct Continued {
  std::uint32_t unknowns = 0;
  std::uint32_t variable = 0, equation = 0;  // one of each
};

/// An algebraic loop of the start that has another solution, and no guess that chooses (other_solution.h).
struct OtherSolution {
  std::uint32_t unknowns = 0;                // of the loop
  std::uint32_t variable = 0, equation = 0;  // the variable that differs most; one of the equations
  double value = 0, other = 0;               // of the variable
};

/// The solution of an algebraic loop that a run has followed up to this time ended there, and rows go on with
/// another one (branch_check.h).
struct BranchJump {
  static constexpr std::size_t kMost = 16;  // of one integrator; more are not listed
  double time = 0;
  std::uint32_t unknowns = 0;                // tearing variables of the loop
  std::uint32_t variable = 0, equation = 0;  // the variable that changes most; one of the equations
  double before = 0, after = 0;              // of the variable
};

/// A run that could not go on with the integrator of the automatic choice, and did with another one.
struct SolverChange {
  double time = 0;                // up to which the results are those of `from`
  std::string_view from{}, to{};  // as settings of an experiment: "ida", "cvode"
  FailureKind kind = FailureKind::None;
};

/// A start that was solved as a whole: states that took their guesses there although the schedule determines
/// them, and states that did not, because equations determine them at these values, or because no solution
/// has these values: such a state starts from a solution found from the guesses.
struct GuessedStart {
  struct Moved {
    std::uint32_t variable = 0;
    double guess = 0, start = 0;
  };
  std::vector<std::uint32_t> taken{}, refused{};
  std::vector<Moved> moved{};
};

constexpr std::size_t kFailureDetails = 8;

}  // namespace runtime
