// The facade for all tools: loads and compiles a file, reports diagnostics, runs the compiled model.
//
//   Session session({.path = {{}, pipeline::library_folder()}});
//   session.load("circuit.sr") && session.check();
//   auto model = session.compile();
//   auto run = session.run(*model, {.set = {{"r", 5.0}}});  // other parameter values: no compilation
//   std::optional<double> v = run.value("c1.u");            // the final value; run.column("c1.u") over time
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/data/used_file.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/explain/structure_changes.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/results.h"
#include "compiler/session/sweep.h"
#include "runtime/analysis/linearize.h"
#include "runtime/analysis/steady.h"
#include "runtime/integrate/simulate.h"
#include "runtime/results/trajectory.h"

namespace sigrel::explain {
struct StructuralTypes;
}
namespace sigrel::structural_types {
struct Picture;
}

namespace sigrel {

using pipeline::Backend;
using pipeline::Compiled;
using plan::StartPolicy;
using Settings = std::vector<std::pair<std::string, double>>;  // parameter by hierarchical name, value

struct SessionOptions {
  pipeline::SearchPath path;
  bool verify = false;                      // verify the output of every stage
  bool keep_equations = true;               // keep the flat equations for explain::why_text
  std::vector<std::string> libraries = {};  // shared libraries that define foreign functions
  pipeline::CodeOptions code = {};          // how kernels become executable
  /// Parse what the program mentions of the library; all of it after a report, so that reports are the same.
  pipeline::LibraryPart library_part = pipeline::LibraryPart::Whole;
  Limits limits = {};
};

struct Run;

/// Changes of one run to the experiment of the model; absent settings keep the values of the model.
struct RunOptions {
  // The initializers let designated initializers leave members out without a warning.
  std::optional<double> start = {}, stop = {}, tolerance = {}, max_step = {};
  std::optional<std::uint32_t> steps = {};
  std::optional<std::string> solver = {};
  std::optional<bool> assert_bounds = {};  // a variable outside its `min` and `max` ends the run
  bool header_units = false;               // runtime::Output::header_units
  std::optional<bool> events = {};         // rows before and after each event (runtime::Output::event_rows)
  runtime::Ordering ordering = runtime::Ordering::Auto;
  runtime::ComponentClocks components = runtime::ComponentClocks::Auto;
  unsigned threads = 0;  // for large models; 0: as many as are available and speed up the run
  Settings set = {};
  std::string init_from = {};  // "FILE" or "FILE@t": results of an earlier run with the initial values
  /// The run starts where this one of the same model has ended, with its values: clock ticks of that time
  /// have happened. Models with delays or switches cannot; that is an error. Null: it starts by itself.
  const Run* after = nullptr;
  bool ends = true;  // false: another run goes on from the stop time; `terminal` does not happen
  std::vector<std::string> outputs = {};   // patterns; empty: those of the model, or Results::by_default
  bool all_outputs = true;                 // false: compute and record only the columns to plot
  bool plot_something = false;             // plot some of the states if the model has no `plot`
  std::vector<runtime::Sink*> sinks = {};  // receive all columns
  bool is_point = false;  // of an analysis: nothing is said of the way to it, and `terminal` does not happen
  bool keep_trajectory = true;  // keep all columns in memory; else only those to plot
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(double fraction)> progress = {};
  runtime::EventObserver* event_observer = nullptr;  // explain::EventLog, for example
  /// Is called with the model that continues after a change of structure; events are of this one from then
  /// on. Without it the observer sees no events of models whose structure changes.
  std::function<void(const Compiled& model)> structure_changed = {};
  /// Is called when a change of structure has taken place. Modes that a search only tries are none.
  std::function<void(const explain::StructureChange& change)> change_observer = {};
  runtime::Checkpoints* checkpoints = nullptr;  // none are taken
  runtime::Profile* profile = nullptr;          // is measured, explain::RunProfile for example
  std::string kept_results = {};                // the file that a sink writes, for messages
};

/// The names of the columns to plot, by pane.
using Panes = std::vector<std::vector<std::string>>;

struct Run {
  bool valid = false;         // false: an error was reported before the run started
  bool bound_failed = false;  // a `min` or `max` ended it (RunOptions::assert_bounds), or the range of Ints
  runtime::Outcome outcome;
  std::shared_ptr<const Compiled> last;  // the model at the end: another one if the structure changed
  pipeline::Columns columns;             // recorded; the order of `final_values` and of the sinks
  std::vector<double> final_values;
  runtime::Trajectory trajectory;
  Panes panes;                            // to plot; the trajectory has their columns
  std::vector<std::string> descriptions;  // of the columns: pipeline::Results::descriptions

  bool completed() const { return valid && outcome.status == runtime::Outcome::Completed; }
  /// The names of the columns to plot, each once.
  std::vector<std::string> plotted() const;
  /// The final value of a column; nullopt if it was not recorded.
  std::optional<double> value(std::string_view name) const;
  /// A column of the trajectory; empty if it was not recorded.
  std::vector<double> column(std::string_view name) const;
  /// The description of a column; empty if it was not recorded.
  std::string_view description(std::string_view name) const;
};

struct LinearizeOptions {
  RunOptions run;                            // `stop` is the time of the linearization, by default the start
  std::vector<std::string> inputs, outputs;  // patterns; `*` matches any characters
};

/// A linear model with the names of its rows and columns.
struct Linearization {
  double time = 0;
  std::vector<std::string> states, inputs, outputs;
  std::vector<double> rates;  // derivatives of the states at the point; all zero in an equilibrium
  runtime::LinearModel model;
};

struct SteadyOptions {
  struct Vary {
    std::string name;  // of a parameter or variable
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  };
  RunOptions run;  // determines the initial values of the search
  Settings fix;    // variables with prescribed values
  std::vector<Vary> vary;
  std::vector<std::string> exclude;  // states that keep their initial values
  std::string minimise, maximise;    // the objective; at most one of them
};

struct SteadyRow {
  enum Role : std::uint8_t { State, Input, Parameter, Given, Goal, Held, Variable } role;
  std::string name;
  double value = 0;
  bool at_bound = false;
  std::string description = {};  // of a Bool, an Int or a data type: pipeline::Results::descriptions
};

struct SteadyPoint {
  double time = 0;
  std::vector<SteadyRow> rows;  // free values, prescribed values, the objective, what only events change
  std::uint32_t iterations = 0;
  pipeline::Columns all;                  // all variables of a small model, the states of a large one
  std::vector<double> values;             // of `all`
  std::vector<std::string> descriptions;  // of `all`
};

class Session {
 public:
  explicit Session(SessionOptions options);

  /// Reads and parses a file and its imports. False after errors; `check` may report more of them.
  bool load(const std::string& path);
  /// The same for text; its imports are searched in `folder`.
  bool load_text(std::string name, std::string text, const std::string& folder = ".");
  /// After `load`, until `check` takes them: the parsed modules, the root last. Null if the file was not
  /// read.
  const pipeline::Modules* loaded() const { return loaded_ ? &*loaded_ : nullptr; }
  /// Resolves names and checks types. `expression` replaces `main`. False after errors.
  bool check(const std::optional<std::string>& expression = std::nullopt);
  /// After `check`: computes the structural type of every definition. False if one is singular in every use.
  bool check_structure();
  /// After `check_structure`: compiles `main` as far as its errors do not depend on a run, including the
  /// settings of the experiment. True if `main` is not a complete model.
  bool check_main();
  /// After `check_structure`: "{p.v p.i n.v; p.i n.i}"; empty if the definition is not a relation or has no
  /// type independent of its use.
  std::string structural_type(const core::Global& global) const;
  /// After `check_structure`, whether it succeeded or not: the definition as a matrix, in each combination of
  /// the modes of its switches. Empty without type, unless the definition is singular itself.
  std::vector<structural_types::Picture> structure_pictures(const core::Global& global) const;
  /// Compiles to executable code. Null after errors. The names in `set` become parameters ("r1.r") that runs
  /// can change; the parameters of the relation that is run ("r") always are. Code that an earlier model of
  /// this session has in common (the same model in another size, for example) is reused. StartPolicy::Given
  /// is for runs with `init_from`. `inputs`: patterns of variables that `linearize` or
  /// `steady` disconnects from their equations; they are not merged with what they are equal to.
  /// `start_time`: at which mechanisms that time drives are assembled, if it is not that of the experiment.
  std::shared_ptr<Compiled> compile(const Settings& set = {}, Backend backend = Backend::Jit,
                                    StartPolicy start = StartPolicy::Guesses,
                                    std::vector<std::string> inputs = {},
                                    std::optional<double> start_time = {});
  /// The arguments of the relations in the model: the numbers that `set` can change, and those that determine
  /// the structure. Nullopt after errors.
  std::optional<std::vector<elaborate::Argument>> arguments();
  /// Runs a compiled model. Failures are reported; the result has the values up to a failure.
  Run run(const Compiled& model, const RunOptions& options = {});

  /// Runs a compiled model to a point and linearizes it there. Nullopt after errors.
  std::optional<Linearization> linearize(const Compiled& model, const LinearizeOptions& options);

  /// The columns that a sweep records: `run.outputs`, by default those that the model plots. Reports errors.
  pipeline::Columns sweep_columns(const Compiled& model, const RunOptions& run);
  /// Runs a compiled model at all points of a grid, whose axes are parameters of the model. Nullopt after
  /// errors, false if it was cancelled.
  std::optional<bool> sweep(const Compiled& model, const RunOptions& run, const pipeline::Columns& columns,
                            const session::SweepOptions& options);

  /// A steady state of a compiled model. Nullopt after errors.
  std::optional<SteadyPoint> steady(const Compiled& model, const SteadyOptions& options);

  /// The output of a stage as text or JSON; instead of `check`. Compiles as far as necessary. Nullopt after
  /// errors.
  std::optional<std::string> dump_loaded(const std::optional<std::string>& expression, pipeline::Dump stage,
                                         bool json);

  const SourceMap& sources() const { return sources_; }
  /// The file given to `load`.
  FileId root() const {
    return loaded_ ? loaded_->modules.back().file : checked_ ? checked_->root().file : FileId{};
  }
  Diagnostics& diagnostics() { return diagnostics_; }
  const std::vector<pipeline::Timing>& timings() const { return timings_; }
  /// The data files that the model has read so far.
  std::vector<data::UsedFile> data_files() const;
  /// After `check`.
  const core::Program& program() const { return checked_->program; }
  /// The globals of the root module, in source order.
  std::vector<const core::Global*> definitions() const;

 private:
  pipeline::Context context(Diagnostics& diagnostics) {
    return {.sources = sources_,
            .diagnostics = diagnostics,
            .timings = timings_,
            .compiler = *compiler_,
            .verify = options_.verify,
            .keep_equations = options_.keep_equations,
            .limits = options_.limits};
  }
  using Loading =
      std::function<std::optional<pipeline::Modules>(SourceMap&, Diagnostics&, pipeline::LibraryPart)>;
  bool load_with(Loading loading);
  bool mentioned_only() const;
  void load_whole_library();
  std::optional<runtime::Experiment> experiment(const Compiled& model, const RunOptions& options);
  pipeline::Columns choose_columns(const Compiled& model, const RunOptions& options, Panes& panes);

  SessionOptions options_;
  SourceMap sources_;
  Diagnostics diagnostics_;
  std::vector<pipeline::Timing> timings_;
  std::shared_ptr<jit::Compiler> compiler_;
  Loading loading_;
  std::optional<pipeline::Modules> loaded_;
  std::optional<pipeline::Checked> checked_;
  std::shared_ptr<const explain::StructuralTypes> structural_types_;
};

}  // namespace sigrel
