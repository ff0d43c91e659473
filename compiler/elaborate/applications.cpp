// Applications in loops, evaluated once for all turns that are alike, as equations are (turns.cpp): what the
// arguments read is described in words, where a connector is "node number k of those read", and turns of one
// description bind the same way. A Pattern says how: which argument is a variable that is read, which one
// uses a node and has flows there, which one is an expression, with a row for its value. So a turn is names,
// columns and a child.
//
// The relation itself is the same object in all turns where its expression reads nothing that a turn has for
// itself. Otherwise each turn evaluates it, and literal and interface are words too; its numbers are
// parameters in any case. Numbers among the arguments are taken as they are: turns where they differ are not
// alike.
#include <algorithm>
#include <array>

#include "compiler/elaborate/body.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

std::optional<Machine::Status> BodyBuilder::turn(const core::ApplicationItem& item) {
  if (machine_.size_analysis || machine_.claims || one_by_one_) return std::nullopt;
  const auto found = code_->parameterised.find(&item);
  if (found == code_->parameterised.end()) return std::nullopt;
  const ParameterisedItem& opened = found->second;
  Turns& turns = turns_[&item];
  if (turns.given_up) return std::nullopt;

  RelationObject* relation = turns.relation;
  if (!relation) {
    const Scratch before = scratch();
    Value value;
    if (Status s = evaluate(item.relation, value); s != Status::Done) return s;
    if (!is_object(value, ObjectKind::Relation)) return std::nullopt;
    relation = &repeated(item, *static_cast<RelationObject*>(value.object));
    if (!machine_.heap().is_since(before.heap, relation)) release(before);
    if (opened.same_relation) turns.relation = relation;
  }
  const Scratch before = scratch();
  read_.clear();
  for (const Reading& r : opened.readings) {
    auto value = read(r);
    if (!value) return std::nullopt;
    read_.push_back(*value);
  }
  if (!describe(turns, false)) return std::nullopt;
  if (!opened.same_relation) {
    machine_.begin_report();
    auto declared = machine_.interface(*relation);
    if (!declared) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
    words_.push_back(reinterpret_cast<std::uintptr_t>(relation->code));
    for (const std::optional<LayoutId>& layout : *declared)
      words_.push_back(layout ? layout->value : kConstant);
  }
  if (known(turns)) {
    ++turns.fitted;
  } else {
    Pattern pattern;
    bool is_function = true;
    if (auto status = record(item, opened, *relation, pattern, is_function))
      return status == Status::Failed ? status : std::nullopt;
    keep(turns, std::move(pattern), is_function);
    if (!is_function) return std::nullopt;
  }
  release(before);
  repeat(item, turns.patterns.front(), *relation, turns);
  return Status::Done;
}

/// Evaluates the arguments as a function of what they read. Returns what went wrong.
std::optional<Machine::Status> BodyBuilder::record(const core::ApplicationItem& item,
                                                   const ParameterisedItem& opened,
                                                   const RelationObject& relation, Pattern& pattern,
                                                   bool& is_function) {
  const Scratch before = scratch();
  auto made = [&] {
    return std::array{columns_.size(), children_.size(), nodes_.size(),
                      uses_.size(),    deep_.size(),     triggers_.size()};
  };
  const auto had = made();
  for (std::uint32_t k = 0; k < read_.size(); ++k) machine_.slot(opened.first + k) = read_[k];
  Value args;
  const Status status = machine_.chunk(machine_.code().function(opened.left), 0, args);
  for (std::uint32_t k = 0; k < read_.size(); ++k) machine_.slot(opened.first + k) = {};
  if (status != Status::Done) return status;

  const core::Relation& literal = *relation.relation().relation;
  std::vector<Value> arguments;
  if (literal.formals.size() == 1)
    arguments.push_back(args);
  else if (is_object(args, ObjectKind::Tuple))
    arguments.assign(args.object->items, args.object->items + args.object->size);
  is_function = arguments.size() == literal.formals.size();
  machine_.begin_report();
  auto declared = machine_.interface(relation);
  if (!declared) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  std::vector<LayoutId> layouts;
  Slots slots;
  for (std::size_t i = 0; is_function && i < arguments.size(); ++i) {
    const auto layout = (*declared)[i] ? (*declared)[i] : layout_of(arguments[i]);
    is_function = layout && arrange(*layout, arguments[i], field({}, literal.formals[i].name), item.span,
                                    pattern, slots);
    if (is_function) layouts.push_back(*layout);
  }
  pattern.interface = machine_.layouts().tuple(layouts);
  pattern.rows.push_back({0, 0, static_cast<std::uint32_t>(slots.columns.size()),
                          static_cast<std::uint32_t>(slots.numbers.size())});
  is_function &= add_columns(slots.columns, pattern);
  for (std::uint32_t n : slots.numbers) pattern.numbers.push_back(ExprId{n});
  is_function &= made() == had;
  release(before);
  return std::nullopt;
}

/// How the argument is bound to an interface variable of this layout, as bind() does it. False where only
/// bind() can say.
bool BodyBuilder::arrange(LayoutId id, const Value& argument, LocalName formal, Span span, Pattern& pattern,
                          Slots& slots) {
  using Binding = Pattern::Binding;
  auto place = [](const std::vector<std::uint32_t>& list, std::uint32_t of) -> std::optional<std::uint32_t> {
    const auto at = std::ranges::find(list, of);
    return at == list.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(at - list.begin()));
  };
  const LayoutNode node = machine_.layouts()[id];
  if (machine_.layouts().is_connector(id)) {
    if (!is_object(argument, ObjectKind::Node)) return false;
    const auto at = place(read_nodes_, argument.object->a);
    if (!at) return false;
    const auto& list = scalars(id);
    pattern.bindings.push_back({Binding::Node, *at, static_cast<std::uint32_t>(list.size())});
    pattern.names.push_back(formal);
    for (auto [offset, flow] : list) {
      pattern.bindings.push_back({flow ? Binding::Flow : Binding::Potential, offset});
      if (flow) pattern.names.push_back(machine_.layouts().name(id, formal, offset));
      pattern.made += flow;
    }
    return true;
  }
  if (!node.elements.empty() || node.kind == core::LayoutKind::Tuple) {
    const bool vector = node.kind == core::LayoutKind::Vector;
    const auto size = vector ? node.size : static_cast<std::uint32_t>(node.elements.size());
    const bool aggregate = is_object(argument, ObjectKind::Vector) ||
                           is_object(argument, ObjectKind::Record) || is_object(argument, ObjectKind::Tuple);
    if (!aggregate || argument.object->size != size) return false;
    pattern.bindings.push_back({Binding::Aggregate, 0, size, {}, argument.object->kind, argument.object->a});
    for (std::uint32_t i = 0; i < size; ++i)
      if (!arrange(vector ? node.elements[0] : node.elements[i], argument.object->items[i],
                   vector ? element(formal, i + 1) : formal, span, pattern, slots))
        return false;
    return true;
  }
  if (argument.tag != Tag::Signal && argument.tag != Tag::Real && argument.tag != Tag::Int &&
      argument.tag != Tag::Bool)
    return false;
  const ExprId signal = *machine_.to_signal(argument, span);
  if (const sigrel::Node& n = machine_.signals[signal]; n.op == Op::Slot && !(n.a & kDeep)) {
    const auto at = place(read_columns_, n.a);
    if (at) pattern.bindings.push_back({Binding::Column, *at});
    return at.has_value();
  }
  pattern.bindings.push_back({Binding::Auxiliary, 0, 0, node.kind});
  pattern.names.push_back(formal);
  const ExprId value = machine_.signals.slot(kMade + pattern.made++);
  const ExprId residual = symbolic::simplified(machine_.signals, {Op::Sub, value.value, signal.value, 0, 0});
  const Pattern::Row row{0, source(system::EquationKind::Argument, span, ""),
                         static_cast<std::uint32_t>(slots.columns.size()),
                         static_cast<std::uint32_t>(slots.numbers.size())};
  pattern.rows.push_back(row);
  pattern.rows.back().table = table(residual, RowKind::Equation, slots.columns, slots.numbers);
  return true;
}

/// Where a turn stands in the bindings of its pattern.
struct BodyBuilder::Again {
  const Pattern& pattern;
  bool labelled;  // so that its interface can be read
  Span span;
  std::uint32_t made;  // its first column
  std::size_t at = 0, name = 0, row = 0;
};

/// Binds the next argument; its value for those who read the interface.
Value BodyBuilder::bind_again(Again& again) {
  using Binding = Pattern::Binding;
  const Binding& b = again.pattern.bindings[again.at++];
  auto signal = [&](std::uint32_t column) {
    return again.labelled ? Value::of_signal(machine_.signals.slot(column)) : Value{};
  };
  switch (b.kind) {
    case Binding::Column: arguments_.push_back(read_columns_[b.at]); return signal(arguments_.back());
    case Binding::Auxiliary:
      arguments_.push_back(column(names_[again.name++], again.span, system::UnknownKind::Auxiliary, b.type));
      add_row(again.pattern, again.row++, RowKind::Equation, again.made);
      return signal(arguments_.back());
    case Binding::Node: {
      const std::uint32_t node = read_nodes_[b.at], first = nodes_[node].first,
                          first_flow = static_cast<std::uint32_t>(columns_.size());
      ++again.name;
      for (std::uint32_t k = 0; k < b.size; ++k) {
        const Binding& scalar = again.pattern.bindings[again.at++];
        std::uint32_t c = first + scalar.at;
        if (scalar.kind == Binding::Flow) {
          c = column(names_[again.name++], again.span, system::UnknownKind::Flow);
          columns_[c].unit = columns_[first + scalar.at].unit;
        }
        arguments_.push_back(c);
      }
      const std::uint32_t used = use(node, first_flow, again.span);
      if (!again.labelled) return {};
      Object* o = machine_.heap().object(ObjectKind::Node, 0);
      o->a = node;
      o->b = used;
      return Value::of(o);
    }
    case Binding::Flow:
    case Binding::Potential: break;  // of a node
    case Binding::Aggregate: {
      Object* o = again.labelled ? machine_.heap().object(b.object, b.size) : nullptr;
      if (o) o->a = b.record;
      for (std::uint32_t i = 0; i < b.size; ++i) {
        const Value part = bind_again(again);
        if (o) o->items[i] = part;
      }
      return o ? Value::of(o) : Value{};
    }
  }
  return {};
}

/// The child of this turn.
void BodyBuilder::repeat(const core::ApplicationItem& item, const Pattern& pattern, RelationObject& relation,
                         Turns& turns) {
  if (!turns.name.value) turns.name = local_name(item.name);
  LocalName name = turns.name;
  if (item.label) {
    name = in_turn(name);
  } else {
    if (!turns.count) turns.count = &child_names_[item.name];
    if (std::uint32_t n = ++*turns.count; n > 1) name = numbered(name, n);
  }
  const bool labelled = item.label.has_value();
  if (labelled && !turns.label) {
    turns.label = machine_.heap().object(ObjectKind::Label, 0);
    turns.label->a = code_->slot.at(item.label->value);
    labels_[turns.label->a] = {turns.name, loops_.size(), false};
  }
  under(name, pattern.names, names_);
  numbers_of(pattern);
  ChildInfo info{&relation, pattern.interface, static_cast<std::uint32_t>(arguments_.size()), kConstant, name,
                 kConstant, item.span};
  if (labelled) {
    info.first_formal = static_cast<std::uint32_t>(formals_.size());
    info.label = turns.label->a;
  }
  Again again{pattern, labelled, item.span, static_cast<std::uint32_t>(columns_.size())};
  while (again.at < pattern.bindings.size()) {
    const Value formal = bind_again(again);
    if (labelled) formals_.push_back(formal);
  }
  children_.push_back(info);
  if (!labelled) return;
  label_child(turns.label->a, name);
  machine_.slot(turns.label->a) = Value::of(turns.label);
}

}  // namespace sigrel::elaborate
