// Each rule by itself keeps B, by brute force on small systems.
#include <functional>

#include "compiler/structural_types/admissible.h"
#include "compiler/structural_types/canonical_order.h"
#include "compiler/structural_types/dominance.h"
#include "compiler/structural_types/merge.h"
#include "compiler/structural_types/presentation.h"
#include "compiler/structural_types/sparse.h"
#include "compiler/structural_types/surplus.h"
#include "compiler/structural_types/transversal.h"
#include "random_definitions.h"

using namespace sigrel::structural_types;
using namespace random_definitions;

namespace {

template <unsigned W>
Dense<W> dense(const Incidence& incidence) {
  Dense<W> d = dense_of<W>(incidence.interface, incidence.hidden, incidence.rows.rows());
  for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r)
    for (std::uint32_t c : incidence.rows.row(r)) d.insert(r, c);
  return d;
}

/// What is left after a rule, and the interface columns that it has found in every basis.
template <unsigned W>
std::set<std::uint32_t> family(const Dense<W>& d, const Bits<W>& coloops = {}) {
  Order order;
  for (unsigned r : d.live[kRow]) order.rows.push_back(r);
  for (unsigned c : d.hidden()) order.hidden.push_back(c);
  Dense<1> small = compacted<1>(d, order);
  Incidence incidence{small.interface, static_cast<std::uint32_t>(order.hidden.size()), {}};
  incidence.rows.columns = incidence.columns();
  for (const Bits<1>& row : small.adjacent[kRow]) {
    for (unsigned c : row) incidence.rows.targets.push_back(c);
    incidence.rows.end_row();
  }
  std::set<std::uint32_t> result;
  for (std::uint32_t set : brute_force(incidence)) {
    std::uint32_t named = 0;
    for (unsigned c : coloops) named |= 1u << c;
    for (std::uint32_t c = 0; c < small.interface; ++c)
      if (set >> c & 1) named |= 1u << small.label[c];
    result.insert(named);
  }
  return result;
}

template <unsigned W>
bool consistent(const Dense<W>& d) {
  for (unsigned r = 0; r < d.adjacent[kRow].size(); ++r)
    for (unsigned c = 0; c < d.adjacent[kColumn].size(); ++c)
      if (d.row(r).test(c) != d.column(c).test(r) ||
          (d.row(r).test(c) && !(d.live[kRow].test(r) && d.live[kColumn].test(c))))
        return false;
  return true;
}

/// Applies a rule to random systems, after K1 to K4 if it wants a core, and counts how often it did
/// something.
template <unsigned W>
std::size_t check_rule(std::uint64_t seed, bool core, const std::function<bool(Dense<W>&, Bits<W>&)>& rule) {
  Dice dice(seed);
  std::size_t used = 0;
  for (int i = 0; i < 4000; ++i) {
    std::uint32_t interface = dice.number(1, 6), hidden = dice.number(0, 6);
    Incidence system = coverable(dice, interface, hidden, hidden + dice.number(0, interface));
    Dense<W> d = dense<W>(system);
    Bits<W> coloops;
    if (core) do
        coloops |= keep_admissible(d);
      while (merge_small(d));
    const std::set<std::uint32_t> before = brute_force(system);
    if (family(d, coloops) != before) FAIL("K1 to K4, system " << i);
    used += rule(d, coloops);
    if (!consistent(d)) FAIL("rows and columns differ, system " << i);
    if (family(d, coloops) != before) FAIL("system " << i);
  }
  return used;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("each rule keeps the family", "", ((unsigned W), W), 1, 2, 8) {
  using D = Dense<W>;
  using B = Bits<W>;
  CHECK(check_rule<W>(1, false, [](D& d, B& coloops) {
          coloops |= keep_admissible(d);
          return coloops.any();
        }) > 100);
  CHECK(check_rule<W>(2, false, [](D& d, B&) { return merge_small(d); }) > 1000);
  CHECK(check_rule<W>(3, true, [](D& d, B&) { return merge_rows_of_tight_sets(d); }) > 10);
  CHECK(check_rule<W>(4, true, [](D& d, B&) { return merge_columns_of_tight_sets(d); }) > 10);
  CHECK(check_rule<W>(5, false, [](D& d, B&) { return thin_hidden(d); }) > 1000);
  CHECK(check_rule<W>(6, false, [](D& d, B&) {
          maximise(d);
          return true;
        }) > 1000);
  CHECK(check_rule<W>(7, false, [](D& d, B&) { return drop_dominated(d); }) > 1000);
  CHECK(check_rule<W>(8, true, [](D& d, B&) { return drop_dominated(d); }) > 10);
  CHECK(check_rule<W>(9, true, [](D& d, B&) { return drop_dominated_when_maximal(d); }) > 10);
  CHECK(check_rule<W>(10, true, [](D& d, B&) {
          if (d.hidden().none()) return false;
          std::optional<D> form = transversal_form(d);
          if (form) d = *form;
          return form.has_value();
        }) > 10);
  CHECK(check_rule<W>(11, true, [](D& d, B&) {
          if (d.hidden().any()) return false;
          make_sparse(d);
          return true;
        }) > 100);
}

TEST_CASE("the sparse form of K1 to K4 keeps the family") {
  Dice dice(12);
  for (int i = 0; i < 4000; ++i) {
    std::uint32_t interface = dice.number(1, 6), hidden = dice.number(0, 8);
    Incidence system = coverable(dice, interface, hidden, hidden + dice.number(0, interface));
    std::vector<std::uint32_t> coloops;
    Part part = close_sparse(system, coloops);
    Dense<1> d = dense<1>(part.incidence);
    d.label = part.label;
    Bits<1> in_all;
    for (std::uint32_t c : coloops) in_all.set(c);
    if (family(d, in_all) != brute_force(system)) FAIL("system " << i);
    // As far as the bit sets get.
    Dense<1> other = dense<1>(system);
    do keep_admissible(other);
    while (merge_small(other));
    CHECK(other.hidden().count() == part.incidence.hidden);
    CHECK(other.live[kRow].count() == part.incidence.rows.rows());
  }
}

TEST_CASE("the maximal presentation is unique") {
  Dice dice(13);
  for (int i = 0; i < 2000; ++i) {
    std::uint32_t interface = dice.number(1, 6);
    StructuralType a(coverable(dice, interface, 0, dice.number(1, interface)));
    StructuralType b(coverable(dice, interface, 0, a.rows()));
    const bool same = bases(a) == bases(b);
    CHECK((maximal_presentation(a) == maximal_presentation(b)) == same);
    CHECK((reduce(a.incidence()) == reduce(b.incidence())) == same);
    CHECK(maximal_presentation(a) == maximal_presentation(reduce(a.incidence())));
  }
}
