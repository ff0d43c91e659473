// Where lines come from: a terminal with editing, history and completion, or anything else, read as it is.
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
  /// The next line without its end; nullopt at the end of the input. `first`: of an input, else one that
  /// continues it.
  virtual std::optional<std::string> next(bool first) = 0;
  /// The line after that, when it is there already (never of a terminal).
  virtual const std::string* ahead() { return nullptr; }
  /// Whether the line before was given up with Ctrl-C.
  virtual bool abandoned() { return false; }
  /// A whole input, for the history.
  virtual void remember(const std::string&) {}
};

/// What may stand at the end of `before`, which ends in the word to complete: whole words.
using Completer = std::function<std::vector<std::string>(std::string_view before, std::string_view word)>;

/// The start of the word that ends at the end of `text`: hierarchical names with indices are one word,
/// commands too.
std::size_t word_start(std::string_view text);

std::unique_ptr<Lines> plain_lines(std::FILE* from);
/// Null when the terminal cannot be used. The history is read now and written as inputs are remembered.
std::unique_ptr<Lines> terminal_lines(const std::string& history_file, Completer completer);

/// The file of the history in the folder that the XDG base directories give to state; empty when there is
/// none.
std::string history_file();

}  // namespace sigrel::repl
