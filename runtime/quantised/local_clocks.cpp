#include "runtime/quantised/local_clocks.h"

#include <algorithm>

#include "runtime/solve/schedule.h"

namespace runtime {

LocalClocks::LocalClocks(const Model& model, const RowGraph& graph) {
  const Events& events = model.events;
  const std::uint32_t clocks = static_cast<std::uint32_t>(events.clocks.size());
  std::vector<std::uint32_t> clock_of(events.triggers, kNone), previous_of(model.variables, kNone);
  local.assign(clocks, 1);
  for (std::uint32_t c = 0; c < clocks; ++c) {
    std::uint32_t& of = clock_of[events.clocks[c].trigger];
    if (of != kNone) local[c] = local[of] = 0;  // one trigger, several clocks
    of = c;
  }
  auto exclude = [&](std::uint32_t trigger) {
    if (clock_of[trigger] != kNone) local[clock_of[trigger]] = 0;
  };
  for (const auto* triggers :
       {&events.terminating, &events.condition_triggers, &events.initial, &events.terminal})
    for (const std::uint32_t t : *triggers) exclude(t);
  for (const Events::Alternative& a : events.alternatives) {
    exclude(a.trigger);
    exclude(a.preceding);
  }
  for (std::uint32_t k = 0; k < events.previous.size(); ++k) previous_of[events.previous[k].variable] = k;

  // Several assignments may assign one variable, if their values agree: the event iteration compares them.
  std::vector<std::uint32_t> assignment_of(model.variables, kNone);
  for (std::uint32_t a = 0; a < events.assignments.size(); ++a) {
    std::uint32_t& first = assignment_of[events.assignments[a].variable];
    if (first != kNone)
      for (const std::uint32_t other : {a, first}) exclude(events.assignments[other].trigger);
    first = a;
  }

  // Assertions are checked at events of the whole model.
  if (!model.assertions.empty()) local.assign(clocks, 0);

  const std::vector<Assignment>& assignments = events.assignments;
  assigns = NumberLists::collect(clocks, [&](const auto& add) {
    for (std::uint32_t a = 0; a < assignments.size(); ++a)
      if (const std::uint32_t c = clock_of[assignments[a].trigger]; c != kNone) add(c, a);
  });

  // What changes in the round of a tick, by another clock or a `when`: what the tick reads is then the value
  // after the round, or through `pre` the one before it. Assignments of the start or the end alone are in no
  // round with a tick.
  std::vector<std::uint8_t> fires(events.triggers, 0), assigned(model.variables, 0);
  for (const Clock& clock : events.clocks) fires[clock.trigger] = 1;
  for (const std::uint32_t t : events.condition_triggers) fires[t] = 1;
  for (const Assignment& a : assignments)
    if (fires[a.trigger]) assigned[a.variable] = 1;

  const std::vector<std::uint8_t> decisive = graph.decisive_variables();
  auto each_slot = [&](std::uint32_t c, const auto& visit) {
    for (const std::uint32_t a : assigns[c])
      each_variable(model, model.batches[assignments[a].value.batch], assignments[a].value.row, visit);
  };
  previous = NumberLists::collect(clocks, [&](const auto& add) {
    for (std::uint32_t c = 0; c < clocks; ++c)
      each_slot(c, [&](std::uint32_t v) {
        if (previous_of[v] != kNone) add(c, previous_of[v]);
      });
  });
  reads = NumberLists::collect(clocks, [&](const auto& add) {
    for (std::uint32_t c = 0; c < clocks; ++c) {
      each_slot(c, [&](std::uint32_t v) {
        if (previous_of[v] == kNone) add(c, v);
      });
      for (const std::uint32_t p : previous[c])
        if (events.previous[p].of != kNone) add(c, events.previous[p].of);
    }
  });
  // What another trigger reads, itself or through `pre`, belongs to the round of both where they fire
  // together.
  std::vector<std::uint32_t> assigned_by(model.variables, kNone);  // a local clock
  for (std::uint32_t c = 0; c < clocks; ++c)
    for (const std::uint32_t a : assigns[c]) assigned_by[assignments[a].variable] = c;
  for (std::uint32_t a = 0; a < assignments.size(); ++a)
    each_variable(model, model.batches[assignments[a].value.batch], assignments[a].value.row,
                  [&](std::uint32_t v) {
                    const std::uint32_t p = previous_of[v];
                    const std::uint32_t of = p == kNone ? v : events.previous[p].of;
                    const std::uint32_t c = of == kNone ? kNone : assigned_by[of];
                    if (c != kNone && c != clock_of[assignments[a].trigger]) local[c] = 0;
                  });
  NumberLists previous_of_variable = NumberLists::collect(model.variables, [&](const auto& add) {
    for (std::uint32_t k = 0; k < events.previous.size(); ++k)
      if (events.previous[k].of != kNone) add(events.previous[k].of, k);
  });
  advances = NumberLists::collect(clocks, [&](const auto& add) {
    for (std::uint32_t c = 0; c < clocks; ++c)
      for (const std::uint32_t a : assigns[c])
        for (const std::uint32_t k : previous_of_variable[assignments[a].variable]) add(c, k);
  });

  // A step of the time, such as a floor, often falls on a tick, which comes after it.
  const std::vector<std::uint8_t> of_time = graph.depend_on_time();
  auto steps_with_time = [&](std::uint32_t crossing) { return of_time[graph.nodes() + crossing] != 0; };
  std::vector<std::uint32_t> stamp(graph.nodes(), kNone), open;
  for (std::uint32_t c = 0; c < clocks; ++c) {
    bool simple = true;
    for (const std::uint32_t a : assigns[c]) simple = simple && !decisive[assignments[a].variable];
    // Values through `pre` may be of variables that this clock assigns, not of those that another one does.
    auto own = [&](std::uint32_t variable) {
      for (const std::uint32_t a : assigns[c])
        if (assignments[a].variable == variable) return true;
      return false;
    };
    auto need = [&](std::uint32_t variable, bool through_previous) {
      if (assigned[variable] && !(through_previous && own(variable))) simple = false;
      const std::uint32_t node = graph.producer(variable);
      if (node == kNone || stamp[node] == c) return;
      stamp[node] = c;
      open.push_back(node);
    };
    each_slot(c, [&](std::uint32_t v) {
      if (previous_of[v] == kNone) need(v, false);
    });
    for (const std::uint32_t p : previous[c])
      if (events.previous[p].of != kNone) need(events.previous[p].of, true);
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      for (const std::uint32_t v : graph.reads()[node]) need(v, false);
      simple = simple && std::ranges::none_of(graph.reads_held()[node], steps_with_time);
    }
    for (const std::uint32_t a : assigns[c]) {
      const auto [number, row] = assignments[a].value;
      const KernelBatch& batch = model.batches[number];
      for (std::uint32_t k = 0; k < batch.params && batch.kernel != kNone; ++k) {
        const std::uint32_t crossing = graph.crossing_of(slot_variable(model, batch, batch.slots + k, row));
        simple = simple && (crossing == kNone || !steps_with_time(crossing));
      }
    }
    local[c] = local[c] && simple;
  }
}

}  // namespace runtime
