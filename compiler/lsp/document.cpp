#include "compiler/lsp/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace sigrel::lsp {
namespace {

/// Bytes of the character that begins with this one, and its code units in UTF-16.
std::size_t bytes(unsigned char first) { return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }
std::size_t units(unsigned char first, Encoding encoding) {
  return encoding == Encoding::Utf8 ? bytes(first) : first < 0xF0 ? 1 : 2;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\''; }

}  // namespace

Lines::Lines(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] == '\n') starts_.push_back(k + 1);
}

std::string_view Lines::line(std::size_t number) const {
  const std::size_t begin = starts_[number];
  const std::size_t end = number + 1 < starts_.size() ? starts_[number + 1] - 1 : text_.size();
  std::string_view line = text_.substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::size_t Lines::offset(Place place, Encoding encoding) const {
  if (place.line >= starts_.size()) return text_.size();
  const std::string_view text = line(place.line);
  std::size_t at = 0;
  for (std::size_t passed = 0; at < text.size() && passed < place.character;) {
    const auto first = static_cast<unsigned char>(text[at]);
    passed += units(first, encoding);
    at += bytes(first);
  }
  return starts_[place.line] + std::min(at, text.size());
}

Place Lines::place(std::size_t offset, Encoding encoding) const {
  offset = std::min(offset, text_.size());
  const auto next = std::ranges::upper_bound(starts_, offset);
  const auto number = static_cast<std::size_t>(next - starts_.begin()) - 1;
  Place place{number, 0};
  for (std::size_t at = starts_[number]; at < offset;) {
    const auto first = static_cast<unsigned char>(text_[at]);
    place.character += units(first, encoding);
    at += bytes(first);
  }
  return place;
}

std::string path_of(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return std::string(uri);
  uri.remove_prefix(kFile.size());
  if (!uri.starts_with('/')) uri.remove_prefix(std::min(uri.find('/'), uri.size()));  // the host
  std::string path;
  for (std::size_t k = 0; k < uri.size(); ++k) {
    unsigned value = 0;
    if (uri[k] == '%' && k + 2 < uri.size() &&
        std::from_chars(&uri[k + 1], &uri[k + 1] + 2, value, 16).ptr == &uri[k + 1] + 2) {
      path += static_cast<char>(value);
      k += 2;
    } else {
      path += uri[k];
    }
  }
  return path;
}

std::string uri_of(std::string_view path) {
  std::string uri = "file://";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Word word_at(std::string_view text, std::size_t offset) {
  std::size_t begin = std::min(offset, text.size()), end = begin;
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  while (end < text.size() && in_word(text[end])) ++end;
  if (begin == end || std::isdigit(static_cast<unsigned char>(text[begin])) != 0) return {};
  return {text.substr(begin, end - begin), begin};
}

}  // namespace sigrel::lsp
