// Columns and rows of the body that is being built, and its blueprint when it is complete.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "compiler/elaborate/body.h"

namespace sigrel::elaborate {

std::uint32_t Shapes::constant(system::System& system, double value) {
  auto [it, fresh] = constants.try_emplace(std::bit_cast<std::uint64_t>(value),
                                           static_cast<std::uint32_t>(system.parameters.size()));
  if (fresh) system.parameters.push_back({Op::Const, 0, 0, 0, value});
  return it->second;
}

Equations& equations_of(system::System& system, RowKind kind) {
  switch (kind) {
    case RowKind::Equation: break;
    case RowKind::Initial: return system.initial;
    case RowKind::Assertion: return system.assertions;
    case RowKind::Condition: return system.events.conditions;
    case RowKind::Value: return system.events.values;
  }
  return system.equations;
}

std::uint32_t BodyBuilder::column(LocalName name, Span span, system::UnknownKind kind,
                                  core::LayoutKind type) {
  using system::SignalType;
  SignalType signal = type == core::LayoutKind::Int    ? SignalType::Int
                      : type == core::LayoutKind::Bool ? SignalType::Bool
                                                       : SignalType::Real;
  columns_.push_back({name, span, kind, signal, false, false, place_});
  column_parent_.push_back(static_cast<std::uint32_t>(columns_.size() - 1));
  return column_parent_.back();
}

std::uint32_t BodyBuilder::find(std::uint32_t c) {
  while (column_parent_[c] != c) {
    column_parent_[c] = column_parent_[column_parent_[c]];
    c = column_parent_[c];
  }
  return c;
}

// The column that stays is the one with the name that a user would look for.
void BodyBuilder::merge(std::uint32_t a, std::uint32_t b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  auto rank = [&](std::uint32_t c) {
    return c < interface_ ? 0 : columns_[c].kind == system::UnknownKind::Source ? 1 : 2;
  };
  if (rank(b) < rank(a) || (rank(a) == rank(b) && b < a)) std::swap(a, b);
  column_parent_[b] = a;
}

std::uint32_t BodyBuilder::source(system::EquationKind kind, Span span, LocalName component) {
  const system::SourceEquation source{kind, span, component};
  auto hash = [](const system::SourceEquation& s) {
    return mixed(mixed(s.span.file.value, s.span.begin | static_cast<std::uint64_t>(s.span.end) << 32),
                 static_cast<std::uint64_t>(s.kind) << 32 | s.component.value);
  };
  const auto next = static_cast<std::uint32_t>(system_.sources.size());
  const std::uint32_t found = sources_.find_or_add(
      hash(source), next, [&](std::uint32_t k) { return system_.sources[k] == source; },
      [&](std::uint32_t k) { return hash(system_.sources[k]); });
  if (found == next) system_.sources.push_back(source);
  return found;
}

std::uint32_t BodyBuilder::real(ExprId parameter) {
  auto [it, fresh] = reals_.try_emplace(parameter.value, static_cast<std::uint32_t>(real_order_.size()));
  if (fresh) real_order_.push_back(parameter);
  return it->second;
}

std::uint32_t BodyBuilder::deep(std::uint32_t child, Name name, Span span) {
  auto [it, fresh] = deep_index_.try_emplace(static_cast<std::uint64_t>(child) << 32 | name.value,
                                             static_cast<std::uint32_t>(deep_.size()));
  if (fresh) deep_.push_back({child, name, span});
  return kDeep | it->second;
}

std::optional<std::uint32_t> BodyBuilder::column_of(const Value& v) {
  if (is_object(v, ObjectKind::Member)) return machine_.signals[member_signal(*v.object)].a;
  if (v.tag != Tag::Signal) return std::nullopt;
  const Node& n = machine_.signals[ExprId{v.index}];
  if (n.op != Op::Slot) return std::nullopt;
  return n.a;
}

// A variable of a layout: a Node for each connector in it, a column for each scalar. Of the interface,
// columns are `next` onwards (all are made here, in order); otherwise they are new.
Value BodyBuilder::variable(LayoutId id, LocalName name, Span span, bool interface, std::uint32_t& next,
                            bool inner) {
  const LayoutNode node = machine_.layouts()[id];
  Heap& heap = machine_.heap();
  if (machine_.layouts().is_connector(id)) {
    std::vector<LocalName> names;
    machine_.layouts().names(id, name, names);
    auto first = static_cast<std::uint32_t>(columns_.size());
    for (LocalName n : names) column(n, span, system::UnknownKind::Source);
    next = static_cast<std::uint32_t>(columns_.size());
    auto index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({id, first, interface, false, name, span, index});
    Object* o = heap.object(ObjectKind::Node, 0);
    o->a = index;
    return Value::of(o);
  }
  auto aggregate = [&](ObjectKind kind, std::uint32_t size, auto element, auto part, bool brackets_open) {
    Object* o = heap.object(kind, size);
    o->a = node.record.value;
    for (std::uint32_t i = 0; i < size; ++i)
      o->items[i] = variable(element(i), part(i), span, interface, next, brackets_open);
    return Value::of(o);
  };
  switch (node.kind) {
    case core::LayoutKind::Record:
      return aggregate(
          ObjectKind::Record, static_cast<std::uint32_t>(node.elements.size()),
          [&](std::uint32_t i) { return node.elements[i]; },
          [&](std::uint32_t i) {
            return field(name, machine_.code().program().records[node.record.value].fields[i].name);
          },
          false);
    case core::LayoutKind::Tuple:
      return aggregate(
          ObjectKind::Tuple, static_cast<std::uint32_t>(node.elements.size()),
          [&](std::uint32_t i) { return node.elements[i]; },
          [&](std::uint32_t i) { return field(name, intern(std::to_string(i + 1))); }, false);
    case core::LayoutKind::Vector: {
      bool outer = machine_.layouts()[node.elements[0]].kind == core::LayoutKind::Vector;
      bool row = node.size_dependence != kConstant && place_ == kNoPlace;
      Value vector = aggregate(
          ObjectKind::Vector, node.size, [&](std::uint32_t) { return node.elements[0]; },
          [&](std::uint32_t i) {
            if (row) place_ = static_cast<std::int32_t>(i) + 1;
            return inner ? next_index(name, i + 1) : element(name, i + 1);
          },
          outer);
      vector.object->b = node.size_dependence;
      if (row) place_ = kNoPlace;
      return vector;
    }
    default: {
      std::uint32_t c = column(name, span, system::UnknownKind::Source, node.kind);
      next = c + 1;
      return Value::of_signal(machine_.signals.slot(c));
    }
  }
}

void BodyBuilder::attribute(system::AttributeKind kind, const Value& target, const Value& number, Span span) {
  struct Work {
    Value target, number;
  };
  std::vector<Work> work{{target, number}};
  while (!work.empty()) {
    Work w = work.back();
    work.pop_back();
    bool aggregate = is_object(w.target, ObjectKind::Vector) || is_object(w.target, ObjectKind::Record) ||
                     is_object(w.target, ObjectKind::Tuple);
    if (aggregate) {
      bool each = is_object(w.number, ObjectKind::Vector) && w.number.object->size == w.target.object->size;
      for (std::uint32_t i = w.target.object->size; i-- > 0;)
        work.push_back({w.target.object->items[i], each ? w.number.object->items[i] : w.number});
      continue;
    }
    auto c = column_of(w.target);
    if (!c || (w.number.tag != Tag::Real && w.number.tag != Tag::Int)) {
      machine_.diagnostics()
          .report(Code::NotAScalar, span, "a guess belongs to a variable")
          .help("write `name = number`, for example `guess x = 1.0`");
      return;
    }
    attributes_.push_back({kind, *c, real(machine_.to_parameter(w.number)), span});
  }
}

// The residual with slots and parameters numbered by first use is the shape; what they were is the row.
void BodyBuilder::row(ExprId residual, std::uint32_t source, RowKind kind, std::uint32_t tag) {
  RowPlan r{0, static_cast<std::uint32_t>(slots_.size()), static_cast<std::uint32_t>(row_reals_.size()),
            source, tag};
  numbers_.clear();
  r.table = table(residual, kind, slots_, numbers_);
  for (std::uint32_t number : numbers_) row_reals_.push_back(real(ExprId{number}));
  rows_[static_cast<std::size_t>(kind)].push_back(r);
}

/// The table of the residual's shape. Appends the column of each slot and the parameter expression of each
/// parameter.
std::uint32_t BodyBuilder::table(ExprId residual, RowKind kind, std::vector<std::uint32_t>& columns,
                                 std::vector<std::uint32_t>& numbers) {
  const ExprPool& from = machine_.signals;
  if (mark_.size() < from.size()) {
    mark_.resize(from.size() * 2, 0);
    image_.resize(mark_.size());
  }
  ++epoch_;
  const std::size_t first_column = columns.size(), first_number = numbers.size();
  auto number = [&](std::vector<std::uint32_t>& list, std::size_t first, std::uint32_t value) {
    for (std::size_t i = first; i < list.size(); ++i)
      if (list[i] == value) return static_cast<std::uint32_t>(i - first);
    list.push_back(value);
    return static_cast<std::uint32_t>(list.size() - 1 - first);
  };
  // A long sum has many slots: then a map instead of the scan.
  std::unordered_map<std::uint32_t, std::uint32_t> many;
  auto slot = [&](std::uint32_t column) {
    if (columns.size() - first_column < 16) return number(columns, first_column, column);
    if (many.empty())
      for (std::size_t i = first_column; i < columns.size(); ++i) many.emplace(columns[i], i - first_column);
    auto [it, fresh] = many.try_emplace(column, static_cast<std::uint32_t>(columns.size() - first_column));
    if (fresh) columns.push_back(column);
    return it->second;
  };
  std::vector<std::uint32_t> work{residual.value};
  ExprPool& to = system_.exprs;
  while (!work.empty()) {
    std::uint32_t id = work.back();
    if (mark_[id] == epoch_) {
      work.pop_back();
      continue;
    }
    const Node n = from[ExprId{id}];
    int k = arity(n.op);
    bool ready = true;
    auto need = [&](std::uint32_t child) {
      if (mark_[child] != epoch_) {
        work.push_back(child);
        ready = false;
      }
    };
    if (k > 2) need(n.c);
    if (k > 1) need(n.b);
    if (k > 0) need(n.a);
    if (!ready) continue;
    work.pop_back();
    Node m = n;
    switch (n.op) {
      case Op::Slot:
      case Op::Der: m.a = slot(n.a); break;
      case Op::Param: m.a = number(numbers, first_number, n.a); break;
      default:
        if (k > 0) m.a = image_[n.a];
        if (k > 1) m.b = image_[n.b];
        if (k > 2) m.c = image_[n.c];
    }
    image_[id] = to.intern(m).value;
    mark_[id] = epoch_;
  }
  auto& tables = shapes_.tables[static_cast<std::size_t>(kind)];
  Equations& equations = equations_of(system_, kind);
  auto [it, fresh] =
      tables.try_emplace(image_[residual.value], static_cast<std::uint32_t>(equations.tables.size()));
  if (fresh) {
    EquationTable& t = equations.tables.emplace_back();
    t.residual = ExprId{image_[residual.value]};
    t.slots = static_cast<std::uint32_t>(columns.size() - first_column);
    t.params = static_cast<std::uint32_t>(numbers.size() - first_number);
  }
  return it->second;
}

// Which bundle of the body holds the Reals of a relation value; made, innermost first, when it is not the
// body's own. Relations that take the same Reals from the body share it.
std::uint32_t BodyBuilder::bundle(RelationObject& root) {
  auto known = [&](const RelationObject& r) { return r.captured_in == bodies_; };
  std::vector<RelationObject*> work{&root};
  std::vector<std::uint32_t> items;
  while (!work.empty()) {
    RelationObject* r = work.back();
    if (known(*r)) {
      work.pop_back();
      continue;
    }
    BundlePlan plan;
    items.clear();
    if (r->own_captured != kConstant) {
      plan.own = r->own_captured;
    } else {
      Relations::Parts parts = relations_.parts(*r);
      bool ready = true;
      for (RelationObject* inner : parts.relations)
        if (!known(*inner) && inner != r) {
          work.push_back(inner);
          ready = false;
        }
      if (!ready) continue;
      for (const Value& v : parts.reals) items.push_back(real(machine_.to_parameter(v)));
      for (RelationObject* inner : parts.relations) items.push_back(inner == r ? kConstant : inner->captured);
      plan.reals = static_cast<std::uint32_t>(parts.reals.size());
      plan.bundles = static_cast<std::uint32_t>(parts.relations.size());
    }
    r->captured = add_bundle(plan, items);
    r->captured_in = bodies_;
    work.pop_back();
  }
  return root.captured;
}

std::uint32_t BodyBuilder::add_bundle(const BundlePlan& plan, std::span<const std::uint32_t> items) {
  auto items_of = [&](const BundlePlan& b) {
    return std::span(bundle_items_).subspan(b.first, b.reals + b.bundles);
  };
  auto hash = [](const BundlePlan& b, std::span<const std::uint32_t> list) {
    std::uint64_t h = mixed(b.own, b.reals | static_cast<std::uint64_t>(b.bundles) << 32);
    for (std::uint32_t i : list) h = mixed(h, i);
    return h;
  };
  const auto next = static_cast<std::uint32_t>(bundles_.size());
  const std::uint32_t found = bundle_index_.find_or_add(
      hash(plan, items), next,
      [&](std::uint32_t k) {
        const BundlePlan& b = bundles_[k];
        return b.own == plan.own && b.reals == plan.reals && b.bundles == plan.bundles &&
               std::ranges::equal(items_of(b), items);
      },
      [&](std::uint32_t k) { return hash(bundles_[k], items_of(bundles_[k])); });
  if (found == next) {
    bundles_.push_back(
        {plan.own, static_cast<std::uint32_t>(bundle_items_.size()), plan.reals, plan.bundles});
    bundle_items_.insert(bundle_items_.end(), items.begin(), items.end());
  }
  return found;
}

namespace {

bool same(const std::vector<system::Parameter>& a, const std::vector<system::Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const system::Parameter& x, const system::Parameter& y) {
                      return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
                             std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
                    });
}

bool same(const system::Template& a, const system::Template& b) {
  return a.interface == b.interface && a.locals == b.locals && a.synonyms == b.synonyms &&
         a.children == b.children && a.parameters == b.parameters;
}

bool same(const Blueprint& a, const Blueprint& b) {
  return a.interface == b.interface && a.locals == b.locals && std::ranges::equal(a.rows, b.rows) &&
         a.steady == b.steady && a.triggers == b.triggers && a.clocks == b.clocks &&
         a.assignments == b.assignments && a.previous == b.previous && a.delays == b.delays &&
         a.slots == b.slots && a.row_reals == b.row_reals && a.sum_offsets == b.sum_offsets &&
         a.sum_terms == b.sum_terms && a.sum_sources == b.sum_sources && same(a.reals, b.reals) &&
         a.bundles == b.bundles && a.bundle_items == b.bundle_items && a.children == b.children &&
         a.arguments == b.arguments && a.attributes == b.attributes && a.deep == b.deep &&
         a.places == b.places;
}

}  // namespace

Body BodyBuilder::finish(RelationObject& relation) {
  auto print = std::make_shared<Blueprint>();
  Body body;
  // Children need their bundles before the reals are laid out.
  std::vector<std::uint32_t> child_bundles;
  for (ChildInfo& c : children_) child_bundles.push_back(bundle(*c.relation));

  // Columns: the interface keeps its numbers; every own column that stands for itself gets the next.
  system::Template body_template;
  body_template.relation = code_->relation->name;
  body_template.span = code_->relation->span;
  std::vector<std::uint32_t> renumber(columns_.size(), kConstant);
  for (std::uint32_t c = 0; c < interface_; ++c) {
    renumber[c] = c;
    body_template.interface.push_back(text(columns_[c].name));
    body_template.interface_spans.push_back(columns_[c].span);
    print->places.push_back(columns_[c].place);
  }
  auto stays = [&](std::uint32_t c) { return find(c) == c && !columns_[c].dropped; };
  std::uint32_t next = interface_;
  for (std::uint32_t c = interface_; c < columns_.size(); ++c)
    if (stays(c)) renumber[c] = next++;
  print->interface = interface_;
  print->locals = next - interface_;
  body_template.locals.reserve(print->locals);
  print->places.reserve(next);
  for (std::uint32_t c = interface_; c < columns_.size(); ++c) {
    if (stays(c)) {
      print->places.push_back(columns_[c].place);
      body_template.locals.push_back(
          {columns_[c].name, columns_[c].span, columns_[c].kind, columns_[c].type, columns_[c].unit});
    } else if (!columns_[c].dropped && columns_[c].kind == system::UnknownKind::Source) {
      body_template.synonyms.push_back({columns_[c].name, renumber[find(c)]});
    }
  }
  auto final_column = [&](std::uint32_t c) { return c & kDeep ? c : renumber[find(c)]; };

  for (std::size_t kind = 0; kind < kRowKinds; ++kind) print->rows[kind] = std::move(rows_[kind]);
  print->slots = std::move(slots_);
  for (std::uint32_t& c : print->slots) c = final_column(c);
  print->sum_offsets = std::move(sum_offsets_);
  print->sum_terms = std::move(sum_terms_);
  print->sum_sources = std::move(sum_sources_);
  for (std::uint32_t& t : print->sum_terms) t = final_column(t >> 1) << 1 | (t & 1);

  // Parameter expressions, operands first.
  const ExprPool& pool = machine_.parameters;
  std::unordered_map<std::uint32_t, std::uint32_t> place;
  for (ExprId id : topological(pool, real_order_)) {
    Node n = pool[id];
    system::Parameter p{n.op, n.a, n.b, n.c, n.value};
    int k = arity(n.op);
    if (k > 0) p.a = place.at(n.a);
    if (k > 1) p.b = place.at(n.b);
    if (k > 2) p.c = place.at(n.c);
    if (n.op == Op::Const) p.a = shapes_.constant(system_, n.value);
    if (n.op == Op::PowInt) {  // a parameter's operands are parameters: the exponent becomes one
      auto exponent = static_cast<double>(static_cast<std::int32_t>(n.b));
      p.op = Op::Pow;
      p.b = static_cast<std::uint32_t>(print->reals.size());
      print->reals.push_back({Op::Const, shapes_.constant(system_, exponent), 0, 0, exponent});
    }
    place.emplace(id.value, static_cast<std::uint32_t>(print->reals.size()));
    print->reals.push_back(p);
  }
  auto final_real = [&](std::uint32_t r) { return place.at(real_order_[r].value); };
  print->row_reals = std::move(row_reals_);
  for (std::uint32_t& r : print->row_reals) r = final_real(r);
  print->bundles = std::move(bundles_);
  print->bundle_items = std::move(bundle_items_);
  for (const BundlePlan& b : print->bundles)
    for (std::uint32_t k = 0; k < b.reals; ++k)
      print->bundle_items[b.first + k] = final_real(print->bundle_items[b.first + k]);
  print->attributes = std::move(attributes_);
  for (AttributePlan& a : print->attributes) {
    a.column = final_column(a.column);
    a.real = final_real(a.real);
  }
  print->deep = std::move(deep_);
  print->steady = std::move(steady_);
  print->triggers = std::move(triggers_);
  print->clocks = std::move(clocks_);
  for (ClockPlan& c : print->clocks) {
    for (std::uint32_t* r : {&c.period, &c.offset, &c.start, &c.stop}) *r = final_real(*r);
    for (std::uint32_t& r : c.jitter) r = final_real(r);
  }
  for (const AssignmentPlan& a : assignments_)
    print->assignments.push_back({a.trigger, final_column(a.column)});
  for (const PreviousPlan& p : previous_)
    print->previous.push_back({final_column(p.column), final_column(p.of)});
  for (const DelayPlan& d : delays_)
    print->delays.push_back(
        {final_column(d.column), final_column(d.of), final_real(d.length), d.held, d.source});
  print->arguments = std::move(arguments_);
  for (std::uint32_t& a : print->arguments) a = final_column(a);
  print->children.reserve(children_.size());
  body_template.children.reserve(children_.size());
  body.relations.reserve(children_.size());
  body.interfaces.reserve(children_.size());
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const ChildInfo& c = children_[i];
    print->children.push_back({c.first_argument, child_bundles[i]});
    body_template.children.push_back({c.name, c.label != kConstant, c.span});
    body.relations.push_back(c.relation);
    body.interfaces.push_back(c.interface);
  }
  body_template.parameters = relations_.real_names(relation);

  // The levels of a recursion differ in what they apply and perhaps in constants, not in their names.
  Recent& recent = recent_[code_];
  auto known = std::ranges::find_if(
      recent.templates, [&](std::uint32_t t) { return same(system_.templates[t], body_template); });
  if (known != recent.templates.end()) {
    print->body = *known;
    for (const auto& candidate : recent.blueprints)
      if (candidate->body == print->body && same(*candidate, *print)) {
        body.blueprint = candidate;
        return body;
      }
  } else {
    print->body = static_cast<std::uint32_t>(system_.templates.size());
    system_.templates.push_back(std::move(body_template));
    recent.templates.push_front(print->body);
    if (recent.templates.size() > 4) recent.templates.pop_back();
  }
  recent.blueprints.push_front(print);
  if (recent.blueprints.size() > 4) recent.blueprints.pop_back();
  body.blueprint = std::move(print);
  return body;
}

}  // namespace sigrel::elaborate
