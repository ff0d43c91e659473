// The walk over expressions, patterns and local definitions: infers types and lowers to core in one pass.
//
// `check_expr` takes the expected type, so that a message points at the part that does not fit; `infer` finds
// the type, with a hint that literals and relation literals may use. One file per construct: check_if.cpp,
// check_case.cpp, check_let.cpp, check_application.cpp, ….
#pragma once
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/check/names/definitions.h"
#include "compiler/check/parts.h"

namespace sigrel::data {
struct Problem;
}

namespace sigrel::check {

class RelationChecker;

class ExpressionChecker : private PartReferences {
 public:
  ExpressionChecker(Parts& parts, RelationChecker& relations)
      : PartReferences(parts), relations_(relations) {}

  // check_expression.cpp
  Typed infer(const ast::Expr* e, Type* hint = nullptr);
  core::Expr* check_expr(const ast::Expr* e, Type* expected, const Reason& reason);
  core::Expr* check_panes(const ast::Expr* e, const Reason& reason);

  // check_definition.cpp
  /// The body of a definition, top-level or local, whose type is `type`: a monomorphic or skolemised one.
  /// `sizes`: rigid sizes of the signature that are expressions over its parameters.
  core::Expr* check_definition(const Definition& definition, Type* type, bool from_signature, bool top_level,
                               const std::vector<Type*>& sizes);

  // check_let.cpp
  /// Binds the definitions of a `let` in dependency order; the caller releases them.
  std::vector<std::vector<core::Binding>> check_let(std::span<ast::Decl* const> decls);

  // check_list.cpp
  /// Whether `e` is a name that `[…]` defines: a vector where one is expected, and a list elsewhere.
  bool names_brackets(const ast::Expr* e) { return brackets_of(e) != nullptr; }

  // check_pattern.cpp
  core::Pattern* infer_pattern(const ast::Pattern* pattern, Type* type, const Reason& reason);

  // check_application.cpp
  /// `type`: that of this use, for a primitive that needs it.
  core::Expr* apply_known(const Value& value, std::vector<core::Expr*> args, Span span, Type* type = nullptr);

 private:
  Typed infer_kind(const ast::Expr* e, Type* hint);
  void report_large_type(Span span);
  core::Expr* check_parts(const ast::Expr* e, Type* expected, const Reason& reason);
  Typed infer_real(const ast::RealExpr* e, Type* hint);
  Typed infer_range(const ast::RangeExpr* e);
  Typed infer_conversion(const ast::AsExpr* e);
  Typed infer_negation(const ast::UnaryExpr* e, Type* hint);

  // check_definition.cpp
  bool lacks_parameters(const Definition& definition, Type* type);
  core::Expr* check_clauses(const Definition& definition, Type* type, const Reason& reason,
                            const std::vector<Type*>& sizes);
  /// The parameters of a definition with clauses, and the type of its result.
  struct Parameters {
    std::vector<core::LocalId> ids;
    std::vector<Type*> types;
    std::vector<std::pair<Name, core::LocalId>> sizes;  // named in the signature
    Type* result;
    std::size_t errors;  // the number of errors before the parameters were read
  };
  Parameters parameters(const Definition& definition, Type* type, const Reason& reason);
  void bind_vector_sizes(const Definition& definition, const Parameters& parameters);
  core::Expr* single_clause(const ast::ClauseDecl& clause, const Parameters& parameters,
                            const Reason& reason);
  core::Expr* matched_clauses(const Definition& definition, const Parameters& parameters,
                              const Reason& reason);
  void lower_signature_sizes(const std::vector<Type*>& sizes,
                             const std::vector<std::pair<Name, core::LocalId>>& parameters);

  // check_let.cpp
  core::Expr* check_let(const ast::LetExpr* e, Type* expected, const Reason& reason);
  std::vector<core::Binding> check_let_group(std::span<const Definition* const> group);
  std::vector<core::Binding> check_binding(const ast::BindingDecl& binding);
  core::Pattern* only_binding(const core::Pattern* pattern, core::LocalId local, core::LocalId as);

  // check_pattern.cpp
  core::Pattern* infer_constructor_pattern(const ast::ConstructorPattern* pattern, Type* type,
                                           const Reason& reason);
  core::Pattern* infer_record_pattern(const ast::RecordPattern* pattern, Type* type, const Reason& reason);
  core::Pattern* infer_tuple_pattern(const ast::TuplePattern* pattern, Type* type, const Reason& reason);
  core::Pattern* infer_list_pattern(const ast::ListPattern* pattern, Type* type, const Reason& reason);
  core::Pattern* variable_pattern(const ast::Ident& name, Span span, Type* type);
  void pattern_type(const ast::Pattern* pattern, Type* found, Type* expected, const Reason& reason);

  // check_if.cpp, check_case.cpp, check_lambda.cpp, check_tuple.cpp, check_list.cpp, check_comprehension.cpp
  core::Expr* check_if(const ast::IfExpr* e, Type* expected, const Reason& reason);
  core::Expr* check_case(const ast::CaseExpr* e, Type* expected, const Reason& reason);
  core::Expr* check_lambda(const ast::LambdaExpr* e, Type* expected, const Reason& reason);
  core::Expr* check_tuple(const ast::TupleExpr* e, Type* expected, const Reason& reason);
  Typed infer_list(const ast::ListExpr* e, Type* hint);
  Typed as_vector(const ast::Expr* name, Typed list, Type* hint);
  const ast::Expr* brackets_of(const ast::Expr* name);
  static const ast::Expr* brackets(const Definition& definition);
  core::Expr* check_comprehension(const ast::ComprehensionExpr* e, Type* expected, const Reason& reason);
  core::Expr* generators(const ast::ComprehensionExpr* e, std::size_t index, Type* element,
                         const Reason& reason);

  // check_variable.cpp
  Typed infer_variable(const ast::QualifiedIdent& name, Span span);
  Typed use_local(Local& local, const ast::QualifiedIdent& name, Span span);
  Typed use_global(core::GlobalId global, Span span);
  Typed use_builtin(const Builtin& builtin, Span span);
  Type* instantiate_builtin(const Builtin& builtin, Span span);

  // check_constructor.cpp
  Typed infer_constructor(const ast::ConstructorExpr* e);
  Type* constructor_type(const Constructor& constructor);

  // check_application.cpp
  Typed infer_apply(const ast::ApplyExpr* e);
  // check_named_arguments.cpp
  Typed infer_named(const ast::ApplyExpr* e);
  struct Argument {
    Type* function;  // from its parameter to the rest
    core::Expr* value;
    Span span;
  };
  core::Expr* apply_parameters(core::Expr* function, std::span<Argument> parameters,
                               std::span<core::Expr* const> args, Span span);
  void report_no_names(const ast::ApplyExpr* e, Type* type);
  void report_unknown_parameter(const ast::Ident& name, const ast::Expr* function, Type* type,
                                Diagnostic*& other);
  const Value* known_head(const ast::Expr* function);
  static std::size_t parameters(Type* type);
  Type* apply_arguments(Type* function, const ast::Expr* head, std::span<ast::Expr* const> args,
                        std::vector<core::Expr*>& out);
  Reason argument_reason(const ast::Expr* head);
  void report_surplus_arguments(Type* type, const ast::Expr* head, std::span<ast::Expr* const> args,
                                std::size_t given, const Reason& reason);
  static void explain_number(Diagnostic& d, const ast::Expr* number, std::span<ast::Expr* const> args);
  bool reports_nested_application(const ast::Expr* head, std::size_t arity, std::span<ast::Expr* const> args);
  core::Expr* default_experiment(core::Expr* model, Span span);
  // check_data.cpp
  core::Expr* read_data(const Builtin& builtin, std::vector<core::Expr*> args, Type* type, Span span);
  void report_data(const data::Problem& problem, Span span);

  core::Expr* sum_of_list(core::Expr* list, Type* type, Span span);

  // check_index.cpp
  Typed infer_index(const ast::IndexExpr* e);

  // check_record.cpp
  Typed infer_record(const ast::RecordExpr* e);
  Typed infer_with(const ast::WithExpr* e);
  core::Expr* changed_relation(const ast::WithExpr* e, core::Expr* base);
  Typed infer_field(const ast::FieldExpr* e);
  Type* fresh_record(TypeConstructor& record);

  // check_operator.cpp
  Typed infer_binary(const ast::BinaryExpr* e, Type* hint);
  Typed binary(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast);
  Typed applied(const ast::BinaryExpr* e, Typed left, Typed right);
  void check_points(const ast::BinaryExpr* e, const ast::Expr* left);
  Typed sum(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast);
  Typed product(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast);
  Typed quotient(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast);
  Typed power(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast);
  Typed comparison(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast);
  Typed append(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast);
  Typed named_operator(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast);
  Type* vector_literal(const ast::Expr* e);
  // check_section.cpp
  Typed operator_function(ast::BinaryOp op, Span span);
  Typed infer_section(const ast::SectionExpr* e);
  struct OperatorType {
    Type *left, *right, *result;
  };
  OperatorType operator_type(ast::BinaryOp op, Span span);
  core::Expr* apply_named(const ast::QualifiedIdent& name, core::Expr* function,
                          const std::vector<core::Expr*>& args, Span span);

  RelationChecker& relations_;
  std::unordered_set<std::string>
      told_of_files_;  // what is wrong in data files: once, wherever they are named
};

}  // namespace sigrel::check
