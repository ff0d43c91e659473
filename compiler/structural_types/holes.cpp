#include "compiler/structural_types/holes.h"

#include <algorithm>
#include <numeric>

namespace sigrel::structural_types {
namespace {

constexpr std::size_t kMaxCombinations = 1000;  // of the sizes of all holes but one
constexpr std::size_t kSmallComposition = 64;   // entries of the rows

bool all_at_least(const Sizes& a, const Sizes& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] < b[i]) return false;
  return true;
}

}  // namespace

// Row i: column i, and the columns from `rank` on.
StructuralType uniform(std::uint32_t rank, std::uint32_t interface) {
  Incidence incidence;
  incidence.interface = incidence.rows.columns = interface;
  for (std::uint32_t r = 0; r < rank; ++r) {
    incidence.rows.targets.push_back(r);
    for (std::uint32_t c = rank; c < interface; ++c) incidence.rows.targets.push_back(c);
    incidence.rows.end_row();
  }
  return reduce(incidence);
}

Holes::Holes(const components::Library& library, const std::vector<std::optional<StructuralType>>& types)
    : library_(library),
      types_(types),
      outcomes_(library.components.size()),
      parts_(library.components.size()),
      uses_(library.components.size()),
      fits_(library.components.size()) {}

std::optional<StructuralType> Holes::promised(core::ContractId id, std::uint32_t interface) const {
  const core::Contract& contract = library_.contracts[id.value];
  switch (contract.form) {
    case core::Contract::Unknown: return std::nullopt;
    case core::Contract::Count:
      return contract.count <= interface ? std::optional(uniform(contract.count, interface)) : std::nullopt;
    case core::Contract::Like: {
      auto at = std::ranges::find(library_.definitions, contract.like, [](auto& d) { return d.first; });
      if (at == library_.definitions.end() || !at->second) return std::nullopt;
      const components::Component& like = library_.components[*at->second];
      return like.holes.empty() && like.interface == interface ? types_[*at->second] : std::nullopt;
    }
    case core::Contract::Rows: break;
  }
  Incidence incidence;
  incidence.interface = incidence.rows.columns = interface;
  for (auto& row : contract.rows) {
    for (std::uint32_t c : row) {
      if (c >= interface) return std::nullopt;
      incidence.rows.targets.push_back(c);
    }
    incidence.rows.end_row();
  }
  return reduce(incidence);
}

std::optional<StructuralType> Holes::promised(const components::Component& hole) const {
  auto contract = library_.holes[*hole.hole].parameter.contract;
  return contract ? promised(*contract, hole.interface) : std::nullopt;
}

Sizes Holes::restricted(std::uint32_t from, const Sizes& sizes, std::uint32_t to) const {
  auto& holes = library_.components[from].holes;
  Sizes result;
  for (std::uint32_t h : library_.components[to].holes)
    result.push_back(sizes[static_cast<std::size_t>(std::ranges::lower_bound(holes, h) - holes.begin())]);
  return result;
}

const std::vector<std::uint32_t>& Holes::dependent_parts(std::uint32_t component) {
  auto& parts = parts_[component];
  if (parts) return *parts;
  parts.emplace();
  std::vector<std::uint32_t> work{component};
  std::vector<bool> seen(component + 1, false);
  while (!work.empty()) {
    std::uint32_t c = work.back();
    work.pop_back();
    if (seen[c] || library_.components[c].holes.empty()) continue;
    seen[c] = true;
    parts->push_back(c);
    for (auto& application : library_.components[c].applications) work.push_back(application.component);
  }
  std::ranges::sort(*parts);
  return *parts;
}

void Holes::compute(std::uint32_t c, const Sizes& sizes) {
  const components::Component& component = library_.components[c];
  auto [at, fresh] = outcomes_[c].try_emplace(sizes);
  if (!fresh) return;
  Outcome& outcome = at->second;
  if (component.hole) {
    outcome.type = promised(component);
    if (!outcome.type) outcome.type = uniform(sizes[0], component.interface);
    return;
  }
  for (auto& application : component.applications) {
    if (library_.components[application.component].holes.empty()) continue;
    const Outcome& part = outcomes_[application.component].at(restricted(c, sizes, application.component));
    if (part.type) continue;
    outcome.in_part = true;
    outcome.over_determined |= part.over_determined;
    outcome.under_determined |= part.under_determined;
  }
  if (outcome.in_part) return;
  outcome = outcome_of(composition_at(c, sizes));
}

Holes::Outcome Holes::outcome_of(Composition composition) {
  const auto outcome = [&] {
    Typing type = type_of(std::move(composition));
    return Outcome{std::move(type.type), type.over_determined, type.under_determined};
  };
  const Incidence& incidence = composition.incidence;
  if (incidence.rows.targets.size() > kSmallComposition) return outcome();
  std::vector<std::uint32_t> key{incidence.interface, incidence.hidden, incidence.rows.rows()};
  key.insert(key.end(), incidence.rows.offsets.begin(), incidence.rows.offsets.end());
  key.insert(key.end(), incidence.rows.targets.begin(), incidence.rows.targets.end());
  if (const auto known = small_outcomes_.find(key); known != small_outcomes_.end()) return known->second;
  return small_outcomes_.emplace(std::move(key), outcome()).first->second;
}

const Holes::Outcome& Holes::evaluate(std::uint32_t component, const Sizes& sizes) {
  for (std::uint32_t part : dependent_parts(component)) compute(part, restricted(component, sizes, part));
  return outcomes_[component].at(sizes);
}

Typing Holes::typing_at(std::uint32_t component, const Sizes& sizes) {
  return type_of(composition_at(component, sizes));
}

Composition Holes::composition_at(std::uint32_t component, const Sizes& sizes) const {
  return compose(definition_of(library_.components[component], library_.components),
                 [&](std::uint32_t r) -> const StructuralType& {
                   return library_.components[r].holes.empty()
                              ? *types_[r]
                              : *outcomes_[r].at(restricted(component, sizes, r)).type;
                 });
}

bool Holes::parts_fit(std::uint32_t component, const Sizes& sizes) {
  return !evaluate(component, sizes).in_part;
}
std::optional<StructuralType> Holes::type_at(std::uint32_t component, const Sizes& sizes) {
  return evaluate(component, sizes).type;
}

// A function may return a different relation at each of its uses: one size for all of them is too strict.
bool Holes::may_differ(std::uint32_t component) const {
  auto& holes = library_.components[component].holes;
  for (std::size_t i = 0; i < holes.size(); ++i)
    if (library_.holes[holes[i]].parameter.by_function && uses_[component][i] > 1) return true;
  return false;
}

const Fit& Holes::fit(std::uint32_t component) {
  const components::Component& c = library_.components[component];
  auto& uses = uses_[component];
  uses.assign(c.holes.size(), c.hole ? 1 : 0);
  if (!c.combinations.empty()) {
    uses.assign(c.holes.size(), 2);
    return fits_[component] = {};
  }
  for (auto& application : c.applications) {
    auto& holes = library_.components[application.component].holes;
    for (std::size_t i = 0; i < holes.size(); ++i) {
      std::uint8_t& n =
          uses[static_cast<std::size_t>(std::ranges::lower_bound(c.holes, holes[i]) - c.holes.begin())];
      n = static_cast<std::uint8_t>(std::min(2, n + uses_[application.component][i]));
    }
  }
  return fits_[component] = search(component);
}

Fit Holes::search(std::uint32_t component) {
  const components::Component& c = library_.components[component];
  Fit result;
  if (c.hole) {
    if (auto type = promised(c)) return {Fit::Some, {{type->rank(), type->rank()}}, Sizes{type->rank()}, {}};
    return {Fit::Some, {{0, c.interface}}, c.interface ? std::nullopt : std::optional(Sizes{0}), {}};
  }
  std::vector<Interval> ranges;
  for (std::uint32_t h : c.holes)
    ranges.push_back({0, library_.components[library_.holes[h].component].interface});
  bool disagree = false;
  for (auto& application : c.applications) {
    const components::Component& part = library_.components[application.component];
    if (part.holes.empty()) {
      if (!types_[application.component]) return {Fit::Spoilt, {}, {}, {}};
      continue;
    }
    const Fit& fit = fits_[application.component];
    if (fit.kind == Fit::None || fit.kind == Fit::Spoilt) return {Fit::Spoilt, {}, {}, {}};
    if (fit.kind == Fit::Unknown) return {Fit::Unknown, {}, {}, {}};
    for (std::size_t i = 0; i < part.holes.size(); ++i) {
      Interval& range = ranges[static_cast<std::size_t>(std::ranges::lower_bound(c.holes, part.holes[i]) -
                                                        c.holes.begin())];
      range = {std::max(range.first, fit.sizes[i].first), std::min(range.last, fit.sizes[i].last)};
      disagree |= range.first > range.last;
    }
  }
  Fit nothing{may_differ(component) ? Fit::Unknown : Fit::None, {}, {}, {}};
  if (disagree) return nothing;

  // The widest range is bisected; the combinations of the others are tried one by one.
  std::size_t widest = 0;
  std::size_t combinations = 1;
  auto width = [&](std::size_t i) -> std::size_t { return ranges[i].last - ranges[i].first + 1; };
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (width(i) > width(widest)) widest = i;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (i != widest && (combinations *= width(i)) > kMaxCombinations) return result;

  std::vector<Sizes> too_many, too_few;  // equations
  Sizes sizes;
  for (const Interval& range : ranges) sizes.push_back(range.first);
  std::optional<Sizes> nearest;
  bool nearest_determined = false;
  auto outcome = [&](std::uint32_t size) {
    sizes[widest] = size;
    struct Sides {
      bool over_determined, under_determined;
    };
    bool over_determined = std::ranges::any_of(too_many, [&](auto& t) { return all_at_least(sizes, t); });
    bool under_determined = std::ranges::any_of(too_few, [&](auto& t) { return all_at_least(t, sizes); });
    if (over_determined || under_determined) return Sides{over_determined, under_determined};
    const Outcome& o = evaluate(component, sizes);
    if (o.over_determined) too_many.push_back(sizes);
    if (o.under_determined) too_few.push_back(sizes);
    if (o.over_determined && !o.in_part && (!nearest || (!o.under_determined && !nearest_determined))) {
      nearest = sizes;
      nearest_determined = !o.under_determined;
    }
    return Sides{o.over_determined, o.under_determined};
  };
  std::size_t found = 0;
  for (std::size_t k = 0; k < combinations; ++k) {
    std::size_t rest = k;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (i == widest) continue;
      sizes[i] = ranges[i].first + static_cast<std::uint32_t>(rest % width(i));
      rest /= width(i);
    }
    // Somewhere between first and last, if at all.
    std::int64_t first = ranges[widest].first, last = ranges[widest].last;
    std::optional<std::uint32_t> some;
    while (first <= last && !some) {
      auto middle = static_cast<std::uint32_t>((first + last) / 2);
      auto o = outcome(middle);
      if (!o.over_determined && !o.under_determined) some = middle;
      if (o.over_determined) last = static_cast<std::int64_t>(middle) - 1;
      if (o.under_determined) first = static_cast<std::int64_t>(middle) + 1;
    }
    if (!some) continue;
    auto fits = [&](std::int64_t size) {
      auto o = outcome(static_cast<std::uint32_t>(size));
      return !o.over_determined && !o.under_determined;
    };
    std::int64_t low = *some, high = *some;
    while (first < low) {
      std::int64_t middle = (first + low) / 2;
      if (fits(middle))
        low = middle;
      else
        first = middle + 1;
    }
    while (high < last) {
      std::int64_t middle = (high + last + 1) / 2;
      if (fits(middle))
        high = middle;
      else
        last = middle - 1;
    }
    if (result.sizes.empty())
      for (std::uint32_t s : sizes) result.sizes.push_back({s, s});
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      auto from = i == widest ? static_cast<std::uint32_t>(low) : sizes[i],
           to = i == widest ? static_cast<std::uint32_t>(high) : sizes[i];
      Interval& interval = result.sizes[i];
      bool start = found == 0;
      interval = {start ? from : std::min(interval.first, from), start ? to : std::max(interval.last, to)};
    }
    found += static_cast<std::size_t>(high - low) + 1;
    sizes[widest] = static_cast<std::uint32_t>(low);
    result.only = found == 1 ? std::optional(sizes) : std::nullopt;
  }
  if (!found) {
    nothing.nearest = std::move(nearest);
    return nothing;
  }
  result.kind = Fit::Some;
  return result;
}

}  // namespace sigrel::structural_types
