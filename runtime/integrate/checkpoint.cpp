#include "runtime/integrate/checkpoint.h"

namespace runtime {

namespace {

void visit(Archive& archive, Statistics& s) {
  archive(s.steps, s.evaluations, s.jacobians, s.factorisations, s.loop_factorisations, s.events,
          s.exact_events, s.exact_of_one.events, s.exact_of_one.seconds, s.exact_of_several.events,
          s.exact_of_several.seconds, s.seconds_exact, s.state_changes, s.newton_iterations,
          s.newton_failures, s.error_test_failures, s.method_changes, s.initial_step, s.revised_steps,
          s.check_evaluations, s.updates, s.states, s.seconds_initialise, s.seconds_integrate,
          s.seconds_write, s.structure_changes);
}

void visit(Archive& archive, std::vector<BranchJump>& jumps) {
  std::uint64_t count = jumps.size();
  archive(count);
  if (archive.loads()) jumps.clear();
  for (std::uint64_t k = 0; k < count && archive.fine(); ++k) {
    if (archive.loads()) jumps.emplace_back();
    BranchJump& jump = jumps[k];
    archive(jump.time, jump.unknowns, jump.variable, jump.equation, jump.before, jump.after);
  }
}

void visit(Archive& archive, std::optional<SolverChange>& change) {
  bool present = change.has_value(), to_ida = present && change->to == "ida";
  SolverChange loaded = change.value_or(SolverChange{});
  archive(present, to_ida, loaded.time, loaded.kind);
  if (!archive.loads()) return;
  change.reset();
  if (!present) return;
  loaded.from = to_ida ? "cvode" : "ida";
  loaded.to = to_ida ? "ida" : "cvode";
  change = loaded;
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
  std::uint64_t others = outcome.others.size();
  archive(others);
  if (archive.loads()) outcome.others.clear();
  for (std::uint64_t k = 0; k < others && archive.fine(); ++k) {
    if (archive.loads()) outcome.others.emplace_back();
    OtherSolution& loop = outcome.others[k];
    archive(loop.unknowns, loop.variable, loop.equation, loop.value, loop.other);
  }
  visit(archive, outcome.jumps);
  visit(archive, outcome.solver_change);
  visit(archive, outcome.statistics);
}

}  // namespace runtime
