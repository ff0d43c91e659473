#include "compiler/elaborate/components.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/elaborate/body.h"
#include "compiler/elaborate/body_key.h"
#include "compiler/elaborate/coefficient_pattern.h"
#include "compiler/elaborate/exposed_components.h"
#include "compiler/elaborate/flows.h"
#include "compiler/elaborate/mode_combinations.h"
#include "compiler/elaborate/values.h"

namespace sigrel::elaborate {
namespace {

constexpr std::size_t kMaxBodies = 20'000;  // of one definition: a recursion without end makes ever new ones
constexpr std::size_t kMaxSampleBodies = 1'000;  // of one size: it may be none, and recurse without end
// Bodies of one relation inside each other, of one size: a recursion that descends from a size below ten by
// ones is not deeper, and one without end is found before its bodies take longer than everything else of a
// small check.
constexpr std::uint32_t kMaxSampleDepth = 100;
// Bodies with switches of one relation inside each other: a mode may apply its own relation.
constexpr std::uint32_t kMaxNestedSwitches = 10;

/// The host while a definition is evaluated outside of every body. Its numbers are unknown, so they must not
/// decide structure.
class Outside final : public BodyHost {
 public:
  bool decided = false;
  void force(std::uint32_t) override { decided = true; }
  std::optional<Value> node_field(const Object&, std::uint32_t, Span) override { return std::nullopt; }
  std::optional<Value> member(const core::MemberExpr&, const Value&, std::span<const Value>) override {
    return std::nullopt;
  }
  Value member_field(const Object&, std::uint32_t, Name) override { return {}; }
  Value member_index(const Object&, std::span<const Value>) override { return {}; }
  ExprId member_signal(const Object&) override { return {}; }
  std::optional<Value> block_apply(const Value&, const Value&, Span) override { return std::nullopt; }
  std::optional<Value> previous(const Value&, std::string_view, Span) override { return std::nullopt; }
  std::optional<Value> delayed(const Value&, const Value&, Span) override { return std::nullopt; }
};

class Builder {
 public:
  Builder(const core::Program& program, components::Library& library)
      : code_(program),
        layouts_(program),
        machine_(code_, heap_, layouts_, unseen_),
        relations_(heap_, program),
        library_(library),
        exposed_(library),
        shapes_(library.system),
        bodies_(machine_, relations_, library.system, shapes_),
        size_analysis_(relations_, heap_) {
    machine_.claims = &claims_;
    machine_.defer_libraries();
  }

  void family(core::GlobalId definition, std::span<const core::Sample> samples, core::GlobalId first,
              Span span) {
    components::Family result{definition, samples[0].choices, {}};
    machine_.size_analysis = &size_analysis_;
    for (std::uint32_t i = 0; i < samples.size(); ++i) {
      size_analysis_.begin();
      auto component = this->definition(definition, core::GlobalId(first.value + i), {});
      if (component)
        result.members.push_back({samples[i].size.value_or(0), *component, evaluated_.holds_beyond()});
      if (component && built_ > kMaxSampleBodies / 2) break;  // the next ones are larger
    }
    machine_.size_analysis = nullptr;
    if (samples[0].contract && !result.members.empty())
      library_.claims.push_back({*samples[0].contract, result.members.back().component, span, false});
    library_.families.push_back(std::move(result));
  }

  std::optional<std::uint32_t> definition(core::GlobalId definition, core::GlobalId sample, Span span) {
    unseen_.clear();
    definition_ = definition;
    built_ = 0;
    Value value;
    Outside outside;
    machine_.begin_body(0);
    machine_.host = &outside;
    Machine::Status status = machine_.global(sample, span, value);
    machine_.host = nullptr;
    if (status != Machine::Status::Done || outside.decided) return std::nullopt;
    auto component = of_value(value);
    process_claims();
    return component;
  }

  /// What is run, with its own numbers.
  std::optional<std::uint32_t> model(core::GlobalId main, Span span) {
    concrete_ = true;
    Value value;
    machine_.begin_body(0);
    if (machine_.global(main, span, value) != Machine::Status::Done) return std::nullopt;
    if (is_object(value, ObjectKind::Record))
      value = value.object->items[static_cast<std::uint32_t>(core::ExperimentField::Model)];
    return of_value(value);
  }

 private:
  std::optional<std::uint32_t> of_value(const Value& value) {
    if (!is_object(value, ObjectKind::Relation)) return std::nullopt;
    auto& relation = *static_cast<RelationObject*>(value.object);
    auto declared = machine_.interface(relation);
    if (!declared) return std::nullopt;
    evaluated_ = size_analysis_.finish();
    std::vector<LayoutId> interface;
    for (auto& layout : *declared) {
      if (!layout) return std::nullopt;
      interface.push_back(*layout);
    }
    return component(relation, layouts_.tuple(std::move(interface)));
  }

  struct State {
    enum : std::uint8_t { New, Open, Done } stage = New;
    std::optional<std::uint32_t> component;  // when Done: absent if it cannot be known here
  };
  // The states of one skeleton and interface: one for each combination of values of the structural Reals.
  struct Family {
    std::set<std::uint32_t> structural;
    std::map<std::vector<double>, State> states;
  };
  struct Work {
    RelationObject* relation;
    LayoutId interface;
    std::optional<Body> body;
    SizeRegion region{};  // of its body and of the call that gave it
    std::vector<ModeCombination>
        combinations{};         // of a relation with switches; their bodies are in Works of their own
    std::vector<Name> modes{};  // of one of them
  };

  std::vector<double> values(const RelationObject& relation) const {
    std::vector<double> result;
    for (const Value& v : relations_.parts(relation).reals) result.push_back(v.real);
    return result;
  }

  State& state(RelationObject& relation, LayoutId interface) {
    Family& family = families_[{relations_.skeleton(relation), interface}];
    std::vector<double> steering;
    if (!family.structural.empty())
      for (std::vector<double> all = values(relation); std::uint32_t k : family.structural)
        steering.push_back(all[k]);
    return family.states[std::move(steering)];
  }

  // What the bodies so far say of relations that they pass on; each relation once, where it is said first.
  void process_claims() {
    while (!claims_.empty())
      for (const Machine::Claim& claim : std::exchange(claims_, {})) {
        if (!is_object(claim.relation, ObjectKind::Relation)) continue;
        auto& relation = *static_cast<RelationObject*>(claim.relation.object);
        if (!claimed_.insert({relations_.skeleton(relation), claim.contract.value}).second) continue;
        unseen_.clear();
        machine_.begin_body(0);
        if (auto component = of_value(claim.relation))
          library_.claims.push_back({claim.contract, *component, claim.span});
      }
  }

  // Children first, with a stack of its own.
  std::optional<std::uint32_t> component(RelationObject& root, LayoutId interface) {
    std::vector<Work> stack;
    stack.push_back({&root, interface, {}});
    while (!stack.empty()) {
      Work& work = stack.back();
      State& state = this->state(*work.relation, work.interface);
      if (state.stage == State::Done) {
        stack.pop_back();
        continue;
      }
      if (work.relation->relation().relation->hole) {
        state = {State::Done, hole(*work.relation, work.interface)};
        stack.pop_back();
        continue;
      }
      if (state.stage == State::New) {
        work.body = build(work);
        work.region = region(*work.relation);
        State& now = this->state(*work.relation, work.interface);
        now.stage = work.body ? State::Open : State::Done;
        if (!work.body) {
          stack.pop_back();
          continue;
        }
        ++open_[&work.relation->relation()];
        if (work.body->switches.empty())
          push_children(*work.body, stack);
        else
          push_combinations(stack);
        continue;
      }
      --open_[&work.relation->relation()];
      if (work.combinations.empty())
        finish(work, state);
      else
        finish_switching(work, state);
      stack.pop_back();
    }
    return state(root, interface).component;
  }

  void push_children(Body body, std::vector<Work>& stack) {
    for (std::size_t c = 0; c < body.relations.size(); ++c)
      if (state(*body.relations[c], body.interfaces[c]).stage == State::New)
        stack.push_back({body.relations[c], body.interfaces[c], {}});
  }

  /// The relation of the last Work has switches: first the components of their combinations.
  void push_combinations(std::vector<Work>& stack) {
    const std::size_t at = stack.size() - 1;
    RelationObject& relation = *stack[at].relation;
    const LayoutId interface = stack[at].interface;
    SizeRegion region = stack[at].region;
    ModeCombinations search(heap_, relations_, [&](RelationObject& in_modes) {
      std::optional<Body> body = build({&in_modes, interface, {}});
      region.merge(this->region(in_modes));
      unseen_.clear();
      return body;
    });
    std::optional<std::vector<ModeCombination>> found;
    if (!concrete_ && open_[&relation.relation()] <= kMaxNestedSwitches)
      found = search.all(relation, *stack[at].body);
    if (!found) {
      --open_[&relation.relation()];
      state(relation, interface).stage = State::Done;
      stack.pop_back();
      return;
    }
    stack[at].region = region;
    std::vector<Body> bodies;
    for (ModeCombination& c : *found) {
      State& now = state(*c.relation, interface);
      if (!c.body || now.stage != State::New) continue;
      now.stage = State::Open;
      ++open_[&relation.relation()];
      bodies.push_back(*c.body);
      stack.push_back({c.relation, interface, std::move(c.body), region, {}, c.names});
    }
    stack[at].combinations = std::move(*found);
    for (Body& body : bodies) push_children(std::move(body), stack);
  }

  void finish_switching(const Work& work, State& finished) {
    finished.stage = State::Done;
    components::Component result = empty_component(work);
    for (const ModeCombination& c : work.combinations)
      result.combinations.push_back({c.choices, state(*c.relation, work.interface).component});
    for (const auto& c : result.combinations)
      if (c.component) add_holes(result, *c.component);
    add(std::move(result), work, finished);
  }

  std::optional<Body> build(const Work& work) {
    if (++built_ > (machine_.size_analysis ? kMaxSampleBodies : kMaxBodies)) return std::nullopt;
    if (machine_.size_analysis && open_[&work.relation->relation()] >= kMaxSampleDepth) return std::nullopt;
    size_analysis_.begin();
    std::vector<double> reals = values(*work.relation);
    auto output = bodies_.build(*work.relation, work.interface, reals);
    if (!output || unseen_.has_errors()) return std::nullopt;
    if (!output->structural.empty()) {
      if (!concrete_) return std::nullopt;  // depends on unknown numbers
      Family& family = families_[{relations_.skeleton(*work.relation), work.interface}];
      std::size_t before = family.structural.size();
      family.structural.insert(output->structural.begin(), output->structural.end());
      if (family.structural.size() != before)
        family.states.clear();  // these were distinguished by fewer values
    }
    return std::move(output->body);
  }

  std::uint32_t hole(const RelationObject& relation, LayoutId interface) {
    const core::Relation& literal = *relation.relation().relation;
    const LayoutNode layout = layouts_[interface];
    system::Template shape;
    shape.relation = literal.name;
    shape.span = literal.span;
    std::vector<LocalName> names;
    for (std::size_t i = 0; i < literal.formals.size(); ++i)
      layouts_.names(layout.elements[i], local_name(literal.formals[i].name), names);
    for (LocalName name : names) shape.interface.push_back(text(name));
    shape.interface_spans.assign(shape.interface.size(), literal.span);
    components::Component result;
    result.body = static_cast<std::uint32_t>(library_.system.templates.size());
    result.literal = relation.relation().id;
    result.interface = layout.scalars;
    result.hole = static_cast<std::uint32_t>(library_.holes.size());
    result.holes = {*result.hole};
    auto component = static_cast<std::uint32_t>(library_.components.size());
    library_.system.templates.push_back(std::move(shape));
    library_.holes.push_back({definition_, *literal.hole, component});
    library_.components.push_back(std::move(result));
    return component;
  }

  // Of the body that was built just now, and of the call that gave its relation.
  SizeRegion region(const RelationObject& relation) {
    SizeRegion result = size_analysis_.finish();
    if (relation.origin != kNone) result.merge(size_analysis_.origin(relation.origin));
    return result;
  }

  /// Without equations and applications.
  components::Component empty_component(const Work& work) const {
    const Blueprint& b = *work.body->blueprint;
    components::Component result;
    result.body = b.body;
    result.literal = work.relation->relation().id;
    result.interface = b.interface;
    result.flows = flows_of(layouts_, code_.program(), work.interface);
    result.holds_beyond = work.region.holds_beyond();
    result.holds_everywhere = work.region.holds_everywhere();
    result.owner = core::GlobalId(work.relation->relation().global - code_.program().globals.data());
    return result;
  }

  void add_holes(components::Component& to, std::uint32_t of) const {
    std::vector<std::uint32_t> all;
    std::ranges::set_union(to.holes, library_.components[of].holes, std::back_inserter(all));
    to.holes = std::move(all);
  }

  void add(components::Component component, const Work& work, State& finished) {
    finished.component = static_cast<std::uint32_t>(library_.components.size());
    const bool is_combination = !component.modes.empty();
    library_.components.push_back(std::move(component));
    const core::Relation& literal = *work.relation->relation().relation;
    if (literal.contract && !is_combination &&
        claimed_.insert({relations_.skeleton(*work.relation), literal.contract->value}).second)
      library_.claims.push_back({*literal.contract, *finished.component, literal.span, false});
  }

  void finish(const Work& work, State& finished) {
    finished.stage = State::Done;
    const Blueprint& b = *work.body->blueprint;
    components::Component result = empty_component(work);
    result.locals = b.locals;
    result.places = b.places;
    result.modes = work.modes;
    auto end = [&](std::uint32_t source) {
      result.offsets.push_back(static_cast<std::uint32_t>(result.variables.size()));
      result.sources.push_back(source);
    };
    for (const RowPlan& row : b.rows[static_cast<std::size_t>(RowKind::Equation)]) {
      const CoefficientPattern& pattern = coefficients(row.table);
      for (const SlotCoefficient& s : pattern.coefficients) {
        result.variables.push_back(b.slots[row.first_slot + s.slot].slot());
        result.coefficients.push_back(s.coefficient);
      }
      result.homogeneous.push_back(pattern.homogeneous);
      end(row.source);
    }
    for (std::size_t s = 0; s < b.sum_sources.size(); ++s) {
      for (std::uint32_t t = b.sum_offsets[s]; t < b.sum_offsets[s + 1]; ++t) {
        result.variables.push_back(b.sum_terms[t].column().value);
        result.coefficients.push_back({0, 0, b.sum_terms[t].negative ? -1 : 1});
      }
      result.homogeneous.push_back(true);
      end(b.sum_sources[s]);
    }
    for (std::size_t c = 0; c < b.children.size(); ++c) {
      const State& child = state(*work.body->relations[c], work.body->interfaces[c]);
      if (!child.component) return;
      result.applications.push_back({*child.component, b.children[c].first_argument});
      add_holes(result, *child.component);
    }
    for (ColumnRef argument : b.arguments) result.arguments.push_back(argument.slot());
    if (resolve_members(result, b)) add(std::move(result), work, finished);
  }

  // Replaces the member references in variables and arguments by columns of the component.
  bool resolve_members(components::Component& c, const Blueprint& b) {
    constexpr std::uint32_t kUnread = 0x3FFFFFFF;
    std::vector<std::uint32_t> column(b.members.size(), kUnread);
    std::map<std::uint32_t, std::vector<std::uint32_t>> of_child;
    for (auto* list : {&c.variables, &c.arguments})
      for (std::uint32_t v : *list)
        if (const ColumnRef ref = ColumnRef::of_slot(v);
            ref.is_member() && std::exchange(column[ref.index()], 0) == kUnread)
          of_child[b.members[ref.index()].child.value].push_back(ref.index());
    for (auto& [child, members] : of_child) {
      std::vector<std::string> names;
      for (std::uint32_t m : members) names.emplace_back(text(b.members[m].name));
      auto found = exposed_.read(c, child, std::move(names));
      if (!found) return false;
      for (std::size_t k = 0; k < members.size(); ++k) column[members[k]] = (*found)[k];
    }
    // The column may be an argument that is itself a member reference.
    auto resolved = [&](std::uint32_t v) {
      for (std::size_t steps = 0; ColumnRef::of_slot(v).is_member(); ++steps) {
        if (steps > column.size()) return kUnread;
        v = column[ColumnRef::of_slot(v).index()];
      }
      return v;
    };
    for (auto* list : {&c.variables, &c.arguments})
      for (std::uint32_t& v : *list)
        if ((v = resolved(v)) == kUnread) return false;
    return true;
  }

  /// The pattern of a shape, computed once for all equations of that shape.
  const CoefficientPattern& coefficients(std::uint32_t table) {
    auto [it, fresh] = coefficients_.try_emplace(table);
    library_.system.exprs.library = machine_.used_library();
    if (fresh)
      it->second =
          coefficient_pattern(library_.system.exprs, library_.system.equations.tables[table].residual);
    return it->second;
  }

  Diagnostics unseen_;
  Bytecode code_;
  Heap heap_;
  Layouts layouts_;
  Machine machine_;
  Relations relations_;
  components::Library& library_;
  ExposedComponents exposed_;
  Shapes shapes_;
  BodyBuilder bodies_;
  std::unordered_map<BodyKey, Family, BodyKey::Hash> families_;
  std::unordered_map<const evaluate::RelationCode*, std::uint32_t>
      open_;               // bodies whose parts are being built
  bool concrete_ = false;  // every number is the model's own
  std::unordered_map<std::uint32_t, CoefficientPattern> coefficients_;
  std::size_t built_ = 0;
  core::GlobalId definition_{};
  SizeAnalysis size_analysis_;
  SizeRegion evaluated_;  // of the last definition
  std::vector<Machine::Claim> claims_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> claimed_;  // skeleton, contract
};

}  // namespace

components::Library model(const core::Program& program) {
  components::Library result;
  if (!program.main) return result;
  result.contracts = program.contracts;
  Builder builder(program, result);
  result.definitions.emplace_back(*program.main,
                                  builder.model(*program.main, program.globals[program.main->value].span));
  result.plain = static_cast<std::uint32_t>(result.components.size());
  return result;
}

components::Library library(core::Program program) {
  components::Library result;
  // The samples become definitions of this copy, so that the machine can evaluate them.
  auto first = static_cast<std::uint32_t>(program.globals.size());
  for (const core::Sample& s : program.samples) {
    core::Global global;
    global.name = program.globals[s.definition.value].name;
    global.span = program.globals[s.definition.value].span;
    global.body = s.expression;
    global.local_names = s.local_names;
    global.local_count = static_cast<std::uint32_t>(s.local_names.size());
    program.globals.push_back(std::move(global));
  }
  result.contracts = program.contracts;
  Builder builder(program, result);
  const auto& samples = program.samples;
  for (std::uint32_t i = 0; i < samples.size(); ++i) {
    if (!samples[i].choices.empty()) continue;
    core::GlobalId sample{first + i};
    result.definition_spans.push_back(program.globals[sample.value].span);
    auto component = builder.definition(samples[i].definition, sample, program.globals[sample.value].span);
    result.definitions.emplace_back(samples[i].definition, component);
    if (samples[i].contract && component)
      result.claims.push_back({*samples[i].contract, *component, program.globals[sample.value].span, false});
  }
  result.plain = static_cast<std::uint32_t>(result.components.size());
  for (std::uint32_t i = 0, end = 0; i < samples.size(); i = end) {
    auto same = [&](std::uint32_t k) {
      return samples[k].definition == samples[i].definition && samples[k].family == samples[i].family;
    };
    for (end = i + 1; end < samples.size() && same(end);) ++end;
    if (!samples[i].choices.empty())
      builder.family(samples[i].definition, std::span(samples).subspan(i, end - i), core::GlobalId{first + i},
                     program.globals[first + i].span);
  }
  return result;
}

}  // namespace sigrel::elaborate
