#include "compiler/check/samples/samples.h"

#include <algorithm>
#include <utility>

namespace sigrel::check {
namespace {

constexpr std::int32_t kMaxSize = 100;  // elements of a vector in a sample

}  // namespace

void Samples::add(const std::vector<core::GlobalId>& definitions) {
  layouts_.begin_definition();
  std::vector<core::GlobalId> work(definitions.rbegin(), definitions.rend());
  while (!work.empty()) {
    core::GlobalId id = work.back();
    std::size_t before = work.size();
    const GlobalState& state = globals_[id];
    if (!sampled_.contains(id) && state.scheme) {
      std::vector<Type*> types{state.scheme};
      while (!types.empty()) {
        Type* type = find(types.back());
        types.pop_back();
        if (type->kind == TypeKind::Function) types.insert(types.end(), {type->args[0], type->args[1]});
        if (type->kind != TypeKind::Relation || !type->contract) continue;
        const core::Contract& contract = program_.contracts[type->contract->value];
        if (contract.form == core::Contract::Like && !sampled_.contains(contract.like) &&
            std::ranges::find(work, contract.like) == work.end())
          work.push_back(contract.like);
      }
    }
    if (work.size() != before) continue;
    work.pop_back();
    if (sampled_.insert(id).second && program_.globals[id.value].body && state.layout_variables.empty() &&
        !state.default_value)
      add(id);
  }
}

// Any value of a type: numbers, relations, records, tuples and vectors of them, and functions that return one
// of these. Null for a type whose values may steer the structure otherwise.
core::Expr* Samples::value(Type* type, Span span) {
  type = find(type);
  if (is_constructor(type, types_.real_constructor))
    return core_.primitive(core::Primitive::AnyReal, {}, span);
  if (type->kind == TypeKind::Relation) return hole(type, span);
  if (type->kind == TypeKind::Function) return function(type, span);
  if (type->kind == TypeKind::Vector) return vector(type, span);
  std::vector<core::Expr*> parts;
  auto add = [&](Type* part) {
    parts.push_back(value(part, span));
    return parts.back() != nullptr;
  };
  if (type->kind == TypeKind::Tuple) {
    for (Type* element : type->args)
      if (!add(element)) return nullptr;
    return core_.tuple(parts, span);
  }
  if (!is_record(type) || type->constructor == &types_.experiment_constructor) return nullptr;
  const TypeConstructor& record = *type->constructor;
  for (std::uint32_t i = 0; i < record.fields.size(); ++i)
    if (!add(unifier_.field_type(record, i, type))) return nullptr;
  return core_.make(core::RecordExpr{{core::ExprKind::Record, span}, record.record, core_.copy(parts)});
}

core::Expr* Samples::vector(Type* type, Span span) {
  Linear size;
  size.add(type->args[1], {1, 1});
  for (auto& [atom, value] : sizes_) {
    auto term = std::ranges::find(size.terms, atom, [](auto& t) { return find(t.atom); });
    if (term == size.terms.end()) continue;
    size.constant[0] = size.constant[0] + term->weight * Ratio::of(value);
    size.terms.erase(term);
  }
  const Ratio count = size.constant[0];
  if (size.unknown || !size.terms.empty() || !count.integral() || count.num < 0 || count.num > kMaxSize)
    return nullptr;
  std::vector<core::Expr*> elements;
  for (std::int32_t i = 0; i < count.num; ++i) {
    elements.push_back(value(type->args[0], span));
    if (!elements.back()) return nullptr;
  }
  return core_.make(core::VectorExpr{{core::ExprKind::Vector, span}, core_.copy(elements)});
}

// An unknown function: a hole for all arguments, or a number that may depend on all of them.
core::Expr* Samples::function(Type* type, Span span) {
  std::vector<core::LocalId> parameters;
  std::vector<core::Expr*> terms;
  bool numbers = true;
  for (; type->kind == TypeKind::Function; type = find(type->args[1])) {
    parameters.push_back(new_local(intern("argument")));
    numbers &= is_constructor(type->args[0], types_.real_constructor);
    // Not linear: terms of an unknown function do not cancel.
    terms.push_back(core_.primitive(core::Primitive::Exp, {core_.local(parameters.back(), span)}, span));
  }
  core::Expr* result = nullptr;
  if (type->kind == TypeKind::Relation) {
    bool outer = std::exchange(inside_function_, true);
    result = hole(type, span);
    inside_function_ = outer;
  } else if (numbers && is_constructor(type, types_.real_constructor)) {
    result = core_.primitive(core::Primitive::AnyReal, {}, span);
    for (core::Expr* term : terms) result = core_.primitive(core::Primitive::Mul, {result, term}, span);
  }
  if (!result) return nullptr;
  return core_.lambda(parameters, result, span);
}

// A relation with a known interface and unknown equations.
core::Expr* Samples::hole(Type* type, Span span) {
  Type* interface = find(type->args[0]);
  bool tuple = interface->kind == TypeKind::Tuple && type->interface.size() != 1;
  if (!has_fixed_layout(interface)) return nullptr;
  core::Relation relation{};
  relation.name = parameter_;
  relation.span = parameter_span_;
  std::vector<core::Formal> formals;
  for (std::size_t i = 0; i < (tuple ? interface->args.size() : 1); ++i) {
    const InterfaceName* written = i < type->interface.size() ? &type->interface[i] : nullptr;
    Name name = written && written->named ? written->name : intern(std::to_string(i + 1));
    formals.push_back({new_local(name), name, parameter_span_,
                       written ? written->causality : core::Causality::None,
                       layouts_.layout(tuple ? interface->args[i] : interface)});
  }
  relation.formals = core_.copy(formals);
  relation.hole = core_.make(core::Hole{parameter_, parameter_span_, inside_function_, hole_contract(type)});
  auto* literal = core_.make<core::Relation>(relation);
  return core_.make(core::SigrelExpr{{core::ExprKind::Sigrel, span}, literal});
}

// The contract of a parameter in a signature: a written one, or that of a block, which determines its
// outputs.
std::optional<core::ContractId> Samples::hole_contract(Type* type) {
  if (!has_signature_) return std::nullopt;
  if (type->contract) return type->contract;
  Type* interface = find(type->args[0]);
  bool tuple = interface->kind == TypeKind::Tuple && type->interface.size() != 1;
  core::Contract contract;
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < type->interface.size(); ++i) {
    auto count = contracts_.scalar_count(tuple ? interface->args[i] : interface);
    if (!count || type->interface[i].causality == core::Causality::None) return std::nullopt;
    if (type->interface[i].causality == core::Causality::Out)
      for (std::uint32_t k = 0; k < *count; ++k) contract.rows.push_back({first + k});
    first += *count;
  }
  if (type->interface.empty()) return std::nullopt;
  contract.form = core::Contract::Rows;
  contract.span = parameter_span_;
  program_.contracts.push_back(std::move(contract));
  return core::ContractId(program_.contracts.size() - 1);
}

// Whether the layout of a signal of this type is the same everywhere.
bool Samples::has_fixed_layout(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Tuple) {
    for (Type* arg : type->args)
      if (!has_fixed_layout(arg)) return false;
    return true;
  }
  if (type->kind == TypeKind::Vector) {
    Linear size;
    size.add(type->args[1], {1, 1});
    return !size.unknown && size.terms.empty() && size.constant[0].num <= kMaxSize &&
           has_fixed_layout(type->args[0]);
  }
  if (type->kind != TypeKind::Constructor) return false;
  if (type->constructor->kind == NominalKind::Record)
    for (std::uint32_t i = 0; i < type->constructor->fields.size(); ++i)
      if (!has_fixed_layout(unifier_.field_type(*type->constructor, i, type))) return false;
  return true;
}

core::LocalId Samples::new_local(Name name) {
  local_names_.push_back(name);
  return core::LocalId(local_names_.size() - 1);
}

}  // namespace sigrel::check
