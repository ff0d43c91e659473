#include "runtime/components/components.h"

#include <algorithm>

namespace runtime {

namespace {

// Rows of a component that is solved exactly, shared ones included: those are evaluated for each component.
constexpr std::size_t kMostRows = 256;
// Its states: the decomposition of its matrix takes the third power of their number.
// With three and more, nearly defective matrices lose digits, and some matrices are not decomposed at all.
constexpr std::size_t kMostStates = 2;
// Forms: each has an instance of its own, which takes some kilobytes.
constexpr std::size_t kMostForms = 4096;
// A sink that is dissolved may join components that another one reads; after so many passes all are.
constexpr int kMostPasses = 8;

using Kind = RowIndex::Kind;

}  // namespace

Components::Components(ModelInstance& whole, double time, double stop, double moment)
    : whole_(whole),
      time_(time),
      rows_(whole.model),
      variation_(rows_),
      dependent_(dependent_nodes(rows_)),
      sinks_(rows_, variation_, dependent_),
      extraction_(rows_),
      covered_(rows_.size(), 0),
      at_end_(whole.model.events.triggers, 0),
      of_time_(rows_.crossings(), 0),
      exact_(whole, {time, stop, moment},
             [this](std::span<const std::uint32_t> ids, Submodel& part) { extract(ids, part); }) {
  if (dependent_.empty() || !whole.model.sets.empty()) return;
  for (const auto* triggers : {&whole.model.events.terminating, &whole.model.events.terminal})
    for (const std::uint32_t t : *triggers) at_end_[t] = 1;
  std::vector<std::uint32_t> first;  // by zero crossing: the number of its first row
  std::uint32_t crossings = 0;
  for (const ZeroCrossing& crossing : whole.model.zero_crossings) {
    first.push_back(crossings);
    crossings += whole.model.batches[crossing.batch].count;
  }
  for (const TimeFunction& f : whole.model.time_functions) of_time_[first[f.zero_crossing] + f.row] = 1;
  find_exact();
}

/// Sinks that read anything but several exact components are dissolved, which joins components.
void Components::find_exact() {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> exact;
  for (int pass = 0;; ++pass) {
    dependency_ = Dependency(rows_, dependent_, sinks_.rows());
    exact.assign(dependency_.components, 0);
    for (std::uint32_t c = 0; c < dependency_.components; ++c) exact[c] = is_exact(c, rows);
    const bool dissolved = pass < kMostPasses
                               ? sinks_.dissolve(dependency_, exact)
                               : sinks_.dissolve(dependency_, std::vector<std::uint8_t>(exact.size(), 0));
    if (!dissolved) break;
  }
  for (std::uint32_t c = 0; c < dependency_.components; ++c)
    if (exact[c]) exact_of_.push_back(c);
  in_order_ = sinks_.read_components(dependency_);
}

/// The rows of a component, those that it activates, and the shared ones that these need. False: more than
/// `most`.
bool Components::gather(std::uint32_t component, std::vector<std::uint32_t>& rows, std::size_t most) {
  const auto first = dependency_.rows.begin() + dependency_.first[component];
  const auto last = dependency_.rows.begin() + dependency_.first[component + 1];
  if (static_cast<std::size_t>(last - first) > most) return false;
  rows.assign(first, last);
  return sinks_.activate(rows, most) && extraction_.close(rows, dependency_.component, most);
}

/// Whether what a row of a sink reads of other components is known without an evaluation of them.
bool Components::reads_known(std::uint32_t component, std::uint32_t row) const {
  bool known = true;
  rows_.each_read(row, [&](std::uint32_t node) {
    for (const std::uint32_t writer : rows_.writers(node)) {
      const std::uint32_t of = dependency_.component[writer];
      if (of == Dependency::kSink) break;  // so are all
      const Kind kind = rows_.section_of(writer).kind;
      known = known && (of >= dependency_.components || of == component || kind == Kind::Crossing ||
                        kind == Kind::Value);
    }
  });
  return known;
}

/// Its rows as `gather` gives them into `rows`. Whether it is solved exactly.
bool Components::is_exact(std::uint32_t component, std::vector<std::uint32_t>& rows) {
  if (!gather(component, rows, kMostRows)) return false;
  std::size_t states = 0;
  for (const std::uint32_t row : rows) {
    states += rows_.section_of(row).kind == Kind::State;
    if (!is_exact_row(row) || (sinks_.rows()[row] && !reads_known(component, row))) return false;
  }
  return states == 1 || (states > 1 && states <= kMostStates && !assigns_state(rows));
}

/// Whether an event gives a state of these rows another value.
bool Components::assigns_state(std::span<const std::uint32_t> rows) const {
  const Model& model = whole_.model;
  std::vector<std::uint32_t> states, assigned;
  for (const std::uint32_t row : rows) {
    const RowIndex::Section& section = rows_.section_of(row);
    const std::uint32_t at = row - section.first;
    if (section.kind == Kind::State) states.push_back(model.states[section.tag + at].variable);
    if (section.kind == Kind::Value) assigned.push_back(model.events.assignments[section.tag + at].variable);
  }
  return std::ranges::any_of(assigned,
                             [&](std::uint32_t v) { return std::ranges::find(states, v) != states.end(); });
}

/// Whether a component that is solved exactly may have this row. What is evaluated for events alone may vary
/// in any way.
bool Components::is_exact_row(std::uint32_t row) const {
  const Model& model = whole_.model;
  const RowIndex::Section& section = rows_.section_of(row);
  const std::uint32_t at = row - section.first;
  const Variation::Kind variation = variation_.row[row];
  switch (section.kind) {
    case Kind::State: return variation != Variation::Other;
    case Kind::Dynamic:
    case Kind::Compared: return !section.loop || variation != Variation::Other;
    case Kind::Crossing:
      return of_time_[rows_.crossing_number(row)] ||
             (variation != Variation::Other &&
              model.zero_crossings[section.crossing].kind == ZeroCrossing::Comparison);
    case Kind::Condition:
      return !at_end_[model.events.condition_triggers[section.tag + at]] && variation == Variation::Constant;
    case Kind::Value: return !at_end_[model.events.assignments[section.tag + at].trigger];
    case Kind::Alternative: return !at_end_[model.events.alternatives[at].preceding];
    case Kind::Previous:
    case Kind::Clock: return true;
    case Kind::Delay:
    case Kind::Asserted:
    case Kind::Assertion: break;
  }
  return false;
}

bool Components::split() {
  Submodel part;
  for (const std::uint32_t c : exact_of_) {
    extract(std::span(&c, 1), part);
    if (exact_.forms() >= kMostForms && !exact_.has_form(part) && !in_order_[c]) continue;
    for (const std::uint32_t row : extracted_) covered_[row] = 1;
    if (!exact_.add(part, c, in_order_[c], time_)) return fail();
  }
  extract_remainder();
  return true;
}

/// The part of these components, ascending, and of what they activate.
void Components::extract(std::span<const std::uint32_t> components, Submodel& part) {
  std::vector<std::uint32_t>& all = extracted_;
  std::vector<std::uint32_t> rows;
  all.clear();
  for (const std::uint32_t c : components) {
    gather(c, rows, rows_.size());
    all.insert(all.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  extraction_.extract(all, part);
  if (sinks_.any()) find_foreign(components, part);
}

/// What the rows of sinks read that these components do not have for themselves.
void Components::find_foreign(std::span<const std::uint32_t> components, Submodel& part) const {
  std::vector<std::uint32_t> variables, parameters;
  const std::uint32_t first_parameter = rows_.parameter_node(0), end = rows_.trigger_node(0);
  auto consider = [&](std::uint32_t node) {
    bool foreign = false;
    for (const std::uint32_t writer : rows_.writers(node)) {
      const std::uint32_t of = dependency_.component[writer];
      foreign = of == Dependency::kSink ||
                (of < dependency_.components && !std::ranges::binary_search(components, of));
      if (foreign) break;
    }
    if (foreign && node < first_parameter)
      variables.push_back(node);
    else if (foreign && node < end)
      parameters.push_back(node - first_parameter);
  };
  for (const std::uint32_t row : extracted_)
    if (sinks_.rows()[row]) {
      rows_.each_read(row, consider);
      rows_.each_written(row, consider);
    }
  auto own = [](const std::vector<std::uint32_t>& list, std::vector<std::uint32_t>& numbers) {
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::vector<std::uint32_t> result;
    for (std::uint32_t k = 0; k < list.size(); ++k)
      if (std::ranges::binary_search(numbers, list[k])) result.push_back(k);
    return result;
  };
  part.foreign_variables = own(part.variables, variables);
  part.foreign_parameters = own(part.parameters, parameters);
  for (const auto* list : {&part.foreign_variables, &part.foreign_parameters}) {
    part.structure.push_back(static_cast<std::uint32_t>(list->size()));
    part.structure.insert(part.structure.end(), list->begin(), list->end());
  }
}

/// What no exact component has, and what that needs: shared rows of schedules only if they are needed.
void Components::extract_remainder() {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < rows_.size(); ++row) {
    if (covered_[row]) continue;
    const Kind kind = rows_.section_of(row).kind;
    const bool scheduled = kind == Kind::Dynamic || kind == Kind::Compared || kind == Kind::Asserted;
    if (!scheduled || dependency_.component[row] != Dependency::kShared) rows.push_back(row);
  }
  extraction_.close(rows, dependency_.component, rows_.size());
  extraction_.extract(rows, remainder_);
  remainder_.link(whole_.model);
}

namespace {
std::vector<double> gathered(const std::vector<double>& whole, std::span<const std::uint32_t> numbers) {
  std::vector<double> own;
  own.reserve(numbers.size());
  for (const std::uint32_t k : numbers) own.push_back(whole[k]);
  return own;
}
}  // namespace

std::vector<double> Components::remainder_values() const {
  return gathered(whole_.values, remainder_.variables);
}
std::vector<double> Components::remainder_parameters() const {
  return gathered(whole_.parameters, remainder_.parameters);
}
std::vector<double> Components::remainder_nominal() const {
  return gathered(whole_.nominal, remainder_.variables);
}

bool Components::process_events(double time, double margin) { return exact_.advance(time, margin) || fail(); }

void Components::load_remainder(std::span<const double> values, std::span<const double> parameters) {
  for (std::size_t k = 0; k < values.size(); ++k) whole_.values[remainder_.variables[k]] = values[k];
  for (std::size_t k = 0; k < parameters.size(); ++k)
    whole_.parameters[remainder_.parameters[k]] = parameters[k];
  whole_.evaluator.parameters_changed();
}

bool Components::evaluate(double time, std::span<const double> values, std::span<const double> parameters) {
  load_remainder(values, parameters);
  if (!exact_.evaluate(time)) return fail();
  if (whole_.evaluator.run(whole_.model.dynamic, whole_.point(time))) return true;
  failure_ = whole_.failure();
  return false;
}

bool Components::evaluate(double time, std::span<const double> values, std::span<const double> parameters,
                          const NeededRows& rows) {
  load_remainder(values, parameters);
  if (!exact_.evaluate_shown(time)) return fail();
  if (rows.evaluate(whole_.evaluator, whole_.point(time))) return true;
  failure_ = whole_.failure();
  failure_.time = time;
  return false;
}

bool Components::fail() {
  const ExactComponents::Failed& failed = exact_.failed();
  failure_ = failed.failure;
  Submodel part;
  extract(failed.ids, part);
  renumber(failure_, part, *failed.part);
  return false;
}

}  // namespace runtime
