#include "compiler/parse/token_class.h"

#include "SigrelLexer.h"

namespace sigrel::syntax {

using K = SigrelLexer;

namespace {

/// Ends an operand: `-` after it is binary.
bool ends_operand(std::uint16_t kind) {
  switch (kind) {
    case K::LOWER_NAME:
    case K::UPPER_NAME:
    case K::UNDERSCORE:
    case K::INT:
    case K::REAL:
    case K::UNIT_NUMBER:
    case K::STRING:
    case K::RIGHT_PAREN:
    case K::RIGHT_BRACKET:
    case K::RIGHT_BRACE:
    case K::BLOCK:
    case K::OUT:
    case K::LIKE:
    case K::FLOW:
    case K::ROTATION:
    case K::MODE:
    case K::TYPE:
    case K::RECORD:
    case K::DATA:
    case K::MODULE:
    case K::HIDING:
    case K::GREATER: return true;
    default: return false;
  }
}

}  // namespace

bool joins_line(std::uint16_t kind) {
  switch (kind) {
    case K::THEN:
    case K::ELSE:
    case K::ELSEWHEN:
    case K::OF:
    case K::IN:
    case K::WHERE:
    case K::DO:
    case K::RIGHT_PAREN:
    case K::RIGHT_BRACKET:
    case K::RIGHT_BRACE:
    case K::COMMA: return true;
    default: return false;
  }
}

bool is_operator(std::uint16_t kind) {
  switch (kind) {
    case K::DIAMOND:
    case K::ARROW:
    case K::DOUBLE_COLON:
    case K::ASSIGN:
    case K::COLON:
    case K::EQUAL:
    case K::EQUAL_EQUAL:
    case K::NOT_EQUAL:
    case K::LESS_EQUAL:
    case K::GREATER_EQUAL:
    case K::LESS:
    case K::GREATER:
    case K::PLUS:
    case K::PLUS_PLUS:
    case K::STAR:
    case K::SLASH:
    case K::CARET:
    case K::AND:
    case K::OR:
    case K::DOT_DOT:
    case K::DOT:
    case K::BAR:
    case K::BACKTICK:
    case K::WITH:
    case K::AS: return true;
    default: return false;
  }
}

bool is_recursive(std::uint16_t kind, std::uint16_t before) {
  switch (kind) {
    case K::CARET:
    case K::COLON:
    case K::PLUS_PLUS:
    case K::ARROW:
    case K::IN:
    case K::ELSE: return true;
    case K::MINUS: return !ends_operand(before);
    default: return false;
  }
}

bool is_plain(std::uint16_t kind) {
  switch (kind) {
    case K::LOWER_NAME:
    case K::UPPER_NAME:
    case K::INT:
    case K::REAL:
    case K::UNIT_NUMBER:
    case K::STRING:
    case K::COMMA:
    case K::UNDERSCORE:
    case K::SEMICOLON: return true;
    default: return false;
  }
}

bool is_indexable(std::uint16_t kind) {
  switch (kind) {
    case K::LOWER_NAME:
    case K::UPPER_NAME:
    case K::RIGHT_PAREN:
    case K::RIGHT_BRACKET:
    case K::OUT:
    case K::LIKE:
    case K::FLOW:
    case K::ROTATION:
    case K::MODE:
    case K::TYPE:
    case K::RECORD:
    case K::DATA:
    case K::MODULE:
    case K::HIDING: return true;
    default: return false;
  }
}

std::uint16_t partner(std::uint16_t bracket) {
  switch (bracket) {
    case K::LEFT_PAREN: return K::RIGHT_PAREN;
    case K::LEFT_BRACE: return K::RIGHT_BRACE;
    default: return K::RIGHT_BRACKET;
  }
}

}  // namespace sigrel::syntax
