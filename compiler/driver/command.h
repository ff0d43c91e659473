// Shared by the subcommands of `sigrel`: exit codes, global options, output of diagnostics.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/session/session.h"

namespace CLI {
class App;
}

namespace sigrel::driver {

enum ExitCode : int {
  kSuccess = 0,
  kUserError = 1,      // diagnostics were reported
  kUsage = 2,          // invalid command line
  kInternal = 70,      // a bug of Sigrel (EX_SOFTWARE of sysexits.h)
  kInterrupted = 130,  // Ctrl-C; results so far are kept (128 + SIGINT, as in shells)
};

struct Globals {
  std::vector<std::string> path;
  std::vector<std::string> libraries;
  Limits limits;
  std::string message_format = "text";
  std::string color = "auto";
  bool timings = false;
  bool no_cache = false;
  bool verify = false;

  SessionOptions session_options(bool keep_equations = false) const;
  /// For commands that need nothing of the library but what the program mentions.
  SessionOptions run_options() const;
  bool json() const { return message_format == "json"; }
};

/// Whether to write colour escape sequences to a stream.
bool use_color(const Globals& globals, std::FILE* stream);

/// Writes the diagnostics to stderr, as text with the number of errors or as JSON.
void print_diagnostics(const Globals& globals, Session& session);
void print_diagnostics(const Globals& globals, const Diagnostics& diagnostics, const SourceMap& sources);
/// `--timings`: writes the duration of each stage to stderr.
void print_timings(const Globals& globals, const Session& session);

/// "a,x[1,2]" -> a and x[1,2]: commas inside brackets are part of a name.
std::vector<std::string> split_names(const std::string& text);
/// The names of all of them, in order.
std::vector<std::string> split_names(std::span<const std::string> texts);

/// "r1.r=47" -> {"r1.r", 47}. Throws CLI::ValidationError.
Settings parse_settings(const std::vector<std::string>& texts);

/// `--limit` and `--memory`.
void add_limit_options(CLI::App& app, Limits& limits);

/// `--strict-initial` and `--init-from`.
void add_start_options(CLI::App& command, bool& strict_initial, RunOptions& run);
StartPolicy start_policy(bool strict_initial, const RunOptions& run);

/// Each adds its subcommand, which sets `exit_code` when it runs.
void add_check(CLI::App& app, const Globals& globals, int& exit_code);
void add_run(CLI::App& app, const Globals& globals, int& exit_code);
void add_dump(CLI::App& app, const Globals& globals, int& exit_code);
void add_explain(CLI::App& app, const Globals& globals, int& exit_code);
void add_plot(CLI::App& app, const Globals& globals, int& exit_code);
void add_diff(CLI::App& app, const Globals& globals, int& exit_code);
void add_report(CLI::App& app, const Globals& globals, int& exit_code);
void add_animate(CLI::App& app, const Globals& globals, int& exit_code);
void add_sweep(CLI::App& app, const Globals& globals, int& exit_code);
void add_new(CLI::App& app, const Globals& globals, int& exit_code);
void add_list(CLI::App& app, const Globals& globals, int& exit_code);
void add_linearize(CLI::App& app, const Globals& globals, int& exit_code);
void add_steady(CLI::App& app, const Globals& globals, int& exit_code);
void add_repl(CLI::App& app, const Globals& globals, int& exit_code);
void add_fmt(CLI::App& app, const Globals& globals, int& exit_code);
void add_lsp(CLI::App& app, const Globals& globals, int& exit_code);
void add_gallery(CLI::App& app, const Globals& globals, int& exit_code);
void add_doc(CLI::App& app, const Globals& globals, int& exit_code);
void add_structure(CLI::App& app, const Globals& globals, int& exit_code);
/// After add_structure: adds another subcommand to `structure`.
void add_structure_graph(CLI::App& app, const Globals& globals, int& exit_code);

}  // namespace sigrel::driver
