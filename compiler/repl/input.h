// One input of one or more lines: when it is complete.
//
// An input goes on while a bracket, string or comment is open. A block that its last line opens, a `=` at its
// end, or a signature without its definition keep it open until an empty line; so does an indented line. A
// line at the left margin ends it too and begins the next input, unless it is another clause of the same
// name. `:{` keeps everything up to `:}`.
#pragma once
#include <string>
#include <string_view>

namespace sigrel::repl {

/// The first word of a line that begins with a lower-case name; else empty.
std::string_view leading_name(std::string_view line);

class Input {
 public:
  enum class Next : std::uint8_t {
    Taken,     // the line belongs to the input
    Complete,  // it does, and the input ends with it
    Ended,     // the input ended before this line, which begins another
  };
  Next add(std::string_view line);
  /// After a complete input: whether a line that is known to follow goes on with it (indented, or one more
  /// clause).
  bool goes_on(std::string_view line) const;
  /// Whether it is worth to wait for the line that follows: a definition may go on, a command and an
  /// expression do not.
  bool may_go_on() const { return !leading_name(text_).empty() && text_.find('=') != std::string::npos; }

  bool empty() const { return text_.empty() && !braced_; }
  const std::string& text() const { return text_; }

 private:
  void scan();

  std::string text_;
  bool braced_ = false;   // between `:{` and `:}`
  bool bracket_ = false;  // a bracket, string or comment is open
  bool block_ = false;    // a block, `=` or signature
};

}  // namespace sigrel::repl
