// Changes of the rows of a system: removal, and rows that become sums.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/incidence/ids.h"
#include "compiler/ir/dae.h"

namespace sigrel::reduce {

/// Of a sum that replaces an equation, where a coefficient c counts as |c| terms.
constexpr std::int64_t kMostTerms = 64;

/// The coefficients of a residual `Σ c s` with integers c; nullopt where it is not of that form.
std::optional<std::vector<std::int64_t>> integer_coefficients(ExprPool& pool, const EquationTable& table);

/// Adds a row to the table of its shape, which it adds if there is none.
void add_row(Equations& equations, ExprId residual, std::span<const std::uint32_t> unknowns,
             std::span<const std::uint32_t> parameters, Origin origin);
void add_sum(SumTable& sums, std::span<const Term> terms, Origin origin);
/// Removes rows, and tables without rows.
void remove_equations(Equations& equations, const IdVector<EquationId, bool>& removed);

}  // namespace sigrel::reduce
