#include "compiler/elaborate/elaborate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "compiler/elaborate/instantiate.h"

namespace sigrel::elaborate {
namespace {

template <class Element>
auto elements(const Value& list, const Element& element) {
  std::vector<decltype(element(list))> result;
  for (const Object* cell = list.object; cell->size == 2; cell = cell->items[1].object)
    result.push_back(element(cell->items[0]));
  return result;
}

std::vector<std::string> strings(const Value& list) {
  return elements(list, [](const Value& item) { return std::string(text(Name{item.index})); });
}

/// How many values that are no Reals a value consists of; what is shared counts once.
std::size_t constants_in(const Value& root) {
  std::size_t count = 0;
  std::unordered_set<const Object*> seen;
  std::vector<Value> work = {root};
  while (!work.empty()) {
    const Value v = work.back();
    work.pop_back();
    if (v.tag != Tag::Object) {
      count += v.tag != Tag::Real && v.tag != Tag::Signal;
    } else if (v.object->size > 0 && seen.insert(v.object).second) {
      for (std::uint32_t i = 0; i < v.object->size; ++i) work.push_back(v.object->items[i]);
    }
  }
  return count;
}

double number(const Value& v) { return v.tag == Tag::Int ? static_cast<double>(v.integer) : v.real; }

/// One mistake in a loop, or in several bodies of one relation, is one error: of several diagnostics with one
/// code at one place the first remains.
void keep_first_at_each_place(Diagnostics& diagnostics) {
  std::set<std::tuple<Code, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  diagnostics.erase_if([&](const Diagnostic& d) {
    if (!d.primary) return false;
    const Span at = d.primary->span;
    return !seen.emplace(d.code, at.file.value, at.begin, at.end).second;
  });
}

}  // namespace

struct Elaborator::State {
  State(const core::Program& p, Options o)
      : program(p),
        options(std::move(o)),
        code(p),
        layouts(p),
        machine(code, heap, layouts, diagnostics),
        relations(heap, p) {
    machine.limits = options.limits;
  }

  const core::Program& program;
  Options options;
  Diagnostics diagnostics;  // of one call
  Bytecode code;
  Heap heap;
  Layouts layouts;
  Machine machine;
  Relations relations;
  RelationObject* model = nullptr;
  Experiment experiment;

  Identities identities;
  struct SwitchPlaceOf {
    InstanceIdentity instance;
    SwitchPlace place;
  };
  std::vector<SwitchPlaceOf> switches;                               // by SwitchIdentity
  std::map<std::vector<std::uint64_t>, std::uint32_t> mode_numbers;  // structure -> number of the mode
  std::vector<Value> modes;  // an example of each; in `mode_heap`, so that they outlast an elaboration
  Heap mode_heap;
  std::vector<std::size_t> mode_constants;  // in each
  std::vector<bool> used_settings;
  // Where parameters are written that `with` gives: those that no part of the start has, and all that are
  // used.
  std::vector<Span> doubtful_changes, used_changes;
  Definitions definitions;

  bool evaluate_main();
  bool evaluate_experiment();
  std::vector<core::GlobalId> named_numbers() const;
  const Value* named_number(std::string_view name, core::GlobalId& found);
  bool set_definitions();
  void list_definitions(std::vector<Argument>& arguments) const;
  std::optional<Result> instantiate(const EnteredModes* entered);
  std::uint32_t mode(const Value& value);
  Structure structure(const system::System& system, Instantiator& instantiator, bool at_start);
  std::optional<Result> finish(std::optional<Result> result, Diagnostics& to) {
    keep_first_at_each_place(diagnostics);
    to.append(diagnostics);
    diagnostics.clear();
    return result;
  }
};

/// The relation that `main` runs, and its experiment.
bool Elaborator::State::evaluate_main() {
  if (!program.main) {
    diagnostics.report(Code::NothingToRun, "there is no `main` to run")
        .help("define `main = simulate model with { stop = 1.0 }`, or name a relation: `-e model`");
    return false;
  }
  if (!options.load_libraries && !options.libraries.empty())
    machine.defer_libraries();
  else if (!machine.open_libraries(options.libraries))
    return false;

  return evaluate_experiment() && set_definitions();
}

namespace {

bool is_number(const Value& v) { return v.tag == Tag::Real || v.tag == Tag::Int || v.tag == Tag::Bool; }

bool has_number_type(const core::Global& g) {
  const std::string_view type = g.type;
  return type == "Int" || type == "Bool" ||
         (type.starts_with("Real") && type.find_first_of(" [(") == std::string_view::npos);
}

}  // namespace

/// The numbers that the module of `main` defines, as far as they have been evaluated.
std::vector<core::GlobalId> Elaborator::State::named_numbers() const {
  std::vector<core::GlobalId> result;
  const Name module = program.globals[program.main->value].module;
  for (std::uint32_t k = 0; k < program.globals.size(); ++k) {
    const core::Global& g = program.globals[k];
    const Value* value = machine.known_global(core::GlobalId{k});
    if (g.module != module || !value || text(g.name).find('.') != std::string_view::npos) continue;
    if (is_number(*value)) result.emplace_back(k);
  }
  return result;
}

/// The value of what the module of `main` defines with this name, if it is a number; null otherwise, and
/// where its evaluation fails (reported).
const Value* Elaborator::State::named_number(std::string_view name, core::GlobalId& found) {
  const Name module = program.globals[program.main->value].module;
  for (std::uint32_t k = 0; k < program.globals.size(); ++k) {
    const core::Global& g = program.globals[k];
    const core::GlobalId id{k};
    if (g.module != module || text(g.name) != name || !g.body || g.layout_parameters > 0) continue;
    found = id;
    // What only the bodies of relations use has not been evaluated yet.
    Value value;
    if (!machine.known_global(id) && machine.global(id, g.span, value) != Machine::Status::Done)
      return nullptr;
    const Value* known = machine.known_global(id);
    return known && is_number(*known) ? known : nullptr;
  }
  return nullptr;
}

/// Evaluates again, with the settings of numbers that are defined at the top level. The parameters of the
/// model come first.
bool Elaborator::State::set_definitions() {
  definitions.set.assign(options.set.size(), false);
  if (options.set.empty()) return true;
  std::vector<std::string> own = relations.real_names(*model);
  const RelationCode& code_of_model = model->relation();
  for (const core::LocalId id : code_of_model.captured)
    own.emplace_back(text(code_of_model.global->local_names[id.value]));
  const Name module = program.globals[program.main->value].module;
  for (std::uint32_t k = 0; k < program.globals.size(); ++k) {
    const core::Global& g = program.globals[k];
    const Value* known = machine.known_global(core::GlobalId{k});
    if (g.module == module && (known ? is_number(*known) : has_number_type(g)))
      definitions.names.emplace_back(text(g.name));
  }
  std::vector<std::pair<core::GlobalId, Value>> values;
  for (std::size_t k = 0; k < options.set.size(); ++k) {
    const Setting& s = options.set[k];
    if (std::ranges::find(own, s.name) != own.end()) continue;
    core::GlobalId id{0};
    const Value* old = named_number(s.name, id);
    if (diagnostics.has_errors()) return false;
    if (!old) continue;
    definitions.set[k] = true;
    const auto value = number_of_setting(s, old->tag, diagnostics);
    if (!value) return false;
    values.emplace_back(id, *value);
  }
  if (values.empty()) return true;
  machine.replace_globals(values);
  return evaluate_experiment();
}

void Elaborator::State::list_definitions(std::vector<Argument>& arguments) const {
  for (const core::GlobalId id : named_numbers()) {
    const core::Global& g = program.globals[id.value];
    const Value& v = *machine.known_global(id);
    const std::string value = v.tag == Tag::Real  ? fmt::format("{:.10g}", v.real)
                              : v.tag == Tag::Int ? std::to_string(v.integer)
                                                  : std::string(v.integer ? "True" : "False");
    arguments.push_back({std::string(text(g.name)), value, g.type, g.span, true});
  }
}

/// The value of `main`.
bool Elaborator::State::evaluate_experiment() {
  const core::Global& main = program.globals[program.main->value];
  const std::string shown =
      text(main.name) == core::kExpression ? "the expression" : fmt::format("`{}`", text(main.name));
  Value value;
  machine.begin_body(0);
  Machine::Status status = machine.global(*program.main, main.span, value);
  if (status == Machine::Status::NotReady)
    diagnostics.report(Code::DefinedByItself, main.span,
                       fmt::format("the value of {} is needed to compute itself", shown));
  if (status != Machine::Status::Done) return false;

  if (is_object(value, ObjectKind::Record)) {
    const Object& e = *value.object;
    auto field = [&](core::ExperimentField f) { return e.items[static_cast<std::uint32_t>(f)]; };
    Experiment& x = experiment;
    x.start = number(field(core::ExperimentField::Start));
    x.stop = number(field(core::ExperimentField::Stop));
    x.tolerance = number(field(core::ExperimentField::Tolerance));
    x.steps = field(core::ExperimentField::Steps).integer;
    x.outputs = strings(field(core::ExperimentField::Outputs));
    x.plot = elements(field(core::ExperimentField::Plot), strings);
    x.solver = text(Name{field(core::ExperimentField::Solver).index});
    x.events = field(core::ExperimentField::Events).integer != 0;
    x.max_step = number(field(core::ExperimentField::MaxStep));
    x.assert_bounds = field(core::ExperimentField::AssertBounds).integer != 0;
    value = field(core::ExperimentField::Model);
  }
  if (!is_object(value, ObjectKind::Relation)) {
    diagnostics
        .report(Code::NothingToRun, main.span,
                fmt::format("{} is {}; an experiment or a relation without interface is needed", shown,
                            kind_of(value)))
        .help("an experiment is made by `simulate relation`");
    return false;
  }
  model = static_cast<RelationObject*>(value.object);
  return true;
}

std::optional<Result> Elaborator::State::instantiate(const EnteredModes* entered) {
  Result result;
  result.experiment = experiment;
  Instantiator instantiator(machine, relations, result.system, options, definitions, identities, entered);
  if (!instantiator.run(*model)) return std::nullopt;
  used_settings.resize(options.set.size(), false);
  for (std::size_t k = 0; k < used_settings.size(); ++k)
    used_settings[k] = used_settings[k] || instantiator.used_settings()[k];
  result.unused_settings = instantiator.take_unused_settings();
  instantiator.list_used_changes(used_changes);
  for (auto& [span, diagnostic] : instantiator.take_unused_changes()) {
    result.unused_settings.emplace_back(options.set.size() + doubtful_changes.size(), std::move(diagnostic));
    doubtful_changes.push_back(span);
  }
  result.system.exprs.library = machine.used_library();
  result.arguments = instantiator.take_arguments();
  if (options.arguments) list_definitions(result.arguments);
  if (!result.system.switches.empty())
    result.structure = structure(result.system, instantiator, entered == nullptr);
  return result;
}

/// The number of a mode.
std::uint32_t Elaborator::State::mode(const Value& value) {
  const Value example = relations.with_numbers(value, {});
  const auto [found, fresh] =
      mode_numbers.try_emplace(relations.structure(example), static_cast<std::uint32_t>(modes.size()));
  if (fresh) {
    modes.push_back(Relations(mode_heap, program).with_numbers(example, {}));
    mode_constants.push_back(constants_in(example));
  }
  return found->second;
}

Structure Elaborator::State::structure(const system::System& system, Instantiator& instantiator,
                                       bool at_start) {
  std::vector<InstanceIdentity>& instances = instantiator.instances();
  if (at_start)
    for (std::uint32_t i = 0; i < system.instances.size(); ++i)
      identities.children(instances[i], system.templates[system.instances[i].body], instances);
  Structure result;
  for (std::size_t k = 0; k < system.switches.size(); ++k) {
    const Instantiator::SwitchValue& s = instantiator.switches()[k];
    const InstanceIdentity instance = instances[system.switches[k].origin.instance];
    const SwitchIdentity identity = identities.of_switch(instance, s.place);
    if (identity == switches.size()) switches.push_back({instance, s.place});
    const std::uint32_t number = mode(s.mode);
    result.switches.push_back({identity, number, s.is_given, s.has_initial, mode_constants[number]});
  }
  for (std::size_t t = 0; t < system.transitions.size(); ++t)
    result.targets.push_back(mode(instantiator.targets()[t]));
  Identities::Unknowns unknowns = identities.unknowns(system, instances);
  result.unknowns = std::move(unknowns.of);
  result.synonyms = std::move(unknowns.synonyms);
  result.triggers = identities.triggers(system, instances);
  result.owners.resize(system.unknowns);
  std::vector<std::uint32_t> first_switch(system.instances.size(), system::kNoSwitch);
  for (std::uint32_t k = static_cast<std::uint32_t>(system.switches.size()); k-- > 0;)
    first_switch[system.switches[k].origin.instance] = k;
  for (std::uint32_t i = 0; i < system.instances.size(); ++i) {
    const system::Instance& self = system.instances[i];
    const auto& locals = system.templates[self.body].locals;
    for (std::uint32_t k = 0; k < locals.size(); ++k)
      result.owners[self.first_unknown + k] =
          locals[k].owner == system::kNoSwitch ? instantiator.owners()[i] : first_switch[i] + locals[k].owner;
  }
  for (std::size_t k = 0; k < system.switches.size(); ++k) {
    const system::Switch& s = system.switches[k];
    if (!result.switches[k].is_given) continue;
    for (std::uint32_t n = s.first_number; n < s.first_number + s.numbers; ++n)
      if (instantiator.structural()[system.mode_numbers[n].index]) result.structural.push_back(n);
  }
  return result;
}

Elaborator::Elaborator(const core::Program& program, Options options)
    : state_(std::make_unique<State>(program, std::move(options))) {}
Elaborator::~Elaborator() = default;

std::optional<Result> Elaborator::start(Diagnostics& diagnostics) {
  return state_->finish(state_->evaluate_main() ? state_->instantiate(nullptr) : std::nullopt, diagnostics);
}

std::optional<Result> Elaborator::in_modes(std::span<const ChosenMode> modes, bool at_start,
                                           Diagnostics& diagnostics) {
  const Heap::Mark mark = state_->heap.mark();
  const std::uint32_t globals = state_->machine.cached_globals();
  const std::size_t examples = state_->mode_heap.bytes();
  EnteredModes entered;
  entered.at_start = at_start;
  for (const ChosenMode& m : modes) {
    const auto& [instance, place] = state_->switches[m.identity];
    entered.modes[instance].push_back(
        {{place, state_->relations.with_numbers(state_->modes[m.mode], m.numbers)}, m.entered});
  }
  std::optional<Result> result = state_->finish(state_->instantiate(&entered), diagnostics);
  // The values of this elaboration: only globals that it was the first to need outlast it.
  if (state_->machine.cached_globals() == globals) state_->heap.release_all(mark);
  state_->heap.count(state_->mode_heap.bytes() - examples);
  return result;
}

std::size_t Elaborator::numbered() const { return state_->identities.count() + state_->modes.size(); }

bool Elaborator::has_used(std::size_t setting) const {
  if (setting < state_->options.set.size())
    return setting < state_->used_settings.size() && state_->used_settings[setting];
  const Span place = state_->doubtful_changes[setting - state_->options.set.size()];
  return std::ranges::find(state_->used_changes, place) != state_->used_changes.end();
}

bool Elaborator::is_numbered(std::span<const ChosenMode> modes) const {
  return std::ranges::all_of(modes, [&](const ChosenMode& m) {
    return m.identity < state_->switches.size() && m.mode < state_->modes.size() &&
           (m.numbers.empty() || state_->relations.numbers(state_->modes[m.mode]).size() == m.numbers.size());
  });
}

std::optional<Result> elaborate(const core::Program& program, const Options& options,
                                Diagnostics& diagnostics) {
  return Elaborator(program, options).start(diagnostics);
}

}  // namespace sigrel::elaborate
