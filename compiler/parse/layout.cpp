#include "compiler/parse/layout.h"

#include <algorithm>

#include "SigrelLexer.h"
#include "compiler/parse/token_class.h"

namespace sigrel::syntax {

using K = SigrelLexer;

Layout::Layout(FileId file, const SourceMap& sources, Diagnostics& diagnostics, PieceSink& sink,
               std::span<const SkippedText> skipped)
    : file_(file),
      sources_(sources),
      diagnostics_(diagnostics),
      sink_(sink),
      scanner_(file, sources, diagnostics, nullptr, skipped) {}

void Layout::run(BlockKind whole) {
  open_block(whole, {}, true);
  if (whole == BlockKind::File) {
    const Token& first = scanner_.peek();
    if (first.kind == K::MODULE) {
      Token module = scanner_.next();
      if (scanner_.peek().kind == K::UPPER_NAME) {
        push(module);
        push_frame(Frame::Module, module);
        // The header is `module A.B where`, on any number of lines.
        while (scanner_.peek().kind == K::UPPER_NAME || scanner_.peek().kind == K::DOT) push(scanner_.next());
        if (scanner_.peek().kind != K::WHERE) {
          Token last = tokens_.back();
          diagnostics_.report(Code::SyntaxError, span(last), "expected `where` after the module name")
              .fix("write `where`", {file_, last.end, last.end}, " where");
          frames_.pop_back();
          Token where = last;
          where.kind = K::WHERE;
          push(where);
          pending_ = Pending{BlockKind::Top, where};
        }
      } else {
        open_block(BlockKind::Top, module, false);
        token(module);
      }
    } else if (first.kind != kEnd) {
      open_block(BlockKind::Top, first, false);
    } else {
      pending_ = Pending{BlockKind::Top, first};
    }
  }
  for (;;) {
    Token t = scanner_.next();
    if (t.kind == kEnd) return finish(t);
    token(t);
  }
}

void Layout::finish(const Token& end) {
  if (scanner_.damaged()) damage();
  if (pending_) {
    Token t = end;
    bool fresh = false, consumed = false;
    open_pending(t, fresh, consumed);
  }
  while (frames_.size() > 1) {
    const Frame& frame = frames_.back();
    if (frame.kind == Frame::Bracket || frame.explicit_braces) unclosed(frame, end);
    close_top_frame();
  }
  end_piece(frames_.front());
}

void Layout::token(Token t) {
  if (skipping_) {
    const Frame& top = frames_.back();
    if (top.block_kind != BlockKind::Top || !t.first_on_line || t.column > top.column) return;
    skipping_ = false;
  }
  bool fresh = false, consumed = false, else_if = false;
  if (t.kind == K::LOWER_NAME && nearest({Frame::Then, Frame::StatementThen}, false)) {
    std::string_view spelling = text(t);
    else_if = spelling == "elseif" || spelling == "elsif" || spelling == "elif";
  }
  if (else_if) {
    diagnostics_.report(Code::ForeignSyntax, span(t), "`" + std::string(text(t)) + "` is written `else if`")
        .fix("write `else if`", span(t), "else if");
    t.kind = K::ELSE;
  }
  if (pending_) open_pending(t, fresh, consumed);
  if (skipping_) return;
  if (t.first_on_line && !fresh) line_start(t);
  if (scanner_.damaged()) damage();
  if (consumed || t.kind == K::OTHER) return;
  if (else_if) {
    word(t);
    pending_.reset();
    chain_if_ = innermost_block().block_kind == BlockKind::Body &&
                tokens_.size() > innermost_block().piece_begin &&
                tokens_[innermost_block().piece_begin].kind == K::IF;
    t.kind = K::IF;
  }
  word(t);
  if (skipping_) pending_.reset();
}

// Brackets, separators and the words that open or close constructs.
void Layout::word(Token& t) {
  bool chained = chain_if_;
  chain_if_ = false;
  switch (t.kind) {
    case K::LEFT_BRACKET:
      if (tokens_.size() > innermost_block().piece_begin && tokens_.back().end == t.begin &&
          is_indexable(tokens_.back().kind))
        t.kind = K::INDEX_OPEN;
      push(t);
      push_frame(Frame::Bracket, t);
      return;
    case K::LEFT_PAREN:
    case K::LEFT_BRACE:
      push(t);
      push_frame(Frame::Bracket, t);
      return;
    case K::RIGHT_PAREN:
    case K::RIGHT_BRACKET:
    case K::RIGHT_BRACE: {
      bool consumed = false;
      close_bracket(t, consumed);
      if (!consumed) push(t);
      return;
    }
    case K::SEMICOLON:
      if (scope().kind == Frame::Block) {
        pop_to(scope_index() + 1);
        last_end_ = t.end;
        end_piece(frames_.back());
        return;
      }
      end_segment(scope());
      break;
    case K::COMMA: comma(); break;
    case K::IN:
      if (auto i = nearest({Frame::Let, Frame::For}, false))
        pop_to(frames_[*i].kind == Frame::Let ? *i : *i + 1);
      break;
    case K::IF: {
      bool statement = chained || at_piece_start(BlockKind::Body);
      push(t);
      push_frame(statement ? Frame::StatementIf : Frame::If, t);
      return;
    }
    case K::THEN:
      if (auto i = nearest({Frame::If, Frame::StatementIf}, false)) {
        bool statement = frames_[*i].kind == Frame::StatementIf;
        pop_to(*i);
        push(t);
        push_frame(statement ? Frame::StatementThen : Frame::Then, t);
        if (statement) pending_ = Pending{BlockKind::Body, t};
        return;
      }
      break;
    case K::ELSE:
      if (auto i = nearest({Frame::Then, Frame::StatementThen}, false)) {
        bool statement = frames_[*i].kind == Frame::StatementThen;
        pop_to(*i);
        const Token& next = scanner_.peek();
        if (statement && next.kind == K::IF && next.line == t.line)
          chain_if_ = true;
        else if (statement)
          pending_ = Pending{BlockKind::Body, t};
      }
      break;
    case K::CASE:
      push(t);
      push_frame(Frame::Case, t);
      return;
    case K::OF:
      if (auto i = nearest({Frame::Case}, false)) {
        pop_to(*i);
        pending_ = Pending{BlockKind::Alternatives, t};
      }
      break;
    case K::WHERE:
      if (auto i = nearest({Frame::Sigrel, Frame::Switch, Frame::Mode, Frame::Module}, true)) {
        Frame::Kind kind = frames_[*i].kind;
        pop_to(*i);
        pending_ = Pending{kind == Frame::Switch   ? BlockKind::Modes
                           : kind == Frame::Module ? BlockKind::Top
                                                   : BlockKind::Body,
                           t};
      } else {
        if (!innermost_block().damaged && !innermost_block().quiet && !follows_damage())
          diagnostics_
              .report(Code::ForeignSyntax, span(t),
                      "`where` belongs to `sigrel`, `mode`, `switch` or `module`")
              .label("none of these is open here")
              .help("local definitions of a function are written before its result: `let … in …`");
        damage();
        pending_ = Pending{BlockKind::Declarations, t, true};
      }
      break;
    case K::LET:
      push(t);
      push_frame(Frame::Let, t);
      pending_ = Pending{BlockKind::Declarations, t};
      return;
    case K::INITIALLY:
    case K::GUESS:
      if (at_piece_start(BlockKind::Body)) pending_ = Pending{BlockKind::Body, t};
      break;
    case K::DO:
      if (auto i = nearest({Frame::For, Frame::When}, true))
        pop_to(frames_[*i].kind == Frame::When ? *i + 1 : *i);
      pending_ = Pending{BlockKind::Body, t};
      break;
    case K::WHEN: {
      bool starts = at_piece_start(BlockKind::Body);
      push(t);
      if (starts) push_frame(Frame::When, t);
      return;
    }
    case K::ELSEWHEN:
      if (auto i = nearest({Frame::When}, false)) pop_to(*i + 1);
      break;
    case K::SWITCH: {
      bool starts = at_piece_start(BlockKind::Body);
      push(t);
      if (starts) push_frame(Frame::Switch, t);
      return;
    }
    case K::MODE: {
      bool starts = at_piece_start(BlockKind::Modes);
      push(t);
      if (starts) push_frame(Frame::Mode, t);
      return;
    }
    case K::SIGREL:
      push(t);
      push_frame(Frame::Sigrel, t);
      return;
    case K::FOR:
      push(t);
      push_frame(Frame::For, t);
      return;
    default: break;
  }
  push(t);
}

void Layout::line_start(const Token& t) {
  for (;;) {
    std::size_t index = scope_index();
    Frame& scope = frames_[index];
    if (scope.kind == Frame::Block && !scope.explicit_braces) {
      if (t.column < scope.column) {
        if (scope.block_kind != BlockKind::Top) {
          pop_to(index);
          continue;
        }
        if (!diagnostics_.has_errors())  // after errors, the preceding piece may not be a declaration
          diagnostics_
              .report(Code::SyntaxError, span(t), "this declaration starts left of the preceding ones")
              .label("all declarations of a file start at the same column")
              .also({file_, scope.open.begin, scope.open.end}, "the first one starts here");
        scope.column = t.column;
      }
      if (t.column == scope.column && !joins_line(t.kind)) {
        pop_to(index + 1);
        if (is_operator(t.kind) && tokens_.size() > scope.piece_begin) {
          if (!scope.damaged && !scope.quiet)
            diagnostics_
                .report(Code::OperatorAtBlockColumn, span(t),
                        "this line starts with `" + std::string(text(t)) + "` at the column of its block")
                .label("a line at this column starts a new " +
                       std::string(scope.block_kind == BlockKind::Body ? "item" : "declaration"))
                .help("indent it to continue the preceding line");
          scope.damaged = true;
        } else {
          end_piece(scope);
        }
      }
      return;
    }
    // Inside a bracket every line is deeper than the enclosing block, or starts with a token that cannot
    // start a piece.
    if (index == 0 || t.column > enclosing_column(index) || joins_line(t.kind) || is_operator(t.kind)) return;
    unclosed(scope, t);
    pop_to(index);
  }
}

void Layout::unclosed(const Frame& bracket, const Token& t) {
  std::size_t index = static_cast<std::size_t>(&bracket - frames_.data());
  Frame* block = nullptr;
  for (std::size_t i = index; i-- > 0 && !block;)
    if (frames_[i].kind == Frame::Block) block = &frames_[i];
  if (!block->damaged && !block->quiet) {
    Diagnostic& d = diagnostics_.report(Code::UnclosedBracket, span(bracket.open),
                                        "`" + std::string(text(bracket.open)) + "` is not closed");
    if (t.kind == kEnd)
      d.label("the file ends before it is closed");
    else if (t.first_on_line && t.kind != K::RIGHT_PAREN && t.kind != K::RIGHT_BRACKET &&
             t.kind != K::RIGHT_BRACE)
      d.also(span(t), "this line starts a new item, because it is not indented deeper");
    else
      d.also(span(t), "this closes another bracket");
    switch (partner(bracket.open.kind)) {
      case K::RIGHT_PAREN: d.help("close it with `)`"); break;
      case K::RIGHT_BRACE: d.help("close it with `}`"); break;
      default: d.help("close it with `]`"); break;
    }
  }
  block->damaged = true;
  if (given_up_.size() < kMaxNesting) given_up_.push_back(partner(bracket.open.kind));
}

void Layout::empty_block(const Pending& pending, const Token& t) {
  Token block = pending.opener;
  block.kind = K::BLOCK;
  block.begin = block.end;
  block.block = new_block(pending.kind);
  if (pending.kind != BlockKind::Top) {
    blocks_[block.block]->damaged = true;
    if (!innermost_block().damaged && !innermost_block().quiet) {
      std::string_view what = "an item";
      switch (pending.opener.kind) {
        case K::WHERE: what = pending.kind == BlockKind::Modes ? "a mode" : "an equation"; break;
        case K::LET: what = "a definition"; break;
        case K::OF: what = "an alternative"; break;
        case K::INITIALLY:
        case K::GUESS: what = "an equation"; break;
        default: break;
      }
      std::string message =
          "expected " + std::string(what) + " after `" + std::string(text(pending.opener)) + "`";
      bool at_end = t.kind == kEnd;
      Diagnostic& d = diagnostics_.report(Code::EmptyBlock, span(at_end ? pending.opener : t), message);
      if (at_end)
        d.label("the file ends here");
      else
        d.label(!t.first_on_line ? "found `" + std::string(text(t)) + "`"
                : t.column == 1  ? "this line starts a new declaration, because it is not indented"
                                 : "this line is not indented deeper than the enclosing block")
            .also(span(pending.opener), "this block has no items");
      if (pending.opener.kind == K::WHERE && pending.kind == BlockKind::Body)
        d.help("a relation without equations is written `where {}`");
    }
    damage();
  }
  tokens_.push_back(block);
}

void Layout::push(const Token& t) {
  if (skipping_) return;
  if (frames_.back().kind == Frame::Block && frames_.back().block_kind == BlockKind::Top &&
      tokens_.size() == frames_.back().piece_begin)
    doc_ = scanner_.doc();
  count(t);
  if (skipping_) return;
  tokens_.push_back(t);
  last_end_ = t.end;
}

void Layout::count(const Token& t) {
  if (is_plain(t.kind)) return;
  Frame& s = scope();
  ++s.operators;
  std::uint16_t before = tokens_.size() > innermost_block().piece_begin ? tokens_.back().kind : kEnd;
  if (is_recursive(t.kind, before)) {
    ++s.recursive;
    ++recursive_;
    if (frames_.size() + recursive_ >= kMaxNesting) return too_deep(t, false);
  }
  if (s.operators + s.deepest_child > kMaxDepth) too_deep(t, true);
}

void Layout::end_segment(Frame& frame) {
  frame.deepest = std::max(frame.deepest, frame.operators + frame.deepest_child);
  recursive_ -= frame.recursive;
  frame.operators = frame.recursive = frame.deepest_child = 0;
}

void Layout::too_deep(const Token& t, bool chain) {
  Diagnostic& d = diagnostics_.report(
      Code::NestingTooDeep, span(t),
      chain ? "this expression is too long" : "brackets and blocks are nested too deeply");
  if (chain)
    d.label("more than " + std::to_string(kMaxDepth) + " operators in one expression")
        .help("name parts of it with `let`, or use `sum` of a list");
  else
    d.label("the limit is " + std::to_string(kMaxNesting) + " levels")
        .help("move inner parts to separate definitions");
  // Skips the rest of the declaration; the pieces inside it are not passed on.
  std::size_t keep = 1;
  while (keep < frames_.size() && frames_[keep - 1].block_kind != BlockKind::Top) ++keep;
  if (frames_[keep - 1].block_kind != BlockKind::Top) keep = 1;
  frames_.resize(keep, Frame{});
  Frame& top = frames_.back();
  tokens_.resize(std::min(tokens_.size(), top.piece_begin + 1));
  top.damaged = true;
  top.operators = top.recursive = top.deepest_child = 0;
  recursive_ = 0;
  pending_.reset();
  chain_if_ = false;
  skipping_ = true;
}

void Layout::damage() { innermost_block().damaged = true; }

/// Whether an error was reported in a block of the current piece.
bool Layout::follows_damage() {
  return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(innermost_block().piece_begin),
                     tokens_.end(),
                     [&](const Token& t) { return t.kind == K::BLOCK && blocks_[t.block]->damaged; });
}

std::uint32_t Layout::new_block(BlockKind kind) {
  std::uint32_t index;
  if (free_blocks_.empty()) {
    index = static_cast<std::uint32_t>(blocks_.size());
    blocks_.emplace_back();
  } else {
    index = free_blocks_.back();
    free_blocks_.pop_back();
  }
  blocks_[index] = std::make_unique<Block>(Block{kind, {}});
  return index;
}

std::size_t Layout::scope_index() const {
  std::size_t i = frames_.size() - 1;
  while (!frames_[i].is_scope()) --i;
  return i;
}

Layout::Frame& Layout::scope() { return frames_[scope_index()]; }

Layout::Frame& Layout::innermost_block() {
  std::size_t i = frames_.size() - 1;
  while (frames_[i].kind != Frame::Block) --i;
  return frames_[i];
}

// The innermost frame of these kinds inside the enclosing bracket or braces; with `within_scope`, inside the
// enclosing block.
std::optional<std::size_t> Layout::nearest(std::initializer_list<Frame::Kind> kinds,
                                           bool within_scope) const {
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame& f = frames_[i];
    if (std::ranges::find(kinds, f.kind) != kinds.end()) return i;
    if (f.kind == Frame::Bracket || (f.kind == Frame::Block && (within_scope || f.explicit_braces)))
      return std::nullopt;
  }
  return std::nullopt;
}

// The column of the innermost block below frame `below`; 0 in braces.
std::uint32_t Layout::enclosing_column(std::size_t below) const {
  for (std::size_t i = below; i-- > 0;)
    if (frames_[i].kind == Frame::Block) return frames_[i].column;
  return 0;
}

bool Layout::at_piece_start(BlockKind kind) {
  const Frame& f = frames_.back();
  return f.kind == Frame::Block && f.block_kind == kind && tokens_.size() == f.piece_begin;
}

}  // namespace sigrel::syntax
