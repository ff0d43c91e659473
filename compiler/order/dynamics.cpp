#include "compiler/order/dynamics.h"

#include "compiler/order/assertions.h"
#include "compiler/order/discrete.h"
#include "compiler/order/events.h"
#include "compiler/order/states.h"
#include "compiler/order/time_functions.h"

namespace sigrel::order {
namespace {

/// Distributes the blocks over schedules.
class Distribution {
 public:
  explicit Distribution(Scheduler& scheduler)
      : scheduler_(scheduler), scheduled_(scheduler.block_count(), false) {}

  /// Schedules those of the blocks that are in no schedule yet.
  void move(IdVector<BlockId, bool> blocks, std::vector<runtime::Step>& steps) {
    for (const BlockId b : ids<BlockId>(0, blocks.size())) {
      if (!blocks[b]) continue;
      if (scheduled_[b])
        blocks[b] = false;
      else
        scheduled_[b] = true;
    }
    scheduler_.schedule(blocks, steps);
  }
  /// The same, and they may go into another schedule too.
  void copy(IdVector<BlockId, bool> blocks, std::vector<runtime::Step>& steps) {
    for (const BlockId b : ids<BlockId>(0, blocks.size()))
      if (blocks[b] && scheduled_[b]) blocks[b] = false;
    scheduler_.schedule(blocks, steps);
  }
  void move_rest(std::vector<runtime::Step>& steps) {
    move(IdVector<BlockId, bool>(scheduled_.size(), true), steps);
  }

 private:
  Scheduler& scheduler_;
  IdVector<BlockId, bool> scheduled_;
};

/// The variables that zero crossings, events and delays read.
std::vector<std::uint32_t> event_variables(const system::System& system, const dae::System& dae) {
  std::vector<std::uint32_t> result = compared_variables(dae);
  const std::vector<std::uint32_t> seen = seen_by_events(system, dae);
  result.insert(result.end(), seen.begin(), seen.end());
  return result;
}

}  // namespace

bool schedule_dynamics(Ordering& o, const incidence::EquationList& equations) {
  runtime::Model& model = o.plan.model;
  Scheduler scheduler(o.plan, o.kernels, o.known, o.loops, equations, o.dae.assign, o.hints);
  if (!check_discrete(o.system, o.dae, model.discrete, o.plan.exprs, equations, scheduler, o.diagnostics))
    return false;
  Distribution blocks(scheduler);
  const std::vector<std::uint32_t> derivatives = rates(model);

  // Blocks that depend on parameters and constants alone keep the values of the start.
  blocks.move(scheduler.invariant_blocks(without_events(o.system, o.dae, model.constants), derivatives),
              model.invariant);
  // From the states to their derivatives: what an integrator evaluates.
  blocks.move(scheduler.needed_for(derivatives), model.dynamic);
  // All other variables, for output. Assertions and events need parts of this more often: these blocks are in
  // schedules of their own as well.
  blocks.copy(scheduler.needed_for(asserted_variables(o.dae)), model.asserted);
  add_assertions(o.dae, o.kernels, o.plan);
  blocks.copy(scheduler.needed_for(event_variables(o.system, o.dae)), model.compared);
  add_zero_crossings(o.dae, o.kernels, o.plan);
  add_events(o.system, o.dae, o.kernels, o.plan);
  blocks.move_rest(model.observed);
  find_time_functions(o.system, o.dae, o.plan);

  add_state_sets(o.dae, scheduler, model);
  return true;
}

}  // namespace sigrel::order
