#include "runtime/components/discrete_sinks.h"

#include <algorithm>
#include <numeric>

#include "runtime/components/union_find.h"

namespace runtime {

namespace {

using Kind = RowIndex::Kind;
// A row that reads more is evaluated too often if each event of a component evaluates it.
constexpr std::size_t kMostReads = 64;

}  // namespace

DiscreteSinks::DiscreteSinks(const RowIndex& rows, const Variation& variation,
                             std::span<const std::uint8_t> dependent)
    : index_(rows), sink_(rows.size(), 0), stamp_(rows.size(), 0) {
  // A row is none if one that is none reads what it writes: from the readers to the writers.
  std::vector<std::uint8_t> read(rows.nodes(), 0);  // by such a row
  std::vector<std::uint32_t> stack;
  auto exclude = [&](std::uint32_t row) {
    sink_[row] = 0;
    rows.each_read(row, [&](std::uint32_t node) {
      if (!read[node]) stack.push_back(node);
      read[node] = 1;
    });
  };
  std::ranges::fill(sink_, std::uint8_t(1));
  for (const State& state : rows.model().states) read[state.variable] = 1, stack.push_back(state.variable);
  for (std::uint32_t row = 0; row < rows.size(); ++row)
    if (!possible(row, variation, dependent)) exclude(row);
  while (!stack.empty()) {
    const std::uint32_t node = stack.back();
    stack.pop_back();
    for (const std::uint32_t writer : rows.writers(node))
      if (sink_[writer]) exclude(writer);
  }
  find_groups();
  find_activated();
}

/// Whether a row may belong to a sink, whatever reads it.
bool DiscreteSinks::possible(std::uint32_t row, const Variation& variation,
                             std::span<const std::uint8_t> dependent) const {
  if (dependent.empty()) return false;
  bool depends = false;
  std::size_t reads = 0;
  index_.each_written(row, [&](std::uint32_t node) { depends = depends || dependent[node]; });
  index_.each_read(row, [&](std::uint32_t) { ++reads; });
  if (!depends || reads > kMostReads) return false;
  const RowIndex::Section& section = index_.section_of(row);
  switch (section.kind) {
    case Kind::Dynamic:
    case Kind::Compared: return !section.loop && variation.row[row] == Variation::Constant;
    case Kind::Condition: return variation.row[row] == Variation::Constant;
    case Kind::Previous: {
      // What a state was before is known to its own component alone.
      const std::uint32_t of = index_.model().events.previous[row - section.first].of;
      return of == kNone || variation.node[of] == Variation::Constant;
    }
    case Kind::Value: {
      // Only components let it fire.
      const std::uint32_t trigger =
          index_.model().events.assignments[section.tag + row - section.first].trigger;
      const std::span<const std::uint32_t> conditions = index_.writers(index_.trigger_node(trigger));
      return !conditions.empty() && std::ranges::all_of(conditions, [&](std::uint32_t writer) {
        bool by_component = false;
        if (index_.section_of(writer).kind == Kind::Condition)
          index_.each_read(writer,
                           [&](std::uint32_t node) { by_component = by_component || dependent[node]; });
        return by_component;
      });
    }
    case Kind::State:
    case Kind::Crossing:
    case Kind::Clock:
    case Kind::Alternative:
    case Kind::Delay:
    case Kind::Asserted:
    case Kind::Assertion: break;
  }
  return false;
}

/// Rows that share what a sink writes are of one sink.
void DiscreteSinks::find_groups() {
  UnionFind sets(index_.nodes());
  std::vector<std::uint32_t> place(index_.size(), kNone);  // a node that the row writes
  std::vector<std::uint8_t> written(index_.nodes(), 0);
  auto each_sink = [&](const auto& visit) {
    for (std::uint32_t row = 0; row < index_.size(); ++row)
      if (sink_[row]) visit(row);
  };
  each_sink([&](std::uint32_t row) {
    index_.each_written(row, [&](std::uint32_t node) { written[node] = 1, place[row] = node; });
  });
  each_sink([&](std::uint32_t row) {
    index_.each_read(row, [&](std::uint32_t node) {
      if (written[node]) sets.unite(place[row], node);
    });
  });
  group_.assign(index_.size(), kNone);
  std::vector<std::uint32_t> number(index_.nodes(), kNone);
  each_sink([&](std::uint32_t row) {
    std::uint32_t& n = number[sets.find(place[row])];
    if (n == kNone) n = count_++;
    group_[row] = n;
  });
  dissolved_.assign(count_, 0);
}

template <class Visit>
void DiscreteSinks::each_activation(std::uint32_t row, const Visit& visit) const {
  const RowIndex::Section& section = index_.section_of(row);
  if (section.kind == Kind::Value)
    visit(index_.trigger_node(index_.model().events.assignments[section.tag + row - section.first].trigger));
  else
    index_.each_read(row, visit);
}

void DiscreteSinks::find_activated() {
  first_.assign(std::size_t{index_.nodes()} + 2, 0);
  for (std::uint32_t row = 0; row < index_.size(); ++row)
    if (sink_[row]) each_activation(row, [&](std::uint32_t node) { ++first_[node + 2]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  activated_.resize(first_.back());
  for (std::uint32_t row = 0; row < index_.size(); ++row)
    if (sink_[row]) each_activation(row, [&](std::uint32_t node) { activated_[first_[node + 1]++] = row; });
  first_.pop_back();
}

/// The components that a row of a sink reads.
template <class Visit>
void DiscreteSinks::each_component(const Dependency& dependency, std::uint32_t row,
                                   const Visit& visit) const {
  index_.each_read(row, [&](std::uint32_t node) {
    for (const std::uint32_t writer : index_.writers(node)) {
      if (dependency.component[writer] == Dependency::kSink) break;  // so are all
      if (dependency.component[writer] < dependency.components) visit(dependency.component[writer]);
    }
  });
}

void DiscreteSinks::dissolve(std::uint32_t row) {
  const std::uint32_t group = group_[row];
  if (group == kNone || dissolved_[group]) return;
  dissolved_[group] = 1;
  --count_;
}

bool DiscreteSinks::dissolve(const Dependency& dependency, std::span<const std::uint8_t> alone) {
  std::vector<std::uint32_t> first(dissolved_.size(), kNone);  // by group: the first component that it reads
  std::vector<std::uint8_t> several(dissolved_.size(), 0);
  const std::uint32_t before = count_;
  for (std::uint32_t row = 0; row < index_.size(); ++row) {
    if (!sink_[row]) continue;
    each_component(dependency, row, [&](std::uint32_t component) {
      std::uint32_t& known = first[group_[row]];
      if (known == kNone) known = component;
      if (known != component) several[group_[row]] = 1;
      if (!alone[component]) dissolve(row);
    });
  }
  for (std::uint32_t row = 0; row < index_.size(); ++row)
    if (sink_[row] && !several[group_[row]]) dissolve(row);
  for (std::uint32_t row = 0; row < index_.size(); ++row)
    if (sink_[row] && dissolved_[group_[row]]) sink_[row] = 0;
  return count_ < before;
}

std::vector<std::uint8_t> DiscreteSinks::read_components(const Dependency& dependency) const {
  std::vector<std::uint8_t> read(dependency.components, 0);
  for (std::uint32_t row = 0; row < index_.size(); ++row)
    if (sink_[row]) each_component(dependency, row, [&](std::uint32_t component) { read[component] = 1; });
  return read;
}

bool DiscreteSinks::activate(std::vector<std::uint32_t>& rows, std::size_t most) {
  if (!any()) return true;
  ++clock_;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows.size() > most) return false;
    index_.each_written(rows[k], [&](std::uint32_t node) {
      for (std::uint32_t at = first_[node]; at < first_[node + 1]; ++at) {
        const std::uint32_t row = activated_[at];
        if (!sink_[row] || stamp_[row] == clock_) continue;
        stamp_[row] = clock_;
        rows.push_back(row);
      }
    });
  }
  return rows.size() <= most;
}

}  // namespace runtime
