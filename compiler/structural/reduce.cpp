// The rules in their order: cheap ones first, and again from the start whenever one has changed something. Every rule but
// K9 on the maximal presentation deletes an edge, a row or a column; that one deletes a hidden column. So it ends.
#include <algorithm>

#include "compiler/structural/admissible.h"
#include "compiler/structural/canonical_order.h"
#include "compiler/structural/dominance.h"
#include "compiler/structural/kernel.h"
#include "compiler/structural/merge.h"
#include "compiler/structural/presentation.h"
#include "compiler/structural/surplus.h"
#include "compiler/structural/transversal.h"

namespace sigrel::structural {
namespace {

/// The kernel as it comes out, part by part.
class Collector {
 public:
  explicit Collector(std::uint32_t interface) { result_.interface = interface; }

  void coloop(std::uint32_t column) { rows_.push_back({{column}, {}}); }
  template <unsigned W>
  void part(const Dense<W>& d) {
    std::vector<std::uint32_t> name(d.adjacent[kColumn].size());
    for (unsigned c : d.visible()) name[c] = d.label[c];
    for (unsigned c : d.hidden()) name[c] = result_.hidden++;
    for (unsigned r : d.live[kRow]) {
      Row& row = rows_.emplace_back();
      for (unsigned c : d.row(r)) (c < d.interface ? row.visible : row.hidden).push_back(name[c]);
    }
  }
  Kernel kernel() {
    std::ranges::stable_sort(rows_, [](const Row& a, const Row& b) { return shown_first(a.visible, b.visible); });
    std::vector<std::uint32_t> number(result_.hidden, graph::kNone);
    std::uint32_t next = result_.interface;
    graph::Bipartite& rows = result_.rows;
    rows.columns = result_.columns();
    for (Row& row : rows_) {
      for (std::uint32_t& h : row.hidden) {
        if (number[h] == graph::kNone) number[h] = next++;
        h = number[h];
      }
      std::ranges::sort(row.hidden);
      rows.targets.insert(rows.targets.end(), row.visible.begin(), row.visible.end());
      rows.targets.insert(rows.targets.end(), row.hidden.begin(), row.hidden.end());
      rows.end_row();
    }
    return Kernel(result_);
  }

 private:
  struct Row {
    std::vector<std::uint32_t> visible, hidden;
  };
  static bool shown_first(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    auto [i, j] = std::ranges::mismatch(a, b);
    if (i == a.end()) return false;
    return j == b.end() || *i < *j;
  }

  Incidence result_;
  std::vector<Row> rows_;
};

/// K1 to K4 until none applies. They are cheap on anything.
template <unsigned W>
void close_small(Dense<W>& d, Collector& out) {
  do {
    for (unsigned c : keep_admissible(d)) out.coloop(d.label[c]);
  } while (merge_small(d));
}

template <unsigned W>
void reduce_core(Dense<W> d, const Limits& limits, Collector& out) {
  while (true) {
    if (d.hidden().none()) break;
    if (drop_dominated(d)) { close_small(d, out); continue; }
    unsigned columns = d.live[kColumn].count();
    if (columns <= limits.surplus_columns && (merge_rows_of_tight_sets(d) || merge_columns_of_tight_sets(d))) {
      close_small(d, out);
      continue;
    }
    if (columns <= limits.presentation_columns && (thin_hidden(d) || drop_dominated_when_maximal(d))) {
      close_small(d, out);
      continue;
    }
    break;
  }
  for (Dense<W>& part : connected_parts(d)) {
    if (part.hidden().any() && part.visible().count() <= limits.transversal_interface)
      if (std::optional<Dense<W>> form = transversal_form(part)) part = std::move(*form);
    if (part.hidden().none()) make_sparse(part);
    out.part(part);
  }
}

/// `d` is closed under K1 to K4.
template <unsigned W>
void reduce_small(const Dense<W>& d, const Limits& limits, Collector& out) {
  Order order = canonical_order(d);
  unsigned columns = d.live[kColumn].count();
  if (columns <= 64) reduce_core(compacted<1>(d, order), limits, out);
  else if (columns <= 128) reduce_core(compacted<2>(d, order), limits, out);
  else reduce_core(compacted<8>(d, order), limits, out);
}

template <unsigned W>
Dense<W> load(const Incidence& incidence) {
  Dense<W> d = dense_of<W>(incidence.interface, incidence.hidden, incidence.rows.rows());
  for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r)
    for (std::uint32_t c : incidence.rows.row(r)) d.insert(r, c);
  return d;
}

template <unsigned W>
void reduce_loaded(const Incidence& incidence, const Limits& limits, Collector& out) {
  Dense<W> d = load<W>(incidence);
  close_small(d, out);
  reduce_small(d, limits, out);
}

}  // namespace

Kernel reduce(const Incidence& incidence, const Limits& limits) {
  Collector out(incidence.interface);
  std::uint32_t columns = incidence.columns();
  if (columns <= 64) reduce_loaded<1>(incidence, limits, out);
  else if (columns <= 128) reduce_loaded<2>(incidence, limits, out);
  else if (columns <= 512) reduce_loaded<8>(incidence, limits, out);
  return out.kernel();
}

}  // namespace sigrel::structural
