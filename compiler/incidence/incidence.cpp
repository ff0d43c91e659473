#include "compiler/incidence/incidence.h"

#include "compiler/symbolic/symbolic.h"
#include "compiler/symbolic/work_pool.h"

namespace sigrel::incidence {

void EquationList::append(const EquationTable& table) {
  sections_.push_back({&table, nullptr, EquationId{count()}, static_cast<std::uint32_t>(table.rows())});
}

void EquationList::append(const Equations& equations) {
  for (const EquationTable& table : equations.tables) append(table);
  const auto rows = static_cast<std::uint32_t>(equations.sums.rows());
  sections_.push_back({nullptr, &equations.sums, EquationId{count()}, rows});
}

std::size_t EquationList::entries() const {
  std::size_t n = 0;
  for (const Section& s : sections_) n += s.table ? s.table->unknowns.size() : s.sums->terms.size();
  return n;
}

graph::TableGraph EquationList::graph(std::uint32_t columns) const {
  static_assert(sizeof(Term) == sizeof(std::uint32_t));
  graph::TableGraph graph(columns);
  for (const Section& s : sections_) {
    if (s.table)
      graph.add(s.rows, s.table->slots, s.table->unknowns.data());
    else if (const std::vector<Term>& terms = s.sums->terms; terms.empty())
      graph.add(s.rows, s.sums->offsets.data(), nullptr, 1);
    else
      graph.add(s.rows, s.sums->offsets.data(), &terms[0].code, 1);
  }
  return graph;
}

Origin EquationList::origin(EquationId equation) const {
  const Section& s = section(equation);
  return (s.table ? s.table->origins : s.sums->origins)[s.row_of(equation)];
}

namespace {

template <class Selected>
graph::Bipartite build(const EquationList& equations, std::uint32_t columns,
                       std::span<const std::uint32_t> column_of, Selected selected) {
  graph::Bipartite g;
  g.columns = columns;
  g.offsets.reserve(equations.count() + 1);
  g.targets.reserve(equations.entries());
  auto put = [&](std::uint32_t v) {
    std::uint32_t c = column_of.empty() ? v : column_of[v];
    if (c != graph::kNone) g.targets.push_back(c);
  };
  for (SectionId number : ids<SectionId>(0, equations.sections().size())) {
    const EquationList::Section& s = equations.sections()[number];
    for (std::uint32_t row = 0; row < s.rows; ++row) {
      if (s.table) {
        auto unknowns = s.table->unknowns_of(row);
        for (std::uint32_t k = 0; k < unknowns.size(); ++k)
          if (selected(number, k)) put(unknowns[k]);
      } else {
        for (Term t : s.sums->terms_of(row)) put(t.unknown());
      }
      g.end_row();
    }
  }
  return g;
}

}  // namespace

graph::Bipartite incidence(const EquationList& equations, std::uint32_t columns,
                           std::span<const std::uint32_t> column_of) {
  return build(equations, columns, column_of, [](SectionId, std::uint32_t) { return true; });
}

graph::Bipartite determining_incidence(ExprPool& pool, const EquationList& equations, std::uint32_t columns,
                                       std::span<const std::uint32_t> column_of) {
  IdVector<SectionId, std::vector<bool>> determines(equations.sections().size());
  symbolic::WorkPool of_one(pool);
  for (SectionId s : ids<SectionId>(0, determines.size())) {
    const EquationTable* table = equations.sections()[s].table;
    if (!table) continue;
    ExprId residual = table->residual;
    ExprPool& work = of_one.begin(residual);
    for (ExprId partial : symbolic::gradient(work, residual, table->slots)) {
      const Node& n = work[partial];
      determines[s].push_back(n.op != Op::Const || n.value != 0);
    }
  }
  return build(equations, columns, column_of, [&](SectionId s, std::uint32_t k) { return determines[s][k]; });
}

}  // namespace sigrel::incidence
