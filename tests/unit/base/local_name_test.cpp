#include "compiler/base/local_name.h"

#include <catch2/catch.hpp>
#include <vector>

#include "compiler/base/index_table.h"

using namespace sigrel;

TEST_CASE("a local name has the text of its parts") {
  const LocalName x = local_name("x");
  CHECK(text(LocalName{}).empty());
  CHECK(text(local_name("")).empty());
  CHECK(text(x) == "x");
  CHECK(text(field(element(x, 3), intern("v"))) == "x[3].v");
  CHECK(text(next_index(element(x, 2), 1)) == "x[2,1]");
  CHECK(text(element(element(x, 2), 1)) == "x[2][1]");
  CHECK(text(field(next_index(next_index(element(x, 2), 1), 7), intern("i"))) == "x[2,1,7].i");
  CHECK(text(field(numbered(local_name("resistor"), 2), intern("p"))) == "resistor#2.p");
  CHECK(text(element(x, -3)) == "x[-3]");
  CHECK(text(next_index(element(x, 10'000'000'000), -1)) == "x[10000000000,-1]");
  CHECK(text(field({}, intern("v"))) == ".v");
  CHECK(text(element({}, 4)) == "[4]");
}

TEST_CASE("local names made alike are the same") {
  CHECK(field(element(local_name("a"), 5), intern("b")) == field(element(local_name("a"), 5), intern("b")));
  CHECK(element(local_name("a"), 5) != element(local_name("a"), 6));
  CHECK(element(element(local_name("a"), 5), 1) != next_index(element(local_name("a"), 5), 1));
  CHECK(local_name("") == LocalName{});
}

TEST_CASE("a local name is found by its text") {
  const LocalName base = local_name("rod");
  for (LocalName name :
       {base, element(base, 3), next_index(element(base, 3), 17), element(base, -2),
        field(element(base, 3), intern("v")), element(field(base, intern("pins")), 1), numbered(base, 2),
        field(numbered(base, 2), intern("u")), element(element(base, 4), 5)}) {
    CAPTURE(text(name));
    CHECK(find_local_name(text(name)) == name);
  }
  CHECK(find_local_name("") == LocalName{});
  for (const char* missing : {"rod[99]", "rod[3", "rod[]", "rod[3,]", "rod.", "rod#", "rod#x", "rod[3]v",
                              "rod[3].w", "[", "nobody has this"})
    CHECK(!find_local_name(missing));
}

TEST_CASE("an index table finds each element by what it is, whatever the hash") {
  for (bool poor : {false, true}) {  // a hash that says nothing makes it slow, not wrong
    std::vector<std::uint32_t> elements;
    IndexTable table;
    auto hash = [&](std::uint32_t value) { return poor ? 7 : mixed(1, value); };
    auto add = [&](std::uint32_t value) {
      const auto next = static_cast<std::uint32_t>(elements.size());
      const std::uint32_t at = table.find_or_add(
          hash(value), next, [&](std::uint32_t k) { return elements[k] == value; },
          [&](std::uint32_t k) { return hash(elements[k]); });
      if (at == next) elements.push_back(value);
      return at;
    };
    for (std::uint32_t k = 0; k < 1000; ++k) REQUIRE(add(k * k) == k);
    for (std::uint32_t k = 0; k < 1000; ++k) REQUIRE(add(k * k) == k);
    CHECK(elements.size() == 1000);
    table.clear();
    elements.clear();
    CHECK(add(9) == 0);
  }
}

TEST_CASE("parts stand behind another name as they stand behind none") {
  const LocalName p = field({}, intern("p")), pv = field(p, intern("v")),
                  pi = element(field(p, intern("i")), 2);
  const LocalName r = element(local_name("r"), 3);
  std::vector<LocalName> names;
  under(r, std::vector{p, pv, pi, element(pi, 1)}, names);
  const LocalName rp = field(r, intern("p"));
  CHECK(names == std::vector{rp, field(rp, intern("v")), element(field(rp, intern("i")), 2),
                             element(element(field(rp, intern("i")), 2), 1)});
  under(r, std::vector{pi}, names);
  CHECK(text(names[0]) == "r[3].p.i[2]");
}

TEST_CASE("an element takes the place of another one") {
  const std::vector<int> what{7, 8, 7, 7};
  IndexTable table;
  auto hash = [](int x) { return mixed(1, static_cast<std::uint64_t>(x)); };
  for (std::uint32_t k = 0; k < what.size(); ++k)
    table.put(
        hash(what[k]), k, [&](std::uint32_t j) { return what[j] == what[k]; },
        [&](std::uint32_t j) { return hash(what[j]); });
  CHECK(table.find(hash(7), [&](std::uint32_t j) { return what[j] == 7; }) == 3);
  CHECK(table.find(hash(8), [&](std::uint32_t j) { return what[j] == 8; }) == 1);
}

TEST_CASE("a table whose elements stand side by side takes any number of rows that meet") {
  for (std::uint64_t rows : {1, 5, 40}) {
    StridingIndexTable<16> table;
    auto hash = [&](std::uint32_t k) { return static_cast<std::uint64_t>(k / rows); };  // so many of one hash
    for (std::uint32_t k = 0; k < 500; ++k) {
      const std::uint32_t found =
          table.find_or_add(hash(k), k, [&](std::uint32_t j) { return j == k; }, hash);
      REQUIRE(found == k);
    }
    for (std::uint32_t k = 0; k < 500; ++k)
      CHECK(table.find(hash(k), [&](std::uint32_t j) { return j == k; }) == k);
    CHECK(table.find(3, [](std::uint32_t) { return false; }) == IndexTable::kMissing);
  }
}
