// components::Component -> the same with some of its hidden variables in sight, for a relation that reads
// inside its parts.
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

class OpenedComponents {
 public:
  explicit OpenedComponents(components::Library& library) : library_(library), names_(library.system) {}

  struct Opened {
    std::uint32_t component;
    std::vector<std::uint32_t> arguments;  // for each name: which argument of an application it is
  };
  /// `names` are as in equations of the body that applies it: "u", "r2.u". Nothing: one of them denotes no
  /// scalar.
  std::optional<Opened> open(std::uint32_t component, std::vector<std::string> names);
  /// The columns of `component` that stand for `names` inside one of its children, which is opened for them.
  std::optional<std::vector<std::uint32_t>> read(components::Component& component, std::uint32_t child,
                                                 std::vector<std::string> names);

 private:
  components::Library& library_;
  system::Names names_;
  std::map<std::pair<std::uint32_t, std::vector<std::string>>, Opened> known_;
};

}  // namespace sigrel::elaborate
