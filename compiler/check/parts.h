// The parts of one run of the checker, each after the ones that it uses. Every part owns the state that it
// alone changes; the walks (Checker, ExpressionChecker, RelationChecker) share the parts.
#pragma once
#include "compiler/check/blocks/block_check.h"
#include "compiler/check/expressions/core_builder.h"
#include "compiler/check/expressions/exhaustive.h"
#include "compiler/check/names/globals.h"
#include "compiler/check/names/scopes.h"
#include "compiler/check/samples/contract.h"
#include "compiler/check/types/data_units.h"
#include "compiler/check/types/deferred.h"
#include "compiler/check/types/layout.h"
#include "compiler/check/types/sizes.h"
#include "compiler/check/types/type_messages.h"
#include "compiler/check/types/type_reader.h"
#include "compiler/check/types/unify.h"
#include "compiler/check/types/unit_check.h"

namespace sigrel::data {
class Files;
}

namespace sigrel::check {

struct Parts {
  explicit Parts(Diagnostics& diagnostics) : diagnostics(diagnostics) {}

  Diagnostics& diagnostics;
  core::Program program;
  data::Files* data = nullptr;  // that modules name; may be null
  Arena type_arena;
  Types types{type_arena};
  CoreBuilder core{program};
  Unifier unifier{types};
  Globals globals{program};
  Scopes scopes{diagnostics, types, core};
  UnitCheck units{types, unifier, diagnostics};
  Sizes sizes{types, unifier, core};
  TypeMessages messages{diagnostics, types, unifier, globals, scopes, units};
  Contracts contracts{diagnostics, program, core, unifier, globals, scopes, messages};
  TypeReader reader{diagnostics, types, unifier, scopes, units, sizes, messages, contracts};
  Layouts layouts{diagnostics, types, unifier, core, sizes};
  DeferredConstraints deferred{diagnostics, types, core, unifier, scopes, units, sizes, messages};
  MatchChecks matches{diagnostics, types, unifier};
  DataUnits data_units{};
  BlockCheck blocks{diagnostics, program, globals};
};

/// The base of the classes that walk over the source: the parts under the names that they use.
class PartReferences {
 protected:
  explicit PartReferences(Parts& parts) : parts_(parts) {}

  Parts& parts_;
  Diagnostics& diagnostics_ = parts_.diagnostics;
  core::Program& program_ = parts_.program;
  Types& types_ = parts_.types;
  CoreBuilder& core_ = parts_.core;
  Unifier& unifier_ = parts_.unifier;
  Globals& globals_ = parts_.globals;
  Scopes& scopes_ = parts_.scopes;
  UnitCheck& units_ = parts_.units;
  Sizes& sizes_ = parts_.sizes;
  TypeMessages& messages_ = parts_.messages;
  Contracts& contracts_ = parts_.contracts;
  TypeReader& reader_ = parts_.reader;
  Layouts& layouts_ = parts_.layouts;
  DeferredConstraints& deferred_ = parts_.deferred;
  MatchChecks& matches_ = parts_.matches;
  DataUnits& data_units_ = parts_.data_units;
  BlockCheck& blocks_ = parts_.blocks;
};

}  // namespace sigrel::check
