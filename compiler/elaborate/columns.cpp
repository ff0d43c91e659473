#include "compiler/elaborate/columns.h"

#include <tuple>
#include <utility>

namespace sigrel::elaborate {

ColumnId Columns::add(LocalName name, Span span, system::UnknownKind kind, core::LayoutKind type) {
  using system::SignalType;
  const SignalType signal = type == core::LayoutKind::Int    ? SignalType::Int
                            : type == core::LayoutKind::Bool ? SignalType::Bool
                                                             : SignalType::Real;
  columns_.push_back({name, span, kind, signal, false, false, false, place, {}, owner});
  parent_.emplace_back(columns_.size() - 1);
  return parent_.back();
}

ColumnId Columns::find(ColumnId c) {
  while (parent_[c.value] != c) {
    parent_[c.value] = parent_[parent_[c.value].value];
    c = parent_[c.value];
  }
  return c;
}

void Columns::merge(ColumnId a, ColumnId b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  auto rank = [&](ColumnId c) {
    return c.value < interface_ ? 0 : columns_[c.value].kind == system::UnknownKind::Source ? 1 : 2;
  };
  auto order = [&](ColumnId c) {
    return std::tuple(rank(c), columns_[c.value].owner != system::kNoSwitch, c.value);
  };
  if (order(b) < order(a)) std::swap(a, b);
  parent_[b.value] = a;
}

Columns::Numbering Columns::number(system::Template& names, std::vector<std::int32_t>& places) {
  Numbering result{std::vector<ColumnId>(columns_.size(), ColumnId{kNone}), interface_};
  for (std::uint32_t c = 0; c < interface_; ++c) {
    result.number[c] = ColumnId{c};
    names.interface.push_back(text(columns_[c].name));
    names.interface_spans.push_back(columns_[c].span);
    places.push_back(columns_[c].place);
  }
  auto represents = [&](std::uint32_t c) { return parent_[c] == ColumnId{c} && !columns_[c].dropped; };
  for (std::uint32_t c = interface_; c < columns_.size(); ++c)
    if (represents(c)) result.number[c] = ColumnId{result.count++};
  names.locals.reserve(result.count - interface_);
  places.reserve(result.count);
  for (std::uint32_t c = interface_; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (represents(c)) {
      places.push_back(column.place);
      names.locals.push_back(
          {column.name, column.span, column.kind, column.type, column.unit, column.assigned, column.owner});
    } else if (!column.dropped && column.kind == system::UnknownKind::Source) {
      names.synonyms.push_back({column.name, result.number[find(ColumnId{c}).value].value});
    }
  }
  return result;
}

}  // namespace sigrel::elaborate
