// Parameters of the body under construction: expressions over its captured Reals, and the sets of captured
// parameters that its children receive.
#pragma once
#include <unordered_map>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/elaborate/shapes.h"

namespace sigrel::elaborate {

/// The parameter expressions that rows, attributes and children use.
class ParameterExpressions {
 public:
  RealId add(ExprId parameter);

  /// Writes Blueprint::reals, operands first. The result maps the ids so far to those of the blueprint.
  std::vector<RealId> arrange(const ExprPool& pool, Shapes& shapes,
                              std::vector<system::Parameter>& reals) const;

 private:
  std::unordered_map<ExprId, RealId> ids_;
  std::vector<ExprId> expressions_;
};

/// Relations that take the same Reals from the body share a set.
class CapturedParameters {
 public:
  CapturedParameters(Machine& machine, const Relations& relations, ParameterExpressions& reals,
                     std::uint32_t body)
      : machine_(machine), relations_(relations), reals_(reals), body_(body) {}

  /// The captured parameters of a relation that the body applies.
  CapturedId of(RelationObject& relation);

  /// Moves them to the blueprint; `final_real` maps a RealId.
  void move_to(Blueprint& blueprint, const std::vector<RealId>& final_reals);

 private:
  CapturedId add(const CapturedPlan& plan, std::span<const std::uint32_t> items);

  Machine& machine_;
  const Relations& relations_;
  ParameterExpressions& reals_;
  std::uint32_t body_;  // the number of the body, for RelationObject::captured_in
  std::vector<CapturedPlan> sets_;
  std::vector<std::uint32_t> items_;
  IndexTable index_;
};

}  // namespace sigrel::elaborate
