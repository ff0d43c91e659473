#include "runtime/integrate/history_recorder.h"

namespace runtime {

void HistoryRecorder::prepare() {
  if (history_.empty()) return;
  const Model& model = instance_.model;
  std::vector<std::uint8_t> wanted(model.variables, 0);
  for (const Delay& delay : model.delays)
    if (delay.of != kNone) wanted[delay.of] = 1;
  steps_ = system_.steps_for(std::move(wanted));
}

bool HistoryRecorder::record(double time, Integrator& integrator) {
  // Pieces are halved down to this part of the step, and not further: it may contain a kink.
  constexpr double kShortest = 1.0 / 4096;
  if (history_.empty()) return true;
  const double shortest = kShortest * (time - history_.end());
  history_.discard_old();  // before the step is added: result rows within it are still to be evaluated
  auto evaluate_at = [&](double then) {
    integrator.interpolate(then);
    return system_.evaluate(then, integrator.y(), integrator.rates(), steps_);
  };
  const std::vector<double>& values = instance_.values;
  constexpr std::uint32_t kLast = History::kNodes - 1;
  for (double until = time; history_.end() < time;) {
    const double from = history_.end(), length = until - from;
    history_.sample(0, values);
    for (std::uint32_t k = 1; k <= kLast; ++k) {
      if (!evaluate_at(k < kLast ? from + length * k / kLast : until)) return false;
      history_.sample(k, values);
    }
    if (!evaluate_at(from + History::kTest * length)) return false;
    if (length > shortest && !history_.is_accurate(values)) {
      until = from + length / 2;
      continue;
    }
    history_.append_piece(until);
    until = time;
  }
  return true;
}

}  // namespace runtime
