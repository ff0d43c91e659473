// The fast forms of the rules against their specification (rules.h), on random systems and definitions.
#include "compiler/structural_types/admissible.h"
#include "compiler/structural_types/dominance.h"
#include "compiler/structural_types/merge.h"
#include "compiler/structural_types/presentation.h"
#include "compiler/structural_types/rules.h"
#include "compiler/structural_types/surplus.h"
#include "compiler/structural_types/transversal.h"
#include "random_definitions.h"

using namespace sigrel::structural_types;
using namespace random_definitions;
using rules::Matrix;

namespace {

Dense<1> dense(const Incidence& incidence) {
  Dense<1> d = dense_of<1>(incidence.interface, incidence.hidden, incidence.rows.rows());
  for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r)
    for (std::uint32_t c : incidence.rows.row(r)) d.insert(r, c);
  return d;
}

Matrix matrix(const Dense<1>& d, const Bits<1>& coloops = {}) {
  Matrix m;
  m.interface = d.visible().words[0];
  m.hidden = d.hidden().words[0];
  for (unsigned r : d.live[kRow]) m.rows.push_back(d.row(r).words[0]);
  m.coloops = coloops.words[0];
  return m;
}

Matrix with_sorted_rows(Matrix m) {
  std::ranges::sort(m.rows);
  return m;
}

std::set<std::uint32_t> family_of(const Matrix& m) {
  const std::vector<rules::Columns> sets = rules::family(m);
  return {sets.begin(), sets.end()};
}

Incidence random_system(Dice& dice) {
  std::uint32_t interface = dice.number(1, 5), hidden = dice.number(0, 5);
  return coverable(dice, interface, hidden, hidden + dice.number(0, interface));
}

/// Whether `reduce` gives what the specification gives.
void compare(const Incidence& system, const StructuralType& type) {
  const Matrix specified = rules::reduce(rules::matrix_of(system));
  REQUIRE((specified.hidden == 0) == (type.hidden() == 0));
  if (specified.hidden == 0)
    CHECK(rules::canonical_type(specified, system.interface) == type);
  else
    CHECK(family_of(specified) == masks(bases(type).value()));
}

}  // namespace

TEST_CASE("each rule of the specification keeps the family") {
  struct Rule {
    const char* name;
    bool (*apply)(Matrix&);
    bool after_k1;
    std::size_t used = 0;
  };
  std::vector<Rule> all = {{"K1", rules::k1, false}, {"K2", rules::k2, false}, {"K3", rules::k3, false},
                           {"K4", rules::k4, false}, {"K5", rules::k5, true},  {"K5'", rules::k5_dual, true},
                           {"K6", rules::k6, false}, {"K8", rules::k8, false}, {"K9", rules::k9, false}};
  Dice dice(61);
  for (int i = 0; i < 1500; ++i) {
    const Incidence system = random_system(dice);
    const std::set<std::uint32_t> expected = brute_force(system);
    for (Rule& rule : all) {
      Matrix m = rules::matrix_of(system);
      REQUIRE(family_of(m) == expected);
      if (rule.after_k1) rules::k1(m);
      rule.used += rule.apply(m);
      INFO(rule.name << ", system " << i);
      REQUIRE(family_of(m) == expected);
    }
  }
  for (const Rule& rule : all) {
    INFO(rule.name);
    CHECK(rule.used > 100);
  }
}

TEST_CASE("the fast forms apply where the specification does, and K1 and the presentations are the same") {
  Dice dice(62);
  std::size_t cores = 0;
  for (int i = 0; i < 12000; ++i) {
    const Incidence system = random_system(dice);
    Dense<1> d = dense(system);
    Matrix m = rules::matrix_of(system);
    const Bits<1> first_coloops = keep_admissible(d);
    rules::k1(m);
    REQUIRE(with_sorted_rows(matrix(d, first_coloops)) == with_sorted_rows(m));
    while (merge_small(d)) keep_admissible(d);
    m = matrix(d);
    Matrix unchanged = m;
    CHECK(!rules::k1(unchanged));
    CHECK((!rules::k2(unchanged) && !rules::k3(unchanged) && !rules::k4(unchanged)));
    if (d.hidden().none()) continue;
    ++cores;
    auto agree = [&](bool (*rule)(Matrix&), auto fast) {
      Matrix specified = m;
      Dense<1> other = d;
      CHECK(fast(other) == rule(specified));
    };
    agree(rules::k5, [](Dense<1>& x) { return merge_rows_of_tight_sets(x); });
    agree(rules::k5_dual, [](Dense<1>& x) { return merge_columns_of_tight_sets(x); });
    agree(rules::k6, [](Dense<1>& x) { return thin_hidden(x); });
    agree(rules::k9, [](Dense<1>& x) { return drop_dominated(x); });
    agree(rules::k8, [](Dense<1>& x) { return transversal_form(x).has_value(); });
    Dense<1> maximal = d;
    maximise(maximal);
    rules::maximise(m);
    CHECK(matrix(maximal) == m);
  }
  CHECK(cores > 300);
}

TEST_CASE("reduce gives what the specification gives, on random systems") {
  Dice dice(63);
  for (int i = 0; i < 2000; ++i) {
    const Incidence system = random_system(dice);
    compare(system, reduce(system));
  }
}

TEST_CASE("types of random definitions are those of the specification for the flat system") {
  Dice dice(64);
  std::size_t compared = 0;
  for (int i = 0; i < 60; ++i) {
    const std::vector<Definition> all = library(dice);
    const std::vector<Typing> typings = types_of(all);
    for (std::uint32_t d = 0; d < all.size(); ++d) {
      if (!typings[d].type || all[d].interface() > 5) continue;
      const Incidence flat = expand(all, d).incidence;
      if (flat.columns() > 40) continue;
      compare(flat, *typings[d].type);
      ++compared;
    }
  }
  CHECK(compared > 50);
}
