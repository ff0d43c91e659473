// Foreign functions: C functions of doubles, with their partial derivatives.
#include "compiler/check/checker.h"

namespace sigrel::check {

void Checker::declare_foreign(const ast::ForeignDecl& foreign) {
  std::optional<core::GlobalId> derivative = declare_derivative(foreign);
  core::GlobalId id = declare_value(foreign.name);
  GlobalState& state = globals_[id];
  TypeScope types;
  types.mode = TypeScope::Signature;
  state.scheme = reader_.convert(foreign.type, types);
  const std::size_t errors = diagnostics_.error_count();
  const std::uint32_t arity = foreign_arity(foreign, state.scheme);
  if (diagnostics_.error_count() != errors) state.scheme = types_.error();  // its uses are not to blame
  state.polymorphic = find(state.scheme)->generic;
  state.has_units = has_units(state.scheme);
  state.checked = state.assumed = true;
  program_.globals[id.value].type = messages_.print(state.scheme);
  program_.globals[id.value].foreign = core::Foreign{intern(foreign.symbol), arity, derivative};
}

/// The number of arguments; a type other than that of a C function of doubles is reported.
std::uint32_t Checker::foreign_arity(const ast::ForeignDecl& foreign, Type* type) {
  std::uint32_t arity = 0;
  bool reals = true;
  for (type = find(type); type->kind == TypeKind::Function; type = find(type->args[1]), ++arity)
    reals &= is_constructor(type->args[0], types_.real_constructor);
  if (is_error(type)) return 1;
  if (reals && is_constructor(type, types_.real_constructor) && arity >= 1 && arity <= 3) return arity;
  diagnostics_
      .report(
          Code::ForeignType, foreign.type->span,
          "`" + std::string(text(foreign.name.name)) + "` has a type that a foreign C function cannot have")
      .label(arity > 3 ? "this has " + std::to_string(arity) + " arguments"
                       : "this is not a function from Reals to a Real")
      .help("one, two or three arguments are Real, and so is the result: `Real -> Real -> Real`");
  return 1;
}

/// The type of each partial derivative of a function of Reals: its arguments, and its unit over that of one
/// of them.
std::vector<Type*> Checker::partial_types(Type* function) {
  std::vector<Type*> arguments, partials;
  Type* result = function;
  for (; result->kind == TypeKind::Function; result = find(result->args[1]))
    arguments.push_back(result->args[0]);
  auto is_real = [&](Type* t) { return is_constructor(t, types_.real_constructor); };
  for (Type* argument : arguments) {
    if (!is_real(argument) || !is_real(result)) return {types_.error()};
    Linear unit;
    unit.add(find(result)->args[0], {1, 1});
    unit.add(find(argument)->args[0], {-1, 1});
    Type* partial = types_.real(types_.form(unit, Sort::Unit));
    for (auto it = arguments.rbegin(); it != arguments.rend(); ++it) partial = types_.function(*it, partial);
    partials.push_back(partial);
  }
  return partials.empty() ? std::vector<Type*>{types_.error()} : partials;
}

/// `with { derivative = … }` as a definition without a name.
std::optional<core::GlobalId> Checker::declare_derivative(const ast::ForeignDecl& foreign) {
  std::optional<core::GlobalId> result;
  for (const ast::Setting& s : foreign.settings) {
    if (text(s.name.name) != "derivative") {
      diagnostics_
          .report(Code::UnknownField, s.name.span,
                  "a foreign function has no setting `" + std::string(text(s.name.name)) + "`")
          .help("the only setting is `derivative`");
      continue;
    }
    core::GlobalId id = new_global(intern(std::string(text(foreign.name.name)) + ".derivative"), s.name.span);
    TypeScope types;
    types.mode = TypeScope::Signature;
    Type* type = reader_.convert(foreign.type, types);
    std::vector<Type*> partials = partial_types(find(type));
    GlobalState& state = globals_[id];
    state.default_value = s.value;
    state.scheme = partials.size() == 1 ? partials[0] : types_.tuple(partials);
    state.polymorphic = find(state.scheme)->generic;
    state.has_units = has_units(state.scheme);
    state.assumed = true;
    result = id;
  }
  return result;
}

}  // namespace sigrel::check
