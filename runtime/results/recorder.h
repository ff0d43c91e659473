// Passes the result rows of a simulation to its sinks, and decides which events have rows.
//
// The values before an event are known before it is known whether the event changes anything: `before_event`
// holds them back, `after_event` writes or discards them. The row after an event is held back, too, until the
// next row: if events at the same time follow, or the integrator returns to this time, the last of them
// replaces it, so that no time has more than two rows.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/results/output.h"

namespace runtime {

class Recorder {
 public:
  /// `output` outlives the recorder.
  explicit Recorder(const Output& output);
  virtual ~Recorder() = default;

  /// The columns, from now on, in the variables of another model.
  void show(std::vector<Column> columns) { columns_ = std::move(columns); }
  const std::vector<Column>& columns() const { return columns_; }

  // False: a sink failed (`error()`).
  bool begin();
  /// Selects the columns from `values`, which has one entry for each variable of the model.
  virtual bool row(double time, const std::vector<double>& values);
  bool finish();

  /// The values of the model at a checkpoint, at which the time loop has these. Called before `save`.
  virtual bool settle(double /*time*/, const std::vector<double>& /*values*/) { return true; }
  /// Whether no event is open. Then `save` stores all rows but the one that is held back, which it saves, and
  /// `resume` continues from there, instead of `begin`.
  virtual bool is_settled(double /*time*/) const { return !before_.present; }
  bool save(Archive& archive);
  bool resume(Archive& archive);

  /// Whether anything takes the values at events, and at steps without events.
  virtual bool wants_events() const { return !row_.empty() && (output_.event_rows || wants_steps_); }
  virtual bool wants_steps() const { return !row_.empty() && wants_steps_; }
  /// The values at the end of a step without event.
  virtual void step(double time, const std::vector<double>& values);
  /// The values before the event at this time. An event without them has one row, that after it.
  virtual void before_event(double time, const std::vector<double>& values);
  /// The values after it. `changed`: the event changed what the equations read; otherwise it has rows if it
  /// changed the value of a column. Whether it has.
  virtual bool after_event(double time, const std::vector<double>& values, bool changed);
  /// The time of the next event that is not of the time loop, which then gives the values before and after it
  /// all the same.
  virtual double next_event() const { return HUGE_VAL; }
  /// Whether no sink has failed.
  virtual bool fine() const { return !error_; }

  std::uint64_t rows() const { return rows_; }
  double seconds() const { return seconds_; }  // spent in rows and the end
  /// Of the first sink that failed.
  const Sink::Error& error() const { return error_; }

 private:
  struct Row {
    bool present = false;
    double time = 0;
    std::vector<double> values;
    void visit(Archive& archive) { archive(present, time, values); }
  };
  void select(const std::vector<double>& values, std::vector<double>& row) const;
  bool write(double time, std::span<const double> row);
  bool write_held(Row& row);
  void pass_step(double time, std::span<const double> row);

  const Output& output_;
  std::vector<Column> columns_;
  bool wants_steps_ = false;
  std::vector<double> row_;
  Row before_, after_;  // held back
  double last_time_;    // of a row that was written
  std::uint64_t rows_ = 0;
  double seconds_ = 0;
  Sink::Error error_;
};

}  // namespace runtime
