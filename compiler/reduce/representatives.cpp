#include "compiler/reduce/representatives.h"

#include "compiler/graph/bipartite.h"

namespace sigrel::reduce {
namespace {

/// Lower is better: three properties in order of weight.
IdVector<UnknownId, std::uint8_t> ranks(const system::System& system) {
  IdVector<UnknownId, std::uint8_t> rank(system.unknowns, 0b111);
  for (const EquationTable& table : system.equations.tables) {
    std::vector<std::uint32_t> differentiated;
    for (ExprId id : topological(system.exprs, std::span<const ExprId>(&table.residual, 1)))
      if (system.exprs[id].op == Op::Der) differentiated.push_back(system.exprs[id].a);
    for (std::uint32_t slot : differentiated)
      for (std::size_t row = 0; row < table.rows(); ++row)
        rank[UnknownId{table.unknowns_of(row)[slot]}] &= 0b011;
  }
  for (const system::Attribute& a : system.attributes) rank[UnknownId{a.unknown}] &= 0b101;
  for (const system::Instance& instance : system.instances) {
    const auto& locals = system.templates[instance.body].locals;
    for (std::size_t i = 0; i < locals.size(); ++i)
      if (locals[i].kind == system::UnknownKind::Source) rank[UnknownId{instance.first_unknown + i}] &= 0b110;
  }
  return rank;
}

}  // namespace

Representatives choose_representatives(const system::System& system, Aliases& aliases) {
  const IdVector<UnknownId, std::uint8_t> rank = ranks(system);
  const UnknownId none{graph::kNone};
  IdVector<UnknownId, UnknownId> best(system.unknowns, none);  // by root
  for (UnknownId u : ids<UnknownId>(0, system.unknowns)) {
    UnknownId& b = best[aliases.find(u).root];
    if (b == none || rank[u] < rank[b]) b = u;
  }
  Representatives result;
  result.of.resize(system.unknowns);
  for (UnknownId u : ids<UnknownId>(0, system.unknowns)) {
    auto member = aliases.find(u);
    if (aliases.is_zero(member.root)) {
      result.of[u.value] = {dae::Alias::Zero, 0};
      continue;
    }
    const UnknownId b = best[member.root];
    bool opposite = member.negative != aliases.find(b).negative;
    result.of[u.value] = {opposite ? dae::Alias::Negated : dae::Alias::Variable, b.value};
  }
  return result;
}

}  // namespace sigrel::reduce
