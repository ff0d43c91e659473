// Records: construction, update, fields.
#include <algorithm>

#include "compiler/check/checker.h"

namespace sigrel::check {

std::optional<std::uint32_t> field_index(const TypeConstructor& record, Name name) {
  for (std::size_t i = 0; i < record.fields.size(); ++i)
    if (record.fields[i].name == name) return static_cast<std::uint32_t>(i);
  return std::nullopt;
}

namespace {

bool is_record(Type* type) {
  return type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Record;
}

}  // namespace

Type* Checker::field_type(const TypeConstructor& record, std::uint32_t index, Type* instance) {
  if (&record != &types_.experiment_constructor) note_units(record.fields[index].type);
  return substitute(record.fields[index].type, record.parameters, find(instance)->args);
}

void Checker::unknown_field(const ast::Ident& field, Type* type) {
  type = find(type);
  std::string n(text(field.name));
  bool experiment = type->constructor == &types_.experiment_constructor;
  std::string record(text(type->constructor->name));
  auto& d = diagnostics_.report(
      Code::UnknownField, field.span,
      experiment ? "an experiment has no setting `" + n + "`" : "`" + record + "` has no field `" + n + "`");
  std::vector<std::string_view> candidates;
  std::string all;
  for (auto& f : type->constructor->fields) {
    if (experiment && text(f.name) == "model") continue;
    candidates.push_back(text(f.name));
    all += (all.empty() ? "`" : ", `") + std::string(text(f.name)) + "`";
  }
  if (auto near = did_you_mean(n, candidates))
    d.fix("did you mean `" + std::string(*near) + "`?", field.span, std::string(*near));
  else
    d.help((experiment ? "the settings are " : "its fields are ") + all);
}

Typed Checker::infer_record(const ast::RecordExpr* e) {
  auto* entry = lookup_constructor(e->constructor);
  TypeConstructor* record = entry && entry->meaning.kind == Value::Record ? entry->meaning.record : nullptr;
  if (!record) {
    if (entry)
      diagnostics_.report(Code::RecordConstruction, e->constructor.ident.span,
                          "`" + std::string(text(e->constructor.ident.name)) + "` is not a record");
    for (auto& s : e->settings) infer(s.value);
    return {primitive(core::Primitive::Time, {}, e->span), types_.error()};
  }
  std::vector<Type*> args;
  for (std::size_t i = 0; i < record->parameters.size(); ++i) args.push_back(fresh());
  Type* type = types_.apply(record, args);
  std::vector<core::Expr*> fields(record->fields.size(), nullptr);
  std::vector<Span> spans(fields.size());
  for (auto& s : e->settings) {
    auto index = field_index(*record, s.name.name);
    if (!index) {
      unknown_field(s.name, type);
      infer(s.value);
      continue;
    }
    if (fields[*index]) {
      duplicate(s.name, spans[*index], "the field");
      continue;
    }
    spans[*index] = s.name.span;
    fields[*index] =
        check_expr(s.value, field_type(*record, *index, type),
                   {ReasonKind::FieldValue, record->fields[*index].span, s.name.name, 0, nullptr, true});
  }
  std::string missing;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i]) continue;
    if (record->fields[i].default_value) {
      Typed value = use_global(*record->fields[i].default_value, e->span);
      unify(value.type, field_type(*record, static_cast<std::uint32_t>(i), type));
      fields[i] = value.expr;
    } else {
      missing += (missing.empty() ? "`" : ", `") + std::string(text(record->fields[i].name)) + "`";
      fields[i] = primitive(core::Primitive::Time, {}, e->span);
    }
  }
  if (!missing.empty())
    diagnostics_.report(Code::RecordConstruction, e->span,
                        "`" + std::string(text(record->name)) + "` needs a value for " + missing);
  core::RecordExpr node{{core::ExprKind::Record, e->span}, record->record, arena_.copy(fields)};
  return {arena_.make<core::RecordExpr>(node), type};
}

Typed Checker::infer_with(const ast::WithExpr* e) {
  Typed base = infer(e->base);
  Type* type = find(base.type);
  if (type->kind == TypeKind::Variable) {
    for (auto& s : e->settings) {
      bool ambiguous = false;
      if (TypeConstructor* record = unique_record_with(s.name.name, ambiguous)) {
        std::vector<Type*> args;
        for (std::size_t i = 0; i < record->parameters.size(); ++i) args.push_back(fresh());
        unify(type, types_.apply(record, args));
        type = find(type);
        break;
      }
    }
  }
  if (!is_record(type)) {
    if (type->kind != TypeKind::Error) {
      auto& d = diagnostics_.report(Code::UnknownField, e->base->span,
                                    "`with` updates records, and this is " + describe(type));
      if (type->kind == TypeKind::Relation)
        d.help("settings of a run go to an experiment: `simulate (…) with { … }`");
    }
    for (auto& s : e->settings) infer(s.value);
    return {base.expr, types_.error()};
  }
  const TypeConstructor& record = *type->constructor;
  std::vector<core::FieldUpdate> updates;
  std::vector<std::pair<Name, Span>> seen;
  for (auto& s : e->settings) {
    auto index = field_index(record, s.name.name);
    if (!index) {
      unknown_field(s.name, type);
      infer(s.value);
      continue;
    }
    if (auto at = std::ranges::find(seen, s.name.name, &std::pair<Name, Span>::first); at != seen.end())
      duplicate(s.name, at->second, "the field");
    seen.emplace_back(s.name.name, s.name.span);
    Reason reason{ReasonKind::FieldValue,
                  record.fields[*index].span,
                  s.name.name,
                  0,
                  nullptr,
                  &record != &types_.experiment_constructor};
    updates.push_back({*index, check_expr(s.value, field_type(record, *index, type), reason)});
  }
  core::UpdateExpr node{{core::ExprKind::Update, e->span}, base.expr, arena_.copy(updates)};
  return {arena_.make<core::UpdateExpr>(node), type};
}

// Only records whose name is in scope count.
TypeConstructor* Checker::unique_record_with(Name field, bool& ambiguous) {
  ambiguous = false;
  auto at = records_by_field_.find(field);
  if (at == records_by_field_.end()) return nullptr;
  TypeConstructor* found = nullptr;
  for (TypeConstructor* record : at->second) {
    auto* entry = scope_->type(record->name);
    bool visible = entry && entry->meaning.constructor == record;
    if (!visible && at->second.size() > 1) continue;
    if (found) {
      ambiguous = true;
      return nullptr;
    }
    found = record;
  }
  return found;
}

Typed Checker::infer_field(const ast::FieldExpr* e) {
  Typed base = infer(e->base);
  return select(base, e->field, e->span, e->base);
}

Typed Checker::select(Typed base, const ast::Ident& field, Span span, const ast::Expr* base_ast) {
  core::FieldExpr empty{{core::ExprKind::Field, span}, base.expr, 0, field.name};
  auto* node = arena_.make<core::FieldExpr>(empty);
  Span base_span =
      base_ast ? base_ast->span
               : Span{span.file, span.begin, field.span.begin > span.begin ? field.span.begin - 1 : span.end};
  Type* result = nullptr;
  if (resolve_field(node, base.type, field, result, base_span, false)) return {node, result};
  result = fresh(kPending);
  find(base.type)->needs |= kPending;
  fields_.push_back({node, base.type, field, result, base_span, current_});
  return {node, result};
}

// False if the record is not known yet. `result` is set, or unified when it is given.
bool Checker::resolve_field(core::FieldExpr* node, Type* base, const ast::Ident& field, Type*& result,
                            Span base_span, bool last) {
  auto give = [&](Type* type) {
    if (!result) {
      result = type;
    } else if (!agree(result, type)) {
      mismatch_at(node->span, type, result, {}, "`" + std::string(text(field.name)) + "` is so", {});
    }
    return true;
  };
  base = find(base);
  if (base->kind == TypeKind::Error) return give(types_.error());
  if (base->kind == TypeKind::Variable) {
    bool ambiguous = false;
    // A type that is still to come from an instance decides before the field's name does.
    if ((base->needs & kPending) && !last) return false;
    TypeConstructor* record = unique_record_with(field.name, ambiguous);
    if (!record) {
      if (ambiguous && !last) return false;
      std::string n(text(field.name));
      if (!ambiguous && scope_->incomplete) return give(types_.error());
      if (!ambiguous) {
        auto& d = diagnostics_.report(Code::UnknownField, field.span, "no record has a field `" + n + "`");
        std::vector<Name> names;
        for (auto& [name, records] : records_by_field_) names.push_back(name);
        suggest(d, field.name, field.span, names);
      } else {
        std::string records;
        for (TypeConstructor* r : records_by_field_.at(field.name))
          records += (records.empty() ? "`" : ", `") + std::string(text(r->name)) + "`";
        diagnostics_
            .report(Code::AmbiguousField, base_span,
                    "the type of this is not known here, and several records have a field `" + n + "`")
            .note("they are " + records)
            .help("give a type, for example `local x :: " +
                  std::string(text(records_by_field_.at(field.name).front()->name)) + "`");
      }
      return give(types_.error());
    }
    std::vector<Type*> args;
    for (std::size_t i = 0; i < record->parameters.size(); ++i) args.push_back(fresh());
    Type* type = types_.apply(record, args);
    if (!agree(base, type)) {
      mismatch_at(base_span, base, type, {}, {}, {});
      return give(types_.error());
    }
    base = find(base);
  }
  // Without the signature that has a syntax error, a parameter may seem to be of any type.
  if (base->kind == TypeKind::Skolem && scope_->incomplete) return give(types_.error());
  if (!is_record(base)) {
    auto& d = diagnostics_.report(
        Code::UnknownField, field.span,
        "`." + std::string(text(field.name)) + "` needs a record, and this is " + describe(base));
    d.also(base_span, "this is " + describe(base));
    if (base->kind == TypeKind::Relation)
      d.help("a variable of a relation is read from a labelled instance: `r1: … <> (…)`, then `r1." +
             std::string(text(field.name)) + "`");
    return give(types_.error());
  }
  auto index = field_index(*base->constructor, field.name);
  if (!index) {
    unknown_field(field, base);
    return give(types_.error());
  }
  node->index = *index;
  return give(field_type(*base->constructor, *index, base));
}

}  // namespace sigrel::check
