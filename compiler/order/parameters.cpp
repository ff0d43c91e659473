#include "compiler/order/parameters.h"

#include <algorithm>

#include "compiler/ir/library.h"

namespace sigrel::order {
namespace {

double operation(const void* library, const runtime::ParameterRule& rule, double a, double b, double c) {
  return apply(static_cast<const Library*>(library), static_cast<Op>(rule.op), rule.value, a, b, c);
}

void choose(const system::System& system, const dae::System& dae, system::AttributeKind kind,
            std::vector<const system::Attribute*>& best) {
  best.assign(dae.variables.size(), nullptr);
  for (const system::Attribute& a : system.attributes) {
    if (a.kind != kind || dae.aliases[a.unknown].kind == dae::Alias::Zero) continue;
    std::uint32_t v = dae.aliases[a.unknown].variable, own = dae.variables[v].unknown;
    const system::Attribute*& b = best[v];
    // Of the same unknown the first one counts: the model's, and not that of the part itself.
    const bool better = !b || (b->unknown != own && (a.unknown == own || a.unknown < b->unknown));
    if (better) b = &a;
  }
}

}  // namespace

void set_parameters(const system::System& system, const dae::System& dae, runtime::Model& model) {
  model.operation = operation;
  model.library = system.exprs.library;
  model.parameters.reserve(system.parameters.size() + 16);
  for (const system::Parameter& p : system.parameters)
    model.parameters.push_back({static_cast<std::uint8_t>(p.op), p.a, p.b, p.c, p.value});
  for (const dae::ZeroCrossing& r : dae.zero_crossings)  // until the start has been looked at: 0
    for (std::uint32_t k = 0; k < r.held(); ++k) add_parameter(model, {});
  for (const dae::StateSet& set : dae.sets)  // until the first choice: the first candidates
    for (std::size_t state = 0; state < set.states.size(); ++state)
      for (std::size_t candidate = 0; candidate < set.candidates.size(); ++candidate)
        add_parameter(model, {.value = state == candidate ? 1.0 : 0.0});
}

std::vector<double> parameter_values(const runtime::Model& model) {
  std::vector<double> values;
  values.reserve(model.parameters.size());
  auto operand = [&](std::uint32_t k) { return k < values.size() ? values[k] : 0.0; };
  for (const runtime::ParameterRule& rule : model.parameters)
    values.push_back(rule.op == 0 ? rule.value
                                  : model.operation(model.library.get(), rule, operand(rule.a),
                                                    operand(rule.b), operand(rule.c)));
  return values;
}

std::uint32_t add_parameter(runtime::Model& model, const runtime::ParameterRule& rule) {
  model.parameters.push_back(rule);
  return static_cast<std::uint32_t>(model.parameters.size() - 1);
}

void set_attributes(const system::System& system, const dae::System& dae, runtime::Model& model) {
  std::vector<const system::Attribute*> best;
  auto any = [&] {
    return std::ranges::any_of(best, [](const system::Attribute* a) { return a != nullptr; });
  };
  choose(system, dae, system::AttributeKind::Position, best);
  std::vector<const system::Attribute*> guesses;
  choose(system, dae, system::AttributeKind::Guess, guesses);
  if (any()) model.start_is_computed.assign(dae.variables.size(), 0);  // a position replaces its guess
  for (std::uint32_t v = 0; v < best.size(); ++v)
    if (!best[v])
      best[v] = guesses[v];
    else if (!guesses[v])
      model.start_is_computed[v] = 1;
  const auto set = [&](std::vector<std::uint32_t>& values) {
    for (std::uint32_t v = 0; v < best.size(); ++v) {
      if (!best[v] || model.start_of(v) != runtime::kNone) continue;
      const bool negated = dae.aliases[best[v]->unknown].kind == dae::Alias::Negated;
      values[v] =
          negated ? add_parameter(model, {static_cast<std::uint8_t>(Op::Neg), best[v]->parameter, 0, 0, 0})
                  : best[v]->parameter;
    }
  };
  if (any()) model.start.assign(dae.variables.size(), runtime::kNone);
  set(model.start);
  choose(system, dae, system::AttributeKind::FirstIterate, best);
  if (any()) model.first_iterate.assign(dae.variables.size(), runtime::kNone);
  set(model.first_iterate);
  choose(system, dae, system::AttributeKind::Nominal, best);
  if (!any()) return;
  model.nominal.assign(dae.variables.size(), runtime::kNone);
  for (std::uint32_t v = 0; v < best.size(); ++v)
    if (best[v]) model.nominal[v] = best[v]->parameter;  // a magnitude: the sign does not matter
  for (const dae::StateSet& set : dae.sets)
    for (std::size_t k = 0; k < set.states.size(); ++k)
      model.nominal[set.states[k]] = model.nominal[dae.variables[set.candidates[k]].integral];
}

void continue_from_guesses(runtime::Model& model) {
  model.start.resize(model.variables, runtime::kNone);
  model.parameters.reserve(model.parameters.size() + model.variables);
  for (std::uint32_t& guess : model.start)
    guess =
        guess == runtime::kNone ? add_parameter(model, {}) : add_parameter(model, model.parameters[guess]);
}

}  // namespace sigrel::order
