// Lines of a pipe or file, with one line of lookahead to find continued definitions.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "compiler/repl/lines.h"

namespace sigrel::repl {
namespace {

class PlainLines final : public Lines {
 public:
  explicit PlainLines(std::FILE* from) : from_(from) {}
  ~PlainLines() override { std::free(buffer_); }

  std::optional<std::string> next(bool) override {
    if (!has_ahead_) read();
    has_ahead_ = false;
    return std::exchange(ahead_, std::nullopt);
  }
  const std::string* ahead() override {
    if (!has_ahead_) read();
    has_ahead_ = true;
    return ahead_ ? &*ahead_ : nullptr;
  }

 private:
  void read() {
    ssize_t size;
    while ((size = getline(&buffer_, &capacity_, from_)) < 0 && errno == EINTR && !std::feof(from_))
      std::clearerr(from_);
    ahead_.reset();
    if (size < 0) return;
    std::string line(buffer_, static_cast<std::size_t>(size));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    ahead_ = std::move(line);
  }

  std::FILE* from_;
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0;
  std::optional<std::string> ahead_;
  bool has_ahead_ = false;
};

}  // namespace

std::unique_ptr<Lines> plain_lines(std::FILE* from) { return std::make_unique<PlainLines>(from); }

std::size_t word_start(std::string_view text) {
  std::size_t start = text.size();
  auto part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '\'' || c == '.' || c == '[' || c == ']' || static_cast<unsigned char>(c) >= 0x80;
  };
  while (start > 0 && part(text[start - 1])) --start;
  while (start < text.size() && (text[start] == '[' || text[start] == ']'))
    ++start;  // starts a list, not a name
  if (start == 1 && text[0] == ':') start = 0;
  return start;
}

}  // namespace sigrel::repl
