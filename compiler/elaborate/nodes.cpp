// Applications and nodes. A connector variable is a node: every application that names it uses it, each use
// has flows of its own, and potentials are shared. When the body is complete, each node (with what `connect`
// joined to it) either is plain substitution (one use, nothing joined) or gets one sum per flow.
#include <fmt/format.h>

#include "compiler/elaborate/body.h"
#include "compiler/elaborate/values.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

const std::vector<std::pair<std::uint32_t, bool>>& BodyBuilder::scalars(LayoutId id) {
  auto [it, fresh] = scalars_.try_emplace(id);
  std::vector<std::pair<std::uint32_t, bool>>& result = it->second;
  if (!fresh) return result;
  const LayoutNode& node = machine_.layouts()[id];
  const auto& fields = machine_.code().program().records[node.record.value].fields;
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (std::uint32_t k = 0; k < machine_.layouts()[node.elements[i]].scalars; ++k)
      result.push_back({offset++, fields[i].flow});
  return result;
}

std::uint32_t BodyBuilder::class_of(std::uint32_t n) {
  while (nodes_[n].parent != n) {
    nodes_[n].parent = nodes_[nodes_[n].parent].parent;
    n = nodes_[n].parent;
  }
  return n;
}

namespace {

// The value of a field's layout over given columns.
Value value_over(Machine& machine, LayoutId id, std::span<const std::uint32_t> columns, std::size_t& at) {
  const LayoutNode node = machine.layouts()[id];
  if (node.elements.empty()) return Value::of_signal(machine.signals.slot(columns[at++]));
  bool vector = node.kind == core::LayoutKind::Vector;
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

bool BodyBuilder::is_potential(const Object& node, std::uint32_t field) const {
  const LayoutNode& layout = machine_.layouts()[nodes_[node.a].layout];
  return !machine_.code().program().records[layout.record.value].fields[field].flow;
}

std::optional<Value> BodyBuilder::node_field(const Object& object, std::uint32_t field, Span span) {
  NodeInfo& node = nodes_[object.a];
  const LayoutNode layout = machine_.layouts()[node.layout];
  const auto& fields = machine_.code().program().records[layout.record.value].fields;
  std::uint32_t offset = 0, flow_offset = 0;
  for (std::uint32_t i = 0; i < field; ++i) {
    std::uint32_t n = machine_.layouts()[layout.elements[i]].scalars;
    offset += n;
    if (fields[i].flow) flow_offset += n;
  }
  std::vector<std::uint32_t> columns;
  for (std::uint32_t k = 0; k < machine_.layouts()[layout.elements[field]].scalars; ++k) {
    if (fields[field].flow && object.b != kConstant)
      columns.push_back(uses_[object.b].first_flow + flow_offset + k);
    else
      columns.push_back(node.first + offset + k);
  }
  if (fields[field].flow && object.b == kConstant && !node.flow_read) node.flow_read = span;
  std::size_t at = 0;
  return value_over(machine_, layout.elements[field], columns, at);
}

namespace {

/// Names of one turn after the other, whose numbers are some apart, stand side by side.
std::uint64_t label_hash(std::uint32_t slot, LocalName name) {
  return mixed(slot, name.value / 256) * 16 + name.value / 16 % 16;
}

}  // namespace

void BodyBuilder::label_child(std::uint32_t slot, LocalName name) {
  labelled_.put(
      label_hash(slot, name), static_cast<std::uint32_t>(children_.size() - 1),
      [&](std::uint32_t k) { return children_[k].label == slot && children_[k].name == name; },
      [&](std::uint32_t k) { return label_hash(children_[k].label, children_[k].name); });
}

std::optional<std::uint32_t> BodyBuilder::labelled(std::uint32_t slot, LocalName name) const {
  const std::uint32_t found = labelled_.find(label_hash(slot, name), [&](std::uint32_t k) {
    return children_[k].label == slot && children_[k].name == name;
  });
  return found == IndexTable::kMissing ? std::nullopt : std::optional(found);
}

std::optional<Value> BodyBuilder::member(const core::MemberExpr& m, const Value& base,
                                         std::span<const Value> indices) {
  std::string suffix;
  auto add = [&](std::span<const Value> list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      suffix += fmt::format("{}{}", i ? "," : "[", list[i].integer);
    if (!list.empty()) suffix += "]";
  };
  for (const Value& v : indices)
    if (v.tag != Tag::Int) {
      machine_.diagnostics().report(
          Code::SignalSteersStructure, m.span,
          fmt::format("an instance is chosen by {}; an Int that is known before the simulation is needed",
                      kind_of(v)));
      return std::nullopt;
    }
  if (is_object(base, ObjectKind::Member)) {
    const DeepPlan& outer = deep_[base.object->a];
    for (const Value& v : indices) machine_.pin(v);
    add(indices);
    Object* o = machine_.heap().object(ObjectKind::Member, 0);
    o->a = deep(outer.child,
                intern(std::string(text(outer.name)) + "." + std::string(text(m.member)) + suffix), m.span) &
           ~kDeep;
    return Value::of(o);
  }
  if (!is_object(base, ObjectKind::Label)) {
    machine_.diagnostics().report(Code::NoSuchMember, m.span,
                                  fmt::format("{} has no variable `{}`", kind_of(base), text(m.member)));
    return std::nullopt;
  }
  const LabelInfo& label = labels_.at(base.object->a);
  std::size_t own = indices.size() - m.indices.size();
  // The instance of another turn moves with the turn, as what that turn made does; the last one with the
  // size.
  auto follows = [&](const Value& v) {
    return label.moving &&
           (v.index == SizeDependence{0, 1}.encode() || v.index == SizeDependence{1, 0}.encode());
  };
  for (std::size_t k = 0; k < indices.size(); ++k)
    if (k >= own || !follows(indices[k])) machine_.pin(indices[k]);
  // The turns of the loops around both, then what is given.
  LocalName wanted = label.name;
  std::size_t depth = 0;
  auto turn = [&](std::int64_t i) { wanted = depth++ ? next_index(wanted, i) : element(wanted, i); };
  if (own < label.depth)
    for (std::size_t k = 0; k < std::min(loops_.size(), label.depth - own); ++k) turn(loops_[k]);
  for (const Value& v : indices.first(own)) turn(v.integer);
  const auto child = labelled(base.object->a, wanted);
  if (!child) {
    machine_.not_ready();
    return std::nullopt;
  }
  if (m.interface_index) {
    Value bound = formals_[children_[*child].first_formal + *m.interface_index];
    if (own == indices.size()) return bound;
    for (const Value& v : indices.subspan(own)) {
      if (!is_object(bound, ObjectKind::Vector) || v.integer < 1 || v.integer > bound.object->size) {
        machine_.diagnostics().report(Code::IndexOutOfRange, m.span,
                                      fmt::format("index {} is outside `{}`", v.integer, text(m.member)));
        return std::nullopt;
      }
      bound = bound.object->items[v.integer - 1];
    }
    return bound;
  }
  add(indices.subspan(own));
  Object* o = machine_.heap().object(ObjectKind::Member, 0);
  o->a =
      deep(*child, suffix.empty() ? m.member : intern(std::string(text(m.member)) + suffix), m.span) & ~kDeep;
  return Value::of(o);
}

Value BodyBuilder::member_field(const Object& member, std::uint32_t, Name name) {
  const DeepPlan outer = deep_[member.a];
  Object* o = machine_.heap().object(ObjectKind::Member, 0);
  o->a =
      deep(outer.child, intern(std::string(text(outer.name)) + "." + std::string(text(name))), outer.span) &
      ~kDeep;
  return Value::of(o);
}

Value BodyBuilder::member_index(const Object& member, std::span<const Value> indices) {
  const DeepPlan outer = deep_[member.a];
  std::string name(text(outer.name));
  for (std::size_t i = 0; i < indices.size(); ++i)
    name += fmt::format("{}{}", i ? "," : "[", indices[i].integer);
  Object* o = machine_.heap().object(ObjectKind::Member, 0);
  o->a = deep(outer.child, intern(name + "]"), outer.span) & ~kDeep;
  return Value::of(o);
}

ExprId BodyBuilder::member_signal(const Object& member) { return machine_.signals.slot(kDeep | member.a); }

namespace {

/// "p" of `r1.p` in `r1`.
std::string relative(LocalName name, LocalName of) { return text(name).substr(text(of).size() + 1); }

}  // namespace

// Appends the columns of one interface variable to the child's arguments. An expression becomes an auxiliary
// unknown with an equation of its own, so that two equations on one number cannot determine two unknowns in
// it.
bool BodyBuilder::bind(LayoutId id, Value& argument, const ChildInfo& child, LocalName formal, Span span) {
  const LayoutNode node = machine_.layouts()[id];
  if (is_object(argument, ObjectKind::Unbound)) {
    Unbound& u = unbound_[argument.object->a];
    if (!u.bound) {
      std::uint32_t next = kConstant;
      u.bound = true;
      u.layout = id;
      u.value = variable(id, u.name, u.span, false, next);
      machine_.slot(argument.object->b) = u.value;
    }
    argument = u.value;
  }
  if (machine_.layouts().is_connector(id)) {
    if (!is_object(argument, ObjectKind::Node)) {
      machine_.diagnostics()
          .report(Code::NotANode, span,
                  fmt::format("`{}` of `{}` is a connector; this is {}", relative(formal, child.name),
                              text(child.name), kind_of(argument)))
          .help("pass a variable of the connector's type: its flow must have a name");
      return false;
    }
    const NodeInfo& n = nodes_[argument.object->a];
    std::uint32_t first_flow = static_cast<std::uint32_t>(columns_.size());
    for (auto [offset, flow] : scalars(id)) {
      arguments_.push_back(
          flow ? column(machine_.layouts().name(id, formal, offset), span, system::UnknownKind::Flow)
               : n.first + offset);
      if (flow) columns_.back().unit = columns_[n.first + offset].unit;
    }
    const std::uint32_t used = use(argument.object->a, first_flow, span);
    if (child.first_formal == kConstant) return true;
    Object* o = machine_.heap().object(ObjectKind::Node, 0);
    o->a = argument.object->a;
    o->b = used;
    argument = Value::of(o);
    return true;
  }
  if (!node.elements.empty() || node.kind == core::LayoutKind::Tuple) {
    bool vector = node.kind == core::LayoutKind::Vector;
    auto size = vector ? node.size : static_cast<std::uint32_t>(node.elements.size());
    bool aggregate = is_object(argument, ObjectKind::Vector) || is_object(argument, ObjectKind::Record) ||
                     is_object(argument, ObjectKind::Tuple);
    if (!aggregate || argument.object->size != size) {
      machine_.diagnostics().report(
          Code::SizeMismatch, span,
          fmt::format("`{}` of `{}` has {} elements; this is {}{}", relative(formal, child.name),
                      text(child.name), size, kind_of(argument),
                      aggregate ? fmt::format(" of {}", argument.object->size) : ""));
      return false;
    }
    Object* o = machine_.heap().object(argument.object->kind, size);
    o->a = argument.object->a;
    for (std::uint32_t i = 0; i < size; ++i) {
      o->items[i] = argument.object->items[i];
      if (!bind(vector ? node.elements[0] : node.elements[i], o->items[i], child,
                vector ? element(formal, i + 1) : formal, span))
        return false;
    }
    argument = Value::of(o);
    return true;
  }
  auto signal = machine_.to_signal(argument, span);
  if (!signal) return false;
  const Node n = machine_.signals[*signal];
  if (n.op == Op::Slot && !(n.a & kDeep)) {
    arguments_.push_back(n.a);
    return true;
  }
  std::uint32_t aux = column(formal, span, system::UnknownKind::Auxiliary, node.kind);
  arguments_.push_back(aux);
  ExprId value = machine_.signals.slot(aux);
  row(symbolic::simplified(machine_.signals, {Op::Sub, value.value, signal->value, 0, 0}),
      source(system::EquationKind::Argument, span, ""), RowKind::Equation);
  argument = Value::of_signal(value);
  return true;
}

/// One more part uses the node.
std::uint32_t BodyBuilder::use(std::uint32_t node, std::uint32_t first_flow, Span span) {
  NodeInfo& n = nodes_[node];
  const auto made = static_cast<std::uint32_t>(uses_.size());
  uses_.push_back({first_flow, kConstant, span});
  (n.uses++ ? uses_[n.last_use].next : n.first_use) = made;
  n.last_use = made;
  return made;
}

// What layout a value of signals has: for interfaces whose size no annotation says.
std::optional<LayoutId> BodyBuilder::layout_of(const Value& v) {
  Layouts& layouts = machine_.layouts();
  if (v.tag == Tag::Bool) return layouts.scalar(core::LayoutKind::Bool);
  if (v.tag == Tag::Signal || v.tag == Tag::Real || v.tag == Tag::Int || is_object(v, ObjectKind::Member))
    return layouts.scalar(core::LayoutKind::Real);
  if (v.tag != Tag::Object) return std::nullopt;
  if (v.object->kind == ObjectKind::Node) return nodes_[v.object->a].layout;
  std::vector<LayoutId> elements;
  for (const Value& e : v.object->span()) {
    auto l = layout_of(e);
    if (!l) return std::nullopt;
    elements.push_back(*l);
  }
  if (v.object->kind == ObjectKind::Vector)
    return layouts.vector(elements.empty() ? layouts.scalar(core::LayoutKind::Real) : elements[0],
                          v.object->size);
  if (v.object->kind == ObjectKind::Record) return layouts.record(core::RecordId{v.object->a}, elements);
  if (v.object->kind == ObjectKind::Tuple) return layouts.tuple(elements);
  return std::nullopt;
}

std::optional<std::uint32_t> BodyBuilder::apply(RelationObject& relation, std::vector<Value> arguments,
                                                bool fresh, LocalName name, std::uint32_t label, Span span,
                                                Span) {
  const core::Relation& literal = *relation.relation().relation;
  auto declared = machine_.interface(relation);
  if (!declared) return std::nullopt;
  std::vector<LayoutId> layouts;
  for (std::size_t i = 0; i < declared->size(); ++i) {
    std::optional<LayoutId> l = (*declared)[i];
    if (!l && !fresh) l = layout_of(arguments[i]);
    if (!l) {
      if (!fresh && is_object(arguments[i], ObjectKind::Unbound)) {
        machine_.not_ready();
        return std::nullopt;
      }
      machine_.diagnostics()
          .report(Code::SizeNotKnown, span,
                  fmt::format("the size of `{}` of `{}` is not known", text(literal.formals[i].name),
                              text(literal.name)))
          .also(literal.formals[i].span, "its type says no size")
          .help("write the size in the type of the relation or declare the variable that is passed");
      return std::nullopt;
    }
    layouts.push_back(*l);
  }
  auto index = static_cast<std::uint32_t>(children_.size());
  ChildInfo child{&relation,
                  machine_.layouts().tuple(layouts),
                  static_cast<std::uint32_t>(arguments_.size()),
                  kConstant,
                  name,
                  label,
                  span};
  if (label != kConstant) child.first_formal = static_cast<std::uint32_t>(formals_.size());
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const LocalName formal = field(name, literal.formals[i].name);
    if (fresh) {
      std::uint32_t next = kConstant;
      arguments[i] = variable(layouts[i], formal, span, false, next);
    }
    if (bind(layouts[i], arguments[i], child, formal, span)) continue;
    arguments_.resize(child.first_argument);
    return std::nullopt;
  }
  if (label != kConstant) formals_.insert(formals_.end(), arguments.begin(), arguments.end());
  children_.push_back(child);
  return index;
}

std::optional<Value> BodyBuilder::block_apply(const Value& value, const Value& inputs, Span span) {
  if (!is_object(value, ObjectKind::Relation)) {
    machine_.diagnostics().report(Code::NotSupported, span,
                                  fmt::format("`<>` applies a signal relation; this is {}", kind_of(value)));
    return std::nullopt;
  }
  auto& relation = *static_cast<RelationObject*>(value.object);
  const core::Relation& literal = *relation.relation().relation;
  std::vector<Value> given;
  std::size_t ins = 0;
  for (const core::Formal& f : literal.formals) ins += f.causality != core::Causality::Out;
  if (ins == 1)
    given.push_back(inputs);
  else if (is_object(inputs, ObjectKind::Tuple))
    given.assign(inputs.object->items, inputs.object->items + inputs.object->size);
  if (given.size() != ins) {
    machine_.diagnostics().report(
        Code::SizeMismatch, span,
        fmt::format("`{}` has {} inputs, {} are given", text(literal.name), ins, given.size()));
    return std::nullopt;
  }
  auto declared = machine_.interface(relation);
  if (!declared) return std::nullopt;
  LocalName name = local_name(literal.name);
  if (std::uint32_t n = ++child_names_[literal.name]; n > 1) name = numbered(name, n);
  std::vector<Value> arguments, outputs;
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < literal.formals.size(); ++i) {
    if (literal.formals[i].causality != core::Causality::Out) {
      arguments.push_back(given[next_input++]);
      continue;
    }
    std::uint32_t next = kConstant;
    if (!(*declared)[i]) {
      machine_.diagnostics()
          .report(Code::SizeNotKnown, span,
                  fmt::format("the size of `{}` of `{}` is not known", text(literal.formals[i].name),
                              text(literal.name)))
          .also(literal.formals[i].span, "its type says no size")
          .help(
              "write the size in the type of the relation, or give the output a name: a declared variable "
              "among the arguments");
      return std::nullopt;
    }
    arguments.push_back(variable(*(*declared)[i], field(name, literal.formals[i].name), span, false, next));
    outputs.push_back(arguments.back());
  }
  if (!apply(relation, std::move(arguments), false, name, kConstant, span, span)) return std::nullopt;
  if (outputs.size() == 1) return outputs[0];
  Object* o = machine_.heap().object(ObjectKind::Tuple, static_cast<std::uint32_t>(outputs.size()));
  std::copy(outputs.begin(), outputs.end(), o->items);
  return Value::of(o);
}

Machine::Status BodyBuilder::connect_item(const core::ConnectItem& item) {
  std::optional<std::uint32_t> first;
  std::vector<Value> values(item.nodes.size());
  for (std::size_t i = 0; i < item.nodes.size(); ++i)
    if (Status s = evaluate(item.nodes[i], values[i]); s != Status::Done) return s;
  // Vectors of connectors join element by element.
  std::vector<std::vector<Value>> sets{values};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_object(values[i], ObjectKind::Unbound)) return Status::NotReady;
    if (!is_object(values[i], ObjectKind::Node) && !is_object(values[i], ObjectKind::Vector)) {
      machine_.diagnostics()
          .report(Code::NotANode, item.nodes[i]->span,
                  fmt::format("`connect` joins connectors; this is {}", kind_of(values[i])))
          .help("signals without flow are equated: `a = b`");
      return Status::Failed;
    }
  }
  while (!sets.empty()) {
    std::vector<Value> set = std::move(sets.back());
    sets.pop_back();
    if (is_object(set[0], ObjectKind::Vector)) {
      for (std::size_t i = 1; i < set.size(); ++i)
        if (!is_object(set[i], ObjectKind::Vector) || set[i].object->size != set[0].object->size) {
          machine_.diagnostics().report(Code::SizeMismatch, item.span,
                                        "these vectors of connectors differ in size");
          return Status::Failed;
        }
      for (std::uint32_t k = 0; k < set[0].object->size; ++k) {
        std::vector<Value> elements;
        for (const Value& v : set) elements.push_back(v.object->items[k]);
        sets.push_back(std::move(elements));
      }
      continue;
    }
    for (const Value& v : set) {
      nodes_[v.object->a].connected = true;
      nodes_[class_of(v.object->a)].parent = class_of(set[0].object->a);
    }
  }
  return Status::Done;
}

void BodyBuilder::resolve_nodes() {
  // The nodes of each class, side by side.
  const auto count = static_cast<std::uint32_t>(nodes_.size());
  std::vector<std::uint32_t> offsets(count + 1, 0), members(count);
  for (std::uint32_t n = 0; n < count; ++n) ++offsets[class_of(n) + 1];
  for (std::uint32_t c = 0; c < count; ++c) offsets[c + 1] += offsets[c];
  std::vector<std::uint32_t> at(offsets.begin(), offsets.end() - 1);
  for (std::uint32_t n = 0; n < count; ++n) members[at[class_of(n)]++] = n;
  for (std::uint32_t c = 0; c < count; ++c)
    if (offsets[c + 1] > offsets[c] &&
        !resolve_class(std::span(members).subspan(offsets[c], offsets[c + 1] - offsets[c])))
      return;
}

bool BodyBuilder::resolve_class(std::span<const std::uint32_t> members) {
  std::size_t total = 0;  // of uses
  bool connected = false;
  const NodeInfo* head = nullptr;  // the interface node that the others are equal to
  std::size_t interfaces = 0;
  for (std::uint32_t m : members) {
    total += nodes_[m].uses;
    connected |= nodes_[m].connected;
    if (nodes_[m].interface && interfaces++ == 0) head = &nodes_[m];
  }
  const auto& list = scalars(nodes_[members[0]].layout);
  const NodeInfo& keep = head ? *head : nodes_[members[0]];

  // The flow of a variable means something where one part uses it.
  for (std::uint32_t m : members) {
    NodeInfo& n = nodes_[m];
    if (n.interface) continue;
    if (n.flow_read && n.uses > 1) {
      Diagnostic& d = machine_.diagnostics().report(
          Code::FlowIsAmbiguous, *n.flow_read,
          fmt::format("`{}` is a node of {} parts: which of their flows is meant?", text(n.name), n.uses));
      const Use& first = uses_[n.first_use];
      d.also(first.span, "one part").also(uses_[first.next].span, "another");
      d.help("label the part and read its own flow, for example `r1.p.i`");
      return false;
    }
    std::uint32_t flow = 0;
    for (auto [offset, is_flow] : list) {
      if (!is_flow) continue;
      if (n.uses == 1)
        merge(n.first + offset, uses_[n.first_use].first_flow + flow);
      else if (!n.flow_read && (total > 0 || connected))
        columns_[n.first + offset].dropped = true;
      ++flow;
    }
  }
  // Potentials: locals are the same unknown, another interface node needs an equation.
  for (std::uint32_t m : members) {
    const NodeInfo& n = nodes_[m];
    if (&n == &keep) continue;
    for (auto [offset, is_flow] : list) {
      if (is_flow) continue;
      if (!n.interface) {
        merge(keep.first + offset, n.first + offset);
        continue;
      }
      ExprId a = machine_.signals.slot(keep.first + offset), b = machine_.signals.slot(n.first + offset);
      row(machine_.signals.binary(Op::Sub, a, b),
          source(system::EquationKind::Potential, n.span, columns_[n.first + offset].name),
          RowKind::Equation);
    }
  }
  // Flows.
  bool substitution = !connected && total <= 1;
  if (substitution || (total == 1 && interfaces == 1)) {
    if (total == 1 && head) {
      for (std::uint32_t m : members)
        for (std::uint32_t u = nodes_[m].first_use; u != kConstant; u = uses_[u].next) {
          std::uint32_t flow = 0;
          for (auto [offset, is_flow] : list)
            if (is_flow) merge(head->first + offset, uses_[u].first_flow + flow++);
        }
    }
    return true;
  }
  if (total == 0 && interfaces == 0) return true;
  std::uint32_t flow = 0;
  for (auto [offset, is_flow] : list) {
    if (!is_flow) continue;
    for (std::uint32_t m : members) {
      for (std::uint32_t u = nodes_[m].first_use; u != kConstant; u = uses_[u].next)
        sum_terms_.push_back((uses_[u].first_flow + flow) << 1);
      if (nodes_[m].interface) sum_terms_.push_back((nodes_[m].first + offset) << 1 | 1);
    }
    sum_offsets_.push_back(static_cast<std::uint32_t>(sum_terms_.size()));
    sum_sources_.push_back(source(system::EquationKind::NodeSum, keep.span, keep.name));
    ++flow;
  }
  return true;
}

}  // namespace sigrel::elaborate
