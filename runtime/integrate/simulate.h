// Runs a model: initial values, integration, results. The entry of the runtime.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/failure.h"
#include "runtime/integrate/problem.h"
#include "runtime/linear/ordering.h"
#include "runtime/model.h"
#include "runtime/results/output.h"
#include "runtime/solve/parameters.h"

namespace runtime {

enum class Solver : std::uint8_t {
  Auto,   // CVODE when there are no large nonlinear loops and the explicit form stays sparse, else IDA
  Cvode,  // BDF on the explicit form; loops are solved inside
  Adams,  // Adams–Moulton on the explicit form, for smooth and lightly damped models
  Ida,    // BDF on the implicit form
};

/// "auto", "cvode", "adams", "ida".
std::optional<Solver> solver_named(std::string_view name);

struct Experiment {
  double start = 0;
  double stop = 1;
  double tolerance = 1e-6;    // relative; absolute in terms of nominal values
  std::uint32_t steps = 500;  // output intervals: steps + 1 rows
  Solver solver = Solver::Auto;
  Ordering ordering = Ordering::Auto;  // of the integrator's sparse factors
  unsigned threads = 1;                // that work on a large model; 0: as many as the machine has and pay
  Overrides overrides;                 // of parameters
  /// Per variable: its value at the start, NaN where it is not known. Those of all states are; then the
  /// model's own start is not looked at. Empty: the model's own.
  std::vector<double> from;
  /// Of `from`: it is what an earlier run left at this very time, so that what clocks do at the start has
  /// been done.
  bool continues = false;
};

struct Control {
  const std::atomic<bool>* cancel = nullptr;  // looked at every step
  std::function<void(double fraction)>
      progress;  // called every step with 0 … 1; it decides how often to draw
};

struct Statistics {
  Form form = Form::Static;
  std::string_view solver;         // "CVODE BDF", "CVODE Adams", "IDA", or empty
  std::string_view linear_solver;  // "dense", "KLU", or empty
  std::string_view ordering;       // "AMD", "METIS", or empty
  std::uint64_t unknowns = 0, states = 0, kept = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t steps = 0, evaluations = 0, jacobians = 0, factorisations = 0;
  std::uint64_t events = 0;         // after which equations were others
  std::uint64_t state_changes = 0;  // sets of states that chose anew
  std::uint64_t newton_iterations = 0, newton_failures = 0, error_test_failures = 0;
  int last_order = 0;
  double last_step = 0;
  std::uint64_t rows = 0;  // of results
  unsigned threads = 1;
  double seconds_initialise = 0, seconds_integrate = 0, seconds_write = 0;
};

struct Outcome {
  enum Status : std::uint8_t { Completed, Cancelled, Failed } status = Failed;
  double reached = 0;                         // time up to which there are results
  std::optional<std::uint32_t> terminated{};  // the trigger by which the model ended the run
  Failure failure;
  Statistics statistics;
  std::vector<Continued> continued;  // blocks of the start that Newton's method alone did not solve
  std::vector<double> values;        // of all variables at `reached`
  std::vector<double> parameters;    // at the end: those that select states are as the run left them
};

/// Rows are handed to the sinks at `steps + 1` equally spaced times, the last one exactly at the stop time.
Outcome simulate(const Model& model, const Experiment& experiment, const Output& output,
                 const Control& control = {});

}  // namespace runtime
