// From a system to a plan: circuits whose answers are known.
#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/order/order.h"
#include "compiler/order/torn_block.h"
#include "compiler/reduce/reduce.h"
#include "runtime/linear/linear_system.h"
#include "tests/unit/reduce/circuits.h"

using namespace sigrel;
using namespace fixture;

// A block that is torn for dense matrices gets dense factors.
static_assert(order::BlockTearing::kSmallBlock <= runtime::kDenseLimit);

namespace {

struct Planned {
  Diagnostics diagnostics;
  dae::System dae;
  plan::Plan plan;
};

Planned make_plan(const system::System& system) {
  Planned r;
  r.dae = reduce::reduce(system, r.diagnostics);
  REQUIRE_FALSE(r.diagnostics.has_errors());
  dae::verify(system, r.dae);
  r.plan = order::order(system, r.dae, r.diagnostics);
  REQUIRE_FALSE(r.diagnostics.has_errors());
  plan::verify(r.plan);
  return r;
}

}  // namespace

TEST_CASE("a resistor charges a capacitor") {
  Circuit x;
  auto a = x.node("a"), b = x.node("b"), g = x.node("g");
  auto v = x.source("s", a, g, 10);
  auto r = x.resistor("r", a, b, 2);
  auto c = x.capacitor("c", b, g, 0.5);
  x.ground(g);
  x.initial_row(x.initial_shape(x.sub(x.s(0), x.p(0))), {c.u}, {x.parameter(3)});
  x.finish();
  auto [diagnostics, dae, plan] = make_plan(x.system);
  INFO(dae::print(x.system, dae));
  INFO(plan::print(x.system, dae, plan));
  CHECK(plan.model.states.size() == 1);
  CHECK(plan.guessed_states.empty());
  CHECK(diagnostics.all().empty());
  CHECK(plan.model.loops.empty());
  Evaluation e = evaluate_start(plan);
  evaluate_rates(plan, e, 0);
  CHECK(value_of(dae, e, c.u) == 3);
  CHECK(value_of(dae, e, r.u) == 7);
  CHECK(value_of(dae, e, c.i) == 3.5);
  CHECK(value_of(dae, e, c.j) == -3.5);
  CHECK(value_of(dae, e, v.i) == -3.5);
  CHECK(value_of(dae, e, g) == 0);
  CHECK(rate_of(dae, e, c.u) == 7);
}

TEST_CASE("a ladder has as many runs and kernels whatever its length") {
  std::size_t runs[3], kernels[3];
  int k = 0;
  for (std::uint32_t n : {10u, 1000u, 100000u}) {
    Circuit x;
    auto g = x.node("g"), before = x.node("n0");
    x.source("s", before, g, 10);
    x.ground(g);
    for (std::uint32_t i = 1; i <= n; ++i) {
      auto here = x.node("n" + std::to_string(i));
      x.resistor("r" + std::to_string(i), before, here, 1);
      x.capacitor("c" + std::to_string(i), here, g, 1);
      before = here;
    }
    x.finish();
    Diagnostics d;
    dae::System dae = reduce::reduce(x.system, d);
    plan::Plan plan = order::order(x.system, dae, d);
    REQUIRE_FALSE(d.has_errors());
    dae::verify(x.system, dae);
    plan::verify(plan);
    runs[k] = plan.model.batches.size();
    kernels[k] = plan.kernels.size();
    ++k;
    INFO(n << " stages, " << x.system.unknowns << " unknowns, " << runs[k - 1] << " runs, " << kernels[k - 1]
           << " kernels");
    CHECK(plan.model.states.size() == n);
    CHECK(plan.guessed_states.size() == n);
    CHECK(plan.model.equations.size() <
          2 * dae.equations.count() + n);  // rows that run at the start as well have one table
  }
  CHECK(runs[0] == runs[2]);
  CHECK(runs[1] == runs[2]);
  CHECK(kernels[0] == kernels[2]);
}
