#include "compiler/pipeline/model_memory.h"

#include <string>
#include <tuple>
#include <vector>

namespace sigrel::pipeline {
namespace {

// Of an expression pool for each node: its place in the hash table.
constexpr std::size_t kNode = sizeof(Node) + 2 * sizeof(std::uint32_t);

/// Of the elements of vectors.
template <class... T>
std::size_t bytes(const std::vector<T>&... vectors) {
  return (0 + ... + (vectors.capacity() * sizeof(T)));
}

/// Of what the elements of a vector own, besides the elements.
template <class T, class Own>
std::size_t owned(const std::vector<T>& vector, Own own) {
  std::size_t result = bytes(vector);
  for (const T& element : vector) result += own(element);
  return result;
}

/// Of text that a string does not hold in itself.
std::size_t text_bytes(const std::string& text) {
  return text.capacity() > sizeof(std::string) / 2 ? text.capacity() : 0;
}

std::size_t table_bytes(const EquationTable& t) { return bytes(t.unknowns, t.parameters, t.tags); }

std::size_t bytes_of(const Equations& equations) {
  return bytes(equations.sums.offsets, equations.sums.terms) + owned(equations.tables, table_bytes);
}

std::size_t bytes_of(const system::Template& t) {
  return bytes(t.interface_spans, t.locals, t.synonyms, t.children, t.lone_nodes, t.unused_nodes) +
         owned(t.interface, text_bytes) + owned(t.parameters, text_bytes);
}

std::size_t bytes_of(const system::System& s) {
  return bytes(s.steady, s.delays, s.switches, s.transitions, s.mode_numbers, s.parameters, s.attributes,
               s.sources, s.instances, s.arguments, s.captured, s.events.triggers, s.events.clocks,
               s.events.jitters, s.events.assignments, s.events.previous) +
         bytes_of(s.equations) + bytes_of(s.initial) + bytes_of(s.assertions) +
         bytes_of(s.events.conditions) + bytes_of(s.events.values) +
         owned(s.named_parameters, [](const system::NamedParameter& p) { return text_bytes(p.name); }) +
         owned(s.templates, [](const system::Template& t) { return bytes_of(t); }) + s.exprs.size() * kNode;
}

std::size_t bytes_of(const runtime::Model& m) {
  const runtime::Events& e = m.events;
  return bytes(m.states, m.sets, m.set_variables, m.set_weights, m.start, m.nominal, m.discrete, m.parameters,
               m.tables, m.equations, m.batches, m.loops, m.tearing_variables, m.constants, m.initial,
               m.derivative_of, m.invariant, m.dynamic, m.observed, m.initial_checks, m.assertions,
               m.asserted, m.zero_crossings, m.piece_tables, m.knots, m.coefficients, m.time_functions,
               m.time_rows, m.compared, m.delays, m.kernels, m.timed, m.enclosures) +
         bytes(e.conditions, e.condition_triggers, e.initial, e.terminal, e.alternatives, e.values,
               e.assignments, e.clocks, e.jitters, e.previous, e.terminating, e.transitions) +
         owned(m.sharpness, [](const runtime::Sharpness& s) { return bytes(s.slots); }) +
         owned(m.linearity, [](const runtime::Linearity& l) { return bytes(l.reads, l.products); });
}

}  // namespace

std::size_t bytes_of(const dae::System& d) {
  return bytes(d.assignments, d.variables, d.aliases, d.assign, d.derivative_of) + bytes_of(d.equations) +
         bytes_of(d.initial) + bytes_of(d.assertions) + bytes_of(d.conditions) + bytes_of(d.values) +
         owned(d.zero_crossings, [](const dae::ZeroCrossing& z) { return table_bytes(z.differences); }) +
         owned(d.sets,
               [](const dae::StateSet& s) {
                 return bytes(s.equations, s.eliminated, s.candidates, s.weights, s.states);
               }) +
         d.exprs.size() * kNode;
}

std::size_t bytes_of(const Compiled& model) {
  const plan::Plan& plan = model.plan;
  const elaborate::Structure& s = model.structure;
  return sizeof model + bytes_of(model.system) + bytes_of(model.dae) + bytes_of(plan.model) +
         owned(plan.kernels, [](const plan::Kernel& k) { return bytes(k.outputs); }) +
         bytes(plan.guessed_states, plan.initial_assign, plan.redundant_initial, model.executable.kernels,
               model.executable.enclosures, s.switches, s.targets, s.unknowns, s.triggers, s.owners,
               s.synonyms, s.structural) +
         plan.exprs.size() * kNode;
}

}  // namespace sigrel::pipeline
