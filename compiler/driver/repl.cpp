// sigrel repl: the read-eval-print loop on a terminal or a pipe.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <atomic>
#include <memory>

#include "compiler/driver/command.h"
#include "compiler/driver/report.h"
#include "compiler/repl/repl.h"
#include "runtime/results/progress.h"

namespace sigrel::driver {
namespace {

std::atomic<bool> interrupted{false};

/// Ctrl-C stops the current run, but not the REPL; SA_RESTART continues a read.
void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted.store(true); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

int talk(const Globals& globals, const std::string& file) {
  bool terminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  catch_interrupts();
  std::unique_ptr<runtime::Progress> progress;
  repl::Host host;
  host.terminal = terminal;
  host.print = [](std::string_view text) { fmt::print("{}", text); };
  host.flush = [] { std::fflush(stdout); };
  host.interrupted = &interrupted;
  host.report = [&](const Diagnostics& diagnostics, const SourceMap& sources) {
    print_diagnostics(globals, diagnostics, sources);
  };
  host.plot = [&](const Run& run) { print_terminal_plot(run, use_color(globals, stdout)); };
  if (terminal && isatty(STDERR_FILENO) == 1) {
    host.progress = [&](double fraction) {
      if (!progress) progress = std::make_unique<runtime::Progress>(stderr);
      progress->update(fraction);
    };
    host.end_progress = [&] { progress.reset(); };
  }
  repl::Repl repl(globals.session_options(true), std::move(host));
  bool fine = repl.talk(file);
  return fine || terminal ? kSuccess : kUserError;
}

}  // namespace

void add_repl(CLI::App& app, const Globals& globals, int& exit_code) {
  auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("repl", "Define, evaluate, run and plot interactively");
  command->add_option("file", *file, "File to load first")->type_name("FILE");
  command->callback([&globals, &exit_code, file] { exit_code = talk(globals, *file); });
}

}  // namespace sigrel::driver
