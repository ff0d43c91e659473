// Why a run stopped, as data: numbers of equations and variables with their values. The caller has the names
// and the source and writes the message.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace runtime {

enum class FailureKind : std::uint8_t {
  None,
  LoopNotConverged,  // Newton's method did not converge in a simultaneous block
  LoopSingular,      // the Jacobian of a simultaneous block is singular; `variables` starts with the column
  StartContradicts,  // the initial values do not satisfy `equations`, which determine none of them
  ZeroPivot,    // a block needs an equation to give a variable (`variables`), and its coefficient is zero or
                // not finite
  NotFinite,    // an equation gives NaN or infinity from finite values (or its Jacobian does)
  ErrorTest,    // the integrator cannot meet the tolerance with any step
  Convergence,  // the integrator's Newton method does not converge with any step
  NoProgress,   // steps became so small that the stop time is out of reach
  ToleranceTooSmall,  // below what double precision can do
  TooDense,           // the explicit form was asked for and its Jacobian does not fit in memory
  BadExperiment,      // stop before start, a tolerance or a time that is no positive finite number
  StatesLost,         // states that were chosen once no longer determine `variables` by `equations`
  Assertion,          // a condition of the model is false: `equations` says which, `variables` what it reads
  EndlessEvents,  // comparisons change without end at one instant: `equations` says which, `variables` what
                  // they compare
  AssignmentsDisagree,  // what `triggers` assign at one instant depends on itself: `variables`
  BadClock,             // a clock of `triggers` has a period that is not positive, or ticks out of order
  BadDelay,             // the length of a delay, `parameters`, is not positive
  Output,               // a result cannot be written: `path` and `error`
  Internal,             // a solver refused its input: a bug of ours, `error` says which call
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

struct Follower {  // an inner variable of a block, and the equation that gives it
  std::uint32_t variable = 0, equation = 0;
  double value = 0;
};

struct FailedParameter {
  std::uint32_t parameter = 0;
  double value = 0;
};

struct Failure {
  FailureKind kind = FailureKind::None;
  bool initial = false;  // while the initial values were sought
  double time = 0;
  std::uint32_t unknowns = 0;                 // of the block
  std::uint32_t inner = 0;                    // variables of the block that follow from these
  bool linear = false;                        // the block is
  std::uint32_t iterations = 0;               // of Newton's method
  double step = 0;                            // the integrator's last step size
  std::vector<FailedVariable> variables{};    // worst first, at most a few
  std::vector<FailedEquation> equations{};    // worst first, at most a few
  std::vector<std::uint32_t> triggers{};      // that fired last, at most a few
  std::vector<Follower> followers{};          // of a block, in order, at most a few
  std::vector<FailedParameter> parameters{};  // ZeroPivot: of the equation; BadDelay
  std::uint64_t kept_rows = 0;                // Output: complete rows in the file, and the time of the last
  double kept_until = 0;
  std::string path{}, error{};  // Output, Internal

  explicit operator bool() const { return kind != FailureKind::None; }
};

/// A block that was solved by continuation, after Newton's method had failed.
struct Continued {
  std::uint32_t unknowns = 0;
  std::uint32_t variable = 0, equation = 0;  // one of each
};

constexpr std::size_t kFailureDetails = 8;

}  // namespace runtime
