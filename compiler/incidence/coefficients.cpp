#include "compiler/incidence/coefficients.h"

#include <unordered_map>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::incidence {

const Coefficients::Entry& Coefficients::entry(std::uint32_t slot) {
  std::optional<Entry>& entry = slots_[slot];
  if (entry) return *entry;
  auto linear = symbolic::linear_in(pool_, root_, slot);
  if (!linear) return entry.emplace(Entry{{}, root_});
  entry.emplace(Entry{{}, linear->factor});
  entry->coefficient.linear = true;
  std::unordered_map<std::uint32_t, std::uint32_t> place;
  for (ExprId id : topological(pool_, std::span<const ExprId>(&entry->factor, 1))) {
    Node node = pool_[id];
    if (node.op == Op::Slot) entry->coefficient.slots.push_back(node.a);
    if (node.op == Op::Time) entry->coefficient.varies_in_time = true;
    const int operands = arity(node.op);
    if (operands > 0) node.a = place.at(node.a);
    if (operands > 1) node.b = place.at(node.b);
    if (operands > 2) node.c = place.at(node.c);
    place.emplace(id.value, static_cast<std::uint32_t>(entry->program.size()));
    entry->program.push_back(node);
  }
  return *entry;
}

double Coefficients::value(std::uint32_t slot, std::span<const std::uint32_t> row,
                           std::span<const double> parameters) {
  values_.clear();
  for (const Node& node : entry(slot).program) {
    const int operands = arity(node.op);
    if (node.op == Op::Const)
      values_.push_back(node.value);
    else if (node.op == Op::Param)
      values_.push_back(parameters[row[node.a]]);
    else if (node.op == Op::PowInt)
      values_.push_back(apply(node.op, values_[node.a], static_cast<std::int32_t>(node.b), 0));
    else
      values_.push_back(apply(pool_.library.get(), node.op, node.value, values_[node.a],
                              operands > 1 ? values_[node.b] : 0, operands > 2 ? values_[node.c] : 0));
  }
  return values_.back();
}

}  // namespace sigrel::incidence
