// Sources of input lines: a terminal with editing, history and completion, or a pipe or file.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sigrel::repl {

class Lines {
 public:
  virtual ~Lines() = default;
  /// The next line without its line end; nullopt at the end of the stream. `first`: the line starts an input.
  virtual std::optional<std::string> next(bool first) = 0;
  /// The line after that if it is available without waiting; never for a terminal.
  virtual const std::string* ahead() { return nullptr; }
  /// Whether the previous line was cancelled with Ctrl-C.
  virtual bool abandoned() { return false; }
  /// Adds a whole input to the history.
  virtual void remember(const std::string&) {}
};

/// Candidates for the last word of `before`: whole words.
using Completer = std::function<std::vector<std::string>(std::string_view before, std::string_view word)>;

/// The start of the last word of `text`. A hierarchical name with indices is one word; so is a command.
std::size_t word_start(std::string_view text);

std::unique_ptr<Lines> plain_lines(std::FILE* from);
/// Null if the terminal cannot be used. Reads the history now; writes it with each input.
std::unique_ptr<Lines> terminal_lines(const std::string& history_file, Completer completer);

/// The history file in the state folder of the XDG base directories; empty if there is none.
std::string history_file();

}  // namespace sigrel::repl
