// sigrel: one file per subcommand; here the options that all of them share, and the exit codes.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstring>

#include "compiler/driver/command.h"
#include "compiler/driver/internal_error.h"

namespace {

using namespace sigrel;
using namespace sigrel::driver;

/// A full disk behind stdout is an error too.
bool flush_stdout(const Globals& globals) {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return true;
  Diagnostics diagnostics;
  diagnostics.report(Code::ResultNotWritten, "standard output cannot be written")
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
                 "A shared library (.so) in which functions of `foreign import` are found; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--path", globals.path, "A folder to search for imported modules; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--message-format", globals.message_format,
                 "How diagnostics are written to stderr: text or json (one object per line)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  app.add_option("--color", globals.color, "auto (on a terminal), always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  app.add_flag("--timings", globals.timings, "Show how long each stage took");
  app.add_flag("--verify", globals.verify, "Verify every intermediate representation (slow; for developers)");
  app.footer(
      "Exit codes: 0 success, 1 errors in the model or its files, 2 wrong command line, 70 a fault of sigrel "
      "itself,\n"
      "130 interrupted (results computed until then are kept).");

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

}  // namespace

int main(int argc, char** argv) {
  install_internal_error_handler();
  return run_command(argc, argv);
}
