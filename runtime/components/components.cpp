#include "runtime/components/components.h"

#include <algorithm>

namespace runtime {

namespace {

// Rows of a component that is solved exactly, shared ones included: those are evaluated for each component.
constexpr std::size_t kMostRows = 64;
// Forms: each has an instance of its own, which takes some kilobytes.
constexpr std::size_t kMostForms = 4096;

using Kind = RowIndex::Kind;

}  // namespace

Components::Components(ModelInstance& whole, double time, double range, double moment)
    : whole_(whole),
      time_(time),
      rows_(whole.model),
      dependency_(rows_),
      variation_(rows_),
      extraction_(rows_),
      covered_(rows_.size(), 0),
      at_end_(whole.model.events.triggers, 0),
      of_time_(rows_.crossings(), 0),
      exact_(whole, range, moment) {
  if (!dependency_.valid || !whole.model.sets.empty()) return;
  for (const auto* triggers : {&whole.model.events.last, &whole.model.events.terminal})
    for (const std::uint32_t t : *triggers) at_end_[t] = 1;
  std::vector<std::uint32_t> first;  // by zero crossing: the number of its first row
  std::uint32_t crossings = 0;
  for (const ZeroCrossing& crossing : whole.model.zero_crossings) {
    first.push_back(crossings);
    crossings += whole.model.batches[crossing.batch].count;
  }
  for (const TimeFunction& f : whole.model.time_functions) of_time_[first[f.zero_crossing] + f.row] = 1;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t c = 0; c < dependency_.components; ++c)
    if (is_exact(c, rows)) exact_of_.push_back(c);
}

/// Its rows and the shared ones that these need into `rows`. Whether it is solved exactly.
bool Components::is_exact(std::uint32_t component, std::vector<std::uint32_t>& rows) {
  const auto first = dependency_.rows.begin() + dependency_.first[component];
  const auto last = dependency_.rows.begin() + dependency_.first[component + 1];
  if (last - first > static_cast<std::ptrdiff_t>(kMostRows)) return false;
  rows.assign(first, last);
  if (!extraction_.close(rows, dependency_.component, kMostRows)) return false;
  int states = 0;
  for (const std::uint32_t row : rows) {
    const RowIndex::Section& section = rows_.section_of(row);
    switch (section.kind) {
      case Kind::State: ++states; break;
      case Kind::Dynamic:
      case Kind::Compared:
        if (variation_.row[row] == Variation::Other) return false;
        break;
      case Kind::Crossing:
        if (whole_.model.zero_crossings[section.crossing].kind != ZeroCrossing::Comparison) return false;
        if (variation_.row[row] == Variation::Other && !of_time_[rows_.crossing_number(row)]) return false;
        break;
      case Kind::Condition: {
        if (at_end_[whole_.model.events.conditional[section.tag + row - section.first]]) return false;
        if (variation_.row[row] != Variation::Constant) return false;
        break;
      }
      case Kind::Value:
        if (at_end_[whole_.model.events.effects[section.tag + row - section.first].trigger]) return false;
        break;
      case Kind::Alternative:
        if (at_end_[whole_.model.events.alternatives[row - section.first].preceding]) return false;
        break;
      case Kind::Previous:
      case Kind::Clock: break;
      case Kind::Delay:
      case Kind::Asserted:
      case Kind::Assertion: return false;
    }
  }
  return states == 1;
}

bool Components::split() {
  Submodel part;
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t c : exact_of_) {
    is_exact(c, rows);
    extraction_.extract(rows, part);
    if (exact_.forms() >= kMostForms && !exact_.has_form(part)) continue;
    for (const std::uint32_t row : rows) covered_[row] = 1;
    if (!exact_.add(part, c, time_)) return fail();
  }
  extract_remainder();
  return true;
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

bool Components::evaluate(double time, std::span<const double> values, std::span<const double> parameters) {
  for (std::size_t k = 0; k < values.size(); ++k) whole_.values[remainder_.variables[k]] = values[k];
  for (std::size_t k = 0; k < parameters.size(); ++k)
    whole_.parameters[remainder_.parameters[k]] = parameters[k];
  if (!exact_.evaluate(time)) return fail();
  whole_.evaluator.parameters_changed();
  if (whole_.evaluator.run(whole_.model.dynamic, whole_.point(time))) return true;
  failure_ = whole_.failure();
  return false;
}

bool Components::fail() {
  const ExactComponents::Failed& failed = exact_.failed();
  failure_ = failed.failure;
  std::vector<std::uint32_t> rows;
  Submodel part;
  is_exact(failed.id, rows);
  extraction_.extract(rows, part);
  renumber(failure_, part, *failed.part);
  return false;
}

}  // namespace runtime
