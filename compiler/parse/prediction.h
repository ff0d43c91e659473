// Which way an expression goes on: one token decides.
//
// ANTLR decides by simulating the grammar, and for the end of an expression it looks at all that may follow
// one, anywhere: for a small file that is more work than everything else that it does. Here what follows from
// the automaton of the grammar is put into tables: the operators with their precedences, what starts an
// argument, what starts a suffix. An expression goes on wherever it can. All other decisions are ANTLR's, and
// so are these when the table is off, to find out what was expected at an error.
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
