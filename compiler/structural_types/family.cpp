#include "compiler/structural_types/family.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>

#include "compiler/structural_types/in_order.h"
#include "compiler/structural_types/presentation.h"

namespace sigrel::structural_types {
namespace {

/// Which interface columns a type can determine together.
class Determination {
 public:
  explicit Determination(const StructuralType& type)
      : interface_(type.interface()), columns_(graph::transpose(type.incidence().rows)), base_(columns_) {
    for (std::uint32_t h = 0; h < type.hidden(); ++h) base_.add(interface_ + h);
  }
  Determination(const Determination&) = delete;
  /// A matching of the hidden columns alone.
  const InOrder& none_determined() const { return base_; }

  template <class Columns>
  std::uint32_t rank(const Columns& columns) const {
    InOrder matching = base_;
    std::uint32_t rank = 0;
    for (std::uint32_t c : columns) rank += matching.add(c);
    return rank;
  }
  /// Whether the columns from `first` on can make up for `missing`.
  bool completes(InOrder matching, std::uint32_t first, std::uint32_t missing) const {
    for (std::uint32_t c = first; c < interface_ && missing > 0; ++c) missing -= matching.add(c);
    return missing == 0;
  }

 private:
  std::uint32_t interface_;
  graph::Bipartite columns_;
  InOrder base_;
};

/// Rows that are connected by columns, and their columns.
struct Group {
  std::vector<std::uint32_t> rows, visible, hidden;
};
std::vector<Group> groups_of(const Incidence& incidence) {
  std::vector<std::uint32_t> root(incidence.columns());
  std::iota(root.begin(), root.end(), 0u);
  auto find = [&](std::uint32_t c) {
    while (root[c] != c) c = root[c] = root[root[c]];
    return c;
  };
  for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r)
    for (std::uint32_t c : incidence.rows.row(r)) {
      std::uint32_t a = find(incidence.rows.row(r)[0]), b = find(c);
      root[std::max(a, b)] = std::min(a, b);
    }
  std::vector<std::uint32_t> number(incidence.columns(), graph::kNone);
  std::vector<Group> parts;
  for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r) {
    std::uint32_t& n = number[find(incidence.rows.row(r)[0])];
    if (n == graph::kNone) {
      n = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    }
    parts[n].rows.push_back(r);
  }
  for (std::uint32_t c = 0; c < incidence.columns(); ++c)
    if (std::uint32_t n = number[find(c)]; n != graph::kNone)
      (c < incidence.interface ? parts[n].visible : parts[n].hidden).push_back(c);
  return parts;
}

/// A set of columns of one part, by their place in it: interface columns, then hidden ones.
using Columns = std::vector<std::uint64_t>;

bool in(const Columns& set, std::size_t c) { return set[c / 64] >> (c % 64) & 1; }
bool subset(const Columns& a, const Columns& b) {
  for (std::size_t w = 0; w < b.size(); ++w)
    if (a[w] & ~b[w]) return false;
  return true;
}

/// The condition of the header for every union of rows of one part.
std::optional<bool> part_included(const Determination& contract, const StructuralType& actual,
                                  const Group& part, std::size_t limit) {
  const std::size_t visible = part.visible.size(), words = (visible + part.hidden.size() + 63) / 64;
  std::vector<Columns> rows;
  for (std::uint32_t r : part.rows) {
    Columns& row = rows.emplace_back(words, 0);
    for (std::uint32_t c : actual.row(r)) {
      const auto& side = c < actual.interface() ? part.visible : part.hidden;
      auto place = static_cast<std::size_t>(std::ranges::lower_bound(side, c) - side.begin()) +
                   (c < actual.interface() ? 0 : visible);
      row[place / 64] |= std::uint64_t{1} << (place % 64);
    }
  }
  std::set<Columns> unions{Columns(words, 0)};
  for (const Columns& row : rows) {
    std::vector<Columns> more(unions.begin(), unions.end());
    for (Columns& set : more) {
      for (std::size_t w = 0; w < words; ++w) set[w] |= row[w];
      unions.insert(std::move(set));
    }
    if (unions.size() > limit) return std::nullopt;
  }
  for (const Columns& set : unions) {
    auto allowed = static_cast<std::ptrdiff_t>(rows.size()) - static_cast<std::ptrdiff_t>(part.hidden.size());
    for (const Columns& row : rows) allowed -= subset(row, set);
    for (std::size_t h = 0; h < part.hidden.size(); ++h) allowed += in(set, visible + h);
    std::vector<std::uint32_t> outside;
    for (std::size_t c = 0; c < visible; ++c)
      if (!in(set, c)) outside.push_back(part.visible[c]);
    if (static_cast<std::ptrdiff_t>(contract.rank(outside)) > allowed) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::vector<std::uint32_t>>> bases(const StructuralType& type, std::size_t limit) {
  struct Frame {
    InOrder matching;
    std::uint32_t next;  // the column that is tried next
  };
  Determination determination(type);
  std::vector<std::vector<std::uint32_t>> found;
  std::vector<std::uint32_t> chosen;
  std::vector<Frame> path{{determination.none_determined(), 0}};
  while (!path.empty()) {
    Frame& frame = path.back();
    if (chosen.size() == type.rank()) {
      if (found.size() == limit) return std::nullopt;
      found.push_back(chosen);
      frame.next = type.interface();
    }
    if (frame.next == type.interface()) {
      path.pop_back();
      if (!chosen.empty()) chosen.pop_back();
      continue;
    }
    std::uint32_t c = frame.next++;
    InOrder with = frame.matching;
    if (!with.add(c) ||
        !determination.completes(with, c + 1, type.rank() - static_cast<std::uint32_t>(chosen.size()) - 1))
      continue;
    chosen.push_back(c);
    path.push_back({std::move(with), c + 1});
  }
  return found;
}

std::uint32_t rank(const StructuralType& type, const std::vector<std::uint32_t>& columns) {
  return Determination(type).rank(columns);
}

std::optional<bool> included(const StructuralType& contract, const StructuralType& actual,
                             std::size_t limit) {
  if (contract.interface() != actual.interface() || contract.rank() != actual.rank()) return false;
  Determination of_contract(contract);
  std::vector<Group> parts = groups_of(actual.incidence());
  std::vector<bool> never(actual.interface(), true);
  for (const Group& part : parts) {
    for (std::uint32_t c : part.visible) never[c] = false;
    if (of_contract.rank(part.visible) != part.rows.size() - part.hidden.size()) return false;
  }
  for (std::uint32_t c = 0; c < actual.interface(); ++c)
    if (never[c] && of_contract.rank(std::vector{c}) > 0) return false;
  bool undecided = false;
  for (const Group& part : parts) {
    std::optional<bool> answer = part_included(of_contract, actual, part, limit);
    if (answer && !*answer) return false;
    undecided |= !answer;
  }
  if (undecided) return std::nullopt;
  return true;
}

std::optional<bool> same_type(const StructuralType& a, const StructuralType& b, std::size_t limit) {
  if (a.interface() != b.interface() || a.rank() != b.rank()) return false;
  if (a == b) return true;
  if (a.hidden() == 0 && b.hidden() == 0) return reduce(a.incidence()) == reduce(b.incidence());
  std::optional<bool> there = included(a, b, limit);
  if (there && !*there) return false;
  std::optional<bool> back = included(b, a, limit);
  if (back && !*back) return false;
  if (!there || !back) return std::nullopt;
  return true;
}

StructuralType maximal_presentation(const StructuralType& type) {
  assert(type.hidden() == 0 && type.columns() <= 512);
  Dense<8> d = dense_of<8>(type.interface(), 0, type.rows());
  for (std::uint32_t r = 0; r < type.rows(); ++r)
    for (std::uint32_t c = 0; c < type.interface(); ++c)
      if (type.contains(r, c)) d.insert(r, c);
  maximise(d);
  std::ranges::sort(d.adjacent[kRow], shown_before<8>);
  Incidence incidence{type.interface(), 0, {}};
  incidence.rows.columns = type.interface();
  for (const Bits<8>& row : d.adjacent[kRow]) {
    for (unsigned c : row) incidence.rows.targets.push_back(c);
    incidence.rows.end_row();
  }
  return StructuralType(incidence);
}

}  // namespace sigrel::structural_types
