// Definitions applied to values of which nothing is known: what structural typing elaborates to see a
// relation by itself.
#include <algorithm>

#include "compiler/check/checker.h"

namespace sigrel::check {
namespace {

constexpr std::int32_t kMaxSample = 100;  // elements of a vector

}  // namespace

// Whether the layout of a signal of this type is the same everywhere.
bool Checker::has_fixed_layout(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Tuple) {
    for (Type* arg : type->args)
      if (!has_fixed_layout(arg)) return false;
    return true;
  }
  if (type->kind == TypeKind::Vector) {
    Linear size;
    size.add(type->args[1], {1, 1});
    return !size.unknown && size.terms.empty() && size.constant[0].num <= kMaxSample &&
           has_fixed_layout(type->args[0]);
  }
  if (type->kind != TypeKind::Constructor) return false;
  if (type->constructor->kind == NominalKind::Record)
    for (std::size_t i = 0; i < type->constructor->fields.size(); ++i)
      if (!has_fixed_layout(field_type(*type->constructor, static_cast<std::uint32_t>(i), type)))
        return false;
  return true;
}

core::LocalId Checker::sample_local(Name name) {
  sampling_.local_names.push_back(name);
  return core::LocalId(sampling_.local_names.size() - 1);
}

// What a signature says of a parameter: a contract, or that it is a block, which determines its outputs.
std::optional<core::ContractId> Checker::hole_contract(Type* type) {
  if (!sampling_.has_signature) return std::nullopt;
  if (type->contract) return type->contract;
  Type* interface = find(type->args[0]);
  bool tuple = interface->kind == TypeKind::Tuple && type->interface.size() != 1;
  core::Contract contract;
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < type->interface.size(); ++i) {
    auto count = scalar_count(tuple ? interface->args[i] : interface);
    if (!count || type->interface[i].causality == core::Causality::None) return std::nullopt;
    if (type->interface[i].causality == core::Causality::Out)
      for (std::uint32_t k = 0; k < *count; ++k) contract.rows.push_back({first + k});
    first += *count;
  }
  if (type->interface.empty()) return std::nullopt;
  contract.form = core::Contract::Rows;
  contract.span = sampling_.parameter_span;
  program_.contracts.push_back(std::move(contract));
  return core::ContractId(program_.contracts.size() - 1);
}

// A relation of which only the interface is known.
core::Expr* Checker::hole(Type* type, Span span) {
  Type* interface = find(type->args[0]);
  bool tuple = interface->kind == TypeKind::Tuple && type->interface.size() != 1;
  if (!has_fixed_layout(interface)) return nullptr;
  core::Relation relation{};
  relation.name = sampling_.parameter;
  relation.span = sampling_.parameter_span;
  std::vector<core::Formal> formals;
  for (std::size_t i = 0; i < (tuple ? interface->args.size() : 1); ++i) {
    const InterfaceName* written = i < type->interface.size() ? &type->interface[i] : nullptr;
    Name name = written && written->named ? written->name : intern(std::to_string(i + 1));
    formals.push_back({sample_local(name), name, sampling_.parameter_span,
                       written ? written->causality : core::Causality::None,
                       layout(tuple ? interface->args[i] : interface)});
  }
  relation.formals = arena_.copy(formals);
  relation.hole = arena_.make<core::Hole>(core::Hole{sampling_.parameter, sampling_.parameter_span,
                                                     sampling_.inside_function, hole_contract(type)});
  auto* literal = arena_.make<core::Relation>(relation);
  return arena_.make<core::SigrelExpr>(core::SigrelExpr{{core::ExprKind::Sigrel, span}, literal});
}

// A function of which nothing is known: a hole whatever its arguments are, or a number that may depend on all
// of them.
core::Expr* Checker::sample_function(Type* type, Span span) {
  std::vector<core::LocalId> parameters;
  std::vector<core::Expr*> terms;
  bool numbers = true;
  for (; type->kind == TypeKind::Function; type = find(type->args[1])) {
    parameters.push_back(sample_local(intern("argument")));
    numbers &= is_constructor(type->args[0], types_.real_constructor);
    auto* use =
        arena_.make<core::LocalExpr>(core::LocalExpr{{core::ExprKind::Local, span}, parameters.back()});
    terms.push_back(
        primitive(core::Primitive::Exp, {use}, span));  // not linear: an unknown function does not cancel
  }
  core::Expr* result = nullptr;
  if (type->kind == TypeKind::Relation) {
    bool outer = std::exchange(sampling_.inside_function, true);
    result = hole(type, span);
    sampling_.inside_function = outer;
  } else if (numbers && is_constructor(type, types_.real_constructor)) {
    result = primitive(core::Primitive::AnyReal, {}, span);
    for (core::Expr* term : terms) result = primitive(core::Primitive::Mul, {result, term}, span);
  }
  if (!result) return nullptr;
  return arena_.make<core::LambdaExpr>(
      core::LambdaExpr{{core::ExprKind::Lambda, span}, arena_.copy(parameters), result});
}

// Any value of a type: of numbers, records, tuples and vectors of them, relations, and functions that give
// one of these. Null for what can steer structure otherwise.
core::Expr* Checker::sample(Type* type, Span span) {
  type = find(type);
  std::vector<core::Expr*> parts;
  auto all = [&](std::size_t count, auto part_type) {
    for (std::size_t i = 0; i < count; ++i) {
      parts.push_back(sample(part_type(i), span));
      if (!parts.back()) return false;
    }
    return true;
  };
  if (is_constructor(type, types_.real_constructor)) return primitive(core::Primitive::AnyReal, {}, span);
  if (type->kind == TypeKind::Relation) return hole(type, span);
  if (type->kind == TypeKind::Function) return sample_function(type, span);
  if (type->kind == TypeKind::Tuple) {
    if (!all(type->args.size(), [&](std::size_t i) { return type->args[i]; })) return nullptr;
    return arena_.make<core::TupleExpr>(core::TupleExpr{{core::ExprKind::Tuple, span}, arena_.copy(parts)});
  }
  if (type->kind == TypeKind::Vector) {
    Linear size;
    size.add(type->args[1], {1, 1});
    for (auto& [atom, value] : sample_sizes_) {
      auto term = std::ranges::find(size.terms, atom, [](auto& t) { return find(t.atom); });
      if (term == size.terms.end()) continue;
      size.constant[0] = size.constant[0] + term->weight * Ratio::of(value);
      size.terms.erase(term);
    }
    if (size.unknown || !size.terms.empty() || size.constant[0].num < 0 || !size.constant[0].integral() ||
        size.constant[0].num > kMaxSample)
      return nullptr;
    if (!all(static_cast<std::size_t>(size.constant[0].num), [&](std::size_t) { return type->args[0]; }))
      return nullptr;
    return arena_.make<core::VectorExpr>(
        core::VectorExpr{{core::ExprKind::Vector, span}, arena_.copy(parts)});
  }
  if (type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Record &&
      type->constructor != &types_.experiment_constructor) {
    const TypeConstructor& record = *type->constructor;
    if (!all(record.fields.size(),
             [&](std::size_t i) { return field_type(record, static_cast<std::uint32_t>(i), type); }))
      return nullptr;
    return arena_.make<core::RecordExpr>(
        core::RecordExpr{{core::ExprKind::Record, span}, record.record, arena_.copy(parts)});
  }
  return nullptr;
}

// The definitions that are named in contracts of a type come before it.
void Checker::add_samples(const std::vector<core::GlobalId>& definitions) {
  layout_locals_.clear();
  std::vector<core::GlobalId> work(definitions.rbegin(), definitions.rend());
  while (!work.empty()) {
    core::GlobalId id = work.back();
    std::size_t before = work.size();
    const GlobalState& state = globals_[id.value];
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
      add_samples(id);
  }
}

}  // namespace sigrel::check
