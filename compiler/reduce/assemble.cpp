#include "compiler/reduce/assemble.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "compiler/graph/bipartite.h"
#include "compiler/ir/code.h"
#include "compiler/ir/make_room.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = graph::kNone;

class Assembly {
 public:
  Assembly(const system::System& system, Shapes& shapes, Aliases& aliases,
           const Representatives& representatives)
      : system_(system),
        shapes_(shapes),
        aliases_(aliases),
        rep_(representatives),
        slot_of_(system.unknowns, kNone) {}

  Assembled run() {
    result_.dae.exprs.library = system_.exprs.library;
    for (const system::Delay& d : system_.delays)
      if (rep_.of[d.unknown].kind != dae::Alias::Zero)
        delayed_.emplace(rep_.of[d.unknown].variable, d.origin);
    // The specialised shapes decide which derivatives occur.
    order_.assign(system_.unknowns, 0);
    auto rows = specialise(system_.equations, 0, false,
                           [&](std::uint32_t e) { return aliases_.fate(EquationId{e}) == Fate::Kept; });
    note_orders(system_.equations, rows, [&](std::uint32_t unknown, std::uint32_t order, Origin origin) {
      order_[unknown] = std::max(order_[unknown], order);
      if (auto delay = delayed_.find(unknown);
          delay != delayed_.end() &&
          (delay->second.instance != origin.instance || delay->second.source != origin.source))
        result_.of_delays.push_back({unknown, order, origin});
    });
    auto first_initial = static_cast<std::uint32_t>(system_.equations.tables.size());
    auto initial_rows = specialise(system_.initial, first_initial, true, [](std::uint32_t) { return true; });
    auto first_assertion = first_initial + static_cast<std::uint32_t>(system_.initial.tables.size());
    auto assertion_rows =
        specialise(system_.assertions, first_assertion, false, [](std::uint32_t) { return true; });
    auto first_condition = first_assertion + static_cast<std::uint32_t>(system_.assertions.tables.size());
    auto condition_rows =
        specialise(system_.events.conditions, first_condition, false, [](std::uint32_t) { return true; });
    auto first_value = first_condition + static_cast<std::uint32_t>(system_.events.conditions.tables.size());
    auto value_rows =
        specialise(system_.events.values, first_value, false, [](std::uint32_t) { return true; });
    auto check = [&](std::uint32_t unknown, std::uint32_t order, Origin origin) {
      if (order > order_[unknown])
        result_.unsupported.push_back({unknown, order, origin});
      else if (delayed_.contains(unknown))
        result_.of_delays.push_back({unknown, order, origin});
    };
    note_orders(system_.initial, initial_rows, check);
    note_orders(system_.assertions, assertion_rows, check);
    note_orders(system_.events.conditions, condition_rows, check);
    note_orders(system_.events.values, value_rows, check);
    make_variables();
    if (!result_.unsupported.empty()) return std::move(result_);
    fill(system_.equations, rows, result_.dae.equations);
    fill_sums(system_.equations.sums, result_.dae.equations.sums,
              [&](std::uint32_t s) { return aliases_.fate(EquationId{rows.size() + s}) == Fate::Kept; });
    fill(system_.initial, initial_rows, result_.dae.initial);
    fill(system_.assertions, assertion_rows, result_.dae.assertions);
    fill(system_.events.conditions, condition_rows, result_.dae.conditions);
    fill(system_.events.values, value_rows, result_.dae.values);
    fill_sums(system_.initial.sums, result_.dae.initial.sums,
              [&](std::uint32_t s) { return !aliases_.terms(system_.initial.sums.terms_of(s)).empty(); });
    return std::move(result_);
  }

 private:
  /// The specialised shape of every row of the tables; kNone for rows that are eliminated. `drop_nothing`:
  /// rows that became 0 = 0 are eliminated too.
  template <class Kept>
  std::vector<std::uint32_t> specialise(const Equations& equations, std::uint32_t first_table,
                                        bool drop_nothing, Kept kept) {
    std::vector<std::uint32_t> result;
    std::vector<std::uint32_t> pattern;
    for (std::uint32_t t = 0; t < equations.tables.size(); ++t) {
      const EquationTable& table = equations.tables[t];
      pattern.resize(table.slots);
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (!kept(static_cast<std::uint32_t>(result.size()))) {
          result.push_back(kNone);
          continue;
        }
        auto unknowns = table.unknowns_of(row);
        for (std::uint32_t k = 0; k < table.slots; ++k) {
          dae::Alias alias = rep_.of[unknowns[k]];
          bool negated = alias.kind == dae::Alias::Negated;
          if (alias.kind == dae::Alias::Zero) {
            pattern[k] = SlotPattern::kZero;
          } else if (slot_of_[alias.variable] != kNone) {
            pattern[k] = SlotPattern::same_as(slot_of_[alias.variable], negated);
          } else {
            slot_of_[alias.variable] = k;
            pattern[k] = negated ? SlotPattern::kOpposite : SlotPattern::kItself;
          }
        }
        for (std::uint32_t u : unknowns)
          if (rep_.of[u].kind != dae::Alias::Zero) slot_of_[rep_.of[u].variable] = kNone;
        std::uint32_t s = shapes_.specialise(first_table + t, pattern);
        result.push_back(drop_nothing && shapes_[s].form == Form::Nothing ? kNone : s);
      }
    }
    return result;
  }

  template <class Note>
  void note_orders(const Equations& equations, const std::vector<std::uint32_t>& shape_of, Note note) {
    std::size_t e = 0;
    for (const EquationTable& table : equations.tables) {
      Origins::InOrder origins(table.origins);
      for (std::size_t row = 0; row < table.rows(); ++row, ++e) {
        if (shape_of[e] == kNone) continue;
        for (const Leaf& leaf : shapes_[shape_of[e]].leaves)
          if (leaf.order > 0)
            note(rep_.of[table.unknowns_of(row)[leaf.slot]].variable, leaf.order, origins[row]);
      }
    }
  }

  void make_variables() {
    auto& variables = result_.dae.variables;
    variable_of_.assign(system_.unknowns, kNone);
    std::uint32_t highest = 0;
    std::size_t count = 0;
    for (std::uint32_t u = 0; u < system_.unknowns; ++u)
      if (rep_.represents_its_class(u)) count += 1 + order_[u];
    variables.reserve(count);
    for (std::uint32_t u = 0; u < system_.unknowns; ++u) {
      if (!rep_.represents_its_class(u)) continue;
      variable_of_[u] = static_cast<std::uint32_t>(variables.size());
      variables.push_back({.unknown = u});
      highest = std::max(highest, order_[u]);
    }
    // All first derivatives, then all second ones: the columns of a batch stay regular.
    std::vector<std::uint32_t> last = variable_of_;
    for (std::uint32_t order = 1; order <= highest; ++order)
      for (std::uint32_t u = 0; u < system_.unknowns; ++u) {
        if (!rep_.represents_its_class(u) || order_[u] < order) continue;
        auto v = static_cast<std::uint32_t>(variables.size());
        variables.push_back({.unknown = u, .order = order, .integral = last[u]});
        variables[last[u]].derivative = v;
        last[u] = v;
      }
    auto& aliases = result_.dae.aliases;
    aliases = rep_.of;
    for (dae::Alias& a : aliases)
      if (a.kind != dae::Alias::Zero) a.variable = variable_of_[a.variable];
  }

  /// The table of the rows of a specialised shape, and which of the shape's parameters each of its columns
  /// takes.
  struct Place {
    std::uint32_t table = kNone;
    std::vector<std::uint32_t> parameters = {};  // positions in the shape's list
  };
  /// A table by its canonical residual, whose parameters are numbered as they occur.
  struct Known {
    std::uint32_t table;
    std::vector<std::uint32_t> parameters;  // columns of the table in that order
  };
  using Key = std::tuple<ExprId, std::size_t, std::size_t>;

  /// The residual over plain slots, in another pool.
  ExprId over_slots(const Specialised& s, ExprPool& pool) {
    auto position = [](const auto& sorted, const auto& item) {
      return static_cast<std::uint32_t>(std::ranges::lower_bound(sorted, item) - sorted.begin());
    };
    return symbolic::rewrite(shapes_.exprs(), s.residual, pool, [&](const Node& leaf) {
      switch (leaf.op) {
        case Op::Slot: return pool.slot(position(s.leaves, Leaf{leaf.a, 0}));
        case Op::Der: return pool.slot(position(s.leaves, Leaf{leaf.a, leaf.b}));
        case Op::Param: return pool.param(position(s.params, leaf.a));
        default: return pool.intern(leaf);
      }
    });
  }

  /// A residual that is the same for shapes that differ only in the order of terms and parameters, such as
  /// the rows of a matrix product; and the parameters in its order.
  std::pair<ExprId, std::vector<std::uint32_t>> canonical_residual(const Specialised& s) {
    ExprId residual = over_slots(s, canonical_);
    std::vector<std::uint32_t> order(s.params.size());
    std::iota(order.begin(), order.end(), 0u);
    if (order.size() < 2) return {residual, std::move(order)};
    ExprId canonical = symbolic::canonical(canonical_, residual);
    std::vector<std::uint32_t> found;
    for (const Node& node : plan::body(canonical_, {.outputs = {canonical}}).nodes)
      if (node.op == Op::Param) found.push_back(node.a);
    if (found.size() != order.size()) return {residual, std::move(order)};
    std::vector<std::uint32_t> number(found.size());
    for (std::uint32_t i = 0; i < found.size(); ++i) number[found[i]] = i;
    canonical = symbolic::rewrite(canonical_, canonical, canonical_, [&](const Node& leaf) {
      return leaf.op == Op::Param ? canonical_.param(number[leaf.a]) : canonical_.intern(leaf);
    });
    return {canonical, std::move(found)};
  }

  Place place_of(const Specialised& s, std::map<Key, Known>& known, std::vector<EquationTable>& tables) {
    auto [key, order] = canonical_residual(s);
    auto [same, first] = known.try_emplace({key, s.leaves.size(), order.size()},
                                           Known{static_cast<std::uint32_t>(tables.size()), order});
    Place place{same->second.table, std::vector<std::uint32_t>(s.params.size())};
    if (first) {
      EquationTable table;
      table.residual = over_slots(s, result_.dae.exprs);
      table.slots = static_cast<std::uint32_t>(s.leaves.size());
      table.params = static_cast<std::uint32_t>(s.params.size());
      tables.push_back(std::move(table));
    }
    for (std::uint32_t i = 0; i < order.size(); ++i) place.parameters[same->second.parameters[i]] = order[i];
    return place;
  }

  void fill(const Equations& from, const std::vector<std::uint32_t>& shape_of, Equations& to) {
    std::map<std::uint32_t, Place> by_shape;
    std::map<Key, Known> known;
    std::vector<std::size_t> rows_of(shapes_.size());
    for (std::uint32_t shape : shape_of)
      if (shape != kNone) ++rows_of[shape];
    std::size_t e = 0;
    const Place* place = nullptr;
    std::uint32_t last = kNone;
    for (const EquationTable& table : from.tables) {
      Origins::InOrder origins(table.origins);
      for (std::size_t row = 0; row < table.rows(); ++row, ++e) {
        if (shape_of[e] == kNone) continue;
        const Specialised& s = shapes_[shape_of[e]];
        if (shape_of[e] != last) {
          last = shape_of[e];
          auto [at, fresh] = by_shape.try_emplace(last);
          if (fresh) {
            at->second = place_of(s, known, to.tables);
            make_room(to.tables[at->second.table], rows_of[last]);
          }
          place = &at->second;
        }
        EquationTable& target = to.tables[place->table];
        auto unknowns = table.unknowns_of(row);
        for (const Leaf& leaf : s.leaves) {
          std::uint32_t v = variable_of_[rep_.of[unknowns[leaf.slot]].variable];
          for (std::uint32_t k = 0; k < leaf.order; ++k) v = result_.dae.variables[v].derivative;
          target.unknowns.push_back(v);
        }
        auto parameters = table.parameters_of(row);
        for (std::uint32_t p : place->parameters) target.parameters.push_back(parameters[s.params[p]]);
        target.origins.push_back(origins[row]);
        if (!table.tags.empty()) target.tags.push_back(table.tags[row]);
      }
    }
  }

  template <class Kept>
  void fill_sums(const SumTable& from, SumTable& to, Kept kept) {
    Origins::InOrder origins(from.origins);
    for (std::uint32_t row = 0; row < from.rows(); ++row) {
      if (!kept(row)) continue;
      for (Aliases::RootTerm term : aliases_.terms(from.terms_of(row))) {
        dae::Alias alias = result_.dae.aliases[term.root.value];
        bool negative = (term.coefficient < 0) != (alias.kind == dae::Alias::Negated);
        for (std::int32_t k = std::abs(term.coefficient); k > 0; --k)
          to.terms.push_back(Term::of(alias.variable, negative));
      }
      to.offsets.push_back(static_cast<std::uint32_t>(to.terms.size()));
      to.origins.push_back(origins[row]);
    }
  }

  const system::System& system_;
  Shapes& shapes_;
  ExprPool canonical_;
  Aliases& aliases_;
  const Representatives& rep_;
  Assembled result_;
  std::unordered_map<std::uint32_t, Origin> delayed_;  // representatives of delayed signals
  std::vector<std::uint32_t> order_;                   // by representative: the highest derivative
  std::vector<std::uint32_t> variable_of_;             // by representative
  std::vector<std::uint32_t> slot_of_;  // scratch: the first slot of the row that a representative has
};

}  // namespace

Assembled assemble(const system::System& system, Shapes& shapes, Aliases& aliases,
                   const Representatives& representatives) {
  return Assembly(system, shapes, aliases, representatives).run();
}

}  // namespace sigrel::reduce
