// The layout filter: cuts the tokens of a file into pieces by their columns and brackets.
//
// A piece is one declaration, item, alternative or mode. A piece is handed over when its last token has been
// seen; the blocks inside it were handed over before, piece by piece, and stand in it as single BLOCK tokens.
// Everything is decided from tokens and columns, without help from the parser:
//
//   - `where let of do`, and `then else initially guess` where an item starts, open a block at the next
//   token's column;
//   - a line at that column starts a new piece, a line left of it closes the block, a line right of it
//   continues;
//   - a closing bracket, `in then else of`, or a comma inside brackets closes the blocks that were opened
//   since.
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

/// What came out of a block: the nodes of its pieces, in order.
struct Block {
  BlockKind kind{};
  std::vector<void*> nodes;  // Decl*, Item*, CaseAlternative* or Mode*, by kind
  bool damaged = false;      // some of its text has an error that is reported
};

struct Piece {
  BlockKind kind;           // of the block that it is in
  std::span<Token> tokens;  // not empty unless damaged
  bool damaged;             // reported already: to be counted as an error, not to be parsed
  std::string_view doc;     // of a declaration at the top
  Block* block;             // where its node goes
};

class PieceSink {
 public:
  virtual void piece(const Piece& piece) = 0;

 protected:
  ~PieceSink() = default;
};

class Layout {
 public:
  Layout(FileId file, const SourceMap& sources, Diagnostics& diagnostics, PieceSink& sink);
  /// Hands all pieces of the file to the sink: last the File piece, or the one Expression piece.
  void run(BlockKind whole);
  /// The block that a BLOCK token stands for; valid while its piece is handed over.
  const Block& block(const Token& token) const { return *blocks_[token.block]; }

 private:
  // What is open around the next token. Block and Bracket are scopes; the others mark a word whose partner is
  // awaited.
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
      Let,
      Sigrel,
      Switch,
      Mode,
      Module
    } kind;
    Token open;              // the bracket, the word, or the first token of the block
    BlockKind block_kind{};  // the rest is for blocks
    bool explicit_braces = false;
    bool damaged = false;      // the piece under way
    bool quiet = false;        // its opening word is an error: what stands in it is not looked at
    std::uint32_t column = 0;  // 0 with braces
    std::uint32_t block = 0;
    std::size_t piece_begin = 0;  // index into tokens_
    // Depth, for scopes: of the segment since the last comma or separator, and of what was closed in it.
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
  std::vector<Token> tokens_;  // of all pieces under way, the outer ones first
  std::vector<Frame> frames_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::uint32_t> free_blocks_;
  std::optional<Pending> pending_;
  std::string doc_;
  std::vector<std::uint16_t> given_up_;  // what would have closed the brackets that are not closed
  std::size_t recursive_ = 0;            // sum over the frames
  std::uint32_t last_end_ = 0;
  bool chain_if_ = false;  // `if` directly after the `else` of a statement
  bool skipping_ = false;  // the rest of a declaration that is nested too deeply
};

}  // namespace sigrel::syntax
