#include "tests/unit/reduce/circuits.h"

#include <algorithm>

namespace fixture {

using sigrel::system::UnknownKind;

Circuit::Circuit() {
  voltage_ = shape(sub(s(0), sub(s(1), s(2))));
  balance_ = shape(sub(add(s(0), s(1)), c(0)));
  resistor_ = shape(sub(mul(p(0), s(0)), s(1)));
  capacitor_ = shape(sub(mul(p(0), der(0)), s(1)));
  inductor_ = shape(sub(mul(p(0), der(0)), s(1)));
  source_ = shape(sub(s(0), p(0)));
  ground_ = shape(sub(s(0), c(0)));
}

std::uint32_t Circuit::node(std::string name) {
  nodes_.push_back(unknown(name + ".v"));
  return nodes_.back();
}

Circuit::Part Circuit::part(const std::string& name, std::uint32_t p, std::uint32_t n) {
  Part part{unknown(name + ".u"), unknown(name + ".p.i", UnknownKind::Flow),
            unknown(name + ".n.i", UnknownKind::Flow)};
  row(voltage_, {part.u, p, n});
  row(balance_, {part.i, part.j});
  flows_.push_back({p, part.i});
  flows_.push_back({n, part.j});
  return part;
}

Circuit::Part Circuit::resistor(std::string name, std::uint32_t p, std::uint32_t n, double r) {
  Part x = part(name, p, n);
  row(resistor_, {x.i, x.u}, {parameter(r)});
  return x;
}
Circuit::Part Circuit::capacitor(std::string name, std::uint32_t p, std::uint32_t n, double c) {
  Part x = part(name, p, n);
  row(capacitor_, {x.u, x.i}, {parameter(c)});
  return x;
}
Circuit::Part Circuit::inductor(std::string name, std::uint32_t p, std::uint32_t n, double l) {
  Part x = part(name, p, n);
  row(inductor_, {x.i, x.u}, {parameter(l)});
  return x;
}
Circuit::Part Circuit::source(std::string name, std::uint32_t p, std::uint32_t n, double v) {
  Part x = part(name, p, n);
  row(source_, {x.u}, {parameter(v)});
  return x;
}

void Circuit::ground(std::uint32_t node) {
  row(ground_, {node});
  flows_.push_back({node, unknown("ground.p.i", UnknownKind::Flow)});
}

void Circuit::finish() {
  std::ranges::stable_sort(flows_, {}, &Flow::node);
  sigrel::SumTable& sums = system.equations.sums;
  for (std::size_t k = 0; k < flows_.size(); ++k) {
    sums.terms.push_back(sigrel::Term::of(flows_[k].flow, false));
    if (k + 1 < flows_.size() && flows_[k + 1].node == flows_[k].node) continue;
    sums.offsets.push_back(static_cast<std::uint32_t>(sums.terms.size()));
    system.sources.push_back({sigrel::system::EquationKind::NodeSum,
                              system.templates[0].locals[flows_[k].node].span, sigrel::local_name("node")});
    sums.origins.push_back({0, static_cast<std::uint32_t>(system.sources.size() - 1)});
  }
}

}  // namespace fixture
