#include "compiler/check/types/layout.h"

namespace sigrel::check {

core::Layout* Layouts::make(core::LayoutKind kind) {
  core::Layout layout{};
  layout.kind = kind;
  return core_.make(layout);
}

const core::Layout* Layouts::layout(Type* type) {
  type = find(type);
  switch (type->kind) {
    case TypeKind::Variable:
    case TypeKind::Skolem: return variable_layout(type);
    case TypeKind::Constructor: return constructor_layout(type);
    case TypeKind::Tuple: {
      core::Layout* tuple = make(core::LayoutKind::Tuple);
      std::vector<const core::Layout*> elements;
      for (Type* arg : type->args) elements.push_back(layout(arg));
      tuple->elements = core_.copy(elements);
      return tuple;
    }
    case TypeKind::Vector: {
      core::Layout* vector = make(core::LayoutKind::Vector);
      vector->elements = core_.copy(std::vector<const core::Layout*>{layout(type->args[0])});
      if (core::Expr* size = sizes_.value(type->args[1]))
        vector->sizes = core_.copy(std::vector<core::Expr*>{size});
      return vector;
    }
    case TypeKind::Function:
    case TypeKind::Relation:
    case TypeKind::Form:
    case TypeKind::Error: break;
  }
  return make(core::LayoutKind::Unknown);
}

const core::Layout* Layouts::variable_layout(Type* type) {
  for (auto& [variable, local] : parameters_)
    if (find(variable) == type) {
      core::Layout* parameter = make(core::LayoutKind::Variable);
      parameter->variable = local;
      return parameter;
    }
  if (type->kind == TypeKind::Variable && (type->needs & (kNumber | kLiteral | kReal | kOrder))) {
    unifier_.default_variable(type);
    return layout(type);
  }
  return make(core::LayoutKind::Unknown);
}

const core::Layout* Layouts::constructor_layout(Type* type) {
  const TypeConstructor* c = type->constructor;
  const bool real = c == &types_.real_constructor;
  if (real)
    if (std::string unit = stated_unit(type->args[0]); !unit.empty()) {
      core::Layout* quantity = make(core::LayoutKind::Real);
      quantity->unit = intern(unit);
      return quantity;
    }
  const bool cached = type->args.empty() || real;
  if (cached)
    if (auto at = cache_.find(c); at != cache_.end()) return at->second;
  core::Layout* result;
  if (real) {
    result = make(core::LayoutKind::Real);
  } else if (c == &types_.integer_constructor) {
    result = make(core::LayoutKind::Int);
  } else if (c == &types_.boolean_constructor) {
    result = make(core::LayoutKind::Bool);
  } else if (c->is_enumeration()) {
    core::Layout* enumeration = make(core::LayoutKind::Int);
    std::string names;
    for (const Constructor* constructor : c->constructors)
      names += (names.empty() ? "" : " | ") + std::string(text(constructor->name));
    enumeration->unit = intern(names);
    result = enumeration;
  } else if (c->kind == NominalKind::Record && c != &types_.experiment_constructor) {
    result = make(core::LayoutKind::Record);
    result->record = c->record;
    std::vector<const core::Layout*> fields;
    for (std::uint32_t i = 0; i < c->fields.size(); ++i)
      fields.push_back(layout(unifier_.field_type(*c, i, type)));
    result->elements = core_.copy(fields);
  } else {
    result = make(core::LayoutKind::Unknown);
  }
  if (cached) cache_.emplace(c, result);
  return result;
}

/// The layout of a Real, or of a vector of them, whose unit is `K|degC`: K, which results show in degC, as
/// Dymola writes it.
const core::Layout* Layouts::shown_in(const core::Layout* layout, Type* type, const Display& display) {
  core::Layout copy = *layout;
  if (layout->kind == core::LayoutKind::Vector) {
    const core::Layout* element = shown_in(layout->elements[0], find(type)->args[0], display);
    copy.elements = core_.copy(std::vector<const core::Layout*>{element});
    return core_.make(copy);
  }
  std::string unknown;
  const auto scale = read_unit(display.unit, &unknown);
  const std::string_view own = text(layout->unit);
  const auto own_scale = read_unit(own);
  if (!scale) {
    Diagnostic& d = diagnostics_.report(Code::DisplayUnit, display.span,
                                        "`" + (unknown.empty() ? display.unit : unknown) + "` is not a unit");
    std::string near = similar_unit(unknown);
    if (near.empty())
      if (auto name = did_you_mean(unknown, unit_names())) near = *name;
    if (!near.empty() && unknown == display.unit)
      d.fix("did you mean `" + near + "`?", display.span, "\"" + near + "\"");
    else
      d.help("units are the SI units and common ones with prefixes, for example `km/h`, `bar`, `degC`");
  } else if (layout->kind != core::LayoutKind::Real || own.empty()) {
    diagnostics_
        .report(Code::DisplayUnit, display.span,
                layout->kind == core::LayoutKind::Real
                    ? "the variable has no unit that could be shown in another one"
                    : "only a Real can be shown in a unit")
        .help("the type states the unit, for example `local p :: Pressure with { display = \"bar\" }`");
  } else if (!own_scale || own_scale->dimension != scale->dimension) {
    const std::string quantity = quantity_name(scale->dimension);
    Diagnostic& d = diagnostics_.report(
        Code::DisplayUnit, display.span,
        "the variable is a Real<" + std::string(own) + ">, which cannot be shown in `" + display.unit + "`");
    if (!quantity.empty()) d.note("`" + display.unit + "` is the unit of " + quantity);
  } else {
    copy.unit = intern(std::string(own) + "|" + display.unit);
    return core_.make(copy);
  }
  return layout;
}

void Layouts::enter(core::GlobalId owner) {
  if (core_.current() == owner && !parameters_.empty()) return;
  core_.enter(owner);
  parameters_ = parameters_of_[owner];
}

void Layouts::finish() {
  for (auto& request : requests_) {
    enter(request.owner);
    *request.place = layout(request.type);
    if (request.display) *request.place = shown_in(*request.place, request.type, *request.display);
  }
  for (auto& use : uses_) {
    enter(use.owner);
    std::vector<const core::Layout*> list;
    for (Type* t : use.instances) list.push_back(layout(t));
    use.node->layouts = core_.copy(list);
  }
  discard();
}

void Layouts::discard() {
  requests_.clear();
  uses_.clear();
  parameters_of_.clear();
}

core::Binding Layouts::abstract(core::Binding binding, std::span<Type* const> rigid) {
  if (rigid.empty()) return binding;
  std::vector<core::LocalId> parameters;
  for (Type* type : rigid) {
    parameters.push_back(core_.new_local(intern("layout")));
    add_parameter(type, parameters.back());
  }
  binding.value = core_.lambda(parameters, binding.value, binding.value->span);
  return binding;
}

core::ApplyExpr* Layouts::apply(core::ApplyExpr* place, core::Expr* function, std::span<Type* const> types,
                                Span span) {
  std::vector<core::Expr*> args;
  for (Type* type : types) {
    auto* layout = core_.make(core::LayoutExpr{{core::ExprKind::Layout, span}, nullptr});
    request(&layout->layout, type);
    args.push_back(layout);
  }
  *place = {{core::ExprKind::Apply, span}, function, core_.copy(args)};
  return place;
}

}  // namespace sigrel::check
