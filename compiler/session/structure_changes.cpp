#include "compiler/session/structure_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "compiler/explain/run_notes.h"
#include "compiler/pipeline/structures.h"

namespace sigrel::session {

using pipeline::Refusal;

namespace {

// A smaller change of what is differentiated is the error with which the instant is located.
constexpr double kContinuous = 1e-7;
// States that differ by less are those before the instant.
constexpr double kSame = 1e-12;
constexpr std::size_t kMostNamed = 1000, kMostFacts = 64;  // models whose columns, and facts, are remembered
constexpr std::size_t kListed = 4;                         // transitions in a message
// Combinations of modes that are tried at the start of a run.
constexpr std::size_t kMostStarts = 60;
// A structure that grows so much at one instant, to such a size, grows without end.
constexpr std::size_t kMostGrowth = 64, kLargest = 100'000;

/// What a transition that lets a structure grow adds to: unknowns, and values in the arguments of modes.
std::size_t size_of(const pipeline::Compiled& model) {
  std::size_t size = model.system.unknowns + model.system.mode_numbers.size();
  for (const elaborate::Structure::Switch& s : model.structure.switches) size += s.constants;
  return size;
}

/// Whether initial equations of the modes that are entered say what holds, also such as follow from others.
bool has_initial_equations(const pipeline::Compiled& model) {
  const auto has = [&](const Origins& origins) {
    Origins::InOrder in_order(origins);
    for (std::size_t row = 0; row < origins.size(); ++row)
      if (model.system.sources[in_order[row].source].kind == system::EquationKind::Initial) return true;
    return false;
  };
  const Equations& initial = model.system.initial;
  return has(initial.sums.origins) ||
         std::ranges::any_of(initial.tables, [&](const EquationTable& table) { return has(table.origins); });
}

/// The modes of all switches, by identity.
std::map<std::uint32_t, std::pair<std::string, std::string>> modes_by_identity(
    const pipeline::Compiled& model) {
  std::map<std::uint32_t, std::pair<std::string, std::string>> result;
  std::vector<std::pair<std::string, std::string>> modes = explain::modes_of(model);
  for (std::size_t k = 0; k < modes.size(); ++k)
    result.emplace(model.structure.switches[k].identity, std::move(modes[k]));
  return result;
}

}  // namespace

StructureChanges::StructureChanges(const pipeline::Compiled& start, const pipeline::Columns& columns,
                                   std::vector<std::pair<std::string, double>> set, Diagnostics& diagnostics)
    : start_(start),
      current_(unowned(start)),
      structures_(start.structures),
      set_(std::move(set)),
      diagnostics_(diagnostics) {
  for (std::string_view name : columns.names) {
    ColumnOf c;
    for (; name.starts_with("der(") && name.ends_with(")"); ++c.order) name = name.substr(4, name.size() - 5);
    if (const auto unknown = system::find_unknown(start.system, name)) {
      c.identity = start.structure.unknowns[*unknown];
      c.known = true;
    }
    c.name = name;
    columns_.push_back(c);
  }
  told_ = modes_by_identity(start);
}

/// What outlasts an instant: all else is set where a change begins.
void StructureChanges::visit(runtime::Archive& archive) {
  auto visit_modes = [&](pipeline::Modes& modes) {
    std::uint64_t count = modes.size();
    archive(count);
    if (archive.loads()) modes.clear();
    for (std::uint64_t k = 0; k < count && archive.fine(); ++k) {
      if (archive.loads()) modes.emplace_back();
      elaborate::ChosenMode& m = modes[k];
      archive(m.identity, m.mode, m.numbers, m.entered);
    }
  };
  std::vector<pipeline::Modes> history = structures_->history();
  std::uint64_t count = history.size();
  archive(count);
  if (archive.loads()) history.clear();
  for (std::uint64_t k = 0; k < count && archive.fine(); ++k) {
    if (archive.loads()) history.emplace_back();
    visit_modes(history[k]);
  }
  visit_modes(modes_);
  archive(in_begun_, time_, branches_told_);
  visit_modes(begun_);
  if (archive.loads() && archive.fine() && !structures_->replay(history)) archive.refuse();
}

void StructureChanges::resume(runtime::Archive& archive, runtime::NextStructure& next) {
  visit(archive);
  if (!archive.fine()) return;
  if (!modes_.empty()) {
    Diagnostics told;  // by the part before the checkpoint
    pipeline::SingularModes why;
    std::shared_ptr<const pipeline::Compiled> model;
    if (structures_->is_numbered(modes_))
      model = in_begun_ ? structures_->start_in(modes_, told, why) : structures_->in_modes(modes_, told, why);
    if (!model) return archive.refuse();
    current_ = model;
    told_ = modes_by_identity(*current_);
    if (changed) changed(*model);
  }
  next.model = {current_, &current_->plan.model};
  next.columns = columns();
}

/// Of the present model.
const StructureChanges::Facts& StructureChanges::facts() const {
  const auto known = facts_.find(current_->number);
  if (known != facts_.end()) return known->second;
  if (facts_.size() >= kMostFacts) facts_.clear();
  Facts& facts = facts_[current_->number];
  facts.differentiated = differentiated(current_->system);
  // `pre x` follows x, also where a mode that is entered says what x is.
  std::vector<bool> is_previous(current_->system.unknowns, false);
  for (const system::Previous& p : current_->system.events.previous) is_previous[p.unknown] = true;
  std::erase_if(facts.differentiated, [&](const Differentiated& d) { return is_previous[d.unknown]; });
  facts.size = size_of(*current_);
  facts.has_initial_equations = has_initial_equations(*current_);
  // Variables that equations differentiate and that are no states. What only assignments change, as with
  // `der q = 0.0`, is tied to nothing.
  const dae::System& dae = current_->dae;
  std::vector<bool> is_known(dae.variables.size(), false);
  for (const runtime::State& s : current_->plan.model.states) is_known[s.variable] = true;
  std::vector<bool> is_constant(dae.variables.size(), false);
  for (const std::uint32_t v : current_->plan.model.constants) is_constant[v] = true;
  for (const Differentiated& d : facts.differentiated) {
    const dae::Alias alias = dae.aliases[d.unknown];
    if (d.discrete || alias.kind == dae::Alias::Zero) continue;
    const std::uint32_t v = derivative(dae, alias.variable, d.order);
    if (v == dae::kNone || is_known[v]) continue;
    if (is_constant[v] && dae.variables[v].unknown == d.unknown) continue;
    is_known[v] = true;
    facts.tied.push_back(v);
  }
  return facts;
}

std::optional<runtime::NextStructure> StructureChanges::next(const runtime::StructureEnd& end) {
  if (!branches_told_) explain::warn_of_jumps(*current_, end.jumps, diagnostics_);
  branches_told_ = branches_told_ || !end.jumps.empty();
  const bool same_instant = end.at_once && end.time == time_;
  time_ = end.time;
  if (!same_instant) {
    size_before_ = facts().size;
    changes_ = 0;
  }
  ++changes_;
  // Other states: what has been tried before the jump may be possible after it.
  if (same_instant && !jumped_ && same_states(end)) {
    search_.refuse(modes_, Refusal::LeftAtOnce);
    values_.add_new(*current_, end);
  } else {
    values_.record(*current_, facts().differentiated, end);
    search_ = {};
    refused_ = {};
    entered_.clear();
  }
  return end.transitions.empty() ? stay(end) : follow_transitions(end);
}

/// The start in the present modes: something jumped that differentiated values are tied to.
std::optional<runtime::NextStructure> StructureChanges::stay(const runtime::StructureEnd& end) {
  const system::System& system = current_->system;
  until_ = system.sources[system.switches.front().origin.source].span;
  entered_.push_back("values that this depends on jump");
  return try_modes(next_modes(end, runtime::kNone), false);
}

/// Impulses in the present modes make transitions due: their start does not take place, and the values are
/// still those before.
runtime::StructureSource::Verdict StructureChanges::leave_by_impulses(const runtime::StructureEnd& end,
                                                                      runtime::NextStructure& next) {
  search_.refuse(modes_, Refusal::LeftAtOnce);
  std::optional<runtime::NextStructure> other = follow_transitions(end);
  if (!other) return Verdict::Failed;
  next = std::move(*other);
  return Verdict::Again;
}

/// The start in the modes that transitions lead to; if there is none, after one of them, or in others.
std::optional<runtime::NextStructure> StructureChanges::follow_transitions(const runtime::StructureEnd& end) {
  const system::System& system = current_->system;
  const std::vector<std::uint32_t> due = leaving(end);
  const system::Transition& first = system.transitions[due.front()];
  until_ = system.sources[system.events.triggers[first.trigger].origin.source].span;
  std::vector<std::string> entered;
  for (const std::uint32_t t : std::span(due).first(std::min(due.size(), kListed))) {
    const system::Transition& taken = system.transitions[t];
    const std::string instance = system::instance_name(system, system.switches[taken.of].origin.instance);
    entered.push_back(fmt::format("{}enters the mode `{}`", instance.empty() ? "" : "`" + instance + "` ",
                                  text(taken.target)));
  }
  entered_.push_back(fmt::format("{}", fmt::join(entered, " and ")));
  if (has_outgrown()) {
    report_growth();
    return std::nullopt;
  }
  pipeline::Modes all = next_modes(end, runtime::kNone);
  pipeline::SingularModes one_by_one{.missing = 0, .others = {}, .is_built = true};
  const std::size_t candidates = due.size() > 1 ? pipeline::most_candidates(all.size()) : 0;
  for (const std::uint32_t transition : std::span(due).first(std::min(due.size(), candidates)))
    one_by_one.others.push_back(next_modes(end, transition));
  const bool known = search_.knows(all);
  search_.add(one_by_one);
  if (known && refused_.all().empty()) report_cycle();
  return try_modes(std::move(all), known);
}

/// Whether what equations differentiate is what it was before the instant.
bool StructureChanges::same_states(const runtime::StructureEnd& end) const {
  const elaborate::Structure& structure = current_->structure;
  return std::ranges::all_of(facts().differentiated, [&](const Differentiated& d) {
    const double old = values_.before(structure.unknowns[d.unknown], d.order);
    const double now = value_of(current_->dae, end.values, d.unknown, d.order);
    return std::isnan(old) || std::isnan(now) || std::abs(now - old) <= kSame * std::max(std::abs(old), 1.0);
  });
}

/// The start in these modes, or in others if their system cannot be solved; `known`: or if they have been
/// tried.
std::optional<runtime::NextStructure> StructureChanges::try_modes(pipeline::Modes modes, bool known) {
  pipeline::SingularModes why;
  modes_ = std::move(modes);
  if (known) return try_next();
  if (compile(why)) return start_of(modes_);
  return try_others(why.is_built ? Refusal::Singular : Refusal::Impossible, why);
}

/// A start in other modes than the present ones. Nullopt: there is none, and what was refused is reported.
std::optional<runtime::NextStructure> StructureChanges::try_others(Refusal why,
                                                                   const pipeline::SingularModes& singular) {
  search_.refuse(modes_, why, singular);
  return try_next();
}

/// A start in the modes that are to be tried next.
std::optional<runtime::NextStructure> StructureChanges::try_next() {
  while (std::optional<pipeline::Modes> other = search_.next()) {
    modes_ = std::move(*other);
    pipeline::SingularModes why;
    if (compile(why)) return start_of(modes_);
    search_.refuse(modes_, why.is_built ? Refusal::Singular : Refusal::Impossible, why);
  }
  for (Diagnostic d : refused_.all()) {
    // Transitions that follow each other without end name the modes themselves.
    if (const std::string modes = tried(); !modes.empty() && d.code != Code::EndlessEvents) d.note(modes);
    diagnostics_.append(std::move(d));
  }
  return std::nullopt;
}

/// The system of the present modes.
bool StructureChanges::compile(pipeline::SingularModes& why) {
  Diagnostics found;
  std::shared_ptr<const pipeline::Compiled> model = structures_->in_modes(modes_, found, why);
  if (!model) {
    if (refused_.all().empty()) report_inconsistent(found, why.is_built);
    return false;
  }
  diagnostics_.append(found);
  jumped_ = false;
  in_begun_ = false;
  current_.swap(model);  // `changed` may still read the one before
  if (changed) changed(*current_);
  return true;
}

/// The present structure in these modes, with its parameters and columns.
runtime::NextStructure StructureChanges::begin_of(const std::vector<elaborate::ChosenMode>& modes) {
  runtime::NextStructure next{.model = {current_, &current_->plan.model}};
  for (const auto& [name, value] : set_) {
    const auto& named = current_->system.named_parameters;
    const auto it = std::ranges::find(named, name, &system::NamedParameter::name);
    if (it != named.end()) next.overrides.emplace_back(it->parameter, value);
  }
  set_numbers(modes, next);
  next.columns = columns();
  return next;
}

bool StructureChanges::begin_otherwise(runtime::NextStructure& next) {
  // Equations that cannot be solved may have led to other modes already.
  if (modes_.empty())
    for (const elaborate::Structure::Switch& s : start_.structure.switches)
      if (s.is_given) modes_.push_back({s.identity, s.mode, {}, true});
  std::ranges::sort(modes_, {}, &elaborate::ChosenMode::identity);
  search_.refuse(modes_, Refusal::Inconsistent,
                 pipeline::neighbours(current_->system, current_->structure, modes_));
  while (search_.tried().size() <= kMostStarts) {
    std::optional<pipeline::Modes> other = search_.next();
    if (!other) break;
    modes_ = std::move(*other);
    Diagnostics found;  // notes are those of the initial modes
    pipeline::SingularModes why;
    std::shared_ptr<const pipeline::Compiled> model = structures_->start_in(modes_, found, why);
    if (!model) {
      search_.refuse(modes_, why.is_built ? Refusal::Singular : Refusal::Impossible, why);
      continue;
    }
    current_.swap(model);  // `changed` may still read the one before
    if (changed) changed(*current_);
    begun_ = modes_;
    in_begun_ = true;
    next = begin_of(modes_);
    return true;
  }
  starts_tried_ = search_.tried().size();
  search_ = {};
  modes_.clear();
  begun_.clear();
  in_begun_ = false;
  current_ = unowned(start_);
  if (changed) changed(*current_);
  return false;
}

std::optional<StructureChanges::Begin> StructureChanges::begins_in() const {
  if (begun_.empty()) return std::nullopt;
  std::set<std::uint32_t> all;
  for (const elaborate::ChosenMode& m : begun_) all.insert(m.identity);
  const auto first = std::ranges::find_if(start_.structure.switches,
                                          [&](const auto& s) { return all.contains(s.identity); });
  const auto index = static_cast<std::size_t>(first - start_.structure.switches.begin());
  return Begin{text_of(begun_, all), start_.system.switches[index].origin};
}

/// The start of the present structure in these modes.
runtime::NextStructure StructureChanges::start_of(const std::vector<elaborate::ChosenMode>& modes) {
  runtime::NextStructure next = begin_of(modes);
  values_.carry_over(*current_, facts().differentiated, new_switches(modes), next);
  return next;
}

std::vector<StructureChanges::Broken> StructureChanges::broken(const runtime::StructureStart& start) const {
  const elaborate::Structure& structure = current_->structure;
  const std::vector<bool> is_new = new_switches(modes_);
  const std::vector<double> nominal =
      runtime::nominal_values(current_->plan.model, {start.parameters.begin(), start.parameters.end()});
  std::vector<Broken> result;
  for (const Differentiated& d : facts().differentiated) {
    const std::uint32_t owner = structure.owners[d.unknown];
    const double old = values_.before(structure.unknowns[d.unknown], d.order);
    const double now = value_of(current_->dae, start.values, d.unknown, d.order);
    if (std::isnan(old) || std::isnan(now) || (owner != system::kNoSwitch && is_new[owner])) continue;
    const dae::Alias alias = current_->dae.aliases[d.unknown];
    const double usual = alias.kind == dae::Alias::Zero ? 1.0 : nominal[alias.variable];
    if (!(std::abs(now - old) > kContinuous * std::max({std::abs(old), std::abs(now), usual}))) continue;
    result.push_back({d, old, now});
  }
  return result;
}

runtime::StructureSource::Verdict StructureChanges::started(const runtime::StructureStart& start,
                                                            runtime::NextStructure& next) {
  if (!start.consistent) {
    // What two modes say of their beginning is a mistake, also if one after the other could be entered.
    if (start.contradicts && several_begin() && refused_.all().empty()) return Verdict::Inconsistent;
    return refuse(Refusal::Inconsistent, next);
  }
  if (facts().has_initial_equations) return accept();
  const std::vector<Broken> changed = broken(start);
  if (changed.empty()) return accept();
  if (!jumped_) return jump(start, next);
  std::vector<std::uint32_t> unknowns;
  for (const Broken& b : changed) unknowns.push_back(b.what.unknown);
  report("the new structure ties values that cannot jump, such as positions", unknowns);
  return refuse(Refusal::Undetermined, next);
}

/// Whether several switches enter modes with initial equations.
bool StructureChanges::several_begin() const {
  return std::ranges::count_if(current_->structure.switches, [&](const elaborate::Structure::Switch& s) {
           const auto chosen =
               std::ranges::lower_bound(modes_, s.identity, {}, &elaborate::ChosenMode::identity);
           return s.has_initial && chosen != modes_.end() && chosen->identity == s.identity &&
                  chosen->entered;
         }) > 1;
}

/// The present structure has no start.
runtime::StructureSource::Verdict StructureChanges::refuse(Refusal why, runtime::NextStructure& next) {
  if (jumped_) values_ = before_jump_;
  const bool is_told = !refused_.all().empty();
  if (std::optional<runtime::NextStructure> other = try_others(why)) {
    next = std::move(*other);
    return Verdict::Again;
  }
  return is_told ? Verdict::Failed : Verdict::Inconsistent;
}

/// Another start, from the values after the jumps.
runtime::StructureSource::Verdict StructureChanges::jump(const runtime::StructureStart& start,
                                                         runtime::NextStructure& next) {
  const elaborate::Structure& structure = current_->structure;
  const dae::System* kept = structures_->jump_equations(*current_);
  if (!kept) {
    std::vector<std::uint32_t> unknowns;
    for (const Broken& b : broken(start)) unknowns.push_back(b.what.unknown);
    report("the equations of the new structure do not determine them", unknowns);
    return refuse(Refusal::Undetermined, next);
  }
  const std::vector<double> nominal =
      runtime::nominal_values(current_->plan.model, {start.parameters.begin(), start.parameters.end()});
  const auto value = [&](std::uint32_t unknown, std::uint32_t order, bool is_before) {
    const double old = is_before ? values_.before(structure.unknowns[unknown], order) : kNoValue;
    const double now = std::isnan(old) ? value_of(current_->dae, start.values, unknown, order) : old;
    return std::isnan(now) ? 0.0 : now;
  };
  const auto nominal_of = [&](std::uint32_t unknown) {
    const dae::Alias alias = current_->dae.aliases[unknown];
    return alias.kind == dae::Alias::Zero ? 1.0 : nominal[alias.variable];
  };
  Jumps jumps = solve_jumps(*kept, time_, start.parameters, value, nominal_of);
  if (!jumps.failure.empty()) {
    report(jumps.failure, jumps.unknowns);
    return refuse(Refusal::Undetermined, next);
  }
  const std::vector<std::uint32_t> due =
      due_by_impulses(current_->system, *kept, jumps, time_, start.parameters, [&](std::uint32_t unknown) {
        const double now = value_of(current_->dae, start.values, unknown, 0);
        return std::isnan(now) ? 0.0 : now;
      });
  if (!due.empty())
    return leave_by_impulses({time_, due, start.values, start.parameters, {}, {}, {}, true}, next);
  if (const std::vector<Jump> flows =
          interrupted(current_->system, *kept, jumps, time_, start.parameters, value, nominal_of);
      !flows.empty()) {
    report_interrupted(flows);
    return refuse(Refusal::Undetermined, next);
  }
  before_jump_ = values_;
  for (const Jump& j : jumps.jumps) {
    const std::uint32_t identity = structure.unknowns[j.unknown];
    if (!std::isnan(values_.before(identity, j.order))) values_.set(j.order, identity, j.after);
  }
  jumped_ = true;
  jumps_ = std::move(jumps);
  next = start_of(modes_);
  return Verdict::Again;
}

/// The present structure goes on: tells it.
runtime::StructureSource::Verdict StructureChanges::accept() {
  if (!took_place) return Verdict::Accepted;
  explain::StructureChange change{
      .time = time_, .model = current_.get(), .modes = {}, .jumps = {}, .impulses = {}};
  auto now = modes_by_identity(*current_);
  for (const auto& [identity, mode] : now) {
    const auto old = told_.find(identity);
    const std::string before = old == told_.end() ? "" : old->second.second;
    const auto chosen = std::ranges::find(modes_, identity, &elaborate::ChosenMode::identity);
    const bool again = chosen != modes_.end() && chosen->entered && !chosen->numbers.empty();
    if (before != mode.second || again) change.modes.push_back({mode.first, before, mode.second});
  }
  for (const auto& [identity, mode] : told_)
    if (!now.contains(identity)) change.modes.push_back({mode.first, mode.second, ""});
  told_ = std::move(now);
  double largest = 0;
  if (jumped_) {
    for (const Impulse& i : jumps_.impulses) largest = std::max(largest, std::abs(i.value));
    for (const Jump& j : jumps_.jumps)
      if (std::abs(j.after - j.before) > kContinuous * std::max(std::abs(j.before), std::abs(j.after)))
        change.jumps.push_back({name_of(j.unknown, j.order), j.before, j.after});
    for (const Impulse& i : jumps_.impulses)
      if (std::abs(i.value) > kContinuous * largest)
        change.impulses.push_back({name_of(i.unknown, 0), i.value});
  }
  took_place(change);
  return Verdict::Accepted;
}

/// Whether transitions at this instant let the structure grow without end.
bool StructureChanges::has_outgrown() const {
  const std::size_t size = facts().size;
  return size > kLargest && size / kMostGrowth > size_before_;
}

double StructureChanges::number(const system::ModeNumber& n, const runtime::StructureEnd& end) const {
  if (!n.is_unknown) return end.parameters[n.index];
  const dae::Alias alias = current_->dae.aliases[n.index];
  if (alias.kind == dae::Alias::Zero) return 0;
  return alias.kind == dae::Alias::Negated ? 0.0 - end.values[alias.variable] : end.values[alias.variable];
}

/// The transitions that are taken: the first one of each switch that is due.
std::vector<std::uint32_t> StructureChanges::leaving(const runtime::StructureEnd& end) const {
  const system::System& system = current_->system;
  std::vector<bool> leaves(system.switches.size(), false);
  std::vector<std::uint32_t> result;
  for (std::uint32_t t = 0; t < system.transitions.size(); ++t) {
    const system::Transition& transition = system.transitions[t];
    if (leaves[transition.of] || !std::ranges::binary_search(end.transitions, transition.trigger)) continue;
    leaves[transition.of] = true;
    result.push_back(t);
  }
  return result;
}

/// The modes of all switches that remain after the transitions that are due, or after one of them. Those of
/// switches inside the mode that another one leaves are not taken.
pipeline::Modes StructureChanges::next_modes(const runtime::StructureEnd& end, std::uint32_t only) const {
  const system::System& system = current_->system;
  const elaborate::Structure& structure = current_->structure;
  std::vector<std::uint32_t> taken(system.switches.size(), runtime::kNone);
  for (const std::uint32_t t : leaving(end))
    if (only == runtime::kNone || only == t) taken[system.transitions[t].of] = t;
  std::vector<bool> left(system.switches.size(), false);  // a switch around it is left
  pipeline::Modes result;
  for (std::uint32_t k = 0; k < system.switches.size(); ++k) {
    const system::Switch& s = system.switches[k];
    if (s.parent != system::kNoSwitch) left[k] = left[s.parent] || taken[s.parent] != runtime::kNone;
    if (left[k]) continue;
    elaborate::ChosenMode chosen{structure.switches[k].identity, structure.switches[k].mode};
    std::uint32_t first = s.first_number, count = s.numbers;
    if (taken[k] != runtime::kNone) {
      const system::Transition& t = system.transitions[taken[k]];
      chosen.mode = structure.targets[taken[k]];
      chosen.entered = true;
      first = t.first_number;
      count = t.numbers;
    }
    for (std::uint32_t n = first; n < first + count; ++n)
      chosen.numbers.push_back(number(system.mode_numbers[n], end));
    result.push_back(std::move(chosen));
  }
  std::ranges::sort(result, {}, &elaborate::ChosenMode::identity);
  return result;
}

void StructureChanges::set_numbers(const std::vector<elaborate::ChosenMode>& modes,
                                   runtime::NextStructure& next) const {
  const elaborate::Structure& structure = current_->structure;
  for (std::size_t k = 0; k < structure.switches.size(); ++k) {
    if (!structure.switches[k].is_given) continue;
    const auto chosen =
        std::ranges::lower_bound(modes, structure.switches[k].identity, {}, &elaborate::ChosenMode::identity);
    const system::Switch& s = current_->system.switches[k];
    for (std::uint32_t n = 0; n < s.numbers; ++n)
      next.overrides.emplace_back(current_->system.mode_numbers[s.first_number + n].index,
                                  chosen->numbers[n]);
  }
}

/// By switch: whether its mode, or one around it, was entered.
std::vector<bool> StructureChanges::new_switches(const std::vector<elaborate::ChosenMode>& modes) const {
  const system::System& system = current_->system;
  const elaborate::Structure& structure = current_->structure;
  std::vector<bool> is_new(system.switches.size());
  for (std::size_t k = 0; k < is_new.size(); ++k) {
    const auto chosen =
        std::ranges::lower_bound(modes, structure.switches[k].identity, {}, &elaborate::ChosenMode::identity);
    const std::uint32_t parent = system.switches[k].parent;
    is_new[k] =
        !structure.switches[k].is_given || chosen->entered || (parent != system::kNoSwitch && is_new[parent]);
  }
  return is_new;
}

/// The unknowns of the columns by their names, in the current structure: for what did not exist at the start,
/// and for parts of another mode that have the names of parts that have gone.
const std::vector<std::uint32_t>& StructureChanges::named_unknowns() {
  if (named_.size() >= kMostNamed) named_.clear();
  const auto [found, is_new] = named_.try_emplace(current_->number);
  if (is_new) {
    system::Names names(current_->system);
    for (const ColumnOf& c : columns_)
      found->second.push_back(names.find(system::kRoot, std::string(c.name)).value_or(dae::kNone));
  }
  return found->second;
}

std::vector<runtime::Column> StructureChanges::columns() {
  const elaborate::Structure& structure = current_->structure;
  const dae::System& dae = current_->dae;
  std::unordered_map<std::uint32_t, std::uint32_t> unknown_of;
  for (const auto& [unknown, identity] : structure.synonyms) unknown_of.emplace(identity, unknown);
  for (std::uint32_t u = 0; u < structure.unknowns.size(); ++u) unknown_of[structure.unknowns[u]] = u;
  std::vector<runtime::Column> result;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const ColumnOf& c = columns_[k];
    runtime::Column column{runtime::kAbsent, false};
    const auto found = c.known ? unknown_of.find(c.identity) : unknown_of.end();
    const std::uint32_t unknown = found != unknown_of.end() ? found->second : named_unknowns()[k];
    if (unknown != dae::kNone) {
      const dae::Alias alias = dae.aliases[unknown];
      if (alias.kind == dae::Alias::Zero) {
        column.variable = runtime::kNone;
      } else if (const std::uint32_t v = derivative(dae, alias.variable, c.order); v != dae::kNone) {
        column = {v, alias.kind == dae::Alias::Negated};
      }
    }
    result.push_back(column);
  }
  return result;
}

}  // namespace sigrel::session
