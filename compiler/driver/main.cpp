// sigrel: the options that all subcommands share, and the exit codes. Each subcommand has its own file.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <system_error>

#include "commit.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/driver/command.h"
#include "compiler/driver/internal_error.h"
#include "compiler/driver/out_of_memory.h"
#include "compiler/driver/surroundings.h"

namespace {

using namespace sigrel;
using namespace sigrel::driver;

void report_stdout(const Globals& globals, const std::string& reason) {
  Diagnostics diagnostics;
  diagnostics.report(Code::ResultNotWritten, "cannot write to standard output").note(reason);
  print_diagnostics(globals, diagnostics, SourceMap{});
}

/// Reports write errors of stdout, such as a full disk.
bool flush_stdout(const Globals& globals) {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return true;
  report_stdout(globals, errno ? std::strerror(errno) : "a write failed");
  return false;
}

struct Subcommand {
  std::string_view name;
  void (*add)(CLI::App&, const Globals&, int& exit_code);
};
constexpr Subcommand kSubcommands[] = {
    {"check", add_check},
    {"run", add_run},
    {"report", add_report},
    {"animate", add_animate},
    {"sweep", add_sweep},
    {"new", add_new},
    {"list", add_list},
    {"plot", add_plot},
    {"diff", add_diff},
    {"dump", add_dump},
    {"explain", add_explain},
    {"linearize", add_linearize},
    {"steady", add_steady},
    {"repl", add_repl},
    {"fmt", add_fmt},
    {"lsp", add_lsp},
    {"gallery", add_gallery},
    {"doc", add_doc},
    {"structure", add_structure},
    {"structure", add_structure_graph},
};

/// Adds the subcommands that the command line mentions; all of them if it mentions none or asks for help. The
/// options of all subcommands take longer than the rest of the start.
void add_subcommands(CLI::App& app, const Globals& globals, int& exit_code,
                     std::span<char* const> arguments) {
  const auto has = [&](std::string_view word) {
    return std::ranges::any_of(arguments, [&](const char* argument) { return argument == word; });
  };
  const auto is_mentioned = [&](const Subcommand& command) { return has(command.name); };
  const bool all = has("--help") || has("-h") || std::ranges::none_of(kSubcommands, is_mentioned);
  for (const Subcommand& command : kSubcommands)
    if (all || is_mentioned(command)) command.add(app, globals, exit_code);
}

/// Where the first argument is the name of no command: an error that says so.
bool report_unknown_command(std::string_view word) {
  if (word.empty() || word.starts_with('-')) return false;
  std::vector<std::string_view> names;
  for (const Subcommand& command : kSubcommands) names.push_back(command.name);
  if (std::ranges::find(names, word) != names.end()) return false;
  const auto near = did_you_mean(word, names);
  fmt::print(stderr, "sigrel has no command `{}`{}\nRun with --help for the commands.\n", word,
             near                    ? fmt::format("; did you mean `{}`?", *near)
             : word.ends_with(".sr") ? fmt::format("; to run a model: `sigrel run {}`", word)
                                     : "");
  return true;
}

int run_command(int argc, char** argv) {
  CLI::App app{"Sigrel: equation-based modelling with typed, first-class signal relations.", "sigrel"};
  Globals globals;
#ifdef SIGREL_VERIFY
  globals.verify = true;
#endif
  int exit_code = kSuccess;

  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", "sigrel " SIGREL_VERSION SIGREL_COMMIT);
  app.add_option("--library", globals.libraries,
                 "Load foreign functions from this shared library (.so); repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--path", globals.path, "Search this folder for imported modules; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
  add_limit_options(app, globals.limits);
  app.add_option("--message-format", globals.message_format,
                 "Format of diagnostics on stderr: text or json (one object per line)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  app.add_option("--color", globals.color, "Use colours: auto (on a terminal), always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  app.add_flag("--no-cache", globals.no_cache,
               "Neither use nor keep machine code on disk (otherwise in $SIGREL_CACHE, or ~/.cache/sigrel)");
  app.add_flag("--timings", globals.timings, "Print the duration of each stage");
  app.add_flag("--verify", globals.verify, "Verify every intermediate representation (slow; for developers)");
  app.footer(
      "Exit codes: 0 success, 1 errors in the model or its files, 2 invalid command line, 70 internal "
      "error,\n"
      "130 interrupted (results so far are kept).");

  add_subcommands(app, globals, exit_code, {argv + 1, argv + argc});

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0 && argc > 1 && report_unknown_command(argv[1])) return kUsage;
    bool asked = app.exit(error) == 0;  // --help, --version
    return asked && flush_stdout(globals) ? kSuccess : kUsage;
  } catch (const std::system_error& error) {  // fmt::print, when a stream has failed
    if (!std::ferror(stdout) && !std::ferror(stderr)) throw;
    if (!std::ferror(stderr)) report_stdout(globals, error.code().message());
    return kUserError;
  }
  if (!flush_stdout(globals) && exit_code == kSuccess) exit_code = kUserError;
  return exit_code;
}

/// A standard file that cannot be written, such as a pipe without room that does not wait, ends the command:
/// the functions that print throw then. So does memory that ends.
int run_checked(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const std::system_error& error) {
    if (std::ferror(stderr)) return kUserError;  // there is no place to report to
    if (!std::ferror(stdout)) throw;
    Diagnostics diagnostics;
    diagnostics.report(Code::ResultNotWritten, "cannot write to standard output")
        .note(error.code().message());
    print_diagnostics(Globals(), diagnostics, SourceMap{});
    return kUserError;
  } catch (const std::bad_alloc&) {
    print_diagnostics(Globals(), out_of_memory(), SourceMap{});
    return kUserError;
  }
}

/// Keeps the memory of freed blocks for later ones. By default glibc maps large blocks one by one and returns
/// them to the system when a vector has grown: tables of 10^5 rows then cost as much in page faults as in
/// computation.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that glibc accepts
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  open_standard_files();
  let_large_writes_fail();
  install_internal_error_handler();
  return with_large_stack([&] { return run_checked(argc, argv); });
}
