// sigrel animate: a page on which a model with bodies moves, or a picture of it at one time.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <unordered_set>

#include "compiler/animate/animate.h"
#include "compiler/driver/command.h"
#include "compiler/driver/interrupt.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/report.h"
#include "compiler/session/result_table.h"
#include "runtime/results/output_file.h"
#include "runtime/results/progress.h"
#include "runtime/solve/parameters.h"

namespace sigrel::driver {
namespace {

constexpr std::size_t kMostNumbers = 6'000'000;  // of all poses of a page: some 30 MB

struct Options {
  std::string file, output, results;
  std::optional<std::string> expression;
  std::vector<std::string> set;
  std::optional<double> still;
  int width = 960, height = 600;
  RunOptions run;
};

/// The run that a file of results holds. Nullopt after an error.
std::optional<Run> run_in_file(const std::string& path, const Compiled& model, const animate::Scene& scene,
                               Diagnostics& diagnostics) {
  auto table = session::read_results(path, [](std::string_view) { return true; }, diagnostics);
  if (!table) return std::nullopt;
  const std::unordered_set<std::string_view> known(table->names.begin(), table->names.end());
  const pipeline::Results results(model);
  for (const std::string& name : animate::columns_of(model, scene))
    if (!known.contains(name) && results.find(name)) {
      diagnostics
          .report(Code::UnknownResult,
                  fmt::format("`{}` has no column `{}`, which the picture needs", path, name))
          .help("let the run write it: `-v " + name.substr(0, name.rfind('.')) +
                ".*`, or without `--results` the model is run");
      return std::nullopt;
    }
  Run run;
  run.valid = true;
  run.trajectory = session::trajectory_of(*table);
  // Units are those of the model: a CSV file mostly has none.
  for (const std::string& name : table->names)
    run.columns.add(name, results.find(name).value_or(runtime::Column{}));
  run.descriptions = results.descriptions(run.columns);
  return run;
}

int animate_model(const Globals& globals, Options& options) {
  const bool is_still = options.still.has_value();
  if (options.output.empty())
    options.output = std::filesystem::path(options.file).stem().string() + (is_still ? ".svg" : ".html");
  const std::string extension = std::filesystem::path(options.output).extension().string();
  if (is_still ? !no_plot_file(options.output).empty() : extension != ".html" && extension != ".htm")
    throw CLI::ValidationError(
        "--output", fmt::format("`{}` must end in {}", options.output, is_still ? ".svg or .png" : ".html"));
  SessionOptions session_options = globals.run_options();
  session_options.keep_equations = false;
  const std::string library = session_options.path.library;
  Session session(std::move(session_options));
  const auto finish = [&](int exit_code) {
    print_diagnostics(globals, session);
    print_timings(globals, session);
    return exit_code;
  };
  options.run.set = parse_settings(options.set);
  session.load(options.file);
  if (!session.check(options.expression)) return finish(kUserError);
  const std::shared_ptr<Compiled> model =
      session.compile(options.run.set, Backend::Jit, StartPolicy::Guesses, {}, options.run.start);
  if (!model) return finish(kUserError);
  if (!outputs_are_separate(std::vector<NamedFile>{{"`-o`", options.output}},
                            inputs_of(globals, session, options.run), session.diagnostics()))
    return finish(kUserError);

  // Which columns are recorded does not depend on the values of parameters, which are known after the run.
  animate::Scene scene =
      animate::scene_of(*model, session.sources(), library, runtime::evaluate_parameters(model->plan.model));
  if (scene.empty()) {
    session.diagnostics()
        .report(Code::NothingToDraw, "the model has no part that has a shape")
        .note("bodies, rods, joints and springs of `Spatial` and `Planar` have one")
        .help("`sigrel run --plot` shows curves of any model");
    return finish(kUserError);
  }
  Run run;
  if (!options.results.empty()) {
    std::optional<Run> found = run_in_file(options.results, *model, scene, session.diagnostics());
    if (!found) return finish(kUserError);
    run = std::move(*found);
  } else {
    RunOptions& request = options.run;
    request.outputs = animate::outputs_of(*model, scene);
    request.events = request.events.value_or(true);
    request.cancel = &InterruptGuard::interrupted;
    runtime::Progress progress(stderr);
    if (isatty(STDERR_FILENO) == 1 && !globals.json())
      request.progress = [&](double fraction) { progress.update(fraction); };
    {
      InterruptGuard guard;
      run = session.run(*model, request);
    }
    progress.finish();
    if (!run.valid || run.trajectory.rows() == 0) return finish(kUserError);
    if (!run.outcome.parameters.empty())
      scene = animate::scene_of(*model, session.sources(), library, run.outcome.parameters);
  }
  const std::size_t most =
      std::max<std::size_t>(2, kMostNumbers / std::max<std::size_t>(1, 7 * scene.frames.size()));
  const animate::Movement movement =
      animate::movement(*model, scene, run.trajectory, is_still ? SIZE_MAX : most);
  animate::choose_sizes(scene, movement);
  animate::Animation animation{scene, movement, run};
  animation.title =
      options.expression ? *options.expression : std::filesystem::path(options.file).filename().string();
  animation.is_partial = run.last && run.last != model;
  bool fine = !session.diagnostics().has_errors();
  if (is_still) {
    const double last = movement.times.back();
    if (*options.still > last || *options.still < movement.times.front()) {
      session.diagnostics()
          .report(Code::TimeOutsideRun, fmt::format("the run has no time {:g} s", *options.still))
          .note(fmt::format("it goes from {:g} s to {:g} s", movement.times.front(), last));
      return finish(kUserError);
    }
    const std::string svg = animate::still(animation, *options.still, options.width, options.height);
    fine = write_plot(options.output, svg, options.width, options.height, session.diagnostics()) && fine;
  } else {
    animation.panes = animate::plotted(*model, run.trajectory);
    const std::string error = runtime::write_file(options.output, animate::page(animation));
    if (!error.empty()) {
      session.diagnostics()
          .report(Code::ResultNotWritten, "the page cannot be written to `" + options.output + "`")
          .note(error);
      fine = false;
    }
  }
  if (fine)
    fmt::print("the {} is in {}{}\n", is_still ? "picture" : "animation", options.output,
               animation.is_partial ? "; it shows the parts of the first structure alone" : "");
  if (run.outcome.status == runtime::Outcome::Cancelled) {
    fmt::print(stderr, "interrupted at t = {:.9g} s\n", run.outcome.reached);
    return finish(kInterrupted);
  }
  return finish(fine ? kSuccess : kUserError);
}

}  // namespace

void add_animate(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("animate", "Write a page on which the bodies of a model move");
  command->add_option("file", options->file, "Input file")->required()->type_name("FILE");
  command
      ->add_option("-o,--output", options->output,
                   "Write to this file (default: the name of the model, with .html, or .svg for a still)")
      ->type_name("FILE");
  command
      ->add_option("-e,--expression", options->expression,
                   "Run this experiment or relation instead of `main`")
      ->type_name("EXPR");
  command
      ->add_option("--results", options->results,
                   "Take the movement from this file of `sigrel run -o`, without a run")
      ->type_name("FILE");
  command
      ->add_option("--still", options->still,
                   "Write a picture of this time instead, as SVG or PNG by the name of the file")
      ->type_name("T");
  command->add_option("--width", options->width, "Width of the picture in pixels")
      ->check(CLI::Range(100, 10'000));
  command->add_option("--height", options->height, "Height of the picture in pixels")
      ->check(CLI::Range(100, 10'000));
  command->add_option("--stop", options->run.stop, "Stop time in seconds")->type_name("T");
  command->add_option("--tolerance", options->run.tolerance, "Relative tolerance")->type_name("X");
  command->add_option("--steps", options->run.steps, "Number of output intervals")->type_name("N");
  command->add_option("--solver", options->run.solver, "Solver: auto, cvode, adams or ida")->type_name("S");
  command->add_option("--set", options->set, "Set a Real parameter by its hierarchical name; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->callback([&globals, &exit_code, options] { exit_code = animate_model(globals, *options); });
}

}  // namespace sigrel::driver
