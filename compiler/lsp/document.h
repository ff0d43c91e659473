// The text of an open file, and positions in it as editors count them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"

namespace sigrel::lsp {

/// Zero-based. `character` counts code units of an encoding: those of UTF-16, unless UTF-8 was agreed on.
struct Place {
  std::size_t line = 0, character = 0;
};

enum class Encoding : std::uint8_t { Utf8, Utf16 };

/// Positions in a text. What is beyond the end of a line, or of the text, is at this end.
class Lines {
 public:
  explicit Lines(std::string_view text);
  std::size_t offset(Place place, Encoding encoding) const;
  Place place(std::size_t offset, Encoding encoding) const;
  std::size_t count() const { return starts_.size(); }
  /// Without its end.
  std::string_view line(std::size_t number) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

struct Document {
  std::string uri, path, text;
  std::int64_t version = 0;
  bool changed = true;  // since it was checked
  bool told = false;    // its diagnostics are, as they are now
  void change() {
    changed = true;
    told = false;
  }
};

/// The path of a `file:` URI, decoded; of another one, the URI itself: it names no folder.
std::string path_of(std::string_view uri);
std::string uri_of(std::string_view path);

/// The name around an offset, with what it begins; empty if there is none.
struct Word {
  std::string_view text;
  std::size_t begin = 0;
};
Word word_at(std::string_view text, std::size_t offset);

}  // namespace sigrel::lsp
