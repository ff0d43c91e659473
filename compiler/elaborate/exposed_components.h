// components::Component -> the same with some of its hidden variables exposed, for a relation with references
// to members of its parts.
//
// Example: `r1: resistor 1.0 <> (a, b)` and `p = r1.u * a.i`: the resistor of this use has the columns p.v
// p.i n.v n.i and u.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/components.h"

namespace sigrel::elaborate {

class ExposedComponents {
 public:
  explicit ExposedComponents(components::Library& library) : library_(library), names_(library.system) {}

  struct Exposed {
    std::uint32_t component;
    std::vector<std::uint32_t> arguments;  // of an application, by name
  };
  /// The component with the variables `names` exposed, named as in the body that applies it: "u", "r2.u".
  /// Nullopt if one of them is no scalar.
  std::optional<Exposed> expose(std::uint32_t component, std::vector<std::string> names);
  /// The columns of `component` for the variables `names` of one of its children, which exposes them.
  std::optional<std::vector<std::uint32_t>> read(components::Component& component, std::uint32_t child,
                                                 std::vector<std::string> names);

 private:
  using Key = std::pair<std::uint32_t, std::vector<std::string>>;
  std::optional<Exposed> expose_combinations(components::Component component, Key key);

  components::Library& library_;
  system::Names names_;
  std::map<Key, Exposed> known_;
};

}  // namespace sigrel::elaborate
