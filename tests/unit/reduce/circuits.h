// Circuits of two-terminal parts, flattened as elaboration does: every part has u, p.v, n.v, p.i, n.i of its
// own or shares the potentials of its nodes.
#pragma once
#include <string>
#include <vector>

#include "tests/unit/reduce/fixture.h"

namespace fixture {

/// Parts join nodes whose potentials are unknowns; each part has the unknowns u, i (into p) and j (into n).
class Circuit : public Builder {
 public:
  struct Part {
    std::uint32_t u, i, j;
  };
  Circuit();
  std::uint32_t node(std::string name);
  Part resistor(std::string name, std::uint32_t p, std::uint32_t n, double r);
  Part capacitor(std::string name, std::uint32_t p, std::uint32_t n, double c);
  Part inductor(std::string name, std::uint32_t p, std::uint32_t n, double l);
  Part source(std::string name, std::uint32_t p, std::uint32_t n, double v);
  void ground(std::uint32_t node);
  /// The sums of the nodes; call once, in the end.
  void finish();

 private:
  Part part(const std::string& name, std::uint32_t p, std::uint32_t n);
  struct Flow {
    std::uint32_t node, flow;
  };
  std::vector<std::uint32_t> nodes_;
  std::vector<Flow> flows_;
  std::uint32_t voltage_, balance_, resistor_, capacitor_, inductor_, source_, ground_;
};

}  // namespace fixture
