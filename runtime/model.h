// runtime::Model: an executable model, as schedules of kernel batches over flat tables, and the kernels that
// evaluate them. Plain data: the compiler fills it, the runtime executes it and depends on nothing else of
// the compiler.
//
// All variables (states, derivatives, algebraic) have one place in `values`. A kernel batch evaluates one
// kernel over `count` rows, which are equations of one shape. Its table is column-major: column k, row i is
// at tables[batch.table + k * count + i]. The first `slots` columns are indices into `values`, the next
// `params` columns are indices into the parameter values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/interval.h"

namespace runtime {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

struct KernelArguments {
  double time = 0;
  double* values = nullptr;            // all variables
  const double* parameters = nullptr;  // all parameter values
  const std::uint32_t* table = nullptr;
  std::size_t stride = 0;          // rows of the table: column k starts at table + k * stride
  std::size_t begin = 0, end = 0;  // rows to evaluate
  double* out = nullptr;  // Residual: out[i]; Partials: out[k * stride + i] for slot k; Solve: unused
};

enum class Role : std::uint8_t {
  Residual,  // out[i] = F(row i)
  Solve,     // values[column `solved` of row i] = the solution of F = 0 for that slot
  Partials,  // out[k * stride + i] = dF/d(slot k) of row i, for every slot
};

/// Compiled or interpreted code of one shape in one role.
struct Kernel {
  using Function = void (*)(const void* self, const KernelArguments* arguments);
  Function function = nullptr;
  const void* self = nullptr;
};

/// How the result of a Residual or Solve kernel depends on its slots. It is affine in a set of slots if no
/// pair of `products` is in the set: the coefficient of the first slot depends on the second one, or, where
/// both are the same, the result is not affine in that slot.
struct Linearity {
  struct Product {
    std::uint32_t slot = 0, other = 0;
  };
  bool unknown = true;
  bool reads_time = false;
  std::vector<std::uint32_t> reads;  // the slots on which the result depends at all
  std::vector<Product> products;
};

/// What a kernel has of operations that may vary much more quickly than what they read: exponentials, sines,
/// quotients and others, of what is not constant. Such an operation may do inside a step what its values at
/// both ends do not show.
struct Sharpness {
  enum Kind : std::uint8_t {
    None,      // or an operation of the kernel has no enclosure
    IfCurved,  // only exponentials of what is affine in `slots`: sharp where one of these may turn back
    Any,
  } kind = None;
  bool curved = false;               // the result is not affine in the slots and the time
  bool reads_time = false;           // sharp operations read the time
  std::vector<std::uint32_t> slots;  // that sharp operations read
};

/// Whether the sharp operations of a kernel are resolved over an interval: each of them varies so little, or
/// so evenly, that it can hide nothing there.
struct Resolution {
  bool resolved = true;
  bool pole = false;  // a divisor may be zero where its dividend is not
};

struct EnclosureArguments {
  Interval time;
  Enclosure* values = nullptr;  // all variables, over that time
  const double* parameters = nullptr;
  const std::uint32_t* table = nullptr;
  std::size_t stride = 0, row = 0;
  Enclosure* out = nullptr;          // Residual: of the row; Solve: unused
  Resolution* resolution = nullptr;  // of the sharp operations, instead of a result; null: not wanted
};

/// A Residual or Solve kernel on enclosures, one row at a time.
struct EnclosureKernel {
  using Function = void (*)(const void* self, const EnclosureArguments* arguments);
  Function function = nullptr;
  const void* self = nullptr;
};

/// Equations of one shape, or sums (then `kernel` is kNone: the runtime evaluates sums itself). Table of a
/// batch of sums: count + 1 offsets into its term list, count positions of the solved term (Solve only;
/// relative to the row's first term), then the terms: index << 1 | negative.
struct KernelBatch {
  Role role = Role::Solve;         // Solve or Residual
  std::uint32_t kernel = kNone;    // into Model::kernels
  std::uint32_t partials = kNone;  // the Partials kernel of the same shape
  /// Of a Solve batch in a loop, or of the start, there if the coefficient of the solved slot is no number:
  /// the Residual kernel of the same shape.
  std::uint32_t residual = kNone;
  std::uint32_t slots = 0;
  std::uint32_t params = 0;
  std::uint32_t solved = 0;     // the slot that a Solve batch assigns
  std::uint32_t count = 0;      // rows
  std::uint64_t table = 0;      // offset into Model::tables
  std::uint64_t equations = 0;  // offset into Model::equations: the equation number of each row, for messages
};

/// A torn algebraic loop. Its Solve batches, which come first and in an order in which they can be evaluated,
/// give the inner variables from the tearing variables; its Residual batches hold the residual equations.
struct AlgebraicLoop {
  std::uint32_t first_batch = 0, batches = 0;
  // Into Model::tearing_variables; as many as there are rows in its Residual batches.
  std::uint32_t first_unknown = 0, unknowns = 0;
  enum Kind : std::uint8_t {
    Nonlinear,
    Linear,  // in the tearing and the inner variables, whatever the values of all others
    Fixed,   // linear, with coefficients that consist of numbers and parameters
  } kind = Nonlinear;
};

/// One step of a schedule: a Solve batch or an algebraic loop. In the initial schedule a Solve batch may also
/// give values to unknowns of a loop after it from which that starts, where its results are finite.
struct Step {
  /// Assign, Guess: batches[index]; Solve: loops[index].
  enum Kind : std::uint8_t { Assign, Solve, Guess } kind = Assign;
  std::uint32_t index = 0;
};

struct State {
  std::uint32_t variable = 0;
  std::uint32_t derivative = 0;
};

/// Candidates for states, of which some are selected, and not always the same (events/state_choice.h). The
/// set has states of its own, which equations of the model relate to the candidates: state = sum of selector
/// * candidate, and likewise for the derivatives.
struct StateSet {
  std::uint32_t first_batch = 0,
                batches = 0;  // Residual: the differentiated equations that relate derivatives
  /// Into Model::set_variables: derivatives that are never selected, derivatives of the candidates,
  /// candidates.
  std::uint32_t first_variable = 0, eliminated = 0, candidates = 0;
  std::uint32_t first_weight = 0;  // into Model::set_weights, one per candidate: a small one is preferred
  std::uint32_t first_state = 0, states = 0;  // into Model::states
  std::uint32_t first_selector = 0;           // parameters: states * candidates, state by state
};

/// Operations whose value or slope jumps, one per row: between two events each of them is one smooth piece,
/// which the equations read from parameters. `batch` (Residual) gives the argument, whose crossing of a
/// boundary of the piece is an event (events/pieces.h).
struct ZeroCrossing {
  enum Kind : std::uint8_t {
    Comparison,  // held: 1 if the argument, left side minus right side, is below zero (or, when not strict,
                 // not above), else 0
    Floor,       // held: the largest whole number not above the argument
    Round,       // held: the nearest whole number; halves away from zero
    Table,       // held: the piece of a table, and its polynomial; the last parameter of the row is the table
  };
  std::uint32_t batch = 0;
  /// The first held parameter: value j of a row is at first + j * rows + row.
  std::uint32_t first = 0;
  bool strict = false;
  Kind kind = Comparison;
};

/// Parameters that a row holds: of a table these are the number of the piece, from 0 on, and the knot and
/// coefficients of its polynomial c0 + c1 u + c2 u² + c3 u³, u = argument - knot.
constexpr std::uint32_t held_width(ZeroCrossing::Kind kind) { return kind == ZeroCrossing::Table ? 6 : 1; }

/// A table of one argument: n knots and n + 1 polynomials, one before the first knot.
struct PieceTable {
  std::uint64_t first_knot = 0, knots = 0;  // into Model::knots
  std::uint64_t first_coefficient = 0;      // into Model::coefficients: 4 of each piece, lowest power first
};

/// A row of a zero crossing whose argument depends on time, parameters and discrete variables alone: it
/// is known beforehand (events/time_events.h). The rows [first_row, first_row + rows) of Model::time_rows
/// compute what it reads, in this order.
struct TimeFunction {
  std::uint32_t zero_crossing = 0, row = 0;
  std::uint32_t first_row = 0, rows = 0;
};

struct BatchRow {
  std::uint32_t batch = 0, row = 0;
};

/// Ticks at offset + k * period for k = 0, 1, …, or whole k from `start` on, until `stop`: parameters.
struct Clock {
  std::uint32_t trigger = 0;
  std::uint32_t period = 0, offset = 0, start = 0, stop = 0;
  std::uint32_t first_jitter = 0, jitters = 0;  // into Events::jitters: delays of the ticks, taken in turn
};

/// An assignment by a trigger that fires: a variable (a state, or one of `Model::constants`) takes the value
/// of a row of Events::values.
struct Assignment {
  std::uint32_t trigger = 0;
  std::uint32_t variable = 0;
  BatchRow value;
  bool negated = false;
  bool integer = false;  // the variable is an Int, which a double holds below kFirstInexact
};

/// 2^53: a double holds every Int below it in absolute value; 2^53 + 1 is rounded.
constexpr double kFirstInexact = 9007199254740992.0;

/// Event handlers (events/event_handler.h). Triggers are numbered. One fires when any of its conditions
/// changes from false to true, when its clock ticks, or at the start or the end of the simulation.
struct Events {
  std::uint32_t triggers = 0;
  std::vector<std::uint32_t> conditions;          // Residual batches: not 0 is true
  std::vector<std::uint32_t> condition_triggers;  // the triggers of their rows, batch after batch
  std::vector<std::uint32_t> initial, terminal;   // triggers that fire at the start, and at the end
  struct Alternative {  // `trigger` does not fire when one before it in its chain does
    std::uint32_t trigger = 0, preceding = 0;
  };
  std::vector<Alternative> alternatives;  // each after that of its preceding trigger
  std::vector<std::uint32_t> values;      // Residual batches: the assigned values
  std::vector<Assignment> assignments;    // of their rows, batch after batch
  std::vector<Clock> clocks;
  std::vector<std::uint32_t> jitters;        // parameters
  struct Previous {                          // `variable` (of Model::constants) is `pre` of `of`
    std::uint32_t variable = 0, of = kNone;  // kNone: always zero
    bool negated = false;
  };
  std::vector<Previous> previous;
  std::vector<std::uint32_t> terminating;  // triggers that terminate the simulation
  /// Triggers after which another model continues (integrate/structure.h), ascending. They act as long as
  /// their conditions hold, not only when these become true.
  std::vector<std::uint32_t> transitions;
};

/// `variable` (of Model::constants) is `of`, delayed (events/history.h).
struct Delay {
  std::uint32_t variable = 0, of = kNone;  // kNone: always zero
  std::uint32_t length = 0;                // parameter: seconds
  bool negated = false;                    // its negative
  bool piecewise_constant = false;         // not interpolated between two values
};

/// parameters[i] = value, or an operation on earlier parameters, evaluated in ascending order once per
/// simulation by `evaluate_parameters` with Model::operation.
struct ParameterRule {
  std::uint8_t op = 0;  // 0: constant
  std::uint32_t a = 0, b = 0, c = 0;
  double value = 0;
};

struct Model {
  std::uint32_t variables = 0;
  std::vector<State> states;
  std::vector<StateSet> sets;
  std::vector<std::uint32_t> set_variables;
  std::vector<double> set_weights;
  /// Per variable: the parameter with its guess, or kNone (0.0). Empty: none has one.
  std::vector<std::uint32_t> start;
  /// Per variable: the parameter with its nominal value, or kNone. Empty: none has one.
  std::vector<std::uint32_t> nominal;
  std::uint32_t start_of(std::uint32_t variable) const { return start.empty() ? kNone : start[variable]; }
  /// Per variable without a start: the parameter with the value from which Newton's method begins at the
  /// start, or kNone. Empty: none has one.
  std::vector<std::uint32_t> first_iterate;
  /// Per variable: whether its start is where a search begins, and no guess of the user. Empty: none.
  std::vector<std::uint8_t> start_is_computed;
  bool has_guess(std::uint32_t variable) const {
    return start_of(variable) != kNone && (start_is_computed.empty() || start_is_computed[variable] == 0);
  }
  /// Per variable: whether it is piecewise constant. Such a variable is assigned, has no derivative, and is
  /// not an unknown of any algebraic loop. Empty: there is none.
  std::vector<std::uint8_t> discrete;
  bool is_discrete(std::uint32_t variable) const { return !discrete.empty() && discrete[variable]; }
  std::vector<ParameterRule> parameters;
  double (*operation)(const void* library, const ParameterRule& rule, double a, double b, double c) = nullptr;
  std::shared_ptr<const void> library;  // for `operation`; owned by the compiler

  std::vector<std::uint32_t> tables;
  std::vector<std::uint32_t> equations;
  std::vector<KernelBatch> batches;
  std::vector<AlgebraicLoop> loops;
  std::vector<std::uint32_t> tearing_variables;

  /// Variables whose derivative is zero: the initial schedule determines them, and only events change them.
  std::vector<std::uint32_t> constants;

  std::vector<Step> initial;    // from parameters, time and guesses to every variable
  std::vector<Step> invariant;  // from parameters and `constants` to the variables that depend on nothing
                                // else; part of `initial`
  std::vector<Step> dynamic;    // from the states and those to their derivatives
  std::vector<Step> observed;   // from those to all other variables

  /// Residual batches of redundant initial equations: they must hold at the start and determine nothing,
  /// unless equations of `initial` do not determine their variables at these values
  /// (solve/consistent_start.h).
  std::vector<std::uint32_t> initial_checks;
  /// Equations of `initial` from the first number on are initial equations, from the second one on
  /// `state = guess`.
  std::uint32_t first_initial_equation = kNone, first_guess = kNone;
  /// Per variable: the one that is its time derivative, or kNone. Empty: none is.
  std::vector<std::uint32_t> derivative_of;

  /// Residual batches whose results are 0 where an assertion is violated. The equation numbers of their rows
  /// are the numbers of the assertions, from 0 on. They have no partials.
  std::vector<std::uint32_t> assertions;
  std::vector<Step> asserted;  // the part of `observed` that these read

  std::vector<ZeroCrossing> zero_crossings;  // equation numbers of their rows: from 0 on
  std::vector<PieceTable> piece_tables;  // by number of the table; empty if no zero crossing is of a table
  std::vector<double> knots, coefficients;
  std::vector<TimeFunction> time_functions;  // ascending
  std::vector<BatchRow> time_rows;
  std::vector<Step> compared;  // the part of `observed` that these, events and delays read
  Events events;
  std::vector<Delay> delays;

  std::vector<Kernel> kernels;       // by number; empty until code is generated
  std::vector<std::uint8_t> timed;   // by number: whether a kernel reads the time; empty: none does
  std::vector<Sharpness> sharpness;  // by number; empty: no kernel is sharp
  /// By number of the kernel; only of those in Model::time_functions, and of sharp ones.
  std::vector<EnclosureKernel> enclosures;
  /// By number of the kernel. Empty: unknown, as in models without events.
  std::vector<Linearity> linearity;
};

}  // namespace runtime
