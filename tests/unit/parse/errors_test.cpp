// What is said about texts that do not parse: one line for each error, in the order of the text.
#include <catch2/catch.hpp>

#include "tests/unit/parse/reading.h"

using namespace sigrel;

namespace {

std::string errors(const std::string& text) { return test::Reading(text).summary(); }
std::string in_relation(const std::string& items) { return errors("r = sigrel (x) where\n" + items); }

}  // namespace

TEST_CASE("blocks without items") {
  CHECK(errors("tank = sigrel (q) where\npump = 3\n") == "SR0012 2:1 expected an equation after `where`\n");
  CHECK(errors("tank = sigrel (q) where") == "SR0012 1:19 expected an equation after `where`\n");
  CHECK(errors("x = let in 3\n") == "SR0012 1:9 expected a definition after `let`\n");
  CHECK(errors("x = case y of\nz = 1\n") == "SR0012 2:1 expected an alternative after `of`\n");
  CHECK(in_relation("  if x then\n  y = 2\n") == "SR0012 3:3 expected an item after `then`\n");
  CHECK(in_relation("  switch A where\n  y = 2\n") == "SR0012 3:3 expected a mode after `where`\n");
}

TEST_CASE("errors of brackets") {
  CHECK(errors("x = f (a\ny = 2\n") == "SR0011 1:7 `(` is not closed\n");
  CHECK(errors("x = f (a, [b, c)\n") == "SR0011 1:11 `[` is not closed\n");
  CHECK(errors("x = f a)\n") == "SR0010 1:8 `)` has no opening bracket\n");
  CHECK(errors("x = [1,\n") == "SR0011 1:5 `[` is not closed\n");
  CHECK(in_relation("  q = f (1, 2\n  r = 3)\n  s = = 1\n") ==
        "SR0011 2:9 `(` is not closed\nSR0010 4:7 expected an expression after `=`\n");
}

TEST_CASE("the text of a file") {
  CHECK(errors("x = \"abc\ny = 3\n") == "SR0016 1:5 this string is not closed\n");
  CHECK(errors("x = 1 {- {- -}\n") == "SR0016 1:7 this comment is not closed\n");
  CHECK(errors("x = 1\n\ty = = 2\n") == "SR0013 2:1 a tab in the indentation\n");
  CHECK(errors("x = 1 § §\n") == "SR0010 1:7 the character `§` has no meaning here\n");
  CHECK(errors("ok = 1\nx = \"\xFF\"\n") == "SR0002 2:6 byte 12 is not UTF-8 text (line 2)\n");
  CHECK(errors("x = \xC0\xAF") == "SR0002 1:5 byte 4 is not UTF-8 text (line 1)\n");
  CHECK(errors("x = \"\\q\"\n") == "SR0010 1:6 unknown escape sequence\n");
}

TEST_CASE("forms of other languages") {
  CHECK(errors("f x = y where\n  y = 2\n") ==
        "SR0017 1:9 `where` belongs to `sigrel`, `mode`, `switch` or `module`\n");
  CHECK(errors("a = if x = 1 then 2 else 3\n") == "SR0017 1:10 a comparison is written `==`\n");
  CHECK(errors("a = if x <> 1 then 2 else 3\n") == "SR0017 1:10 `not equal` is written `/=`\n");
  CHECK(errors("a = b != c\n") == "SR0017 1:7 `not equal` is written `/=`\n");
  CHECK(errors("f x := 3\n") == "SR0017 1:5 a definition is written with `=`\n");
  CHECK(errors("g x | x > 0 = 1\n") == "SR0017 1:5 definitions do not have guards\n");
  CHECK(errors("h = [x | x in xs]\n") == "SR0017 1:8 a list comprehension is written with `for`\n");
  CHECK(errors("i = [x for x <- xs]\n") == "SR0017 1:14 `x <- xs` is written `x in xs`\n");
  CHECK(errors("z = 3 // comment\n") == "SR0017 1:8 a comment starts with `--`\n");
  CHECK(errors("z = \\x => x\n") == "SR0017 1:8 an arrow is written `->`\n");
  CHECK(in_relation("  x == 1.0\n") == "SR0017 2:5 an equation is written with one `=`\n");
  CHECK(in_relation("  if a then\n    x = 1\n  elseif b then\n    x = 2\n  end if\n") ==
        "SR0017 4:3 `elseif` is written `else if`\nSR0017 6:3 blocks do not have an `end`\n");
  CHECK(errors("a = if b then 1 elsif c then 2 else 3\n") == "SR0017 1:17 `elsif` is written `else if`\n");
}

TEST_CASE("errors in items") {
  CHECK(in_relation("  x = 1\n  + 2\n  y = 1\n") ==
        "SR0014 3:3 this line starts with `+` at the column of its block\n");
  CHECK(in_relation("  x = 1\n  - 2\n") ==
        "SR0014 3:3 this line starts with `-` at the column of its block\n");
  CHECK(in_relation("  f x 1\n") == "SR0010 2:3 this expression is not an equation\n");
  CHECK(in_relation("  y :: Real\n") == "SR0010 2:5 a variable is declared with `local` or `discrete`\n");
  CHECK(in_relation("  z =\n  w = 3 +\n") ==
        "SR0010 2:5 expected an expression after `=`\nSR0010 3:9 expected an expression after `+`\n");
  CHECK(in_relation("  when x > 1.0\n    y := 2\n") == "SR0010 2:12 expected `do` after `1.0`\n");
  CHECK(in_relation("  switch A where\n    mode A\n      x = 1\n") ==
        "SR0010 3:10 expected `where` after `A`\n");
  CHECK(in_relation("  f <> u = y\n") == "SR0010 2:5 an application cannot be on the left of `=`\n");
  CHECK(in_relation("  local 3\n") == "SR0010 2:9 expected a name after `local`\n");
}

TEST_CASE("errors in declarations and expressions") {
  CHECK(errors("local = 3\n") == "SR0010 1:1 expected a declaration\n");
  CHECK(errors("type voltage = Real<V>\n") == "SR0010 1:6 the name of a type starts with a capital letter\n");
  CHECK(errors("Foo x = 3\n") == "SR0010 1:1 the name of a definition starts with a lower-case letter\n");
  CHECK(errors("x = if a then b\n") == "SR0010 1:15 expected `else` after `b`\n");
  CHECK(errors("x = sigrel a where\n  b = 2\n") == "SR0010 1:12 expected `(` after `sigrel`\n");
  CHECK(errors("x = a < b < c\n") == "SR0010 1:11 comparisons do not chain\n");
  CHECK(errors("x = 1.\ny = .5\n") ==
        "SR0010 1:5 a number needs a digit after the point\nSR0010 2:5 a number needs a digit before the "
        "point\n");
  CHECK(errors("y = f 1.0 { a = 1 }\n") == "SR0010 1:11 `{` follows the name of a function or of a record\n");
  CHECK(errors("y = 5<m^/s>\n") == "SR0010 1:9 this unit is invalid\n");
  CHECK(errors("z = 99999999999999999999\n") == "SR0010 1:5 this number is too large for an Int\n");
  CHECK(errors("  x = 1\ny = 2\n") == "SR0010 2:1 this declaration starts left of the preceding ones\n");
  CHECK(errors("x\n").starts_with("SR0010 1:1 expected `=`"));
}

TEST_CASE("declarations without errors are kept, the names of the others known") {
  test::Reading r("a = 1\nb = = 2\nc = sigrel () where\n  x = (\n  y = 1\nd = 4\n");
  CHECK(r.module.decls.size() == 2);
  REQUIRE(r.module.damaged.size() == 2);
  CHECK(text(r.module.damaged[0].name) == "b");
  CHECK(text(r.module.damaged[1].name) == "c");
}

TEST_CASE("no message speaks of tokens") {
  for (const char* text : {"x = ;", "x = ) y", "1", "x = \"a\" : ", "record R = { 1 }", "import",
                           "data T = | A", "x y z ->", "f = sigrel (1) where x = 1", "f = \\", "f = [1 ..",
                           "f = let 1 in 2", "foreign x", "x ::", "x :: SR"}) {
    std::string said = test::Reading(text).rendered();
    INFO(said);
    CHECK(!said.empty());
    for (const char* word :
         {"LOWER_NAME", "UPPER_NAME", "VSEMI", "EOF", "BLOCK", "mismatched", "extraneous", "viable", "token"})
      CHECK(said.find(word) == std::string::npos);
  }
}
