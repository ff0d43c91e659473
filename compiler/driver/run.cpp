// sigrel run: compiles a model, runs it, writes results, a plot and final values.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

#include "compiler/driver/checkpoint_store.h"
#include "compiler/driver/command.h"
#include "compiler/driver/fingerprint.h"
#include "compiler/driver/interrupt.h"
#include "compiler/driver/log_file.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/report.h"
#include "compiler/explain/event_log.h"
#include "compiler/explain/run_profile.h"
#include "compiler/report/report.h"
#include "compiler/session/result_table.h"
#include "compiler/session/statistics.h"
#include "runtime/results/output_file.h"
#include "runtime/results/plot_svg.h"
#include "runtime/results/progress.h"
#include "runtime/results/result_file.h"

namespace sigrel::driver {
namespace {

struct Options {
  std::string file;
  std::optional<std::string> expression;
  RunOptions run;
  std::vector<std::string> set, variables;
  std::string results, svg;
  std::string page, other;  // a report, and results to compare with
  std::string terminal_plot = "auto";
  bool no_plot = false;
  std::string backend = "jit";
  bool says_page = false;
  bool stats = false, profile = false, strict_initial = false;
  std::string log_events;  // a file, or LogFile::kStandardError; empty: no log
  std::string checkpoint;  // a file; empty: none are taken
  std::string every = "10min";
  bool continues = false;
};

constexpr std::size_t kLogOfReport = 256 * 1024;  // characters

/// The results of another run, as a trajectory; nullopt after an error.
std::optional<runtime::Trajectory> other_run(const std::string& path, Diagnostics& diagnostics) {
  const auto table = session::read_results(path, [](std::string_view) { return true; }, diagnostics);
  if (!table) return std::nullopt;
  return session::trajectory_of(*table);
}

bool write_page(const std::string& path, std::string_view html, Diagnostics& diagnostics) {
  const std::string error = runtime::write_file(path, html);
  if (error.empty()) return true;
  diagnostics.report(Code::ResultNotWritten, "the report cannot be written to `" + path + "`").note(error);
  return false;
}

bool write_svg(const Options& options, const Run& run, Session& session) {
  std::string title = options.expression ? *options.expression : options.file;
  const std::vector<runtime::Plot> panes = plots_of(run, title);
  runtime::SvgOptions size;
  size.height = height_of(panes.size());
  return write_plot(options.svg, runtime::plot_svg(panes, size), size.width, size.height,
                    session.diagnostics());
}

void report_log(const Options& options, const LogFile& file, Session& session) {
  session.diagnostics()
      .report(Code::ResultNotWritten, "the log of events cannot be written to `" + options.log_events + "`")
      .note(file.error());
}

/// Settings on which the contents of a checkpoint depend, beside those of the run.
std::vector<std::string> checkpoint_settings(const Options& options, const CheckpointInterval& every) {
  const RunOptions& run = options.run;
  auto choice = [](const std::optional<bool>& value) { return value ? (*value ? 1 : 0) : -1; };
  std::vector<std::string> settings = options.variables;
  settings.push_back(fmt::format("{} {} {} {} {} {}", options.backend, static_cast<int>(run.ordering),
                                 static_cast<int>(run.components), choice(run.events),
                                 choice(run.assert_bounds), every.rows));
  settings.push_back(
      fmt::format("{} {} {}", options.results.empty(), options.results.ends_with(".mat"), options.stats));
  settings.push_back(options.log_events.empty()                      ? ""
                     : options.log_events == LogFile::kStandardError ? "-"
                                                                     : "file");
  return settings;
}

int run(const Globals& globals, Options& options) {
  Settings set = parse_settings(options.set);
  const CheckpointInterval every = CheckpointInterval::parse(options.every);
  if (options.checkpoint.empty() && options.continues)
    throw CLI::ValidationError("--continue", "requires the name of the checkpoint: --checkpoint FILE");
  if (!options.checkpoint.empty() && options.results == "-")
    throw CLI::ValidationError("--checkpoint",
                               "requires a file of results, to which the run can return: -o FILE");
  // Never freed, like the model: freeing a million equations at the end of the process takes time.
  SessionOptions session_options = globals.run_options();
  session_options.keep_equations = !options.page.empty();  // the report says why
  session_options.code.threads = options.run.threads;
  static Session& session = *new Session(std::move(session_options));
  auto finish = [&](int exit_code) {
    print_diagnostics(globals, session);
    print_timings(globals, session);
    return exit_code;
  };

  session.load(options.file);
  if (!session.check(options.expression)) return finish(kUserError);
  const std::string log = options.log_events == LogFile::kStandardError ? "" : options.log_events;
  auto are_separate = [&] {
    return outputs_are_separate(std::vector<NamedFile>{{"`-o`", options.results},
                                                       {"`--plot`", options.svg},
                                                       {"`--report`", options.page},
                                                       {"`--log-events`", log},
                                                       {"`--checkpoint`", options.checkpoint}},
                                inputs_of(globals, session, options.run), session.diagnostics());
  };
  if (!are_separate()) return finish(kUserError);
  Backend backend = options.backend == "jit" ? Backend::Jit : Backend::Interpreter;
  static const auto& model = *new std::shared_ptr<Compiled>(session.compile(
      set, backend, start_policy(options.strict_initial, options.run), {}, options.run.start));
  if (!model || !are_separate()) return finish(kUserError);  // the evaluation has read data

  bool to_stdout = options.results == "-";
  RunOptions& request = options.run;
  std::unique_ptr<runtime::Sink> results;
  if (!options.results.empty()) {
    results = runtime::make_result_file(to_stdout ? "/dev/stdout" : options.results);
    request.sinks.push_back(results.get());
    if (!to_stdout) request.kept_results = options.results;
  }
  bool small = pipeline::Results(model->system, model->dae).count() <= pipeline::Results::kSmall;
  bool terminal = options.terminal_plot == "always" || (options.terminal_plot == "auto" && !options.no_plot &&
                                                        !to_stdout && isatty(STDOUT_FILENO) == 1);
  const bool reports = !options.page.empty();
  request.outputs = split_names(options.variables);
  request.all_outputs = small || reports || !options.results.empty() || !request.outputs.empty();
  request.plot_something =
      terminal || reports || !options.svg.empty() || !request.all_outputs;  // final values are always shown
  request.keep_trajectory = reports;
  request.cancel = &InterruptGuard::interrupted;
  runtime::Progress progress(stderr);
  if (isatty(STDERR_FILENO) == 1 && !globals.json())
    request.progress = [&](double fraction) { progress.update(fraction); };

  std::optional<runtime::Trajectory> other;
  if (!options.other.empty() && !(other = other_run(options.other, session.diagnostics())))
    return finish(kUserError);

  LogFile log_file;
  std::optional<CheckpointStore> checkpoints;
  explain::EventLog* observer = nullptr;
  if (!options.checkpoint.empty()) {
    request.plot_something = true;  // the columns do not depend on the terminal
    RunOptions identified = request;
    identified.set = set;
    checkpoints.emplace(options.checkpoint, every,
                        fingerprint_of(globals, session, identified, options.expression.value_or(""),
                                       options.strict_initial, checkpoint_settings(options, every))
                            .text(),
                        [&](runtime::Archive& archive) {
                          if (observer) archive(*observer);
                          archive(log_file);
                        });
    if (!checkpoints->prepare(options.continues, options.results, session.diagnostics()))
      return finish(kUserError);
    request.checkpoints = &*checkpoints;
  }
  const bool log_continues = checkpoints && checkpoints->continues();
  if (log_continues) log_file.choose(options.log_events);
  if (!options.log_events.empty() && !log_continues && !log_file.open(options.log_events)) {
    report_log(options, log_file, session);
    return finish(kUserError);
  }
  std::string log_of_report;
  explain::EventLog::Write write;
  if (!options.log_events.empty() || reports)
    write = [&](std::string_view text) {
      if (!options.log_events.empty()) log_file.write(text);
      if (reports && log_of_report.size() < kLogOfReport) log_of_report += text;
    };
  explain::EventLog events(*model, session.sources(), write, options.run.set);
  if (write || options.stats) request.event_observer = observer = &events;
  explain::RunProfile profile(*model, session.sources());
  if (options.profile || reports) request.profile = &profile;
  request.structure_changed = [&](const Compiled& next) {
    events.follow(next);
    profile.follow(next);
  };
  if (write) request.change_observer = [&](const explain::StructureChange& change) { events.change(change); };

  Run run;
  {
    InterruptGuard guard;
    run = session.run(*model, request);
  }
  progress.finish();
  if (!run.valid) return finish(kUserError);

  if (!options.log_events.empty()) {
    log_file.write(events.counts());
    if (!log_file.close()) report_log(options, log_file, session);
  }
  bool fine = !session.diagnostics().has_errors();
  if (!options.svg.empty() && run.trajectory.rows() > 0) fine = write_svg(options, run, session) && fine;
  if (reports) {
    report::Report page{*model, run, session.sources(), session.diagnostics(), session.root()};
    page.title =
        options.expression ? *options.expression : std::filesystem::path(options.file).filename().string();
    page.statistics = session::statistics_text(*model, run, events);
    page.profile = profile.text(run.outcome.statistics);
    page.events =
        log_of_report.size() < kLogOfReport ? log_of_report : log_of_report + "… and later events\n";
    page.event_counts = events.counts();
    page.other = other ? &*other : nullptr;
    page.other_title = options.other;
    fine = write_page(options.page, report::page(page), session.diagnostics()) && fine;
    if (options.says_page) fmt::print("the report is in {}\n", options.page);
  }
  if (terminal && run.trajectory.rows() > 1) print_terminal_plot(run, use_color(globals, stdout));
  if (!to_stdout && !options.says_page)
    print_final_values(run, !options.results.empty(), !options.variables.empty());
  if (options.stats) print_statistics(*model, run, events);
  if (options.profile) fmt::print("{}", profile.text(run.outcome.statistics));
  if (run.outcome.status == runtime::Outcome::Cancelled) {
    fmt::print(stderr, "interrupted at t = {:.9g} s{}{}\n", run.outcome.reached,
               request.kept_results.empty() ? "" : "; results so far are kept in " + request.kept_results,
               checkpoints ? "; `--continue` goes on from the last checkpoint" : "");
    return finish(kInterrupted);
  }
  return finish(fine ? kSuccess : kUserError);
}

/// Why a report cannot be written to a file of this name; empty: it can.
std::string no_page_file(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".html" || extension == ".htm" ? std::string() : "`" + path + "` must end in .html";
}

/// Of `run` and `report`: what is run, and how.
void add_run_options(CLI::App* command, const std::shared_ptr<Options>& options) {
  RunOptions& run_options = options->run;
  command->add_option("file", options->file, "Input file")->required()->type_name("FILE");
  command
      ->add_option("-e,--expression", options->expression,
                   "Run this experiment or relation instead of `main`")
      ->type_name("EXPR");
  command->add_option("--start", run_options.start, "Start time in seconds")->type_name("T");
  command->add_option("--stop", run_options.stop, "Stop time in seconds")->type_name("T");
  command->add_option("--tolerance", run_options.tolerance, "Relative tolerance")->type_name("X");
  command
      ->add_option("--max-step", run_options.max_step,
                   "Longest step of the integrator in seconds (default: any that meets the tolerance)")
      ->type_name("SECONDS");
  command->add_option("--steps", run_options.steps, "Number of output intervals")->type_name("N");
  command->add_flag_callback(
      "--assert-bounds", [&run_options] { run_options.assert_bounds = true; },
      "End the run with an error where a variable leaves its `min` or `max`, instead of a warning");
  command->add_flag_callback(
      "--no-event-rows", [&run_options] { run_options.events = false; },
      "Write the rows of the output grid alone, without those before and after each event");
  command->add_flag_callback(
      "--event-rows", [&run_options] { run_options.events = true; },
      "Write rows before and after each event, also with more than 1000 columns");
  command->add_option("--solver", run_options.solver, "Solver: auto, cvode, adams, ida or qss")
      ->type_name("S");
  command
      ->add_option_function<std::string>(
          "--ordering",
          [&run_options](const std::string& name) { run_options.ordering = *runtime::ordering_named(name); },
          "Ordering of sparse factorisations: auto, amd or metis")
      ->check(CLI::IsMember({"auto", "amd", "metis"}))
      ->type_name("O");
  command
      ->add_option_function<std::string>(
          "--components",
          [&run_options](const std::string& name) {
            run_options.components = *runtime::component_clocks_named(name);
          },
          "Clocks for independent components: auto (if there are many), on or off")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->type_name("WHEN");
  command
      ->add_option("--threads", run_options.threads,
                   "Threads for large models (default: one per core, at most 8); results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_option("--set", options->set, "Set a Real parameter by its hierarchical name; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_start_options(*command, options->strict_initial, run_options);
  command
      ->add_option("-v,--variables", options->variables,
                   "Variables to show, plot and write; * matches any characters; repeatable")
      ->type_name("NAME[,NAME…]")
      ->allow_extra_args(false);
  command->add_option("--backend", options->backend, "Execution: jit (machine code) or interpreter")
      ->check(CLI::IsMember({"jit", "interpreter"}))
      ->type_name("BACKEND");
}

}  // namespace

void add_run(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run the experiment `main` of a file");
  add_run_options(command, options);
  command
      ->add_option("-o,--output", options->results,
                   "Write results: .csv, or .mat for MATLAB v4; - is standard output")
      ->check(runtime::no_result_file)
      ->type_name("FILE");
  command->add_flag("--units", options->run.header_units,
                    "Write the SI unit of each variable in the header of a CSV file: `i [A]`");
  command->add_option("--plot", options->svg, "Write a plot, as SVG or PNG by the name of the file")
      ->check(no_plot_file)
      ->type_name("FILE");
  command
      ->add_option("--report", options->page, "Write a report: a page with plots, equations and statistics")
      ->check(no_page_file)
      ->type_name("FILE.html");
  command->add_flag("--no-plot", options->no_plot, "Do not plot in the terminal");
  command
      ->add_option("--terminal-plot", options->terminal_plot,
                   "Plot in the terminal: auto (on a terminal), always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  command->add_flag("--stats", options->stats, "Print sizes of the model and solver statistics");
  command->add_flag(
      "--profile", options->profile,
      "Print where the time of the run goes, by line and part, and which states limit the steps");
  command
      ->add_flag(std::string("--log-events{") + LogFile::kStandardError + "}", options->log_events,
                 "Log every event with its source line and what changed, and counts per line, to standard "
                 "error or, with =FILE, to a file")
      ->type_name("[=FILE]");
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "Store the state of the run in this file again and again, for --continue")
      ->type_name("FILE");
  command
      ->add_option("--every", options->every,
                   "From one checkpoint to the next: time on the clock, or rows of the output grid (default: "
                   "10min)")
      ->type_name("Ns|Nmin|Nh|Nrows");
  command->add_flag("--continue", options->continues, "Continue an interrupted run from its checkpoint");
  command->callback([&globals, &exit_code, options] { exit_code = run(globals, *options); });
}

void add_report(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "report", "Run an experiment and write a page with its plots, equations and statistics");
  add_run_options(command, options);
  command
      ->add_option("-o,--output", options->page,
                   "Write the page to this file (default: the name of the model, with .html)")
      ->check(no_page_file)
      ->type_name("FILE.html");
  command
      ->add_option("--compare", options->other,
                   "Show the results in this file, of another run, beside those of this one")
      ->type_name("FILE");
  command->callback([&globals, &exit_code, options] {
    if (options->page.empty()) options->page = std::filesystem::path(options->file).stem().string() + ".html";
    options->no_plot = options->says_page = true;
    exit_code = run(globals, *options);
  });
}

}  // namespace sigrel::driver
