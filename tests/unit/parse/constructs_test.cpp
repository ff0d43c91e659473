// How each construct is read: text and dump.
#include <catch2/catch.hpp>

#include "tests/unit/parse/reading.h"

using namespace sigrel;

namespace {

std::string expression(std::string text) {
  SourceMap sources;
  Diagnostics diagnostics;
  ast::Module module;
  FileId id = sources.add("-e", std::move(text));
  ast::Expr* e = parse_expression(id, sources, module, diagnostics);
  if (e) return ast::print(*e);
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += render_text(d, sources, false);
  return out;
}

std::string type(const std::string& text) {
  test::Reading r("x :: " + text + "\n");
  if (r.module.decls.empty()) return r.rendered();
  return ast::print(*static_cast<ast::SignatureDecl*>(r.module.decls[0])->type);
}

/// The dump of one item in a relation, without the lines around it.
std::string item(const std::string& text) {
  test::Reading r("r = sigrel () where\n  " + text + "\n");
  if (r.diagnostics.has_errors()) return r.rendered();
  std::string dump = ast::print(r.module);
  std::size_t begin = dump.find("(sigrel ()\n  ") + 13;
  return dump.substr(begin, dump.size() - begin - 2);
}

std::string declaration(const std::string& text) {
  test::Reading r(text + "\n");
  if (r.diagnostics.has_errors()) return r.rendered();
  std::string dump = ast::print(r.module);
  std::size_t begin = dump.find('\n') + 1;
  return dump.substr(begin, dump.size() - begin - 1);
}

}  // namespace

TEST_CASE("operators bind as documented") {
  CHECK(expression("a + b * c ^ d ^ e") == "(+ a (* b (^ c (^ d e))))");
  CHECK(expression("a - b - c") == "(- (- a b) c)");
  CHECK(expression("-x^2 * y") == "(* (negate (^ x 2)) y)");
  CHECK(expression("a * -b") == "(* a (negate b))");
  CHECK(expression("a && b || c && not d") == "(|| (&& a b) (&& c (not d)))");
  CHECK(expression("a + 1 < b * 2") == "(< (+ a 1) (* b 2))");
  CHECK(expression("1 : 2 : xs ++ ys") == "(: 1 (: 2 (++ xs ys)))");
  CHECK(expression("a `f` b `M.g` c") == "(`M.g` (`f` a b) c)");
  CHECK(expression("2.0 * x as <V> + 1.0") == "(+ (* 2.0 (as x <V>)) 1.0)");
  CHECK(expression("f x with { a = 1, guess = 2, }") == "(with (f x) {a = 1, guess = 2})");
  CHECK(expression("f R { a = 1 } y") == "(f (record R {a = 1}) y)");
  CHECK(expression("pid 2.0 <> (r - x)") == "(<> (pid 2.0) (- r x))");
  CHECK(expression("1 + if a then b else c + 2") == "(+ 1 (if a b (+ c 2)))");
  CHECK(expression("\\x (y, _) -> x + y") == "(\\x (tuple y _) -> (+ x y))");
}

TEST_CASE("atoms, sections, lists") {
  CHECK(expression("x[i]") == "(index x i)");
  CHECK(expression("f [i]") == "(f (list i))");
  CHECK(expression("a[1, 2 .. n].v.w[3]") == "(index (index a 1 2..n).v.w 3)");
  CHECK(expression("f(x)[1]") == "(f (index x 1))");
  CHECK(expression("A.B.c") == "A.B.c");
  CHECK(expression("A.B.C { x = 1 }") == "(record A.B.C {x = 1})");
  CHECK(expression("C[i].u") == "(index C i).u");
  CHECK(expression("(+)") == "(+)");
  CHECK(expression("(-)") == "(-)");
  CHECK(expression("(+ 1)") == "(section + . 1)");
  CHECK(expression("(1 -)") == "(section - 1 .)");
  CHECK(expression("(- 1)") == "(negate 1)");
  CHECK(expression("(x >)") == "(section > x .)");
  CHECK(expression("(x `f`)") == "(section `f` x .)");
  CHECK(expression("(`M.f` x)") == "(section `M.f` . x)");
  CHECK(expression("(x as <V>)") == "(as x <V>)");
  CHECK(expression("()") == "(tuple)");
  CHECK(expression("(a, b, c)") == "(tuple a b c)");
  CHECK(expression("((a))") == "a");
  CHECK(expression("[]") == "(list)");
  CHECK(expression("[1, 2,]") == "(list 1 2)");
  CHECK(expression("[1 .. n+1]") == "[1..(+ n 1)]");
  CHECK(expression("[1..3]") == "[1..3]");
  CHECK(expression("[x^2 for x in xs, (i, _) in 1 .. n]") == "[(^ x 2) for x in xs, (tuple i _) in 1..n]");
  CHECK(expression("f 42 1.5 1e3 9.81<m/s^2> 100<km/h> \"a\\n\\\"b\\\"\"") ==
        "(f 42 1.5 1000.0 9.81<m s^-2> 100.0<km h^-1> \"a\\n\\\"b\\\"\")");
  CHECK(expression("1.0<kg/(m*s^2)^2>") == "1.0<kg m^-2 s^-4>");
  CHECK(expression("3<x && y>2") == "(&& (< 3 x) (> y 2))");
  CHECK(expression("f _ out flow mode data type record module hiding like initial") ==
        "(f _ out flow mode data type record module hiding like initial)");
  CHECK(expression("\\λ → λ ◇ y") == "(<> (\\λ -> λ) y)");
}

TEST_CASE("blocks in expressions") {
  CHECK(expression("let a = 1; b = 2 in a + b") == "(let\n  a = 1\n  b = 2\nin (+ a b))");
  CHECK(expression("case x of { A -> 1; B y -> 2 }") == "(case x\n  A -> 1\n  (B y) -> 2)");
  CHECK(expression("f (case x of A -> 1; _ -> 2) 3") == "(f (case x\n  A -> 1\n  _ -> 2) 3)");
  CHECK(expression("[if b then sigrel (x) where x = 1 else c, d]") ==
        "(list (if b (sigrel (x)\n  x = 1) c) d)");
  CHECK(expression("sigrel (in a, out b :: Real, out) where {}") == "(sigrel (in a, out b :: Real, out))");
}

TEST_CASE("types") {
  CHECK(type("Real -> Int -> Bool") == "(Real -> (Int -> Bool))");
  CHECK(type("(n :: Int) -> SR (Real^n)") == "((n :: Int) -> (SR (Real^(n))))");
  CHECK(type("(load :: SR (Pin, Pin) {#2}) -> SR (Pin)") == "((load :: (SR (Pin, Pin) {#2})) -> (SR (Pin)))");
  CHECK(type("Maybe a -> [M.Tree (a, b)]") == "((Maybe a) -> [(M.Tree (a, b))])");
  CHECK(type("Real<V/A> -> Real<1/s> -> Real<%>") == "(Real<V A^-1> -> (Real<s^-1> -> Real<%>))");
  CHECK(type("Real<m/s>^(m, n+1)") == "Real<m s^-1>^(m, (+ n 1))");
  CHECK(type("SR (in u :: Real, out Real, out :: Pin)") == "(SR (in u :: Real, out Real, out :: Pin))");
  CHECK(type("SR (x :: Real<V>)") == "(SR (x :: Real<V>))");
  CHECK(type("SR a -> SR Pin") == "((SR a) -> (SR Pin))");
  CHECK(type("SR ()") == "(SR ())");
  CHECK(type("SR (Pin, Pin) {1 1 1;\n   0 1 1}") == "(SR (Pin, Pin) {1 1 1; 0 1 1})");
  CHECK(type("SR (p :: Pin) {p.v x[1] x[2 .. n]; p.i}") ==
        "(SR (p :: Pin) {p.v (index x 1) (index x 2..n); p.i})");
  CHECK(type("SR (Pin, Pin) like M.resistor") == "(SR (Pin, Pin) like M.resistor)");
  CHECK(type("SR (Pin, Pin) {like resistor}") == "(SR (Pin, Pin) like resistor)");
}

TEST_CASE("items") {
  CHECK(item("der x = v") == "(der x) = v");
  CHECK(item("f: y = pid 2.0 <> x") == "y = (<> f: (pid 2.0) x)");
  CHECK(item("y = f: pid 2.0 <> x") == "y = (<> f: (pid 2.0) x)");
  CHECK(item("y = pid 2.0 <> (r - x)") == "y = (<> (pid 2.0) (- r x))");
  CHECK(item("foo <> (u, v, _)") == "foo <> (tuple u v _)");
  CHECK(item("foo ◇ u") == "foo <> u");
  CHECK(item("r1: resistor 1.0 <> (a, b)") == "r1: (resistor 1.0) <> (tuple a b)");
  CHECK(item("r1: resistor 1.0") == "r1: (resistor 1.0)");
  CHECK(item("connect a b[1] r.n") == "connect a (index b 1) r.n");
  CHECK(item("local x, y' :: Real<V> with { guess = 1.0, min = 0.0 }") ==
        "local x, y' :: Real<V> with {guess = 1.0, min = 0.0}");
  CHECK(item("local x") == "local x");
  CHECK(item("discrete n :: Int = 0") == "discrete n :: Int = 0");
  CHECK(item("discrete a, b :: Real") == "discrete a, b :: Real");
  CHECK(item("let k = 1; f x = x") == "let\n    k = 1\n    f x = x");
  CHECK(item("let k = 1 in a + k = b") == "(let\n    k = 1\n  in (+ a k)) = b");
  CHECK(item("for i in 1 .. n, (j, r) in rs do x[i] = j") ==
        "for i in 1..n, (tuple j r) in rs\n    (index x i) = j");
  CHECK(item("if a then x = 1 else if b then x = 2 else x = 3") ==
        "if a\n    x = 1\n  else\n    if b\n      x = 2\n    else\n      x = 3");
  CHECK(item("if a then x = if b then 1 else 2") == "if a\n    x = (if b 1 2)");
  CHECK(item("initially x = 1; y = 2") == "initially\n    x = 1\n    y = 2");
  CHECK(item("guess x = 1") == "guess\n    x = 1");
  CHECK(item("when x > 1.0 do n := pre n + 1") == "when (> x 1.0)\n    n := (+ (pre n) 1)");
  CHECK(item("every dt do n := 1") == "every dt\n    n := 1");
  CHECK(item("every dt with { offset = 0.1 } do n := 1") == "every dt with {offset = 0.1}\n    n := 1");
  CHECK(item("switch A 1 where { mode A x where { x = y; until c -> B }; mode B where {} }") ==
        "switch (A 1)\n    mode A x\n      x = y\n      until c -> B\n    mode B");
  CHECK(item("assert \"ok\" x > 0.0") == "assert \"ok\" (> x 0.0)");
  CHECK(item("terminate when n >= 20") == "terminate (>= n 20)");
  CHECK(item("-x = y") == "(negate x) = y");
}

TEST_CASE("declarations") {
  CHECK(declaration("import A.B (x, T,)") == "import A.B (x, T)");
  CHECK(declaration("import A as Q hiding (x)") == "import A as Q hiding (x)");
  CHECK(declaration("type Pair a b = (a, b)") == "type Pair a b = (a, b)");
  CHECK(declaration("record Pin = { v :: Real, flow i, j :: Real = 0, flow :: Int }") ==
        "record Pin\n  v :: Real\n  flow i :: Real = 0\n  flow j :: Real = 0\n  flow :: Int");
  CHECK(declaration("data T a = A | B a [T a]") == "data T a\n  A\n  B a [(T a)]");
  CHECK(declaration("foreign import \"gamma\" g :: Real -> Real") == "foreign \"gamma\" g :: (Real -> Real)");
  CHECK(declaration("foreign import \"sinh\" s :: Real -> Real with { derivative = cosh }") ==
        "foreign \"sinh\" s :: (Real -> Real) with {derivative = cosh}");
  CHECK(declaration("f 0 _ (x : xs) (Just y) [] (n :: Int) -1 = 2").find("SR0010") != std::string::npos);
  CHECK(declaration("f 0 _ (x : y : xs) (Just z) [] [a, b] (n :: Int) (-1) () \"s\" = 2") ==
        "f 0 _ (: x (: y xs)) (Just z) (list) (list a b) (n :: Int) -1 (tuple) \"s\" = 2");
  CHECK(declaration("type = 1\nrecord x = 2\nmodule = 3") == "type = 1\nrecord x = 2\nmodule = 3");
  CHECK(declaration("-- | One\n-- two\nx = 1\n-- | Lost\n\n-- no\n-- | Doc\ny = 2") ==
        "doc \"One\\ntwo\"\nx = 1\ndoc \"Doc\"\ny = 2");
}

TEST_CASE("the header names the module") {
  test::Reading with("module A.B where\nx = 1\n");
  CHECK(with.module.has_header);
  CHECK(text(with.module.name.name) == "A.B");
  test::Reading without("x = 1\n");
  CHECK(text(without.module.name.name) == "test");
  test::Reading braces("module A where { x = 1; y = 2 }");
  CHECK(braces.module.decls.size() == 2);
  CHECK(test::Reading("").rendered() == "");
  CHECK(test::Reading("-- only a comment").rendered() == "");
  CHECK(test::Reading("module A where\n").rendered() == "");
}

TEST_CASE("the JSON dump names the declarations") {
  test::Reading r("x = 1\n");
  CHECK(ast::print_json(r.module).find("\"name\": \"x\"") != std::string::npos);
}
