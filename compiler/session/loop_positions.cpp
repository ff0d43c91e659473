#include "compiler/session/loop_positions.h"

namespace sigrel::session {

bool find_loop_positions(const pipeline::Compiled& model, runtime::Experiment& experiment,
                         Diagnostics& diagnostics) {
  if (!model.reassembly || experiment.overrides.empty() || !experiment.from.empty()) return true;
  const auto positions = model.reassembly->positions(model.system, experiment.overrides, diagnostics);
  if (!positions) return false;
  experiment.overrides.insert(experiment.overrides.end(), positions->begin(), positions->end());
  return true;
}

}  // namespace sigrel::session
