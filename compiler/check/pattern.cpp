// Patterns: types, bindings, lowering.
#include "compiler/check/checker.h"

namespace sigrel::check {

core::Pattern* Checker::make_pattern(core::PatternKind kind, Span span) {
  auto* p = arena_.make<core::Pattern>();
  p->kind = kind;
  p->span = span;
  return p;
}

void Checker::add_match_check(std::vector<const core::Pattern*> rows, Type* type, Span span, bool is_let) {
  matches_.push_back({std::move(rows), type, span, is_let});
}

core::Pattern* Checker::infer_pattern(const ast::Pattern* pattern, Type* type, const Reason& reason) {
  auto want = [&](Type* found) {
    if (!agree(type, found)) mismatch_at(pattern->span, found, type, reason, "of the pattern", {});
  };
  auto variable = [&](const ast::Ident& name) {
    core::Pattern* p = make_pattern(core::PatternKind::Variable, pattern->span);
    // A name may occur once in a pattern.
    if (Local* other = lookup_local(name.name);
        other && other->span.file == name.span.file && other->span == name.span)
      return p;
    p->local = bind(Local::Value, name.name, type, name.span)->id;
    return p;
  };
  switch (pattern->kind) {
    case ast::PatternKind::Wildcard: return make_pattern(core::PatternKind::Wildcard, pattern->span);
    case ast::PatternKind::Variable: return variable(static_cast<const ast::VariablePattern*>(pattern)->name);
    case ast::PatternKind::Typed: {
      auto* t = static_cast<const ast::TypedPattern*>(pattern);
      want(annotation(t->type, 0));
      return variable(t->name);
    }
    case ast::PatternKind::Int: {
      core::Pattern* p = make_pattern(core::PatternKind::Int, pattern->span);
      p->integer = static_cast<const ast::IntPattern*>(pattern)->value;
      Type* number = fresh(kNumber | kLiteral | kScalar);
      want(number);
      literal_patterns_.emplace_back(p, number);
      return p;
    }
    case ast::PatternKind::Real: {
      core::Pattern* p = make_pattern(core::PatternKind::Real, pattern->span);
      p->real = static_cast<const ast::RealPattern*>(pattern)->value;
      want(fresh_real());
      return p;
    }
    case ast::PatternKind::String: {
      core::Pattern* p = make_pattern(core::PatternKind::String, pattern->span);
      p->string = static_cast<const ast::StringPattern*>(pattern)->value;
      want(types_.string());
      return p;
    }
    case ast::PatternKind::Tuple: {
      auto* t = static_cast<const ast::TuplePattern*>(pattern);
      std::vector<Type*> types;
      Type* known = find(type);
      if (known->kind == TypeKind::Tuple && known->args.size() == t->elements.size()) {
        types.assign(known->args.begin(), known->args.end());
      } else {
        for (std::size_t i = 0; i < t->elements.size(); ++i) types.push_back(fresh());
        want(types_.tuple(types));
      }
      std::vector<core::Pattern*> elements;
      for (std::size_t i = 0; i < t->elements.size(); ++i)
        elements.push_back(infer_pattern(t->elements[i], types[i], reason));
      core::Pattern* p = make_pattern(core::PatternKind::Tuple, pattern->span);
      p->elements = arena_.copy(elements);
      return p;
    }
    case ast::PatternKind::List: {
      auto* l = static_cast<const ast::ListPattern*>(pattern);
      Type* element = fresh();
      want(types_.list(element));
      std::vector<core::Pattern*> elements;
      for (auto* e : l->elements) elements.push_back(infer_pattern(e, element, reason));
      core::Pattern* rest = make_pattern(core::PatternKind::Construct, pattern->span);  // []
      for (auto it = elements.rbegin(); it != elements.rend(); ++it) {
        core::Pattern* cell = make_pattern(core::PatternKind::Construct, pattern->span);
        cell->tag = 1;
        cell->elements = arena_.copy(std::vector<core::Pattern*>{*it, rest});
        rest = cell;
      }
      return rest;
    }
    case ast::PatternKind::Cons: {
      auto* c = static_cast<const ast::ConsPattern*>(pattern);
      Type* element = fresh();
      Type* list = types_.list(element);
      want(list);
      core::Pattern* head = infer_pattern(c->head, element, reason);
      core::Pattern* tail = infer_pattern(c->tail, list, reason);
      core::Pattern* p = make_pattern(core::PatternKind::Construct, pattern->span);
      p->tag = 1;
      p->elements = arena_.copy(std::vector<core::Pattern*>{head, tail});
      return p;
    }
    case ast::PatternKind::Constructor: {
      auto* c = static_cast<const ast::ConstructorPattern*>(pattern);
      auto* entry = lookup_constructor(c->name);
      const Constructor* constructor =
          entry && entry->meaning.kind == Value::Constructor ? entry->meaning.constructor : nullptr;
      if (!constructor) {
        if (entry)
          diagnostics_
              .report(Code::UnknownConstructor, c->name.ident.span,
                      "`" + std::string(text(c->name.ident.name)) + "` is a record: its pattern names fields")
              .help("write `" + std::string(text(c->name.ident.name)) + " { field = x }`, or `" +
                    std::string(text(c->name.ident.name)) + " {}` for any");
        for (auto* arg : c->args) infer_pattern(arg, types_.error(), reason);
        return make_pattern(core::PatternKind::Wildcard, pattern->span);
      }
      std::vector<Type*> args;
      for (std::size_t i = 0; i < constructor->owner->parameters.size(); ++i) args.push_back(fresh());
      Type* owner = constructor->owner == &types_.boolean_constructor
                        ? types_.boolean()
                        : types_.apply(constructor->owner, args);
      want(owner);
      if (c->args.size() != constructor->args.size()) {
        std::size_t takes = constructor->args.size();
        diagnostics_.report(Code::WrongArgumentCount, pattern->span,
                            "`" + std::string(text(constructor->name)) + "` has " + std::to_string(takes) +
                                (takes == 1 ? " argument, " : " arguments, ") +
                                std::to_string(c->args.size()) +
                                (c->args.size() == 1 ? " is given" : " are given"));
        for (auto* arg : c->args) infer_pattern(arg, types_.error(), reason);
        return make_pattern(core::PatternKind::Wildcard, pattern->span);
      }
      std::vector<core::Pattern*> elements;
      for (std::size_t i = 0; i < c->args.size(); ++i)
        elements.push_back(infer_pattern(
            c->args[i], substitute(constructor->args[i], constructor->owner->parameters, args), reason));
      core::Pattern* p;
      if (constructor->owner == &types_.boolean_constructor) {
        p = make_pattern(core::PatternKind::Bool, pattern->span);
        p->integer = constructor->tag;
      } else {
        p = make_pattern(core::PatternKind::Construct, pattern->span);
        p->tag = constructor->tag;
      }
      p->elements = arena_.copy(elements);
      return p;
    }
    case ast::PatternKind::Record: {
      auto* r = static_cast<const ast::RecordPattern*>(pattern);
      auto* entry = lookup_constructor(r->constructor);
      TypeConstructor* record =
          entry && entry->meaning.kind == Value::Record ? entry->meaning.record : nullptr;
      if (!record) {
        if (entry)
          diagnostics_
              .report(Code::RecordConstruction, r->constructor.ident.span,
                      "`" + std::string(text(r->constructor.ident.name)) + "` is not a record")
              .help("the arguments of a constructor follow it: `" +
                    std::string(text(r->constructor.ident.name)) + " x y`");
        for (auto& f : r->fields) infer_pattern(f.pattern, types_.error(), reason);
        return make_pattern(core::PatternKind::Wildcard, pattern->span);
      }
      std::vector<Type*> args;
      for (std::size_t i = 0; i < record->parameters.size(); ++i) args.push_back(fresh());
      Type* owner = types_.apply(record, args);
      want(owner);
      std::vector<core::Pattern*> elements(record->fields.size(), nullptr);
      std::vector<Span> spans(elements.size());
      for (auto& f : r->fields) {
        auto index = field_index(*record, f.name.name);
        if (!index || elements[*index]) {
          if (!index)
            unknown_field(f.name, owner);
          else
            duplicate(f.name, spans[*index], "the field");
          infer_pattern(f.pattern, types_.error(), reason);
          continue;
        }
        spans[*index] = f.name.span;
        elements[*index] = infer_pattern(f.pattern, field_type(*record, *index, owner), reason);
      }
      for (core::Pattern*& e : elements)
        if (!e) e = make_pattern(core::PatternKind::Wildcard, pattern->span);
      core::Pattern* p = make_pattern(core::PatternKind::Record, pattern->span);
      p->record = record->record;
      p->elements = arena_.copy(elements);
      return p;
    }
  }
  return make_pattern(core::PatternKind::Wildcard, pattern->span);
}

}  // namespace sigrel::check
