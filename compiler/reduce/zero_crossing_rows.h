// The rows of all zero crossings of a system, by what they watch: the same comparison in several equations is
// one zero crossing. If each had a value of its own, the two equations of an ideal diode
//
//   u = if s > 0 then 0 else s
//   i = if s > 0 then s else 0
//
// could read different values while event iteration changes one comparison at a time.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/ir/dae.h"

namespace sigrel::reduce {

class ZeroCrossingRows {
 public:
  using Kind = runtime::ZeroCrossing::Kind;
  /// What a row watches: an argument over variables and parameters.
  struct Row {
    ExprId argument;
    bool strict = false;
    Kind kind = runtime::ZeroCrossing::Comparison;
    std::span<const std::uint32_t> variables, parameters;
  };

  explicit ZeroCrossingRows(dae::System& dae) : dae_(dae) {}

  /// The number of the row that watches the same, or kMissing.
  std::uint32_t find(const Row& row) const;
  /// The same; if there is none, appends the row to the last zero crossing of the system, which has the
  /// argument, strictness and kind of the row.
  std::uint32_t find_or_append(const Row& row, Origin origin);

  /// Parameter j that a row holds: first + j * stride. Valid when its zero crossing has all its rows.
  struct Held {
    std::uint32_t first = 0, stride = 0;
  };
  Held held(std::uint32_t number) const;

  static constexpr std::uint32_t kMissing = IndexTable::kMissing;

 private:
  struct Place {
    std::uint32_t zero_crossing = 0, row = 0;
  };
  static std::uint64_t hash(const Row& row);
  Row row(std::uint32_t number) const;
  bool same(const Row& row, std::uint32_t number) const;

  dae::System& dae_;
  std::vector<Place> places_;  // by number
  IndexTable index_;
};

}  // namespace sigrel::reduce
