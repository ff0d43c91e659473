// Definitions with clauses, top-level and local.
#include <algorithm>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {
namespace {

bool is_simple(const ast::Pattern* p) {
  return p->kind == ast::PatternKind::Variable || p->kind == ast::PatternKind::Typed;
}

const ast::Ident& name_of(const ast::Pattern* simple) {
  return simple->kind == ast::PatternKind::Variable ? static_cast<const ast::VariablePattern*>(simple)->name
                                                    : static_cast<const ast::TypedPattern*>(simple)->name;
}

/// Whether all free variables of an expression are in scope.
class AllKnown : public FreeVariables {
 public:
  explicit AllKnown(Scopes& scopes) : scopes_(scopes) {}
  bool operator()(const ast::Expr* e) {
    known_ = true;
    expr(e);
    return known_;
  }

 protected:
  void use(const ast::QualifiedIdent& name, bool) override {
    known_ &= scopes_.lookup_local(name.ident.name) || scopes_.lookup_value(name, false);
  }

 private:
  Scopes& scopes_;
  bool known_ = true;
};

}  // namespace

/// A clause that makes a relation but has fewer parameters than its type is reported and not checked further:
/// the names of the missing parameters would be unknown.
bool ExpressionChecker::lacks_parameters(const Definition& definition, Type* type) {
  std::size_t has = definition.clauses[0]->parameters.size(), takes = 0;
  for (type = find(type); type->kind == TypeKind::Function; type = find(type->args[1])) ++takes;
  if (has >= takes || !makes_relation(definition.clauses[0]->body)) return false;
  diagnostics_
      .report(Code::ClauseArity, definition.span,
              "`" + std::string(text(definition.name)) + "` has " + std::to_string(has) +
                  (has == 1 ? " parameter" : " parameters") + ", but its type takes " + std::to_string(takes))
      .also(definition.signature->type->span, "the type");
  return true;
}

core::Expr* ExpressionChecker::check_definition(const Definition& definition, Type* type, bool from_signature,
                                                bool top_level, const std::vector<Type*>& sizes) {
  Reason reason;
  if (from_signature && definition.signature)
    reason = {ReasonKind::Signature, definition.signature->type->span, definition.name, 0, nullptr, true};
  if (reason.has_span && lacks_parameters(definition, type)) return core_.placeholder(definition.span);
  for (auto* clause : definition.clauses)
    relations_.name_literals(clause->body, definition.name, clause->name.span, top_level);
  if (!definition.clauses[0]->parameters.empty()) return check_clauses(definition, type, reason, sizes);
  lower_signature_sizes(sizes, {});
  return check_expr(definition.clauses[0]->body, type, reason);
}

/// The sizes of a signature are expressions over its named parameters: `Real^(n+1)`.
void ExpressionChecker::lower_signature_sizes(const std::vector<Type*>& sizes,
                                              const std::vector<std::pair<Name, core::LocalId>>& parameters) {
  if (sizes.empty()) return;
  std::size_t m = scopes_.mark();
  for (auto& [name, id] : parameters) scopes_.bind_as(Local::Value, name, types_.integer(), {}, id);
  for (Type* size : sizes) {
    if (!AllKnown(scopes_)(size->size_ast)) continue;  // over a quantified size: follows from the arguments
    size->size_expr = check_expr(size->size_ast, types_.integer(), {ReasonKind::IndexValue});
    size->size_owner = core_.current().value;
  }
  scopes_.release(m);
}

core::Expr* ExpressionChecker::check_clauses(const Definition& definition, Type* type, const Reason& reason,
                                             const std::vector<Type*>& sizes) {
  auto& clauses = definition.clauses;
  Parameters taken = parameters(definition, type, reason);
  lower_signature_sizes(sizes, taken.sizes);
  bind_vector_sizes(definition, taken);
  const bool direct = clauses.size() == 1 && std::ranges::all_of(clauses[0]->parameters, is_simple);
  core::Expr* body =
      direct ? single_clause(*clauses[0], taken, reason) : matched_clauses(definition, taken, reason);
  return core_.lambda(taken.ids, body, join(clauses.front()->span, clauses.back()->span));
}

ExpressionChecker::Parameters ExpressionChecker::parameters(const Definition& definition, Type* type,
                                                            const Reason& reason) {
  auto& clauses = definition.clauses;
  std::size_t count = clauses[0]->parameters.size();
  Parameters taken;
  taken.errors = diagnostics_.error_count();
  for (std::size_t i = 0; i < count; ++i) {
    const ast::Pattern* first = clauses[0]->parameters[i];
    Name name = clauses.size() == 1 && is_simple(first) ? name_of(first).name : intern("argument");
    core::LocalId id = core_.new_local(name);
    taken.ids.push_back(id);
    type = find(type);
    if (type->kind == TypeKind::Variable) {
      Type* f = types_.function(unifier_.fresh(), unifier_.fresh());
      unifier_.unify(type, f);
      type = find(f);
    }
    if (type->kind != TypeKind::Function) {
      if (type->kind != TypeKind::Error) {
        auto& d = diagnostics_.report(
            Code::ClauseArity, first->span,
            "`" + std::string(text(definition.name)) + "` has " + std::to_string(count) +
                (count == 1 ? " parameter" : " parameters") + ", but its type takes " + std::to_string(i));
        if (reason.has_span) d.also(reason.span, "the type");
      }
      type = types_.error();
      taken.types.push_back(type);
      continue;
    }
    taken.types.push_back(type->args[0]);
    if (type->has_parameter && type->args.size() == 3) {
      Type* size = find(type->args[2]);
      if (size->kind == TypeKind::Skolem && !size->size_expr) {
        size->size_expr = core_.local(id, first->span);
        size->size_owner = core_.current().value;
        sizes_.bind(id, size);
      }
      taken.sizes.emplace_back(type->parameter, id);
    }
    type = type->args[1];
  }
  taken.result = type;
  return taken;
}

/// A size that only the types of vectors name is the number of elements of one of them.
void ExpressionChecker::bind_vector_sizes(const Definition& definition, const Parameters& parameters) {
  for (std::size_t i = 0; i < parameters.ids.size(); ++i) {
    core::Expr* value = core_.local(parameters.ids[i], definition.clauses[0]->parameters[i]->span);
    for (Type* vector = find(parameters.types[i]); vector->kind == TypeKind::Vector;
         vector = find(vector->args[0])) {
      Type* size = find(vector->args[1]);
      if (size->kind == TypeKind::Skolem && !size->size_expr && !size->size_ast) {
        size->size_expr = core_.primitive(core::Primitive::Size, {value}, value->span);
        size->size_owner = core_.current().value;
      }
      std::vector<core::IndexPart> first{{core_.integer(1, value->span), nullptr}};
      value = core_.make(core::IndexExpr{{core::ExprKind::Index, value->span}, value, core_.copy(first)});
    }
  }
}

core::Expr* ExpressionChecker::single_clause(const ast::ClauseDecl& clause, const Parameters& parameters,
                                             const Reason& reason) {
  std::size_t m = scopes_.mark();
  for (std::size_t i = 0; i < parameters.ids.size(); ++i) {
    const ast::Pattern* p = clause.parameters[i];
    Type* type = parameters.types[i];
    if (p->kind == ast::PatternKind::Typed) {
      Type* written = reader_.annotation(static_cast<const ast::TypedPattern*>(p)->type, 0);
      if (!unifier_.agree(type, written)) messages_.mismatch_at(p->span, written, type, reason, {}, {});
    }
    for (std::size_t j = 0; j < i; ++j)
      if (name_of(clause.parameters[j]).name == name_of(p).name &&
          diagnostics_.error_count() == parameters.errors)
        scopes_.duplicate(name_of(p), name_of(clause.parameters[j]).span, "the parameter");
    scopes_.bind_as(Local::Value, name_of(p).name, type, name_of(p).span, parameters.ids[i]);
  }
  core::Expr* body = check_expr(clause.body, parameters.result, reason);
  scopes_.release(m);
  return body;
}

/// Clauses with patterns: a `case` over the parameters, as a tuple where there are several.
core::Expr* ExpressionChecker::matched_clauses(const Definition& definition, const Parameters& parameters,
                                               const Reason& reason) {
  auto& clauses = definition.clauses;
  const std::size_t count = parameters.ids.size();
  std::vector<core::Arm> arms;
  std::vector<const core::Pattern*> rows;
  auto outer_refined = unifier_.refined_sizes();
  for (core::LocalId id : parameters.ids) sizes_.refine(id);  // a pattern says more than the name
  for (auto* clause : clauses) {
    std::size_t m = scopes_.mark();
    core::Pattern* pattern;
    if (count == 1) {
      pattern = infer_pattern(clause->parameters[0], parameters.types[0], reason);
    } else {
      std::vector<core::Pattern*> elements;
      for (std::size_t i = 0; i < count; ++i)
        elements.push_back(infer_pattern(clause->parameters[i], parameters.types[i], reason));
      pattern = core_.pattern(core::PatternKind::Tuple,
                              join(clause->parameters.front()->span, clause->parameters.back()->span));
      pattern->elements = core_.copy(elements);
    }
    rows.push_back(pattern);
    arms.push_back({pattern, check_expr(clause->body, parameters.result, reason)});
    scopes_.release(m);
  }
  unifier_.restore_refined_sizes(std::move(outer_refined));
  std::vector<core::Expr*> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(core_.local(parameters.ids[i], clauses[0]->parameters[i]->span));
  core::Expr* scrutinee = count == 1 ? values[0] : core_.tuple(values, definition.span);
  matches_.add(rows, count == 1 ? parameters.types[0] : types_.tuple(parameters.types), definition.span,
               false);
  Span span = join(clauses.front()->span, clauses.back()->span);
  return core_.make(core::CaseExpr{{core::ExprKind::Case, span}, scrutinee, core_.copy(arms)});
}

}  // namespace sigrel::check
