// Declarations, equations, applications and the other items that are not loops or events.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/elaborate/equate.h"
#include "compiler/elaborate/items.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

Machine::Status Items::declare(const core::SignalDecl& d) {
  LayoutId layout;
  bool unknown = true;
  if (Status s = machine_.layout(parts_.code, d.layout, 0, layout, unknown); s != Status::Done) return s;
  const LocalName name = parts_.loops.indexed(local_name(d.name));
  Value variable;
  if (unknown) {
    variable = parts_.variables.create_unbound(name, d.span, parts_.code.slot.at(d.local.value));
  } else {
    const ColumnId first = parts_.columns.next();
    variable = parts_.variables.create(layout, name, d.span);
    parts_.variables.set_units(layout, d.layout, first);
  }
  parts_.local(d.local) = variable;
  return set_attributes(d, variable);
}

Machine::Status Items::set_attributes(const core::SignalDecl& d, const Value& variable) {
  using system::AttributeKind;
  std::optional<double> least, greatest;
  for (const core::Attribute& a : d.attributes) {
    Value number;
    if (Status s = evaluate(a.value, number); s != Status::Done) return s;
    const std::string_view key = text(a.name);
    const AttributeKind kind = key == "guess"     ? AttributeKind::Guess
                               : key == "nominal" ? AttributeKind::Nominal
                               : key == "min"     ? AttributeKind::Min
                               : key == "max"     ? AttributeKind::Max
                                                  : AttributeKind::StatePreference;
    if (is_object(number, ObjectKind::Construct)) {
      // Default, Prefer, Avoid, Always, Never
      static constexpr double kPreference[] = {0.0, 1.0, -1.0, 2.0, -2.0};
      number = Value::of_real(kPreference[std::min<std::uint32_t>(number.object->a, 4)]);
    }
    if (number.tag == Tag::Real && std::isnan(number.real)) {
      machine_.diagnostics()
          .report(Code::LimitsCrossed, a.span, fmt::format("`{}` of `{}` is not a number", key, text(d.name)))
          .help("its value is computed from numbers that have no result, such as 0.0 / 0.0");
      return Status::Failed;
    }
    if (number.tag == Tag::Real && kind == AttributeKind::Min) least = number.real;
    if (number.tag == Tag::Real && kind == AttributeKind::Max) greatest = number.real;
    if (number.tag == Tag::Real && kind == AttributeKind::Nominal && !(number.real > 0)) {
      machine_.diagnostics()
          .report(Code::LimitsCrossed, a.span,
                  fmt::format("the nominal value of `{}` is {}", text(d.name), number.real))
          .help("it is the magnitude that is usual for the variable: a positive number");
      return Status::Failed;
    }
    if (least && greatest && *least > *greatest) {
      machine_.diagnostics()
          .report(Code::LimitsCrossed, a.span,
                  fmt::format("`{}` has no value: it is at least {} and at most {}", text(d.name), *least,
                              *greatest))
          .help("exchange `min` and `max`, or look at their signs");
      return Status::Failed;
    }
    add_attribute(kind, variable, number, a.span);
  }
  return Status::Done;
}

/// An attribute of each scalar of `target`: of a vector of the same size the element, else the same number.
void Items::add_attribute(system::AttributeKind kind, const Value& target, const Value& number, Span span) {
  struct Work {
    Value target, number;
  };
  std::vector<Work> work{{target, number}};
  while (!work.empty()) {
    const Work w = work.back();
    work.pop_back();
    if (is_aggregate(w.target)) {
      const bool each =
          is_object(w.number, ObjectKind::Vector) && w.number.object->size == w.target.object->size;
      for (std::uint32_t i = w.target.object->size; i-- > 0;)
        work.push_back({w.target.object->items[i], each ? w.number.object->items[i] : w.number});
      continue;
    }
    const auto column = parts_.variables.column_of(w.target);
    if (!column || (w.number.tag != Tag::Real && w.number.tag != Tag::Int)) {
      machine_.diagnostics()
          .report(Code::NotAScalar, span, "a guess belongs to a variable")
          .help("write `name = number`, for example `guess x = 1.0`");
      return;
    }
    parts_.rows.add_attribute(kind, *column, parts_.reals.add(machine_.to_parameter(w.number)), span);
  }
}

Machine::Status Items::equation_item(const core::EquationItem& item, Target target) {
  const bool initial = target == Target::Initial;
  const RowKind kind = initial ? RowKind::Initial : RowKind::Equation;
  if (!parts_.loops.empty() && target != Target::Guess)
    if (auto status = patterns_.equation(item, kind, retrying_)) return *status;
  const Scratch scratch(parts_);
  Value left, right;
  if (Status s = evaluate(item.left, left); s != Status::Done) return s;
  if (Status s = evaluate(item.right, right); s != Status::Done) return s;
  if (target == Target::Guess) return guess(item, left, right);
  std::vector<Residual> residuals;
  if (Status s = equate(machine_, left, right, item.span, residuals); s != Status::Done) return s;
  const auto origin = initial ? system::EquationKind::Initial : system::EquationKind::Written;
  const std::optional<ColumnId> rotation =
      initial ? std::nullopt : rotation_given(parts_, left, right, residuals.size());
  if (rotation) parts_.rows.rotations.emplace_back();
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    // By their sources the rows of a rotation are found again.
    const std::uint32_t source = rotation && !parts_.loops.empty()
                                     ? parts_.rows.own_source(origin, item.span, residuals[k].component)
                                     : parts_.rows.source(origin, item.span, residuals[k].component);
    parts_.rows.add(residuals[k].expression, source, kind);
    if (!rotation) continue;
    parts_.rows.rotations.back().columns[k] = *rotation + static_cast<std::uint32_t>(k);
    parts_.rows.rotations.back().sources[k] = source;
  }
  scratch.release();
  return Status::Done;
}

Machine::Status Items::guess(const core::EquationItem& item, const Value& left, const Value& right) {
  if (right.tag != Tag::Real && right.tag != Tag::Int && !is_object(right, ObjectKind::Vector)) {
    machine_.diagnostics()
        .report(Code::NotAScalar, item.right->span,
                fmt::format("a guess is a number; this is {}", kind_of(right)))
        .help("write `name = number`; an equation that must hold at the start belongs under `initially`");
    return Status::Failed;
  }
  add_attribute(system::AttributeKind::Guess, left, right, item.left->span);
  return Status::Done;
}

Machine::Status Items::steady_item(const core::SteadyItem& item) {
  if (item.derivatives.empty()) {
    parts_.rows.add_steady(parts_.rows.source(system::EquationKind::Initial, item.span, ""));
    return Status::Done;
  }
  for (const core::Expr* expr : item.derivatives) {
    Value derivative;
    if (Status s = evaluate(expr, derivative); s != Status::Done) return s;
    std::vector<std::pair<Value, std::string>> work{{derivative, ""}};
    machine_.begin_report();
    while (!work.empty()) {
      auto [value, component] = std::move(work.back());
      work.pop_back();
      if (is_object(value, ObjectKind::Vector)) {
        for (std::uint32_t i = value.object->size; i-- > 0;)
          work.emplace_back(value.object->items[i], fmt::format("{}[{}]", component, i + 1));
        continue;
      }
      auto scalar = machine_.to_signal(value, expr->span);
      if (!scalar) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
      parts_.rows.add(*scalar, parts_.rows.source(system::EquationKind::Initial, expr->span, component),
                      RowKind::Initial);
    }
  }
  return Status::Done;
}

Machine::Status Items::assert_item(const core::AssertItem& item) {
  Value condition, message;
  if (Status s = evaluate(item.condition, condition); s != Status::Done) return s;
  if (Status s = evaluate(item.message, message); s != Status::Done) return s;
  const std::string words(text(Name{message.index}));
  if (condition.tag == Tag::Bool) {
    if (condition.integer) return Status::Done;
    machine_.diagnostics()
        .report(Code::AssertionFailed, item.span, words)
        .label("this is false before the simulation starts");
    return Status::Failed;
  }
  machine_.begin_report();
  auto c = machine_.to_signal(condition, item.condition->span);
  if (!c) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  parts_.rows.add(*c, parts_.rows.source(system::EquationKind::Assertion, item.span, words),
                  RowKind::Assertion);
  return Status::Done;
}

Machine::Status Items::let_item(const core::LetItem& item) {
  machine_.begin_report();
  for (const core::Binding& b : item.bindings) {
    Value v;
    if (Status s = evaluate(b.value, v); s != Status::Done) return s;
    parts_.local(b.local) = v;
  }
  for (const core::Binding& b : item.bindings)
    if (b.value->kind == core::ExprKind::Lambda || b.value->kind == core::ExprKind::Sigrel)
      machine_.patch(parts_.local(b.local));
  const bool is_complete = std::ranges::all_of(
      item.bindings, [&](const core::Binding& b) { return machine_.is_defined(parts_.local(b.local)); });
  if (is_complete) return Status::Done;
  for (const core::Binding& b : item.bindings) parts_.local(b.local) = Value{};
  return Status::NotReady;
}

Machine::Status Items::application_item(const core::ApplicationItem& item) {
  if (!parts_.loops.empty() && !one_by_one_)
    if (auto status = patterns_.application(item)) return *status;
  const Scratch scratch(parts_);
  Value value, given;
  if (Status s = evaluate(item.relation, value); s != Status::Done) return s;
  if (!is_object(value, ObjectKind::Relation)) {
    machine_.diagnostics().report(Code::NotSupported, item.head_span,
                                  fmt::format("`<>` applies a signal relation; this is {}", kind_of(value)));
    return Status::Failed;
  }
  RelationObject& relation = parts_.applications.shared(item, *static_cast<RelationObject*>(value.object));
  const core::Relation& literal = *relation.relation().relation;
  std::optional<std::vector<Value>> arguments;
  if (item.args) {
    if (Status s = evaluate(item.args, given); s != Status::Done) return s;
    arguments.emplace();
    if (literal.formals.size() == 1)
      arguments->push_back(given);
    else if (is_object(given, ObjectKind::Tuple))
      arguments->assign(given.object->items, given.object->items + given.object->size);
    if (arguments->size() != literal.formals.size()) {
      machine_.diagnostics().report(
          Code::SizeMismatch, item.span,
          fmt::format("`{}` has {} interface variables, {} are given", text(literal.name),
                      literal.formals.size(), arguments->size()));
      return Status::Failed;
    }
  }
  // In a loop, often the only new value is the tuple of the arguments.
  auto is_new = [&](const Value& v) { return v.tag == Tag::Object && scratch.is_new(v.object); };
  if (scratch.is_unreferenced() && !scratch.is_new(&relation) &&
      (!arguments || std::ranges::none_of(*arguments, is_new)))
    scratch.release_values();
  LabelSlot label;
  LocalName name = local_name(item.name);
  if (item.label) {
    label.value = parts_.code.slot.at(item.label->value);
    name = parts_.loops.indexed(name);
  } else {
    name = Applications::unlabelled_name(name, parts_.applications.name_count(item.name));
  }
  machine_.begin_report();
  if (!parts_.applications.add(relation, std::move(arguments), name, label, item.span))
    return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  if (label) {
    parts_.applications.declare_label(label, local_name(item.name));
    parts_.applications.set_label();
    Object* o = machine_.heap().object(ObjectKind::Label, 0);
    o->a = label.value;
    machine_.slot(label.value) = Value::of(o);
  }
  return Status::Done;
}

Machine::Status Items::connect_item(const core::ConnectItem& item) {
  std::vector<Value> values(item.nodes.size());
  for (std::size_t i = 0; i < item.nodes.size(); ++i)
    if (Status s = evaluate(item.nodes[i], values[i]); s != Status::Done) return s;
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
  // Vectors of connectors are joined element by element.
  std::vector<std::vector<Value>> sets{values};
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
        elements.reserve(set.size());
        for (const Value& v : set) elements.push_back(v.object->items[k]);
        sets.push_back(std::move(elements));
      }
      continue;
    }
    for (const Value& v : set) parts_.nodes.connect(node_of(*set[0].object), node_of(*v.object));
  }
  return Status::Done;
}

Machine::Status Items::if_item(const core::IfItem& item, Target target) {
  Value condition;
  if (Status s = evaluate(item.condition, condition); s != Status::Done) return s;
  if (condition.tag == Tag::Bool) return block(condition.integer ? item.then_body : item.else_body, target);
  // The condition changes with time: row k selects between equation k of each branch.
  std::vector<std::pair<ExprId, Span>> yes, no;
  if (Status s = branch_equations(item.then_body, yes); s != Status::Done) return s;
  if (Status s = branch_equations(item.else_body, no); s != Status::Done) return s;
  if (yes.size() != no.size()) {
    machine_.diagnostics()
        .report(Code::BranchesDiffer, item.span,
                fmt::format("the first branch has {} equations, the other {}", yes.size(), no.size()))
        .note("the condition changes with time, so both branches must determine the same number of unknowns")
        .help("a change of the number of equations is a `switch`");
    return Status::Failed;
  }
  auto c = machine_.to_signal(condition, item.condition->span);
  if (!c) return Status::Failed;
  const bool initial = target == Target::Initial;
  const auto origin = initial ? system::EquationKind::Initial : system::EquationKind::Written;
  for (std::size_t i = 0; i < yes.size(); ++i)
    parts_.rows.add(symbolic::simplified(machine_.signals,
                                         {Op::Select, c->value, yes[i].first.value, no[i].first.value, 0}),
                    parts_.rows.source(origin, yes[i].second, ""),
                    initial ? RowKind::Initial : RowKind::Equation);
  return Status::Done;
}

/// An assignment in a branch of an `if` whose condition changes with time.
void Items::report_chosen_assignment(const core::AssignItem& item) {
  Value value;
  std::vector<ColumnId> columns;
  const bool single = evaluate(item.target, value) == Status::Done &&
                      parts_.variables.columns_of(value, columns) && columns.size() == 1;
  const std::string target = single ? text(parts_.columns[columns[0]].name) : "x";
  machine_.diagnostics()
      .report(Code::AssignmentOutsideEvent, item.span,
              "an `if` cannot choose between assignments by a condition that changes with time")
      .label("this would be executed or not")
      .help(fmt::format("choose the value: `{0} := if … then … else pre {0}`", target))
      .help(
          "or give each branch a `when` of its own, with the condition: `when a && b do`; `elsewhen` gives "
          "an "
          "order");
}

Machine::Status Items::branch_equations(const core::Body& body, std::vector<std::pair<ExprId, Span>>& out) {
  for (const core::SignalDecl& d : body.locals)
    if (Status s = declare(d); s != Status::Done) return s;
  for (const core::Item* i : body.items) {
    if (i->kind == core::ItemKind::Let) {
      if (Status s = let_item(*static_cast<const core::LetItem*>(i)); s != Status::Done) return s;
      continue;
    }
    if (i->kind == core::ItemKind::Assign) {
      report_chosen_assignment(*static_cast<const core::AssignItem*>(i));
      return Status::Failed;
    }
    if (i->kind != core::ItemKind::Equation) {
      machine_.diagnostics()
          .report(Code::NotSupported, i->span,
                  "only equations may depend on a condition that changes with time")
          .help("parts that come and go are a `switch`");
      return Status::Failed;
    }
    auto& e = *static_cast<const core::EquationItem*>(i);
    Value left, right;
    if (Status s = evaluate(e.left, left); s != Status::Done) return s;
    if (Status s = evaluate(e.right, right); s != Status::Done) return s;
    std::vector<Residual> residuals;
    if (Status s = equate(machine_, left, right, e.span, residuals); s != Status::Done) return s;
    for (const Residual& r : residuals) out.emplace_back(r.expression, e.span);
  }
  return Status::Done;
}

}  // namespace sigrel::elaborate
