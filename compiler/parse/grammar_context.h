// The base class of the contexts of the generated parser (`contextSuperClass` in SigrelParser.g4). The
// getters of ANTLR test each child with two dynamic casts, which took almost half of the time of parsing. A
// context has no derived classes and no error nodes here, since a piece is given up at its first error:
// comparing the dynamic type is the same.
//
// Internal to this folder.
#pragma once
#include <typeinfo>
#include <utility>

#include "antlr4-runtime.h"

namespace sigrel::syntax {

class GrammarContext : public antlr4::ParserRuleContext {
 public:
  using ParserRuleContext::ParserRuleContext;

  /// The child if it is of this rule, and if it is a token.
  template <class T>
  static T* as(antlr4::tree::ParseTree* child) {
    return is<T>(child) ? static_cast<T*>(child) : nullptr;
  }
  static antlr4::tree::TerminalNode* token(antlr4::tree::ParseTree* child) {
    return is<Leaf>(child) ? leaf(child) : nullptr;
  }

  template <class T>
  T* getRuleContext(std::size_t i) {
    for (antlr4::tree::ParseTree* child : children)
      if (is<T>(child) && i-- == 0) return static_cast<T*>(child);
    return nullptr;
  }
  template <class T>
  std::vector<T*> getRuleContexts() {
    std::vector<T*> found;
    for (antlr4::tree::ParseTree* child : children)
      if (is<T>(child)) found.push_back(static_cast<T*>(child));
    return found;
  }
  antlr4::tree::TerminalNode* getToken(std::size_t kind, std::size_t i) override {
    for (antlr4::tree::ParseTree* child : children)
      if (Leaf* leaf = leaf_of(child, kind); leaf && i-- == 0) return leaf;
    return nullptr;
  }
  std::vector<antlr4::tree::TerminalNode*> getTokens(std::size_t kind) override {
    std::vector<antlr4::tree::TerminalNode*> found;
    for (antlr4::tree::ParseTree* child : children)
      if (Leaf* leaf = leaf_of(child, kind)) found.push_back(leaf);
    return found;
  }

 private:
  using Leaf = antlr4::tree::TerminalNodeImpl;

  // Each type has one type_info: the classes are defined in one object, which is linked statically.
  template <class T>
  static bool is(antlr4::tree::ParseTree* child) {
    return &typeid(*child) == &typeid(T);
  }
  static Leaf* leaf_of(antlr4::tree::ParseTree* child, std::size_t kind) {
    return is<Leaf>(child) && leaf(child)->symbol->getType() == kind ? leaf(child) : nullptr;
  }
  static Leaf* leaf(antlr4::tree::ParseTree* child) {
    return static_cast<Leaf*>(dynamic_cast<void*>(child));  // ParseTree is a virtual base
  }
};

/// Enters and leaves rules as antlr4::Parser does, for parse trees and without listeners. What the generated
/// class calls by these names does without a dynamic cast, and without a function object.
class GrammarParser : public antlr4::Parser {
 public:
  using Parser::Parser;

  template <class T>
  T* getInterpreter() const {
    return static_cast<T*>(_interpreter);  // of a parser there is one class
  }
  template <class F>
  class AtExit {
   public:
    explicit AtExit(F f) : f_(std::move(f)) {}
    AtExit(const AtExit&) = delete;
    ~AtExit() { f_(); }

   private:
    F f_;
  };
  template <class F>
  static AtExit<F> finally(F f) {
    return AtExit<F>(std::move(f));
  }

  void enterRule(antlr4::ParserRuleContext* context, std::size_t state, std::size_t) override {
    setState(state);
    _ctx = context;
    context->start = _input->LT(1);
    context->children.reserve(3);  // most rules
    if (parent()) parent()->addChild(static_cast<antlr4::RuleContext*>(context));
  }
  void exitRule() {  // not virtual: hides that of Parser in the generated class
    _ctx->stop =
        _input->LT(-1);  // before the end of the piece for a rule that matches it: ends at the same byte
    setState(_ctx->invokingState);
    _ctx = parent();
  }

 private:
  antlr4::ParserRuleContext* parent() const { return static_cast<antlr4::ParserRuleContext*>(_ctx->parent); }
};

}  // namespace sigrel::syntax
