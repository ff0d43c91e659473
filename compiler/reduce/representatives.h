// The classes of equal and opposite unknowns as a flat table: for every unknown the representative of its
// class.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/aliases.h"

namespace sigrel::reduce {

struct Representatives {
  /// By unknown: the kind of its alias, and in `variable` the unknown that represents it.
  std::vector<dae::Alias> of;

  bool represents_its_class(std::uint32_t unknown) const {
    return of[unknown].kind == dae::Alias::Variable && of[unknown].variable == unknown;
  }
};

/// In a class, an unknown that is differentiated comes first, then one with an attribute, then one that was
/// declared in the source, then the lowest number.
Representatives choose_representatives(const system::System& system, Aliases& aliases);

}  // namespace sigrel::reduce
