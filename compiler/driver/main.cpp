// sigrel: the options that all subcommands share, and the exit codes. Each subcommand has its own file.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <malloc.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>

#include "compiler/driver/command.h"
#include "compiler/driver/internal_error.h"
#include "compiler/driver/surroundings.h"

namespace {

using namespace sigrel;
using namespace sigrel::driver;

/// Reports write errors of stdout, such as a full disk.
bool flush_stdout(const Globals& globals) {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return true;
  Diagnostics diagnostics;
  diagnostics.report(Code::ResultNotWritten, "cannot write to standard output")
      .note(errno ? std::strerror(errno) : "a write failed");
  print_diagnostics(globals, diagnostics, SourceMap{});
  return false;
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
  app.set_version_flag("--version", "sigrel " SIGREL_VERSION);
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

  add_check(app, globals, exit_code);
  add_run(app, globals, exit_code);
  add_sweep(app, globals, exit_code);
  add_new(app, globals, exit_code);
  add_list(app, globals, exit_code);
  add_plot(app, globals, exit_code);
  add_diff(app, globals, exit_code);
  add_dump(app, globals, exit_code);
  add_explain(app, globals, exit_code);
  add_linearize(app, globals, exit_code);
  add_steady(app, globals, exit_code);
  add_repl(app, globals, exit_code);
  add_fmt(app, globals, exit_code);
  add_gallery(app, globals, exit_code);
  add_doc(app, globals, exit_code);
  add_structure(app, globals, exit_code);
  add_structure_graph(app, globals, exit_code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    bool asked = app.exit(error) == 0;  // --help, --version
    return asked && flush_stdout(globals) ? kSuccess : kUsage;
  }
  if (!flush_stdout(globals) && exit_code == kSuccess) exit_code = kUserError;
  return exit_code;
}

/// A standard file that cannot be written, such as a pipe without room that does not wait, ends the command:
/// the functions that print throw then.
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
  install_internal_error_handler();
  return with_large_stack([&] { return run_checked(argc, argv); });
}
