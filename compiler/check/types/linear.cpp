#include "compiler/check/types/linear.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/check/types/types.h"

namespace sigrel::check {

Ratio Ratio::of(std::int64_t num, std::int64_t den) {
  if (den < 0) num = -num, den = -den;
  std::int64_t g = std::gcd(num, den);
  if (g > 1) num /= g, den /= g;
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();  // no size or exponent is as large
  return {static_cast<std::int32_t>(std::clamp(num, -kMax, kMax)),
          static_cast<std::int32_t>(std::min(den, kMax))};
}

bool zero(const Dimension& d) {
  return std::ranges::all_of(d, [](Ratio r) { return r.zero(); });
}

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
