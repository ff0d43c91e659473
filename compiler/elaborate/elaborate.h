// core::Program -> system::System: evaluates the functional level and instantiates relations into shapes and
// tables.
//
// Rooms, in the order in which a model passes through them:
//   bytecode.h, compile.cpp    core expressions as code for a small stack machine (no native recursion over
//   evaluation) value.h, machine.*         values and the machine; a signal is a scalar expression over the
//   columns of a body access.cpp, interface.cpp  parts of values; layouts whose sizes are evaluated
//   library.cpp                tables and functions of C
//   primitives.cpp             overloaded arithmetic on numbers, parameters, signals, vectors and records
//   relation.*                 a relation value as (skeleton, reals): what is structural, what is a parameter
//   body.*, items.cpp,         one relation body, once per skeleton: its items, its applications and nodes,
//   nodes.cpp, rows.cpp        its columns and rows
//   turns.cpp,                 equations and applications in loops: evaluated once for all turns that are
//   alike applications.cpp instantiate.*              bodies to table rows, instance by instance, with an
//   explicit queue
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/core.h"
#include "compiler/ir/system.h"

namespace sigrel::elaborate {

/// `--set NAME=VALUE`: the Real that the relation at that place captured, by hierarchical name: "r1.r". An
/// Int or a Bool of the model itself can be set too, which makes it another model.
struct Setting {
  std::string name;
  double value = 0;
};

/// A value of the functional level that an instance of a relation was given.
struct Argument {
  std::string name;  // "r1.r"
  std::string value;
  std::string type;  // as the signature of its relation has it; empty where there is none
  Span span;         // of the relation that uses it
  /// It decides which equations there are: another value means another elaboration. Otherwise it is a number
  /// that runs can change.
  bool structural = true;
};

struct Options {
  std::vector<Setting> set;
  std::vector<std::string> libraries;  // files in which foreign functions are looked for first
  bool arguments = false;              // list them in the result
  bool one_by_one =
      false;  // applications in loops are evaluated turn by turn, which makes the same system: for tests
};

/// The settings of the experiment that `main` is.
struct Experiment {
  double start = 0, stop = 1, tolerance = 1e-6;
  std::int64_t steps = 500;
  std::vector<std::string> outputs, plot;
  std::string solver = "auto";
};

struct Result {
  system::System system;
  Experiment experiment;
  std::vector<Argument> arguments;  // instance by instance; when Options ask for them
};

/// Elaborates `program.main`. Reports what the user did wrong and returns nothing then.
std::optional<Result> elaborate(const core::Program& program, const Options& options,
                                Diagnostics& diagnostics);

}  // namespace sigrel::elaborate
