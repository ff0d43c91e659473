// Patterns: types, bindings, lowering.
#include "compiler/check/expressions/expression_checker.h"

namespace sigrel::check {

void ExpressionChecker::pattern_type(const ast::Pattern* pattern, Type* found, Type* expected,
                                     const Reason& reason) {
  if (!unifier_.agree(expected, found))
    messages_.mismatch_at(pattern->span, found, expected, reason, "of the pattern", {});
}

core::Pattern* ExpressionChecker::variable_pattern(const ast::Ident& name, Span span, Type* type) {
  core::Pattern* p = core_.pattern(core::PatternKind::Variable, span);
  // The pattern of a binding in a circle, which is reported, was bound before with types that agree with all.
  Local* other = scopes_.lookup_local(name.name);
  if (other && other->span.file == name.span.file && other->span == name.span) return p;
  p->local = scopes_.bind(Local::Value, name.name, type, name.span)->id;
  return p;
}

core::Pattern* ExpressionChecker::infer_pattern(const ast::Pattern* pattern, Type* type,
                                                const Reason& reason) {
  switch (pattern->kind) {
    case ast::PatternKind::Wildcard: return core_.pattern(core::PatternKind::Wildcard, pattern->span);
    case ast::PatternKind::Variable:
      return variable_pattern(static_cast<const ast::VariablePattern*>(pattern)->name, pattern->span, type);
    case ast::PatternKind::Typed: {
      auto* t = static_cast<const ast::TypedPattern*>(pattern);
      pattern_type(pattern, reader_.annotation(t->type, 0), type, reason);
      return variable_pattern(t->name, pattern->span, type);
    }
    case ast::PatternKind::Int: {
      core::Pattern* p = core_.pattern(core::PatternKind::Int, pattern->span);
      p->integer = static_cast<const ast::IntPattern*>(pattern)->value;
      Type* number = unifier_.fresh(kNumber | kLiteral | kScalar);
      pattern_type(pattern, number, type, reason);
      deferred_.add_literal_pattern(p, number);
      return p;
    }
    case ast::PatternKind::Real: {
      core::Pattern* p = core_.pattern(core::PatternKind::Real, pattern->span);
      p->real = static_cast<const ast::RealPattern*>(pattern)->value;
      pattern_type(pattern, unifier_.fresh_real(), type, reason);
      return p;
    }
    case ast::PatternKind::String: {
      core::Pattern* p = core_.pattern(core::PatternKind::String, pattern->span);
      p->string = static_cast<const ast::StringPattern*>(pattern)->value;
      pattern_type(pattern, types_.string(), type, reason);
      return p;
    }
    case ast::PatternKind::Tuple:
      return infer_tuple_pattern(static_cast<const ast::TuplePattern*>(pattern), type, reason);
    case ast::PatternKind::List:
      return infer_list_pattern(static_cast<const ast::ListPattern*>(pattern), type, reason);
    case ast::PatternKind::Cons: {
      auto* c = static_cast<const ast::ConsPattern*>(pattern);
      Type* element = unifier_.fresh();
      Type* list = types_.list(element);
      pattern_type(pattern, list, type, reason);
      core::Pattern* head = infer_pattern(c->head, element, reason);
      core::Pattern* tail = infer_pattern(c->tail, list, reason);
      return core_.construct_pattern(types_.cons.tag, {head, tail}, pattern->span);
    }
    case ast::PatternKind::Constructor:
      return infer_constructor_pattern(static_cast<const ast::ConstructorPattern*>(pattern), type, reason);
    case ast::PatternKind::Record:
      return infer_record_pattern(static_cast<const ast::RecordPattern*>(pattern), type, reason);
  }
  return core_.pattern(core::PatternKind::Wildcard, pattern->span);
}

core::Pattern* ExpressionChecker::infer_tuple_pattern(const ast::TuplePattern* pattern, Type* type,
                                                      const Reason& reason) {
  std::vector<Type*> types;
  Type* known = find(type);
  if (known->kind == TypeKind::Tuple && known->args.size() == pattern->elements.size()) {
    types.assign(known->args.begin(), known->args.end());
  } else {
    for (std::size_t i = 0; i < pattern->elements.size(); ++i) types.push_back(unifier_.fresh());
    pattern_type(pattern, types_.tuple(types), type, reason);
  }
  std::vector<core::Pattern*> elements;
  for (std::size_t i = 0; i < pattern->elements.size(); ++i)
    elements.push_back(infer_pattern(pattern->elements[i], types[i], reason));
  core::Pattern* p = core_.pattern(core::PatternKind::Tuple, pattern->span);
  p->elements = core_.copy(elements);
  return p;
}

core::Pattern* ExpressionChecker::infer_list_pattern(const ast::ListPattern* pattern, Type* type,
                                                     const Reason& reason) {
  Type* element = unifier_.fresh();
  pattern_type(pattern, types_.list(element), type, reason);
  std::vector<core::Pattern*> elements;
  for (auto* e : pattern->elements) elements.push_back(infer_pattern(e, element, reason));
  core::Pattern* rest = core_.construct_pattern(types_.nil.tag, {}, pattern->span);
  for (auto it = elements.rbegin(); it != elements.rend(); ++it)
    rest = core_.construct_pattern(types_.cons.tag, {*it, rest}, pattern->span);
  return rest;
}

core::Pattern* ExpressionChecker::infer_constructor_pattern(const ast::ConstructorPattern* pattern,
                                                            Type* type, const Reason& reason) {
  auto* entry = scopes_.lookup_constructor(pattern->name);
  const Constructor* constructor =
      entry && entry->meaning.kind == Value::Constructor ? entry->meaning.constructor : nullptr;
  if (!constructor) {
    if (entry)
      diagnostics_
          .report(
              Code::UnknownConstructor, pattern->name.ident.span,
              "`" + std::string(text(pattern->name.ident.name)) + "` is a record: its pattern names fields")
          .help("write `" + std::string(text(pattern->name.ident.name)) + " { field = x }`, or `" +
                std::string(text(pattern->name.ident.name)) + " {}` for any");
    for (auto* arg : pattern->args) infer_pattern(arg, types_.error(), reason);
    return core_.pattern(core::PatternKind::Wildcard, pattern->span);
  }
  std::vector<Type*> args;
  for (std::size_t i = 0; i < constructor->owner->parameters.size(); ++i) args.push_back(unifier_.fresh());
  Type* owner = constructor->owner == &types_.boolean_constructor ? types_.boolean()
                                                                  : types_.apply(constructor->owner, args);
  pattern_type(pattern, owner, type, reason);
  if (pattern->args.size() != constructor->args.size()) {
    std::size_t takes = constructor->args.size();
    if (!constructor->damaged)
      diagnostics_.report(Code::WrongArgumentCount, pattern->span,
                          "`" + std::string(text(constructor->name)) + "` has " + std::to_string(takes) +
                              (takes == 1 ? " argument, " : " arguments, ") +
                              std::to_string(pattern->args.size()) +
                              (pattern->args.size() == 1 ? " is given" : " are given"));
    for (auto* arg : pattern->args) infer_pattern(arg, types_.error(), reason);
    return constructor->damaged ? core_.construct_pattern(constructor->tag, {}, pattern->span)
                                : core_.pattern(core::PatternKind::Wildcard, pattern->span);
  }
  std::vector<core::Pattern*> elements;
  for (std::size_t i = 0; i < pattern->args.size(); ++i)
    elements.push_back(infer_pattern(
        pattern->args[i], unifier_.substitute(constructor->args[i], constructor->owner->parameters, args),
        reason));
  if (constructor->owner != &types_.boolean_constructor)
    return core_.construct_pattern(constructor->tag, elements, pattern->span);
  core::Pattern* p = core_.pattern(core::PatternKind::Bool, pattern->span);
  p->integer = constructor->tag;
  return p;
}

core::Pattern* ExpressionChecker::infer_record_pattern(const ast::RecordPattern* pattern, Type* type,
                                                       const Reason& reason) {
  auto* entry = scopes_.lookup_constructor(pattern->constructor);
  TypeConstructor* record = entry && entry->meaning.kind == Value::Record ? entry->meaning.record : nullptr;
  if (!record) {
    if (entry)
      diagnostics_
          .report(Code::RecordConstruction, pattern->constructor.ident.span,
                  "`" + std::string(text(pattern->constructor.ident.name)) + "` is not a record")
          .help("the arguments of a constructor follow it: `" +
                std::string(text(pattern->constructor.ident.name)) + " x y`");
    for (auto& f : pattern->fields) infer_pattern(f.pattern, types_.error(), reason);
    return core_.pattern(core::PatternKind::Wildcard, pattern->span);
  }
  Type* owner = fresh_record(*record);
  pattern_type(pattern, owner, type, reason);
  std::vector<core::Pattern*> elements(record->fields.size(), nullptr);
  std::vector<Span> spans(elements.size());
  for (auto& f : pattern->fields) {
    auto index = field_index(*record, f.name.name);
    if (!index || elements[*index]) {
      if (!index)
        messages_.unknown_field(f.name, owner);
      else
        scopes_.duplicate(f.name, spans[*index], "the field");
      infer_pattern(f.pattern, types_.error(), reason);
      continue;
    }
    spans[*index] = f.name.span;
    elements[*index] = infer_pattern(f.pattern, units_.field_type(*record, *index, owner), reason);
  }
  for (core::Pattern*& e : elements)
    if (!e) e = core_.pattern(core::PatternKind::Wildcard, pattern->span);
  core::Pattern* p = core_.pattern(core::PatternKind::Record, pattern->span);
  p->record = record->record;
  p->elements = core_.copy(elements);
  return p;
}

}  // namespace sigrel::check
