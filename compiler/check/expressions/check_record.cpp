// Records: construction, update, fields.
#include <algorithm>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

Type* ExpressionChecker::fresh_record(TypeConstructor& record) {
  std::vector<Type*> args;
  for (std::size_t i = 0; i < record.parameters.size(); ++i) args.push_back(unifier_.fresh());
  return types_.apply(&record, args);
}

Typed ExpressionChecker::infer_record(const ast::RecordExpr* e) {
  auto* entry = scopes_.lookup_constructor(e->constructor);
  TypeConstructor* record = entry && entry->meaning.kind == Value::Record ? entry->meaning.record : nullptr;
  if (!record) {
    if (entry)
      diagnostics_.report(Code::RecordConstruction, e->constructor.ident.span,
                          "`" + std::string(text(e->constructor.ident.name)) + "` is not a record");
    for (auto& s : e->settings) infer(s.value);
    return {core_.placeholder(e->span), types_.error()};
  }
  Type* type = fresh_record(*record);
  std::vector<core::Expr*> fields(record->fields.size(), nullptr);
  std::vector<Span> spans(fields.size());
  for (auto& s : e->settings) {
    auto index = field_index(*record, s.name.name);
    if (!index) {
      messages_.unknown_field(s.name, type);
      infer(s.value);
      continue;
    }
    if (fields[*index]) {
      scopes_.duplicate(s.name, spans[*index], "the field");
      continue;
    }
    spans[*index] = s.name.span;
    fields[*index] =
        check_expr(s.value, units_.field_type(*record, *index, type),
                   {ReasonKind::FieldValue, record->fields[*index].span, s.name.name, 0, nullptr, true});
  }
  std::string missing;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i]) continue;
    if (record->fields[i].default_value) {
      Typed value = use_global(*record->fields[i].default_value, e->span);
      unifier_.unify(value.type, units_.field_type(*record, static_cast<std::uint32_t>(i), type));
      fields[i] = value.expr;
    } else {
      missing += (missing.empty() ? "`" : ", `") + std::string(text(record->fields[i].name)) + "`";
      fields[i] = core_.placeholder(e->span);
    }
  }
  if (!missing.empty())
    diagnostics_.report(Code::RecordConstruction, e->span,
                        "`" + std::string(text(record->name)) + "` needs a value for " + missing);
  core::RecordExpr node{{core::ExprKind::Record, e->span}, record->record, core_.copy(fields)};
  return {core_.make<core::RecordExpr>(node), type};
}

Typed ExpressionChecker::infer_with(const ast::WithExpr* e) {
  Typed base = infer(e->base);
  Type* type = find(base.type);
  if (type->kind == TypeKind::Variable) {
    for (auto& s : e->settings) {
      bool ambiguous = false;
      if (TypeConstructor* record = scopes_.unique_record_with(s.name.name, ambiguous)) {
        unifier_.unify(type, fresh_record(*record));
        type = find(type);
        break;
      }
    }
  }
  if (type->kind == TypeKind::Relation) return {changed_relation(e, base.expr), type};
  if (!is_record(type)) {
    if (type->kind != TypeKind::Error)
      diagnostics_.report(
          Code::UnknownField, e->base->span,
          "`with` updates records and parameters of relations, and this is " + messages_.describe(type));
    for (auto& s : e->settings) infer(s.value);
    return {base.expr, types_.error()};
  }
  const TypeConstructor& record = *type->constructor;
  std::vector<core::FieldUpdate> updates;
  std::vector<std::pair<Name, Span>> seen;
  for (auto& s : e->settings) {
    auto index = field_index(record, s.name.name);
    if (!index) {
      messages_.unknown_field(s.name, type);
      infer(s.value);
      continue;
    }
    if (auto at = std::ranges::find(seen, s.name.name, &std::pair<Name, Span>::first); at != seen.end())
      scopes_.duplicate(s.name, at->second, "the field");
    seen.emplace_back(s.name.name, s.name.span);
    Reason reason{ReasonKind::FieldValue,
                  record.fields[*index].span,
                  s.name.name,
                  0,
                  nullptr,
                  &record != &types_.experiment_constructor};
    const bool is_plot = &record == &types_.experiment_constructor &&
                         *index == static_cast<std::uint32_t>(core::ExperimentField::Plot);
    updates.push_back({*index, is_plot
                                   ? check_panes(s.value, reason)
                                   : check_expr(s.value, units_.field_type(record, *index, type), reason)});
  }
  core::UpdateExpr node{{core::ExprKind::Update, e->span}, base.expr, core_.copy(updates)};
  return {core_.make<core::UpdateExpr>(node), type};
}

/// The panes of a plot: lists of names, or the names of a single one.
core::Expr* ExpressionChecker::check_panes(const ast::Expr* e, const Reason& reason) {
  Type* names = types_.list(types_.string());
  const Typed given = infer(e);
  auto is_list = [&](Type* type) { return is_constructor(find(type), types_.list_constructor); };
  const bool several = is_list(given.type) && is_list(find(given.type)->args.front());
  Type* expected = several ? types_.list(names) : names;
  if (!unifier_.agree(expected, given.type)) messages_.mismatch(e, given.type, expected, reason);
  if (several) return given.expr;
  return core_.construct(types_.cons, {given.expr, core_.construct(types_.nil, {}, e->span)}, e->span);
}

/// `plant with { motor.r = 0.3 }`. Which parameters the parts of a relation have is known when it is
/// elaborated; the type of one is known here as far as labels lead to definitions.
core::Expr* ExpressionChecker::changed_relation(const ast::WithExpr* e, core::Expr* base) {
  Scopes::StaticRegion before_simulation(scopes_);
  std::vector<core::FieldUpdate> updates;
  std::vector<std::pair<Name, Span>> seen;
  for (auto& s : e->settings) {
    if (auto at = std::ranges::find(seen, s.name.name, &std::pair<Name, Span>::first); at != seen.end())
      scopes_.duplicate(s.name, at->second, "the parameter");
    seen.emplace_back(s.name.name, s.name.span);
    Type* type = relations_.parameter_type(e->base, text(s.name.name));
    if (!type && field_index(types_.experiment_constructor, s.name.name)) {
      diagnostics_
          .report(Code::UnknownField, s.name.span,
                  "a relation has no setting `" + std::string(text(s.name.name)) + "` of a run")
          .help("settings of a run go to an experiment: `simulate (…) with { … }`");
      infer(s.value);
      continue;
    }
    if (!type) type = types_.real();
    updates.push_back({0, check_expr(s.value, type, {ReasonKind::None}), s.name.name, s.name.span});
  }
  return core_.make(core::UpdateExpr{{core::ExprKind::Update, e->span}, base, core_.copy(updates)});
}

Typed ExpressionChecker::infer_field(const ast::FieldExpr* e) {
  Typed base = infer(e->base);
  return deferred_.select(base, e->field, e->span, e->base);
}

}  // namespace sigrel::check
