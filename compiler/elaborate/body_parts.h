// The parts of the body under construction. Each owns its state for the time in which one body is built.
#pragma once
#include <set>
#include <utility>

#include "compiler/elaborate/applications.h"
#include "compiler/elaborate/columns.h"
#include "compiler/elaborate/events.h"
#include "compiler/elaborate/loop_indices.h"
#include "compiler/elaborate/member_references.h"
#include "compiler/elaborate/nodes.h"
#include "compiler/elaborate/parameters.h"
#include "compiler/elaborate/rows.h"
#include "compiler/elaborate/switches.h"
#include "compiler/elaborate/variables.h"

namespace sigrel::elaborate {

/// The captured Reals whose values decide structure.
class StructuralReals {
 public:
  void add(const ExprPool& parameters, ExprId expression) {
    for (ExprId id : topological(parameters, {&expression, 1}))
      if (parameters[id].op == Op::Param) reals.insert(parameters[id].a);
  }
  std::set<std::uint32_t> reals;
};

struct BodyParts {
  /// `number` identifies the body among all that are built.
  BodyParts(Machine& machine, const Relations& relations, Shapes& shapes, ConnectorScalars& scalars,
            const RelationCode& code, std::uint32_t number)
      : machine(machine),
        code(code),
        captured(machine, relations, reals, number),
        rows(machine, shapes, reals),
        nodes(machine, columns, rows, scalars),
        variables(machine, columns, nodes),
        members(machine),
        events(machine, columns, rows, reals, members),
        applications(machine, loops, columns, rows, nodes, variables, members) {}
  BodyParts(const BodyParts&) = delete;

  Machine& machine;
  const RelationCode& code;
  LoopIndices loops;
  StructuralReals structural;
  ParameterExpressions reals;
  CapturedParameters captured;
  Columns columns;
  Rows rows;
  Nodes nodes;
  Variables variables;
  MemberReferences members;
  Events events;
  Applications applications;
  Switches switches;

  Machine::Status evaluate(const core::Expr* expr, Value& result) {
    return machine.chunk(machine.code().function(code.chunks.at(expr)), 0, result);
  }
  /// The value of a local of the body.
  Value& local(core::LocalId id) { return machine.slot(code.slot.at(id.value)); }

  /// What is added from now on belongs to the mode of this switch. Returns the switch before.
  std::uint32_t enter_switch(std::uint32_t to) {
    columns.owner = rows.owner = to;
    return std::exchange(switches.current, to);
  }

  /// Visits the lists that grow with the number of iterations of a loop.
  template <class Visitor>
  void for_each_list(Visitor&& visit) {
    columns.for_each_list(visit);
    nodes.for_each_list(visit);
    rows.for_each_list(visit);
    applications.for_each_list(visit);
    members.for_each_list(visit);
  }
};

/// Marks the values and expressions so far, to free those that an item creates when nothing refers to them.
class Scratch {
 public:
  explicit Scratch(BodyParts& parts)
      : parts_(parts),
        heap_(parts.machine.heap().mark()),
        signals_(parts.machine.signals.size()),
        children_(parts.applications.children().size()),
        globals_(parts.machine.cached_globals()) {}

  /// Whether nothing refers to the values since the mark: no child, whose interface would, and no global was
  /// cached.
  bool is_unreferenced() const {
    return !parts_.machine.size_analysis && !parts_.machine.claims &&
           parts_.applications.children().size() == children_ && !caches_globals();
  }
  bool caches_globals() const { return parts_.machine.cached_globals() != globals_; }
  /// Frees the values and expressions since the mark, if nothing refers to them.
  void release() const {
    if (!is_unreferenced()) return;
    parts_.machine.signals.truncate(signals_);
    release_values();
  }
  void release_values() const { parts_.machine.heap().release(heap_); }
  bool is_new(const Object* object) const { return parts_.machine.heap().is_since(heap_, object); }

 private:
  BodyParts& parts_;
  Heap::Mark heap_;
  std::size_t signals_, children_;
  std::uint32_t globals_;
};

}  // namespace sigrel::elaborate
