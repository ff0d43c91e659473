// The conversation: reads inputs, answers each, and goes on whatever happens. `sigrel repl` gives it its
// surroundings.
//
//   lines.h     where lines come from: a terminal (libedit) or a pipe
//   input.h     when an input of several lines is complete
//   repl.cpp    definitions and expressions, running, parameters
//   commands.cpp  `:load`, `:run`, …
#pragma once
#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/session/interactive.h"

namespace sigrel::repl {

/// How the outside world is reached.
struct Surroundings {
  bool terminal = false;                     // edit lines, prompt, keep a history
  std::atomic<bool>* interrupted = nullptr;  // set by Ctrl-C, cleared before every input
  std::function<void(const Diagnostics&, const SourceMap&)> report;
  std::function<void(const Run&)> plot;  // the run's plot variables
  std::function<void(double)> progress;  // of a run; may be empty
  std::function<void()> end_progress;
};

class Repl {
 public:
  Repl(SessionOptions options, Surroundings surroundings)
      : module_(std::move(options)), around_(std::move(surroundings)) {}

  /// Reads to the end of stdin or `:quit`. `file` is loaded first, when not empty. Whether no input gave an
  /// error.
  bool talk(const std::string& file);

 private:
  struct Command {
    std::string_view name, arguments, what;
    bool (Repl::*run)(const std::string& line, std::string_view rest);  // false: quit
  };
  static const std::vector<Command>& commands();

  bool answer(const std::string& text);
  void definitions_or_expression(const std::string& text);
  bool command(const std::string& line);

  bool load(const std::string& line, std::string_view rest);
  bool reload(const std::string& line, std::string_view rest);
  bool type(const std::string& line, std::string_view rest);
  bool info(const std::string& line, std::string_view rest);
  bool structure(const std::string& line, std::string_view rest);
  bool run(const std::string& line, std::string_view rest);
  bool plot(const std::string& line, std::string_view rest);
  bool set(const std::string& line, std::string_view rest);
  bool why(const std::string& line, std::string_view rest);
  bool time(const std::string& line, std::string_view rest);
  bool help(const std::string& line, std::string_view rest);
  bool quit(const std::string& line, std::string_view rest);

  bool run_setting(std::string_view key, std::string_view value);
  bool compile();
  void simulate();
  void needs(std::string_view command, std::string_view what);
  bool has_run(std::string_view what);
  std::vector<std::string> complete(std::string_view before, std::string_view word) const;
  void report();
  void show_times();

  session::Interactive module_;
  Surroundings around_;
  bool failed_ = false;  // some input gave an error
  bool times_ = false;

  // What `:run` ran last, and with what.
  std::optional<std::string> expression_;  // padded with blanks in place of the command; absent: `main`
  RunOptions request_;
  Settings settings_;
  std::shared_ptr<Compiled> model_;
  std::uint64_t model_version_ = 0;
  Run run_;
};

}  // namespace sigrel::repl
