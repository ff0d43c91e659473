// Blocks and brackets: how they open and close, and the pieces that end with them.
#include <algorithm>

#include "SigrelLexer.h"
#include "compiler/parse/contextual.h"
#include "compiler/parse/layout.h"
#include "compiler/parse/token_class.h"

namespace sigrel::syntax {

using K = SigrelLexer;

void Layout::open_pending(Token& t, bool& fresh, bool& consumed) {
  Pending pending = *pending_;
  pending_.reset();
  if (t.kind == K::LEFT_BRACE) {
    open_block(pending.kind, t, true);
    last_end_ = t.end;
    consumed = true;
    if (!skipping_) frames_.back().quiet |= pending.quiet;
  } else if (t.kind != kEnd && t.column > enclosing_column(frames_.size()) && !joins_line(t.kind)) {
    open_block(pending.kind, t, false);
    fresh = true;
    if (!skipping_) frames_.back().quiet |= pending.quiet;
  } else {
    empty_block(pending, t);
  }
}

void Layout::open_block(BlockKind kind, const Token& first, bool braces) {
  if (frames_.size() + recursive_ >= kMaxNesting) return too_deep(first, false);
  Frame frame{Frame::Block, first};
  frame.block_kind = kind;
  frame.explicit_braces = braces;
  frame.column = braces ? 0 : first.column;
  frame.block = new_block(kind);
  frame.piece_begin = tokens_.size();
  frame.quiet = !frames_.empty() && innermost_block().quiet;
  frames_.push_back(frame);
}

void Layout::push_frame(Frame::Kind kind, const Token& t) {
  if (skipping_) return;
  if (frames_.size() + recursive_ >= kMaxNesting) return too_deep(t, false);
  frames_.push_back({kind, t});
}

void Layout::close_bracket(Token& t, bool& consumed) {
  auto fits = [&](const Frame& f) {
    if (f.kind == Frame::Block)
      return f.explicit_braces && f.open.kind == K::LEFT_BRACE && t.kind == K::RIGHT_BRACE;
    return f.kind == Frame::Bracket && partner(f.open.kind) == t.kind;
  };
  std::size_t i = frames_.size();
  while (i-- > 0 && !fits(frames_[i])) {}
  if (i == static_cast<std::size_t>(-1)) {
    // The counterpart of an unclosed bracket that was reported is not a second error.
    auto lost = std::ranges::find(given_up_, t.kind);
    if (lost != given_up_.end())
      given_up_.erase(lost);
    else if (!innermost_block().damaged && !innermost_block().quiet)
      diagnostics_.report(Code::SyntaxError, span(t), "`" + std::string(text(t)) + "` has no opening bracket")
          .label("no bracket of this kind is open");
    damage();
    consumed = true;
    return;
  }
  while (frames_.size() > i + 1) {
    const Frame& frame = frames_.back();
    if (frame.kind == Frame::Bracket || (frame.kind == Frame::Block && frame.explicit_braces))
      unclosed(frame, t);
    close_top_frame();
  }
  if (frames_[i].kind == Frame::Block) {
    last_end_ = t.end;
    consumed = true;
  }
  close_top_frame();
}

void Layout::comma() {
  std::size_t index = scope_index();
  if (frames_[index].kind == Frame::Block) {
    if (nearest({Frame::For, Frame::When}, true)) return;
    const Frame& block = frames_[index];
    if (tokens_.size() > block.piece_begin) {
      std::uint16_t first = tokens_[block.piece_begin].kind;
      bool names =
          std::none_of(tokens_.begin() + static_cast<std::ptrdiff_t>(block.piece_begin), tokens_.end(),
                       [](const Token& t) { return t.kind == K::DOUBLE_COLON || t.kind == K::EQUAL; });
      if ((first == K::LOCAL || first == K::DISCRETE) && names) return;
    }
    while (index > 0 && frames_[index].kind != Frame::Bracket) {
      if (frames_[index].kind == Frame::Block && frames_[index].explicit_braces) return;
      --index;
    }
    if (frames_[index].kind != Frame::Bracket) return;
  }
  pop_to(index + 1);
  end_segment(frames_[index]);
}

void Layout::pop_to(std::size_t size) {
  while (frames_.size() > size) close_top_frame();
}

// Closes the innermost frame; a block leaves a BLOCK token in the enclosing piece.
void Layout::close_top_frame() {
  Frame& frame = frames_.back();
  if (!frame.is_scope()) {
    frames_.pop_back();
    return;
  }
  if (frame.kind == Frame::Block)
    end_piece(frame);
  else
    end_segment(frame);
  std::uint32_t depth = frame.deepest + 1;
  if (frame.kind == Frame::Block) {
    Token block = frame.open;
    block.kind = K::BLOCK;
    block.end = std::max(last_end_, block.begin);
    block.block = frame.block;
    frames_.pop_back();
    tokens_.push_back(block);
  } else {
    frames_.pop_back();
  }
  Frame& around = scope();
  around.deepest_child = std::max(around.deepest_child, depth);
}

void Layout::end_piece(Frame& frame) {
  end_segment(frame);
  if (tokens_.size() > frame.piece_begin || frame.damaged) {
    std::span<Token> tokens(tokens_.data() + frame.piece_begin, tokens_.size() - frame.piece_begin);
    resolve_contextual(frame.block_kind, tokens);
    sink_.piece({frame.block_kind, tokens, frame.damaged || frame.quiet,
                 frame.block_kind == BlockKind::Top ? doc_ : std::string_view{}, blocks_[frame.block].get()});
    for (const Token& t : tokens)
      if (t.kind == K::BLOCK) {
        blocks_[t.block].reset();
        free_blocks_.push_back(t.block);
      }
    tokens_.resize(frame.piece_begin);
    frame.damaged = false;
    if (frame.block_kind == BlockKind::Top) given_up_.clear();
  }
}

}  // namespace sigrel::syntax
