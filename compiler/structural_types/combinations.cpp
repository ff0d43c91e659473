#include "compiler/structural_types/combinations.h"

#include <algorithm>
#include <set>

namespace sigrel::structural_types {
namespace {

std::size_t shared(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::size_t result = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    result += a[i] == b[j];
    if (a[i] <= b[j])
      ++i;
    else
      ++j;
  }
  return result;
}

/// With `hidden` hidden columns, the additional ones in rows of their own.
std::vector<std::vector<std::uint32_t>> padded_rows(const StructuralType& type, std::uint32_t hidden) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::uint32_t r = 0; r < type.rows(); ++r)
    rows.emplace_back(type.row(r).begin(), type.row(r).end());
  for (std::uint32_t h = type.hidden(); h < hidden; ++h) rows.push_back({type.interface() + h});
  return rows;
}

/// Rows of one type united with those of the other: each matching of either is one of the union. The pairs
/// that share most come first.
StructuralType united(const StructuralType& a, const StructuralType& b) {
  const std::uint32_t hidden = std::max(a.hidden(), b.hidden());
  std::vector<std::vector<std::uint32_t>> rows = padded_rows(a, hidden), others = padded_rows(b, hidden);
  for (std::vector<std::uint32_t>& row : rows) {
    const auto best = std::ranges::max_element(others, {}, [&](auto& other) { return shared(row, other); });
    std::vector<std::uint32_t> both;
    std::ranges::set_union(row, *best, std::back_inserter(both));
    row = std::move(both);
    others.erase(best);
  }
  Incidence incidence;
  incidence.interface = a.interface();
  incidence.hidden = hidden;
  incidence.rows.columns = a.interface() + hidden;
  for (const std::vector<std::uint32_t>& row : rows) {
    incidence.rows.targets.insert(incidence.rows.targets.end(), row.begin(), row.end());
    incidence.rows.end_row();
  }
  return reduce(incidence);
}

}  // namespace

std::optional<StructuralType> join(std::span<const StructuralType> types) {
  if (types.empty()) return std::nullopt;
  StructuralType result = types[0];
  for (const StructuralType& type : types.subspan(1)) {
    if (type.rank() != result.rank() || type.interface() != result.interface()) return std::nullopt;
    if (type != result) result = united(result, type);
  }
  return result;
}

JudgedCombinations judge_combinations(const components::Component& component,
                                      std::span<const std::optional<StructuralType>> types,
                                      const std::vector<bool>& singular) {
  JudgedCombinations result;
  std::set<std::uint32_t> possible;  // choices
  std::vector<StructuralType> known;
  bool all_known = true;
  auto is_singular = [&](const components::Component::Combination& c) {
    return c.component && singular[*c.component];
  };
  for (const auto& c : component.combinations) {
    if (is_singular(c)) continue;
    possible.insert(c.choices.begin(), c.choices.end());
    result.completable = true;
    all_known = all_known && c.component && types[*c.component];
    if (all_known) known.push_back(*types[*c.component]);
  }
  for (const auto& c : component.combinations) {
    if (!is_singular(c)) continue;
    if (std::ranges::all_of(c.choices, [&](std::uint32_t choice) { return possible.contains(choice); }))
      continue;
    result.refused.push_back(*c.component);
    possible.insert(c.choices.begin(), c.choices.end());
  }
  if (!all_known || !result.refused.empty()) return result;
  result.type = join(known);
  result.exact = std::ranges::all_of(known, [&](const StructuralType& t) { return t == known[0]; });
  return result;
}

}  // namespace sigrel::structural_types
