// sigrel sweep: runs of one model over a grid of parameters, compiled once, on all cores; writes a table and
// a plot of the family.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>

#include "compiler/driver/command.h"
#include "compiler/driver/interrupt.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/report.h"
#include "compiler/driver/sweep_table.h"
#include "compiler/pipeline/results.h"
#include "compiler/session/sweep.h"
#include "runtime/results/output_file.h"
#include "runtime/results/plot_svg.h"
#include "runtime/results/progress.h"

namespace sigrel::driver {
namespace {

constexpr std::size_t kCurves = 12;  // in a plot of the family

struct Options {
  std::string file, table, svg;
  std::optional<std::string> expression;
  std::vector<std::string> set, vary, variables;
  RunOptions run;
  unsigned threads = 0;
  bool strict_initial = false, resume = false;
};

[[noreturn]] void refuse_vary(const std::string& text) {
  throw CLI::ValidationError(
      "--vary",
      "`" + text +
          "` is not NAME=LOW..HIGH:COUNT or NAME=VALUE,VALUE…, for example r1.r=10..100:10 or r1.r=10,22,47");
}

double number(std::string_view text, const std::string& whole) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) refuse_vary(whole);
  return value;
}

/// "r1.r=10..100:10": evenly spaced with both ends; "r1.r=10..1000:log:3": evenly spaced in the logarithm.
session::SweepAxis parse_vary(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse_vary(text);
  session::SweepAxis axis{text.substr(0, equals), {}};
  std::string_view range = std::string_view(text).substr(equals + 1);
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos) {
    for (std::size_t comma; !range.empty();
         range = comma == std::string_view::npos ? std::string_view() : range.substr(comma + 1)) {
      comma = range.find(',');
      axis.values.push_back(number(range.substr(0, comma), text));
    }
    if (axis.values.empty()) refuse_vary(text);
    return axis;
  }
  const std::size_t colon = range.find(':', dots);
  if (colon == std::string_view::npos) refuse_vary(text);
  std::string_view count_text = range.substr(colon + 1);
  const bool logarithmic = count_text.starts_with("log:");
  if (logarithmic) count_text.remove_prefix(4);
  const double low = number(range.substr(0, dots), text),
               high = number(range.substr(dots + 2, colon - dots - 2), text);
  const double count = number(count_text, text);
  if (count < 1 || count != std::floor(count) || count > 1e8 || (logarithmic && !(low > 0 && high > 0)))
    refuse_vary(text);
  for (double k = 0; k < count; ++k) {
    const double part = count == 1 ? 0 : k / (count - 1);
    axis.values.push_back(k + 1 == count && count > 1 ? high
                          : logarithmic               ? low * std::pow(high / low, part)
                                                      : low + (high - low) * part);
  }
  return axis;
}

/// Evenly spaced points of the grid, including the first and the last.
std::vector<std::uint64_t> chosen_points(std::uint64_t size) {
  std::vector<std::uint64_t> points;
  const std::uint64_t count = std::min<std::uint64_t>(kCurves, size);
  for (std::uint64_t k = 0; k < count; ++k) points.push_back(count == 1 ? 0 : k * (size - 1) / (count - 1));
  return points;
}

/// The axes must be numeric parameters that runs can change.
bool check_axes(Session& session, const std::vector<session::SweepAxis>& axes) {
  auto arguments = session.arguments();
  if (!arguments) return false;
  bool fine = true;
  for (const session::SweepAxis& axis : axes) {
    auto found = std::ranges::find(*arguments, axis.name, &elaborate::Argument::name);
    if (found == arguments->end() || !found->structural)
      continue;  // unknown names are reported with the settings
    fine = false;
    session.diagnostics()
        .report(Code::UnknownParameter,
                "`" + axis.name + "` is a structural parameter: a sweep cannot vary it")
        .note("each of its values requires a new compilation")
        .help("run the model for each value with `--set " + axis.name +
              "=…`; `sigrel explain FILE --parameters` lists the parameters that can vary");
  }
  return fine;
}

/// "r1.r = 47, c1.c = 1e-06".
std::string point_text(const session::SweepGrid& grid, const session::SweepRow& row) {
  std::string text;
  for (std::size_t k = 0; k < row.parameters.size(); ++k)
    text += fmt::format("{}{} = {:.6g}", k ? ", " : "", grid.axes()[k].name, row.parameters[k]);
  return text;
}

class Family {
 public:
  /// `descriptions`: those of the columns.
  Family(const session::SweepGrid& grid, const pipeline::Columns& columns,
         std::vector<std::string> descriptions, std::string title)
      : grid_(grid), descriptions_(std::move(descriptions)) {
    for (std::size_t k = 0; k < std::min<std::size_t>(columns.size(), 4); ++k) {
      const std::string unit = pipeline::shown_unit(descriptions_[k]);
      panes_.push_back({.y_label = columns.names[k] + (unit.empty() ? "" : " " + unit)});
      panes_.back().family = true;
    }
    if (!panes_.empty()) panes_.front().title = std::move(title);
  }
  void add(const session::SweepRow& row) {
    if (row.trajectory.rows() == 0) return;
    for (std::size_t k = 0; k < panes_.size(); ++k) {
      std::vector<double> values = row.trajectory.column(k);
      pipeline::convert(descriptions_[k], values);
      panes_[k].curves.push_back({point_text(grid_, row), std::move(values), row.trajectory.times()});
    }
  }
  std::string svg() const { return runtime::plot_svg(panes_, {kWidth, height()}); }
  static constexpr int kWidth = 960;
  int height() const { return height_of(panes_.size()); }

 private:
  const session::SweepGrid& grid_;
  std::vector<std::string> descriptions_;
  std::vector<runtime::Plot> panes_;
};

/// The model with the values of the first point. Where they do not let its loops of joints close, those of
/// another one: that the first point fails is told with its row.
std::shared_ptr<Compiled> compile_at_some_point(Session& session, const session::SweepGrid& grid,
                                                const Settings& given, const Options& options) {
  const Diagnostics before = session.diagnostics();
  std::optional<Diagnostics> first;
  for (const std::uint64_t point : chosen_points(grid.size())) {
    Settings set = given;
    const std::vector<double> values = grid.values(point);
    for (std::size_t k = 0; k < values.size(); ++k) set.emplace_back(grid.axes()[k].name, values[k]);
    session.diagnostics() = before;
    if (auto model = session.compile(set, Backend::Jit, start_policy(options.strict_initial, options.run), {},
                                     options.run.start))
      return model;
    if (!first) first = session.diagnostics();
    auto is_fatal = [](const Diagnostic& d) {
      return d.severity == Severity::Error && d.code != Code::LoopNotClosed;
    };
    if (std::ranges::any_of(session.diagnostics().all(), is_fatal)) break;
  }
  session.diagnostics() = std::move(*first);
  return nullptr;
}

int sweep(const Globals& globals, Options& options) {
  std::vector<session::SweepAxis> axes;
  for (const std::string& text : options.vary) axes.push_back(parse_vary(text));
  const session::SweepGrid grid(axes);
  if (grid.size() == 0) throw CLI::ValidationError("--vary", "the sweep has too many points");
  if (options.resume && options.table.empty())
    throw CLI::ValidationError("--resume", "requires the name of the table: -o FILE");
  Settings set = parse_settings(options.set);
  options.run.set = set;
  options.run.outputs = split_names(options.variables);

  Session session(globals.run_options());
  Diagnostics& diagnostics = session.diagnostics();
  auto finish = [&](int exit_code) {
    print_diagnostics(globals, session);
    print_timings(globals, session);
    return exit_code;
  };
  std::error_code error;
  const bool there = !options.table.empty() && std::filesystem::exists(options.table, error) &&
                     !std::filesystem::is_character_file(options.table, error);
  if (there && !options.resume) {
    diagnostics.report(Code::FileExists, "`" + options.table + "` already exists")
        .help("continue it with `--resume`, or choose another name");
    return finish(kUserError);
  }
  session.load(options.file);
  auto are_separate = [&] {
    return outputs_are_separate(std::vector<NamedFile>{{"`-o`", options.table}, {"`--plot`", options.svg}},
                                inputs_of(globals, session, options.run), diagnostics);
  };
  if (!session.check(options.expression) || !check_axes(session, axes) || !are_separate())
    return finish(kUserError);
  std::shared_ptr<Compiled> model = compile_at_some_point(session, grid, set, options);
  if (!model || !are_separate()) return finish(kUserError);  // the evaluation has read data
  const pipeline::Columns columns = session.sweep_columns(*model, options.run);
  if (diagnostics.has_errors()) return finish(kUserError);

  const std::string path = options.table.empty() ? "/dev/stdout" : options.table;
  SweepTable table(
      options.table, grid, columns,
      fingerprint_of(globals, session, options.run, options.expression.value_or(""), options.strict_initial));
  bool written = there ? table.resume(diagnostics) : table.create();
  if (diagnostics.has_errors()) return finish(kUserError);
  const std::uint64_t known = table.points(), known_failed = table.failed();

  Family family(grid, columns, pipeline::Results(*model).descriptions(columns),
                options.expression ? *options.expression : options.file);
  runtime::Progress progress(stderr);
  const bool bar =
      isatty(STDERR_FILENO) == 1 && !globals.json() && !(options.table.empty() && isatty(STDOUT_FILENO) == 1);
  std::string first_failure;
  session::SweepOptions request{.grid = &grid,
                                .first = known,
                                .threads = options.threads,
                                .trajectories = {},
                                .cancel = &InterruptGuard::interrupted,
                                .row = {}};
  if (!options.svg.empty()) request.trajectories = chosen_points(grid.size());
  request.row = [&](session::SweepRow& row) {
    family.add(row);
    if (row.point < known) return true;
    if (!row.error.empty() && table.failed() == known_failed)
      first_failure = point_text(grid, row) + ": " + row.error;
    written = table.add(row);
    if (!written) return false;
    if (bar) progress.update(static_cast<double>(table.points()) / static_cast<double>(grid.size()));
    return true;
  };
  std::optional<bool> complete = true;
  if (written) {
    InterruptGuard guard;
    complete = session.sweep(*model, options.run, columns, request);
  }
  progress.finish();
  if (!complete) return finish(kUserError);
  written = written && table.close();
  const std::uint64_t done = table.points(), failed = table.failed();
  if (!written) {
    Diagnostic& d =
        diagnostics.report(Code::ResultNotWritten, "the table cannot be written to `" + path + "`")
            .note(table.error());
    if (done > 0) d.note(fmt::format("it has {} of {} points", done, grid.size()));
  } else if (!*complete) {
    fmt::print(stderr, "interrupted: {} of {} points{}\n", done, grid.size(),
               options.table.empty() ? "" : " are in " + options.table + "; `--resume` continues");
  }
  if (failed > 0) {
    Diagnostic& d =
        diagnostics.report(Code::SweepPointFailed, fmt::format("{} of {} points failed", failed, done));
    if (!first_failure.empty()) d.note("the first: " + first_failure);
    d.help(
        "see the column `error` of the table; run a failed point with `sigrel run --set …` to locate its "
        "error");
  }
  if (written && *complete && !options.svg.empty()) {
    write_plot(options.svg, family.svg(), Family::kWidth, family.height(), diagnostics);
  }
  if (!options.table.empty() && written) fmt::print("{} points in {}\n", done, options.table);
  if (written && !*complete) return finish(kInterrupted);
  const bool nothing = done > 0 && failed == done;  // a table without results is an error
  return finish(diagnostics.has_errors() || nothing ? kUserError : kSuccess);
}

}  // namespace

void add_sweep(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  RunOptions& r = options->run;
  CLI::App* command =
      app.add_subcommand("sweep", "Run a model over a grid of parameters, compiled once, on all cores");
  command->add_option("file", options->file, "Input file")->required()->type_name("FILE");
  command
      ->add_option("-e,--expression", options->expression,
                   "Run this experiment or relation instead of `main`")
      ->type_name("EXPR");
  command
      ->add_option(
          "--vary", options->vary,
          "Parameter and its values, both ends included; :log:N for logarithmic spacing; repeat for all "
          "combinations (the last changes fastest)")
      ->required()
      ->type_name("NAME=LOW..HIGH:N|NAME=X,Y…")
      ->allow_extra_args(false);
  command->add_option("--set", options->set, "Set another parameter; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "-v,--variables", options->variables,
          "Variables of the table (last, least and greatest values) instead of those that the model plots; * "
          "matches any characters; repeatable")
      ->type_name("NAME[,NAME…]")
      ->allow_extra_args(false);
  command->add_option("-o,--output", options->table, "Write the table as CSV (default: standard output)")
      ->check([](const std::string& file) {
        const bool is_csv = !std::filesystem::path(file).has_extension() || file.ends_with(".csv") ||
                            file.starts_with("/dev/");
        return is_csv ? std::string() : "`" + file + "` must end in .csv";
      })
      ->type_name("FILE");
  command->add_flag("--resume", options->resume, "Continue an interrupted table");
  command->add_option("--plot", options->svg, "Plot up to 12 runs, evenly spaced over the grid")
      ->check(no_plot_file)
      ->type_name("FILE");
  command->add_option("--threads", options->threads, "Number of parallel runs (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_option("--start", r.start, "Start time in seconds")->type_name("T");
  command->add_option("--stop", r.stop, "Stop time in seconds")->type_name("T");
  command->add_option("--tolerance", r.tolerance, "Relative tolerance")->type_name("X");
  command
      ->add_option("--max-step", r.max_step,
                   "Longest step of the integrator in seconds (default: any that meets the tolerance)")
      ->type_name("SECONDS");
  command
      ->add_option("--steps", r.steps,
                   "Number of output intervals, whose rows belong to the curves of --plot")
      ->type_name("N");
  command->add_option("--solver", r.solver, "Solver: auto, cvode, adams, ida or qss")->type_name("S");
  add_start_options(*command, options->strict_initial, r);
  command->callback([&globals, &exit_code, options] { exit_code = sweep(globals, *options); });
}

}  // namespace sigrel::driver
