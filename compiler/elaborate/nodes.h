// The nodes of the body under construction. A connector variable is a node; each application that names it
// uses it. Each use has flow columns of its own, and the potentials are shared. When the body is complete,
// each class of connected nodes becomes either a substitution (one use, nothing connected) or one sum per
// flow.
#pragma once
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/elaborate/columns.h"
#include "compiler/elaborate/rows.h"

namespace sigrel::elaborate {

/// The scalars of connector layouts.
class ConnectorScalars {
 public:
  explicit ConnectorScalars(Machine& machine) : machine_(machine) {}
  struct Scalar {
    std::uint32_t offset;
    bool is_flow;
  };
  const std::vector<Scalar>& operator[](LayoutId connector);

 private:
  Machine& machine_;
  std::unordered_map<LayoutId, std::vector<Scalar>> scalars_;
};

class Nodes {
 public:
  Nodes(Machine& machine, Columns& columns, Rows& rows, ConnectorScalars& scalars)
      : machine_(machine), columns_(columns), rows_(rows), scalars_(scalars) {}

  struct NodeInfo {
    LayoutId layout;
    ColumnId first;  // of a column for every scalar
    bool interface;
    LocalName name;
    Span span;
    NodeId parent;  // union-find of connected nodes
    bool connected = false;
    std::uint32_t uses = 0;
    UseId first_use{kNone}, last_use{kNone};
    std::optional<Span> flow_read{};
    bool read = false;  // a field of it, by an item that is no pattern
  };

  NodeId add(LayoutId layout, ColumnId first, bool interface, LocalName name, Span span);
  const NodeInfo& operator[](NodeId n) const { return nodes_[n.value]; }
  std::size_t size() const { return nodes_.size(); }
  /// The name of its record.
  Name connector(NodeId n) const;
  std::size_t uses() const { return uses_.size(); }

  /// A use of the node by a child, with flow columns from `first_flow` on, in the order of the flow scalars.
  UseId use(NodeId node, ColumnId first_flow, Span span);
  void connect(NodeId a, NodeId b);

  /// The value of a node; of a use, whose flows its fields denote.
  Value value(NodeId node) const;
  Value value(NodeId node, UseId use) const;
  bool is_potential(const Object& node, std::uint32_t field) const;
  bool has_rotation(LayoutId connector) const;
  /// Whether a rotation of a node begins at the column.
  bool is_rotation(ColumnId first) const;
  /// The value of a field; `span` reads it.
  Value field(const Object& node, std::uint32_t field, Span span);

  const std::vector<ConnectorScalars::Scalar>& scalars(LayoutId connector) const {
    return scalars_[connector];
  }

  /// Merges columns, and adds sums and equations. False if an error was reported.
  bool resolve();

  /// After that: local nodes with one use, no connection, and no equation that contains their flow.
  std::vector<NodeId> lone() const;
  /// Those that nothing uses. An element that only a pattern of a loop reads counts as unused.
  std::vector<LocalName> unused() const;

  template <class Visitor>
  void for_each_list(Visitor&& visit) {
    visit(nodes_);
    visit(uses_);
  }

 private:
  struct Use {
    ColumnId first_flow;
    UseId next;  // of the same node; kNone at the end
    Span span;
  };
  NodeId class_of(NodeId n);
  bool resolve_class(std::span<const NodeId> members);
  bool resolve_flows_of(NodeInfo& node, bool shared);
  template <class Visitor>
  void for_each_use(const NodeInfo& node, Visitor&& visit) const {
    for (UseId u = node.first_use; u.value != kNone; u = uses_[u.value].next) visit(uses_[u.value]);
  }

  Machine& machine_;
  Columns& columns_;
  Rows& rows_;
  ConnectorScalars& scalars_;
  std::vector<NodeInfo> nodes_;
  std::vector<Use> uses_;
};

/// The node that a Node value denotes.
inline NodeId node_of(const Object& node) { return NodeId{node.a}; }

}  // namespace sigrel::elaborate
