// Applications in loops: a child in each iteration.
#include <algorithm>

#include "compiler/elaborate/loop_recording.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

std::optional<Machine::Status> LoopPatterns::application(const core::ApplicationItem& item) {
  const ParameterisedItem* parameterised = nullptr;
  ItemPatterns* patterns = patterns_of(item, parameterised);
  if (!patterns) return std::nullopt;

  RelationObject* relation = patterns->relation;
  if (!relation) {
    const Scratch scratch(parts_);
    Value value;
    if (Status s = parts_.evaluate(item.relation, value); s != Status::Done) return s;
    if (!is_object(value, ObjectKind::Relation)) return std::nullopt;
    relation = &parts_.applications.shared(item, *static_cast<RelationObject*>(value.object));
    if (!scratch.is_new(relation)) scratch.release();
    if (parameterised->same_relation) patterns->relation = relation;
  }
  const Scratch scratch(parts_);
  inputs_.values.clear();
  for (const Reading& r : parameterised->readings) {
    auto value = read(r);
    if (!value) return std::nullopt;
    inputs_.values.push_back(*value);
  }
  if (!describe(*patterns, false)) return std::nullopt;
  if (!parameterised->same_relation) {
    machine_.begin_report();
    auto declared = machine_.interface(*relation);
    if (!declared) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
    inputs_.key.push_back(relation->relation().id);
    for (const std::optional<LayoutId>& layout : *declared)
      inputs_.key.push_back(layout ? layout->value : kNone);
  }
  if (find(*patterns)) {
    ++patterns->fitted;
  } else {
    LoopPattern pattern;
    bool is_function = true;
    if (auto status = record(item, *parameterised, *relation, pattern, is_function))
      return status == Status::Failed ? status : std::nullopt;
    keep(*patterns, std::move(pattern), is_function);
    if (!is_function) return std::nullopt;
  }
  scratch.release();
  add_child(item, patterns->patterns.front(), *relation, *patterns);
  return Status::Done;
}

/// Evaluates the arguments as a function of the inputs. Returns the status if it is not Done.
std::optional<Machine::Status> LoopPatterns::record(const core::ApplicationItem& item,
                                                    const ParameterisedItem& parameterised,
                                                    const RelationObject& relation, LoopPattern& pattern,
                                                    bool& is_function) {
  Recording recording(parts_, inputs_, parameterised, pattern);
  Value given;
  if (Status s = recording.evaluate(parameterised.left, given); s != Status::Done) return s;
  const core::Relation& literal = *relation.relation().relation;
  std::vector<Value> arguments;
  if (literal.formals.size() == 1)
    arguments.push_back(given);
  else if (is_object(given, ObjectKind::Tuple))
    arguments.assign(given.object->items, given.object->items + given.object->size);
  is_function = arguments.size() == literal.formals.size();
  machine_.begin_report();
  auto declared = machine_.interface(relation);
  if (!declared) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  std::vector<LayoutId> layouts;
  for (std::size_t i = 0; is_function && i < arguments.size(); ++i) {
    const auto layout = (*declared)[i] ? (*declared)[i] : parts_.variables.layout_of(arguments[i]);
    is_function = layout && record_binding(*layout, arguments[i], field({}, literal.formals[i].name),
                                           item.span, recording);
    if (is_function) layouts.push_back(*layout);
  }
  pattern.interface = machine_.layouts().tuple(layouts);
  is_function &= recording.finish();
  return std::nullopt;
}

/// Records how Applications::bind() binds the argument to an interface variable of this layout. False if the
/// binding is not a function of the inputs.
bool LoopPatterns::record_binding(LayoutId id, const Value& argument, LocalName formal, Span span,
                                  Recording& recording) {
  using Binding = LoopPattern::Binding;
  auto input = [](const auto& list, auto of) -> std::optional<std::uint32_t> {
    const auto at = std::ranges::find(list, of);
    return at == list.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(at - list.begin()));
  };
  LoopPattern& pattern = recording.pattern();
  const LayoutNode node = machine_.layouts()[id];
  if (machine_.layouts().is_connector(id)) {
    if (!is_object(argument, ObjectKind::Node)) return false;
    const auto at = input(inputs_.nodes, node_of(*argument.object));
    if (!at) return false;
    const auto& scalars = parts_.nodes.scalars(id);
    pattern.bindings.push_back({Binding::Node, *at, static_cast<std::uint32_t>(scalars.size())});
    pattern.names.push_back(formal);
    for (auto [offset, is_flow] : scalars) {
      pattern.bindings.push_back({is_flow ? Binding::Flow : Binding::Potential, offset});
      if (is_flow) pattern.names.push_back(machine_.layouts().name(id, formal, offset));
      pattern.new_columns += is_flow;
    }
    return true;
  }
  if (!node.elements.empty() || node.kind == core::LayoutKind::Tuple) {
    const bool vector = node.kind == core::LayoutKind::Vector;
    auto size = vector ? node.size : static_cast<std::uint32_t>(node.elements.size());
    if (!is_aggregate(argument) || argument.object->size != size) return false;
    pattern.bindings.push_back({Binding::Aggregate, 0, size, {}, argument.object->kind, argument.object->a});
    for (std::uint32_t i = 0; i < size; ++i)
      if (!record_binding(vector ? node.elements[0] : node.elements[i], argument.object->items[i],
                          vector ? element(formal, i + 1) : formal, span, recording))
        return false;
    return true;
  }
  if (argument.tag != Tag::Signal && argument.tag != Tag::Real && argument.tag != Tag::Int &&
      argument.tag != Tag::Bool)
    return false;
  const ExprId signal = *machine_.to_signal(argument, span);
  if (const sigrel::Node& n = machine_.signals[signal];
      n.op == Op::Slot && ColumnRef::of_slot(n.a).is_own()) {
    const auto at = input(inputs_.columns, ColumnRef::of_slot(n.a));
    if (at) pattern.bindings.push_back({Binding::Column, *at});
    return at.has_value();
  }
  pattern.bindings.push_back({Binding::Auxiliary, 0, 0, node.kind});
  pattern.names.push_back(formal);
  const ExprId value = machine_.signals.slot(ColumnRef::created(pattern.new_columns++).slot());
  recording.add_row(symbolic::simplified(machine_.signals, {Op::Sub, value.value, signal.value, 0, 0}),
                    parts_.rows.source(system::EquationKind::Argument, span, ""), RowKind::Equation);
  return true;
}

/// Binds the arguments of one child by the bindings of its pattern.
class LoopPatterns::Replay {
 public:
  Replay(LoopPatterns& all, const LoopPattern& pattern, bool labelled, Span span)
      : all_(all),
        parts_(all.parts_),
        pattern_(pattern),
        labelled_(labelled),
        span_(span),
        first_new_(all.parts_.columns.next()) {}

  bool done() const { return binding_ == pattern_.bindings.size(); }
  /// Binds the next argument. With a label, returns its value for items that read the interface.
  Value bind();

 private:
  using Binding = LoopPattern::Binding;
  Value bind_node(const Binding& b);
  LocalName next_name() { return all_.names_[name_++]; }
  Value signal(ColumnRef column) const {
    return labelled_ ? Value::of_signal(parts_.machine.signals.slot(column.slot())) : Value{};
  }

  LoopPatterns& all_;
  BodyParts& parts_;
  const LoopPattern& pattern_;
  bool labelled_;
  Span span_;
  ColumnId first_new_;
  std::size_t binding_ = 0, name_ = 0, row_ = 0;  // the next ones
};

Value LoopPatterns::Replay::bind_node(const Binding& b) {
  const NodeId node = all_.inputs_.nodes[b.index];
  const ColumnId first = parts_.nodes[node].first, first_flow = parts_.columns.next();
  ++name_;
  for (std::uint32_t k = 0; k < b.size; ++k) {
    const Binding& part = pattern_.bindings[binding_++];
    ColumnId scalar{first.value + part.index};
    if (part.kind == Binding::Flow) {
      const Name unit = parts_.columns[scalar].unit;
      scalar = parts_.columns.add(next_name(), span_, system::UnknownKind::Flow);
      parts_.columns[scalar].unit = unit;
    }
    parts_.applications.add_argument(scalar);
  }
  const UseId use = parts_.nodes.use(node, first_flow, span_);
  return labelled_ ? parts_.nodes.value(node, use) : Value{};
}

Value LoopPatterns::Replay::bind() {
  const Binding& b = pattern_.bindings[binding_++];
  switch (b.kind) {
    case Binding::Column: {
      const ColumnRef column = all_.inputs_.columns[b.index];
      parts_.applications.add_argument(column);
      return signal(column);
    }
    case Binding::Auxiliary: {
      const ColumnRef column = parts_.columns.add(next_name(), span_, system::UnknownKind::Auxiliary, b.type);
      parts_.applications.add_argument(column);
      all_.add_row(pattern_, row_++, RowKind::Equation, first_new_);
      return signal(column);
    }
    case Binding::Node: return bind_node(b);
    case Binding::Flow:
    case Binding::Potential: break;  // bound by their node
    case Binding::Aggregate: {
      Object* o = labelled_ ? parts_.machine.heap().object(b.object, b.size) : nullptr;
      if (o) o->a = b.record;
      for (std::uint32_t i = 0; i < b.size; ++i) {
        const Value part = bind();
        if (o) o->items[i] = part;
      }
      return o ? Value::of(o) : Value{};
    }
  }
  return {};
}

void LoopPatterns::add_child(const core::ApplicationItem& item, const LoopPattern& pattern,
                             RelationObject& relation, ItemPatterns& patterns) {
  Applications& applications = parts_.applications;
  if (!patterns.name.value) patterns.name = local_name(item.name);
  LabelSlot label;
  LocalName name;
  if (item.label) {
    label.value = parts_.code.slot.at(item.label->value);
    name = parts_.loops.indexed(patterns.name);
    if (!patterns.label) {
      patterns.label = machine_.heap().object(ObjectKind::Label, 0);
      patterns.label->a = label.value;
      applications.declare_label(label, patterns.name);
    }
  } else {
    if (!patterns.name_count) patterns.name_count = &applications.name_count(item.name);
    name = Applications::unlabelled_name(patterns.name, *patterns.name_count);
  }
  under(name, pattern.names, names_);
  set_numbers(pattern);
  const Child child = applications.begin(relation, pattern.interface, name, label, item.span);
  Replay replay(*this, pattern, item.label.has_value(), item.span);
  while (!replay.done()) {
    const Value formal = replay.bind();
    if (label) applications.add_formal(formal);
  }
  applications.end(child);
  if (!label) return;
  applications.set_label();
  machine_.slot(label.value) = Value::of(patterns.label);
}

}  // namespace sigrel::elaborate
