// Inclusion and equality of types against the families themselves.
#include "random_definitions.h"

using namespace sigrel::structural_types;
using namespace random_definitions;

TEST_CASE("inclusion is inclusion of families") {
  Dice dice(41);
  std::size_t yes = 0, no = 0;
  for (int i = 0; i < 3000; ++i) {
    std::uint32_t interface = dice.number(1, 6), rank = dice.number(0, interface);
    auto random = [&] {
      std::uint32_t hidden = dice.number(0, 4);
      return StructuralType(coverable(dice, interface, hidden, hidden + rank));
    };
    StructuralType contract = random(), actual = random();
    if (dice.chance(0.5)) contract = reduce(contract.incidence());
    if (dice.chance(0.5)) actual = reduce(actual.incidence());
    std::set<std::uint32_t> small = masks(*bases(contract)), large = masks(*bases(actual));
    const bool expected = std::ranges::includes(large, small);
    (expected ? yes : no)++;
    CHECK(included(contract, actual) == expected);
    CHECK(same_type(contract, actual) == (small == large));
    // What a row less edges determines is included in what it determined before.
    Incidence fewer = actual.incidence();
    Incidence shrunk{fewer.interface, fewer.hidden, {}};
    shrunk.rows.columns = fewer.rows.columns;
    for (std::uint32_t r = 0; r < fewer.rows.rows(); ++r) {
      for (std::uint32_t c : fewer.rows.row(r))
        if (!dice.chance(0.1)) shrunk.rows.targets.push_back(c);
      shrunk.rows.end_row();
    }
    if (cover(shrunk).complete()) {
      CHECK(included(StructuralType(shrunk), actual) == true);
      ++yes;
    }
  }
  CHECK(yes > 1000);
  CHECK(no > 500);
}

TEST_CASE("wide interfaces of small parts are decided") {
  // 200 resistors side by side: 800 columns, rank 400.
  Incidence wide{800, 0, {}};
  wide.rows.columns = 800;
  for (std::uint32_t k = 0; k < 200; ++k)
    for (const Variables& row : {Variables{0, 1, 2}, Variables{1, 3}}) {
      for (std::uint32_t c : row) wide.rows.targets.push_back(4 * k + c);
      wide.rows.end_row();
    }
  StructuralType type = reduce(wide);
  CHECK(type.rank() == 400);
  CHECK(included(type, type) == true);
  Incidence other = wide;
  other.rows.targets[2] = 3;  // p.v p.i n.i; p.i n.i in the first one
  CHECK(included(reduce(other), type) == true);
  CHECK(included(type, reduce(other)) == false);
  CHECK(same_type(reduce(other), type) == false);
}

TEST_CASE("a limit is kept") {
  Incidence all{30, 0, {}};
  all.rows.columns = 30;
  for (std::uint32_t r = 0; r < 15; ++r) {
    for (std::uint32_t c = 0; c < 30; ++c) all.rows.targets.push_back(c);
    all.rows.end_row();
  }
  CHECK(!bases(StructuralType(all), 1000));
  CHECK(rank(StructuralType(all), {1, 2, 3}) == 3);
}
