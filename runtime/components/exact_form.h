// Components of one form that are solved exactly: affine between events, with a few states x.
//
//   x' = f + A (x - x0), watched differences d + C (x - x0)     from x0 at t0 to the next event
//
// A group of components of one form shares a model, an instance and an event iteration; each has its own row
// of numbers: the values, their nominal values, the parameters, and what events remember. They are loaded for
// an event, which therefore costs what the component is large, whatever their number.
//
// A and C are functions of the coefficients (coefficient_nodes): a *mode* has them for some values of these,
// and serves all pieces and components that have the same. An affine function is determined by its values at
// as many points as it has arguments, and one; so they need no derivatives.
//
// With one state, x(t) = x0 + f s phi(a s), s = t - t0, phi(z) = (exp z - 1) / z. The rate never changes its
// sign, so each difference crosses zero at most once, at a time that a logarithm gives. With several, the
// differences are sums of exponentials (exponential_sum.h), whose first zeros are isolated.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/components/exponential_sum.h"
#include "runtime/components/part_reports.h"
#include "runtime/components/spectrum.h"
#include "runtime/components/submodel.h"
#include "runtime/events/event_iteration.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

struct ExactForm {
  /// Of a group: its data stay in the cache of a core, and threads have something to share.
  static constexpr std::size_t kMostComponents = 128;
  /// Of a simulation: seconds; `moment`: EventIteration.
  struct Times {
    double start = 0, stop = 1, moment = 1e-9;
    double range() const { return stop - start; }
  };
  struct Mode {
    std::vector<double> coefficients;
    std::vector<double> matrix,
        slopes;                        // A, and C by watched difference: rows of as many as there are states
    std::optional<Spectrum> spectrum;  // of several states
  };
  /// The solution from an event to the next.
  struct Piece {
    static constexpr std::uint32_t kTime = kNone;         // a time event
    static constexpr std::uint32_t kHorizon = kNone - 1;  // no event: the piece holds until then (Spectrum)
    double start = 0, end = 0;                            // end: of the next event; infinity: none
    std::uint32_t watched = kTime;  // the difference that crosses zero there, or one of these
    bool is_rounding = false;       // the difference that ends it does not leave zero by more
    CloseSequences close;
    std::shared_ptr<const Mode> mode;
    // Rounding errors of a piece are those of its beginning. Beyond this part of the nominal magnitude it
    // ends when the slowest term has decayed by e^kDecay.
    static constexpr double kCoarse = 1e-9, kDecay = 9;
    bool ends_by_crossing() const { return watched < kHorizon; }
  };

  ExactForm(const Submodel& part, const ModelInstance& whole, const Times& times);

  /// Appends a component: the numbers of the part, and values of the whole model.
  std::size_t append(const Submodel& of, const ModelInstance& whole);
  void load(std::size_t component);
  /// All but the nominal values, which stay.
  void save(std::size_t component);
  /// The magnitudes of differences so far, alone.
  void load_memory_of_crossings(std::size_t component) {
    events.zero_crossings().load(numbers.data() + (component + 1) * stride - events.memory_size());
  }
  /// What it has in common with others, from the whole model.
  void load_common(std::size_t component, const ModelInstance& whole);
  bool common() const { return !part.foreign_variables.empty() || !part.foreign_parameters.empty(); }

  std::size_t states() const { return part.model.states.size(); }
  std::size_t components() const { return pieces.size(); }
  bool full() const { return components() >= kMostComponents; }
  /// The states of a component at a time of its piece: `states()` of them.
  void states_at(std::size_t component, double time, double* out);
  /// Loads them to these values.
  void load_states(std::size_t component, double time, std::vector<double>& values);
  /// Writes those of all components to the values of the whole model. The first component with one that is
  /// not finite.
  std::optional<std::uint32_t> write_states(double time, std::span<double> whole);
  std::uint32_t number_of_state(std::size_t component, std::size_t state) const {
    return state_numbers[component * states() + state];
  }
  /// Of a component that is saved.
  const double* values_of(std::size_t component) const { return numbers.data() + component * stride; }
  /// Has the data of a component that is processed next brought to the cache.
  void prefetch(std::size_t component) const;
  const double* parameters_of(std::size_t component) const {
    return values_of(component) + 2 * instance.values.size();
  }
  static std::span<const std::uint32_t> numbers_of(const std::vector<std::uint32_t>& list,
                                                   std::size_t component, std::size_t size) {
    return std::span(list).subspan(component * size, size);
  }

  // Of a component that is loaded. False: the failure of the instance.
  /// The instant at the end of its piece.
  bool process(std::size_t component, bool& changed);
  /// Of the differences that are beyond zero here, and of those (watched numbers) that have crossed it by
  /// prediction.
  void find_directions(const std::function<bool(std::uint32_t)>& crossed);
  /// Counts events that do not advance time. False: they come to no end.
  bool advances(std::size_t component, double time);
  /// From the consistent values of the instance, at which everything is evaluated.
  bool begin_piece(std::size_t component, double time);
  /// Evaluates everything and the differences at the current values of the states.
  bool evaluate(double time);

  Submodel part;
  ModelInstance instance;
  EventIteration events;
  Times times;
  std::vector<std::uint32_t> written_variables, written_parameters;  // own numbers: those that events change
  std::vector<std::uint32_t> ids;                                    // by component
  std::vector<std::uint8_t> in_order;                                // by component
  std::vector<Piece> pieces;                                         // by component
  std::vector<double> numbers;                                       // by component: `stride` of them
  // By component: numbers in the whole model.
  std::vector<std::uint32_t> variables, parameters, crossings, triggers, state_numbers;
  PartReports report;
  StoredReports stored;       // of its components, if they are only counted
  std::uint64_t changes = 0;  // events that changed a component
  std::uint64_t counted_changes = 0;
  double seconds = 0;                         // spent for them, by all threads
  std::vector<std::uint32_t> due, processed;  // components: with events to process; not written since these
  std::optional<std::uint32_t> failed;
  bool is_first = false;  // of the groups of its form
  std::size_t stride = 0;
  std::vector<int> directions;

 private:
  void find_written();
  const double* from(std::size_t component) const { return from_.data() + component * states(); }
  const double* rates(std::size_t component) const { return rates_.data() + component * states(); }
  void find_coefficients();
  double state_of_one(std::size_t component, double time) const;
  bool find_mode(std::size_t component, double time, std::shared_ptr<const Mode>& mode);
  bool measure(std::size_t component, double time, Mode& mode);
  bool measure_at(double time, std::span<const double> distances, Mode& mode);
  bool adjust(std::size_t component, const Mode& mode, std::vector<double>& distances) const;
  bool crosses_here(std::size_t component, std::uint32_t watched) const;
  void find_end_of_one(std::size_t component);
  void find_end(std::size_t component, double limit);
  void end_at_crossing(Piece& piece, const ExponentialSum& function, double s) const;

  std::vector<std::uint32_t> coefficient_variables_, coefficient_parameters_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const Mode>> modes_;  // by hash of the coefficients
  std::vector<double> from_, rates_;  // by component: x0 and f of its piece
  std::vector<double> starts_;        // by component: t0
  // By component, if there is one state: A and C of its mode.
  std::vector<double> matrix_of_one_, slopes_of_one_;
  bool mode_is_constant_ = true;  // of a component: no event changes a coefficient
  // Working memory:
  std::vector<double> before_, differences_, now_, distances_, states_, sizes_, tolerances_;
  std::vector<Spectrum::Complex> vectors_, terms_;
  std::vector<std::uint8_t> above_;
};

}  // namespace runtime
