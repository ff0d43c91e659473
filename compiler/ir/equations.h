// Equations as shapes and tables, shared by system::System and dae::System.
//
// A shape is one residual expression F(slots, params, time) = 0; its table has one row per equation of that
// shape: the unknown of every slot and the parameter of every parameter slot. A million resistors are one
// shape and a million rows. A sum is an equation `± u1 ± u2 … = 0`; its arity is data, so sums are not shapes
// but an index list.
//
// Equations are numbered densely: the rows of table 0, of table 1, …, then the sums.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/base/ids.h"
#include "compiler/ir/expr.h"
#include "compiler/ir/origins.h"

namespace sigrel {

struct EquationTable {
  ExprId residual;
  std::uint32_t slots = 0;                // per row
  std::uint32_t params = 0;               // per row
  std::vector<std::uint32_t> unknowns;    // rows * slots, row-major
  std::vector<std::uint32_t> parameters;  // rows * params, row-major
  Origins origins;                        // rows
  std::vector<std::uint32_t> tags;        // rows of conditions and assigned values: trigger or assignment

  std::size_t rows() const { return origins.size(); }
  std::span<const std::uint32_t> unknowns_of(std::size_t row) const {
    return {unknowns.data() + row * slots, slots};
  }
  std::span<const std::uint32_t> parameters_of(std::size_t row) const {
    return {parameters.data() + row * params, params};
  }
};

/// A term of a sum: the unknown and its sign in one word.
struct Term {
  std::uint32_t code = 0;
  static Term of(std::uint32_t unknown, bool negative) { return {unknown << 1 | (negative ? 1u : 0u)}; }
  std::uint32_t unknown() const { return code >> 1; }
  bool negative() const { return code & 1; }
};

struct SumTable {
  std::vector<std::uint32_t> offsets{0};  // of each sum's first term; one more at the end
  std::vector<Term> terms;
  Origins origins;

  std::size_t rows() const { return origins.size(); }
  std::span<const Term> terms_of(std::size_t row) const {
    return {terms.data() + offsets[row], offsets[row + 1] - offsets[row]};
  }
};

struct Equations {
  std::vector<EquationTable> tables;
  SumTable sums;

  std::size_t count() const {
    std::size_t n = sums.rows();
    for (const EquationTable& t : tables) n += t.rows();
    return n;
  }
  /// Frees the contents of the rows; keeps their origins, and with them their number.
  void forget_rows() {
    for (EquationTable& t : tables) {
      t.unknowns = std::vector<std::uint32_t>();
      t.parameters = std::vector<std::uint32_t>();
    }
    sums.offsets = std::vector<std::uint32_t>(1, 0);
    sums.terms = std::vector<Term>();
  }
};

}  // namespace sigrel
