// Columns of results by name: from the names of the source to variables of the runtime. Every variable of the
// source has a column; an eliminated one is another variable, its negative, or zero.
//
// The names are hierarchical: `r1.u`, the interface of a labelled instance `c1.p.v`, and the time derivative
// of a state `der(c1.u)`. They are built on demand. A label that repeats more than three times, as in
// recursive relations, is written once: `rest^1000.c.u`.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "runtime/results/output.h"

namespace sigrel::pipeline {

struct Compiled;
class Structures;

/// Columns and their names; both vectors have the same length.
struct Columns {
  std::vector<std::string> names;
  std::vector<runtime::Column> columns;

  void add(std::string name, runtime::Column column);
  std::size_t size() const { return names.size(); }
};

class Results {
 public:
  /// A model with at most this many names records all of them by default, and states that have no name of
  /// their own, such as `der(x)`; a larger one records its states, or this many names if it has none.
  static constexpr std::size_t kSmall = 1000;

  Results(const system::System& system, const dae::System& dae)
      : system_(system), dae_(dae), names_(system) {}
  /// `select` finds names of later modes, too: they have no value in this one.
  explicit Results(const Compiled& model);

  std::optional<runtime::Column> find(std::string_view name) const;
  Columns by_default() const;
  Columns states() const;
  /// The columns of variables of the reduced system.
  Columns named(std::span<const std::uint32_t> variables) const;
  /// The columns that match the patterns (`matches`), in order, each once. Reports patterns
  /// without a match; `what` is the setting or option that gave them ("plot", "outputs"), `spans` are their
  /// source locations, if known.
  Columns select(std::span<const std::string> patterns, std::string_view what,
                 std::span<const std::optional<Span>> spans, Diagnostics& diagnostics) const;

  /// One per column: "Bool", "Int", the constructors of a data type ("Off | Run"), the unit in brackets, or
  /// empty.
  std::vector<std::string> descriptions(const Columns& columns) const;
  /// The parameters with their values: those of all instances of a small model; those of the main relation
  /// and those that were set of a large one. Names of columns are left out.
  std::vector<runtime::Constant> constants(std::span<const double> parameters, const Columns& columns) const;

  std::size_t count() const;
  /// Visits every name with its column, in the order of the instances, then the derivatives of the states,
  /// until `visit` returns false.
  void each(const std::function<bool(std::string name, runtime::Column)>& visit) const;

 private:
  runtime::Column column(std::uint32_t unknown) const;
  std::vector<std::string> later_names(const std::string& pattern) const;

  const system::System& system_;
  const dae::System& dae_;
  mutable system::Names names_;  // caches lookups
  const Compiled* model_ = nullptr;
};

/// The unknowns that match the patterns; a pattern without a match is ignored.
std::vector<std::uint32_t> matching_unknowns(const system::System& system,
                                             std::span<const std::string> patterns);
/// The names that match the pattern, with derivatives of these; and the description of one of them.
std::vector<std::string> matching_names(const system::System& system, const std::string& pattern);
std::string description_of(const system::System& system, std::string_view name);
/// Whether `pattern`, in which `*` matches any characters, matches the whole name, or is that of a vector of
/// which `name` is an element: `v` matches `v[1]`, `der(v)` matches `der(v[1])`, and `s*.w` matches
/// `s1.w[1]`.
bool matches(std::string_view pattern, std::string_view name);

/// Whether a description is that of a Bool, an Int or a data type.
bool is_piecewise_constant(std::string_view description);
/// The description of a signal: see Results::descriptions. `unit`: its unit, or the constructors.
std::string description(system::SignalType type, std::string_view unit);
/// The names of the values 0, 1, … of a Bool or of the data type that the description states; else none.
std::vector<std::string> state_names(std::string_view description);
/// The unit in which a description says that values are shown: "degC" of "[K|degC]"; nullopt: none but its
/// own.
struct DisplayUnit {
  std::string text;
  UnitScale scale;
};
std::optional<DisplayUnit> display_unit(std::string_view description);
/// The values that a plot shows, and "[degC]" of "[K|degC]", "[V]" of "[V]"; empty if there is no unit.
void convert(std::string_view description, std::span<double> values);
std::string shown_unit(std::string_view description);
/// The value as the language writes it, in its unit of display: 21.5 degC; else True, a constructor, or a
/// number with so many digits.
std::string value_text(std::string_view description, double value, int digits = 10);

}  // namespace sigrel::pipeline
