#include "compiler/parse/token_table.h"

#include <algorithm>

namespace sigrel::syntax {

using antlr4::dfa::DFAState;

std::optional<TokenTable::Match> TokenTable::match(std::string_view text, std::size_t at) {
  if (rows_.empty()) {
    auto* simulator = lexer_.getInterpreter<antlr4::atn::LexerATNSimulator>();
    const DFAState* start = simulator->getDFA(0).s0;
    if (!start) return std::nullopt;
    row_of(start);
  }
  std::int16_t row = 0;
  std::int16_t accepted = kNone;
  std::size_t end = at;
  while (at < text.size()) {
    unsigned char c = static_cast<unsigned char>(text[at]);
    if (c >= 128) return std::nullopt;
    std::int16_t next = rows_[row].next[c];
    if (next == kUnknown) next = look_up(row, c);
    if (next == kUnknown) return std::nullopt;
    if (next == kNone) break;
    row = next;
    ++at;
    if (rows_[row].kind != 0) {
      accepted = row;
      end = at;
    }
  }
  if (accepted == kNone || rows_[accepted].changes_mode) return std::nullopt;
  return Match{rows_[accepted].kind, end};
}

std::int16_t TokenTable::row_of(const DFAState* state) {
  std::size_t number = static_cast<std::size_t>(state->stateNumber);
  if (number >= row_of_state_.size()) row_of_state_.resize(number + 1, kUnknown);
  if (row_of_state_[number] == kUnknown) {
    row_of_state_[number] = static_cast<std::int16_t>(rows_.size());
    Row row{state, 0, false, {}};
    row.next.fill(kUnknown);
    if (state->isAcceptState) {
      row.kind = static_cast<std::uint16_t>(state->prediction);
      if (state->lexerActionExecutor)
        for (const auto& action : state->lexerActionExecutor->getLexerActions())
          switch (action->getActionType()) {
            case antlr4::atn::LexerActionType::SKIP:
            case antlr4::atn::LexerActionType::CHANNEL: break;
            default: row.changes_mode = true;
          }
    }
    rows_.push_back(row);
  }
  return row_of_state_[number];
}

std::int16_t TokenTable::look_up(std::int16_t from, unsigned char c) {
  auto edge = rows_[from].state->edges.find(c);
  if (edge == rows_[from].state->edges.end()) return kUnknown;
  std::int16_t to = edge->second == antlr4::atn::ATNSimulator::ERROR.get() ? kNone : row_of(edge->second);
  return rows_[from].next[c] = to;
}

}  // namespace sigrel::syntax
