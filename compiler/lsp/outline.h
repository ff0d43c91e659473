// The structure of a text as its lines show it, also while it has errors: what folds, what is selected next,
// and the function whose arguments are being written.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/lsp/document.h"

namespace sigrel::lsp {

/// Lines that fold: the first one stays. Declarations, blocks inside of them, comments, imports.
struct Fold {
  std::size_t first = 0, last = 0;
  enum Kind : std::uint8_t { Code, Comment, Imports } kind = Code;
};
std::vector<Fold> folds(std::string_view text);

/// Ranges around an offset, each inside the next: a word, brackets, a line, a block, a declaration, the text.
struct Extent {
  std::size_t begin = 0, end = 0;
};
std::vector<Extent> extents(std::string_view text, std::size_t offset);

/// The application around an offset: its function, and how many arguments are complete.
struct Call {
  Word function;
  std::size_t arguments = 0;
};
Call call_at(std::string_view text, std::size_t offset);

}  // namespace sigrel::lsp
