// Results of earlier runs in memory, for `sigrel plot` and `sigrel diff`.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::session {

struct ResultTable {
  std::string path;
  std::vector<std::string> known;                // all names of the file
  std::vector<std::string> names, descriptions;  // of the columns that were wanted
  std::vector<double> times;
  std::vector<std::vector<double>> columns;  // by name, one number per time

  /// A Bool or an Int: as the file says it, or as its numbers look where it says nothing.
  bool piecewise_constant(std::size_t column) const;
};

/// The columns that `wanted` says yes to. Nullopt after an error.
std::optional<ResultTable> read_results(const std::string& path,
                                        const std::function<bool(std::string_view)>& wanted,
                                        Diagnostics& diagnostics);

/// Reports each pattern (`*` stands for any characters) that matches no name of any of the tables.
void check_patterns(std::span<const std::string> patterns, std::span<const ResultTable> tables,
                    Diagnostics& diagnostics);

}  // namespace sigrel::session
