// The layout filter: divides the tokens of a file into pieces by their columns and brackets.
//
// A piece is one declaration, item, alternative or mode. It is passed on after its last token; the blocks
// inside it have been passed on before, piece by piece, and are represented by single BLOCK tokens. The
// division depends on tokens and columns only, not on the parser:
//
//   - `where let of do`, and `then else initially guess` at the start of an item, open a block at the
//     column of the next token;
//   - a line at that column starts a new piece, a line left of it closes the block, a line right of it
//     continues the piece;
//   - a closing bracket, `in then else of`, or a comma inside brackets closes the blocks opened since its
//     counterpart.
//
// Guarantees: brackets in a piece are balanced unless it is marked `damaged`; blocks and brackets nest at
// most kMaxNesting deep and an expression at most kMaxDepth, so recursion over a piece or a tree is bounded.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/parse/scanner.h"
#include "compiler/parse/token.h"

namespace sigrel::syntax {

constexpr std::size_t kMaxNesting = 1000;
constexpr std::size_t kMaxDepth = 3000;

enum class BlockKind : std::uint8_t { File, Expression, Top, Declarations, Body, Alternatives, Modes };

/// The nodes of the pieces of a block, in order.
struct Block {
  BlockKind kind{};
  std::vector<void*> nodes;  // Decl*, Item*, CaseAlternative* or Mode*, by kind
  bool damaged = false;      // an error in it was reported
  bool misread = false;      // an error was reported of a piece that is not of this kind
};

struct Piece {
  BlockKind kind;           // of the enclosing block
  std::span<Token> tokens;  // not empty unless damaged
  bool damaged;             // an error was reported: not parsed
  std::string_view doc;     // documentation of a top-level declaration
  Block* block;             // receives its node
};

class PieceSink {
 public:
  virtual void piece(const Piece& piece) = 0;

 protected:
  ~PieceSink() = default;
};

class Layout {
 public:
  Layout(FileId file, const SourceMap& sources, Diagnostics& diagnostics, PieceSink& sink,
         std::span<const SkippedText> skipped = {});
  /// Passes all pieces of the file to the sink; the last one is the File piece, or the Expression piece.
  void run(BlockKind whole);
  /// The block of a BLOCK token; valid while its piece is passed on.
  const Block& block(const Token& token) const { return *blocks_[token.block]; }

 private:
  // A construct that is open at the next token. Block and Bracket are scopes; the others are words that wait
  // for their counterpart.
  struct Frame {
    enum Kind : std::uint8_t {
      Block,
      Bracket,
      If,
      StatementIf,
      Then,
      StatementThen,
      Case,
      For,
      When,
      Let,
      Sigrel,
      Switch,
      Mode,
      Module
    } kind;
    Token open;              // the bracket, the word, or the first token of the block
    BlockKind block_kind{};  // for blocks, as all below
    bool explicit_braces = false;
    bool damaged = false;      // the current piece
    bool quiet = false;        // its opening word is an error: its contents are not checked
    std::uint32_t column = 0;  // 0 with braces
    std::uint32_t block = 0;
    std::size_t piece_begin = 0;  // index into tokens_
    // Depth, for scopes: of the segment since the last separator, and of the constructs closed in it.
    std::uint32_t operators = 0, recursive = 0, deepest_child = 0, deepest = 0;
    bool is_scope() const { return kind == Block || kind == Bracket; }
  };
  struct Pending {
    BlockKind kind;
    Token opener;
    bool quiet = false;
  };

  void token(Token t);
  void word(Token& t);
  void line_start(const Token& t);
  void open_pending(Token& t, bool& fresh, bool& consumed);
  void open_block(BlockKind kind, const Token& first, bool braces);
  void empty_block(const Pending& pending, const Token& t);
  void close_bracket(Token& t, bool& consumed);
  void comma();
  void close_top_frame();
  void pop_to(std::size_t size);
  void end_piece(Frame& frame);
  void push(const Token& t);
  void push_frame(Frame::Kind kind, const Token& t);
  void end_segment(Frame& frame);
  void count(const Token& t);
  void too_deep(const Token& t, bool chain);
  void damage();
  bool follows_damage();
  void unclosed(const Frame& bracket, const Token& t);
  void finish(const Token& end);
  std::uint32_t new_block(BlockKind kind);

  Frame& scope();
  std::size_t scope_index() const;
  Frame& innermost_block();
  std::optional<std::size_t> nearest(std::initializer_list<Frame::Kind> kinds, bool within_scope) const;
  std::uint32_t enclosing_column(std::size_t below) const;
  bool at_piece_start(BlockKind kind);
  Span span(const Token& t) const { return {file_, t.begin, t.end}; }
  std::string_view text(const Token& t) const { return sources_.text(span(t)); }

  FileId file_;
  const SourceMap& sources_;
  Diagnostics& diagnostics_;
  PieceSink& sink_;
  Scanner scanner_;
  std::vector<Token> tokens_;  // of all open pieces, outer ones first
  std::vector<Frame> frames_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::uint32_t> free_blocks_;
  std::optional<Pending> pending_;
  std::string doc_;
  std::vector<std::uint16_t> given_up_;  // closing brackets of the unclosed brackets that were reported
  std::size_t recursive_ = 0;            // sum over the frames
  std::uint32_t last_end_ = 0;
  bool chain_if_ = false;  // the `if` of an `else if` item
  bool skipping_ = false;  // skips the rest of a declaration that is nested too deeply
};

}  // namespace sigrel::syntax
