// The examples of the talk and the components that every engineer knows.
#include "networks.h"

using namespace sigrel::structural_types;
using random_definitions::Variables;

namespace {

using Matrix = std::vector<Variables>;

Definition leaf(std::uint32_t interface, std::uint32_t locals, const Matrix& equations) {
  Definition d(interface, locals);
  for (const Variables& equation : equations) d.equation(equation);
  return d;
}
/// A type from rows of zeros and ones.
StructuralType matrix(const Matrix& rows) {
  Incidence incidence{static_cast<std::uint32_t>(rows[0].size()), 0, {}};
  incidence.rows.columns = incidence.interface;
  for (const Variables& row : rows) {
    for (std::uint32_t c = 0; c < row.size(); ++c)
      if (row[c]) incidence.rows.targets.push_back(c);
    incidence.rows.end_row();
  }
  return StructuralType(incidence);
}
void apply(Definition& d, std::uint32_t relation, const Variables& arguments) {
  d.application(relation);
  for (std::uint32_t v : arguments) d.variable(v);
}
StructuralType child_type(const std::vector<Definition>& library) {
  std::vector<Typing> types = types_of(library);
  REQUIRE(types.back().type);
  return *types.back().type;
}

const std::vector<std::string> kPins = {"p.v", "p.i", "n.v", "n.i"};
// p.v p.i n.v n.i, and the voltage 4 and the current 5 of two-pins.
const Matrix kTwoPin = {{4, 0, 2}, {5, 1}, {1, 3}};
Definition component(const Variables& law) {
  Matrix equations = kTwoPin;
  equations.push_back(law);
  return leaf(4, 2, equations);
}
const Definition kFoo = leaf(3, 0, {{0, 1, 2}, {1, 2}});
//// Components of two pins, and ground.
const Definition kResistor = component({4, 5}), kVoltageSource = component({4}),
                 kCurrentSource = component({5}), kGround = leaf(2, 0, {{0}});

}  // namespace

TEST_CASE("N-1 to N-4: foo, its applications, bar") {
  CHECK(same_type(child_type({kFoo}), matrix({{1, 1, 1}, {0, 1, 1}})) == true);

  enum { u, v, w, x, y };
  Definition variables(5, 0);
  apply(variables, 0, {u, v, w});
  CHECK(same_type(child_type({kFoo, variables}), matrix({{1, 1, 1, 0, 0}, {0, 1, 1, 0, 0}})) == true);

  Definition expressions(5, 0);
  expressions.application(0);
  expressions.variable(w);
  expressions.expression(Variables{u, x});
  expressions.expression(Variables{v, y});
  StructuralType exact = child_type({kFoo, expressions}),
                 product = matrix({{1, 1, 1, 1, 1}, {1, 1, 0, 1, 1}});
  CHECK(included(exact, product) == true);
  CHECK(included(product, exact) == false);  // it lets one number u + x determine both u and x
  CHECK(rank(exact, {u, x}) == 1);
  CHECK(rank(product, {u, x}) == 2);

  // bar(u, y) with locals v w x: foo <> (u, v, w); foo <> (w, u + x, v + y)
  Definition bar(2, 3);
  apply(bar, 0, {0, 2, 3});
  bar.application(0);
  bar.variable(3);
  bar.expression(Variables{0, 4});
  bar.expression(Variables{2, 1});
  StructuralType type = child_type({kFoo, bar});
  CHECK(type == matrix({{1, 1}}));
  CHECK(to_text(type, std::vector<std::string>{"u", "y"}) == "{u y}");
}

TEST_CASE("N-5: three equations for three unknowns, two of them for one") {
  Typing type = types_of(std::vector{leaf(3, 0, {{0, 1, 2}, {2}, {2}})})[0];
  CHECK(!type.type);
  CHECK(!type.under_determined);
  const auto causes = type.causes();
  REQUIRE(causes.over);
  CHECK(causes.over->set.rows == Variables{1, 2});
  CHECK(causes.over->set.columns == Variables{2});
  CHECK(causes.under.empty());
}

TEST_CASE("N-6: electrical components") {
  auto text = [](const std::vector<Definition>& library) { return to_text(child_type(library), kPins); };
  CHECK(to_text(child_type({kGround}), kPins) == "{p.v}");
  CHECK(text({kVoltageSource}) == "{p.v n.v; p.i n.i}");
  CHECK(text({kCurrentSource}) == "{p.i; n.i}");
  CHECK(text({kResistor}) == "{p.v p.i n.v; p.i n.i}");

  Definition series(4, 3);  // mv ai bi
  apply(series, 0, {0, 1, 4, 5});
  apply(series, 0, {4, 6, 2, 3});
  series.equation(Variables{5, 6});
  CHECK(text({kResistor, series}) == "{p.v p.i n.v; p.i n.i}");
  Definition parallel(4, 4);  // pi1 ni1 pi2 ni2
  apply(parallel, 0, {0, 4, 2, 5});
  apply(parallel, 0, {0, 6, 2, 7});
  parallel.equation(Variables{1, 4, 6});
  parallel.equation(Variables{3, 5, 7});
  CHECK(text({kResistor, parallel}) == "{p.v p.i n.v; p.v p.i n.i}");
}

TEST_CASE("meshes and chains of any size") {
  using namespace networks;
  CHECK(flat_network(25, mesh_edges(5)).locals() == 143);
  // 5: bit sets; 20 written out: beyond them, the type from the ranks of a sparse system.
  for (std::uint32_t n : {2u, 3u, 5u, 8u, 20u}) {
    CHECK(to_text(child_type({two_pin(), network(n * n, mesh_edges(n))}), kPins) ==
          "{p.v p.i n.v; p.v p.i n.i}");
    CHECK(to_text(child_type({flat_network(n * n, mesh_edges(n))}), kPins) == "{p.v p.i n.v; p.v p.i n.i}");
  }
  for (std::uint32_t n : {2u, 10u, 500u})
    CHECK(to_text(child_type({two_pin(), chain(n)}), kPins) == "{p.v p.i n.v; p.i n.i}");
}

TEST_CASE("three sums under two equations need hidden columns") {
  StructuralType type = child_type({leaf(6, 3, {{6, 0, 1}, {7, 2, 3}, {8, 4, 5}, {6, 7, 8}, {6, 7, 8}})});
  CHECK(type.hidden() > 0);
  CHECK(type.rank() == 2);
  const auto family = bases(type).value();
  CHECK(family.size() == 12);  // all pairs but the three within a sum
  CHECK(to_text(type, std::vector<std::string>{"a", "b", "c", "d", "e", "f"}) == "{a b ~1; c d ~1; e f ~1}");
}

TEST_CASE("N-8: circuits") {
  enum Relation : std::uint32_t { R, V, G };
  const std::vector<Definition> parts = {kResistor, kVoltageSource, kGround};
  auto circuit = [&](std::uint32_t resistors, std::uint32_t sources, std::uint32_t grounds) {
    // Two nodes with potentials 0 and 1; everything between them, grounds at node 1.
    std::uint32_t currents = 2 * (resistors + sources) + grounds;
    Definition d(0, 2 + currents);
    std::uint32_t next = 2;
    Variables node[2];
    for (std::uint32_t k = 0; k < resistors + sources; ++k) {
      apply(d, k < resistors ? R : V, {0, next, 1, next + 1});
      node[0].push_back(next++);
      node[1].push_back(next++);
    }
    for (std::uint32_t k = 0; k < grounds; ++k) {
      apply(d, G, {1, next});
      node[1].push_back(next++);
    }
    d.equation(node[0]);
    d.equation(node[1]);
    std::vector<Definition> library = parts;
    library.push_back(d);
    return types_of(library).back().type.has_value();
  };
  CHECK(circuit(1, 1, 1));
  CHECK(!circuit(0, 2, 1));
  CHECK(!circuit(1, 1, 2));
  CHECK(circuit(1, 1, 0));  // its potentials have no level: numbers, not structure
}

TEST_CASE("the definition at fault is blamed, by the equation that was written last") {
  enum { w = 2 };
  // Interface x y, local w: foo <> (x, y, w) leaves one unknown of three to the context and to equations.
  Definition d(2, 1);
  apply(d, 0, {0, 1, w});
  d.equation(Variables{0, w});
  d.equation(Variables{1, w});
  std::vector<Definition> library{kFoo, d};
  Typing type = types_of(library).back();
  const auto causes = type.causes();
  REQUIRE(causes.over);
  CHECK(causes.over->set.rows == Variables{0, 1, 2, 3});
  const RowOrigin& last = type.composition.rows[causes.over->set.rows.back()];
  CHECK(last.kind == RowOrigin::Kind::Own);
  CHECK(last.index == 1);

  // What uses it has no type either, and nothing to blame itself for.
  Definition user(2, 0);
  apply(user, 1, {0, 1});
  library.push_back(user);
  type = types_of(library).back();
  CHECK((!type.type && !type.over_determined && !type.under_determined));

  // A local that nothing is free to determine.
  type = types_of(std::vector{leaf(1, 2, {{0}, {1, 2}})}).back();
  const auto under = type.causes().under;
  REQUIRE(under.size() == 1);
  CHECK(under[0].set.columns == Variables{1, 2});
  CHECK(under[0].set.rows == Variables{1});
  CHECK(under[0].missing == 1);
}

TEST_CASE("the flat system names equations by instance path") {
  Definition user(1, 2);
  user.application(0);
  user.variable(0);
  user.expression(Variables{1, 2});
  user.variable(2);
  Expansion flat = expand(std::vector{kFoo, user}, 1);
  CHECK(flat.instances.size() == 2);
  CHECK(flat.instances[1].application == 0);
  REQUIRE(flat.rows.size() == 3);
  CHECK(flat.rows[0].instance == 1);
  CHECK(flat.rows[2].argument);
  CHECK(flat.columns[3].argument);
  CHECK(flat.columns[3].index == 1);
  auto row = [&](std::uint32_t r) {
    return Variables(flat.incidence.rows.row(r).begin(), flat.incidence.rows.row(r).end());
  };
  CHECK(row(0) == Variables{0, 3, 2});
  CHECK(row(1) == Variables{3, 2});
  CHECK(row(2) == Variables{3, 1, 2});
}

TEST_CASE("empty things") {
  CHECK(child_type({Definition(0, 0)}).rank() == 0);
  CHECK(child_type({Definition(3, 0)}).rank() == 0);
  CHECK(bases(child_type({Definition(3, 0)}))->size() == 1);
  CHECK(!types_of(std::vector{leaf(1, 0, {{}})})[0].type);
  CHECK(!types_of(std::vector{Definition(1, 1)})[0].type);
  CHECK(included(child_type({Definition(3, 0)}), child_type({Definition(3, 0)})) == true);
}
