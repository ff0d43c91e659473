// Messages of the base protocol of LSP 3.17: a header with the length, and JSON.
#pragma once
#include <iosfwd>
#include <optional>
#include <string>

namespace sigrel::lsp {

/// The longest message that is read, in bytes: a header that asks for more is that of another protocol.
inline constexpr std::size_t kLongestMessage = 256u << 20;

/// The content of the next message; nullopt at the end of the input, or if what comes is no message.
std::optional<std::string> read_message(std::istream& in);
void write_message(std::ostream& out, const std::string& content);

}  // namespace sigrel::lsp
