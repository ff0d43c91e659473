#include "compiler/parse/prediction.h"

#include <algorithm>
#include <array>

#include "SigrelParser.h"

namespace sigrel::syntax {
namespace {

using antlr4::atn::ATNState;
using antlr4::atn::Transition;

constexpr std::size_t kTokens = 128;
constexpr std::size_t kGoesOn = 1, kEnds = 2;  // alternatives of a loop

struct Tables {
  struct Decision {
    enum : std::uint8_t { Other, Loop, Operator } kind = Other;
    std::array<std::int8_t, kTokens> alternative{};  // Operator: by token; 0: none
    std::array<std::int8_t, kTokens>
        precedence{};  // Loop: of the continuation with the token, at least 1; 0: none
  };
  std::vector<Decision> decisions;

  explicit Tables(const antlr4::atn::ATN& atn) : decisions(atn.decisionToState.size()) {
    for (std::size_t d = 0; d < decisions.size(); ++d) {
      ATNState* state = atn.decisionToState[d];
      const bool expression = state->ruleIndex == SigrelParser::RuleExpression;
      if (!expression && state->ruleIndex != SigrelParser::RulePostfix) continue;
      const auto kind = state->getStateType();
      if (kind != ATNState::STAR_LOOP_ENTRY && kind != ATNState::PLUS_LOOP_BACK) continue;
      ATNState* body = state->transitions[0]->target;
      const auto* entry =
          kind == ATNState::STAR_LOOP_ENTRY ? static_cast<antlr4::atn::StarLoopEntryState*>(state) : nullptr;
      if (entry && entry->isPrecedenceDecision) {
        operators(static_cast<const antlr4::atn::DecisionState*>(body)->decision, *body, decisions[d]);
      } else if (body->ruleIndex == SigrelParser::RulePostfix || is_arguments(atn, *body)) {
        decisions[d].kind = Decision::Loop;
        for (std::size_t t = 0; t < kTokens; ++t)
          decisions[d].precedence[t] = atn.nextTokens(body).contains(t) ? INT8_MAX : 0;
      }
    }
  }

  /// postfix+
  static bool is_arguments(const antlr4::atn::ATN& atn, ATNState& body) {
    ATNState* s = &body;
    while (s->transitions[0]->getSerializationType() == Transition::EPSILON) s = s->transitions[0]->target;
    return s->transitions[0]->getSerializationType() == Transition::RULE &&
           s->transitions[0]->target == atn.ruleToStartState[SigrelParser::RulePostfix];
  }

  /// Each alternative of the loop over operators is a precedence, followed by a token or a set of tokens.
  void operators(int choice, ATNState& body, Decision& loop) {
    Decision& which = decisions[static_cast<std::size_t>(choice)];
    which.kind = Decision::Operator;
    loop.kind = Decision::Loop;
    for (std::size_t alternative = 0; alternative < body.transitions.size(); ++alternative) {
      std::int8_t precedence = 1;
      ATNState* s = body.transitions[alternative]->target;
      while (s->transitions[0]->isEpsilon()) {
        if (s->transitions[0]->getSerializationType() == Transition::PRECEDENCE)
          precedence = static_cast<std::int8_t>(
              static_cast<const antlr4::atn::PrecedencePredicateTransition*>(s->transitions[0])->precedence);
        s = s->transitions[0]->target;
      }
      const antlr4::misc::IntervalSet tokens = s->transitions[0]->label();
      for (std::size_t t = 0; t < kTokens; ++t) {
        if (!tokens.contains(t)) continue;
        which.alternative[t] = static_cast<std::int8_t>(alternative + 1);
        loop.precedence[t] = precedence;
      }
    }
  }
};

}  // namespace

Prediction::Prediction(antlr4::Parser& parser, antlr4::atn::ParserATNSimulator& other)
    : ParserATNSimulator(&parser, other.atn, other.decisionToDFA, other.getSharedContextCache()) {}

std::size_t Prediction::adaptivePredict(antlr4::TokenStream* input, std::size_t decision,
                                        antlr4::ParserRuleContext* context) {
  static const Tables tables(atn);
  const Tables::Decision& d = tables.decisions[decision];
  if (!quick_ || d.kind == Tables::Decision::Other)
    return ParserATNSimulator::adaptivePredict(input, decision, context);
  const std::size_t token = input->LA(1);
  if (token >= kTokens) return kEnds;  // the end of the piece
  if (d.kind == Tables::Decision::Operator) return static_cast<std::size_t>(d.alternative[token]);
  return d.precedence[token] >= std::max(1, parser->getPrecedence()) ? kGoesOn : kEnds;
}

}  // namespace sigrel::syntax
