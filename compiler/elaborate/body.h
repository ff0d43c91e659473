// Builds relation bodies: once per skeleton, interface and values of the structural Reals. The result has the
// columns of the body (interface first, then its own unknowns), its equations as rows over columns, its node
// sums, and the children that it applies.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "compiler/elaborate/blueprint.h"
#include "compiler/elaborate/nodes.h"
#include "compiler/elaborate/shapes.h"

namespace sigrel::elaborate {

struct BodyParts;

class BodyBuilder {
 public:
  BodyBuilder(Machine& machine, Relations& relations, system::System& system, Shapes& shapes)
      : machine_(machine), relations_(relations), system_(system), shapes_(shapes), scalars_(machine) {}

  struct Output {
    Body body;
    std::set<std::uint32_t> structural;  // the captured Reals whose values decide structure
  };
  /// `reals` are the values of the captured Reals in the instance for which the body is built first. Nullopt
  /// if an error was reported.
  std::optional<Output> build(RelationObject& relation, LayoutId interface, std::span<const double> reals);

  /// Evaluates applications in loops iteration by iteration. The result is the same: for tests.
  void apply_one_by_one() { one_by_one_ = true; }

 private:
  void bind_captures(RelationObject& relation, BodyParts& parts, std::span<const double> reals);
  void create_interface(LayoutId interface, BodyParts& parts);
  Body finish(RelationObject& relation, BodyParts& parts);
  std::shared_ptr<const Blueprint> shared(const RelationCode& code, std::shared_ptr<Blueprint> blueprint,
                                          system::Template names);

  Machine& machine_;
  Relations& relations_;
  system::System& system_;
  Shapes& shapes_;
  ConnectorScalars scalars_;
  bool one_by_one_ = false;

  /// The last results for a relation literal, newest first.
  struct Recent {
    std::deque<std::uint32_t> templates;
    std::deque<std::shared_ptr<const Blueprint>> blueprints;
  };
  std::unordered_map<const RelationCode*, Recent> recent_;
};

}  // namespace sigrel::elaborate
