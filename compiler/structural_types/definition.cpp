#include "compiler/structural_types/definition.h"

#include <algorithm>
#include <cassert>

namespace sigrel::structural_types {
namespace {

/// Appends a row without repeated columns. `mark[c]` is the number of the last row that contained c.
class RowWriter {
 public:
  explicit RowWriter(graph::Bipartite& rows) : rows_(rows), mark_(rows.columns, graph::kNone) {}
  void add(std::uint32_t column) {
    if (column >= mark_.size()) mark_.resize(column + 1, graph::kNone);
    if (mark_[column] == rows_.rows()) return;
    mark_[column] = rows_.rows();
    rows_.targets.push_back(column);
  }
  void end() {
    std::sort(rows_.targets.begin() + rows_.offsets.back(), rows_.targets.end());
    rows_.end_row();
  }

 private:
  graph::Bipartite& rows_;
  std::vector<std::uint32_t> mark_;
};

}  // namespace

Composition compose(const Definition& d, const ChildType& child_type) {
  Composition result;
  Incidence& whole = result.incidence;
  whole.interface = d.interface();
  std::uint32_t columns = d.interface() + d.locals();
  RowWriter writer(whole.rows);
  std::vector<std::uint32_t> actual;  // of each column of the child: a column of the whole
  for (std::uint32_t a = 0; a < d.applications(); ++a) {
    const StructuralType& child = child_type(d.relation(a));
    assert(d.argument_count(a) == child.interface());
    actual.clear();
    for (std::uint32_t i = 0; i < child.interface(); ++i) {
      std::uint32_t argument = d.first_argument(a) + i;
      actual.push_back(d.is_expression(argument) ? columns++ : d.argument(argument)[0]);
    }
    for (std::uint32_t h = 0; h < child.hidden(); ++h) actual.push_back(columns++);
    for (std::uint32_t r = 0; r < child.rows(); ++r) {
      for (std::uint32_t c : child.row(r)) writer.add(actual[c]);
      writer.end();
      result.rows.push_back({RowOrigin::Kind::Child, a, r});
    }
    for (std::uint32_t i = 0; i < child.interface(); ++i) {
      std::uint32_t argument = d.first_argument(a) + i;
      if (!d.is_expression(argument)) continue;
      writer.add(actual[i]);
      for (std::uint32_t v : d.argument(argument)) writer.add(v);
      writer.end();
      result.rows.push_back({RowOrigin::Kind::Argument, a, argument});
    }
  }
  for (std::uint32_t e = 0; e < d.equations().rows(); ++e) {
    for (std::uint32_t v : d.equations().row(e)) writer.add(v);
    writer.end();
    result.rows.push_back({RowOrigin::Kind::Own, 0, e});
  }
  whole.hidden = columns - whole.interface;
  whole.rows.columns = columns;
  return result;
}

Typing type_of(const Definition& definition, const ChildType& child_type, const Limits& limits) {
  return type_of(compose(definition, child_type), limits);
}

Typing type_of(Composition composition, const Limits& limits) {
  Typing type;
  Cover covering = cover(composition.incidence);
  if (covering.complete()) {
    type.type = reduce(composition.incidence, limits);
    return type;
  }
  type.over_determined = covering.over_determined;
  type.under_determined = covering.under_determined;
  type.composition = std::move(composition);
  return type;
}

std::vector<Typing> types_of(std::span<const Definition> library, const Limits& limits) {
  std::vector<Typing> types;
  types.reserve(library.size());
  for (const Definition& definition : library) {
    bool complete = true;
    for (std::uint32_t a = 0; a < definition.applications(); ++a)
      complete &= types[definition.relation(a)].type.has_value();
    if (!complete)
      types.emplace_back();
    else
      types.push_back(type_of(
          definition, [&](std::uint32_t r) -> const StructuralType& { return *types[r].type; }, limits));
  }
  return types;
}

}  // namespace sigrel::structural_types
