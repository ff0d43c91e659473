// The variables of the body under construction as values: a column for each scalar, a node for each
// connector. A signal without a declared size gets its columns at its first application.
#pragma once
#include <optional>
#include <vector>

#include "compiler/elaborate/columns.h"
#include "compiler/elaborate/nodes.h"

namespace sigrel::elaborate {

class Variables {
 public:
  Variables(Machine& machine, Columns& columns, Nodes& nodes)
      : machine_(machine), columns_(columns), nodes_(nodes) {}

  /// A variable of this layout with new columns.
  Value create(LayoutId layout, LocalName name, Span span, bool interface = false) {
    return create(layout, name, span, interface, false);
  }
  /// Sets the units of the columns from `first` on, the scalars of a variable with this layout.
  void set_units(LayoutId layout, const core::Layout* declared, ColumnId first);

  /// A variable of unknown size, in the slot `slot` of the frame.
  Value create_unbound(LocalName name, Span span, std::uint32_t slot);
  /// Its value with this layout, if it has none yet.
  Value bind(const Object& unbound, LayoutId layout);
  struct Unbound {
    LocalName name;
    Span span;
    std::optional<Value> value{};
  };
  const std::vector<Unbound>& unbound() const { return unbound_; }

  /// The layout of a value of signals; nullopt if it is none.
  std::optional<LayoutId> layout_of(const Value& value) const;
  /// The variable that a scalar value denotes; nullopt if it denotes none.
  std::optional<ColumnRef> column_of(const Value& value) const;
  /// Appends the columns of an aggregate. False if a part of it is no column of the body.
  bool columns_of(const Value& value, std::vector<ColumnId>& out) const;

 private:
  Value create(LayoutId layout, LocalName name, Span span, bool interface, bool inner);
  void set_units(LayoutId layout, const core::Layout* declared, std::uint32_t& column);

  Machine& machine_;
  Columns& columns_;
  Nodes& nodes_;
  std::vector<Unbound> unbound_;
};

inline bool is_aggregate(const Value& v) {
  return is_object(v, ObjectKind::Vector) || is_object(v, ObjectKind::Record) ||
         is_object(v, ObjectKind::Tuple);
}

}  // namespace sigrel::elaborate
