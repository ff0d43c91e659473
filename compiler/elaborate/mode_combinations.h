// The combinations of modes that the switches of a relation body can be in, for checks of the definition
// alone: all that transitions lead to, whatever their conditions are. Of the arguments of a mode the first
// ones that are met count.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/elaborate/blueprint.h"

namespace sigrel::elaborate {

struct ModeCombination {
  RelationObject* relation = nullptr;  // with these modes
  std::vector<std::uint32_t> choices;  // a number for each mode of each switch, ascending
  std::vector<Name> names;             // of the modes, in the order of the switches
  std::optional<Body> body;            // absent: it cannot be known here
};

class ModeCombinations {
 public:
  /// Builds the body of a relation; nullopt if that is not possible here.
  using Build = std::function<std::optional<Body>(RelationObject&)>;
  ModeCombinations(Heap& heap, Relations& relations, Build build)
      : heap_(heap), relations_(relations), build_(std::move(build)) {}

  /// Those of the relation with this body; the first one is the one at the start. Nullopt if there are too
  /// many.
  std::optional<std::vector<ModeCombination>> all(RelationObject& relation, const Body& body);

 private:
  /// A switch in one of its modes, with the arguments that were met first.
  struct Choice {
    SwitchPlace place;
    Value mode;
  };
  std::uint32_t choice(const SwitchPlace& place, const Value& mode);
  std::vector<std::uint32_t> choices_of(std::span<const SwitchPlan> switches);
  std::vector<std::uint32_t> after(const Body& body, const TransitionPlan& transition);

  Heap& heap_;
  Relations& relations_;
  Build build_;
  std::map<std::pair<SwitchPlace, std::uint32_t>, std::uint32_t> numbers_;  // by place and number of the mode
  std::vector<Choice> choices_;
};

}  // namespace sigrel::elaborate
