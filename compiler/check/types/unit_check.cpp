#include "compiler/check/types/unit_check.h"

#include <algorithm>

#include "compiler/check/types/type_messages.h"

namespace sigrel::check {
namespace {

bool within(Span inner, Span outer) {
  return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

}  // namespace

Type* UnitCheck::field_type(const TypeConstructor& record, std::uint32_t index, Type* instance) {
  if (&record != &types_.experiment_constructor) note(record.fields[index].type);
  return unifier_.field_type(record, index, instance);
}

std::string UnitCheck::derivation(Span span) const {
  std::vector<const Quantity*> parts;
  for (const Quantity& quantity : quantities_) {
    if (!within(quantity.expr->span, span) || quantity.expr->span == span || quantity.plain_number) continue;
    // A quantity that contains an earlier one (`f x`, `p.v`) stands for it.
    std::erase_if(parts, [&](const Quantity* p) { return within(p->expr->span, quantity.expr->span); });
    parts.push_back(&quantity);
  }
  std::ranges::sort(parts, {}, [](const Quantity* p) { return p->expr->span.begin; });
  constexpr std::size_t kMost = 4, kLongest = 40;
  std::string result;
  TypePrinter printer(types_);
  std::vector<std::string> seen;
  for (const Quantity* quantity : parts) {
    std::string source = quantity_text(*quantity->expr);
    if (source.empty() || source.size() > kLongest || std::ranges::find(seen, source) != seen.end() ||
        seen.size() == kMost)
      continue;
    seen.push_back(source);
    Type bare = *find(quantity->type);
    bare.named = false;
    result += (result.empty() ? "`" : ", `") + source + "` is " + printer.print(&bare);
  }
  return result;
}

std::string UnitCheck::text_at(Span span) const {
  std::string result = "x";
  for (const Quantity& quantity : quantities_)
    if (quantity.expr->span == span)
      if (std::string source = quantity_text(*quantity.expr); !source.empty()) result = std::move(source);
  return result;
}

const UnitCheck::Quantity* UnitCheck::plain_literal(Span span) const {
  const Quantity* found = nullptr;
  for (const Quantity& literal : quantities_) {
    if (!literal.plain_number || !within(literal.expr->span, span)) continue;
    bool in_call = std::ranges::any_of(quantities_, [&](const Quantity& call) {
      return call.expr->kind == ast::ExprKind::Apply && within(literal.expr->span, call.expr->span) &&
             within(call.expr->span, span);
    });
    if (!in_call && (!found || found->divides || !literal.divides)) found = &literal;
  }
  return found;
}

void UnitCheck::end_group() {
  if (stated_)
    for (Diagnostic& error : errors_) {
      Span span = error.primary->span;
      diagnostics_.report(error.code, span, {}) = std::move(error);
    }
  forgotten_ = !stated_ && !errors_.empty();
  errors_.clear();
  quantities_.clear();
}

void UnitCheck::forget_units(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Variable && type->sort == Sort::Unit && type->level != kGeneric)
    type->link = types_.error();
  for (Type* arg : type->args) forget_units(arg);
}

}  // namespace sigrel::check
