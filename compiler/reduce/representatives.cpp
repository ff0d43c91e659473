#include "compiler/reduce/representatives.h"

#include "compiler/graph/bipartite.h"

namespace sigrel::reduce {
namespace {

/// Lower is better: three properties in order of weight.
std::vector<std::uint8_t> ranks(const system::System& system) {
  std::vector<std::uint8_t> rank(system.unknowns, 0b111);
  for (const EquationTable& table : system.equations.tables) {
    std::vector<std::uint32_t> differentiated;
    for (ExprId id : topological(system.exprs, std::span<const ExprId>(&table.residual, 1)))
      if (system.exprs[id].op == Op::Der) differentiated.push_back(system.exprs[id].a);
    for (std::uint32_t slot : differentiated)
      for (std::size_t row = 0; row < table.rows(); ++row) rank[table.unknowns_of(row)[slot]] &= 0b011;
  }
  for (const system::Attribute& a : system.attributes) rank[a.unknown] &= 0b101;
  for (const system::Instance& instance : system.instances) {
    const auto& locals = system.templates[instance.body].locals;
    for (std::size_t i = 0; i < locals.size(); ++i)
      if (locals[i].kind == system::UnknownKind::Source) rank[instance.first_unknown + i] &= 0b110;
  }
  return rank;
}

}  // namespace

Representatives choose_representatives(const system::System& system, Aliases& aliases) {
  const std::vector<std::uint8_t> rank = ranks(system);
  std::vector<std::uint32_t> best(system.unknowns, graph::kNone);  // by root
  for (std::uint32_t u = 0; u < system.unknowns; ++u) {
    std::uint32_t& b = best[aliases.find(u).root];
    if (b == graph::kNone || rank[u] < rank[b]) b = u;
  }
  Representatives result;
  result.of.resize(system.unknowns);
  for (std::uint32_t u = 0; u < system.unknowns; ++u) {
    auto member = aliases.find(u);
    if (aliases.is_zero(member.root)) {
      result.of[u] = {dae::Alias::Zero, 0};
      continue;
    }
    std::uint32_t b = best[member.root];
    bool opposite = member.negative != aliases.find(b).negative;
    result.of[u] = {opposite ? dae::Alias::Negated : dae::Alias::Variable, b};
  }
  return result;
}

}  // namespace sigrel::reduce
