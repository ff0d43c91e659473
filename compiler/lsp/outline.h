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

/// A name at the beginning of a line that a definition or signature follows; empty if there is none.
std::string_view defined_in(std::string_view line);
/// The definition in whose lines an offset is; empty outside of definitions.
std::string_view definition_around(std::string_view text, std::size_t offset);

/// What is being written at an offset.
struct Typing {
  enum Kind : std::uint8_t {
    Nothing,  // a comment, a string, a number
    Name,
    Module,  // after `import`
    Unit,    // behind `1.0<` and `Real<`
    Member,  // behind a point
    Field    // of a record, an experiment or an application, in braces
  } kind = Name;
  std::string_view
      owner;  // Member: what stands before the point; Field: before the brace, "with" of an update
};
Typing typing_at(std::string_view text, std::size_t offset);

/// The lines from one that begins at the margin up to the next one that does, around a line.
struct Piece {
  std::size_t first = 0, end = 0;
};
Piece piece_around(const Lines& lines, std::size_t line);

}  // namespace sigrel::lsp
