#include "compiler/reduce/mechanisms/angular_velocities.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "compiler/reduce/index.h"
#include "compiler/reduce/mechanisms/relative_rotations.h"
#include "compiler/reduce/mechanisms/rotation_edges.h"
#include "compiler/symbolic/algebra.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = dae::kNone;
constexpr std::uint32_t kWorld = 0;  // rotation

using Elements = std::array<dae::Alias, 9>;
using Vector = std::array<ExprId, 3>;

/// A rotation of the reduced system.
struct RotationVariables {
  Elements elements;
  /// Whether it follows from the world by relative rotations of a known form.
  bool is_reached = false;
  bool is_rotating = false;  // otherwise its derivatives are zero
  std::array<std::uint32_t, 3> velocity{kNone, kNone, kNone}, acceleration{kNone, kNone, kNone};
};

/// A row over variables, whose slots are numbered as they occur.
class NewRow {
 public:
  NewRow(dae::System& dae) : dae_(dae), pool_(dae.exprs) {}

  ExprId slot(std::uint32_t variable) {
    const auto at = std::ranges::find(unknowns_, variable);
    const auto number = static_cast<std::uint32_t>(at - unknowns_.begin());
    if (at == unknowns_.end()) unknowns_.push_back(variable);
    return pool_.slot(number);
  }
  ExprId parameter(std::uint32_t parameter) {
    const auto at = std::ranges::find(parameters_, parameter);
    const auto number = static_cast<std::uint32_t>(at - parameters_.begin());
    if (at == parameters_.end()) parameters_.push_back(parameter);
    return pool_.param(number);
  }
  /// A derivative of what an unknown is: zero if it has none.
  ExprId derivative(dae::Alias alias, std::uint32_t order) {
    if (alias.kind == dae::Alias::Zero) return pool_.constant(0);
    std::uint32_t variable = alias.variable;
    for (; order > 0 && variable != kNone; --order) variable = dae_.variables[variable].derivative;
    if (variable == kNone) return pool_.constant(0);
    return alias.kind == dae::Alias::Negated ? symbolic::neg(pool_, slot(variable)) : slot(variable);
  }
  ExprId value(dae::Alias alias) { return derivative(alias, 0); }
  /// Zero for kNone.
  ExprId variable(std::uint32_t variable) { return variable == kNone ? pool_.constant(0) : slot(variable); }
  std::span<const std::uint32_t> unknowns() const { return unknowns_; }
  std::span<const std::uint32_t> parameters() const { return parameters_; }

 private:
  dae::System& dae_;
  ExprPool& pool_;
  std::vector<std::uint32_t> unknowns_, parameters_;
};

class Pass {
 public:
  Pass(const system::System& system, dae::System& dae) : system_(system), dae_(dae), pool_(dae.exprs) {}

  void run() {
    if (!find_rotations()) return;
    find_elements();
    const dae::System before = copy();
    add_variables();
    element_of_.resize(dae_.variables.size());
    replace_rows();
    add_to_sets();
    if (!match_equations(dae_)) restore(before);
  }

 private:
  struct Element {
    std::uint32_t rotation = kNone, element = 0;
    bool negated = false;
  };
  struct Edge {
    RotationEdge edge;
    RelativeRotation relative;
    std::uint32_t from = kWorld, to = kWorld;  // rotations; `to` is the one that is determined
  };

  /// What the pass changes, without expressions.
  dae::System copy() const {
    dae::System result;
    result.equations = dae_.equations;
    result.variables = dae_.variables;
    result.derivative_of = dae_.derivative_of;
    result.sets = dae_.sets;
    result.assign = dae_.assign;
    return result;
  }
  void restore(const dae::System& before) {
    dae_.equations = before.equations;
    dae_.variables = before.variables;
    dae_.derivative_of = before.derivative_of;
    dae_.sets = before.sets;
    dae_.assign = before.assign;
  }

  std::uint32_t rotation(const Rotation& unknowns) {
    std::array<std::uint64_t, 9> code{};
    Elements elements;
    for (std::size_t k = 0; k < 9; ++k) {
      elements[k] = dae_.aliases[unknowns[k]];
      code[k] = elements[k].kind == dae::Alias::Zero
                    ? ~std::uint64_t{0}
                    : std::uint64_t{elements[k].variable} << 1 |
                          (elements[k].kind == dae::Alias::Negated ? 1u : 0u);
    }
    const auto [at, fresh] = numbers_.try_emplace(code, static_cast<std::uint32_t>(rotations_.size()));
    if (fresh) rotations_.push_back({.elements = elements});
    return at->second;
  }

  /// The highest derivative of the elements; nullopt if one of them or of their derivatives is a state, or
  /// differentiated more than twice.
  std::optional<std::uint32_t> order(const Elements& elements) const {
    std::uint32_t highest = 0;
    for (const dae::Alias& element : elements) {
      if (element.kind == dae::Alias::Zero) continue;
      std::uint32_t order = 0;
      for (std::uint32_t v = element.variable; v != kNone; v = dae_.variables[v].derivative, ++order)
        if (dae_.variables[v].state || is_candidate_[v]) return std::nullopt;
      highest = std::max(highest, order - 1);
    }
    return highest <= 2 ? std::optional(highest) : std::nullopt;
  }

  /// Whether there is one with second derivatives that follows from the world in a known way.
  bool find_rotations() {
    if (dae_.derivative_of.empty()) return false;
    std::vector<RotationEdge> edges = rotation_edges(system_, pool_);
    if (edges.empty()) return false;
    rotations_.push_back({.elements = {}, .is_reached = true});
    is_candidate_.assign(dae_.variables.size(), false);
    for (const dae::StateSet& set : dae_.sets)
      for (const std::uint32_t v : set.candidates) is_candidate_[v] = true;
    std::vector<std::vector<std::uint32_t>> leaving(1);
    RelativeRotations relative_rotations(system_, pool_);
    for (RotationEdge& edge : edges) {
      const std::optional<RelativeRotation> relative = relative_rotations.of(edge);
      std::uint32_t to = rotation(edge.to), from = edge.from ? rotation(*edge.from) : kWorld;
      if (relative && relative->determines_from) std::swap(from, to);
      leaving.resize(rotations_.size());
      if (!relative || to == from) continue;
      leaving[from].push_back(static_cast<std::uint32_t>(edges_.size()));
      edges_.push_back({std::move(edge), *relative, from, to});
    }
    leaving.resize(rotations_.size());
    bool any = false;
    std::vector<std::uint32_t> queue{kWorld};
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (const std::uint32_t e : leaving[queue[k]]) {
        const Edge& edge = edges_[e];
        RotationVariables& to = rotations_[edge.to];
        if (to.is_reached || edge.to == kWorld) continue;
        const auto order = this->order(to.elements);
        if (!order || (*order == 2 && !has_second_derivatives(edge))) continue;
        const bool is_rotating =
            rotations_[edge.from].is_rotating || edge.relative.kind != RelativeRotation::Fixed;
        if (is_rotating && *order < 2) continue;
        to.is_reached = true;
        to.is_rotating = is_rotating;
        any |= is_rotating;
        tree_.push_back(e);
        queue.push_back(edge.to);
      }
    return any;
  }

  bool has_second_derivatives(const Edge& edge) const {
    return std::ranges::all_of(edge.relative.coordinates, [&](std::uint32_t unknown) {
      const dae::Alias alias = dae_.aliases[unknown];
      if (alias.kind == dae::Alias::Zero) return true;
      const std::uint32_t rate = dae_.variables[alias.variable].derivative;
      return rate != kNone && dae_.variables[rate].derivative != kNone;
    });
  }

  /// Which variables are second derivatives of elements of known rotations, and the equations that give them.
  void find_elements() {
    element_of_.assign(dae_.variables.size(), Element{});
    // From the world outwards: an element that rotations share belongs to the first one.
    for (const std::uint32_t e : tree_) {
      const std::uint32_t r = edges_[e].to;
      for (std::uint32_t k = 0; k < 9; ++k) {
        const dae::Alias element = rotations_[r].elements[k];
        if (element.kind == dae::Alias::Zero) continue;
        const std::uint32_t rate = dae_.variables[element.variable].derivative;
        if (rate == kNone || dae_.variables[rate].derivative == kNone) continue;
        Element& of = element_of_[dae_.variables[rate].derivative];
        if (of.rotation == kNone) of = {r, k, element.kind == dae::Alias::Negated};
      }
    }
    for (const std::uint32_t e : tree_)
      for (const std::uint32_t source : edges_[e].edge.sources)
        equations_of_tree_.insert(key({edges_[e].edge.origin.instance, source}));
  }

  void add_variables() {
    for (const bool accelerations : {false, true})
      for (const std::uint32_t e : tree_) {
        const Edge& edge = edges_[e];
        RotationVariables& to = rotations_[edge.to];
        if (!to.is_rotating) continue;
        if (edge.relative.kind == RelativeRotation::Fixed) {
          to.velocity = rotations_[edge.from].velocity;
          to.acceleration = rotations_[edge.from].acceleration;
          continue;
        }
        const Rotation& unknowns = edge.relative.determines_from ? *edge.edge.from : edge.edge.to;
        for (std::uint32_t i = 0; i < 3; ++i) {
          const auto number = static_cast<std::uint32_t>(dae_.variables.size());
          dae::Variable variable{.unknown = unknowns[4 * i], .axis = i + 1};
          if (accelerations) {
            variable.order = 1;
            variable.integral = to.velocity[i];
            dae_.variables[to.velocity[i]].derivative = number;
          }
          (accelerations ? to.acceleration : to.velocity)[i] = number;
          dae_.variables.push_back(variable);
        }
      }
  }

  // -- expressions

  /// Component i; a and b give the components of vectors. What is not needed has no slot in the row.
  template <class A, class B>
  ExprId cross(std::size_t i, A a, B b) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const ExprId first = symbolic::mul(pool_, a(j), b(k)), second = symbolic::mul(pool_, a(k), b(j));
    return symbolic::sub(pool_, first, second);
  }
  /// An element of a rotation; of the world: of the identity.
  ExprId element(NewRow& row, std::uint32_t rotation, std::size_t i, std::size_t k) {
    if (rotation == kWorld) return pool_.constant(i == k ? 1 : 0);
    return row.value(rotations_[rotation].elements[3 * i + k]);
  }
  /// An element of the derivative of a rotation: `cross w b` where that is no variable, because nothing reads
  /// it.
  ExprId derivative(NewRow& row, std::uint32_t rotation, std::size_t i, std::size_t k) {
    const RotationVariables& of = rotations_[rotation];
    const dae::Alias element = of.elements[3 * i + k];
    if (element.kind == dae::Alias::Zero || dae_.variables[element.variable].derivative != kNone)
      return row.derivative(element, 1);
    return cross(
        i, [&](std::size_t j) { return row.variable(of.velocity[j]); },
        [&](std::size_t j) { return row.value(of.elements[3 * j + k]); });
  }
  /// An element of the second derivative of a rotation.
  ExprId second_derivative(NewRow& row, std::uint32_t rotation, std::uint32_t element) {
    const RotationVariables& of = rotations_[rotation];
    if (!of.is_rotating) return pool_.constant(0);
    const std::size_t i = element / 3, k = element % 3;
    auto component = [&](const std::array<std::uint32_t, 3>& vector) {
      return [&](std::size_t j) { return row.variable(vector[j]); };
    };
    const ExprId by_acceleration = cross(i, component(of.acceleration),
                                         [&](std::size_t j) { return row.value(of.elements[3 * j + k]); });
    const ExprId by_velocity =
        cross(i, component(of.velocity), [&](std::size_t j) { return derivative(row, rotation, j, k); });
    return symbolic::add(pool_, by_acceleration, by_velocity);
  }

  /// The angular velocity of a relative rotation, or its derivative, in the axes that it starts from.
  Vector rate_of(NewRow& row, const Edge& edge, bool derivative) {
    const auto& q = edge.relative.coordinates;
    auto of = [&](std::size_t k, std::uint32_t order) { return row.derivative(dae_.aliases[q[k]], order); };
    Vector result;
    if (edge.relative.kind == RelativeRotation::Axis) {
      for (std::size_t i = 0; i < 3; ++i) {
        const ExprId axis = symbolic::rewrite(pool_, edge.relative.axis[i], pool_, [&](const Node& n) {
          return n.op == Op::Param ? row.parameter(edge.edge.parameters[n.a]) : pool_.intern(Node(n));
        });
        result[i] = symbolic::mul(pool_, axis, of(0, derivative ? 2 : 1));
      }
      return result;
    }
    ExprId length = pool_.constant(0), back = pool_.constant(0);
    for (std::size_t k = 0; k < 4; ++k) {
      length = symbolic::add(pool_, length, symbolic::mul(pool_, of(k, 0), of(k, 0)));
      back = symbolic::add(pool_, back, symbolic::mul(pool_, of(k, 0), of(k, 1)));
    }
    // 2 (q0 v' - q0' v + cross v v') / |q|^2, and the same with q'', of which 2 (q q') / |q|^2 times the
    // velocity is subtracted.
    auto product = [&](std::uint32_t order) {
      auto v = [&](std::size_t i) { return of(1 + i, 0); };
      auto d = [&](std::size_t i) { return of(1 + i, order); };
      Vector sum;
      for (std::size_t i = 0; i < 3; ++i)
        sum[i] = symbolic::add(pool_,
                               symbolic::sub(pool_, symbolic::mul(pool_, of(0, 0), d(i)),
                                             symbolic::mul(pool_, of(0, order), v(i))),
                               cross(i, v, d));
      return sum;
    };
    const ExprId scale = symbolic::div(pool_, pool_.constant(2), length);
    const Vector velocity = product(1);
    if (!derivative) {
      for (std::size_t i = 0; i < 3; ++i) result[i] = symbolic::mul(pool_, scale, velocity[i]);
      return result;
    }
    const Vector acceleration = product(2);
    for (std::size_t i = 0; i < 3; ++i)
      result[i] =
          symbolic::mul(pool_, scale,
                        symbolic::sub(pool_, acceleration[i],
                                      symbolic::mul(pool_, symbolic::mul(pool_, scale, back), velocity[i])));
    return result;
  }

  struct Place {
    std::uint32_t table, row;
  };

  /// w_b = w_a + a w_T, or alpha_b = alpha_a + a w_T' + cross w_a w_b.
  Place add_definition(const Edge& edge, bool derivative, std::size_t i) {
    NewRow row(dae_);
    // Where b = a T determines a, it is solved for that.
    const std::uint32_t a = edge.relative.determines_from ? edge.to : edge.from;
    const std::uint32_t b = edge.relative.determines_from ? edge.from : edge.to;
    auto velocity = [&](std::uint32_t rotation) {
      return [&, rotation](std::size_t j) { return row.variable(rotations_[rotation].velocity[j]); };
    };
    auto component = [&](std::uint32_t rotation) {
      const RotationVariables& of = rotations_[rotation];
      return row.variable((derivative ? of.acceleration : of.velocity)[i]);
    };
    const ExprId to = component(b);
    ExprId rest = component(a);
    const Vector rate = rate_of(row, edge, derivative);
    for (std::size_t k = 0; k < 3; ++k)
      rest = symbolic::add(pool_, rest, symbolic::mul(pool_, element(row, a, i, k), rate[k]));
    if (derivative) rest = symbolic::add(pool_, rest, cross(i, velocity(a), velocity(b)));
    return add(symbolic::sub(pool_, to, rest), row, edge.edge.origin);
  }

  // -- rows

  Place add(ExprId residual, const NewRow& row, Origin origin) {
    const auto [at, fresh] =
        table_of_.try_emplace({residual.value, row.unknowns().size(), row.parameters().size()},
                              static_cast<std::uint32_t>(tables_.size()));
    if (fresh) {
      EquationTable& table = tables_.emplace_back();
      table.residual = residual;
      table.slots = static_cast<std::uint32_t>(row.unknowns().size());
      table.params = static_cast<std::uint32_t>(row.parameters().size());
    }
    return add(tables_[at->second], at->second, row.unknowns(), row.parameters(), origin);
  }
  static Place add(EquationTable& table, std::uint32_t number, std::span<const std::uint32_t> unknowns,
                   std::span<const std::uint32_t> parameters, Origin origin) {
    table.unknowns.insert(table.unknowns.end(), unknowns.begin(), unknowns.end());
    table.parameters.insert(table.parameters.end(), parameters.begin(), parameters.end());
    table.origins.push_back(origin);
    return {number, static_cast<std::uint32_t>(table.rows() - 1)};
  }

  bool reads_second_derivative(std::span<const std::uint32_t> unknowns) const {
    return std::ranges::any_of(unknowns, [&](std::uint32_t v) { return element_of_[v].rotation != kNone; });
  }

  ExprId replaced(NewRow& row, const EquationTable& table, std::size_t number) {
    const auto unknowns = table.unknowns_of(number), parameters = table.parameters_of(number);
    return symbolic::rewrite(pool_, table.residual, pool_, [&](const Node& n) {
      if (n.op == Op::Param) return row.parameter(parameters[n.a]);
      if (n.op != Op::Slot) return pool_.intern(Node(n));
      const Element& of = element_of_[unknowns[n.a]];
      if (of.rotation == kNone) return row.slot(unknowns[n.a]);
      const ExprId value = second_derivative(row, of.rotation, of.element);
      return of.negated ? symbolic::neg(pool_, value) : value;
    });
  }

  void replace_rows() {
    Equations old = std::exchange(dae_.equations, {});
    std::vector<Place> places;  // by number before
    for (EquationTable& table : old.tables) {
      const auto number = static_cast<std::uint32_t>(tables_.size());
      tables_.emplace_back();
      if (!reads_second_derivative(table.unknowns)) {
        for (std::uint32_t row = 0; row < table.rows(); ++row) places.push_back({number, row});
        tables_[number] = std::move(table);
        continue;
      }
      EquationTable rest;
      rest.residual = table.residual;
      rest.slots = table.slots;
      rest.params = table.params;
      Origins::InOrder origins(table.origins);
      for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto unknowns = table.unknowns_of(row), parameters = table.parameters_of(row);
        if (reads_second_derivative(unknowns) && !equations_of_tree_.contains(key(origins[row]))) {
          NewRow fresh(dae_);
          const ExprId residual = replaced(fresh, table, row);
          places.push_back(add(residual, fresh, origins[row]));
        } else {
          places.push_back(add(rest, number, unknowns, parameters, origins[row]));
        }
      }
      tables_[number] = std::move(rest);
    }
    std::vector<Place> definitions;  // of accelerations
    std::vector<std::uint32_t> accelerations;
    for (const std::uint32_t e : tree_) {
      const Edge& edge = edges_[e];
      if (!rotations_[edge.to].is_rotating || edge.relative.kind == RelativeRotation::Fixed) continue;
      for (std::size_t i = 0; i < 3; ++i) {
        add_definition(edge, false, i);
        definitions.push_back(add_definition(edge, true, i));
        accelerations.push_back(rotations_[edge.to].acceleration[i]);
      }
    }

    std::vector<std::uint32_t> first;  // by table
    std::uint32_t count = 0;
    for (const EquationTable& table : tables_) {
      first.push_back(count);
      count += static_cast<std::uint32_t>(table.rows());
    }
    auto number = [&](Place at) { return first[at.table] + at.row; };
    std::vector<std::uint32_t> number_of;  // by number before
    for (const Place at : places) number_of.push_back(number(at));
    for (std::uint32_t row = 0; row < old.sums.rows(); ++row) number_of.push_back(count + row);
    dae_.equations.sums = std::move(old.sums);
    dae_.equations.tables = std::move(tables_);

    std::vector<std::uint32_t> derivative_of(dae_.equations.count(), kNone);
    for (std::uint32_t e = 0; e < dae_.derivative_of.size(); ++e)
      if (dae_.derivative_of[e] != kNone) derivative_of[number_of[e]] = number_of[dae_.derivative_of[e]];
    equation_of_acceleration_.assign(dae_.variables.size(), kNone);
    for (std::size_t k = 0; k < definitions.size(); ++k)
      equation_of_acceleration_[accelerations[k]] = number(definitions[k]);
    dae_.derivative_of = std::move(derivative_of);
    for (dae::StateSet& set : dae_.sets)
      for (std::uint32_t& e : set.equations) e = number_of[e];
    std::erase_if(dae_.equations.tables, [](const EquationTable& table) { return table.rows() == 0; });
  }

  /// Where a set determines second derivatives of rotations, it determines accelerations.
  void add_to_sets() {
    for (dae::StateSet& set : dae_.sets) {
      std::vector<std::uint32_t> added;
      for (const std::uint32_t v : set.eliminated) {
        if (v >= element_of_.size() || element_of_[v].rotation == kNone) continue;
        for (const std::uint32_t acceleration : rotations_[element_of_[v].rotation].acceleration)
          if (acceleration != kNone) added.push_back(acceleration);
      }
      std::ranges::sort(added);
      added.erase(std::ranges::unique(added).begin(), added.end());
      for (const std::uint32_t acceleration : added) {
        set.eliminated.push_back(acceleration);
        set.equations.push_back(equation_of_acceleration_[acceleration]);
      }
    }
  }

  const system::System& system_;
  dae::System& dae_;
  ExprPool& pool_;
  std::map<std::array<std::uint64_t, 9>, std::uint32_t> numbers_;
  std::vector<RotationVariables> rotations_;  // the world first
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> tree_;                      // edges, from the world outwards
  std::vector<bool> is_candidate_;                       // by variable: of a state set
  std::vector<Element> element_of_;                      // by variable
  std::unordered_set<std::uint64_t> equations_of_tree_;  // by origin; they keep b''
  std::vector<EquationTable> tables_;
  std::map<std::tuple<std::uint32_t, std::size_t, std::size_t>, std::uint32_t> table_of_;
  std::vector<std::uint32_t> equation_of_acceleration_;  // by variable
};

}  // namespace

void add_angular_velocities(const system::System& system, dae::System& dae) { Pass(system, dae).run(); }

}  // namespace sigrel::reduce
