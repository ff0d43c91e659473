#include "compiler/elaborate/applications.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {
namespace {

/// Puts the names of successive iterations, whose numbers differ by a constant, side by side.
std::uint64_t label_hash(LabelSlot label, LocalName name) {
  return mixed(label.value, name.value / 256) * 16 + name.value / 16 % 16;
}

/// "p" for the variable `r1.p` of `r1`.
std::string relative(LocalName name, LocalName of) { return text(name).substr(text(of).size() + 1); }

}  // namespace

RelationObject& Applications::shared(const core::ApplicationItem& item, RelationObject& relation) {
  if (machine_.size_analysis) return relation;
  RelationObject*& last = previous_[&item];
  auto same = [](const Value& a, const Value& b) {
    return a.tag == b.tag && a.tag != Tag::Undefined && a.index == b.index && a.integer == b.integer;
  };
  if (last && last->code == relation.code && last->own_captured == kNone && relation.own_captured == kNone &&
      last->origin == relation.origin && std::ranges::equal(last->span(), relation.span(), same))
    return *last;
  last = &relation;
  return relation;
}

void Applications::set_label() {
  const LabelSlot label = children_.back().label;
  const LocalName name = children_.back().name;
  by_label_.put(
      label_hash(label, name), static_cast<std::uint32_t>(children_.size() - 1),
      [&](std::uint32_t k) { return children_[k].label == label && children_[k].name == name; },
      [&](std::uint32_t k) { return label_hash(children_[k].label, children_[k].name); });
}

std::optional<ChildId> Applications::labelled(LabelSlot label, LocalName name) const {
  const std::uint32_t found = by_label_.find(label_hash(label, name), [&](std::uint32_t k) {
    return children_[k].label == label && children_[k].name == name;
  });
  return found == IndexTable::kMissing ? std::nullopt : std::optional(ChildId{found});
}

std::optional<Value> Applications::member(const core::MemberExpr& m, const Value& base,
                                          std::span<const Value> indices) {
  for (const Value& v : indices)
    if (v.tag != Tag::Int) {
      machine_.diagnostics().report(
          Code::SignalSteersStructure, m.span,
          fmt::format("an instance is chosen by {}; an Int that is known before the simulation is needed",
                      kind_of(v)));
      return std::nullopt;
    }
  if (is_object(base, ObjectKind::Member)) {
    for (const Value& v : indices) machine_.pin(v);
    return members_.field(member_of(*base.object), m.member, indices, m.span);
  }
  if (!is_object(base, ObjectKind::Label)) {
    machine_.diagnostics().report(Code::NoSuchMember, m.span,
                                  fmt::format("{} has no variable `{}`", kind_of(base), text(m.member)));
    return std::nullopt;
  }
  const LabelSlot slot{base.object->a};
  const Label& label = labels_.at(slot.value);
  const std::size_t own = indices.size() - m.indices.size();
  // The instance of another iteration follows the iteration, as the variables created there do; the last one
  // follows the size.
  auto follows = [&](const Value& v) {
    return label.size_dependent &&
           (v.index == SizeDependence{0, 1}.encode() || v.index == SizeDependence{1, 0}.encode());
  };
  for (std::size_t k = 0; k < indices.size(); ++k)
    if (k >= own || !follows(indices[k])) machine_.pin(indices[k]);
  // The indices of the loops around both, then the given ones.
  LocalName wanted = label.name;
  std::size_t depth = 0;
  auto add_index = [&](std::int64_t i) { wanted = depth++ ? next_index(wanted, i) : element(wanted, i); };
  if (own < label.depth)
    for (std::size_t k = 0; k < std::min(loops_.depth(), label.depth - own); ++k) add_index(loops_.all()[k]);
  for (const Value& v : indices.first(own)) add_index(v.integer);
  const auto child = labelled(slot, wanted);
  if (!child) {
    machine_.not_ready();
    return std::nullopt;
  }
  if (!m.interface_index) return members_.add(*child, m.member, indices.subspan(own), m.span);
  Value bound = formals_[children_[child->value].first_formal + *m.interface_index];
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

bool Applications::bind_node(LayoutId id, Value& argument, const Child& child, LocalName formal, Span span) {
  if (is_object(argument, ObjectKind::Member)) {
    const MemberReference& inside = members_[member_of(*argument.object)];
    const std::string part(text(children_[inside.child.value].name)), variable(text(inside.name));
    machine_.diagnostics()
        .report(Code::NotANode, inside.span,
                fmt::format("`{0}.{1}` is inside `{0}` and cannot be connected", part, variable))
        .also(span, fmt::format("to `{}` of `{}`", relative(formal, child.name), text(child.name)))
        .help(fmt::format("make `{}` a connector in the definition of `{}`: `sigrel (…, {}) where`", variable,
                          part, variable));
    return false;
  }
  if (!is_object(argument, ObjectKind::Node)) {
    machine_.diagnostics()
        .report(Code::NotANode, span,
                fmt::format("`{}` of `{}` is a connector; this is {}", relative(formal, child.name),
                            text(child.name), kind_of(argument)))
        .help("pass a variable of the connector's type: its flow must have a name");
    return false;
  }
  const NodeId node = node_of(*argument.object);
  const ColumnId first = nodes_[node].first, first_flow = columns_.next();
  for (auto [offset, is_flow] : nodes_.scalars(id)) {
    ColumnId scalar{first.value + offset};
    if (is_flow) {
      const Name unit = columns_[scalar].unit;
      scalar = columns_.add(machine_.layouts().name(id, formal, offset), span, system::UnknownKind::Flow);
      columns_[scalar].unit = unit;
    }
    arguments_.push_back(scalar);
  }
  const UseId use = nodes_.use(node, first_flow, span);
  if (child.label) argument = nodes_.value(node, use);
  return true;
}

// Appends the columns of one interface variable to the child's arguments, and sets `argument` to its value
// for items that read the interface. An expression becomes an auxiliary unknown with an equation of its own,
// so that two equations for one number cannot determine two unknowns in it.
bool Applications::bind(LayoutId id, Value& argument, const Child& child, LocalName formal, Span span) {
  const LayoutNode node = machine_.layouts()[id];
  if (is_object(argument, ObjectKind::Unbound)) argument = variables_.bind(*argument.object, id);
  if (machine_.layouts().is_connector(id)) return bind_node(id, argument, child, formal, span);
  if (!node.elements.empty() || node.kind == core::LayoutKind::Tuple) {
    const bool vector = node.kind == core::LayoutKind::Vector;
    auto size = vector ? node.size : static_cast<std::uint32_t>(node.elements.size());
    if (!is_aggregate(argument) || argument.object->size != size) {
      machine_.diagnostics().report(
          Code::SizeMismatch, span,
          fmt::format("`{}` of `{}` has {} elements; this is {}{}", relative(formal, child.name),
                      text(child.name), size, kind_of(argument),
                      is_aggregate(argument) ? fmt::format(" of {}", argument.object->size) : ""));
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
  if (n.op == Op::Slot && ColumnRef::of_slot(n.a).is_own()) {
    arguments_.push_back(ColumnRef::of_slot(n.a));
    return true;
  }
  const ColumnRef auxiliary = columns_.add(formal, span, system::UnknownKind::Auxiliary, node.kind);
  arguments_.push_back(auxiliary);
  const ExprId value = machine_.signals.slot(auxiliary.slot());
  rows_.add(symbolic::simplified(machine_.signals, {Op::Sub, value.value, signal->value, 0, 0}),
            rows_.source(system::EquationKind::Argument, span, ""), RowKind::Equation);
  argument = Value::of_signal(value);
  return true;
}

void Applications::report_unknown_size(const core::Relation& literal, const core::Formal& formal, Span span,
                                       const char* help) {
  machine_.diagnostics()
      .report(Code::SizeNotKnown, span,
              fmt::format("the size of `{}` of `{}` is not known", text(formal.name), text(literal.name)))
      .also(formal.span, "its type says no size")
      .help(help);
}

bool Applications::add(RelationObject& relation, std::optional<std::vector<Value>> given, LocalName name,
                       LabelSlot label, Span span) {
  const core::Relation& literal = *relation.relation().relation;
  auto declared = machine_.interface(relation);
  if (!declared) return false;
  std::vector<LayoutId> layouts;
  for (std::size_t i = 0; i < declared->size(); ++i) {
    std::optional<LayoutId> l = (*declared)[i];
    if (!l && given) l = variables_.layout_of((*given)[i]);
    if (!l) {
      if (given && is_object((*given)[i], ObjectKind::Unbound)) {
        machine_.not_ready();
        return false;
      }
      report_unknown_size(
          literal, literal.formals[i], span,
          "write the size in the type of the relation or declare the variable that is passed");
      return false;
    }
    layouts.push_back(*l);
  }
  const Child child = begin(relation, machine_.layouts().tuple(layouts), name, label, span);
  std::vector<Value> arguments = given ? std::move(*given) : std::vector<Value>(layouts.size());
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const LocalName formal = field(name, literal.formals[i].name);
    if (!given) arguments[i] = variables_.create(layouts[i], formal, span);
    if (bind(layouts[i], arguments[i], child, formal, span)) continue;
    arguments_.resize(child.first_argument);
    return false;
  }
  if (label) formals_.insert(formals_.end(), arguments.begin(), arguments.end());
  end(child);
  return true;
}

std::optional<Value> Applications::add_block(const Value& value, const Value& inputs, Span span) {
  if (!is_object(value, ObjectKind::Relation)) {
    machine_.diagnostics().report(Code::NotSupported, span,
                                  fmt::format("`<>` applies a signal relation; this is {}", kind_of(value)));
    return std::nullopt;
  }
  auto& relation = *static_cast<RelationObject*>(value.object);
  const core::Relation& literal = *relation.relation().relation;
  std::vector<Value> given;
  const auto ins = static_cast<std::size_t>(std::ranges::count_if(
      literal.formals, [](const core::Formal& f) { return f.causality != core::Causality::Out; }));
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
  const LocalName name = unlabelled_name(local_name(literal.name), name_count(literal.name));
  std::vector<Value> arguments, outputs;
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < literal.formals.size(); ++i) {
    const core::Formal& formal = literal.formals[i];
    if (formal.causality != core::Causality::Out) {
      arguments.push_back(given[next_input++]);
      continue;
    }
    if (!(*declared)[i]) {
      report_unknown_size(
          literal, formal, span,
          "write the size in the type of the relation, or give the output a name: a declared variable "
          "among the arguments");
      return std::nullopt;
    }
    arguments.push_back(variables_.create(*(*declared)[i], field(name, formal.name), span));
    outputs.push_back(arguments.back());
  }
  if (!add(relation, std::move(arguments), name, {}, span)) return std::nullopt;
  if (outputs.size() == 1) return outputs[0];
  Object* o = machine_.heap().object(ObjectKind::Tuple, static_cast<std::uint32_t>(outputs.size()));
  std::ranges::copy(outputs, o->items);
  return Value::of(o);
}

}  // namespace sigrel::elaborate
