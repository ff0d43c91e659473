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

Variation::Variation(const RowIndex& rows) : row(rows.size(), Constant) {
  using Section = RowIndex::Section;
  const Model& model = rows.model();
  std::vector<Kind> node(rows.nodes(), Constant);
  auto of_batch = [&](const KernelBatch& batch, std::uint32_t number) {
    Kind kind = Constant;
    if (batch.kernel == kNone) {
      rows.each_read(number, [&](std::uint32_t n) { kind = std::max(kind, node[n]); });
      return kind;
    }
    if (model.linearity.empty() || model.linearity[batch.kernel].unknown) return Other;
    const Linearity& linearity = model.linearity[batch.kernel];
    if (linearity.reads_time) return Other;
    const std::uint32_t at = number - rows.section_of(number).first;
    auto varies = [&](std::uint32_t slot) { return node[slot_variable(model, batch, slot, at)] != Constant; };
    for (const std::uint32_t slot : linearity.reads)
      kind = std::max(kind, node[slot_variable(model, batch, slot, at)]);
    if (kind != Affine) return kind;
    const bool product = std::ranges::any_of(
        linearity.products, [&](const Linearity::Product& p) { return varies(p.slot) && varies(p.other); });
    return product ? Other : Affine;
  };
  for (const Delay& delay : model.delays) node[delay.variable] = Other;
  // Schedules are in the order of evaluation, and what events write is constant: one pass.
  for (const Section& section : rows.sections())
    for (std::uint32_t k = 0; k < section.rows; ++k) {
      const std::uint32_t number = section.first + k;
      switch (section.kind) {
        case RowIndex::Kind::State: row[number] = Affine; break;
        case RowIndex::Kind::Dynamic:
        case RowIndex::Kind::Compared:
        case RowIndex::Kind::Asserted:
        case RowIndex::Kind::Crossing:
        case RowIndex::Kind::Condition:
        case RowIndex::Kind::Assertion:
          row[number] = section.loop ? Other : of_batch(rows.batch_of(section), number);
          break;
        case RowIndex::Kind::Delay: row[number] = Other; break;
        case RowIndex::Kind::Value:  // evaluated at events only
        case RowIndex::Kind::Previous:
        case RowIndex::Kind::Clock:
        case RowIndex::Kind::Alternative: break;
      }
      const bool held = section.kind == RowIndex::Kind::Crossing ||
                        section.kind == RowIndex::Kind::Condition || row[number] == Constant;
      if (!held)
        rows.each_written(number, [&](std::uint32_t n) { node[n] = std::max(node[n], row[number]); });
    }
}

}  // namespace runtime
