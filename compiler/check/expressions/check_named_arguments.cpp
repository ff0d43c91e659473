// Named arguments: `f { b = 1.0 } 2.0`. Each gives the parameter of its name, parameters with default values
// that are not named take these, and the arguments that follow give the others, in order.
#include <algorithm>

#include "compiler/check/expressions/expression_checker.h"

namespace sigrel::check {
/// What is not a function of named parameters was meant as a record, or as another function.
void ExpressionChecker::report_no_names(const ast::ApplyExpr* e, Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Error) return;
  const Span name = e->function->span;
  const std::string shown = "`" + head_text(e->function) + "`";
  if (is_record(type)) {
    diagnostics_.report(Code::SyntaxError, e->span, "a record update needs `with`")
        .label("only the name of a function or a constructor may precede `{` directly")
        .fix("write `with`", {name.file, name.end, name.end}, " with");
    return;
  }
  const bool function = type->kind == TypeKind::Function;
  auto& d =
      diagnostics_.report(function ? Code::UnknownArgument : Code::AppliedNonFunction, name,
                          function ? "the parameters of " + shown + " have no names"
                                   : shown + " is not a function: its type is " + messages_.describe(type));
  if (function)
    d.help("pass its arguments by place, or name its parameters in its type: `(k :: Real) -> …`");
  else if (type->kind == TypeKind::Variable)
    d.help("state its type, or write `with` to update a record");
  messages_.suppress_further_errors(e->function, type);
}

/// `other`: what was told of an argument before for which nothing similar is known either. Braces that are
/// meant for another function are one mistake.
void ExpressionChecker::report_unknown_parameter(const ast::Ident& name, const ast::Expr* function,
                                                 Type* type, Diagnostic*& other) {
  const std::string n(text(name.name));
  std::vector<std::string> names;
  for (type = find(type); type->kind == TypeKind::Function; type = find(type->args[1]))
    if (type->parameter != Name{}) names.emplace_back(text(type->parameter));
  // `hi` for `high`
  const auto longer =
      std::ranges::find_if(names, [&](const std::string& known) { return known.starts_with(n); });
  std::optional<std::string_view> near;
  if (longer != names.end())
    near = *longer;
  else
    near = did_you_mean(n, std::vector<std::string_view>(names.begin(), names.end()));
  if (!near && other) {
    other->also(name.span, "nor this");
    return;
  }
  auto& d = diagnostics_.report(Code::UnknownArgument, name.span,
                                "`" + head_text(function) + "` has no parameter `" + n + "`");
  if (!near) other = &d;
  if (near)
    d.fix("did you mean `" + std::string(*near) + "`?", name.span, std::string(*near));
  else
    d.help(names.size() == 1 ? "its parameter is " + listed(names) : "its parameters are " + listed(names));
}

/// `function` applied to the values of `parameters` and to `args` for those without one. Parameters that are
/// still left make a function, outside of which the given values are computed.
core::Expr* ExpressionChecker::apply_parameters(core::Expr* function, std::span<Argument> parameters,
                                                std::span<core::Expr* const> args, Span span) {
  std::size_t given = 0;
  for (Argument& p : parameters)
    if (!p.value && given < args.size()) p.value = args[given++];
  std::vector<core::Binding> bindings;
  std::vector<core::LocalId> missing;
  const bool partial = std::ranges::any_of(parameters, [](const Argument& p) { return !p.value; });
  std::vector<core::Expr*> all;
  for (Argument& p : parameters) {
    const Name name = p.function->parameter != Name{} ? p.function->parameter : intern("argument");
    if (partial) {
      const core::LocalId local = core_.new_local(name);
      if (p.value)
        bindings.push_back({local, name, p.value});
      else
        missing.push_back(local);
      p.value = core_.local(local, span);
    }
    all.push_back(p.value);
  }
  all.insert(all.end(), args.begin() + static_cast<std::ptrdiff_t>(given), args.end());
  core::Expr* result = core_.apply(function, all, span);
  if (!missing.empty()) result = core_.lambda(missing, result, span);
  if (!bindings.empty())
    result = core_.make(core::LetExpr{{core::ExprKind::Let, span}, core_.copy(bindings), result});
  return result;
}

Typed ExpressionChecker::infer_named(const ast::ApplyExpr* e) {
  const Typed function = infer(e->function);
  std::vector<Argument> parameters;
  Type* result = find(function.type);
  for (; result->kind == TypeKind::Function; result = find(result->args[1]))
    parameters.push_back({result, nullptr, {}});
  const auto is_named = [](const Argument& p) { return p.function->parameter != Name{}; };
  if (std::ranges::none_of(parameters, is_named)) {
    report_no_names(e, function.type);
    for (auto& s : e->named) infer(s.value);
    for (auto* arg : e->args) infer(arg);
    return {core_.placeholder(e->span), types_.error()};
  }
  const std::size_t errors = diagnostics_.error_count();
  Reason reason = argument_reason(e->function);
  Diagnostic* unknown = nullptr;
  for (auto& s : e->named) {
    const auto p = std::ranges::find(parameters, s.name.name,
                                     [](const Argument& parameter) { return parameter.function->parameter; });
    if (p == parameters.end()) {
      report_unknown_parameter(s.name, e->function, function.type, unknown);
      infer(s.value);
    } else if (p->value) {
      scopes_.duplicate(s.name, p->span, "the argument");
    } else {
      reason.parameter = s.name.name;
      p->span = s.name.span;
      p->value = check_expr(s.value, p->function->args[0], reason);
      if (p->function->args.size() == 3)  // the argument is the size
        unifier_.unify_sizes(p->function->args[2], sizes_.form(p->value));
    }
  }
  const bool misnamed = diagnostics_.error_count() != errors;
  for (Argument& p : parameters) {
    if (p.value || !p.function->default_value) continue;
    const Typed value = use_global(*p.function->default_value, e->span);
    unifier_.unify(value.type, p.function->args[0]);
    if (p.function->args.size() == 3) unifier_.unify_sizes(p.function->args[2], sizes_.form(value.expr));
    p.value = value.expr;
  }
  Type* rest = result;  // a function of the parameters that have no value
  for (auto p = parameters.rbegin(); p != parameters.rend(); ++p)
    if (!p->value) rest = types_.with_result(p->function, rest);
  std::vector<core::Expr*> args;
  if (!e->args.empty() && rest == result && result->kind != TypeKind::Variable && !is_error(result)) {
    std::vector<std::string> defaults;
    for (const Argument& p : parameters)
      if (p.function->default_value && p.span.begin == p.span.end)
        defaults.emplace_back(text(p.function->parameter));
    const std::string name = head_text(e->function);
    auto& d = diagnostics_.report(Code::WrongArgumentCount, join(e->args.front()->span, e->args.back()->span),
                                  "all parameters of `" + name + "` have values already");
    d.label(e->args.size() == 1 ? "one too many" : std::to_string(e->args.size()) + " too many");
    if (!defaults.empty())
      d.help("behind braces, another value than the default one is given by name: " + listed(defaults));
    return {core_.placeholder(e->span), types_.error()};
  }
  Type* type = apply_arguments(rest, e->function, e->args, args);
  return {apply_parameters(function.expr, parameters, args, e->span), misnamed ? types_.error() : type};
}

}  // namespace sigrel::check
