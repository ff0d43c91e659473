#include "runtime/integrate/checkpoint.h"

namespace runtime {

namespace {

void visit(Archive& archive, Statistics& s) {
  archive(s.steps, s.evaluations, s.jacobians, s.factorisations, s.loop_factorisations, s.events,
          s.exact_events, s.exact_of_one.events, s.exact_of_one.seconds, s.exact_of_several.events,
          s.exact_of_several.seconds, s.seconds_exact, s.state_changes, s.newton_iterations,
          s.newton_failures, s.error_test_failures, s.method_changes, s.initial_step, s.revised_steps,
          s.check_evaluations, s.updates, s.states, s.seconds_initialise, s.seconds_integrate,
          s.seconds_write);
}

}  // namespace

void visit(Archive& archive, Outcome& outcome) {
  archive(outcome.reached, outcome.guessed.taken, outcome.guessed.refused);
  std::uint64_t continued = outcome.continued.size();
  archive(continued);
  if (archive.loads()) outcome.continued.clear();
  for (std::uint64_t k = 0; k < continued && archive.fine(); ++k) {
    if (archive.loads()) outcome.continued.emplace_back();
    Continued& loop = outcome.continued[k];
    archive(loop.unknowns, loop.variable, loop.equation);
  }
  visit(archive, outcome.statistics);
}

}  // namespace runtime
