#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

Typed ExpressionChecker::infer_constructor(const ast::ConstructorExpr* e) {
  if (const Constructor* mode = relations_.known_mode(e->name))
    return {apply_known(Value::of(*mode), {}, e->span), constructor_type(*mode)};
  if (relations_.report_unknown_mode(e->name)) return {core_.placeholder(e->span), types_.error()};
  auto* entry = scopes_.lookup_constructor(e->name);
  if (!entry) return {core_.placeholder(e->span), types_.error()};
  if (entry->meaning.kind == Value::Record) {
    std::string n(text(e->name.ident.name));
    std::string fields;
    for (auto& f : entry->meaning.record->fields)
      fields += (fields.empty() ? "" : ", ") + std::string(text(f.name)) + " = …";
    diagnostics_.report(Code::RecordConstruction, e->span, "the record `" + n + "` needs its fields")
        .help("write `" + n + " { " + fields + " }`");
    return {core_.placeholder(e->span), types_.error()};
  }
  return {apply_known(entry->meaning, {}, e->span), constructor_type(*entry->meaning.constructor)};
}

Type* ExpressionChecker::constructor_type(const Constructor& constructor) {
  for (Type* arg : constructor.args) units_.note(arg);
  if (constructor.owner == &types_.boolean_constructor) return types_.boolean();
  if (constructor.damaged) return types_.error();
  std::vector<Type*> args;
  for (std::size_t i = 0; i < constructor.owner->parameters.size(); ++i) args.push_back(unifier_.fresh());
  Type* type = types_.apply(constructor.owner, args);
  for (auto it = constructor.args.rbegin(); it != constructor.args.rend(); ++it)
    type = types_.function(unifier_.substitute(*it, constructor.owner->parameters, args), type);
  return type;
}

}  // namespace sigrel::check
