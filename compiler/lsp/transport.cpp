#include "compiler/lsp/transport.h"

#include <poll.h>
#include <unistd.h>
#include <cerrno>

#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

namespace sigrel::lsp {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestHeader = 1 << 16;
constexpr std::string_view kCancel = "$/cancelRequest";

/// The length that a header states; nullopt if it states none.
std::optional<std::size_t> length_in(std::string_view header) {
  constexpr std::string_view kLength = "Content-Length:";
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::size_t end = std::min(header.find("\r\n"), header.size());
    std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    if (!line.starts_with(kLength)) continue;
    line.remove_prefix(kLength.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc{} || stop != line.data() + line.size()) return std::nullopt;
    length = value;
  }
  return length;
}

}  // namespace

std::optional<Message> Inbox::next() {
  while (read_some(0)) {}
  while (messages_.empty() && !ended_) read_some(-1);
  if (messages_.empty()) return std::nullopt;
  Message message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

bool Inbox::more_within(int milliseconds) {
  if (messages_.empty()) read_some(milliseconds);
  return !messages_.empty();
}

bool Inbox::read_some(int milliseconds) {
  if (ended_) return false;
  pollfd input{descriptor_, POLLIN, 0};
  const int ready = poll(&input, 1, milliseconds);
  if (ready < 0 && errno == EINTR) return false;
  if (ready == 0) return false;
  char block[1 << 16];
  const ssize_t count = ready < 0 ? 0 : read(descriptor_, block, sizeof block);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (count <= 0) {
    ended_ = true;
    return false;
  }
  const auto length = static_cast<std::size_t>(count);
  bytes_.append(block, length);
  missing_ -= std::min(missing_, length);
  if (missing_ == 0) take_messages();
  return true;
}

void Inbox::take_messages() {
  std::size_t at = 0;
  for (;;) {
    const std::size_t end = bytes_.find("\r\n\r\n", at);
    if (end == std::string::npos) {
      if (bytes_.size() - at > kLongestHeader) ended_ = true;
      break;
    }
    const std::optional<std::size_t> length = length_in(std::string_view(bytes_).substr(at, end - at));
    if (!length || *length > kLongestMessage) {
      ended_ = true;
      break;
    }
    const std::size_t begin = end + 4;
    if (bytes_.size() - begin < *length) {
      missing_ = *length - (bytes_.size() - begin);
      break;
    }
    std::string content = bytes_.substr(begin, *length);
    at = begin + *length;
    if (content.find(kCancel) != std::string::npos) cancel(content);
    messages_.push_back({std::move(content)});
  }
  bytes_.erase(0, at);
}

/// The notification itself is handed out, too: the request may be running.
void Inbox::cancel(const std::string& content) {
  const Json notice = Json::parse(content, nullptr, false);
  if (!notice.is_object() || notice.value("method", Json()) != kCancel) return;
  const Json params = notice.value("params", Json());
  if (!params.is_object() || !params.contains("id")) return;
  for (Message& waiting : messages_) {
    const Json message = Json::parse(waiting.content, nullptr, false);
    if (message.is_object() && message.contains("method") && message.contains("id") &&
        message["id"] == params["id"])
      waiting.cancelled = true;
  }
}

void write_message(std::ostream& out, const std::string& content) {
  out << "Content-Length: " << content.size() << "\r\n\r\n" << content << std::flush;
}

}  // namespace sigrel::lsp
