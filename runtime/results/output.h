// The destination of results: named columns, and sinks that take their rows.
//
// There is a row at each point of the output grid and, unless `event_rows` is false, two at each event of the
// whole model, with the same time: the values before and after it. (Quantised states process most events
// where they are, without rows.) The order of rows is that of time; never more than two have the same.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/archive.h"
#include "runtime/model.h"

namespace runtime {

/// Column::variable of what does not exist while the structure is as it is.
constexpr std::uint32_t kAbsent = kNone - 1;

/// A recorded variable: kNone is the constant zero, kAbsent has no value (NaN).
struct Column {
  std::uint32_t variable = kNone;
  bool negated = false;
};

class Sink;

/// A number that is constant during the simulation.
struct Constant {
  std::string name, description;
  double value = 0;
};

/// The unit in SI that a description ends with: "V" of "[V|mV]"; empty if there is none.
inline std::string_view unit_in(std::string_view description) {
  const std::size_t open = description.rfind('[');
  if (open == std::string_view::npos || !description.ends_with(']')) return {};
  const std::string_view units = description.substr(open + 1, description.size() - open - 2);
  return units.substr(0, units.find('|'));
}

struct Output {
  std::vector<Column> columns{};
  std::vector<std::string> names{};  // one per column
  std::vector<Sink*> sinks{};
  std::vector<std::string> descriptions{};  // one per column, or none at all
  std::vector<Constant> constants{};
  bool event_rows = true;
  bool header_units = false;  // in CSV: `i [A]`
  std::size_t watched = 0;    // the last columns: sinks look at them, but no result has them
};

/// Takes rows as they are computed. A sink that fails reports that once; the simulation then stops, and the
/// rows taken so far remain.
class Sink {
 public:
  struct Error {
    std::string path{}, reason{};
    std::uint64_t kept_rows = 0;  // complete rows that are stored, and the time of the last
    double kept_until = 0;
    explicit operator bool() const { return !reason.empty(); }
  };

  virtual ~Sink() = default;
  /// `output` describes the rows, and outlives the simulation.
  virtual Error begin(const Output& output) = 0;
  virtual Error row(double time, std::span<const double> values) = 0;
  /// Whether the sink also wants the values between the rows: at the end of each step of the integrator, and
  /// before and after each event, even without event rows.
  virtual bool wants_steps() const { return false; }
  virtual void step(double /*time*/, std::span<const double> /*values*/) {}
  /// At a checkpoint: stores the rows so far for good, and saves what is needed to go on from there.
  virtual Error save(Archive& /*archive*/) { return {}; }
  /// Instead of `begin`: continues from that, as if nothing had followed it.
  virtual Error resume(const Output& output, Archive& /*archive*/) { return begin(output); }
  /// Called once at the end, also of a simulation that was cancelled or failed.
  virtual Error finish() = 0;
};

}  // namespace runtime
