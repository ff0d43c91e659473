// The read-eval-print loop: reads inputs and answers each; no input ends it but `:quit`.
//
//   lines.h       sources of lines: a terminal (libedit) or a pipe
//   input.h       when an input of several lines is complete
//   repl.cpp      definitions and expressions, running, parameters
//   commands.cpp  `:load`, `:run`, …
#pragma once
#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/session/interactive.h"

namespace sigrel::repl {

/// The host of the REPL: a terminal, a pipe, or a notebook.
struct Host {
  bool terminal = false;                        // edit lines, prompt, keep a history
  std::function<void(std::string_view)> print;  // writes text of answers
  std::function<void()> flush = [] {};
  std::atomic<bool>* interrupted = nullptr;  // set by Ctrl-C, cleared before every input
  std::function<void(const Diagnostics&, const SourceMap&)> report;
  std::function<void(const Run&)> plot;  // draws the plot variables of a run
  std::function<void(double)> progress;  // reports the progress of a run; may be empty
  std::function<void()> end_progress;
};

class Repl {
 public:
  Repl(SessionOptions options, Host host) : module_(std::move(options)), host_(std::move(host)) {}

  /// Loads `file` if it is not empty, then reads until the end of stdin or `:quit`. Returns whether all
  /// inputs succeeded.
  bool talk(const std::string& file);
  /// Answers one whole input: definitions, an expression or a command. False after `:quit`.
  bool answer(const std::string& text);
  /// Candidates for the last word of `before`: whole words, sorted.
  std::vector<std::string> complete(std::string_view before, std::string_view word) const;
  /// Whether some input has failed.
  bool failed() const { return failed_; }

 private:
  struct Command {
    std::string_view name, arguments, what;
    bool (Repl::*run)(const std::string& line, std::string_view rest);  // returns false to quit
  };
  static const std::vector<Command>& commands();

  template <class... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    host_.print(fmt::format(format, std::forward<T>(values)...));
  }
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
  bool events(const std::string& line, std::string_view rest);
  bool time(const std::string& line, std::string_view rest);
  bool help(const std::string& line, std::string_view rest);
  bool quit(const std::string& line, std::string_view rest);

  bool run_setting(std::string_view key, std::string_view value);
  bool compile();
  void simulate();
  void needs(std::string_view command, std::string_view what);
  bool has_run(std::string_view what);
  void report();
  void show_times();

  session::Interactive module_;
  Host host_;
  bool failed_ = false;  // some input failed
  bool times_ = false;

  // The last `:run` and its options.
  std::optional<std::string> expression_;  // with blanks in place of the command; nullopt: `main`
  RunOptions request_;
  Settings settings_;
  std::shared_ptr<Compiled> model_;
  std::uint64_t model_version_ = 0;
  Run run_;
  // Its events: the text of the first ones, and the counts of all.
  std::string event_text_, event_counts_;
  bool all_events_ = true;  // the text is complete
};

}  // namespace sigrel::repl
