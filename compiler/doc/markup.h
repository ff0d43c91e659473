// The text of a documentation comment as HTML: paragraphs, lists (`- item`), `code`, and blocks between lines
// of ```.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sigrel::doc {

/// With `&<>"'` written as entities; control characters, which XML has no form for, are left out.
std::string escape(std::string_view text);

/// The inside of a paragraph.
std::string inline_markup(std::string_view text);

std::string markup(std::string_view text);

/// What stands between lines of ```: after the first of them the language, empty for pictures.
struct Block {
  std::string language, text;
};
std::vector<Block> blocks(std::string_view text);

/// The first sentence or line, for lists of definitions; empty where a list or a block comes first.
std::string_view first_sentence(std::string_view text);
/// The same as HTML.
std::string summary(std::string_view text);

}  // namespace sigrel::doc
