#include "compiler/structural_types/chain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/ir/components.h"
#include "compiler/structural_types/family.h"

namespace sigrel::structural_types {
namespace {

using components::kNoPlace;

constexpr std::int32_t kWidest = 3;  // an equation between neighbours spans no more places

/// A column by where it is: its place, and which of those there; kNoPlace: which of those without a place.
using Column = std::pair<std::int32_t, std::uint32_t>;
using Row = std::vector<Column>;

/// The rows at one place, columns relative to it.
struct Slice {
  std::vector<Row> rows;
  std::uint32_t columns = 0;  // at this place
  bool operator==(const Slice&) const = default;
};

struct Slices {
  std::int32_t first = 0;
  std::vector<Slice> slices;
  std::vector<Row> without;      // rows without a place
  std::uint32_t everywhere = 0;  // columns without a place
};

std::optional<Slices> slice(const RowOfParts& parts) {
  const graph::Bipartite& rows = parts.composition->incidence.rows;
  std::vector<std::int32_t> place(rows.columns, kNoPlace);
  std::copy_n(parts.places.begin(), std::min<std::size_t>(parts.places.size(), place.size()), place.begin());
  if (std::any_of(place.begin(), place.begin() + parts.interface,
                  [](std::int32_t p) { return p != kNoPlace; }))
    return std::nullopt;
  // Hidden columns of parts are where the part is.
  std::size_t own = parts.places.size();
  auto least = [&](std::uint32_t r) {
    std::int32_t at = kNoPlace;
    for (std::uint32_t c : rows.row(r))
      if (c < own && place[c] != kNoPlace) at = at == kNoPlace ? place[c] : std::min(at, place[c]);
    return at;
  };
  std::vector<std::int32_t> inner(rows.columns, kNoPlace);
  for (std::uint32_t r = 0; r < rows.rows(); ++r)
    if (std::int32_t at = least(r); at != kNoPlace)
      for (std::uint32_t c : rows.row(r))
        if (c >= own) inner[c] = inner[c] == kNoPlace ? at : std::min(inner[c], at);
  for (std::size_t c = own; c < place.size(); ++c) place[c] = inner[c];

  // What is at an end and occurs far from it belongs to no place: `x[i] = x[i - 1] + x[1]`.
  auto spans = [&](std::uint32_t r) {
    std::set<std::int32_t> at;
    for (std::uint32_t c : rows.row(r))
      if (place[c] != kNoPlace) at.insert(place[c]);
    return at;
  };
  std::set<std::int32_t> everything;
  for (std::uint32_t r = 0; r < rows.rows(); ++r) everything.merge(spans(r));
  for (std::uint32_t r = 0; r < rows.rows() && !everything.empty(); ++r) {
    std::set<std::int32_t> at = spans(r);
    if (at.size() < 2 || *at.rbegin() - *at.begin() <= kWidest) continue;
    for (std::int32_t end : {*everything.begin(), *everything.rbegin()}) {
      std::set<std::int32_t> rest = at;
      if (!rest.erase(end) || *rest.rbegin() - *rest.begin() > kWidest) continue;
      for (std::uint32_t c : rows.row(r))
        if (place[c] == end) place[c] = kNoPlace;
      break;
    }
  }
  // A sum over all places (the flows at a node) is a chain of partial sums, each an unknown of its own:
  // exact, by K3 backwards.
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    std::map<std::int32_t, std::vector<std::uint32_t>> at;
    for (std::uint32_t c : rows.row(r)) at[place[c]].push_back(c);
    std::vector<std::uint32_t> row;
    if (auto global = at.extract(kNoPlace)) row = std::move(global.mapped());
    if (at.empty() || at.rbegin()->first - at.begin()->first <= kWidest) {
      all.emplace_back(rows.row(r).begin(), rows.row(r).end());
      continue;
    }
    std::int32_t last = at.rbegin()->first;
    for (std::int32_t p = at.begin()->first; p <= last; ++p) {
      row.insert(row.end(), at[p].begin(), at[p].end());
      if (p < last) {
        row.push_back(static_cast<std::uint32_t>(place.size()));
        place.push_back(p + 1);
      }
      all.push_back(std::exchange(row, {}));
      if (p < last) row.push_back(static_cast<std::uint32_t>(place.size() - 1));
    }
  }

  Slices result;
  std::map<std::int32_t, std::uint32_t> count;
  std::vector<Column> column;
  for (std::int32_t p : place) column.emplace_back(p, count[p]++);
  result.everywhere = count[kNoPlace];
  count.erase(kNoPlace);
  if (count.empty()) return std::nullopt;
  result.first = count.begin()->first;
  result.slices.resize(static_cast<std::size_t>(count.rbegin()->first - result.first) + 1);
  for (auto [p, n] : count) result.slices[static_cast<std::size_t>(p - result.first)].columns = n;
  for (const std::vector<std::uint32_t>& columns : all) {
    std::set<Column> in;
    for (std::uint32_t c : columns) in.insert(column[c]);
    std::int32_t at = kNoPlace;
    for (auto [p, n] : in)
      if (p != kNoPlace) at = at == kNoPlace ? p : std::min(at, p);
    Row row;
    for (auto [p, n] : in) row.emplace_back(p == kNoPlace ? p : p - at, n);
    (at == kNoPlace ? result.without : result.slices[static_cast<std::size_t>(at - result.first)].rows)
        .push_back(std::move(row));
  }
  for (Slice& s : result.slices) std::ranges::sort(s.rows);
  std::ranges::sort(result.without);
  return result;
}

/// What the places ahead depend on: a type over the columns without a place, then those ahead, relative to
/// the next place.
struct State {
  std::vector<Column> ahead;
  StructuralType type;
};

bool same(const State& a, const State& b) {
  return a.ahead == b.ahead && (a.type == b.type || same_type(a.type, b.type).value_or(false));
}

// Nothing: the rows so far cannot be completed, whatever follows.
std::optional<State> step(const State& before, const Slice& slice, std::uint32_t everywhere) {
  std::set<Column> ahead;
  auto see = [&](Column c) {
    if (c.first != kNoPlace && c.first > 0) ahead.insert(c);
  };
  for (Column c : before.ahead) see(c);
  for (const Row& row : slice.rows)
    for (Column c : row) see(c);
  std::map<Column, std::uint32_t> number;
  for (Column c : ahead) number.emplace(c, everywhere + static_cast<std::uint32_t>(number.size()));
  auto interface = everywhere + static_cast<std::uint32_t>(ahead.size());
  for (std::uint32_t k = 0; k < slice.columns; ++k) number.emplace(Column{0, k}, interface + k);
  auto of = [&](Column c) { return c.first == kNoPlace ? c.second : number.at(c); };

  Incidence incidence;
  incidence.interface = interface;
  incidence.hidden = slice.columns + before.type.hidden();
  incidence.rows.columns = incidence.columns();
  std::vector<std::uint32_t> row;
  auto add = [&] {
    std::ranges::sort(row);
    incidence.rows.targets.insert(incidence.rows.targets.end(), row.begin(), row.end());
    incidence.rows.end_row();
    row.clear();
  };
  for (std::uint32_t r = 0; r < before.type.rows(); ++r) {
    for (std::uint32_t c : before.type.row(r))
      row.push_back(c < everywhere ? c
                    : c < before.type.interface()
                        ? of(before.ahead[c - everywhere])
                        : interface + slice.columns + (c - before.type.interface()));
    add();
  }
  for (const Row& r : slice.rows) {
    for (Column c : r) row.push_back(of(c));
    add();
  }
  if (!cover(incidence).complete()) return std::nullopt;
  State after{{}, reduce(incidence)};
  for (auto [place, n] : ahead) after.ahead.emplace_back(place - 1, n);
  return after;
}

}  // namespace

bool repeats(const RowOfParts& shorter, const RowOfParts& longer) {
  auto a = slice(shorter), b = slice(longer);
  if (!a || !b || a->first != b->first || a->everywhere != b->everywhere || a->without != b->without ||
      b->slices.size() != a->slices.size() + 1)
    return false;
  std::size_t size = a->slices.size(), start = 0, end = 0;
  while (start < size && a->slices[start] == b->slices[start]) ++start;
  while (end < size && a->slices[size - 1 - end] == b->slices[size - end]) ++end;
  if (start + end < size + 2) return false;
  // From `size - end` to before `start` all are alike; the longer row has one more of them.
  Slice global;
  global.rows = a->without;
  auto state = step({}, global, a->everywhere);
  for (std::size_t i = 0; state && i < start; ++i) {
    auto next = step(*state, a->slices[i], a->everywhere);
    if (next && i >= size - end && same(*state, *next)) return true;
    state = std::move(next);
  }
  return !state;
}

}  // namespace sigrel::structural_types
