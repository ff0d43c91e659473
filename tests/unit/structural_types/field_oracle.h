// Linear algebra with random coefficients: what structure says is what nearly every choice of numbers says.
#pragma once
#include "compiler/exact/prime_field.h"
#include "random_definitions.h"

namespace field_oracle {

using random_definitions::Dice, random_definitions::Variables;
using sigrel::exact::Field, sigrel::structural_types::Incidence;
using Matrix = std::vector<std::vector<Field>>;

/// A random number for every entry of the system.
inline Matrix random_matrix(Dice& dice, const Incidence& incidence) {
  Matrix matrix(incidence.rows.rows(), std::vector<Field>(incidence.columns()));
  for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r)
    for (std::uint32_t c : incidence.rows.row(r)) matrix[r][c] = Field::from_bits(dice.engine()());
  return matrix;
}

inline std::uint32_t rank_of(Matrix m, const Variables& columns) {
  std::uint32_t rank = 0;
  for (std::uint32_t c : columns) {
    std::uint32_t pivot = rank;
    while (pivot < m.size() && m[pivot][c].zero()) ++pivot;
    if (pivot == m.size()) continue;
    std::swap(m[rank], m[pivot]);
    Field inverse = m[rank][c].inverse();
    for (std::uint32_t r = rank + 1; r < m.size(); ++r) {
      if (m[r][c].zero()) continue;
      Field factor = m[r][c] * inverse;
      for (std::uint32_t k : columns) m[r][k] = m[r][k] - factor * m[rank][k];
    }
    ++rank;
  }
  return rank;
}

inline Variables numbers(std::uint32_t first, std::uint32_t last) {
  Variables list;
  for (std::uint32_t v = first; v < last; ++v) list.push_back(v);
  return list;
}

/// Whether the hidden columns are independent, and all rows.
inline bool regular(const Matrix& matrix, const Incidence& flat) {
  return rank_of(matrix, numbers(flat.interface, flat.columns())) == flat.hidden &&
         rank_of(matrix, numbers(0, flat.columns())) == flat.rows.rows();
}

}  // namespace field_oracle
