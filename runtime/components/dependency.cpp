#include "runtime/components/dependency.h"

#include <algorithm>
#include <numeric>

#include "runtime/components/union_find.h"

namespace runtime {

namespace {

constexpr int kMostPasses = 100;

}  // namespace

std::vector<std::uint8_t> dependent_nodes(const RowIndex& rows) {
  std::vector<std::uint8_t> dependent(rows.nodes(), 0);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool changed = false;
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
      bool depends = rows.section_of(row).kind == RowIndex::Kind::State;
      if (!depends) rows.each_read(row, [&](std::uint32_t node) { depends = depends || dependent[node]; });
      if (!depends) continue;
      rows.each_written(row, [&](std::uint32_t node) {
        changed = changed || !dependent[node];
        dependent[node] = 1;
      });
    }
    if (!changed) return dependent;
  }
  return {};
}

Dependency::Dependency(const RowIndex& index, std::span<const std::uint8_t> dependent,
                       std::span<const std::uint8_t> sinks) {
  UnionFind sets(index.nodes());
  component.assign(index.size(), kShared);  // here: a node of the row
  for (std::uint32_t row = 0; row < index.size(); ++row) {
    if (sinks[row]) continue;
    auto connect = [&](std::uint32_t node) {
      if (!dependent[node]) return;
      if (component[row] == kShared) component[row] = node;
      sets.unite(component[row], node);
    };
    index.each_written(row, connect);
    index.each_read(row, connect);
  }
  std::vector<std::uint32_t> number(index.nodes(), kNone);
  for (std::uint32_t& c : component) {
    if (c == kShared) continue;
    std::uint32_t& n = number[sets.find(c)];
    if (n == kNone) n = components++;
    c = n;
  }
  first.assign(std::size_t{components} + 1, 0);
  for (const std::uint32_t c : component)
    if (c != kShared) ++first[c + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  rows.resize(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - (components > 0 ? 1 : 0));
  for (std::uint32_t row = 0; row < index.size(); ++row)
    if (component[row] != kShared) rows[next[component[row]]++] = row;
  for (std::uint32_t row = 0; row < index.size(); ++row)
    if (sinks[row]) component[row] = kSink;
}

namespace {

/// How the rows of a batch vary, by how what they read does.
class BatchVariation {
 public:
  BatchVariation(const RowIndex& rows, const std::vector<Variation::Kind>& node)
      : model_(rows.model()), node_(node) {}

  Variation::Kind of(const KernelBatch& batch, std::uint32_t row) const {
    Variation::Kind kind = Variation::Constant;
    if (batch.kernel == kNone) {
      const SumTable sums(model_, batch);
      for (std::uint32_t k = sums.offsets[row]; k < sums.offsets[row + 1]; ++k)
        if (batch.role != Role::Solve || k - sums.offsets[row] != sums.positions[row])
          kind = std::max(kind, node_[sums.terms[k] >> 1]);
      return kind;
    }
    const Linearity* linearity = linearity_of(batch.kernel);
    if (!linearity || linearity->reads_time) return Variation::Other;
    for (const std::uint32_t slot : linearity->reads)
      kind = std::max(kind, node_[slot_variable(model_, batch, slot, row)]);
    if (kind != Variation::Affine) return kind;
    const bool product = std::ranges::any_of(linearity->products, [&](const Linearity::Product& p) {
      return varies(batch, p.slot, row) && varies(batch, p.other, row);
    });
    return product ? Variation::Other : Variation::Affine;
  }

  /// The factors of continuous variables.
  template <class Visit>
  void each_factor(const KernelBatch& batch, std::uint32_t kernel, std::uint32_t row,
                   const Visit& visit) const {
    const Linearity* linearity = kernel == kNone ? nullptr : linearity_of(kernel);
    if (!linearity) return;
    for (const Linearity::Product& p : linearity->products) {
      const bool first = varies(batch, p.slot, row), second = varies(batch, p.other, row);
      if (first != second) visit(slot_variable(model_, batch, first ? p.other : p.slot, row));
    }
  }

 private:
  const Linearity* linearity_of(std::uint32_t kernel) const {
    if (model_.linearity.empty() || model_.linearity[kernel].unknown) return nullptr;
    return &model_.linearity[kernel];
  }
  bool varies(const KernelBatch& batch, std::uint32_t slot, std::uint32_t row) const {
    return node_[slot_variable(model_, batch, slot, row)] != Variation::Constant;
  }

  const Model& model_;
  const std::vector<Variation::Kind>& node_;
};

bool is_evaluated(RowIndex::Kind kind) {
  return kind == RowIndex::Kind::Dynamic || kind == RowIndex::Kind::Compared ||
         kind == RowIndex::Kind::Asserted;
}

}  // namespace

Variation::Variation(const RowIndex& rows) : row(rows.size(), Constant), node(rows.nodes(), Constant) {
  using Section = RowIndex::Section;
  const Model& model = rows.model();
  const BatchVariation variation(rows, node);
  /// Its unknowns are affine in what it reads if all of its equations are.
  auto of_loop = [&](const AlgebraicLoop& loop, std::uint32_t number) {
    Kind read = Constant;
    rows.each_written(number, [&](std::uint32_t n) { node[n] = Constant; });
    rows.each_read(number, [&](std::uint32_t n) { read = std::max(read, node[n]); });
    if (read == Other) return Other;
    rows.each_written(number, [&](std::uint32_t n) { node[n] = read; });
    for (const KernelBatch& batch : loop_batches(model, loop))
      for (std::uint32_t k = 0; k < batch.count; ++k)
        if (variation.of(batch, k) == Other) return Other;
    return read;
  };
  for (const Delay& delay : model.delays) node[delay.variable] = Other;
  for (const State& state : model.states) node[state.variable] = Affine;
  // Schedules are in the order of evaluation, and what events write is constant: one pass.
  for (const Section& section : rows.sections())
    for (std::uint32_t k = 0; k < section.rows; ++k) {
      const std::uint32_t number = section.first + k;
      switch (section.kind) {
        case RowIndex::Kind::Dynamic:
        case RowIndex::Kind::Compared:
        case RowIndex::Kind::Asserted:
        case RowIndex::Kind::Crossing:
        case RowIndex::Kind::Condition:
        case RowIndex::Kind::Assertion:
          row[number] = section.loop ? of_loop(model.loops[section.index], number)
                                     : variation.of(rows.batch_of(section), k);
          break;
        case RowIndex::Kind::Delay: row[number] = Other; break;
        case RowIndex::Kind::State:
        case RowIndex::Kind::Value:  // evaluated at events only
        case RowIndex::Kind::Previous:
        case RowIndex::Kind::Clock:
        case RowIndex::Kind::Alternative: break;
      }
      if (is_evaluated(section.kind))
        rows.each_written(number, [&](std::uint32_t n) { node[n] = std::max(node[n], row[number]); });
    }
  for (const Section& section : rows.sections())
    for (std::uint32_t k = 0; section.kind == RowIndex::Kind::State && k < section.rows; ++k)
      row[section.first + k] = node[model.states[k].derivative];
}

std::vector<std::uint32_t> coefficient_nodes(const RowIndex& rows, const Variation& variation) {
  const Model& model = rows.model();
  const BatchVariation batches(rows, variation.node);
  std::vector<std::uint32_t> found;
  auto add = [&](const KernelBatch& batch, std::uint32_t row) {
    auto factor = [&](std::uint32_t node) { found.push_back(node); };
    batches.each_factor(batch, batch.kernel, row, factor);
    batches.each_factor(batch, batch.residual, row, factor);
    for (std::uint32_t k = 0; batch.kernel != kNone && k < batch.params; ++k)
      found.push_back(rows.parameter_node(slot_variable(model, batch, batch.slots + k, row)));
  };
  for (const RowIndex::Section& section : rows.sections()) {
    if (!is_evaluated(section.kind) && section.kind != RowIndex::Kind::Crossing) continue;
    for (std::uint32_t row = 0; row < section.rows; ++row) {
      if (variation.row[section.first + row] != Variation::Affine) continue;
      if (!section.loop) {
        add(rows.batch_of(section), row);
        continue;
      }
      for (const KernelBatch& batch : loop_batches(model, model.loops[section.index]))
        for (std::uint32_t k = 0; k < batch.count; ++k) add(batch, k);
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace runtime
