// core -> bytecode. One Unit per function or relation literal; a variable of an outer unit becomes a capture
// of every unit between. Expressions whose depth a program can make large (a + b + c …, list literals) are
// compiled by loops.
//
// compile.cpp: units, slots, captures, functions; compile_expression.cpp: expressions and patterns;
// compile_relation.cpp: relation literals and their items; compile_reading.cpp: the parameterised items of
// loops.
#pragma once
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/evaluate/bytecode.h"

namespace sigrel::evaluate {

class Compiler {
 public:
  Compiler(Bytecode& code, const core::Global& global) : code_(code), global_(global) {}

  std::uint32_t global(core::GlobalId program_id);

 private:
  struct Unit {
    Unit* parent = nullptr;
    RelationCode* relation = nullptr;  // null for a function
    FunctionCode* out = nullptr;       // where instructions go: the function, or the chunk of a relation
    std::uint32_t slots = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> slot;
    std::vector<CaptureSource> captures;
    std::vector<core::LocalId> captured;
    std::unordered_map<std::uint32_t, std::uint32_t> capture;
  };

  // Units, slots, captures, functions.

  std::uint32_t begin_function(Name name, Span span);
  void finish(Unit& unit);
  std::uint32_t emit(Opcode op, Span span, std::uint32_t a = 0, std::uint32_t b = 0);
  std::uint32_t here() const { return static_cast<std::uint32_t>(unit_->out->code.size()); }
  void set_a(std::uint32_t at, std::uint32_t target) { unit_->out->code[at].a = target; }
  void set_b(std::uint32_t at, std::uint32_t target) { unit_->out->code[at].b = target; }
  void constant(Value v, Span span);
  std::uint32_t new_slot(core::LocalId local);
  // A relation's captures are slots of its body's frame; a function's are a separate array.
  CaptureSource resolve(Unit& unit, core::LocalId local);
  void load(core::LocalId local, Span span);
  void expressions(std::span<core::Expr* const> list);

  // Parameterised items of loops.
  std::optional<Affine> affine(const core::Expr* e);
  const core::Expr* let_value(const core::Expr* e);
  /// Whether the expression depends only on values defined before the loop and on loop counters.
  bool counts(const core::Expr* e);
  std::optional<Reading> reading(const core::Expr* e);
  /// Compiles the expression as a reading, or as the value of a `let`. False if it is neither.
  bool compile_reading(const core::Expr* e);
  void parameterise(const core::Item* item, const core::Expr* left, const core::Expr* right,
                    bool same_relation);

  // Expressions and patterns.
  void expression(const core::Expr* e, bool tail);
  void member(const core::MemberExpr* m);
  /// Whether a variable has parts that are read one by one. A connector is a node, not a record of scalars.
  bool is_composite(const core::Layout* l) const;
  const core::Layout* layout_in_member(const core::Expr* e) const;
  /// Whether it is one scalar of a vector of an instance: the others need not be made.
  bool is_scalar_of_member(const core::IndexExpr* i) const;
  template <class Then, class Else>
  void branch(Span span, Then then_branch, Else else_branch, bool tail) {
    std::uint32_t at = emit(Opcode::Branch, span);
    then_branch();
    std::uint32_t end = tail && !unit_->relation ? emit(Opcode::Return, span) : emit(Opcode::Jump, span);
    set_a(at, here());
    else_branch();
    if (tail && !unit_->relation) {
      emit(Opcode::Return, span);
    } else {
      set_a(end, here());
    }
    set_b(at, here());
    emit(Opcode::Join, span);
  }
  // The length of a left-deep chain of binary operators is limited only by the program text.
  void primitive(const core::PrimitiveExpr* e);
  void construct(const core::ConstructExpr* e);
  void lambda(const core::LambdaExpr* e, Name name);
  // A foreign function is a closure, so that it can be applied partially.
  void foreign(core::GlobalId global);
  void binding_value(const core::Binding& b);
  static bool is_closure(const core::Expr* e);
  // Closures of a recursive group may capture slots that are filled after them.
  void patch(std::span<const core::Binding> bindings);
  std::uint32_t pattern(const core::Pattern* root);
  void layout(const core::Layout* l, Span span);

  // Relation literals.
  void relation(const core::Relation* r, Span span);
  void chunk(const core::Expr* e);
  void chunk_layout(const core::Layout* l, Span span);
  void declaration(const core::SignalDecl& d);
  void pattern_slots(const core::Pattern* p);
  // Slots come before code: an item may refer to a label or a local of an item after it.
  void declare(const core::Body& b);
  void declare(const core::Pattern* p);
  /// `transitions`: of a mode, after its items.
  void body(const core::Body& b, std::span<const core::UntilItem> transitions = {});
  bool is_loop_let(const core::Item* item) const;
  void item(const core::Item* item);
  void target(const core::Expr* e);

  Bytecode& code_;
  const core::Global& global_;
  Unit* unit_ = nullptr;
  std::unordered_set<std::uint32_t> declared_;          // signals, labels and `let`s of relation bodies
  std::unordered_set<std::uint32_t> counters_;          // Int variables of loops
  std::unordered_set<std::uint32_t> iteration_locals_;  // defined anew in each iteration of a loop
  bool varies_ = false;                         // the code compiled last reads one of them, or an instance
  std::size_t loops_ = 0;                       // around the item
  ParameterisedItem* parameterised_ = nullptr;  // the item that is being compiled
  bool rejected_ = false;                       // it cannot be parameterised
  // `let`s of the bodies of loops: parameterised items inline their values.
  struct LoopLet {
    const core::Expr* value;
    const core::Item* item;
    const core::Body* body;
  };
  std::unordered_map<std::uint32_t, LoopLet> loop_lets_;  // by local
  std::vector<std::uint32_t> loaded_;                     // locals of these that the chunk loads
  std::unordered_set<const core::Item*> evaluated_;       // `let`s with other uses, which are evaluated
  const core::Body* body_ = nullptr;
  std::size_t inline_depth_ = 0;  // nested values of `let`s
  std::size_t inlined_ = 0;       // values of `let`s in the item
  static constexpr std::size_t kMaxInlined = 256;
};

}  // namespace sigrel::evaluate
