// Result files in memory, for `sigrel plot` and `sigrel diff`.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "runtime/results/trajectory.h"

namespace sigrel::session {

struct ResultTable {
  std::string path;
  std::vector<std::string> known;                // all names in the file
  std::vector<std::string> names, descriptions;  // of the columns that were read
  std::vector<double> times;
  std::vector<std::vector<double>> columns;  // by name; one value per time

  /// Whether a column is a Bool or an Int: by its description, or by its values if it has none.
  bool piecewise_constant(std::size_t column) const;
};

/// Reads the columns for which `wanted` returns true. Nullopt after an error.
std::optional<ResultTable> read_results(const std::string& path,
                                        const std::function<bool(std::string_view)>& wanted,
                                        Diagnostics& diagnostics);

runtime::Trajectory trajectory_of(const ResultTable& table);

/// Reports the patterns (`*` matches any characters) that match no name in any of the tables.
void check_patterns(std::span<const std::string> patterns, std::span<const ResultTable> tables,
                    Diagnostics& diagnostics);

}  // namespace sigrel::session
