// The events of a run at their source lines: a log, event by event, and counts.
//
//   t = 0.451523641 s
//     ball.sr:21:8   `h < 0.0` became true
//     ball.sr:21:8   `h < 0.0` fired: `v` = -4.42944692 -> 3.54355754, `impacts` = 0 -> 1
//     round 2:
//     ball.sr:24:8   `change impacts` fired: `mode` = Flying -> Rolling
//
// A condition that is one comparison is shown as it is written, with the number that it compares with if that
// is a parameter (`x > limit` became true: `x > 0.3`); in a `for`, where that does not tell which it is, and
// for comparisons within others or in equations, by the names of the whole model (`y[3] > 0.5`).
//
// The rounds of an instant that follow the first one have a heading. A change of structure is logged with its
// modes, jumps and impulses.
// The log is written while the model runs, so that memory does not depend on the number of events.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/explain/structure_changes.h"
#include "compiler/pipeline/pipeline.h"
#include "runtime/archive.h"
#include "runtime/events/event_observer.h"

namespace sigrel::explain {

class EventLog final : public runtime::EventObserver {
 public:
  using Write = std::function<void(std::string_view text)>;
  using Settings = std::vector<std::pair<std::string, double>>;
  /// `write` receives the text of each event, whole lines; empty: events are only counted. `set`: parameters
  /// by name. The model and the sources outlive the log.
  EventLog(const pipeline::Compiled& model, const SourceMap& sources, Write write = {}, Settings set = {});

  void event(const runtime::EventReport& report) override;
  /// Events that follow are of this model: the structure has changed. The counts remain.
  void follow(const pipeline::Compiled& model);
  void change(const StructureChange& change);
  bool only_counts() const override { return !write_; }

  std::uint64_t events() const { return events_; }
  /// The counts, for a checkpoint.
  void visit(runtime::Archive& archive) {
    archive(events_, arrivals_);
    archive.fixed(conditions_);
    visit_past(archive);
  }
  /// For each source line how often its conditions changed or fired, and the most frequent of them; the most
  /// frequent line first.
  std::vector<std::string> lines();
  /// The number of events, and `lines`.
  std::string counts();

 private:
  static constexpr std::uint32_t kNone = ~0u;
  /// A comparison (a zero crossing), or a trigger.
  struct Condition {
    Origin origin;
    std::uint64_t count = 0;  // changes, or firings
    std::string text{};       // made when it is first needed
    bool fires = false;       // a trigger
    /// A comparison that is the whole condition of a trigger, as it is written, and that trigger: each the
    /// number of the other.
    std::uint32_t twin = kNone;
    void visit(runtime::Archive& archive) { archive(count); }
  };
  std::string place(const Condition& condition) const;
  const std::string& text(std::size_t number);
  void find_written();
  bool is_repeated(std::size_t number);
  std::string flat_text(std::size_t number) const;
  std::size_t parameters_of(std::size_t number) const;
  std::string numbers(std::size_t number);
  std::string held_value(std::size_t number, double value) const;
  std::string trigger_text(std::size_t trigger) const;
  std::string counted(std::size_t number);
  std::string jumps(runtime::FiredTrigger fired, std::span<const runtime::Jump> jumps,
                    std::vector<std::uint8_t>& shown) const;
  std::string value(std::uint32_t variable, double value) const;

  /// What happened in structures that were left: file, line, text, and whether it fires.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::string, bool>;
  void begin(const pipeline::Compiled& model);
  void leave();
  void visit_past(runtime::Archive& archive);
  std::vector<std::string> past_lines();
  std::pair<std::uint32_t, std::uint32_t> line_of(const Condition& condition) const;

  const pipeline::Compiled* model_;
  const SourceMap& sources_;
  Write write_;
  Settings set_;
  std::vector<double> numbers_;  // of the parameters of the present model
  std::uint64_t events_ = 0, arrivals_ = 0;
  std::size_t comparisons_ = 0;             // the first of `conditions_`, by number; then the triggers
  std::vector<Condition> conditions_;       // with texts once they have been needed
  std::vector<Origin> repeated_;            // origins of several triggers, those of a `for`; ascending
  bool found_written_ = false;              // `twin` and `repeated_` are known, which texts need
  std::vector<std::uint32_t> assignments_;  // of the model, by trigger
  std::vector<std::uint8_t> shown_;         // of an event, by jump
  std::map<Key, std::uint64_t> past_;       // how often
};

}  // namespace sigrel::explain
