// Writes the automaton of the generated lexer as the initialiser of an array of TokenTable::Row: see
// token_table.h.
#include <cstdio>
#include <fstream>
#include <vector>

#include "SigrelLexer.h"

namespace {

using antlr4::dfa::DFAState;

/// ANTLR creates states on demand; this visits every character in every state.
class Automaton final : public antlr4::atn::LexerATNSimulator {
 public:
  Automaton(antlr4::Lexer& lexer, antlr4::atn::LexerATNSimulator& other, antlr4::CharStream& input)
      : LexerATNSimulator(&lexer, other.atn, other._decisionToDFA, other.getSharedContextCache()),
        input_(input) {}

  DFAState* start() { return addDFAState(computeStartState(&input_, atn.modeToStartState[0]).release()); }
  DFAState* next(DFAState* from, std::size_t c) {
    DFAState* to = getExistingTargetState(from, c);
    return to ? to : computeTargetState(&input_, from, c);
  }

 private:
  antlr4::CharStream& input_;
};

bool changes_mode(const DFAState& state) {
  if (!state.lexerActionExecutor) return false;
  for (const auto& action : state.lexerActionExecutor->getLexerActions()) {
    const auto type = action->getActionType();
    if (type != antlr4::atn::LexerActionType::SKIP && type != antlr4::atn::LexerActionType::CHANNEL)
      return true;
  }
  return false;
}

}  // namespace

int main(int, char** arguments) {
  antlr4::ANTLRInputStream input("");
  SigrelLexer lexer(&input);
  Automaton automaton(lexer, *lexer.getInterpreter<antlr4::atn::LexerATNSimulator>(), input);
  std::vector<DFAState*> states{automaton.start()};
  std::ofstream out(arguments[1]);
  for (std::size_t i = 0; i < states.size(); ++i) {
    DFAState* state = states[i];
    out << '{' << (state->isAcceptState ? state->prediction : 0) << ", "
        << (state->isAcceptState && changes_mode(*state)) << ", {";
    for (std::size_t c = 0; c < 128; ++c) {
      DFAState* to = automaton.next(state, c);
      int number = -1;
      if (to && to != antlr4::atn::ATNSimulator::ERROR.get()) {
        number = static_cast<int>(std::find(states.begin(), states.end(), to) - states.begin());
        if (number == static_cast<int>(states.size())) states.push_back(to);
      }
      out << number << ',';
    }
    out << "}},\n";
  }
  return out ? 0 : 1;
}
