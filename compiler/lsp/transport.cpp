#include "compiler/lsp/transport.h"

#include <charconv>
#include <istream>
#include <ostream>
#include <string_view>

namespace sigrel::lsp {

std::optional<std::string> read_message(std::istream& in) {
  constexpr std::string_view kLength = "Content-Length:";
  std::optional<std::size_t> length;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) {
      if (!length || *length > kLongestMessage) return std::nullopt;
      std::string content(*length, '\0');
      in.read(content.data(), static_cast<std::streamsize>(*length));
      if (static_cast<std::size_t>(in.gcount()) != *length) return std::nullopt;
      return content;
    }
    if (!line.starts_with(kLength)) continue;
    std::string_view digits = std::string_view(line).substr(kLength.size());
    while (digits.starts_with(' ')) digits.remove_prefix(1);
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    length = value;
  }
  return std::nullopt;
}

void write_message(std::ostream& out, const std::string& content) {
  out << "Content-Length: " << content.size() << "\r\n\r\n" << content << std::flush;
}

}  // namespace sigrel::lsp
