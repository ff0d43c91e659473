// The children of the body under construction: the relations that it applies, their arguments, and the labels
// by which other items refer to them.
#pragma once
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/elaborate/loop_indices.h"
#include "compiler/elaborate/member_references.h"
#include "compiler/elaborate/variables.h"

namespace sigrel::elaborate {

/// The slot of a label in the frame of the body; kNone: the child has none.
struct LabelSlot {
  std::uint32_t value = kNone;
  explicit operator bool() const { return value != kNone; }
  bool operator==(const LabelSlot&) const = default;
};

struct Child {
  RelationObject* relation;
  LayoutId interface;
  std::uint32_t first_argument;
  std::uint32_t first_formal;  // with a label: of the values of its interface
  LocalName name;
  LabelSlot label;
  Span span;
  std::uint32_t owner = system::kNoSwitch;  // the switch in whose mode it is
};

class Applications {
 public:
  Applications(Machine& machine, const LoopIndices& loops, Columns& columns, Rows& rows, Nodes& nodes,
               Variables& variables, MemberReferences& members)
      : machine_(machine),
        loops_(loops),
        columns_(columns),
        rows_(rows),
        nodes_(nodes),
        variables_(variables),
        members_(members) {}

  /// Adds a child. Without arguments its interface becomes variables of the body. False: an error was
  /// reported, or the item is not ready.
  bool add(RelationObject& relation, std::optional<std::vector<Value>> arguments, LocalName name,
           LabelSlot label, Span span);
  /// The outputs of a relation that is applied to inputs in an expression.
  std::optional<Value> add_block(const Value& relation, const Value& inputs, Span span);

  /// The number of children without a label so far that apply relations of this name.
  std::uint32_t& name_count(Name relation) { return name_counts_[relation]; }
  /// The name of the next one: `resistor`, `resistor#2`.
  static LocalName unlabelled_name(LocalName relation, std::uint32_t& count) {
    return ++count > 1 ? numbered(relation, count) : relation;
  }
  /// The relation that the item applied in the previous iteration, if it is equal to this one: then the
  /// iterations share one object.
  RelationObject& shared(const core::ApplicationItem& item, RelationObject& relation);

  /// A label of the current item, in the loops around it.
  void declare_label(LabelSlot label, LocalName name) {
    labels_[label.value] = {name, loops_.depth(), columns_.place != components::kNoPlace};
  }
  /// The last child is the one that its label denotes in the current iteration.
  void set_label();

  /// A variable of an instance, `label[iteration].member[indices]`, where `indices` are all indices.
  std::optional<Value> member(const core::MemberExpr& member, const Value& base,
                              std::span<const Value> indices);

  // The steps of add(), for children that are created from a pattern: the arguments and, with a label, the
  // values of the interface, then the child.
  Child begin(RelationObject& relation, LayoutId interface, LocalName name, LabelSlot label,
              Span span) const {
    return {&relation,
            interface,
            static_cast<std::uint32_t>(arguments_.size()),
            static_cast<std::uint32_t>(formals_.size()),
            name,
            label,
            span,
            columns_.owner};
  }
  void add_argument(ColumnRef column) { arguments_.push_back(column); }
  void add_formal(const Value& value) { formals_.push_back(value); }
  void end(const Child& child) { children_.push_back(child); }

  std::span<const Child> children() const { return children_; }
  std::vector<ColumnRef> take_arguments() { return std::move(arguments_); }

  template <class Visitor>
  void for_each_list(Visitor&& visit) {
    visit(children_);
    visit(arguments_);
    visit(formals_);
  }

 private:
  struct Label {
    LocalName name;
    std::size_t depth = 0;        // number of loops around it
    bool size_dependent = false;  // one of them has a number of iterations that depends on the size
  };
  bool bind(LayoutId layout, Value& argument, const Child& child, LocalName formal, Span span);
  bool bind_node(LayoutId layout, Value& argument, const Child& child, LocalName formal, Span span);
  void report_unknown_size(const core::Relation& literal, const core::Formal& formal, Span span,
                           const char* help);
  std::optional<ChildId> labelled(LabelSlot label, LocalName name) const;

  Machine& machine_;
  const LoopIndices& loops_;
  Columns& columns_;
  Rows& rows_;
  Nodes& nodes_;
  Variables& variables_;
  MemberReferences& members_;
  std::vector<Child> children_;
  std::vector<ColumnRef> arguments_;
  std::vector<Value> formals_;
  std::unordered_map<Name, std::uint32_t> name_counts_;                         // of children without label
  std::unordered_map<const core::ApplicationItem*, RelationObject*> previous_;  // iteration
  std::unordered_map<std::uint32_t, Label> labels_;                             // by slot
  StridingIndexTable<16> by_label_;                                             // children by label and name
};

}  // namespace sigrel::elaborate
