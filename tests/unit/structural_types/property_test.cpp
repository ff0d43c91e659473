// Types against the flat system: by matching, by enumeration, and by linear algebra with random
// coefficients.
#include "field_oracle.h"
#include "random_definitions.h"

using namespace sigrel::structural_types;
using namespace random_definitions;
using field_oracle::Matrix, field_oracle::random_matrix, field_oracle::rank_of, field_oracle::numbers;

namespace {

struct Tally {
  std::size_t hierarchies = 0, definitions = 0, well_formed = 0, families = 0, hidden = 0,
              verdicts_differ = 0, families_differ = 0, fields_differ = 0;
};

/// Compares all definitions of a library.
void compare(Dice& dice, const std::vector<Definition>& library, const Limits& limits, Tally& tally) {
  ++tally.hierarchies;
  std::vector<Typing> types = types_of(library, limits);
  for (std::uint32_t i = 0; i < library.size(); ++i) {
    ++tally.definitions;
    const Incidence flat = expand(library, i).incidence;
    const bool ok = types[i].type.has_value();
    if (cover(flat).complete() != ok) {
      ++tally.verdicts_differ;
      continue;
    }
    const bool small = flat.columns() <= 40;
    Matrix matrix;
    if (small) {
      matrix = random_matrix(dice, flat);
      tally.fields_differ += field_oracle::regular(matrix, flat) != ok;
    }
    if (!ok) continue;
    ++tally.well_formed;
    const StructuralType& type = *types[i].type;
    tally.hidden += type.hidden() > 0;
    if (type.interface() > 8) continue;
    ++tally.families;
    const auto family = bases(type).value();
    tally.families_differ += family != bases(StructuralType(flat)).value();
    if (!small) continue;
    std::set<std::uint32_t> sets = masks(family);
    for (std::uint32_t mask = 0; mask < 1u << flat.interface; ++mask) {
      if (static_cast<std::uint32_t>(std::popcount(mask)) != type.rank()) continue;
      Variables columns = numbers(flat.interface, flat.columns());
      for (std::uint32_t c = 0; c < flat.interface; ++c)
        if (mask >> c & 1) columns.push_back(c);
      tally.fields_differ += (rank_of(matrix, columns) == flat.rows.rows()) != sets.contains(mask);
    }
  }
}

void run(std::uint64_t seed, std::size_t hierarchies, const Limits& limits, bool show = false) {
  Dice dice(seed);
  Tally tally;
  for (std::size_t h = 0; h < hierarchies; ++h) {
    Shape shape;
    if (h % 3 == 1) shape = {2, 5, false, 0.4, 0};
    if (h % 3 == 2) shape = {4, 2, true, 0, 0.05};
    compare(dice, library(dice, shape), limits, tally);
  }
  CHECK(tally.verdicts_differ == 0);
  CHECK(tally.families_differ == 0);
  CHECK(tally.fields_differ == 0);
  CHECK(tally.well_formed > tally.definitions / 4);
  if (show)
    WARN(tally.hierarchies << " hierarchies, " << tally.definitions << " definitions, " << tally.well_formed
                           << " well formed, " << tally.families << " families compared, " << tally.hidden
                           << " types with hidden columns; differences: " << tally.verdicts_differ
                           << " verdicts, " << tally.families_differ << " families, " << tally.fields_differ
                           << " against random numbers");
}

const Limits kWithoutTransversal{.transversal_first = 0, .transversal_interface = 0};
const Limits kCheapOnly{
    .surplus_columns = 0, .presentation_columns = 0, .transversal_first = 0, .transversal_interface = 0};

/// The same system with rows and hidden columns in another order.
Incidence shuffled(Dice& dice, const Incidence& incidence) {
  Variables rows = dice.sample(incidence.rows.rows(), incidence.rows.rows());
  Variables hidden = dice.sample(incidence.hidden, incidence.hidden);
  Incidence result{incidence.interface, incidence.hidden, {}};
  result.rows.columns = incidence.columns();
  for (std::uint32_t r : rows) {
    Variables row;
    for (std::uint32_t c : incidence.rows.row(r))
      row.push_back(c < incidence.interface ? c : incidence.interface + hidden[c - incidence.interface]);
    std::ranges::sort(row);
    result.rows.targets.insert(result.rows.targets.end(), row.begin(), row.end());
    result.rows.end_row();
  }
  return result;
}

}  // namespace

TEST_CASE("modular verdicts and families are those of the flat system") { run(11, 300, {}); }
TEST_CASE("also without K8") { run(12, 150, kWithoutTransversal); }
TEST_CASE("also with the cheap rules alone") { run(13, 150, kCheapOnly); }
TEST_CASE("20 000 hierarchies", "[.][long]") {
  run(101, 14000, {}, true);
  run(102, 4000, kWithoutTransversal, true);
  run(103, 2000, kCheapOnly, true);
}

TEST_CASE("the order of equations and locals changes nothing") {
  Dice dice(21);
  std::size_t hidden = 0, types_differ = 0;
  for (int i = 0; i < 3000; ++i) {
    std::uint32_t interface = dice.number(1, 7), locals = dice.number(0, 12);
    Incidence system = coverable(dice, interface, locals, locals + dice.number(0, interface));
    Incidence other = shuffled(dice, system);
    for (const Limits& limits : {Limits{}, kWithoutTransversal}) {
      StructuralType a = reduce(system, limits), b = reduce(other, limits);
      CHECK(same_type(a, b) == true);
      CHECK(bases(a) == bases(b));
      hidden += a.hidden() > 0;
      types_differ += a != b;
      if (limits.transversal_interface > 0) CHECK(a == b);
    }
  }
  CHECK(hidden > 0);
  CHECK(types_differ == 0);
}

TEST_CASE("systems beyond the bit sets") {
  // A thousand connected copies of small systems, as one flat relation: the type is what the modules give.
  Dice dice(31);
  for (int i = 0; i < 20; ++i) {
    std::vector<Definition> all = library(dice, {3, 2, false, 0.2, 0});
    std::vector<Typing> types = types_of(all);
    std::vector<std::uint32_t> usable;
    for (std::uint32_t r = 0; r < all.size(); ++r)
      if (types[r].type) usable.push_back(r);
    if (usable.empty()) continue;
    // A top whose interface is that of one child after the other, plus chains of aliases.
    std::uint32_t copies = 100, columns = 0;
    Variables chosen;
    for (std::uint32_t k = 0; k < copies; ++k) {
      chosen.push_back(usable[dice.number(0, static_cast<std::uint32_t>(usable.size()) - 1)]);
      columns += all[chosen.back()].interface();
    }
    Definition top(columns, 3 * columns);
    std::uint32_t next = 0;
    for (std::uint32_t r : chosen) {
      top.application(r);
      for (std::uint32_t k = 0; k < all[r].interface(); ++k, ++next) {
        top.equation(Variables{next, columns + 3 * next});
        top.equation(Variables{columns + 3 * next, columns + 3 * next + 1});
        top.equation(Variables{columns + 3 * next + 1, columns + 3 * next + 2});
        top.variable(columns + 3 * next + 2);
      }
    }
    all.push_back(top);
    const Incidence flat = expand(all, static_cast<std::uint32_t>(all.size()) - 1).incidence;
    StructuralType from_flat = reduce(flat), from_types = *types_of(all).back().type;
    CHECK(same_type(from_flat, from_types) == true);
    if (from_types.hidden() == 0) CHECK(from_flat == from_types);
    std::uint32_t rank = 0;
    for (std::uint32_t r : chosen) rank += types[r].type->rank();
    CHECK(from_flat.rank() == rank);
  }
}
