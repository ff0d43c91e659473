// What a simulation is given and what it returns: experiment, control, outcome and statistics.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/failure.h"
#include "runtime/integrate/form.h"
#include "runtime/linear/ordering.h"
#include "runtime/solve/parameters.h"

namespace runtime {

class EventObserver;

enum class Solver : std::uint8_t {
  Auto,   // in the explicit form CVODE, Adams or BDF as the system is stiff or not; IDA in the implicit form
  Cvode,  // BDF on the explicit form
  Adams,  // Adams–Moulton on the explicit form, for smooth and lightly damped models
  Ida,    // BDF on the implicit form
  Qss,    // quantised states on the explicit form, for sparsely coupled models with many events
};

/// "auto", "cvode", "adams", "ida", "qss".
std::optional<Solver> solver_named(std::string_view name);

/// Whether independent components have clocks of their own (components/components.h).
enum class ComponentClocks : std::uint8_t {
  Auto,  // if there are many, and the solver is Auto
  Off,
  On,  // also if there are few
};

/// "auto", "off", "on".
std::optional<ComponentClocks> component_clocks_named(std::string_view name);

struct Experiment {
  double start = 0;  // seconds
  double stop = 1;
  double tolerance = 1e-6;                                    // relative; absolute in terms of nominal values
  double max_step = std::numeric_limits<double>::infinity();  // of the integrator: seconds
  std::uint32_t steps = 500;                                  // output intervals: steps + 1 rows
  Solver solver = Solver::Auto;
  ComponentClocks components = ComponentClocks::Auto;
  Ordering ordering = Ordering::Auto;  // of the integrator's sparse factors
  unsigned threads = 1;                // for a large model; 0: as many as the machine has and pay
  Overrides overrides = {};            // of parameters
  /// Initial values instead of the model's own initialisation, per variable; NaN where unknown, which no
  /// state may be. Empty: the model's own.
  std::vector<double> from = {};
  /// `from` is the result of a simulation that ended at this time: clock ticks at the start are processed
  /// already.
  bool continues = false;
  /// Whether the stop time is the end of the run, at which `terminal` handlers are executed, or a point for
  /// an analysis.
  bool ends = true;
  bool seek_other_solutions = false;  // of the start: `Outcome::others`
};

class StructureSource;
class JumpSource;
class Checkpoints;
struct Profile;

struct Control {
  const std::atomic<bool>* cancel = nullptr;      // checked at every step and row
  std::function<void(double fraction)> progress;  // called at every step, fraction in [0, 1]
  EventObserver* events = nullptr;                // is told every event
  StructureSource* structure = nullptr;           // of a model with transitions
  JumpSource* jumps = nullptr;                    // of a model without
  Checkpoints* checkpoints = nullptr;             // none are taken
  Profile* profile = nullptr;                     // is measured; without clocks of components
};

struct Statistics {
  Form form = Form::Static;
  FormReason form_reason = FormReason::Requested;
  std::string_view solver;  // "CVODE BDF", "CVODE Adams", "CVODE Adams and BDF", "IDA", "LIQSS2", or empty
  std::string_view linear_solver;  // LinearSystem::method, or empty
  bool fixed_point = false;        // fixed-point iteration at the end, and no linear solver
  std::string_view ordering;       // SolverObjects::ordering_name
  std::uint64_t unknowns = 0, states = 0, retained = 0;
  std::uint64_t nonzeros = 0;  // of the Jacobian
  std::uint64_t steps = 0, evaluations = 0, jacobians = 0, factorisations = 0;
  std::uint64_t loop_factorisations = 0;  // of the Jacobians of algebraic loops, not in `factorisations`
  std::uint64_t events = 0;               // that changed the equations
  /// Independent components: solved exactly, forms of these, others; zero if they have no clocks of their
  /// own.
  std::uint64_t exact_components = 0, exact_forms = 0, other_components = 0;
  struct ExactKind {
    std::uint64_t components = 0, forms = 0;
    std::uint64_t events = 0;        // but for those at one instant with others
    double seconds = 0;              // for events
  } exact_of_one, exact_of_several;  // exact components with one state, and with several
  std::uint64_t exact_events = 0;    // of `events`: those of exact components
  double seconds_exact = 0;          // of `seconds_integrate`: in exact components and their rows
  std::uint64_t state_changes = 0;   // selections of states that changed
  std::uint64_t newton_iterations = 0, newton_failures = 0, error_test_failures = 0;
  std::uint64_t method_changes = 0;  // between Adams and BDF
  int last_order = 0;
  double last_step = 0;                                       // seconds
  double initial_step = 0;                                    // the first one
  double max_step = std::numeric_limits<double>::infinity();  // Experiment::max_step, or the shortest delay
  std::uint64_t revised_steps = 0;                            // that a check inside refused (step_check.h)
  std::uint64_t check_evaluations = 0;  // of the model by that check, not in `evaluations`
  struct StateSteps {
    std::uint32_t variable = 0;
    std::uint64_t steps = 0;
  };
  std::vector<StateSteps> busiest{};     // quantised states with most steps, which `steps` is the sum of
  std::vector<std::uint64_t> updates{};  // the steps of all of these, by state
  std::uint64_t rows = 0;                // of results
  unsigned threads = 1;
  double seconds_initialise = 0, seconds_integrate = 0, seconds_write = 0;
  std::uint64_t structure_changes = 0;
};

class ReducedSystem;
/// Writes form, size and Jacobian of the system into statistics.
void describe_system(const ReducedSystem& system, Statistics& statistics);

/// The largest magnitude of an integrated state, and its nominal value (state_scales.h).
struct StateScale {
  std::uint32_t variable = 0;
  double largest = 0, nominal = 0;
};

struct Outcome {
  enum Status : std::uint8_t { Completed, Cancelled, Failed } status = Failed;
  double reached = 0;                            // time up to which there are results
  std::optional<std::uint32_t> terminated{};     // the trigger that terminated the simulation
  std::vector<std::uint32_t> transitions{};      // those that ended the last part of it (structure.h)
  double changed_at = 0;                         // the time of these
  std::vector<double> before_jump{};             // StructureEnd::before
  std::vector<std::uint32_t> constantly_true{};  // triggers, as EventHandler, of a completed run
  Failure failure;
  Statistics statistics;
  std::vector<Continued> continued;   // initial algebraic loops that only continuation solved
  std::vector<OtherSolution> others;  // of algebraic loops of the start
  GuessedStart guessed;               // where the initial schedule could not be used
  std::vector<BranchJump> jumps;      // between rows, the first few
  std::optional<SolverChange> solver_change{};
  std::vector<StateScale> scales;  // of all integrated states, if the absolute tolerance hides one; else none
  std::vector<double> values;      // of all variables at `reached`
  std::vector<double> parameters;  // at the end, selectors of states included
  Overrides overrides{};           // of the model at the end
};

}  // namespace runtime
