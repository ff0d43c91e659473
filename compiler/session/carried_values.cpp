#include "compiler/session/carried_values.h"

#include <algorithm>
#include <cmath>

#include "runtime/events/event_handler.h"

namespace sigrel::session {
namespace {

/// All unknowns and their derivatives: set(order, identity, value).
template <class Set>
void each_value(const pipeline::Compiled& model, const runtime::StructureEnd& end, const Set& set) {
  const dae::System& dae = model.dae;
  auto take = [&](std::uint32_t unknown, std::uint32_t identity) {
    const dae::Alias alias = dae.aliases[unknown];
    if (alias.kind == dae::Alias::Zero) return set(0, identity, 0);
    std::uint32_t order = 0;
    for (std::uint32_t v = alias.variable; v != dae::kNone; v = dae.variables[v].derivative)
      set(order++, identity, alias.kind == dae::Alias::Negated ? 0.0 - end.values[v] : end.values[v]);
  };
  const elaborate::Structure& structure = model.structure;
  for (std::uint32_t u = 0; u < structure.unknowns.size(); ++u) take(u, structure.unknowns[u]);
  for (const auto& [unknown, identity] : structure.synonyms) take(unknown, identity);
}

/// Delays of the model: visit(number, unknown, negated).
template <class Visit>
void each_delay(const pipeline::Compiled& model, const Visit& visit) {
  std::uint32_t number = 0;
  for (const system::Delay& d : model.system.delays)
    if (const dae::Alias alias = model.dae.aliases[d.unknown]; alias.kind != dae::Alias::Zero)
      visit(number++, d.unknown, alias.kind == dae::Alias::Negated);
}

/// Conditions of triggers, in the order of runtime::Events: visit(trigger, place).
template <class Visit>
void each_condition(const pipeline::Compiled& model, const Visit& visit) {
  for (const EquationTable& table : model.dae.conditions.tables)
    for (std::size_t row = 0; row < table.rows(); ++row)
      visit(table.tags[row], model.system.sources[table.origins[row].source].span);
}

}  // namespace

std::uint32_t derivative(const dae::System& dae, std::uint32_t variable, std::uint32_t order) {
  for (; order > 0 && variable != dae::kNone; --order) variable = dae.variables[variable].derivative;
  return variable;
}

double value_of(const dae::System& dae, std::span<const double> values, std::uint32_t unknown,
                std::uint32_t order) {
  const dae::Alias alias = dae.aliases[unknown];
  if (alias.kind == dae::Alias::Zero) return 0;
  const std::uint32_t v = derivative(dae, alias.variable, order);
  if (v == dae::kNone) return kNoValue;
  return alias.kind == dae::Alias::Negated ? 0.0 - values[v] : values[v];
}

double CarriedValues::before(std::uint32_t identity, std::uint32_t order) const {
  return order < values_.size() && identity < values_[order].size() ? values_[order][identity] : kNoValue;
}

void CarriedValues::set(std::uint32_t order, std::uint32_t identity, double value) {
  if (values_.size() <= order) values_.resize(order + 1);
  if (values_[order].size() <= identity) values_[order].resize(identity + 1, kNoValue);
  values_[order][identity] = value;
}

void CarriedValues::add_new(const pipeline::Compiled& model, const runtime::StructureEnd& end) {
  each_value(model, end, [&](std::uint32_t order, std::uint32_t identity, double value) {
    if (std::isnan(before(identity, order))) set(order, identity, value);
  });
}

void CarriedValues::record(const pipeline::Compiled& model, std::span<const Differentiated> differentiated,
                           const runtime::StructureEnd& end) {
  const dae::System& dae = model.dae;
  const elaborate::Structure& structure = model.structure;
  for (std::vector<double>& values : values_) std::ranges::fill(values, kNoValue);
  each_value(model, end,
             [&](std::uint32_t order, std::uint32_t identity, double value) { set(order, identity, value); });
  held_.clear();
  std::size_t condition = 0;
  each_condition(model, [&](std::uint32_t trigger, Span place) {
    held_[{structure.triggers[trigger], place}] = {end.holding[condition] != 0, end.constant[condition] != 0};
    ++condition;
  });
  history_ = end.history;
  delays_.clear();
  each_delay(model, [&](std::uint32_t number, std::uint32_t unknown, bool negated) {
    delays_[structure.unknowns[unknown]] = {number, negated};
  });
  if (end.before.empty()) return;
  for (const Differentiated& d : differentiated)
    if (!d.discrete)
      set(d.order, structure.unknowns[d.unknown], value_of(dae, end.before, d.unknown, d.order));
}

/// Delays go on but for those of modes that are entered.
runtime::PastDelays CarriedValues::past_delays(const pipeline::Compiled& model,
                                               const std::vector<bool>& is_new) const {
  runtime::PastDelays past{.history = history_};
  if (!history_) return past;
  const elaborate::Structure& structure = model.structure;
  each_delay(model, [&](std::uint32_t, std::uint32_t unknown, bool negated) {
    const std::uint32_t owner = structure.owners[unknown];
    const auto found = delays_.find(structure.unknowns[unknown]);
    const bool begins = found == delays_.end() || (owner != system::kNoSwitch && is_new[owner]);
    past.continued.push_back(
        begins ? runtime::History::Continued{}
               : runtime::History::Continued{found->second.number, found->second.negated != negated});
  });
  return past;
}

/// Guesses: the values before.
void CarriedValues::set_guesses(const pipeline::Compiled& model,
                                std::span<const Differentiated> differentiated,
                                const std::vector<bool>& is_new, runtime::NextStructure& next) const {
  const system::System& system = model.system;
  const elaborate::Structure& structure = model.structure;
  const dae::System& dae = model.dae;
  std::vector<double> guesses(dae.variables.size(), kNoValue);
  std::vector<bool> own(dae.variables.size(), false);  // by the variable's own unknown
  auto give = [&](std::uint32_t unknown, std::uint32_t identity, bool is_own) {
    const dae::Alias alias = dae.aliases[unknown];
    if (alias.kind == dae::Alias::Zero) return;
    std::uint32_t order = 0;
    for (std::uint32_t v = alias.variable; v != dae::kNone; v = dae.variables[v].derivative, ++order) {
      const double value = before(identity, order);
      if (std::isnan(value) || (!std::isnan(guesses[v]) && (own[v] || !is_own))) continue;
      guesses[v] = alias.kind == dae::Alias::Negated ? 0.0 - value : value;
      own[v] = is_own;
    }
  };
  auto continues = [&](std::uint32_t u) {
    const std::uint32_t owner = structure.owners[u];
    return owner == system::kNoSwitch || !is_new[owner];
  };
  // Events have changed discrete variables, and what is tied to them will jump.
  for (const Differentiated& d : differentiated)
    if (d.discrete && continues(d.unknown)) give(d.unknown, structure.unknowns[d.unknown], true);
  for (std::uint32_t u = 0; u < structure.unknowns.size(); ++u) {
    if (!continues(u)) continue;
    const dae::Alias alias = dae.aliases[u];
    give(u, structure.unknowns[u],
         alias.kind != dae::Alias::Zero && dae.variables[alias.variable].unknown == u);
  }
  for (const auto& [unknown, identity] : structure.synonyms) give(unknown, identity, false);
  // `pre x` in a mode that is entered is x before.
  for (const system::Previous& p : system.events.previous) {
    const dae::Alias alias = dae.aliases[p.unknown];
    const double value = before(structure.unknowns[p.of], 0);
    if (alias.kind == dae::Alias::Zero || std::isnan(value) || !std::isnan(guesses[alias.variable])) continue;
    guesses[alias.variable] = alias.kind == dae::Alias::Negated ? 0.0 - value : value;
  }
  for (std::uint32_t v = 0; v < guesses.size(); ++v)
    if (!std::isnan(guesses[v])) next.overrides.emplace_back(next.model->start[v], guesses[v]);
}

/// The `pre` values of variables that continue.
std::vector<double> CarriedValues::previous(const pipeline::Compiled& model,
                                            const std::vector<bool>& is_new) const {
  const elaborate::Structure& structure = model.structure;
  std::vector<double> of(model.dae.variables.size(), kNoValue);
  for (const system::Previous& p : model.system.events.previous) {
    const dae::Alias alias = model.dae.aliases[p.unknown];
    const std::uint32_t owner = structure.owners[p.unknown];
    if (alias.kind == dae::Alias::Zero || (owner != system::kNoSwitch && is_new[owner])) continue;
    const double value = before(structure.unknowns[p.of], 0);
    of[alias.variable] = alias.kind == dae::Alias::Negated ? 0.0 - value : value;
  }
  std::vector<double> result;
  for (const runtime::Events::Previous& p : model.plan.model.events.previous)
    result.push_back(of[p.variable]);
  return result;
}

void CarriedValues::set_conditions(const pipeline::Compiled& model, runtime::NextStructure& next) const {
  each_condition(model, [&](std::uint32_t trigger, Span place) {
    const auto held = held_.find({model.structure.triggers[trigger], place});
    const bool is_handler = model.system.events.triggers[trigger].kind != system::Trigger::Transition;
    next.holding.push_back(!is_handler || held == held_.end() ? runtime::EventHandler::kBegins
                           : held->second.now                 ? runtime::EventHandler::kHeld
                                                              : runtime::EventHandler::kDidNotHold);
    next.constant.push_back(held != held_.end() && held->second.always);
  });
}

void CarriedValues::carry_over(const pipeline::Compiled& model,
                               std::span<const Differentiated> differentiated,
                               const std::vector<bool>& is_new, runtime::NextStructure& next) const {
  set_guesses(model, differentiated, is_new, next);
  next.previous = previous(model, is_new);
  next.past = past_delays(model, is_new);
  set_conditions(model, next);
}

}  // namespace sigrel::session
