// The rules in their order: cheap ones first, and again from the start whenever one has changed something.
// Every rule but K9 on the maximal presentation deletes an edge, a row or a column; that one deletes a hidden
// column. So it ends.
#include <algorithm>
#include <numeric>

#include "compiler/structural_types/admissible.h"
#include "compiler/structural_types/canonical_order.h"
#include "compiler/structural_types/cover.h"
#include "compiler/structural_types/dominance.h"
#include "compiler/structural_types/in_order.h"
#include "compiler/structural_types/merge.h"
#include "compiler/structural_types/presentation.h"
#include "compiler/structural_types/sparse.h"
#include "compiler/structural_types/structural_type.h"
#include "compiler/structural_types/surplus.h"
#include "compiler/structural_types/transversal.h"

namespace sigrel::structural_types {
namespace {

constexpr std::uint32_t kDense = 512;  // columns of the largest bit sets

/// The type as it comes out, part by part.
class Collector {
 public:
  explicit Collector(std::uint32_t interface) { result_.interface = interface; }

  void coloop(std::uint32_t column) { rows_.push_back({{column}, {}}); }
  void part(const Part& p) {
    for (std::uint32_t r = 0; r < p.incidence.rows.rows(); ++r) {
      Row& row = rows_.emplace_back();
      for (std::uint32_t c : p.incidence.rows.row(r))
        if (c < p.incidence.interface)
          row.visible.push_back(p.label[c]);
        else
          row.hidden.push_back(result_.hidden + c - p.incidence.interface);
    }
    result_.hidden += p.incidence.hidden;
  }
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
  StructuralType type() {
    std::ranges::stable_sort(rows_,
                             [](const Row& a, const Row& b) { return shown_first(a.visible, b.visible); });
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
    return StructuralType(result_);
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

/// One rule, the cheapest one that does something.
template <unsigned W>
bool apply_rule(Dense<W>& d, const Limits& limits) {
  if (drop_dominated(d)) return true;
  unsigned columns = d.live[kColumn].count();
  if (columns <= limits.surplus_columns && (merge_rows_of_tight_sets(d) || merge_columns_of_tight_sets(d)))
    return true;
  return columns <= limits.presentation_columns && (thin_hidden(d) || drop_dominated_when_maximal(d));
}

/// The rules from K5 on, for each connected part by itself. `d` is closed under K1 to K4.
template <unsigned W>
void reduce_core(const Dense<W>& d, const Limits& limits, Collector& out) {
  struct Work {
    Dense<W> part;
    unsigned not_transversal = 0;  // it was not when it had so many interface columns
  };
  std::vector<Work> work;
  for (Dense<W>& part : connected_parts(d)) work.push_back({std::move(part)});
  while (!work.empty()) {
    Work next = std::move(work.back());
    work.pop_back();
    const unsigned visible = next.part.visible().count();
    auto try_transversal = [&](unsigned limit) {
      if (visible > limit || visible == next.not_transversal) return false;
      std::optional<Dense<W>> form = transversal_form(next.part);
      if (form)
        next.part = std::move(*form);
      else
        next.not_transversal = visible;
      return form.has_value();
    };
    if (next.part.hidden().none() || try_transversal(limits.transversal_first)) {
    } else if (apply_rule(next.part, limits)) {
      close_small(next.part, out);
      for (Dense<W>& part : connected_parts(next.part))
        work.push_back({std::move(part), next.not_transversal});
      continue;
    } else {
      try_transversal(limits.transversal_interface);
    }
    if (next.part.hidden().none()) make_sparse(next.part);
    out.part(next.part);
  }
}

/// `d` is closed under K1 to K4.
template <unsigned W>
void reduce_small(const Dense<W>& d, const Limits& limits, Collector& out) {
  Order order = canonical_order(d);
  unsigned columns = d.live[kColumn].count();
  if (columns <= 64)
    reduce_core(compacted<1>(d, order), limits, out);
  else if (columns <= 128)
    reduce_core(compacted<2>(d, order), limits, out);
  else
    reduce_core(compacted<8>(d, order), limits, out);
}

template <unsigned W>
void reduce_loaded(const Part& part, const Limits& limits, Collector& out) {
  const Incidence& incidence = part.incidence;
  Dense<W> d = dense_of<W>(incidence.interface, incidence.hidden, incidence.rows.rows());
  d.label = part.label;
  for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r)
    for (std::uint32_t c : incidence.rows.row(r)) d.insert(r, c);
  close_small(d, out);
  reduce_small(d, limits, out);
}

/// K8 for a part that is too large for the other rules, as its canonical sparse form.
std::optional<Dense<1>> transversal_form(const Part& part, const Limits& limits) {
  const Incidence& system = part.incidence;
  if (system.interface > limits.transversal_interface ||
      std::uint64_t{system.columns()} << system.interface > limits.transversal_size)
    return std::nullopt;
  const graph::Bipartite columns = graph::transpose(system.rows);
  const graph::Matching matching = cover(system).matching;
  InOrder start(columns);
  for (std::uint32_t h = system.interface; h < system.columns(); ++h)
    start.place(h, matching.row_of_column[h]);
  auto rows = transversal_rows(
      ranks_of_subsets(system.interface, start, [](InOrder& m, unsigned k) { return m.add(k); }));
  if (!rows) return std::nullopt;
  Dense<1> form = dense_of<1>(system.interface, 0, static_cast<std::uint32_t>(rows->size()));
  form.label = part.label;
  for (unsigned r = 0; r < rows->size(); ++r)
    for (unsigned k = 0; k < system.interface; ++k)
      if ((*rows)[r] >> k & 1) form.insert(r, k);
  make_sparse(form);
  return form;
}

void reduce_part(const Part& part, const Limits& limits, Collector& out) {
  std::uint32_t columns = part.incidence.columns();
  if (columns <= 64)
    reduce_loaded<1>(part, limits, out);
  else if (columns <= 128)
    reduce_loaded<2>(part, limits, out);
  else if (columns <= kDense)
    reduce_loaded<8>(part, limits, out);
  else if (std::optional<Dense<1>> form = transversal_form(part, limits))
    out.part(*form);
  else
    out.part(part);
}

}  // namespace

StructuralType reduce(const Incidence& incidence, const Limits& limits) {
  Collector out(incidence.interface);
  if (incidence.columns() <= kDense) {
    Part whole{incidence, std::vector<std::uint32_t>(incidence.interface)};
    std::iota(whole.label.begin(), whole.label.end(), 0u);
    reduce_part(whole, limits, out);
  } else {
    std::vector<std::uint32_t> coloops;
    Part core = close_sparse(incidence, coloops);
    for (std::uint32_t c : coloops) out.coloop(c);
    for (const Part& part : connected_parts(core)) reduce_part(part, limits, out);
  }
  return out.type();
}

}  // namespace sigrel::structural_types
