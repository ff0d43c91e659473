// Documentation comments as HTML: paragraphs, lists (`- item`), `code`, and fenced code blocks (```).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sigrel::doc {

/// Escapes `&<>"'` as entities and removes control characters, which XML cannot represent.
std::string escape(std::string_view text);

/// The markup inside a paragraph.
std::string inline_markup(std::string_view text);

std::string markup(std::string_view text);

/// A fenced code block; the language follows the opening fence and is empty for pictures.
struct Block {
  std::string language, text;
};
std::vector<Block> blocks(std::string_view text);

/// The first sentence or line, for lists of definitions; empty if the text starts with a list or a block.
std::string_view first_sentence(std::string_view text);
/// The same as HTML.
std::string summary(std::string_view text);

}  // namespace sigrel::doc
