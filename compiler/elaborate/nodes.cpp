#include "compiler/elaborate/nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace sigrel::elaborate {
namespace {

// The value of a field's layout over given columns.
Value value_over(Machine& machine, LayoutId id, std::span<const ColumnId> columns, std::size_t& at) {
  const LayoutNode node = machine.layouts()[id];
  if (node.elements.empty()) return Value::of_signal(machine.signals.slot(ColumnRef(columns[at++]).slot()));
  const bool vector = node.kind == core::LayoutKind::Vector;
  auto size = vector ? node.size : static_cast<std::uint32_t>(node.elements.size());
  Object* o = machine.heap().object(vector                                  ? ObjectKind::Vector
                                    : node.kind == core::LayoutKind::Record ? ObjectKind::Record
                                                                            : ObjectKind::Tuple,
                                    size);
  o->a = node.record.value;
  for (std::uint32_t i = 0; i < size; ++i)
    o->items[i] = value_over(machine, vector ? node.elements[0] : node.elements[i], columns, at);
  return Value::of(o);
}

}  // namespace

const std::vector<ConnectorScalars::Scalar>& ConnectorScalars::operator[](LayoutId connector) {
  auto [it, fresh] = scalars_.try_emplace(connector);
  std::vector<Scalar>& result = it->second;
  if (!fresh) return result;
  const LayoutNode& node = machine_.layouts()[connector];
  const auto& fields = machine_.code().program().records[node.record.value].fields;
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (std::uint32_t k = 0; k < machine_.layouts()[node.elements[i]].scalars; ++k)
      result.push_back({offset++, fields[i].flow});
  return result;
}

NodeId Nodes::add(LayoutId layout, ColumnId first, bool interface, LocalName name, Span span) {
  const NodeId node{nodes_.size()};
  nodes_.push_back({layout, first, interface, name, span, node});
  return node;
}

UseId Nodes::use(NodeId node, ColumnId first_flow, Span span) {
  NodeInfo& n = nodes_[node.value];
  const UseId made{uses_.size()};
  uses_.push_back({first_flow, UseId{kNone}, span});
  (n.uses++ ? uses_[n.last_use.value].next : n.first_use) = made;
  n.last_use = made;
  return made;
}

NodeId Nodes::class_of(NodeId n) {
  while (nodes_[n.value].parent != n) {
    nodes_[n.value].parent = nodes_[nodes_[n.value].parent.value].parent;
    n = nodes_[n.value].parent;
  }
  return n;
}

void Nodes::connect(NodeId a, NodeId b) {
  nodes_[a.value].connected = nodes_[b.value].connected = true;
  nodes_[class_of(b).value].parent = class_of(a);
}

Value Nodes::value(NodeId node) const { return value(node, UseId{kNone}); }

Value Nodes::value(NodeId node, UseId use) const {
  Object* o = machine_.heap().object(ObjectKind::Node, 0);
  o->a = node.value;
  o->b = use.value;
  return Value::of(o);
}

bool Nodes::is_potential(const Object& node, std::uint32_t field) const {
  const LayoutNode& layout = machine_.layouts()[nodes_[node_of(node).value].layout];
  return !machine_.code().program().records[layout.record.value].fields[field].flow;
}

bool Nodes::has_rotation(LayoutId connector) const {
  const core::RecordId record = machine_.layouts()[connector].record;
  return std::ranges::any_of(machine_.code().program().records[record.value].fields,
                             &core::FieldInfo::rotation);
}

bool Nodes::is_rotation(ColumnId first) const {
  // Nodes are created with their columns.
  const auto after =
      std::ranges::upper_bound(nodes_, first.value, {}, [](const NodeInfo& n) { return n.first.value; });
  if (after == nodes_.begin()) return false;
  const NodeInfo& node = *(after - 1);
  const LayoutNode& layout = machine_.layouts()[node.layout];
  const auto& fields = machine_.code().program().records[layout.record.value].fields;
  std::uint32_t at = node.first.value;
  for (std::size_t i = 0; i < fields.size() && at <= first.value; ++i) {
    if (at == first.value && fields[i].rotation) return true;
    at += machine_.layouts()[layout.elements[i]].scalars;
  }
  return false;
}

Value Nodes::field(const Object& object, std::uint32_t field, Span span) {
  NodeInfo& node = nodes_[node_of(object).value];
  node.read = true;
  const LayoutNode layout = machine_.layouts()[node.layout];
  const auto& fields = machine_.code().program().records[layout.record.value].fields;
  std::uint32_t offset = 0, flow_offset = 0;
  for (std::uint32_t i = 0; i < field; ++i) {
    std::uint32_t n = machine_.layouts()[layout.elements[i]].scalars;
    offset += n;
    if (fields[i].flow) flow_offset += n;
  }
  const bool of_use = fields[field].flow && object.b != kNone;
  if (fields[field].flow && !of_use && !node.flow_read) node.flow_read = span;
  const ColumnId first = of_use ? uses_[object.b].first_flow + flow_offset : node.first + offset;
  std::vector<ColumnId> columns;
  for (std::uint32_t k = 0; k < machine_.layouts()[layout.elements[field]].scalars; ++k)
    columns.push_back(first + k);
  std::size_t at = 0;
  return value_over(machine_, layout.elements[field], columns, at);
}

bool Nodes::resolve() {
  // The nodes of each class, side by side.
  const auto count = static_cast<std::uint32_t>(nodes_.size());
  std::vector<std::uint32_t> offsets(count + 1, 0);
  std::vector<NodeId> members(count);
  for (std::uint32_t n = 0; n < count; ++n) ++offsets[class_of(NodeId{n}).value + 1];
  for (std::uint32_t c = 0; c < count; ++c) offsets[c + 1] += offsets[c];
  std::vector<std::uint32_t> at(offsets.begin(), offsets.end() - 1);
  for (std::uint32_t n = 0; n < count; ++n) members[at[class_of(NodeId{n}).value]++] = NodeId{n};
  for (std::uint32_t c = 0; c < count; ++c)
    if (offsets[c + 1] > offsets[c] &&
        !resolve_class(std::span(members).subspan(offsets[c], offsets[c + 1] - offsets[c])))
      return false;
  return true;
}

Name Nodes::connector(NodeId n) const {
  const LayoutNode& layout = machine_.layouts()[nodes_[n.value].layout];
  return machine_.code().program().records[layout.record.value].name;
}

std::vector<NodeId> Nodes::lone() const {
  std::vector<NodeId> result;
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    const NodeInfo& node = nodes_[n];
    if (!node.interface && node.uses == 1 && !node.connected && !node.flow_read) result.emplace_back(n);
  }
  return result;
}

std::vector<LocalName> Nodes::unused() const {
  std::vector<LocalName> result;
  for (const NodeInfo& node : nodes_)
    if (node.uses == 0 && !node.connected && !node.read) result.push_back(node.name);
  return result;
}

/// The flow columns of a local node: those of its use if there is one; `shared`: its class has uses or
/// connections.
bool Nodes::resolve_flows_of(NodeInfo& n, bool shared) {
  if (n.flow_read && n.uses > 1) {
    const Use& first = uses_[n.first_use.value];
    machine_.diagnostics()
        .report(
            Code::FlowIsAmbiguous, *n.flow_read,
            fmt::format("`{}` is a node of {} parts: which of their flows is meant?", text(n.name), n.uses))
        .also(first.span, "one part")
        .also(uses_[first.next.value].span, "another")
        .help("label the part and read its own flow, for example `r1.p.i`");
    return false;
  }
  std::uint32_t flow = 0;
  for (auto [offset, is_flow] : scalars(n.layout)) {
    if (!is_flow) continue;
    if (n.uses == 1)
      columns_.merge(n.first + offset, uses_[n.first_use.value].first_flow + flow);
    else if (!n.flow_read && shared)
      columns_[n.first + offset].dropped = true;
    ++flow;
  }
  return true;
}

bool Nodes::resolve_class(std::span<const NodeId> members) {
  std::size_t uses = 0, interfaces = 0;
  bool connected = false;
  const NodeInfo* head = nullptr;  // the first interface node: the others are equal to it
  for (NodeId m : members) {
    const NodeInfo& n = nodes_[m.value];
    uses += n.uses;
    connected |= n.connected;
    if (n.interface && interfaces++ == 0) head = &n;
  }
  const NodeInfo& keep = head ? *head : nodes_[members[0].value];
  const auto& list = scalars(keep.layout);

  for (NodeId m : members)
    if (NodeInfo& n = nodes_[m.value]; !n.interface && !resolve_flows_of(n, uses > 0 || connected))
      return false;
  // Potentials: those of local nodes are the same unknown, another interface node needs an equation.
  for (NodeId m : members) {
    const NodeInfo& n = nodes_[m.value];
    if (&n == &keep) continue;
    for (auto [offset, is_flow] : list) {
      if (is_flow) continue;
      if (!n.interface) {
        columns_.merge(keep.first + offset, n.first + offset);
        continue;
      }
      ExprId a = machine_.signals.slot(ColumnRef(keep.first + offset).slot()),
             b = machine_.signals.slot(ColumnRef(n.first + offset).slot());
      rows_.add(machine_.signals.binary(Op::Sub, a, b),
                rows_.source(system::EquationKind::Potential, n.span, columns_[n.first + offset].name),
                RowKind::Equation);
    }
  }
  // Flows: a substitution, or a sum for each.
  const bool substitution = !connected && uses <= 1;
  if (substitution || (uses == 1 && interfaces == 1)) {
    if (uses == 1 && head)
      for (NodeId m : members)
        for_each_use(nodes_[m.value], [&](const Use& u) {
          std::uint32_t flow = 0;
          for (auto [offset, is_flow] : list)
            if (is_flow) columns_.merge(head->first + offset, u.first_flow + flow++);
        });
    return true;
  }
  if (uses == 0 && interfaces == 0) return true;
  std::uint32_t flow = 0;
  for (auto [offset, is_flow] : list) {
    if (!is_flow) continue;
    for (NodeId m : members) {
      const NodeInfo& n = nodes_[m.value];
      for_each_use(n, [&](const Use& u) { rows_.add_term(u.first_flow + flow, false); });
      if (n.interface) rows_.add_term(n.first + offset, true);
    }
    rows_.end_sum(rows_.source(system::EquationKind::NodeSum, keep.span, keep.name));
    ++flow;
  }
  return true;
}

}  // namespace sigrel::elaborate
