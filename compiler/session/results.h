// What a run records: from the names of the source to columns of the runtime. Every variable of the source
// has a column, also those that the compiler eliminated: they are another variable, its negative, or zero.
//
// A variable is known by its hierarchical name: `r1.u`; the interface of a labelled instance too, `c1.p.v`,
// and the time derivative of a state, `der(c1.u)`. Names are built when they are asked for. A label that
// follows itself more than three times, as recursive relations have it, is written once: `rest^1000.c.u`.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "runtime/results/output.h"

namespace sigrel::session {

/// Columns and their names, index by index.
struct Columns {
  std::vector<std::string> names;
  std::vector<runtime::Column> columns;

  void add(std::string name, runtime::Column column);
  std::size_t size() const { return names.size(); }
};

class Results {
 public:
  /// A model with at most this many names records all of them by default, a larger one its states, or as many
  /// when it has none.
  static constexpr std::size_t kSmall = 1000;

  Results(const system::System& system, const dae::System& dae)
      : system_(system), dae_(dae), names_(system) {}

  std::optional<runtime::Column> find(std::string_view name) const;
  Columns by_default() const;
  Columns states() const;
  /// Variables of the reduced system.
  Columns named(std::span<const std::uint32_t> variables) const;
  /// The columns that the patterns name, in their order, each once. `*` stands for any characters. Reports a
  /// pattern that names nothing; `what` says where it was given ("plot", "outputs"), `spans` where in the
  /// source, if known.
  Columns select(std::span<const std::string> patterns, std::string_view what,
                 std::span<const std::optional<Span>> spans, Diagnostics& diagnostics) const;

  /// Of columns: "Bool", "Int", the unit in brackets, or nothing.
  std::vector<std::string> descriptions(const Columns& columns) const;
  /// The parameters of all instances of a small model, of a large one those of the model itself and what was
  /// set, with their values; no name that a column has.
  std::vector<runtime::Constant> constants(std::span<const double> parameters, const Columns& columns) const;

  std::size_t count() const;
  /// Every name with its column, in the order of the instances; stops when `visit` says false.
  void each(const std::function<bool(std::string name, runtime::Column)>& visit) const;

 private:
  runtime::Column column(std::uint32_t unknown) const;

  const system::System& system_;
  const dae::System& dae_;
  mutable system::Names names_;  // found so far
};

/// Whether `pattern`, where `*` stands for any characters, matches the whole name.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace sigrel::session
