// Unification by itself: levels, requirements, units, sizes, schemes.
#include "compiler/check/types/unify.h"

#include <catch2/catch.hpp>

using namespace sigrel;
using namespace sigrel::check;

namespace {

struct Fixture {
  Arena arena;
  Types types{arena};
  Unifier unifier{types};

  std::string print(Type* type) { return TypePrinter(types).print(type); }
  Type* quantity(int metres, int seconds) {
    Linear unit;
    unit.constant[0] = Ratio::of(metres);
    unit.constant[2] = Ratio::of(seconds);
    return types.real(types.form(unit, Sort::Unit));
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "unify: a variable takes a type, with the requirements on it") {
  Type* a = unifier.fresh(kNumber);
  CHECK(unifier.unify(types.list(a), types.list(types.integer())));
  CHECK(print(a) == "Int");
  CHECK_FALSE(unifier.unify(unifier.fresh(kNumber), types.string()));
  CHECK_FALSE(unifier.unify(types.integer(), types.string()));
}

TEST_CASE_METHOD(Fixture, "unify: no type contains itself") {
  Type* a = unifier.fresh();
  CHECK_FALSE(unifier.unify(a, types.list(a)));
}

TEST_CASE_METHOD(Fixture, "agree: units that differ are a conflict, not another shape") {
  CHECK(unifier.unify(quantity(1, 0), quantity(0, 1)));
  CHECK_FALSE(unifier.agree(quantity(1, 0), quantity(0, 1)));
  CHECK(unifier.unit_conflict());
  CHECK_FALSE(unifier.agree(quantity(1, 0), types.string()));
  CHECK_FALSE(unifier.unit_conflict());
  Type* any = unifier.fresh_real();
  CHECK(unifier.agree(any, quantity(1, -1)));
  CHECK(print(any) == "Real<m/s>");
}

TEST_CASE_METHOD(Fixture, "unify: sizes are solved for integers only") {
  Type* n = unifier.fresh(Sort::Size);
  Linear twice;
  twice.add(n, {2, 1});
  CHECK(unifier.unify_sizes(types.form(twice, Sort::Size), types.size_literal(6)));
  Linear value;
  value.add(n, {1, 1});
  CHECK(value.constant[0] == Ratio::of(3));
  CHECK_FALSE(unifier.unify_sizes(types.size_literal(2), types.size_literal(3)));
}

TEST_CASE_METHOD(Fixture,
                 "schemes: only variables deeper than the level are quantified, each use has its own") {
  unifier.set_level(1);
  Type* outer = unifier.fresh();
  unifier.enter_level();
  Type* inner = unifier.fresh();
  unifier.leave_level();
  Type* scheme = types.function(outer, inner);
  REQUIRE(unifier.quantify(scheme, unifier.level()));
  Type* use = unifier.instantiate(scheme);
  CHECK(unifier.unify(use, types.function(types.integer(), types.string())));
  CHECK(print(outer) == "Int");  // shared by all uses
  CHECK(unifier.unify(unifier.instantiate(scheme), types.function(types.integer(), types.boolean())));
}

TEST_CASE_METHOD(Fixture, "schemes: a rigid variable is equal to itself alone") {
  Type* a = types.variable(kGeneric);
  Type* scheme = types.function(a, a);
  scheme->generic = true;
  std::vector<std::pair<Type*, Type*>> skolems;
  std::vector<Type*> sizes;
  Type* rigid = unifier.skolemise(scheme, skolems, sizes);
  REQUIRE(skolems.size() == 1);
  CHECK_FALSE(unifier.unify(rigid, types.function(types.integer(), types.integer())));
  CHECK(unifier.unify(rigid, types.function(skolems[0].second, unifier.fresh())));
}
