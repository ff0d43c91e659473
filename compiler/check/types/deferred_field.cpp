// Fields: a field determines the record where the type of the base does not.
#include "compiler/check/types/deferred.h"

namespace sigrel::check {

Typed DeferredConstraints::select(Typed base, const ast::Ident& field, Span span, const ast::Expr* base_ast) {
  core::FieldExpr empty{{core::ExprKind::Field, span}, base.expr, 0, field.name};
  auto* node = core_.make<core::FieldExpr>(empty);
  Span base_span =
      base_ast ? base_ast->span
               : Span{span.file, span.begin, field.span.begin > span.begin ? field.span.begin - 1 : span.end};
  Type* result = nullptr;
  const std::size_t errors = diagnostics_.error_count();
  if (resolve_field(node, base.type, field, result, base_span, false)) {
    const bool reported = diagnostics_.error_count() != errors;
    if (reported && base_ast && !is_record(find(base.type)))
      messages_.suppress_further_errors(base_ast, base.type);
    return {node, result};
  }
  result = unifier_.fresh(kPending);
  find(base.type)->needs |= kPending;
  fields_.push_back({node, base.type, field, result, base_span, false});
  return {node, result};
}

void DeferredConstraints::move_field(const core::Expr* from, core::FieldExpr* to) {
  for (auto& f : fields_)
    if (f.node == from) f.node = to;
}

/// Gives `base`, a variable, the only record in scope that has the field. False while that is not possible;
/// `failed` after a report.
bool DeferredConstraints::record_of_field(const ast::Ident& field, Type*& base, Span base_span, bool last,
                                          bool& failed) {
  // A type that is still to come from an instance decides before the field's name does.
  if ((base->needs & kPending) && !last) return false;
  bool ambiguous = false;
  TypeConstructor* record = scopes_.unique_record_with(field.name, ambiguous);
  if (ambiguous && !last) return false;
  if (!record) {
    failed = true;
    std::string n(text(field.name));
    if (scopes_.module().incomplete || scopes_.lacks_type() || diagnostics_.error_count() != errors_before_) {
      // The type may be unknown because of the error.
    } else if (ambiguous) {
      auto candidates = scopes_.records_with(field.name);
      std::string records;
      for (TypeConstructor* r : candidates)
        records += (records.empty() ? "`" : ", `") + std::string(text(r->name)) + "`";
      diagnostics_
          .report(Code::AmbiguousField, base_span,
                  "the type of this is not known here, and several records have a field `" + n + "`")
          .note("they are " + records)
          .help("give a type, for example `local x :: " + std::string(text(candidates.front()->name)) + "`");
    } else {
      if (auto* d = scopes_.report_once(Code::UnknownField, field.span, "no record has a field `" + n + "`"))
        scopes_.suggest_field(*d, field);
    }
    return true;
  }
  std::vector<Type*> args;
  for (std::size_t i = 0; i < record->parameters.size(); ++i) args.push_back(unifier_.fresh());
  Type* type = types_.apply(record, args);
  if (!unifier_.agree(base, type)) {
    messages_.mismatch_at(base_span, base, type, {}, {}, {});
    failed = true;
  }
  base = find(base);
  return true;
}

/// False if the record is not known yet. `result` is set, or unified when it is given.
bool DeferredConstraints::resolve_field(core::FieldExpr* node, Type* base, const ast::Ident& field,
                                        Type*& result, Span base_span, bool last) {
  auto give = [&](Type* type) {
    if (!result)
      result = type;
    else if (!unifier_.agree(result, type))
      messages_.mismatch_at(node->span, type, result, {},
                            "`" + std::string(text(field.name)) + "` has this type", {});
    return true;
  };
  base = find(base);
  if (base->kind == TypeKind::Error) return give(types_.error());
  if (base->kind == TypeKind::Variable) {
    bool failed = false;
    if (!record_of_field(field, base, base_span, last, failed)) return false;
    if (failed) return give(types_.error());
  }
  // Without the signature that has a syntax error, a parameter may seem to be of any type, and without a
  // record its fields may.
  if (base->kind == TypeKind::Skolem && (scopes_.module().incomplete || scopes_.lacks_type()))
    return give(types_.error());
  if (!is_record(base)) {
    auto& d = diagnostics_.report(
        Code::UnknownField, field.span,
        "`." + std::string(text(field.name)) + "` needs a record, and this is " + messages_.describe(base));
    d.also(base_span, "this is " + messages_.describe(base));
    if (base->kind == TypeKind::Relation)
      d.help("a variable of a relation is read from a labelled instance: `r1: … <> (…)`, then `r1." +
             std::string(text(field.name)) + "`");
    return give(types_.error());
  }
  auto index = field_index(*base->constructor, field.name);
  if (!index) {
    messages_.unknown_field(field, base);
    return give(types_.error());
  }
  node->index = *index;
  return give(units_.field_type(*base->constructor, *index, base));
}

bool DeferredConstraints::solve_fields(bool last) {
  bool progress = false;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].done) continue;
    Field f = fields_[i];
    if (!resolve_field(f.node, f.base, f.field, f.result, f.base_span, last)) continue;
    fields_[i].done = progress = true;
    if (last) break;
  }
  return progress;
}

}  // namespace sigrel::check
