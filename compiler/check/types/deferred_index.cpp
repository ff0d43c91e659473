// Elements and slices of vectors and lists.
#include "compiler/check/types/deferred.h"

namespace sigrel::check {

/// Null if `base` cannot be indexed, or is not known (`unknown`). At the end of the group no definition is
/// current, and the size of a slice is left to the elaborator.
Type* DeferredConstraints::index_type(Type* base, std::span<const core::IndexPart> parts, bool at_end,
                                      bool& unknown) {
  if (parts.empty()) return base;
  base = find(base);
  if (base->kind == TypeKind::Error) return base;
  bool list = is_constructor(base, types_.list_constructor);
  if (base->kind != TypeKind::Vector && !list) {
    unknown = base->kind == TypeKind::Variable;
    return nullptr;
  }
  Type* inner = index_type(base->args[0], parts.subspan(1), at_end, unknown);
  if (!inner || !parts[0].last) return inner;
  if (list) return types_.list(inner);
  if (at_end) return types_.vector(inner, unifier_.fresh(Sort::Size));
  Linear size;  // of x[first .. last]
  size.add(sizes_.form(parts[0].last), {1, 1});
  size.add(sizes_.form(parts[0].first), {-1, 1});
  size.constant[0] = size.constant[0] + Ratio{1, 1};
  return types_.vector(inner, types_.form(size, Sort::Size));
}

Type* DeferredConstraints::not_indexable(Type* base, Span span) {
  diagnostics_
      .report(Code::NotIndexable, span,
              "this has no elements to take: its type is " + messages_.describe(base))
      .help("vectors and lists are indexed, from 1");
  return types_.error();
}

Type* DeferredConstraints::indexed(Type* base, std::span<const core::IndexPart> parts, Span span) {
  bool unknown = false;
  if (Type* type = index_type(base, parts, false, unknown)) return type;
  if (!unknown) return not_indexable(base, span);
  Type* result = unifier_.fresh(kPending);
  find(base)->needs |= kPending;
  indices_.push_back({base, result, parts, span});
  return result;
}

bool DeferredConstraints::solve_indices(bool last) {
  bool progress = false;
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    if (indices_[i].done) continue;
    Index index = indices_[i];
    if (last && is_variable(index.base))  // by default, only vectors are indexed
      unifier_.unify(index.base, types_.vector(unifier_.fresh(), unifier_.fresh(Sort::Size)));
    bool unknown = false;
    Type* type = index_type(index.base, index.parts, true, unknown);
    if (!type && unknown) continue;
    indices_[i].done = progress = true;
    if (!type) type = not_indexable(index.base, index.span);
    if (!unifier_.agree(index.result, type))
      messages_.mismatch_at(index.span, type, index.result, {}, "it is an element of this", {});
    if (last) break;
  }
  return progress;
}

}  // namespace sigrel::check
