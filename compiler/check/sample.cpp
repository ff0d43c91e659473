// Definitions applied to some numbers: what structural typing elaborates to see a relation by itself.
#include "compiler/check/checker.h"

namespace sigrel::check {

// Any value of a type that says nothing about structure: numbers, records, tuples and vectors of them. Null for others.
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
  if (type->kind == TypeKind::Tuple) {
    if (!all(type->args.size(), [&](std::size_t i) { return type->args[i]; })) return nullptr;
    return arena_.make<core::TupleExpr>(core::TupleExpr{{core::ExprKind::Tuple, span}, arena_.copy(parts)});
  }
  if (type->kind == TypeKind::Vector) {
    Linear size;
    size.add(type->args[1], {1, 1});
    constexpr std::int32_t kMaxSample = 100;
    if (size.unknown || !size.terms.empty() || size.constant[0].num > kMaxSample) return nullptr;
    if (!all(static_cast<std::size_t>(size.constant[0].num), [&](std::size_t) { return type->args[0]; })) return nullptr;
    return arena_.make<core::VectorExpr>(core::VectorExpr{{core::ExprKind::Vector, span}, arena_.copy(parts)});
  }
  if (type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Record && type->constructor != &types_.experiment_constructor) {
    const TypeConstructor& record = *type->constructor;
    if (!all(record.fields.size(), [&](std::size_t i) { return field_type(record, static_cast<std::uint32_t>(i), type); })) return nullptr;
    return arena_.make<core::RecordExpr>(core::RecordExpr{{core::ExprKind::Record, span}, record.record, arena_.copy(parts)});
  }
  return nullptr;
}

void Checker::add_samples(const std::vector<core::GlobalId>& definitions) {
  for (core::GlobalId id : definitions) {
    const GlobalState& state = globals_[id.value];
    if (!program_.globals[id.value].body || !state.layout_variables.empty() || state.default_value) continue;
    Span span = program_.globals[id.value].span;
    std::vector<core::Expr*> args;
    Type* type = find(state.scheme);
    bool known = true;
    for (; type->kind == TypeKind::Function && known; type = find(type->args[1])) {
      args.push_back(sample(type->args[0], span));
      known = args.back() != nullptr;
    }
    if (!known || type->kind != TypeKind::Relation) continue;
    auto* use = arena_.make<core::GlobalExpr>(core::GlobalExpr{{core::ExprKind::Global, span}, id, {}});
    program_.samples.push_back({id, make_apply(use, std::move(args), span)});
  }
}

}  // namespace sigrel::check
