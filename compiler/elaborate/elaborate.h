// core::Program -> system::System: instantiates the relations of a model into shapes and tables.
//
// In: a checked program. Out: the flat system before reduction: unknowns, equations as rows of tables by
// shape, parameters, events, and the tree of instances with their names. Values of the functional level are
// evaluated by `evaluate`; a relation body is built once and copied for each instance.
//
//   values.h                     the names of `evaluate` that elaboration uses
//   instantiate.*, arguments.cpp bodies to table rows, instance by instance, with an explicit queue
//   body.*, blueprint.h, ids.h   building a body: once per skeleton, interface and structural Reals
//   items.*, item_kinds.cpp,     the items of a body: order of evaluation, and each construct
//   loops.cpp, event_items.cpp, switch_items.cpp
//   body_parts.h                 the parts of a body under construction:
//     columns.*, rows.*,           scalars, equations
//     shapes.*, parameters.*       shared shapes and sources; parameter expressions, captured parameters
//     variables.*, nodes.*         variables as values; connectors
//     applications.*,              children and their labels; references to their hidden variables
//     member_references.*
//     events.*, loop_indices.h     triggers, `pre`, `delay`; the loops around an item
//     switches.*                   the modes of switches, and transitions
//   instantiate_switches.cpp,    the modes that a run has entered, in instances; what is the same before and
//   identities.*                 after a change of structure
//   equate.*                     an equation between values as scalar residuals
//   loop_patterns.*,             equations and applications in loops: evaluated once for iterations of one
//   loop_recording.h,            kind
//   loop_equations.cpp,
//   loop_applications.cpp
//   components.*,                definitions by themselves, for structural types
//   exposed_components.*,
//   coefficient_pattern.*
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/limits.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/core.h"
#include "compiler/ir/system.h"

namespace sigrel::elaborate {

/// `--set NAME=VALUE`: a Real captured by a relation, by hierarchical name: "r1.r". Also an Int or a Bool of
/// the model itself, or a number that the module of `main` defines; these change the structure.
struct Setting {
  std::string name;
  double value = 0;
};

/// An argument of an instance.
struct Argument {
  std::string name;  // "r1.r"
  std::string value;
  std::string type;  // from the signature of its relation; empty where there is none
  Span span;         // of the relation
  /// Whether it decides structure: another value requires a new elaboration. Otherwise it is a number that
  /// can change between runs.
  bool structural = true;
};

struct Options {
  std::vector<Setting> set = {};
  std::vector<std::string> libraries = {};  // files that are searched for foreign functions first
  bool load_libraries = true;               // false: for a check, which runs no code of theirs
  Limits limits = {};
  bool arguments = false;  // list them in the result
  /// Evaluate applications in loops iteration by iteration. The result is the same: for tests.
  bool one_by_one = false;
};

/// The settings of the experiment that `main` is.
struct Experiment {
  double start = 0, stop = 1, tolerance = 1e-6;
  double max_step = std::numeric_limits<double>::infinity();
  std::int64_t steps = 500;
  std::vector<std::string> outputs;
  std::vector<std::vector<std::string>> plot;  // by pane
  std::string solver = "auto";
  bool events = true;          // results have rows at events
  bool assert_bounds = false;  // a variable outside its `min` and `max` ends the run
};

/// The structure of a system with switches, in numbers that hold for all systems of one Elaborator.
struct Structure {
  struct Switch {
    std::uint32_t identity = 0;
    std::uint32_t mode = 0;     // with the structure of its arguments, but without their numbers
    bool is_given = false;      // else it is the initial one, whose numbers are no parameters of their own
    bool has_initial = false;   // its mode has initial equations
    std::size_t constants = 0;  // in the arguments of the mode: Ints, Bools, constructors
  };
  std::vector<Switch> switches;         // by System::switches
  std::vector<std::uint32_t> targets;   // by System::transitions: modes
  std::vector<std::uint32_t> unknowns;  // identities
  std::vector<std::uint32_t> triggers;  // the same
  std::vector<std::uint32_t> owners;    // by unknown: the innermost switch in whose mode it is, or kNoSwitch
  std::vector<std::pair<std::uint32_t, std::uint32_t>> synonyms;  // unknowns and further identities
  /// Of System::mode_numbers: those of given modes whose values decide structure.
  std::vector<std::uint32_t> structural;
};

struct Result {
  system::System system;
  Experiment experiment;
  std::vector<Argument> arguments;  // instance by instance, if Options::arguments
  Structure structure;              // if the system has switches
  /// The settings that no part of the start has, with what is to be reported unless a part of a later mode
  /// has them. Without switches they are errors.
  std::vector<std::pair<std::size_t, Diagnostic>> unused_settings;
};

/// The mode of a switch, which a run has reached.
struct ChosenMode {
  std::uint32_t identity = 0;  // of the switch
  std::uint32_t mode = 0;
  std::vector<double> numbers{};  // empty: zeros
  bool entered = false;           // now; else it continues
  bool operator==(const ChosenMode&) const = default;
};

/// Elaborates the systems that follow each other when a run changes the structure of a model. It keeps the
/// values of the functional level.
class Elaborator {
 public:
  /// All arguments outlive the elaborator.
  Elaborator(const core::Program& program, Options options);
  ~Elaborator();
  Elaborator(const Elaborator&) = delete;

  /// The system at the start of a run. Reports errors of the program and returns nullopt then.
  std::optional<Result> start(Diagnostics& diagnostics);
  /// The system in these modes; other switches are in their initial ones. Its initial equations are those of
  /// what was entered.
  std::optional<Result> in_modes(std::span<const ChosenMode> modes, Diagnostics& diagnostics) {
    return in_modes(modes, false, diagnostics);
  }
  /// The same at the start of a run, after `start`.
  std::optional<Result> start_in(std::span<const ChosenMode> modes, Diagnostics& diagnostics) {
    return in_modes(modes, true, diagnostics);
  }
  /// Whether an elaboration so far has applied this setting.
  bool has_used(std::size_t setting) const;
  /// How many identities and modes have been numbered so far. The numbers depend on the order of
  /// elaborations: whoever repeats those that increase this count gets the same.
  std::size_t numbered() const;
  /// Whether these switches and modes have numbers, and the modes so many arguments.
  bool is_numbered(std::span<const ChosenMode> modes) const;

 private:
  std::optional<Result> in_modes(std::span<const ChosenMode> modes, bool at_start, Diagnostics& diagnostics);

  struct State;
  std::unique_ptr<State> state_;
};

/// Elaborates `program.main`. Reports errors of the program and returns nullopt then.
std::optional<Result> elaborate(const core::Program& program, const Options& options,
                                Diagnostics& diagnostics);

}  // namespace sigrel::elaborate
