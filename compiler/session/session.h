// The facade that every tool uses: a file in, diagnostics, a compiled model, runs of it.
//
//   Session session({.path = {{}, session::library_folder()}});
//   session.load("circuit.sr") && session.check();
//   auto model = session.compile();
//   auto run = session.run(*model, {.set = {{"r", 5.0}}});      // again with other parameters: nothing is
//   compiled double v = run.value("c1.u");                               // at the end; run.column("c1.u")
//   over time
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/session/pipeline.h"
#include "compiler/session/results.h"
#include "compiler/session/sweep.h"
#include "runtime/analysis/linearize.h"
#include "runtime/analysis/steady.h"
#include "runtime/integrate/simulate.h"
#include "runtime/results/trajectory.h"

namespace sigrel::session {
struct StructuralTypes;
}
namespace sigrel::structural_types {
struct Picture;
}

namespace sigrel {

using plan::StartPolicy;
using session::Backend;
using session::Compiled;
using Settings = std::vector<std::pair<std::string, double>>;  // parameter by hierarchical name, value

struct SessionOptions {
  session::SearchPath path;
  bool verify = false;  // every intermediate representation, after every stage
  bool why =
      true;  // `session::why_text` may be asked: the flat equations are kept as they were before reduction
  std::vector<std::string> libraries = {};  // shared libraries in which foreign functions are found
};

/// What one run may change of its experiment; what is absent stays as the model says.
struct RunOptions {
  std::optional<double> start, stop, tolerance;
  std::optional<std::uint32_t> steps;
  std::optional<std::string> solver;
  runtime::Ordering ordering = runtime::Ordering::Auto;
  unsigned threads = 0;  // for large models; 0: as many as the machine has and pay
  Settings set;
  std::string init_from;  // "FILE" or "FILE@t", results of an earlier run: where the states start
  std::vector<std::string>
      outputs;                  // patterns; empty: those of the model, or the default of session::Results
  bool all_outputs = true;      // false: only what `plot` asks for (nothing else is computed)
  bool plot_something = false;  // a model without `plot` gets some of its states
  std::vector<runtime::Sink*> sinks;  // get all columns, besides the trajectory
  bool keep_trajectory = true;        // in memory; else only the columns of `plot`
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(double fraction)> progress;
  std::string kept_results;  // the file that a sink writes: for messages
};

struct Run {
  bool valid = false;  // false: an error was reported before the run began
  runtime::Outcome outcome;
  session::Columns columns;  // what was asked for; `final_values` and the sinks have them in this order
  std::vector<double> final_values;
  runtime::Trajectory trajectory;
  std::vector<std::string> plot;          // names of the columns to plot, all in the trajectory
  std::vector<std::string> descriptions;  // one per column: session::Results::descriptions

  bool completed() const { return valid && outcome.status == runtime::Outcome::Completed; }
  /// The value at the end of a column by its name; nullopt when it was not recorded.
  std::optional<double> value(std::string_view name) const;
  /// A column of the trajectory; empty when it was not recorded.
  std::vector<double> column(std::string_view name) const;
  /// Whether a column is a Bool or an Int.
  bool piecewise_constant(std::string_view name) const;
};

struct LinearizeOptions {
  RunOptions run;                            // to the point: its `stop` is the time, absent: the start
  std::vector<std::string> inputs, outputs;  // names; `*` stands for any characters
};

/// A tangent with the names of its rows and columns.
struct Linearization {
  double time = 0;
  std::vector<std::string> states, inputs, outputs;
  runtime::LinearModel model;
};

struct SteadyOptions {
  struct Vary {
    std::string name;  // a parameter, or a variable
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  };
  RunOptions run;  // to the start, where the search begins
  Settings fix;    // variables and the values that they have
  std::vector<Vary> vary;
  std::vector<std::string> exclude;  // states
  std::string minimise, maximise;    // a variable; at most one of the two
};

struct SteadyRow {
  enum Role : std::uint8_t { State, Input, Parameter, Given, Goal } role;
  std::string name;
  double value = 0;
  bool at_bound = false;
};

struct SteadyPoint {
  double time = 0;
  std::vector<SteadyRow> rows;  // what was free, given and sought
  std::uint32_t iterations = 0;
  session::Columns all;        // every variable of a small model, the states of a large one
  std::vector<double> values;  // of `all`
};

class Session {
 public:
  explicit Session(SessionOptions options);

  /// Reads and parses a file and what it imports. False after errors; `check` finds more of them all the
  /// same.
  bool load(const std::string& path);
  /// The same for text; its imports are sought in `folder`.
  bool load_text(std::string name, std::string text, const std::string& folder = ".");
  /// Types. `expression` is what to run instead of `main`. False after errors.
  bool check(const std::optional<std::string>& expression = std::nullopt);
  /// After `check`: every relation by itself. False if one is singular in whatever it is used.
  bool check_structure();
  /// After `check_structure`: "{p.v p.i n.v; p.i n.i}"; empty where a definition is no relation, or not known
  /// without its use.
  std::string structural_type(const core::Global& global) const;
  /// After `check_structure`, whatever it said: what the definition looks like as a matrix, if it has a type
  /// or is itself singular.
  std::optional<structural_types::Picture> structure_picture(const core::Global& global) const;
  /// Everything up to executable code. Null after errors. What `set` names becomes a parameter of its own
  /// ("r1.r"), which runs can change; the parameters of the relation that is run ("r") always are. What an
  /// earlier model of this session computes in the same way (another size of it, for instance) is not
  /// generated again. StartPolicy::Given is for runs with `init_from`.
  std::shared_ptr<Compiled> compile(const Settings& set = {}, Backend backend = Backend::Jit,
                                    StartPolicy start = StartPolicy::Guesses);
  /// What the relations of the model were given: the numbers that `set` can change, and what decides the
  /// equations. Nullopt after errors.
  std::optional<std::vector<elaborate::Argument>> arguments();
  /// Runs a compiled model. What goes wrong is reported; what was computed until then is in the result.
  Run run(const Compiled& model, const RunOptions& options = {});

  /// Runs a compiled model to a point and linearizes it there; nullopt after errors.
  std::optional<Linearization> linearize(const Compiled& model, const LinearizeOptions& options);

  /// What a sweep records without being told: what the model plots; with `run.outputs`, those. An error is
  /// reported.
  session::Columns sweep_columns(const Compiled& model, const RunOptions& run);
  /// Runs a compiled model at all points of a grid, whose axes it has as parameters. Nullopt after errors,
  /// false when it was stopped.
  std::optional<bool> sweep(const Compiled& model, const RunOptions& run, const session::Columns& columns,
                            const session::SweepOptions& options);

  /// A steady state of a compiled model; nullopt after errors.
  std::optional<SteadyPoint> steady(const Compiled& model, const SteadyOptions& options);

  /// The output of a stage as text or JSON, instead of `check`; nullopt after errors. Compiles as far as is
  /// needed.
  std::optional<std::string> dump_loaded(const std::optional<std::string>& expression, session::Dump stage,
                                         bool json);

  const SourceMap& sources() const { return sources_; }
  /// The file that `load` was given.
  FileId root() const {
    return loaded_ ? loaded_->modules.back().file : checked_ ? checked_->root().file : FileId{};
  }
  Diagnostics& diagnostics() { return diagnostics_; }
  const std::vector<session::Timing>& timings() const { return timings_; }
  /// After `check`.
  const core::Program& program() const { return checked_->program; }
  /// The globals of the root module, in the order of the text.
  std::vector<const core::Global*> definitions() const;

 private:
  session::Context context() {
    return {sources_, diagnostics_, timings_, *compiler_, options_.verify, options_.why, {}, false, {}};
  }
  std::optional<runtime::Experiment> experiment(const Compiled& model, const RunOptions& options);
  session::Columns choose_columns(const Compiled& model, const RunOptions& options,
                                  std::vector<std::string>& plot);

  SessionOptions options_;
  SourceMap sources_;
  Diagnostics diagnostics_;
  std::vector<session::Timing> timings_;
  std::shared_ptr<jit::Compiler> compiler_;
  std::optional<session::Modules> loaded_;
  std::optional<session::Checked> checked_;
  std::shared_ptr<const session::StructuralTypes> structural_types_;
};

}  // namespace sigrel
