// The initial value problem of a simulation: its parts, wired together. Each part has its own contract.
#pragma once
#include <span>
#include <vector>

#include "runtime/events/event_iteration.h"
#include "runtime/events/state_selection.h"
#include "runtime/integrate/assertions.h"
#include "runtime/integrate/crossing_functions.h"
#include "runtime/integrate/history_recorder.h"
#include "runtime/integrate/initialisation.h"
#include "runtime/integrate/kept_solver.h"
#include "runtime/integrate/reduced_system.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

struct InitialValueProblem {
  /// `moment`: EventIteration; `thread_pool`: ModelInstance.
  InitialValueProblem(const Model& model, std::vector<double> parameters, std::vector<double> nominal,
                      double moment = 1e-9, ThreadPool* thread_pool = nullptr)
      : instance(model, std::move(parameters), std::move(nominal), thread_pool),
        events(instance, moment),
        states(instance),
        system(instance, events.history()),
        crossing_functions(instance, system, events.watched_differences()),
        recorder(instance, system, events.history()),
        assertions(instance) {}

  /// Initialisation::run.
  bool initialise(double time, std::span<const double> from = {}, bool seek_other_solutions = false) {
    Initialisation initialisation(instance, events, states);
    const bool done = initialisation.run(time, from, seek_other_solutions);
    guessed = initialisation.guessed();
    others = initialisation.other_solutions();
    return done;
  }
  /// ReducedSystem::prepare, and the parts that depend on the form.
  bool prepare(FormChoice choice, KeptSolver* kept = nullptr) {
    if (kept && kept->prepared && kept->choice == choice)
      system.prepare(std::move(*kept->prepared));
    else if (!system.prepare(choice))
      return false;
    crossing_functions.prepare();
    recorder.prepare();
    return true;
  }

  /// At a time at which the dynamic schedule is evaluated, and no crossing is unconfirmed.
  void save(Archive& archive) {
    archive.fixed(instance.values);
    archive.fixed(instance.parameters);
    archive(states);
    events.save(archive);
  }
  /// Continues from that, instead of `initialise` and EventIteration::start. False: `failure()`, if the
  /// archive is fine.
  bool resume(double time, Archive& archive) {
    archive.fixed(instance.values);
    archive.fixed(instance.parameters);
    archive(states);
    instance.evaluator.parameters_changed();
    return events.resume(time, archive) && archive.fine();
  }

  ModelInstance instance;
  EventIteration events;
  StateSelection states;
  ReducedSystem system;
  CrossingFunctions crossing_functions;
  HistoryRecorder recorder;
  Assertions assertions;
  GuessedStart guessed;  // of `initialise`
  std::vector<OtherSolution> others;
};

}  // namespace runtime
