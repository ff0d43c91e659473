// Blocks by columns, brackets and words.
#include <catch2/catch.hpp>

#include "tests/unit/parse/reading.h"

using namespace sigrel;

namespace {

std::string dump(const std::string& text) {
  test::Reading r(text);
  if (r.diagnostics.has_errors()) return r.rendered();
  std::string out = ast::print(r.module);
  return out.substr(out.find('\n') + 1);
}

}  // namespace

TEST_CASE("a deeper line continues, an equal one starts anew, a lesser one closes") {
  CHECK(dump("f x =\n  x\n  + 1\ng = 2\n") == "f x = (+ x 1)\ng = 2\n");
  CHECK(dump("r = sigrel (x) where\n    x = 1\n    y =\n      2\ng = 2\n") ==
        "r = (sigrel (x)\n  x = 1\n  y = 2)\ng = 2\n");
}

TEST_CASE("words and closing brackets close blocks") {
  CHECK(dump("f = let a = let b = 1\n            in b\n    in a\n") ==
        "f = (let\n  a = (let\n    b = 1\n  in b)\nin a)\n");
  CHECK(dump("f = (let a = sigrel (x) where x = 1 in a, case b of C -> d)\n") ==
        "f = (tuple (let\n  a = (sigrel (x)\n    x = 1)\nin a) (case b\n  C -> d))\n");
  CHECK(dump("f = g (sigrel (x) where local a, b :: Real\n                        a = b, 2)\n") ==
        "f = (g (tuple (sigrel (x)\n  local a, b :: Real\n  a = b) 2))\n");
}

TEST_CASE("no piece starts with a word that continues") {
  CHECK(dump("r = sigrel () where\n  if a then\n    x = 1\n  else\n    x = 2\n") ==
        "r = (sigrel ()\n  if a\n    x = 1\n  else\n    x = 2)\n");
  CHECK(dump("f = g [ 1\n, 2\n]\n") == "f = (g (list 1 2))\n");
  CHECK(dump("f = if a\nthen b\nelse c\n") == "f = (if a b c)\n");
}

TEST_CASE("explicit braces and semicolons") {
  CHECK(dump("r = sigrel () where {\nx = 1\n; y = 2;\n}\n").find("SR0011") != std::string::npos);
  CHECK(dump("r = sigrel () where {\n x = 1\n ; y = 2;\n}\n") == "r = (sigrel ()\n  x = 1\n  y = 2)\n");
  CHECK(dump("a = 1; b = 2\n;;c = 3\n") == "a = 1\nb = 2\nc = 3\n");
  CHECK(dump("r = sigrel () where x = 1; if a then y = 2; z = 3\n") ==
        "r = (sigrel ()\n  x = 1\n  if a\n    y = 2\n    z = 3)\n");
}

TEST_CASE("line ends, byte order mark, comments") {
  CHECK(dump("\xEF\xBB\xBFr = sigrel () where\r\n  x = 1\r\n  y = 2\r\n") ==
        "r = (sigrel ()\n  x = 1\n  y = 2)\n");
  CHECK(dump("a = 1 {- {- x -} -} + 2 -- end\n{- \n -}\nb = 2") == "a = (+ 1 2)\nb = 2\n");
  CHECK(dump("é = 1\nωé = é\nΩ' = 2").find("capital") != std::string::npos);
}

TEST_CASE("columns count code points") {
  CHECK(dump("f = let é = 1\n        b = 2\n    in é\n") == "f = (let\n  é = 1\n  b = 2\nin é)\n");
  CHECK(dump("ééé = let a = 1\n          b = 2\n      in a\n") == "ééé = (let\n  a = 1\n  b = 2\nin a)\n");
}
