// The tokens of a file with its comments, grouped into blocks and pieces by the layout filter: for tools that
// work on the text, such as the formatter. Reports the errors of the parser and the layout filter.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel {

enum class TokenKind : std::uint8_t {
  LineComment,
  BlockComment,
  Name,
  Capital,
  Literal,
  Keyword,
  Diamond,
  Arrow,
  Equal,
  Assign,
  DoubleColon,
  Operator,    // other infix operators
  Arithmetic,  // + - * / between operands
  Power,
  Prefix,  // `-` before an operand, `\`, `#`
  Open,
  IndexOpen,
  Close,  // brackets
  BlockOpen,
  BlockClose,  // the braces of a block
  UnitOpen,
  UnitPart,
  UnitClose,  // `<m/s>`, unless part of a number
  BacktickOpen,
  BacktickClose,
  LabelColon,
  Comma,
  Semicolon,
  Dot
};

constexpr std::uint32_t kNoPiece = 0xFFFFFFFF;

struct SourceToken {
  TokenKind kind{};
  Span span;
  std::uint32_t line = 0;      // from 1
  std::uint32_t column = 0;    // from 1, in code points
  bool first_on_line = false;  // preceded by blanks only, or by a comment that starts the line
  bool joins_line = false;     // may start a line at the column of its block
  bool closes_blocks = false;  // ends the blocks since its counterpart at any column: `)`, `in`, `then`, …
  std::uint32_t piece = kNoPiece;  // enclosing piece; kNoPiece for comments, `;` and the braces of a block
  std::uint32_t block = 0;         // innermost block; not for comments
};

/// One declaration, item, alternative or mode.
struct SourcePiece {
  std::uint32_t block = 0;
  std::uint32_t first = 0;  // its first token
};

struct SourceBlock {
  bool top = false;   // the declarations of the file
  bool body = false;  // items of a relation
  bool braces = false;
  std::uint32_t piece = kNoPiece;  // enclosing piece; kNoPiece for the file
  Span span;
};

/// `tokens` are in source order; pieces and blocks refer to each other by index. Block 0 is the file.
struct TokenList {
  std::vector<SourceToken> tokens;
  std::vector<SourcePiece> pieces;
  std::vector<SourceBlock> blocks;
};

/// For texts without errors: after an error, tokens may be missing from the pieces.
TokenList tokens(FileId file, const SourceMap& sources, Diagnostics& diagnostics);

}  // namespace sigrel
