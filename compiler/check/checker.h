// The state of one run of the checker. Its functions are spread over files by concept:
//   modules.cpp     scopes, imports, the order of definitions      declare.cpp    records, data types,
//   synonyms type_expr.cpp   written types                                  unify.cpp      unification,
//   schemes definition.cpp  clauses, signatures, groups, lets              pattern.cpp    patterns
//   infer_expr.cpp  expressions                                    operator.cpp   operators and literals
//   record.cpp      records, fields, updates                       relation.cpp   sigrel literals, labels,
//   implicit locals item.cpp        the items of a relation body                   member.cpp     `r1.x`
//   settle.cpp      what waits for types                           exhaustive.cpp missing and unreachable
//   cases contract.cpp    written structural types sample.cpp      definitions applied to unknown values
//   choices.cpp    … and to what steers structure mismatch.cpp    the messages about types names.cpp      the
//   messages about names
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/check/block.h"
#include "compiler/check/builtins.h"
#include "compiler/check/check.h"
#include "compiler/check/order.h"
#include "compiler/check/scope.h"
#include "compiler/check/types.h"
#include "compiler/check/units.h"
#include "compiler/check/uses.h"

namespace sigrel::check {

struct Typed {
  core::Expr* expr;
  Type* type;
};

/// Why a type is expected at a place.
enum class ReasonKind : std::uint8_t {
  None,
  Argument,
  Interface,
  LeftSide,
  Condition,
  Operand,
  Signature,
  Element,
  Branch,
  Pattern,
  FieldValue,
  Exponent,
  IndexValue,
  Relation,
  Node,
  Target,
  Message,
  RangeEnd,
  Attribute,
  Bound,
  Mode
};
struct Reason {
  ReasonKind kind = ReasonKind::None;
  Span span{};            // of what explains it
  Name name{};            // function, interface variable, field
  std::size_t index = 0;  // argument number, from 0
  const ast::Expr* other =
      nullptr;  // the operand, branch or side that fixed the type; an operand has its sign as name
  bool has_span = false;
};

struct RelationContext;
struct LabelInfo;

/// A name inside a definition.
struct Local {
  enum Kind : std::uint8_t { Value, Signal, Opaque } kind = Value;
  Name name;
  core::LocalId id;
  Type* type = nullptr;
  bool polymorphic = false;
  std::span<Type*> layout_variables{};  // of a polymorphic definition: what each use passes a layout for
  std::vector<core::ApplyExpr*>* own_uses =
      nullptr;  // while it is inferred: its uses in itself, which may have to pass them too
  Span span;
  RelationContext* relation = nullptr;  // where it was bound; null outside every sigrel
  Local* shadowed = nullptr;
};

/// What `r1.x` can see inside the relation that a definition gives: a local signal or an instance.
struct InsideName {
  Name name;
  Type* type;  // of the signal, or of the instance's relation
  bool is_label = false;
  std::uint32_t dimensions = 0;
  std::optional<core::GlobalId> head;
  std::uint32_t head_args = 0;
  std::optional<std::uint32_t> interface_index;  // of a formal
};

/// An instance of a relation body.
struct LabelInfo {
  Name name;
  core::LocalId id;
  Span span;
  const ast::Item* item = nullptr;
  std::uint32_t block = 0;
  Type* relation_type = nullptr;  // null until its item was inferred
  std::optional<core::GlobalId> head;
  std::uint32_t head_args = 0;
};

struct BlockInfo {
  std::int32_t parent = -1;
  std::uint32_t depth = 0;
  std::uint32_t loops = 0;  // indices of a label declared here
  std::vector<ast::Ident> implicit;
};

/// One step of `r1[i].c.x`: a name and the indices behind it.
struct Step {
  ast::Ident name;
  std::vector<core::IndexPart> indices;
  Span span;  // up to here
};

/// A read of an instance whose relation is inferred only further down.
struct WaitingMember {
  LabelInfo* label;
  std::vector<Step> steps;
  core::MemberExpr* node;  // overwritten when known
  Type* type;
  std::uint32_t block;
  bool is_static;
};

struct RelationContext {
  RelationContext* parent = nullptr;
  const ast::SigrelExpr* ast = nullptr;
  std::vector<BlockInfo> blocks;
  std::uint32_t next_block = 0;
  std::uint32_t block = 0;  // the current one
  std::deque<LabelInfo> labels;
  std::unordered_map<Name, std::vector<LabelInfo*>> labels_by_name;
  std::vector<WaitingMember> waiting;
  std::vector<InsideName> inside;
};

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

/// One definition with its clauses and its signature; top-level or in a `let`.
struct Definition {
  Name name;
  Span span;
  std::vector<const ast::ClauseDecl*> clauses;
  const ast::SignatureDecl* signature = nullptr;
  bool broken = false;                        // an error about its clauses was reported
  const ast::BindingDecl* binding = nullptr;  // instead of clauses: `(a, b) = e`, which has no name
};

struct GlobalState {
  Definition definition;
  const ast::Expr* default_value = nullptr;  // instead of clauses: the default of a record field
  Type* scheme =
      nullptr;  // null until inferred; while its group is being inferred, the type without quantifiers
  bool assumed = false;      // has a signature, or was inferred once and is checked again with its scheme
  bool polymorphic = false;  // scheme has quantified variables
  bool has_units = false;    // scheme states a unit
  bool checked = false;
  std::vector<Type*> layout_variables;
  std::vector<std::pair<Name, Type*>> type_variables;  // of the signature
  std::vector<InsideName> inside;
  std::optional<FeedThrough> feed_through;  // of a block
};

std::optional<std::uint32_t> field_index(const TypeConstructor& record, Name name);

class Checker {
 public:
  Checker(Diagnostics& diagnostics, const CheckOptions& options);
  core::Program run(std::span<const ast::Module> modules);

 private:
  friend class ImplicitLocals;
  friend class Dependencies;

  // modules.cpp
  void open_builtin_scope();
  void check_module(const ast::Module& module);
  std::uint32_t foreign_arity(const ast::ForeignDecl& foreign, Type* type);
  std::vector<Type*> partial_types(Type* function);
  std::optional<core::GlobalId> declare_derivative(const ast::ForeignDecl& foreign);
  void import_names(const ast::Module& module, ModuleScope& scope);
  void import_all(ModuleScope& scope, const ModuleScope& from, Priority priority);
  void declare_definitions(const ast::Module& module, ModuleScope& scope);
  void check_definitions(const std::vector<core::GlobalId>& globals);
  core::GlobalId new_global(Name name, Span span);

  // contract.cpp
  struct ContractPart {
    Type* type;
    std::uint32_t first;  // scalar
  };
  std::optional<std::uint32_t> scalar_count(Type* type);
  void promise(Type* relation, const ast::StructuralAnnotation& written);
  std::optional<std::vector<ContractPart>> contract_column(const ast::Expr* e, Type* relation);
  std::optional<std::vector<std::vector<std::uint32_t>>> contract_rows(
      const ast::StructuralAnnotation& written, Type* relation, std::optional<std::uint32_t> scalars);
  void resolve_contracts();
  core::Expr* claimed(core::Expr* e, Type* expected, bool argument, Span span);

  // sample.cpp
  core::Expr* sample(Type* type, Span span);
  core::Expr* sample_function(Type* type, Span span);
  core::Expr* hole(Type* type, Span span);
  std::optional<core::ContractId> hole_contract(Type* type);
  core::LocalId sample_local(Name name);
  bool has_fixed_layout(Type* type);
  void add_samples(const std::vector<core::GlobalId>& definitions);
  // choices.cpp
  struct Alternative {
    core::Expr* value;
    std::string text;  // of a choice; empty where there is none
    std::optional<std::int64_t> size{};
  };
  std::vector<Alternative> alternatives(Type* type, Span span, int depth);
  void add_samples(core::GlobalId id);
  void check_main(core::GlobalId main, Type* type);

  // declare.cpp
  void declare_types(const ast::Module& module, ModuleScope& scope);
  void define_record(const ast::RecordDecl& decl, TypeConstructor& record);
  void define_data(const ast::DataDecl& decl, TypeConstructor& data);
  Type* expand_synonym(Synonym& synonym, Span span, Name name);
  bool contains_relation(Type* type);
  void refuse_recursive_records(
      const std::vector<std::pair<TypeConstructor*, const ast::RecordDecl*>>& records);

  // type_expr.cpp
  struct TypeScope {
    enum Mode : std::uint8_t { Signature, Annotation, Declaration } mode = Annotation;
    std::vector<std::pair<Name, Type*>> variables;
  };
  Type* convert(const ast::Type* type, TypeScope& scope, Needs needs = 0);
  Type* convert_named(const ast::NamedType* type, TypeScope& scope, Needs needs);
  Type* convert_relation(const ast::RelationType* type, TypeScope& scope);
  Type* convert_size(const ast::Expr* size, TypeScope& scope);
  Type* type_variable(Name name, Span span, TypeScope& scope, Needs needs, Sort sort = Sort::Type);
  /// The unit as a type; `value`, if given, is a number in it and becomes one in SI.
  Type* unit_type(const ast::Unit& written, bool variables, TypeScope& scope, double* value = nullptr);
  /// The sum of multiples that `size` is; what is none is one opaque part.
  Type* size_form(core::Expr* size);
  void refine_sizes(core::Expr* condition);
  Type* annotation(const ast::Type* type, Needs needs);  // inside a definition

  // unify.cpp
  bool unify(Type* a, Type* b);
  bool unify_types(Type* a, Type* b);
  bool solve(const Linear& form, Sort sort);
  void unify_units(Type* a, Type* b);
  bool unify_sizes(Type* a, Type* b);
  /// unify, and the units agree too; when not, `mismatch` says what it was.
  bool agree(Type* expected, Type* found);
  void note_units(Type* type) { units_seen_ = units_seen_ || has_units(type); }
  bool bind_variable(Type* variable, Type* type);
  bool require(Type* type, Needs needs);
  Type* instantiate(Type* scheme);
  Type* instantiate(Type* scheme, std::span<Type* const> wanted, std::vector<Type*>& instances);
  Type* substitute(Type* type, std::span<Type* const> parameters, std::span<Type* const> args);
  bool quantify(Type* type, std::uint32_t level);  // true if something is quantified
  void collect_layout_variables(Type* type, bool in_relation, std::vector<Type*>& out);
  Type* skolemise(Type* scheme, std::vector<std::pair<Type*, Type*>>& skolems);
  Type* fresh(Needs needs = 0) { return types_.variable(level_, needs); }
  Type* fresh(Sort sort) { return types_.variable(level_, 0, sort); }
  Type* fresh_real() { return types_.real(fresh(Sort::Unit)); }

  // definition.cpp
  std::vector<Definition> group_definitions(std::span<ast::Decl* const> decls);
  void check_group(const std::vector<core::GlobalId>& group);
  bool infer_group(const std::vector<core::GlobalId>& group);
  core::Expr* infer_definition(const Definition& definition, Type* type, bool from_signature);
  core::Expr* infer_clauses(const Definition& definition, Type* type, const Reason& reason);
  void lower_signature_sizes(const std::vector<std::pair<Name, core::LocalId>>& parameters);
  void keep_monomorphic(Type* type, bool in_relation);
  core::Binding with_layouts(core::Binding binding, std::span<Type* const> variables,
                             std::span<Type* const> stand_for);
  core::ApplyExpr* layout_application(core::ApplyExpr* place, core::Expr* function,
                                      std::span<Type* const> types, Span span);
  core::Pattern* only_binding(const core::Pattern* pattern, core::LocalId local, core::LocalId as);
  std::vector<core::Binding> infer_binding(const ast::BindingDecl& binding);
  void read_signature(GlobalState& state);
  Type* signature_type(const ast::SignatureDecl& signature, std::vector<std::pair<Name, Type*>>& variables);
  /// Binds the definitions of a let in dependency order; the caller pops them.
  std::vector<std::vector<core::Binding>> infer_let(std::span<ast::Decl* const> decls);
  void refuse_evaluation_cycles(const DependencyGraph& immediate,
                                const std::vector<const Definition*>& definitions);
  void check_blocks();
  void describe_feed_through(core::GlobalId global);
  bool lacks_parameters(const Definition& definition, Type* type);
  void mark_tail_sigrels(const ast::Expr* e, Name name, Span span, bool inside);

  // pattern.cpp
  core::Pattern* infer_pattern(const ast::Pattern* pattern, Type* type, const Reason& reason);
  core::Pattern* make_pattern(core::PatternKind kind, Span span);
  void add_match_check(std::vector<const core::Pattern*> rows, Type* type, Span span, bool is_let);

  // infer_expr.cpp
  Typed infer(const ast::Expr* e, Type* hint = nullptr);
  Typed infer_kind(const ast::Expr* e, Type* hint);
  core::Expr* check_expr(const ast::Expr* e, Type* expected, const Reason& reason);
  Typed infer_variable(const ast::QualifiedIdent& name, Span span);
  Typed infer_constructor(const ast::ConstructorExpr* e);
  const Constructor* known_mode(const ast::QualifiedIdent& name) const;
  Typed infer_apply(const ast::ApplyExpr* e);
  Type* apply_arguments(Type* function, const ast::Expr* head, std::span<ast::Expr* const> args, Span span,
                        std::vector<core::Expr*>& out);
  Type* constructor_type(const Constructor& constructor);
  Typed use_global(core::GlobalId global, Span span);
  Typed use_builtin(const Builtin& builtin, Span span);
  Type* instantiate_builtin(const Builtin& builtin, Span span);
  core::Expr* apply_known(const Value& value, std::vector<core::Expr*> args, Span span);
  Type* index_type(Type* base, std::span<const core::IndexPart> parts, bool& waiting);
  Type* indexed(Type* base, std::span<const core::IndexPart> parts, Span span);
  core::Expr* check_branching(const ast::Expr* e, Type* expected, const Reason& reason);
  core::Expr* lambda(const ast::LambdaExpr* e, Type* expected, const Reason& reason);
  core::Expr* comprehension(const ast::ComprehensionExpr* e, Type* element, const Reason& reason);
  core::Expr* generators(const ast::ComprehensionExpr* e, std::size_t index, Type* element,
                         const Reason& reason);
  Typed infer_list(const ast::ListExpr* e, Type* hint);
  Typed infer_index(const ast::IndexExpr* e);
  Typed infer_connection(const ast::ConnectionExpr* e);
  core::Expr* make_apply(core::Expr* function, std::vector<core::Expr*> args, Span span);

  // operator.cpp
  Typed infer_binary(const ast::BinaryExpr* e, Type* hint);
  Type* vector_literal(const ast::Expr* e);
  Typed binary(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast, Type* hint);
  Typed operator_function(ast::BinaryOp op, Span span);
  struct OperatorType {
    Type *left, *right, *result;
  };
  OperatorType operator_type(ast::BinaryOp op, Span span);
  core::Expr* apply_named(const ast::QualifiedIdent& name, core::Expr* function,
                          std::vector<core::Expr*> args, Span span);
  Typed infer_section(const ast::SectionExpr* e);
  Typed literal(std::int64_t value, Span span, Type* hint);
  /// `left * right`, `left / right` or `left ^ power`, as a type.
  struct Product {
    Type *left, *right, *result;  // result: what stands for it while it waits, else null
    ast::BinaryOp op;             // Mul, Div or Pow
    Ratio power;                  // Pow
    Span span;
    const ast::Expr *left_ast, *right_ast;
    bool done = false;
  };
  /// Null while it must wait for the type of an operand.
  Type* product(const Product& p);
  Type* factors_differ(const Product& p, Type* left, Type* right);
  Type* vector_product(Type* left, Type* right, const Product& p);
  Type* product_or_wait(Product p);
  /// `type` with its scalars multiplied by `unit`^`power`.
  Type* scaled(Type* type, Type* unit, Ratio power);
  bool number_operand(Type* type, Needs needs, const ast::Expr* e, std::string_view sign);
  /// Stands for what is not looked at because of an error around it.
  core::Expr* nothing(Span span) { return primitive(core::Primitive::Time, {}, span); }
  core::Expr* primitive(core::Primitive op, std::vector<core::Expr*> args, Span span);

  // record.cpp
  Typed infer_record(const ast::RecordExpr* e);
  Typed infer_with(const ast::WithExpr* e);
  Typed infer_field(const ast::FieldExpr* e);
  TypeConstructor* unique_record_with(Name field, bool& ambiguous);
  Typed select(Typed base, const ast::Ident& field, Span span, const ast::Expr* base_ast);
  bool resolve_field(core::FieldExpr* node, Type* base, const ast::Ident& field, Type*& result,
                     Span base_span, bool last);
  Type* field_type(const TypeConstructor& record, std::uint32_t index, Type* instance);
  void unknown_field(const ast::Ident& field, Type* type);

  // relation.cpp
  Typed infer_sigrel(const ast::SigrelExpr* e, Type* hint);
  core::Body lower_block(std::span<ast::Item* const> items);
  core::Expr* derivative_of(const ast::Expr* signal);
  core::SignalDecl signal_decl(const ast::Ident& name, Type* type, bool implicit);
  std::span<core::Attribute> attributes(std::span<ast::Setting> settings, Type* type);
  std::span<core::Attribute> clock_settings(std::span<ast::Setting> settings);
  void finish_members(RelationContext& relation);
  void find_names(const ast::SigrelExpr& e);
  void remember_inside(RelationContext& relation, std::span<const core::Formal> formals,
                       const std::vector<Type*>& types);
  std::uint32_t total_loops(const RelationContext& relation, std::uint32_t block) const;

  // item.cpp
  void lower_item(const ast::Item* item, std::vector<core::Item*>& out);
  void lower_application(const ast::Item* item, const ast::Ident* label, const ast::Expr* relation,
                         const ast::Expr* args, std::vector<core::Item*>& out);
  core::Expr* interface_argument(const ast::Expr* argument, Type* expected, const Reason& reason);
  core::Expr* relation_arguments(Type* interface, std::span<InterfaceName> names, const ast::Expr* relation,
                                 const ast::Expr* args);
  void interface_arity(const ast::Expr* relation, std::size_t has, std::size_t given, Span span);
  Type* expect_relation(const ast::Expr* e, Type* type);
  core::Body lower_loop(const ast::ForItem* item, std::size_t index);
  void lower_for(const ast::ForItem* item, std::vector<core::Item*>& out);
  void lower_switch(const ast::SwitchItem* item, std::vector<core::Item*>& out);
  core::Expr* check_mode(const ast::Expr* e);
  const ast::QualifiedIdent* head_of(const ast::Expr* e, std::uint32_t& args) const;
  std::optional<core::GlobalId> head_global(const ast::Expr* e, std::uint32_t& args);

  // member.cpp
  LabelInfo* find_label(const ast::Expr* e);
  LabelInfo* find_label(Name name);
  Typed infer_member(const ast::Expr* e, LabelInfo* label);
  Typed resolve_member(LabelInfo& label, const std::vector<Step>& steps, std::uint32_t block);
  std::uint32_t unshared_loops(std::uint32_t label_block, std::uint32_t use_block) const;

  // settle.cpp
  bool settle_products(bool defaults);
  bool settle_fields(bool last);
  bool settle_indices(bool last);
  void settle_group();
  void finish_layouts(bool check_matches);
  core::Expr* size_value(Type* size);
  void forget_units(Type* type);
  const core::Layout* layout(Type* type);
  void default_variable(Type* variable);
  void default_numbers(Type* type);
  void share_inside(GlobalState& state, const std::vector<std::pair<Type*, Type*>>& skolems);

  // exhaustive.cpp
  struct MatchCheck {
    std::vector<const core::Pattern*> rows;
    Type* type;
    Span span;
    bool is_let;
  };
  void check_match(const MatchCheck& match);

  // mismatch.cpp
  void unit_mismatch(Span span, Type* found, Type* expected, const Reason& reason,
                     const std::string& why_found, std::optional<std::pair<Span, std::string>> origin);
  std::string derivation(Span span);
  void mismatch(const ast::Expr* found_expr, Type* found, Type* expected, const Reason& reason);
  void mismatch_at(Span span, Type* found, Type* expected, const Reason& reason, std::string because,
                   std::optional<std::pair<Span, std::string>> origin);
  /// A local variable that was reported has any type from then on: its other uses have the same cause.
  void blame(const ast::Expr* e);
  std::string because(const ast::Expr* e, std::optional<Span>& origin);
  std::string reason_text(const Reason& reason, std::optional<Span>& origin);
  std::string describe(Type* type);
  std::string print(Type* type) { return TypePrinter(types_).print(type); }
  std::string head_text(const ast::Expr* e);

  // names.cpp
  Local* lookup_local(Name name) const { return name.value < locals_.size() ? locals_[name.value] : nullptr; }
  Local* bind(Local::Kind kind, Name name, Type* type, Span span);
  Local* bind_as(Local::Kind kind, Name name, Type* type, Span span, core::LocalId id);
  core::LocalId new_local(Name name);
  void push_local(Local* local);
  std::size_t mark() const { return trail_.size(); }
  void release(std::size_t mark);
  const Entry<Value>* lookup_value(const ast::QualifiedIdent& name, bool report);
  /// A constructor, mode or record; null after a report, and for what a declaration with a syntax error would
  /// have defined.
  const Entry<Value>* lookup_constructor(const ast::QualifiedIdent& name);
  const Entry<TypeName>* lookup_type(const ast::QualifiedIdent& name);
  void unknown_value(const ast::QualifiedIdent& name);
  void unknown_qualifier(const ast::QualifiedIdent& name);
  void suggest(Diagnostic& diagnostic, Name name, Span span, const std::vector<Name>& candidates);
  std::vector<Name> names_in_scope(bool upper) const;
  void duplicate(const ast::Ident& name, Span first, std::string_view what);

  Diagnostics& diagnostics_;
  CheckOptions options_;
  core::Program program_;
  Arena& arena_;
  Arena type_arena_;
  Types types_;

  std::deque<ModuleScope> scopes_;
  std::unordered_map<Name, ModuleScope*> modules_;
  ModuleScope builtin_scope_;
  ModuleScope* scope_ = nullptr;  // of the module being checked
  const ModuleScope* previous_scope_ = nullptr;
  std::deque<TypeConstructor> constructors_;
  std::deque<Constructor> data_constructors_;
  std::deque<Synonym> synonyms_;
  std::unordered_map<Name, std::vector<TypeConstructor*>> records_by_field_;
  std::deque<GlobalState> globals_;             // beside program_.globals
  std::vector<TypeConstructor*> record_types_;  // by RecordId

  // The definition being inferred.
  core::GlobalId current_{};
  std::uint32_t level_ = 0;
  std::vector<Local*> locals_;  // by Name: the innermost meaning
  std::vector<Local*> trail_;
  std::vector<std::pair<Name, Type*>> scoped_type_variables_;
  std::vector<std::pair<Type*, core::LocalId>> layout_locals_;
  RelationContext* relation_ = nullptr;
  ModeContext* modes_ = nullptr;
  const ModeContext* mode_names_ =
      nullptr;  // set where a mode is named: the initial one, and the targets of `until`
  std::vector<core::ModeTransition>* transitions_ = nullptr;
  bool contradicted_ = false;  // the definition is not what its signature says, and this is reported
  bool in_initially_ = false;
  int static_ = 0;  // > 0 where a signal cannot be used: in the relation of `<>`
  std::unordered_map<const ast::SigrelExpr*, std::pair<Name, Span>> sigrel_names_;
  std::unordered_set<const ast::SigrelExpr*> inside_sigrels_;
  std::vector<Type*> signature_sizes_;
  std::vector<std::pair<ast::Ident, const ast::SignatureDecl*>>
      without_definition_;                                // of the last group_definitions
  std::unordered_map<core::LocalId, Type*> size_atoms_;   // the values that sizes are made of
  std::unordered_set<Type*> refined_sizes_;               // sizes about which a condition around says more
  bool settling_ = false;                                 // at the end of the group: no definition is current
  std::optional<std::pair<Type*, Type*>> unit_conflict_;  // found by the last agree
  bool units_forgotten_ = false;                          // they disagree in a group that states none
  bool units_seen_ = false;              // a unit was stated in the group: its units are checked
  std::vector<Diagnostic> unit_errors_;  // of the group
  struct Leaf {                          // what a unit is derived from
    const ast::Expr* expr;
    Type* type;
    bool plain_number;  // a literal without a unit, beside `*`
    bool divides = false;
  };
  std::vector<Leaf> leaves_;  // of the definition, in the order of inference
  std::unordered_set<std::uint64_t> reported_names_, reported_types_;
  std::uint32_t suggestions_ = 0;

  // What waits for types, until the end of the group.
  struct WaitingField {
    core::FieldExpr* node;
    Type* base;
    ast::Ident field;
    Type* result;
    Span base_span;
    core::GlobalId owner;
    bool done = false;
  };
  struct WaitingIndex {
    Type *base, *result;
    std::span<const core::IndexPart> parts;
    Span span;
    bool done = false;
  };
  struct WaitingEquation {
    const ast::EquationItem* ast;
    Type* type;
  };
  struct WaitingUse {
    core::GlobalExpr* node;
    core::GlobalId owner;
    std::vector<Type*> instances;
  };
  struct WaitingLayout {
    const core::Layout** place;
    Type* type;
    core::GlobalId owner;
  };
  std::vector<Product> products_;
  std::vector<WaitingField> fields_;
  std::vector<WaitingIndex> indices_;
  std::vector<WaitingEquation> equations_;
  std::vector<std::pair<core::IntExpr*, Type*>> literals_;
  std::vector<std::pair<core::Pattern*, Type*>> literal_patterns_;
  std::vector<WaitingUse> uses_;
  // The places are inside arena nodes: a formal, a declaration.
  std::vector<WaitingLayout> layouts_;
  std::vector<MatchCheck> matches_;
  struct WaitingBlock {
    const core::Relation* relation;
    std::optional<core::GlobalId> owner;  // the definition that gives the relation
  };
  std::vector<WaitingBlock> blocks_;
  std::unordered_map<const void*, BlockUse> block_uses_;  // by application
  std::unordered_map<core::GlobalId, std::vector<std::pair<Type*, core::LocalId>>> layout_locals_of_;
  std::unordered_map<const TypeConstructor*, const core::Layout*> layout_cache_;
  struct WaitingContract {
    core::ContractId id;
    const ast::StructuralAnnotation* written;
    Type* relation;
  };
  std::vector<WaitingContract> waiting_contracts_;
  std::unordered_map<const ast::StructuralAnnotation*, core::ContractId> contract_of_;
  Type* own_result_ = nullptr;  // of the global that is being inferred: its contract is checked by its sample
  std::unordered_set<core::GlobalId> sampled_;
  struct Sampling {  // of a definition: the parameter for which a value is made
    Name parameter;
    Span parameter_span;
    bool inside_function = false, has_signature = false;
    std::vector<Name> local_names;
  } sampling_;
  std::vector<std::pair<Type*, std::int64_t>>
      sample_sizes_;  // of the size variables of the definition that is sampled
};

}  // namespace sigrel::check
