#include "compiler/elaborate/instantiate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/ir/make_room.h"

namespace sigrel::elaborate {
namespace {

constexpr std::uint32_t kMaxDepth = 2'000'000;  // of relations inside relations
constexpr std::uint32_t kMaxUnknowns = 1'000'000'000;

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

std::uint32_t Instantiator::apply_settings(std::uint32_t instance, const RelationObject& relation,
                                           std::uint32_t bundle) {
  bool root = instance == system::kRoot;
  const auto& settings = settings_[pending_[instance].settings];
  if (!root && settings.empty()) return bundle;
  std::vector<std::string> names = relations_.real_names(relation);
  std::vector<std::uint32_t> reals(names.size());
  bool changed = false;
  std::string prefix = system::instance_name(system_, instance);
  if (!prefix.empty()) prefix += '.';
  for (std::uint32_t k = 0; k < names.size(); ++k) {
    reals[k] = system_.captured[bundles_[bundle].first_real + k];
    std::optional<double> value;
    for (const PendingSetting& s : settings)
      if (s.rest == names[k]) {
        value = options_.set[s.option].value;
        used_settings_[s.option] = true;
      }
    if (!root && !value) continue;
    reals[k] = named(prefix + names[k], reals[k], value);
    changed = true;
  }
  if (!changed) return bundle;
  Bundle copy{static_cast<std::uint32_t>(system_.captured.size()), bundles_[bundle].first_inner};
  system_.captured.insert(system_.captured.end(), reals.begin(), reals.end());
  bundles_.push_back(copy);
  return static_cast<std::uint32_t>(bundles_.size() - 1);
}

/// The model with the Ints and Bools that settings name: another model of the same relation. Only the model
/// itself has them: those of an instance would have to fit what its interface is joined to.
RelationObject* Instantiator::with_structural_settings(RelationObject& model) {
  RelationObject* changed = &model;
  const RelationCode& code = model.relation();
  for (std::uint32_t k = 0; k < model.size; ++k) {
    const Value old = model.items[k];
    if (old.tag != Tag::Int && old.tag != Tag::Bool) continue;
    const std::string name(text(code.global->local_names[code.captured[k].value]));
    structural_names_.push_back(name);
    for (std::size_t i = 0; i < options_.set.size(); ++i) {
      if (options_.set[i].name != name) continue;
      used_settings_[i] = true;
      const double value = options_.set[i].value;
      if (value != std::floor(value) || std::fabs(value) > 1e15 ||
          (old.tag == Tag::Bool && value != 0 && value != 1)) {
        machine_.diagnostics()
            .report(Code::UnknownParameter, fmt::format("`{}` cannot be set to {}", name, value))
            .help(old.tag == Tag::Bool ? "it is a Bool: 0 is False, 1 is True"
                                       : "it is an Int: give a whole number");
        continue;
      }
      if (changed == &model) {
        changed = machine_.heap().relation(code, model.size);
        std::ranges::copy(model.span(), changed->items);
      }
      changed->items[k] =
          old.tag == Tag::Bool ? Value::of_bool(value != 0) : Value::of_int(static_cast<std::int64_t>(value));
    }
  }
  return changed;
}

std::optional<std::uint32_t> Instantiator::body_of(const Pending& p, std::uint32_t bundle,
                                                   std::span<const double> reals) {
  std::uint64_t key = static_cast<std::uint64_t>(relations_.skeleton(*p.relation)) << 32 | p.interface.value;
  Family& family = families_[key];
  auto values = [&] {
    std::vector<double> v;
    for (std::uint32_t k : family.forced) v.push_back(reals[k]);
    return v;
  };
  if (family.forced.empty() && !family.bodies.empty()) return family.bodies.begin()->second;
  if (auto it = family.bodies.find(values()); it != family.bodies.end()) {
    mark_forced(family, bundle);
    return it->second;
  }
  auto built = builder_.build(*p.relation, p.interface, reals);
  if (!built) return std::nullopt;
  std::set<std::uint32_t> forced(family.forced.begin(), family.forced.end());
  std::size_t before = forced.size();
  forced.insert(built->forced.begin(), built->forced.end());
  if (forced.size() != before) {  // earlier bodies were keyed by fewer values
    family.forced.assign(forced.begin(), forced.end());
    family.bodies.clear();
  }
  bodies_.push_back(std::move(built->body));
  auto id = static_cast<std::uint32_t>(bodies_.size() - 1);
  family.bodies.emplace(values(), id);
  mark_forced(family, bundle);
  return id;
}

void Instantiator::mark_forced(const Family& family, std::uint32_t bundle) {
  for (std::uint32_t k : family.forced) {
    std::uint32_t p = system_.captured[bundles_[bundle].first_real + k];
    if (forced_.size() <= p) forced_.resize(p + 1);
    forced_[p] = true;
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
    EquationTable& t = equations.tables[r.table];
    for (std::uint32_t k = 0; k < t.slots; ++k) {
      std::uint32_t column = b.slots[r.first_slot + k];
      if (column & kDeep) {
        fixes_.push_back({Fix::Row, kind, r.table, t.unknowns.size(), instance, &b.deep[column & ~kDeep]});
        t.unknowns.push_back(0);
      } else {
        t.unknowns.push_back(unknown(b, self, column));
      }
    }
    for (std::uint32_t k = 0; k < t.params; ++k)
      t.parameters.push_back(reals_[b.row_reals[r.first_real + k]]);
    t.origins.push_back({instance, r.source});
    if (kind == RowKind::Condition)
      t.tags.push_back(static_cast<std::uint32_t>(events.triggers.size()) + r.tag);
    if (kind == RowKind::Value)
      t.tags.push_back(static_cast<std::uint32_t>(events.assignments.size()) + r.tag);
  }
}

/// After its rows.
void Instantiator::add_events(const Blueprint& b, std::uint32_t instance) {
  const system::Instance& self = system_.instances[instance];
  system::Events& events = system_.events;
  const auto first = static_cast<std::uint32_t>(events.triggers.size());
  for (const TriggerPlan& t : b.triggers) events.triggers.push_back({t.kind, {instance, t.source}});
  for (const ClockPlan& c : b.clocks) {
    events.clocks.push_back({first + c.trigger, reals_[c.period], reals_[c.offset], reals_[c.start],
                             reals_[c.stop], static_cast<std::uint32_t>(events.jitters.size()),
                             static_cast<std::uint32_t>(c.jitter.size())});
    for (std::uint32_t r : c.jitter) events.jitters.push_back(reals_[r]);
  }
  for (const AssignmentPlan& a : b.assignments)
    events.assignments.push_back({first + a.trigger, unknown(b, self, a.column)});
  for (const PreviousPlan& p : b.previous) {
    const bool deep = p.of & kDeep;
    if (deep)
      fixes_.push_back({Fix::Previous, {}, 0, events.previous.size(), instance, &b.deep[p.of & ~kDeep]});
    events.previous.push_back({unknown(b, self, p.column), deep ? 0 : unknown(b, self, p.of)});
  }
  for (const DelayPlan& d : b.delays)
    system_.delays.push_back(
        {unknown(b, self, d.column), unknown(b, self, d.of), reals_[d.length], d.held, {instance, d.source}});
}

bool Instantiator::run(RelationObject& given) {
  used_settings_.assign(options_.set.size(), false);
  if (options_.one_by_one) builder_.apply_one_by_one();
  RelationObject& model = *with_structural_settings(given);
  if (machine_.diagnostics().has_errors()) return false;
  std::vector<PendingSetting> all;
  for (std::size_t i = 0; i < options_.set.size(); ++i) all.push_back({i, options_.set[i].name});
  settings_.push_back(std::move(all));

  // The model itself: its Reals are constants.
  std::vector<RelationObject*> work{&model};
  std::unordered_map<const RelationObject*, std::uint32_t> made;
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
    auto id = static_cast<std::uint32_t>(bundles_.size());
    bundles_.push_back(
        {static_cast<std::uint32_t>(system_.captured.size()), static_cast<std::uint32_t>(inner_.size())});
    for (const Value& v : parts.reals) system_.captured.push_back(shapes_.constant(system_, v.real));
    for (RelationObject* inner : parts.relations) inner_.push_back(inner == r ? id : made.at(inner));
    made.emplace(r, id);
  }
  auto declared = machine_.interface(model);
  if (!declared) return false;
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
    return false;
  }
  system_.instances.push_back({});
  pending_.push_back({&model, machine_.layouts().tuple(interface), made.at(&model), 0, 1, 0});

  std::vector<double> reals;
  std::vector<std::uint32_t> new_bundles;
  for (std::uint32_t i = 0; i < system_.instances.size(); ++i) {
    const Pending p = pending_[i];
    std::uint32_t bundle = apply_settings(i, *p.relation, p.bundle);
    for (std::size_t k = values_.size(); k < system_.parameters.size(); ++k) {
      const system::Parameter& q = system_.parameters[k];
      int n = arity(q.op);
      if (n == 0)
        values_.push_back(q.value);
      else
        values_.push_back(apply(machine_.used_library().get(), q.op, q.value, values_[q.a],
                                n > 1 ? values_[q.b] : 0, n > 2 ? values_[q.c] : 0));
    }
    std::size_t captured = relations_.real_count(relations_.skeleton(*p.relation));
    reals.clear();
    for (std::size_t k = 0; k < captured; ++k)
      reals.push_back(values_[system_.captured[bundles_[bundle].first_real + k]]);
    auto found = body_of(p, bundle, reals);
    if (!found) return false;
    if (options_.arguments) note_arguments(i, *p.relation, bundle, reals);
    const Body& body = bodies_[*found];
    const Blueprint& b = *body.blueprint;

    system::Instance& self = system_.instances[i];
    self.body = b.body;
    self.first_unknown = system_.unknowns;
    self.first_parameter = bundles_[bundle].first_real;
    self.first_child = static_cast<std::uint32_t>(system_.instances.size());
    pending_[i].bundle = bundle;
    pending_[i].body = *found;
    if (p.depth > kMaxDepth || system_.unknowns > kMaxUnknowns || repeats(i)) {
      const system::Template& t = system_.templates[b.body];
      machine_.diagnostics()
          .report(Code::EvaluationTooDeep, t.span,
                  fmt::format("`{}` contains itself without end", text(t.relation)))
          .note(fmt::format("elaboration stopped {} levels deep, at {} unknowns", p.depth, system_.unknowns))
          .help("check that the recursion comes to a case that does not apply the relation again");
      return false;
    }
    system_.unknowns += b.locals;

    reals_.clear();
    for (const system::Parameter& r : b.reals) {
      if (r.op == Op::Const) {
        reals_.push_back(r.a);
      } else if (r.op == Op::Param) {
        reals_.push_back(system_.captured[bundles_[bundle].first_real + r.a]);
      } else {
        int n = arity(r.op);
        system::Parameter q = r;
        q.a = reals_[r.a];
        if (n > 1) q.b = reals_[r.b];
        if (n > 2) q.c = reals_[r.c];
        reals_.push_back(parameter(q));
      }
    }
    for (std::size_t kind = 0; kind < kRowKinds; ++kind)
      if (!b.rows[kind].empty()) add_rows(b, i, static_cast<RowKind>(kind));
    if (!b.triggers.empty() || !b.previous.empty() || !b.delays.empty()) add_events(b, i);
    SumTable& sums = system_.equations.sums;
    for (std::size_t s = 0; s < b.sum_sources.size(); ++s) {
      for (std::uint32_t t = b.sum_offsets[s]; t < b.sum_offsets[s + 1]; ++t)
        sums.terms.push_back(Term::of(unknown(b, self, b.sum_terms[t] >> 1), b.sum_terms[t] & 1));
      sums.offsets.push_back(static_cast<std::uint32_t>(sums.terms.size()));
      sums.origins.push_back({i, b.sum_sources[s]});
    }
    for (std::uint32_t source : b.steady) system_.steady.push_back({i, source});
    for (const AttributePlan& a : b.attributes) {
      bool deep = a.column & kDeep;
      if (deep)
        fixes_.push_back({Fix::Attribute, {}, 0, system_.attributes.size(), i, &b.deep[a.column & ~kDeep]});
      system_.attributes.push_back({a.kind, deep ? 0 : unknown(b, self, a.column), reals_[a.real], a.span});
    }

    new_bundles.clear();
    for (const BundlePlan& plan : b.bundles) {
      if (plan.own != kConstant) {
        new_bundles.push_back(inner_[bundles_[bundle].first_inner + plan.own]);
        continue;
      }
      auto id = static_cast<std::uint32_t>(bundles_.size());
      bundles_.push_back(
          {static_cast<std::uint32_t>(system_.captured.size()), static_cast<std::uint32_t>(inner_.size())});
      const std::uint32_t* items = b.bundle_items.data() + plan.first;
      for (std::uint32_t k = 0; k < plan.reals; ++k) system_.captured.push_back(reals_[*items++]);
      for (std::uint32_t k = 0; k < plan.bundles; ++k, ++items)
        inner_.push_back(*items == kConstant ? id : new_bundles[*items]);
      new_bundles.push_back(id);
    }
    const bool set_inside = std::ranges::any_of(
        settings_[p.settings], [](const PendingSetting& s) { return s.rest.find('.') != s.rest.npos; });
    for (std::uint32_t c = 0; c < b.children.size(); ++c) {
      const ChildPlan& plan = b.children[c];
      std::uint32_t end = c + 1 < b.children.size() ? b.children[c + 1].first_argument
                                                    : static_cast<std::uint32_t>(b.arguments.size());
      system::Instance child;
      child.parent = i;
      child.child = c;
      child.first_argument = static_cast<std::uint32_t>(system_.arguments.size());
      const system::Instance parent = system_.instances[i];
      for (std::uint32_t a = plan.first_argument; a < end; ++a)
        system_.arguments.push_back(unknown(b, parent, b.arguments[a]));
      system_.instances.push_back(child);
      std::uint32_t settings = 0;
      if (set_inside) {
        const std::string name = text(system_.templates[b.body].children[c].name);
        std::vector<PendingSetting> inside;
        for (const PendingSetting& s : settings_[p.settings])
          if (s.rest.size() > name.size() + 1 && s.rest.starts_with(name) && s.rest[name.size()] == '.')
            inside.push_back({s.option, s.rest.substr(name.size() + 1)});
        if (!inside.empty()) {
          settings = static_cast<std::uint32_t>(settings_.size());
          settings_.push_back(std::move(inside));
        }
      }
      pending_.push_back({body.relations[c], body.interfaces[c], new_bundles[plan.bundle], p.depth + 1,
                          settings, std::has_single_bit(p.depth) ? i : p.earlier});
    }
  }
  report_unused_settings();
  // A parameter whose value decided a structure, or that such a one is computed from, cannot change without
  // elaborating again.
  forced_.resize(system_.parameters.size());
  for (std::size_t i = forced_.size(); i-- > 0;) {
    if (!forced_[i]) continue;
    const system::Parameter& q = system_.parameters[i];
    int n = arity(q.op);
    if (n > 0) forced_[q.a] = true;
    if (n > 1) forced_[q.b] = true;
    if (n > 2) forced_[q.c] = true;
  }
  for (system::NamedParameter& n : system_.named_parameters) n.structural = forced_[n.parameter];
  for (std::size_t k = 0; k < arguments_.size(); ++k)
    if (argument_parameters_[k] != kConstant) arguments_[k].structural = forced_[argument_parameters_[k]];
  return fix() && !machine_.diagnostics().has_errors();
}

/// Whether the instance is what an instance that contains it is, with the same numbers: then it contains
/// itself again, and so on.
bool Instantiator::repeats(std::uint32_t instance) {
  const Pending &inner = pending_[instance], &outer = pending_[inner.earlier];
  if (instance == inner.earlier || inner.body != outer.body || inner.settings) return false;
  if (!relations_.parts(*inner.relation).relations.empty()) return false;  // these have numbers of their own
  const std::size_t reals = relations_.real_count(relations_.skeleton(*inner.relation));
  for (std::size_t k = 0; k < reals; ++k)
    if (values_[system_.captured[bundles_[inner.bundle].first_real + k]] !=
        values_[system_.captured[bundles_[outer.bundle].first_real + k]])
      return false;
  return true;
}

void Instantiator::report_unused_settings() {
  system::Names names(system_);
  for (std::size_t i = 0; i < options_.set.size(); ++i) {
    if (used_settings_[i]) continue;
    // What could have been set at the place where the name stops to make sense.
    std::string_view rest = options_.set[i].name;
    std::uint32_t instance = system::kRoot;
    for (bool deeper = true; deeper;) {
      deeper = false;
      const system::Instance& at = system_.instances[instance];
      const auto& children = system_.templates[at.body].children;
      for (std::uint32_t c = 0; c < children.size() && !deeper; ++c)
        if (const std::string name = text(children[c].name);
            rest.size() > name.size() && rest.starts_with(name) && rest[name.size()] == '.') {
          rest.remove_prefix(name.size() + 1);
          instance = at.first_child + c;
          deeper = true;
        }
    }
    std::string prefix = system::instance_name(system_, instance);
    if (!prefix.empty()) prefix += '.';
    const system::Template& t = system_.templates[system_.instances[instance].body];
    std::vector<std::string> known = t.parameters;
    if (instance == system::kRoot)
      known.insert(known.end(), structural_names_.begin(), structural_names_.end());
    for (const system::ChildInfo& c : t.children) known.push_back(text(c.name));
    Diagnostic& d = machine_.diagnostics().report(
        Code::UnknownParameter, fmt::format("no parameter is named `{}`", options_.set[i].name));
    std::vector<std::string_view> views(known.begin(), known.end());
    if (auto best = did_you_mean(rest, views))
      d.help(fmt::format("did you mean `{}{}`?", prefix, *best));
    else if (known.size() > t.children.size())
      d.help(fmt::format(
          "`{}` has the parameters {}",
          prefix.empty() ? std::string(text(t.relation)) : prefix.substr(0, prefix.size() - 1),
          fmt::join(known.begin(), known.end() - static_cast<std::ptrdiff_t>(t.children.size()), ", ")));
  }
}

bool Instantiator::fix() {
  system::Names names(system_);
  std::set<const DeepPlan*> reported;
  Name name;
  std::optional<LocalName> local;  // the same
  for (const Fix& f : fixes_) {
    if (f.deep->name != name) {
      name = f.deep->name;
      local = find_local_name(text(name));
    }
    std::uint32_t child = system_.instances[f.instance].first_child + f.deep->child;
    auto unknown = local ? names.find(child, *local) : names.find(child, text(name));
    if (!unknown) {
      if (!reported.insert(f.deep).second) continue;
      const std::string label =
          text(system_.templates[system_.instances[f.instance].body].children[f.deep->child].name);
      Diagnostic& d = machine_.diagnostics().report(
          Code::NoSuchMember, f.deep->span,
          fmt::format("`{}` has no scalar variable `{}`", label, text(f.deep->name)));
      std::vector<std::string> known = names.candidates(child, text(f.deep->name));
      std::vector<std::string_view> views(known.begin(), known.end());
      if (auto best = did_you_mean(text(f.deep->name), views))
        d.help(fmt::format("did you mean `{}.{}`?", label, *best));
      continue;
    }
    switch (f.kind) {
      case Fix::Row: equations_of(system_, f.row).tables[f.table].unknowns[f.position] = *unknown; break;
      case Fix::Previous: system_.events.previous[f.position].of = *unknown; break;
      case Fix::Attribute: system_.attributes[f.position].unknown = *unknown; break;
    }
  }
  return reported.empty();
}

}  // namespace sigrel::elaborate
