#include "compiler/reduce/differentiate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/ir/library.h"
#include "compiler/singularity/source_names.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = graph::kNone;
constexpr std::uint32_t kSum = 0xFFFFFFFEu;  // in place of a table: the sums

class Differentiation {
 public:
  Differentiation(const system::System& system, const graph::Differentiated& graph, dae::System& dae,
                  Diagnostics& diagnostics)
      : system_(system), graph_(graph), dae_(dae), diagnostics_(diagnostics) {}

  Numbering run() {
    add_variables();
    place_originals();
    first_leaf_.assign(dae_.variables.size(), kNone);
    const std::vector<std::uint32_t> below = graph::inverse(graph_.equation_derivative);
    for (std::uint32_t e = originals_; e < graph_.equations(); ++e) {  // a derivative follows its equation
      const Place from = places_[below[e]];
      places_.push_back(from.table == kSum ? differentiate_sum(from.row) : differentiate_row(from));
      if (diagnostics_.has_errors()) return {};
    }
    number_equations(below);
    return std::move(numbering_);
  }

 private:
  struct Place {
    std::uint32_t table, row;  // of dae.equations; kSum: of the sums
  };
  struct Leaf {
    std::uint32_t slot, order;
  };
  static bool before(const Leaf& a, const Leaf& b) {
    return std::pair(a.order, a.slot) < std::pair(b.order, b.slot);
  }
  /// The derivative of a table's residual, over its slots and their derivatives.
  struct Derivative {
    ExprId residual;
    std::vector<Leaf> leaves;
    std::vector<std::uint32_t> params;
    std::map<std::vector<std::uint32_t>, std::uint32_t> tables;  // by which leaves are one variable
  };

  /// First all first derivatives, then the second ones, each in the order of the differentiated variables:
  /// the columns stay regular, and no number depends on the order of the equations.
  void add_variables() {
    auto& variables = dae_.variables;
    const auto known = static_cast<std::uint32_t>(variables.size());
    const std::vector<std::uint32_t> below = graph::inverse(graph_.variable_derivative);
    std::vector<std::uint32_t> order(graph_.variables(), 0), base(graph_.variables());
    for (std::uint32_t c = 0; c < graph_.variables(); ++c) {
      order[c] = c < known ? variables[c].order : order[below[c]] + 1;
      base[c] = c < known ? c : base[below[c]];
    }
    std::vector<std::uint32_t> fresh(graph_.variables() - known);
    std::iota(fresh.begin(), fresh.end(), known);
    std::ranges::sort(fresh, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(order[a], base[a]) < std::pair(order[b], base[b]);
    });
    numbering_.variable_of.resize(graph_.variables());
    for (std::uint32_t c = 0; c < known; ++c) numbering_.variable_of[c] = VariableId{c};
    for (std::uint32_t c : fresh) {
      auto number = static_cast<std::uint32_t>(variables.size());
      const std::uint32_t integral = numbering_.variable_of[below[c]].value;
      numbering_.variable_of[c] = VariableId{number};
      variables[integral].derivative = number;
      variables.push_back({.unknown = variables[integral].unknown, .order = order[c], .integral = integral});
    }
  }

  void place_originals() {
    const Equations& equations = dae_.equations;
    for (std::uint32_t t = 0; t < equations.tables.size(); ++t)
      for (std::uint32_t row = 0; row < equations.tables[t].rows(); ++row) places_.push_back({t, row});
    for (std::uint32_t row = 0; row < equations.sums.rows(); ++row) places_.push_back({kSum, row});
    originals_ = static_cast<std::uint32_t>(places_.size());
  }

  Place differentiate_sum(std::uint32_t row) {
    SumTable& sums = dae_.equations.sums;
    for (std::uint32_t k = sums.offsets[row]; k < sums.offsets[row + 1]; ++k) {
      Term term = sums.terms[k];
      sums.terms.push_back(Term::of(dae_.variables[term.unknown()].derivative, term.negative()));
    }
    sums.offsets.push_back(static_cast<std::uint32_t>(sums.terms.size()));
    sums.origins.push_back(sums.origins[row]);
    return {kSum, static_cast<std::uint32_t>(sums.rows() - 1)};
  }

  Place differentiate_row(Place from) {
    Derivative* derivative = derivative_of(from);
    if (!derivative) return from;
    const EquationTable& source = dae_.equations.tables[from.table];
    auto unknowns = source.unknowns_of(from.row);
    std::vector<std::uint32_t> variables, same;  // per leaf; `same`: the first leaf with this variable
    for (const Leaf& leaf : derivative->leaves) {
      std::uint32_t v = unknowns[leaf.slot];
      if (leaf.order > 0) v = dae_.variables[v].derivative;
      if (first_leaf_[v] == kNone) first_leaf_[v] = static_cast<std::uint32_t>(variables.size());
      same.push_back(first_leaf_[v]);
      variables.push_back(v);
    }
    for (std::uint32_t v : variables) first_leaf_[v] = kNone;
    auto [at, fresh] =
        derivative->tables.try_emplace(same, static_cast<std::uint32_t>(dae_.equations.tables.size()));
    if (fresh) dae_.equations.tables.push_back(table_of(*derivative, same));
    EquationTable& target = dae_.equations.tables[at->second];
    const EquationTable& again = dae_.equations.tables[from.table];  // the vector may have grown
    for (std::uint32_t k = 0; k < same.size(); ++k)
      if (same[k] == k) target.unknowns.push_back(variables[k]);
    for (std::uint32_t p : derivative->params) target.parameters.push_back(again.parameters_of(from.row)[p]);
    target.origins.push_back(Origin(again.origins[from.row]));
    return {at->second, static_cast<std::uint32_t>(target.rows() - 1)};
  }

  /// Null after an error.
  Derivative* derivative_of(Place from) {
    auto [at, fresh] = derivatives_.try_emplace(from.table);
    if (!fresh) return &at->second;
    const EquationTable& table = dae_.equations.tables[from.table];
    ExprPool& pool = dae_.exprs;
    if (auto function = symbolic::call_without_derivative(pool, table.residual)) {
      report_function(pool.library->functions[*function], table.origins[from.row]);
      return nullptr;
    }
    Derivative& d = at->second;
    d.residual = symbolic::time_derivative(pool, table.residual);
    symbolic::improve(pool, std::span(&d.residual, 1));
    for (ExprId id : topological(pool, std::span<const ExprId>(&d.residual, 1))) {
      const Node& n = pool[id];
      if (n.op == Op::Slot) d.leaves.push_back({n.a, 0});
      if (n.op == Op::Der) d.leaves.push_back({n.a, n.b});
      if (n.op == Op::Param) d.params.push_back(n.a);
    }
    std::ranges::sort(d.leaves, before);
    std::ranges::sort(d.params);
    return &d;
  }

  EquationTable table_of(const Derivative& d, const std::vector<std::uint32_t>& same) {
    std::vector<std::uint32_t> slot(same.size());
    EquationTable table;
    for (std::uint32_t k = 0; k < same.size(); ++k) slot[k] = same[k] == k ? table.slots++ : slot[same[k]];
    table.params = static_cast<std::uint32_t>(d.params.size());
    ExprPool& pool = dae_.exprs;
    auto slot_of = [&](std::uint32_t number, std::uint32_t order) {
      auto leaf = std::ranges::lower_bound(d.leaves, Leaf{number, order}, before);
      return pool.slot(slot[static_cast<std::size_t>(leaf - d.leaves.begin())]);
    };
    table.residual = symbolic::rewrite(pool, d.residual, pool, [&](const Node& leaf) {
      switch (leaf.op) {
        case Op::Slot: return slot_of(leaf.a, 0);
        case Op::Der: return slot_of(leaf.a, leaf.b);
        case Op::Param:
          return pool.param(
              static_cast<std::uint32_t>(std::ranges::lower_bound(d.params, leaf.a) - d.params.begin()));
        default: return pool.intern(Node(leaf));
      }
    });
    symbolic::improve(pool, std::span(&table.residual, 1));
    return table;
  }

  void report_function(const ForeignFunction& function, Origin origin) {
    singularity::SourceNames terms(system_);
    Diagnostic& d =
        diagnostics_.report(Code::NoDerivativeOfFunction, system_.sources[origin.source].span,
                            fmt::format("the derivative of `{}` is needed, and it has none", function.name));
    d.label("this ties states to each other, so its derivative is part of the model too");
    d.also(function.declared, "declared here without a derivative");
    terms.note_instance(d, origin.instance);
    d.help(fmt::format("give it one: `foreign import \"{}\" {} :: … with {{ derivative = … }}`",
                       function.symbol, function.name));
  }

  /// Dense numbers: the new tables stand between the old ones and the sums.
  void number_equations(const std::vector<std::uint32_t>& below) {
    std::vector<std::uint32_t> first;
    std::uint32_t count = 0;
    for (const EquationTable& table : dae_.equations.tables) {
      first.push_back(count);
      count += static_cast<std::uint32_t>(table.rows());
    }
    for (const Place& place : places_)
      numbering_.equation_of.push_back(
          EquationId{(place.table == kSum ? count : first[place.table]) + place.row});
    dae_.derivative_of.assign(dae_.equations.count(), dae::kNone);
    for (std::uint32_t e = originals_; e < places_.size(); ++e)
      dae_.derivative_of[numbering_.equation_of[e].value] = numbering_.equation_of[below[e]].value;
  }

  const system::System& system_;
  const graph::Differentiated& graph_;
  dae::System& dae_;
  Diagnostics& diagnostics_;
  std::vector<Place> places_;  // by row of the graph
  std::uint32_t originals_ = 0;
  std::vector<std::uint32_t> first_leaf_;  // scratch, by variable: the first leaf of the row that has it
  std::map<std::uint32_t, Derivative> derivatives_;  // by table
  Numbering numbering_;
};

}  // namespace

Numbering differentiate(const system::System& system, const graph::Differentiated& graph, dae::System& dae,
                        Diagnostics& diagnostics) {
  return Differentiation(system, graph, dae, diagnostics).run();
}

}  // namespace sigrel::reduce
