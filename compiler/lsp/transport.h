// Messages of the base protocol of LSP 3.17: a header with the length, and JSON.
#pragma once
#include <deque>
#include <iosfwd>
#include <optional>
#include <string>

namespace sigrel::lsp {

/// The longest message that is read, in bytes: a header that asks for more is that of another protocol.
inline constexpr std::size_t kLongestMessage = 256u << 20;

struct Message {
  std::string content;
  bool cancelled = false;  // a request that `$/cancelRequest` took back before it was handled
};

/// The messages that arrive on a file descriptor, in order. What has arrived is read before a message is
/// handed out, so that a request can be taken back while others are handled.
class Inbox {
 public:
  explicit Inbox(int descriptor) : descriptor_(descriptor) {}

  /// Waits for the next message; nullopt at the end of the input, or if what comes is no message.
  std::optional<Message> next();
  /// Whether another message arrives within so many milliseconds.
  bool more_within(int milliseconds);

 private:
  bool read_some(int milliseconds);  // false if nothing came in this time; -1: waits
  void take_messages();
  void cancel(const std::string& content);

  int descriptor_;
  std::string bytes_;        // of messages that are not complete
  std::size_t missing_ = 0;  // bytes until the first of them may be complete
  std::deque<Message> messages_;
  bool ended_ = false;
};

void write_message(std::ostream& out, const std::string& content);

}  // namespace sigrel::lsp
