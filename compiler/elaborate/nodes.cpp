// Applications and nodes. A connector variable is a node: every application that names it uses it, each use has flows of its
// own, and potentials are shared. When the body is complete, each node (with what `connect` joined to it) either is plain
// substitution (one use, nothing joined) or gets one sum per flow.
#include <fmt/format.h>

#include "compiler/elaborate/body.h"
#include "compiler/elaborate/moving.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

std::vector<std::pair<std::uint32_t, bool>> BodyBuilder::scalars(LayoutId id) const {
  const LayoutNode& node = machine_.layouts()[id];
  const auto& fields = machine_.code().program().records[node.record.value].fields;
  std::vector<std::pair<std::uint32_t, bool>> result;
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (std::uint32_t k = 0; k < machine_.layouts()[node.elements[i]].scalars; ++k) result.push_back({offset++, fields[i].flow});
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
  Object* o = machine.heap().object(vector ? ObjectKind::Vector : node.kind == core::LayoutKind::Record ? ObjectKind::Record : ObjectKind::Tuple, size);
  o->a = node.record.value;
  for (std::uint32_t i = 0; i < size; ++i) o->items[i] = value_over(machine, vector ? node.elements[0] : node.elements[i], columns, at);
  return Value::of(o);
}

}  // namespace

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
      columns.push_back(node.uses[object.b].first_flow + flow_offset + k);
    else
      columns.push_back(node.first + offset + k);
  }
  if (fields[field].flow && object.b == kConstant && !node.flow_read) node.flow_read = span;
  std::size_t at = 0;
  return value_over(machine_, layout.elements[field], columns, at);
}

std::optional<Value> BodyBuilder::member(const core::MemberExpr& m, const Value& base, std::span<const Value> indices) {
  std::string suffix;
  auto add = [&](std::span<const Value> list) {
    for (std::size_t i = 0; i < list.size(); ++i) suffix += fmt::format("{}{}", i ? "," : "[", list[i].integer);
    if (!list.empty()) suffix += "]";
  };
  for (const Value& v : indices)
    if (v.tag != Tag::Int) {
      machine_.diagnostics().report(sigrel::Code::SignalSteersStructure, m.span, fmt::format("an instance is chosen by {}; an Int that is known before the simulation is needed", kind_of(v)));
      return std::nullopt;
    }
  if (is_object(base, ObjectKind::Member)) {
    const DeepPlan& outer = deep_[base.object->a];
    for (const Value& v : indices) machine_.pin(v);
    add(indices);
    Object* o = machine_.heap().object(ObjectKind::Member, 0);
    o->a = deep(outer.child, outer.name + "." + std::string(text(m.member)) + suffix, m.span) & ~kDeep;
    return Value::of(o);
  }
  if (!is_object(base, ObjectKind::Label)) {
    machine_.diagnostics().report(sigrel::Code::NoSuchMember, m.span, fmt::format("{} has no variable `{}`", kind_of(base), text(m.member)));
    return std::nullopt;
  }
  const LabelInfo& label = labels_.at(base.object->a);
  std::size_t own = indices.size() - m.indices.size();
  // The instance of another turn moves with the turn, as what that turn made does; the last one with the size.
  auto follows = [&](const Value& v) { return label.moving && (v.index == Motion{0, 1}.index() || v.index == Motion{1, 0}.index()); };
  for (std::size_t k = 0; k < indices.size(); ++k)
    if (k >= own || !follows(indices[k])) machine_.pin(indices[k]);
  std::vector<std::int64_t> key;
  if (own < label.depth) key.assign(loops_.begin(), loops_.begin() + static_cast<std::ptrdiff_t>(std::min(loops_.size(), label.depth - own)));
  for (const Value& v : indices.first(own)) key.push_back(v.integer);
  auto it = label.children.find(key);
  if (it == label.children.end()) {
    machine_.not_ready();
    return std::nullopt;
  }
  if (m.interface_index) {
    Value bound = children_[it->second].formals[*m.interface_index];
    if (own == indices.size()) return bound;
    for (const Value& v : indices.subspan(own)) {
      if (!is_object(bound, ObjectKind::Vector) || v.integer < 1 || v.integer > bound.object->size) {
        machine_.diagnostics().report(sigrel::Code::IndexOutOfRange, m.span, fmt::format("index {} is outside `{}`", v.integer, text(m.member)));
        return std::nullopt;
      }
      bound = bound.object->items[v.integer - 1];
    }
    return bound;
  }
  add(indices.subspan(own));
  Object* o = machine_.heap().object(ObjectKind::Member, 0);
  o->a = deep(it->second, std::string(text(m.member)) + suffix, m.span) & ~kDeep;
  return Value::of(o);
}

Value BodyBuilder::member_field(const Object& member, std::uint32_t, Name name) {
  const DeepPlan outer = deep_[member.a];
  Object* o = machine_.heap().object(ObjectKind::Member, 0);
  o->a = deep(outer.child, outer.name + "." + std::string(text(name)), outer.span) & ~kDeep;
  return Value::of(o);
}

Value BodyBuilder::member_index(const Object& member, std::span<const Value> indices) {
  const DeepPlan outer = deep_[member.a];
  std::string name = outer.name;
  for (std::size_t i = 0; i < indices.size(); ++i) name += fmt::format("{}{}", i ? "," : "[", indices[i].integer);
  Object* o = machine_.heap().object(ObjectKind::Member, 0);
  o->a = deep(outer.child, name + "]", outer.span) & ~kDeep;
  return Value::of(o);
}

ExprId BodyBuilder::member_signal(const Object& member) { return machine_.signals.slot(kDeep | member.a); }

// Appends the columns of one interface variable to the child's arguments. An expression becomes an auxiliary unknown with
// an equation of its own, so that two equations on one number cannot determine two unknowns in it.
bool BodyBuilder::bind(LayoutId id, Value& argument, ChildInfo& child, std::uint32_t child_index, const std::string& formal, Span span) {
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
          .report(sigrel::Code::NotANode, span, fmt::format("`{}` of `{}` is a connector; this is {}", formal, child.name, kind_of(argument)))
          .help("pass a variable of the connector's type: its flow must have a name");
      return false;
    }
    NodeInfo& n = nodes_[argument.object->a];
    std::uint32_t first_flow = static_cast<std::uint32_t>(columns_.size());
    std::vector<std::string> names;
    machine_.layouts().names(id, child.name + "." + formal, names);
    for (auto [offset, flow] : scalars(id)) {
      if (!flow) {
        child.arguments.push_back(n.first + offset);
      } else {
        child.arguments.push_back(column(names[offset], span, system::UnknownKind::Flow));
      }
    }
    n.uses.push_back({child_index, first_flow, span});
    Object* o = machine_.heap().object(ObjectKind::Node, 0);
    o->a = argument.object->a;
    o->b = static_cast<std::uint32_t>(n.uses.size() - 1);
    argument = Value::of(o);
    return true;
  }
  if (!node.elements.empty() || node.kind == core::LayoutKind::Tuple) {
    bool vector = node.kind == core::LayoutKind::Vector;
    auto size = vector ? node.size : static_cast<std::uint32_t>(node.elements.size());
    bool aggregate = is_object(argument, ObjectKind::Vector) || is_object(argument, ObjectKind::Record) || is_object(argument, ObjectKind::Tuple);
    if (!aggregate || argument.object->size != size) {
      machine_.diagnostics().report(sigrel::Code::SizeMismatch, span,
                                    fmt::format("`{}` of `{}` has {} elements; this is {}{}", formal, child.name, size, kind_of(argument),
                                                aggregate ? fmt::format(" of {}", argument.object->size) : ""));
      return false;
    }
    Object* o = machine_.heap().object(argument.object->kind, size);
    o->a = argument.object->a;
    for (std::uint32_t i = 0; i < size; ++i) {
      o->items[i] = argument.object->items[i];
      std::string part = vector ? fmt::format("{}[{}]", formal, i + 1) : formal;
      if (!bind(vector ? node.elements[0] : node.elements[i], o->items[i], child, child_index, part, span)) return false;
    }
    argument = Value::of(o);
    return true;
  }
  auto signal = machine_.to_signal(argument, span);
  if (!signal) return false;
  const Node n = machine_.signals[*signal];
  if (n.op == Op::Slot && !(n.a & kDeep)) {
    child.arguments.push_back(n.a);
    return true;
  }
  std::uint32_t aux = column(child.name + "." + formal, span, system::UnknownKind::Auxiliary, node.kind);
  child.arguments.push_back(aux);
  ExprId value = machine_.signals.slot(aux);
  row(symbolic::simplified(machine_.signals, {Op::Sub, value.value, signal->value, 0, 0}), source(system::EquationKind::Argument, span, ""), RowKind::Equation);
  argument = Value::of_signal(value);
  return true;
}

namespace {

// What layout a value of signals has: for interfaces whose size no annotation says.
std::optional<LayoutId> layout_of(Machine& machine, const Value& v, const std::function<LayoutId(std::uint32_t)>& node_layout) {
  if (v.tag == Tag::Bool) return machine.layouts().scalar(core::LayoutKind::Bool);
  if (v.tag == Tag::Signal || v.tag == Tag::Real || v.tag == Tag::Int || is_object(v, ObjectKind::Member)) return machine.layouts().scalar(core::LayoutKind::Real);
  if (v.tag != Tag::Object) return std::nullopt;
  if (v.object->kind == ObjectKind::Node) return node_layout(v.object->a);
  std::vector<LayoutId> elements;
  for (const Value& e : v.object->span()) {
    auto l = layout_of(machine, e, node_layout);
    if (!l) return std::nullopt;
    elements.push_back(*l);
  }
  if (v.object->kind == ObjectKind::Vector)
    return machine.layouts().vector(elements.empty() ? machine.layouts().scalar(core::LayoutKind::Real) : elements[0], v.object->size);
  if (v.object->kind == ObjectKind::Record) return machine.layouts().record(core::RecordId{v.object->a}, elements);
  if (v.object->kind == ObjectKind::Tuple) return machine.layouts().tuple(elements);
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> BodyBuilder::apply(RelationObject& relation, std::vector<Value> arguments, bool fresh, std::string name,
                                                bool labelled, Span span, Span) {
  const core::Relation& literal = *relation.relation().relation;
  auto declared = machine_.interface(relation);
  if (!declared) return std::nullopt;
  std::vector<LayoutId> layouts;
  for (std::size_t i = 0; i < declared->size(); ++i) {
    std::optional<LayoutId> l = (*declared)[i];
    if (!l && !fresh) l = layout_of(machine_, arguments[i], [&](std::uint32_t n) { return nodes_[n].layout; });
    if (!l) {
      if (!fresh && is_object(arguments[i], ObjectKind::Unbound)) {
        machine_.not_ready();
        return std::nullopt;
      }
      machine_.diagnostics()
          .report(sigrel::Code::SizeNotKnown, span, fmt::format("the size of `{}` of `{}` is not known", text(literal.formals[i].name), text(literal.name)))
          .also(literal.formals[i].span, "its type says no size")
          .help("write the size in the type of the relation or declare the variable that is passed");
      return std::nullopt;
    }
    layouts.push_back(*l);
  }
  auto index = static_cast<std::uint32_t>(children_.size());
  ChildInfo child{&relation, machine_.layouts().tuple(layouts), {}, std::move(arguments), std::move(name), labelled, span};
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    std::string formal(text(literal.formals[i].name));
    if (fresh) {
      std::uint32_t next = kConstant;
      child.formals[i] = variable(layouts[i], child.name + "." + formal, span, false, next);
    }
    if (!bind(layouts[i], child.formals[i], child, index, formal, span)) return std::nullopt;
  }
  children_.push_back(std::move(child));
  return index;
}

std::optional<Value> BodyBuilder::block_apply(const Value& value, const Value& inputs, Span span) {
  if (!is_object(value, ObjectKind::Relation)) {
    machine_.diagnostics().report(sigrel::Code::NotSupported, span, fmt::format("`<>` applies a signal relation; this is {}", kind_of(value)));
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
    machine_.diagnostics().report(sigrel::Code::SizeMismatch, span, fmt::format("`{}` has {} inputs, {} are given", text(literal.name), ins, given.size()));
    return std::nullopt;
  }
  auto declared = machine_.interface(relation);
  if (!declared) return std::nullopt;
  std::string name(text(literal.name));
  if (int n = ++child_names_[name]; n > 1) name += fmt::format("#{}", n);
  std::vector<Value> arguments, outputs;
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < literal.formals.size(); ++i) {
    if (literal.formals[i].causality != core::Causality::Out) {
      arguments.push_back(given[next_input++]);
      continue;
    }
    std::uint32_t next = kConstant;
    LayoutId layout = (*declared)[i].value_or(machine_.layouts().scalar(core::LayoutKind::Real));
    arguments.push_back(variable(layout, name + "." + std::string(text(literal.formals[i].name)), span, false, next));
    outputs.push_back(arguments.back());
  }
  if (!apply(relation, std::move(arguments), false, name, false, span, span)) return std::nullopt;
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
          .report(sigrel::Code::NotANode, item.nodes[i]->span, fmt::format("`connect` joins connectors; this is {}", kind_of(values[i])))
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
          machine_.diagnostics().report(sigrel::Code::SizeMismatch, item.span, "these vectors of connectors differ in size");
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
  struct Class {
    std::vector<std::uint32_t> members;
    std::size_t uses = 0;
    bool connected = false;
  };
  std::vector<Class> classes(nodes_.size());
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    Class& c = classes[class_of(n)];
    c.members.push_back(n);
    c.uses += nodes_[n].uses.size();
    c.connected |= nodes_[n].connected;
  }
  for (Class& c : classes) {
    if (c.members.empty()) continue;
    auto list = scalars(nodes_[c.members[0]].layout);
    const NodeInfo* head = nullptr;  // the interface node that the others are equal to
    std::size_t interfaces = 0;
    for (std::uint32_t m : c.members)
      if (nodes_[m].interface) {
        if (!head) head = &nodes_[m];
        ++interfaces;
      }
    const NodeInfo& keep = head ? *head : nodes_[c.members[0]];

    // The flow of a variable means something where one part uses it.
    for (std::uint32_t m : c.members) {
      NodeInfo& n = nodes_[m];
      if (n.interface) continue;
      if (n.flow_read && n.uses.size() > 1) {
        Diagnostic& d = machine_.diagnostics().report(sigrel::Code::FlowIsAmbiguous, *n.flow_read,
                                                      fmt::format("`{}` is a node of {} parts: which of their flows is meant?", n.name, n.uses.size()));
        d.also(n.uses[0].span, "one part").also(n.uses[1].span, "another");
        d.help("label the part and read its own flow, for example `r1.p.i`");
        return;
      }
      std::uint32_t flow = 0;
      for (auto [offset, is_flow] : list) {
        if (!is_flow) continue;
        if (n.uses.size() == 1)
          merge(n.first + offset, n.uses[0].first_flow + flow);
        else if (!n.flow_read && (c.uses > 0 || c.connected))
          columns_[n.first + offset].dropped = true;
        ++flow;
      }
    }
    // Potentials: locals are the same unknown, another interface node needs an equation.
    for (std::uint32_t m : c.members) {
      const NodeInfo& n = nodes_[m];
      if (&n == &keep) continue;
      for (auto [offset, is_flow] : list) {
        if (is_flow) continue;
        if (!n.interface) {
          merge(keep.first + offset, n.first + offset);
          continue;
        }
        ExprId a = machine_.signals.slot(keep.first + offset), b = machine_.signals.slot(n.first + offset);
        row(machine_.signals.binary(Op::Sub, a, b), source(system::EquationKind::Potential, n.span, columns_[n.first + offset].name), RowKind::Equation);
      }
    }
    // Flows.
    bool substitution = !c.connected && c.uses <= 1;
    if (substitution || (c.uses == 1 && interfaces == 1)) {
      if (c.uses == 1 && head) {
        for (std::uint32_t m : c.members)
          for (const Use& use : nodes_[m].uses) {
            std::uint32_t flow = 0;
            for (auto [offset, is_flow] : list)
              if (is_flow) merge(head->first + offset, use.first_flow + flow++);
          }
      }
      continue;
    }
    if (c.uses == 0 && interfaces == 0) continue;
    std::uint32_t flow = 0;
    for (auto [offset, is_flow] : list) {
      if (!is_flow) continue;
      Sum sum;
      for (std::uint32_t m : c.members) {
        for (const Use& use : nodes_[m].uses) sum.terms.push_back((use.first_flow + flow) << 1);
        if (nodes_[m].interface) sum.terms.push_back((nodes_[m].first + offset) << 1 | 1);
      }
      sum.source = source(system::EquationKind::NodeSum, keep.span, keep.name);
      sums_.push_back(std::move(sum));
      ++flow;
    }
  }
}

}  // namespace sigrel::elaborate
