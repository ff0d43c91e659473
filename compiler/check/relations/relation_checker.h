// The walk over relation literals: their interface, the blocks of items, labelled instances and references
// to their members. One file per item: check_equation.cpp, check_relation_application.cpp, check_if.cpp, ….
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/check/parts.h"
#include "compiler/check/relations/relation_context.h"

namespace sigrel::check {

class ExpressionChecker;

/// The modes of a switch, as the constructors of a type of its own.
struct ModeContext {
  std::span<ast::Mode> modes;
  TypeConstructor* type = nullptr;
  const Constructor* find(Name name) const {
    for (const Constructor* c : type->constructors)
      if (c->name == name) return c;
    return nullptr;
  }
};

class RelationChecker : private PartReferences {
 public:
  RelationChecker(Parts& parts, ExpressionChecker& expressions)
      : PartReferences(parts), expressions_(expressions) {}

  // check_sigrel.cpp
  Typed infer_sigrel(const ast::SigrelExpr* e, Type* hint);
  /// The relation literals at which a way through `e`, the body of the definition `name`, ends: they have its
  /// name. `top_level`: other definitions can read inside them.
  void name_literals(const ast::Expr* e, Name name, Span span, bool top_level);
  /// Since the last call, a relation literal was found to contradict its signature, which was reported.
  bool take_contradiction() { return std::exchange(contradiction_, false); }

  // check_connection.cpp
  /// `block <> inputs` as an expression.
  Typed infer_connection(const ast::ConnectionExpr* e);
  /// `f: block <> inputs` in an expression, before the item that contains it: an instance and equations for
  /// its inputs. The expression reads the outputs of the instance.
  void check_labelled_block(const ast::ConnectionExpr* e, std::vector<core::Item*>& out);

  // check_member.cpp
  /// The label at the head of `r1[i].c.x`; null if `e` does not start with one.
  LabelInfo* find_label(const ast::Expr* e) const;
  LabelInfo* find_label(Name name) const {
    return scopes_.relation() ? scopes_.relation()->find_label(name) : nullptr;
  }
  Typed infer_member(const ast::Expr* e, LabelInfo* label);
  /// The type of the parameter "motor.r" of a relation; null if it is not known before the relation is
  /// elaborated.
  Type* parameter_type(const ast::Expr* relation, std::string_view path);

  // check_switch.cpp
  /// The mode that `name` stands for where a mode is expected: at the start and in `until`.
  const Constructor* known_mode(const ast::QualifiedIdent& name) const;
  /// Reports a constructor that is no mode where a mode is expected; false elsewhere.
  bool report_unknown_mode(const ast::QualifiedIdent& name);

 private:
  // check_sigrel.cpp
  Typed infer_literal(const ast::SigrelExpr* e, Type* hint, std::vector<ast::Decl*> bound_outside);
  void name_relation(const ast::SigrelExpr* e, core::Relation& relation) const;
  bool expected_interface(const ast::SigrelExpr* e, const core::Relation& relation, Type* hint,
                          std::vector<Type*>& types, std::span<InterfaceName>& names);
  std::vector<core::Formal> check_formals(const ast::SigrelExpr* e, const std::vector<Type*>& expected,
                                          std::span<InterfaceName> expected_names, std::vector<Type*>& types,
                                          std::vector<InterfaceName>& names);
  void share_inside(RelationContext& relation, std::span<const core::Formal> formals,
                    const std::vector<Type*>& types);

  // check_connection.cpp
  struct BlockInterface {
    std::vector<std::uint32_t> in, out;  // numbers of interface variables
    std::vector<Type*> in_types, out_types;
    std::vector<InterfaceName> in_names;
  };
  BlockInterface block_interface(const Type* relation);
  bool expect_block(const ast::ConnectionExpr* e, Type* type, const BlockInterface& block);
  Typed read_outputs(const ast::ConnectionExpr* e);
  core::Expr* members(const LabelInfo& label, Span span, std::span<const std::uint32_t> indices,
                      std::span<Type* const> types);

  // check_block.cpp
  core::Body check_block(std::span<ast::Item* const> items);
  std::vector<core::Item*> check_items(std::span<ast::Item* const> items);
  void check_item(const ast::Item* item, std::vector<core::Item*>& out);
  core::SignalDecl declare_signal(const ast::Ident& name, Type* type, bool implicit);

  // check_attributes.cpp, check_every.cpp
  void check_repeated(std::span<const ast::Setting> settings, std::string_view what);
  std::span<core::Attribute> attributes(std::span<ast::Setting> settings, Type* type);
  static std::optional<Layouts::Display> display_of(std::span<const ast::Setting> settings);
  std::span<core::Attribute> clock_settings(std::span<ast::Setting> settings);
  std::optional<core::Attribute> state_choice(const ast::Setting& setting);

  // check_relation_application.cpp
  Typed infer_relation(const ast::Expr* e);
  Type* check_application(const void* part, Span span, const ast::Ident* label, const ast::Expr* relation,
                          const ast::Expr* args, std::vector<core::Item*>& out);
  const ast::Expr* without_label_index(const ast::Expr* relation);
  std::string missing_parameters(Type* function) const;
  Type* expect_relation(const ast::Expr* e, Type* type);
  const ast::QualifiedIdent* head_of(const ast::Expr* e, std::uint32_t& args) const;
  std::optional<core::GlobalId> head_global(const ast::Expr* e, std::uint32_t& args);
  // check_interface.cpp
  core::Expr* interface_arguments(Type* interface, std::span<InterfaceName> names, const ast::Expr* relation,
                                  const ast::Expr* args);
  core::Expr* interface_argument(const ast::Expr* argument, Type* expected, const Reason& reason);
  void interface_arity(const ast::Expr* relation, std::size_t has, std::size_t given, Span span);

  // One file per item.
  void check_equation(const ast::EquationItem* item, std::vector<core::Item*>& out);
  bool is_defined(const ast::Ident& name);
  bool is_part_with_equal(const ast::EquationItem* item);
  bool is_quotient_of_differentials(const ast::EquationItem* item);
  struct NamedFlow {
    std::string name;
    bool into_part = false;  // at a node of the relation, not into the relation itself
  };
  std::optional<NamedFlow> flow_named(const ast::Expr* e);
  void warn_of_signs(const ast::EquationItem* item);
  void check_connect(const ast::ConnectItem* item, std::vector<core::Item*>& out);
  void check_discrete(const ast::DiscreteItem* item, std::vector<core::Item*>& out);
  void check_for(const ast::ForItem* item, std::vector<core::Item*>& out);
  core::Body check_loop(const ast::ForItem* item, std::size_t index);
  std::pair<core::Expr*, Type*> check_elements(const ast::Expr* e);
  void check_if(const ast::IfItem* item, std::vector<core::Item*>& out);
  void check_initially(const ast::BlockItem* item, std::vector<core::Item*>& out);
  void check_steady(const ast::SteadyItem* item, std::vector<core::Item*>& out);
  core::Expr* derivative_of(const ast::Expr* signal);
  void check_when(const ast::WhenItem* item, std::vector<core::Item*>& out);
  void check_every(const ast::EveryItem* item, std::vector<core::Item*>& out);
  bool report_tuple(const ast::Expr& condition);
  std::optional<Span> only_definition(const ast::AssignItem& item) const;
  void check_assign(const ast::AssignItem* item, std::vector<core::Item*>& out);
  void check_switch(const ast::SwitchItem* item, std::vector<core::Item*>& out);
  void declare_modes(const ast::SwitchItem* item, ModeContext& modes);
  core::Mode check_mode_body(const ast::Mode& mode, const Constructor& constructor);
  core::Expr* check_mode(const ast::Expr* e);
  void check_until(const ast::UntilItem* item);

  // check_member.cpp
  class MemberPath;
  std::vector<MemberStep> member_steps(const ast::Expr* e);
  Typed resolve_member(LabelInfo& label, const std::vector<MemberStep>& steps, std::uint32_t block);
  void finish_members(RelationContext& relation);

  ExpressionChecker& expressions_;

  ModeContext* modes_ = nullptr;                         // of the innermost switch
  const ModeContext* expected_modes_ = nullptr;          // set where a mode is expected
  std::vector<core::UntilItem>* transitions_ = nullptr;  // of the innermost mode
  bool in_initially_ = false;
  bool contradiction_ = false;
  std::unordered_map<const ast::SigrelExpr*, std::pair<Name, Span>> literal_names_;
  std::unordered_set<const ast::SigrelExpr*> top_level_literals_;
  std::deque<TypeConstructor> mode_types_;
  std::deque<Constructor> modes_of_types_;
};

}  // namespace sigrel::check
