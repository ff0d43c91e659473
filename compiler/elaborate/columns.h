// The columns of the body under construction: one for each scalar of the interface, then one for each other
// scalar. Columns that denote the same unknown are merged (union-find).
#pragma once
#include <vector>

#include "compiler/elaborate/blueprint.h"
#include "compiler/ir/components.h"
#include "compiler/ir/system.h"

namespace sigrel::elaborate {

inline ColumnId operator+(ColumnId first, std::uint32_t offset) { return ColumnId{first.value + offset}; }

struct Column {
  LocalName name;
  Span span;
  system::UnknownKind kind;
  system::SignalType type = system::SignalType::Real;
  bool dropped = false;   // the flow of a node with several uses: only the uses have flows
  bool discrete = false;  // changes at events only, whatever its type
  bool assigned = false;  // by `:=`
  /// In a sample: the position in a sequence of parts whose length is the size: the index in a vector, or
  /// the iteration that created it.
  std::int32_t place = components::kNoPlace;
  Name unit{};
  std::uint32_t owner = system::kNoSwitch;
};

class Columns {
 public:
  ColumnId add(LocalName name, Span span, system::UnknownKind kind,
               core::LayoutKind type = core::LayoutKind::Real);
  Column& operator[](ColumnId c) { return columns_[c.value]; }
  const Column& operator[](ColumnId c) const { return columns_[c.value]; }
  std::size_t size() const { return columns_.size(); }
  ColumnId next() const { return ColumnId{columns_.size()}; }

  /// The columns so far are those of the interface.
  void end_interface() { interface_ = static_cast<std::uint32_t>(columns_.size()); }
  std::uint32_t interface() const { return interface_; }

  ColumnId find(ColumnId c);
  /// Both denote one unknown. It gets the name that a user would look for.
  void merge(ColumnId a, ColumnId b);

  /// The place of columns that are added.
  std::int32_t place = components::kNoPlace;
  /// The switch in whose mode columns are added.
  std::uint32_t owner = system::kNoSwitch;

  /// The columns of the blueprint: the interface keeps its numbers, then come the columns that represent a
  /// class of merged ones and are not dropped. Adds their names to the template.
  struct Numbering {
    std::vector<ColumnId> number;  // by column, where it represents a class
    std::uint32_t count = 0;
  };
  Numbering number(system::Template& names, std::vector<std::int32_t>& places);

  template <class Visitor>
  void for_each_list(Visitor&& visit) {
    visit(columns_);
    visit(parent_);
  }

 private:
  std::vector<Column> columns_;
  std::vector<ColumnId> parent_;
  std::uint32_t interface_ = 0;
};

}  // namespace sigrel::elaborate
