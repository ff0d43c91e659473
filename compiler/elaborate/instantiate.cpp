#include "compiler/elaborate/instantiate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/ir/make_room.h"

namespace sigrel::elaborate {
namespace {

/// Instances inside each other from which on a model that exceeds a limit is regarded as a recursion without
/// end.
constexpr std::uint32_t kDeepRecursion = 10'000;

}  // namespace

std::uint32_t Instantiator::parameter(const system::Parameter& p) {
  system_.parameters.push_back(p);
  return static_cast<std::uint32_t>(system_.parameters.size() - 1);
}

std::uint32_t Instantiator::named(std::string name, std::uint32_t parameter, std::optional<double> value) {
  // A parameter of its own, so that changing it changes nothing else.
  system::Parameter p = system_.parameters[parameter];
  if (value) p = {Op::Const, 0, 0, 0, *value};
  std::uint32_t own = this->parameter(p);
  system_.named_parameters.push_back({std::move(name), own});
  return own;
}

std::optional<std::uint32_t> Instantiator::body_of(RelationObject& relation, LayoutId interface,
                                                   CapturedSet captured, std::span<const double> reals) {
  Family& family = families_[{relations_.skeleton(relation), interface}];
  auto values = [&] {
    std::vector<double> v;
    for (std::uint32_t k : family.structural) v.push_back(reals[k]);
    return v;
  };
  if (family.structural.empty() && !family.bodies.empty()) return family.bodies.begin()->second;
  if (auto it = family.bodies.find(values()); it != family.bodies.end()) {
    mark_structural(family, captured);
    return it->second;
  }
  auto built = builder_.build(relation, interface, reals);
  if (!built) return std::nullopt;
  std::set<std::uint32_t> structural(family.structural.begin(), family.structural.end());
  const std::size_t before = structural.size();
  structural.insert(built->structural.begin(), built->structural.end());
  if (structural.size() != before) {  // earlier bodies have keys of fewer values
    family.structural.assign(structural.begin(), structural.end());
    family.bodies.clear();
  }
  bodies_.push_back(std::move(built->body));
  auto id = static_cast<std::uint32_t>(bodies_.size() - 1);
  family.bodies.emplace(values(), id);
  mark_structural(family, captured);
  return id;
}

void Instantiator::mark_structural(const Family& family, CapturedSet captured) {
  for (std::uint32_t k : family.structural) {
    const std::uint32_t p = captured_real(captured, k);
    if (structural_.size() <= p) structural_.resize(p + 1);
    structural_[p] = true;
  }
}

void Instantiator::add_rows(const Blueprint& b, std::uint32_t instance, RowKind kind) {
  const system::Instance& self = system_.instances[instance];
  Equations& equations = equations_of(system_, kind);
  const system::Events& events = system_.events;
  constexpr std::size_t kMany = 1000;
  if (const auto& rows = b.rows[static_cast<std::size_t>(kind)]; rows.size() > kMany) {
    std::vector<std::size_t> more(equations.tables.size());
    for (const RowPlan& r : rows) ++more[r.table];
    for (std::size_t t = 0; t < more.size(); ++t) make_room(equations.tables[t], more[t]);
  }
  for (const RowPlan& r : b.rows[static_cast<std::size_t>(kind)]) {
    if (kind == RowKind::Initial && !starts(instance, r)) continue;
    EquationTable& t = equations.tables[r.table];
    for (std::uint32_t k = 0; k < t.slots; ++k) {
      const ColumnRef column = b.slots[r.first_slot + k];
      if (column.is_member()) {
        unresolved_.push_back(
            {Unresolved::Row, kind, r.table, t.unknowns.size(), instance, &b.members[column.index()]});
        t.unknowns.push_back(0);
      } else {
        t.unknowns.push_back(unknown(b, self, column.column()));
      }
    }
    for (std::uint32_t k = 0; k < t.params; ++k)
      t.parameters.push_back(reals_[b.row_reals[r.first_real + k].value]);
    t.origins.push_back({instance, r.source});
    if (kind == RowKind::Condition)
      t.tags.push_back(static_cast<std::uint32_t>(events.triggers.size()) + r.tag);
    if (kind == RowKind::Value)
      t.tags.push_back(static_cast<std::uint32_t>(events.assignments.size()) + r.tag);
  }
}

/// Adds the events after their rows, whose tags are numbers of triggers and assignments.
void Instantiator::add_events(const Blueprint& b, std::uint32_t instance) {
  const system::Instance& self = system_.instances[instance];
  system::Events& events = system_.events;
  const auto first = static_cast<std::uint32_t>(events.triggers.size());
  for (const TriggerPlan& t : b.triggers) {
    events.triggers.push_back({t.kind, {instance, t.source}, t.initial, t.terminal});
    if (t.preceding) events.triggers.back().preceding = first + t.preceding->value;
  }
  for (const ClockPlan& c : b.clocks) {
    events.clocks.push_back({first + c.trigger.value, reals_[c.period.value], reals_[c.offset.value],
                             reals_[c.start.value], reals_[c.stop.value],
                             static_cast<std::uint32_t>(events.jitters.size()),
                             static_cast<std::uint32_t>(c.jitter.size())});
    for (RealId r : c.jitter) events.jitters.push_back(reals_[r.value]);
  }
  for (const AssignmentPlan& a : b.assignments)
    events.assignments.push_back({first + a.trigger.value, unknown(b, self, a.column)});
  for (const PreviousPlan& p : b.previous) {
    if (p.of.is_member())
      unresolved_.push_back(
          {Unresolved::Previous, {}, 0, events.previous.size(), instance, &b.members[p.of.index()]});
    events.previous.push_back(
        {unknown(b, self, p.column), p.of.is_member() ? 0 : unknown(b, self, p.of.column())});
  }
  for (const DelayPlan& d : b.delays)
    system_.delays.push_back({unknown(b, self, d.column),
                              unknown(b, self, d.of),
                              reals_[d.length.value],
                              d.piecewise_constant,
                              {instance, d.source}});
}

Instantiator::CapturedSet Instantiator::add_captured() {
  captured_.push_back(
      {static_cast<std::uint32_t>(system_.captured.size()), static_cast<std::uint32_t>(inner_.size())});
  return CapturedSet{captured_.size() - 1};
}

/// The captured parameters of the model: its Reals are constants. Innermost relations first.
Instantiator::CapturedSet Instantiator::captured_of_model(RelationObject& model) {
  std::vector<RelationObject*> work{&model};
  std::unordered_map<const RelationObject*, CapturedSet> made;
  while (!work.empty()) {
    RelationObject* r = work.back();
    Relations::Parts parts = relations_.parts(*r);
    bool ready = true;
    for (RelationObject* inner : parts.relations)
      if (!made.contains(inner) && inner != r) {
        work.push_back(inner);
        ready = false;
      }
    if (!ready) continue;
    work.pop_back();
    if (made.contains(r)) continue;
    const CapturedSet set = add_captured();
    for (const Value& v : parts.reals) system_.captured.push_back(shapes_.constant(v.real));
    for (RelationObject* inner : parts.relations) inner_.push_back(inner == r ? set : made.at(inner));
    made.emplace(r, set);
  }
  return made.at(&model);
}

std::optional<LayoutId> Instantiator::interface_of_model(const RelationObject& model) {
  auto declared = machine_.interface(model);
  if (!declared) return std::nullopt;
  std::vector<LayoutId> interface;
  for (std::size_t i = 0; i < declared->size(); ++i) {
    const std::optional<LayoutId>& l = (*declared)[i];
    if (l && machine_.layouts()[*l].scalars == 0) {
      interface.push_back(*l);
      continue;
    }
    const core::Relation& literal = *model.relation().relation;
    machine_.diagnostics()
        .report(
            Code::NothingToRun, literal.formals[i].span,
            fmt::format("`{}` has an interface: it is a part of a model, not a model", text(literal.name)))
        .label("nothing is connected to this")
        .help("apply it inside `sigrel () where …`, which is a model, with sources for its interface");
    return std::nullopt;
  }
  return machine_.layouts().tuple(interface);
}

bool Instantiator::run(RelationObject& given) {
  used_settings_ = definitions_.set;
  RelationObject& model = *with_structural_settings(given);
  if (machine_.diagnostics().has_errors()) return false;
  instance_identities_.push_back(0);
  owners_.push_back(system::kNoSwitch);
  std::vector<PendingSetting> all;
  for (std::size_t i = 0; i < options_.set.size(); ++i)
    all.push_back({i, options_.set[i].name, evaluate::kNone, 0});
  settings_.push_back(std::move(all));

  const CapturedSet captured = captured_of_model(model);
  const auto interface = interface_of_model(model);
  if (!interface) return false;
  system_.instances.push_back({});
  pending_.push_back({&model, *interface, captured, 0, 1, 0});
  for (std::uint32_t i = 0; i < system_.instances.size(); ++i)
    if (!instantiate(i)) return false;

  // A part that has the parameter may be one of other modes.
  if (!modes_) report_unused_settings();
  mark_structural_operands();
  for (system::NamedParameter& n : system_.named_parameters) n.structural = structural_[n.parameter];
  for (std::size_t k = 0; k < arguments_.size(); ++k)
    if (argument_parameters_[k] != kNone) arguments_[k].structural = structural_[argument_parameters_[k]];
  return resolve_members() && !machine_.diagnostics().has_errors();
}

/// The values of the parameters that were added.
void Instantiator::evaluate_parameters() {
  for (std::size_t k = values_.size(); k < system_.parameters.size(); ++k) {
    const system::Parameter& q = system_.parameters[k];
    const int n = arity(q.op);
    values_.push_back(n == 0 ? q.value
                             : apply(machine_.used_library().get(), q.op, q.value, values_[q.a],
                                     n > 1 ? values_[q.b] : 0, n > 2 ? values_[q.c] : 0));
  }
}

/// Where the evaluation of a body failed in a library: the nearest part around it that another file has.
void Instantiator::label_part(std::uint32_t i) {
  Diagnostic* report = machine_.last_report();
  if (!report || !report->primary) return;
  for (; i != system::kRoot; i = system_.instances[i].parent) {
    const system::Instance& self = system_.instances[i];
    const Span span = system_.templates[system_.instances[self.parent].body].children[self.child].span;
    if (span.file == report->primary->span.file) continue;
    report->also(span, "in this part");
    return;
  }
}

bool Instantiator::instantiate(std::uint32_t i) {
  const Pending p = pending_[i];
  CapturedSet captured = apply_settings(i, *p.relation, p.captured);
  RelationObject* relation = relation_in_mode(i, captured);
  evaluate_parameters();
  const std::size_t real_count = relations_.real_count(relations_.skeleton(*relation));
  real_values_.clear();
  for (std::size_t k = 0; k < real_count; ++k) real_values_.push_back(values_[captured_real(captured, k)]);
  const auto found = body_of(*relation, p.interface, captured, real_values_);
  if (!found) return label_part(i), false;
  if (options_.arguments) list_arguments(i, *p.relation, captured, real_values_);
  const Body& body = bodies_[*found];
  const Blueprint& b = *body.blueprint;

  system::Instance& self = system_.instances[i];
  self.body = b.body;
  self.first_unknown = system_.unknowns;
  self.first_parameter = captured_[captured.value].first_real;
  self.first_child = static_cast<std::uint32_t>(system_.instances.size());
  pending_[i].captured = captured;
  pending_[i].body = *found;
  if (contains_itself(i)) {
    report_endless(i);
    return false;
  }
  if (!is_within_limits(i, b)) return false;
  system_.unknowns += b.locals;

  add_reals(b, captured);
  first_switch_ = static_cast<std::uint32_t>(system_.switches.size());
  if (!body.switches.empty()) add_switches(body, i, captured);
  for (std::size_t kind = 0; kind < kRowKinds; ++kind)
    if (!b.rows[kind].empty()) add_rows(b, i, static_cast<RowKind>(kind));
  if (!body.transitions.empty()) add_transitions(body, i, captured);
  if (!b.triggers.empty() || !b.previous.empty() || !b.delays.empty()) add_events(b, i);
  if (!b.sum_sources.empty()) add_sums(b, i);
  if (!modes_ || modes_->at_start || is_new(owners_[i]))
    for (std::uint32_t source : b.steady) system_.steady.push_back({i, source});
  if (!b.attributes.empty()) add_attributes(b, i);
  if (!b.children.empty()) {
    add_captured_of_children(b, captured);
    add_children(body, i);
  }
  return true;
}

/// Whether the model is within the limits with the instance; false (reported) if not.
bool Instantiator::is_within_limits(std::uint32_t instance, const Blueprint& b) {
  const Limits& limits = machine_.limits;
  const bool many_unknowns = system_.unknowns + std::uint64_t{b.locals} > limits.unknowns;
  const bool many_instances = system_.instances.size() + b.children.size() > limits.instances;
  const std::uint32_t depth = pending_[instance].depth;
  if (depth <= limits.nesting && !many_unknowns && !many_instances) return true;
  if (depth >= std::min<std::uint64_t>(limits.nesting, kDeepRecursion)) {
    report_endless(instance);
    return false;
  }
  const system::Template& t = system_.templates[b.body];
  machine_.begin_report();
  if (many_unknowns)
    machine_.fail_limit("unknowns", t.span,
                        fmt::format("with this instance of `{}` the model has {} unknowns", text(t.relation),
                                    system_.unknowns + std::uint64_t{b.locals}));
  else
    machine_.fail_limit("instances", t.span,
                        fmt::format("with the parts of this instance of `{}` the model has {} instances",
                                    text(t.relation), system_.instances.size() + b.children.size()));
  return false;
}

/// Reports the recursion that leads to the instance: the relations that occur again and again on the way to
/// it, and the application through which the first of them, in the order of the model, comes back to itself.
void Instantiator::report_endless(std::uint32_t deepest) {
  // The last instances on the way are inside the recursion, except for the innermost part, which need not be.
  std::vector<std::uint32_t> way;
  const std::uint32_t kWay = 64;
  for (std::uint32_t i = deepest; way.size() < kWay; i = system_.instances[i].parent) {
    way.push_back(i);
    if (system_.instances[i].parent == i) break;
  }
  const auto occurs_again = [&](std::size_t k) {
    const Name relation = relation_of(way[k]);
    return std::any_of(way.begin() + static_cast<std::ptrdiff_t>(k) + 1, way.end(),
                       [&](std::uint32_t outer) { return relation_of(outer) == relation; });
  };
  std::size_t first = 0;
  while (first + 1 < way.size() && !occurs_again(first)) ++first;
  // One turn of the recursion, from the inner occurrence to the outer one.
  std::size_t last = first + 1;
  while (last + 1 < way.size() && relation_of(way[last]) != relation_of(way[first])) ++last;
  // It starts in the file of the model, if it passes through it: a part of the library only repeats it.
  const FileId file = system_.templates[system_.instances[0].body].span.file;
  std::size_t start = first;
  for (std::size_t k = first; k < std::min(last, way.size()); ++k)
    if (template_of(way[k]).span.file == file) start = k;
  const system::Template& t = template_of(way[start]);
  Diagnostic& d =
      machine_.diagnostics().report(Code::EvaluationTooDeep, application_of(way[start]),
                                    fmt::format("`{}` contains itself without end", text(t.relation)));
  d.also(t.span, fmt::format("`{}` is defined here", text(t.relation)));
  std::string through;
  for (std::size_t k = last; k-- > first;)
    if (relation_of(way[k]) != t.relation)
      through += fmt::format("{}`{}`", through.empty() ? "" : ", ", text(relation_of(way[k])));
  if (!through.empty()) d.note(fmt::format("it contains itself through {}", through));
  d.note(fmt::format("elaboration stopped {} levels deep, at {} unknowns", pending_[deepest].depth,
                     system_.unknowns))
      .help("check that the recursion comes to a case that does not apply the relation again");
  if (pending_[deepest].depth > machine_.limits.nesting)
    d.help("if it does, deeper inside, raise the limit with `--limit nesting=VALUE`");
}

/// Sets reals_ to the parameters of the instance.
void Instantiator::add_reals(const Blueprint& b, CapturedSet captured) {
  reals_.clear();
  for (const system::Parameter& r : b.reals) {
    if (r.op == Op::Const) {
      reals_.push_back(r.a);
    } else if (r.op == Op::Param) {
      reals_.push_back(captured_real(captured, r.a));
    } else {
      const int n = arity(r.op);
      system::Parameter q = r;
      q.a = reals_[r.a];
      if (n > 1) q.b = reals_[r.b];
      if (n > 2) q.c = reals_[r.c];
      reals_.push_back(parameter(q));
    }
  }
}

void Instantiator::add_sums(const Blueprint& b, std::uint32_t instance) {
  const system::Instance& self = system_.instances[instance];
  SumTable& sums = system_.equations.sums;
  for (std::size_t s = 0; s < b.sum_sources.size(); ++s) {
    for (std::uint32_t t = b.sum_offsets[s]; t < b.sum_offsets[s + 1]; ++t)
      sums.terms.push_back(Term::of(unknown(b, self, b.sum_terms[t].column()), b.sum_terms[t].negative));
    sums.offsets.push_back(static_cast<std::uint32_t>(sums.terms.size()));
    sums.origins.push_back({instance, b.sum_sources[s]});
  }
}

void Instantiator::add_attributes(const Blueprint& b, std::uint32_t instance) {
  const system::Instance& self = system_.instances[instance];
  for (const AttributePlan& a : b.attributes) {
    const bool is_member = a.column.is_member();
    if (is_member)
      unresolved_.push_back(
          {Unresolved::Attribute, {}, 0, system_.attributes.size(), instance, &b.members[a.column.index()]});
    system_.attributes.push_back(
        {a.kind, is_member ? 0 : unknown(b, self, a.column.column()), reals_[a.real.value], a.span});
  }
}

/// Sets sets_ to the captured parameters of the children.
void Instantiator::add_captured_of_children(const Blueprint& b, CapturedSet captured) {
  sets_.clear();
  for (const CapturedPlan& plan : b.captured) {
    if (plan.own != kNone) {
      sets_.push_back(inner_[captured_[captured.value].first_inner + plan.own]);
      continue;
    }
    const CapturedSet set = add_captured();
    const std::uint32_t* items = b.captured_items.data() + plan.first;
    for (std::uint32_t k = 0; k < plan.reals; ++k) system_.captured.push_back(reals_[*items++]);
    for (std::uint32_t k = 0; k < plan.relations; ++k, ++items)
      inner_.push_back(*items == kNone ? set : sets_[*items]);
    sets_.push_back(set);
  }
}

void Instantiator::add_children(const Body& body, std::uint32_t instance) {
  const Blueprint& b = *body.blueprint;
  const Pending p = pending_[instance];
  const bool has_inner_settings = std::ranges::any_of(
      settings_[p.settings], [](const PendingSetting& s) { return s.rest.find('.') != s.rest.npos; });
  const system::Instance parent = system_.instances[instance];
  const std::uint32_t depth = p.depth + 1, earlier = std::has_single_bit(p.depth) ? instance : p.earlier;
  make_room(system_.instances, b.children.size());
  make_room(pending_, b.children.size());
  make_room(system_.arguments, b.arguments.size());
  for (std::uint32_t c = 0; c < b.children.size(); ++c) {
    const ChildPlan& plan = b.children[c];
    const auto end = c + 1 < b.children.size() ? b.children[c + 1].first_argument
                                               : static_cast<std::uint32_t>(b.arguments.size());
    system::Instance child;
    child.parent = instance;
    child.child = c;
    child.first_argument = static_cast<std::uint32_t>(system_.arguments.size());
    system_.instances.push_back(child);
    for (std::uint32_t a = plan.first_argument; a < end; ++a)
      system_.arguments.push_back(unknown(b, parent, b.arguments[a].column()));
    const std::uint32_t settings =
        has_inner_settings ? settings_of_child(p.settings, text(system_.templates[b.body].children[c].name))
                           : 0;
    pending_.push_back(
        {body.relations[c], body.interfaces[c], sets_[plan.captured.value], depth, settings, earlier});
    owners_.push_back(owner_of(instance, system_.templates[b.body].children[c].owner));
  }
  if (modes_)
    identities_.children(instance_identities_[instance], system_.templates[b.body], instance_identities_);
}

/// The operands of a parameter whose value decided structure cannot change either without a new elaboration.
void Instantiator::mark_structural_operands() {
  structural_.resize(system_.parameters.size());
  for (std::size_t i = structural_.size(); i-- > 0;) {
    if (!structural_[i]) continue;
    const system::Parameter& q = system_.parameters[i];
    const int n = arity(q.op);
    if (n > 0) structural_[q.a] = true;
    if (n > 1) structural_[q.b] = true;
    if (n > 2) structural_[q.c] = true;
  }
}

/// Whether the instance has the same body and numbers as an instance that contains it: then it contains
/// itself without end.
bool Instantiator::contains_itself(std::uint32_t instance) {
  const Pending &inner = pending_[instance], &outer = pending_[inner.earlier];
  if (instance == inner.earlier || inner.body != outer.body || inner.settings) return false;
  // A run has entered one mode after the other, with other values of signals.
  if (modes_ && modes_->modes.contains(instance_identities_[instance])) return false;
  if (!relations_.parts(*inner.relation).relations.empty()) return false;  // they have numbers of their own
  const std::size_t reals = relations_.real_count(relations_.skeleton(*inner.relation));
  for (std::size_t k = 0; k < reals; ++k)
    if (values_[captured_real(inner.captured, k)] != values_[captured_real(outer.captured, k)]) return false;
  return true;
}

bool Instantiator::resolve_members() {
  system::Names names(system_);
  std::set<const MemberReference*> reported;
  Name name;
  std::optional<LocalName> local;  // of `name`
  for (const Unresolved& u : unresolved_) {
    if (u.reference->name != name) {
      name = u.reference->name;
      local = find_local_name(text(name));
    }
    const std::uint32_t child = system_.instances[u.instance].first_child + u.reference->child.value;
    const auto unknown = local ? names.find(child, *local) : names.find(child, text(name));
    if (!unknown) {
      if (reported.insert(u.reference).second) report_no_member(u, names, child);
      continue;
    }
    switch (u.kind) {
      case Unresolved::Row:
        equations_of(system_, u.row).tables[u.table].unknowns[u.position] = *unknown;
        break;
      case Unresolved::Previous: system_.events.previous[u.position].of = *unknown; break;
      case Unresolved::Attribute: system_.attributes[u.position].unknown = *unknown; break;
    }
  }
  return reported.empty();
}

void Instantiator::report_no_member(const Unresolved& u, system::Names& names, std::uint32_t child) {
  const system::Template& t = system_.templates[system_.instances[u.instance].body];
  const std::string label = text(t.children[u.reference->child.value].name);
  const std::string_view name = text(u.reference->name);
  Diagnostic& d = machine_.diagnostics().report(Code::NoSuchMember, u.reference->span,
                                                fmt::format("`{}` has no scalar variable `{}`", label, name));
  const std::vector<std::string> known = names.candidates(child, name);
  const std::vector<std::string_view> views(known.begin(), known.end());
  if (auto best = did_you_mean(name, views)) d.help(fmt::format("did you mean `{}.{}`?", label, *best));
}

}  // namespace sigrel::elaborate
