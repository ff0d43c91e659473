#include "compiler/singularity/null_space.h"

#include <algorithm>

#include "compiler/exact/null_space.h"
#include "compiler/graph/bipartite.h"
#include "compiler/incidence/incidence.h"
#include "compiler/singularity/random_jacobian.h"

namespace sigrel::singularity {
namespace {

std::vector<exact::SparseRow> matrix(const dae::System& dae, std::span<const EquationId> equations,
                                     std::span<const VariableId> variables) {
  IdVector<VariableId, std::uint32_t> column(dae.variables.size(), graph::kNone);
  for (std::uint32_t c = 0; c < variables.size(); ++c) column[variables[c]] = c;
  IdVector<VariableId, exact::Field> scale(dae.variables.size(), exact::Field(1));
  const exact::Field s = exact::random_element(exact::Coordinate::Rate, 0);
  for (VariableId v : ids<VariableId>(0, column.size())) {  // a derivative is s times its integral
    if (dae.variables[v.value].integral == dae::kNone) continue;
    const VariableId integral{dae.variables[v.value].integral};
    column[v] = column[integral];
    scale[v] = s * scale[integral];
  }
  incidence::EquationList list;
  list.append(dae.equations);
  ExprPool pool = dae.exprs;
  RandomJacobian jacobian(pool, list);
  std::vector<exact::SparseRow> rows;
  for (EquationId e : equations) {
    exact::SparseRow row;
    jacobian.row(e, [&](VariableId v, exact::Field value, bool) {
      if (column[v] != graph::kNone) row.push_back({column[v], value * scale[v]});
    });
    exact::tidy(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::optional<std::vector<NullVector>> null_vectors(const dae::System& dae,
                                                    std::span<const EquationId> equations,
                                                    std::span<const VariableId> variables) {
  constexpr std::size_t kMostWork = 50'000'000, kMostVectors = 256;
  const auto columns = static_cast<std::uint32_t>(variables.size());
  auto echelon = exact::eliminate(matrix(dae, equations, variables), columns, kMostWork);
  if (!echelon) return std::nullopt;
  std::vector<NullVector> result;
  for (const exact::SparseRow& entries : exact::null_space(*echelon, columns, kMostVectors)) {
    NullVector& vector = result.emplace_back();
    vector.unit = true;
    for (const exact::Entry& e : entries) {
      vector.opposite.push_back(e.value != entries.front().value);
      vector.variables.push_back(variables[e.column]);
      vector.unit = vector.unit && (e.value == exact::Field(1) || e.value == exact::Field(-1));
    }
  }
  return result;
}

}  // namespace sigrel::singularity
