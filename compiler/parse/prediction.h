// Prediction for expressions by one token of lookahead.
//
// ANTLR predicts by simulating the grammar; at the end of an expression it considers everything that may
// follow an expression anywhere, which for a small file takes longer than all other work. The tables here are
// derived from the automaton of the grammar: the operators with their precedences, the tokens that start an
// argument, and those that start a suffix. An expression continues wherever it can. All other decisions are
// made by ANTLR; so are these when the tables are off, to find the expected tokens at an error.
//
// Internal to this folder.
#pragma once
#include "antlr4-runtime.h"

namespace sigrel::syntax {

class Prediction final : public antlr4::atn::ParserATNSimulator {
 public:
  Prediction(antlr4::Parser& parser, antlr4::atn::ParserATNSimulator& other);

  std::size_t adaptivePredict(antlr4::TokenStream* input, std::size_t decision,
                              antlr4::ParserRuleContext* context) override;
  void set_quick(bool quick) { quick_ = quick; }

 private:
  bool quick_ = true;
};

}  // namespace sigrel::syntax
