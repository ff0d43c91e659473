#include "compiler/parse/contextual.h"

#include "SigrelLexer.h"

namespace sigrel::syntax {
namespace {

using K = SigrelLexer;

/// Binary operators, which have a name `(+)` and sections `(+ x)`.
bool is_binary(std::uint16_t kind) {
  switch (kind) {
    case K::COLON:
    case K::EQUAL_EQUAL:
    case K::NOT_EQUAL:
    case K::LESS_EQUAL:
    case K::GREATER_EQUAL:
    case K::LESS:
    case K::GREATER:
    case K::PLUS:
    case K::PLUS_PLUS:
    case K::MINUS:
    case K::STAR:
    case K::SLASH:
    case K::CARET:
    case K::AND:
    case K::OR: return true;
    default: return false;
  }
}

/// Whether token `i` is the `>` of a unit `<m/s>`.
bool closes_unit(std::span<const Token> tokens, std::size_t i) {
  if (tokens[i].kind != K::GREATER) return false;
  while (i-- > 0) {
    switch (tokens[i].kind) {
      case K::LESS: return true;
      case K::LOWER_NAME:
      case K::UPPER_NAME:
      case K::OUT:
      case K::LIKE:
      case K::SR:
      case K::UNIT_SIGN:
      case K::INT:
      case K::STAR:
      case K::SLASH:
      case K::CARET:
      case K::MINUS:
      case K::DOT:
      case K::LEFT_PAREN:
      case K::RIGHT_PAREN: break;
      default: return false;
    }
  }
  return false;
}

}  // namespace

void resolve_contextual(BlockKind block, std::span<Token> tokens) {
  if (tokens.empty()) return;
  auto kind = [&](std::size_t i) { return i < tokens.size() ? tokens[i].kind : kEnd; };
  auto is_name = [&](std::size_t i) {
    switch (kind(i)) {
      case K::LOWER_NAME:
      case K::OUT:
      case K::LIKE:
      case K::FLOW:
      case K::ROTATION:
      case K::TYPE:
      case K::RECORD:
      case K::DATA:
      case K::MODULE:
      case K::MODE:
      case K::HIDING: return true;
      default: return false;
    }
  };
  const std::uint16_t first = tokens[0].kind;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& t = tokens[i];
    switch (t.kind) {
      case K::TYPE:
      case K::RECORD:
      case K::DATA:
        if (!(i == 0 && block == BlockKind::Top && kind(1) == K::UPPER_NAME)) t.kind = K::LOWER_NAME;
        break;
      case K::MODULE:
        if (!(i == 0 && block == BlockKind::File)) t.kind = K::LOWER_NAME;
        break;
      case K::MODE:
        if (!(i == 0 && block == BlockKind::Modes)) t.kind = K::LOWER_NAME;
        break;
      case K::HIDING:
        if (first != K::IMPORT || kind(i + 1) != K::LEFT_PAREN) t.kind = K::LOWER_NAME;
        break;
      case K::FLOW:
      case K::ROTATION:
        if (first != K::RECORD || !is_name(i + 1)) t.kind = K::LOWER_NAME;
        break;
      case K::BACKTICK:
        // (x `f`): the second backtick is followed by the closing bracket.
        if (i > 0 && kind(i - 1) != K::LEFT_PAREN) {
          std::size_t j = i + 1;
          while (kind(j) == K::UPPER_NAME || kind(j) == K::DOT || is_name(j)) ++j;
          if (j > i + 1 && kind(j) == K::BACKTICK) {
            if (kind(j + 1) == K::RIGHT_PAREN) t.kind = K::LEFT_SECTION_NAMED;
            i = j;
          }
        } else {
          while (i + 1 < tokens.size() && kind(i + 1) != K::BACKTICK && kind(i + 1) != K::RIGHT_PAREN) ++i;
          ++i;
        }
        break;
      default:
        if (kind(i + 1) == K::RIGHT_PAREN) {
          if (is_binary(t.kind) && !closes_unit(tokens, i))
            t.kind = i > 0 && kind(i - 1) == K::LEFT_PAREN ? K::OPERATOR_NAME : K::LEFT_SECTION;
        }
        break;
    }
  }
  if (block == BlockKind::Body && tokens.size() > 1 && tokens[1].kind == K::COLON &&
      (tokens[0].kind == K::LOWER_NAME || tokens[0].kind == K::UPPER_NAME || tokens[0].kind == K::OUT ||
       tokens[0].kind == K::LIKE))
    tokens[1].kind = K::LABEL_COLON;
}

}  // namespace sigrel::syntax
