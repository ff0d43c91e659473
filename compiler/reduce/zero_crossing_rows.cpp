#include "compiler/reduce/zero_crossing_rows.h"

#include <algorithm>

namespace sigrel::reduce {

std::uint64_t ZeroCrossingRows::hash(const Row& row) {
  std::uint64_t h = mixed(mixed(row.argument.value, row.strict), row.kind);
  for (const std::uint32_t v : row.variables) h = mixed(h, v);
  for (const std::uint32_t p : row.parameters) h = mixed(h, p);
  return h;
}

ZeroCrossingRows::Row ZeroCrossingRows::row(std::uint32_t number) const {
  const Place& place = places_[number];
  const dae::ZeroCrossing& crossing = dae_.zero_crossings[place.zero_crossing];
  const EquationTable& table = crossing.differences;
  return {table.residual, crossing.strict, crossing.kind, table.unknowns_of(place.row),
          table.parameters_of(place.row)};
}

bool ZeroCrossingRows::same(const Row& a, std::uint32_t number) const {
  const Row b = row(number);
  return a.argument == b.argument && a.strict == b.strict && a.kind == b.kind &&
         std::ranges::equal(a.variables, b.variables) && std::ranges::equal(a.parameters, b.parameters);
}

std::uint32_t ZeroCrossingRows::find(const Row& row) const {
  return index_.find(hash(row), [&](std::uint32_t number) { return same(row, number); });
}

std::uint32_t ZeroCrossingRows::find_or_append(const Row& added, Origin origin) {
  const auto next = static_cast<std::uint32_t>(places_.size());
  const std::uint32_t number = index_.find_or_add(
      hash(added), next, [&](std::uint32_t k) { return same(added, k); },
      [&](std::uint32_t k) { return hash(row(k)); });
  if (number != next) return number;
  EquationTable& table = dae_.zero_crossings.back().differences;
  places_.push_back(
      {static_cast<std::uint32_t>(dae_.zero_crossings.size()) - 1, static_cast<std::uint32_t>(table.rows())});
  table.unknowns.insert(table.unknowns.end(), added.variables.begin(), added.variables.end());
  table.parameters.insert(table.parameters.end(), added.parameters.begin(), added.parameters.end());
  table.origins.push_back(origin);
  return number;
}

ZeroCrossingRows::Held ZeroCrossingRows::held(std::uint32_t number) const {
  const Place& place = places_[number];
  const dae::ZeroCrossing& crossing = dae_.zero_crossings[place.zero_crossing];
  return {crossing.first + place.row, static_cast<std::uint32_t>(crossing.differences.rows())};
}

}  // namespace sigrel::reduce
