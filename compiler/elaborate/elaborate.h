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
//   loops.cpp, event_items.cpp
//   body_parts.h                 the parts of a body under construction:
//     columns.*, rows.*,           scalars, equations
//     shapes.*, parameters.*       shared shapes and sources; parameter expressions, captured parameters
//     variables.*, nodes.*         variables as values; connectors
//     applications.*,              children and their labels; references to their hidden variables
//     member_references.*
//     events.*, loop_indices.h     triggers, `pre`, `delay`; the loops around an item
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
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/limits.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/core.h"
#include "compiler/ir/system.h"

namespace sigrel::elaborate {

/// `--set NAME=VALUE`: a Real captured by a relation, by hierarchical name: "r1.r". Also an Int or a Bool of
/// the model itself, which changes its structure.
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
  std::vector<std::string> outputs, plot;
  std::string solver = "auto";
  bool events = true;          // results have rows at events
  bool assert_bounds = false;  // a variable outside its `min` and `max` ends the run
};

struct Result {
  system::System system;
  Experiment experiment;
  std::vector<Argument> arguments;  // instance by instance, if Options::arguments
};

/// Elaborates `program.main`. Reports errors of the program and returns nullopt then.
std::optional<Result> elaborate(const core::Program& program, const Options& options,
                                Diagnostics& diagnostics);

}  // namespace sigrel::elaborate
