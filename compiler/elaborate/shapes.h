// The tables of the system that bodies add to: shapes of equations, sources of equations, constants.
#pragma once
#include <unordered_map>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/elaborate/blueprint.h"
#include "compiler/ir/system.h"

namespace sigrel::elaborate {

/// The tables that rows of a kind belong to.
Equations& equations_of(system::System& system, RowKind kind);

class Shapes {
 public:
  explicit Shapes(system::System& system) : system_(system) {}

  /// The table for the shape of a residual over `from`: the residual with slots and parameters numbered by
  /// first use. Appends the column of each slot and the parameter expression of each parameter.
  std::uint32_t table(const ExprPool& from, ExprId residual, RowKind kind, std::vector<ColumnRef>& columns,
                      std::vector<ExprId>& numbers);
  /// The index in System::sources.
  std::uint32_t source(system::EquationKind kind, Span span, LocalName component);
  /// One that no other equation has: of several iterations of a loop, say.
  std::uint32_t own_source(system::EquationKind kind, Span span, LocalName component) {
    system_.sources.push_back({kind, span, component});
    return static_cast<std::uint32_t>(system_.sources.size() - 1);
  }
  /// The parameter of the system with this constant value.
  std::uint32_t constant(double value);

 private:
  system::System& system_;
  std::unordered_map<ExprId, std::uint32_t> tables_[kRowKinds];  // by RowKind: residual -> table
  std::unordered_map<std::uint64_t, std::uint32_t> constants_;   // bits -> parameter
  IndexTable sources_;
  // Scratch of table(), by expression: the image of an expression is valid if its mark is the current epoch.
  std::vector<std::uint32_t> mark_, image_;
  std::uint32_t epoch_ = 0;
};

}  // namespace sigrel::elaborate
