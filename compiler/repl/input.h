// Collects the lines of one input and decides when it is complete.
//
// An input continues while a bracket, string or comment is open. If its last line opens a block, ends in `=`,
// is a signature without definition, or is indented, the input continues until an empty line. A line at the
// left margin also ends it and starts the next input, unless it is another clause of the same name.
// `:{` … `:}` encloses any lines.
#pragma once
#include <string>
#include <string_view>

namespace sigrel::repl {

/// The first word of a line that starts with a lower-case name; else empty.
std::string_view leading_name(std::string_view line);

class Input {
 public:
  enum class Next : std::uint8_t {
    Taken,     // the line belongs to the input
    Complete,  // the line belongs to the input and completes it
    Ended,     // the input ended before this line, which starts another
  };
  Next add(std::string_view line);
  /// After a complete input: whether the following line continues it (it is indented, or another clause).
  bool goes_on(std::string_view line) const;
  /// Whether the following line may continue the input: it may after a definition, but not after a command or
  /// an expression.
  bool may_go_on() const { return !leading_name(text_).empty() && text_.find('=') != std::string::npos; }

  bool empty() const { return text_.empty() && !braced_; }
  const std::string& text() const { return text_; }

 private:
  void scan();

  std::string text_;
  bool braced_ = false;   // between `:{` and `:}`
  bool bracket_ = false;  // a bracket, string or comment is open
  bool block_ = false;    // an open block, `=` or signature
};

}  // namespace sigrel::repl
