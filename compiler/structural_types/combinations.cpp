#include "compiler/structural_types/combinations.h"

#include <algorithm>
#include <set>

namespace sigrel::structural_types {
namespace {

constexpr std::size_t kMostChoices = 64;

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
  for (std::uint32_t r = 0; r < type.rows(); ++r) rows.emplace_back(type.row(r).begin(), type.row(r).end());
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

std::vector<std::uint32_t> refused_modes(const components::Component& component,
                                         const std::vector<bool>& singular) {
  std::set<std::uint32_t> possible;  // choices
  std::vector<std::uint32_t> result;
  for (const auto& c : component.combinations)
    if (!c.component || !singular[*c.component]) possible.insert(c.choices.begin(), c.choices.end());
  for (const auto& c : component.combinations) {
    if (std::ranges::all_of(c.choices, [&](std::uint32_t choice) { return possible.contains(choice); }))
      continue;
    result.push_back(*c.component);
    possible.insert(c.choices.begin(), c.choices.end());
  }
  return result;
}

void Alternatives::add(const StructuralType& type) {
  if (std::ranges::find(types_, type) == types_.end()) types_.push_back(type);
}

void Alternatives::add(const Alternatives& more) {
  for (const StructuralType& type : more.types_) add(type);
  approximate = approximate || more.approximate;
}

std::optional<Alternatives> alternatives_of(const Definition& definition,
                                            std::span<const Alternatives* const> parts) {
  std::vector<std::span<const StructuralType>> choices;
  std::size_t combinations = 1;
  for (const Alternatives* part : parts) {
    choices.push_back(part->types());
    combinations = std::min(kMostChoices + 1, combinations * choices.back().size());
  }
  Alternatives result;
  result.approximate = std::ranges::any_of(parts, &Alternatives::approximate);
  std::vector<StructuralType> joins;
  joins.reserve(parts.size());
  if (combinations > kMostChoices) {
    combinations = 1;
    result.approximate = true;
    for (auto& types : choices) {
      if (types.size() == 1) continue;
      const std::optional<StructuralType> all = join(types);
      if (!all) return std::nullopt;
      types = {&joins.emplace_back(*all), 1};
    }
  }
  for (std::size_t k = 0; k < combinations; ++k) {
    std::size_t rest = k;
    std::vector<const StructuralType*> chosen;
    for (const auto& types : choices) {
      chosen.push_back(&types[rest % types.size()]);
      rest /= types.size();
    }
    if (const Typing typing =
            type_of(definition, [&](std::uint32_t part) -> const StructuralType& { return *chosen[part]; });
        typing.type)
      result.add(*typing.type);
  }
  return result;
}

}  // namespace sigrel::structural_types
