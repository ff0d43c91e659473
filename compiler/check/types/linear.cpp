#include "compiler/check/types/linear.h"

#include <algorithm>

#include "compiler/check/types/types.h"

namespace sigrel::check {

void Linear::add_term(Type* atom, Ratio weight) {
  auto at = std::ranges::find(terms, atom, &Term::atom);
  if (at == terms.end()) {
    terms.push_back({atom, weight});
    return;
  }
  at->weight = at->weight + weight;
  if (at->weight.zero()) terms.erase(at);
}

void Linear::add(Type* form, Ratio weight) {
  std::vector<std::pair<Type*, Ratio>> work{{form, weight}};
  while (!work.empty()) {
    auto [type, w] = work.back();
    work.pop_back();
    type = find(type);
    if (type->kind == TypeKind::Error) {
      unknown = true;
      continue;
    }
    if (type->kind != TypeKind::Form) {
      add_term(type, w);
      continue;
    }
    for (std::size_t i = 0; i < constant.size(); ++i) constant[i] = constant[i] + type->form->constant[i] * w;
    for (std::size_t i = type->args.size(); i-- > 0;)
      work.emplace_back(type->args[i], type->form->weights[i] * w);
  }
}

void Linear::add(const Linear& other, Ratio weight) {
  unknown |= other.unknown;
  for (std::size_t i = 0; i < constant.size(); ++i) constant[i] = constant[i] + other.constant[i] * weight;
  for (auto& term : other.terms) add_term(term.atom, term.weight * weight);
}

}  // namespace sigrel::check
