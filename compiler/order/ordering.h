// What the passes of the order stage share.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"
#include "compiler/order/kernels.h"
#include "compiler/order/schedule.h"
#include "compiler/order/torn_block.h"

namespace sigrel::order {

struct Ordering {
  const system::System& system;
  const dae::System& dae;
  plan::Plan& plan;
  Diagnostics& diagnostics;
  Kernels kernels{plan};
  KnownBatches known = {};
  KnownLoops loops = {};
  TearingHints hints = {};
};

}  // namespace sigrel::order
