// Modules, imports, names, definitions.
#include <catch2/catch.hpp>

#include "tests/unit/check/checked.h"

using namespace sigrel;
using tests::Checked;

TEST_CASE("imports: lists, aliases, hiding, re-exported names") {
  ACCEPTS(
      "import Electrical (Pin, Voltage, resistor)\nf :: Voltage -> SR (Pin, Pin)\nf v = resistor (v / "
      "1.0<A>)\n");
  ACCEPTS("import Electrical as E\nf = E.resistor 1.0\ng :: SR (E.Pin, E.Pin)\ng = f\n");
  ACCEPTS("import Electrical hiding (resistor)\nresistor = 1.0\nx = resistor\n");
  ACCEPTS("import Electrical\nresistor = 1.0\nx = 2.0 * resistor\n");
  REFUSES("import Electrical (resitor)\n", Code::NotExported, "did you mean `resistor`?");
  REFUSES("import Electrical as E\nf = E.capacitator 1.0\n", Code::UnknownName, "did you mean `capacitor`?");
  REFUSES("import Electrical\nf = capacitator 1.0\n", Code::UnknownName,
          "did you mean `capacitor`? (from Electrical)");
  REFUSES("f = Q.x\n", Code::UnknownModule, "no module is imported as `Q`");
  Checked c("import A\nimport B\nx = f\n", "",
            {{"A.sr", "module A where\nf = 1\n"}, {"B.sr", "module B where\nf = 2\n"}});
  INFO(c.messages());
  REQUIRE(c.diagnostics.all().size() == 1);
  CHECK(c.diagnostics.all()[0].code == Code::AmbiguousName);
}

TEST_CASE("definitions") {
  REFUSES("f = 1\ng = 2\nf = 3\n", Code::DuplicateName, "`f` is defined twice");
  REFUSES("f 0 = 1\nf x y = 2\n", Code::ClauseArity, "has 2 parameters, the first has 1");
  REFUSES("f :: Int\nf x = x\n", Code::ClauseArity, "its type takes 0");
  REFUSES("f :: Int -> Int\ng x = x\n", Code::SignatureWithoutDefinition, "`f` has a type but no definition");
  REFUSES("x = y\ny = x\n", Code::EvaluationCycle, "each other's values");
  REFUSES("x = 1 + x\n", Code::EvaluationCycle, "`x` is defined by its own value");
  REFUSES("type A = B\ntype B = A\nx :: A\nx = 1\n", Code::RecursiveType, "stands for itself");
  REFUSES("record A = { x :: A }\n", Code::RecursiveType, "contains itself");
  REFUSES("f :: Foo -> Int\nf x = 1\n", Code::UnknownType, "there is no type `Foo`");
  REFUSES("f :: Maybe -> Int\nf x = 1\n", Code::TypeArguments, "takes 1 argument, 0 are given");
}

TEST_CASE("type errors say where both sides come from") {
  REFUSES("f :: Int -> Int\nf n = n\nx = f 1.5\n", Code::TypeMismatch,
          "expected Int, because it is argument 1 of `f`, found Real");
  REFUSES("f :: a -> a\nf x = 1\n", Code::TypeMismatch, "stands for any type");
  REFUSES("f :: a -> a\nf x = x + x\n", Code::OperandType, "stands for any type");
  REFUSES("f x = if x then 1 else \"a\"\n", Code::TypeMismatch, "String");
  REFUSES("x = [1, \"a\"]\n", Code::TypeMismatch, "the first element has this type");
  REFUSES("f x = x x\n", Code::TypeMismatch, "");
  REFUSES("x = 1 2\n", Code::AppliedNonFunction, "not a function");
  REFUSES("x = sin 1.0 2.0\n", Code::WrongArgumentCount, "`sin` takes 1 argument, 2 are given");
  REFUSES("f :: Int -> Real\nf n = 2.0 * n\n", Code::TypeMismatch, "`real n` makes a Real of an Int");
  REFUSES("f :: Int -> Int\nf n = n / 2\n", Code::OperandType, "`div` divides Ints");
  REFUSES("s = \"a\" + \"b\"\n", Code::OperandType, "strings are joined with `++`");
  REFUSES("record A = { x :: Real }\nrecord B = { x :: Real }\nf a = a.x\n", Code::AmbiguousField,
          "several records have a field `x`");
  REFUSES("record A = { x :: Real }\nf :: A -> Real\nf a = a.y\n", Code::UnknownField,
          "`A` has no field `y`");
  REFUSES("record A = { x :: Real, y :: Real }\na = A { x = 1.0 }\n", Code::RecordConstruction,
          "needs a value for `y`");
  REFUSES("f x = x == (\\y -> y)\n", Code::TypeMismatch, "");
}

TEST_CASE("one cause, one error") {
  REFUSES("f x = x + undefinedName\ng = f 1.0 + f True\nh = g && g\n", Code::UnknownName,
          "`undefinedName` is not defined");
  REFUSES("import Electrical\nf = sigrel (x) where\n  resistr 1.0 <> (a, b)\n  ground <> b\n  x = a.v\n",
          Code::UnknownName, "did you mean `resistor`?");
}

TEST_CASE("cases") {
  REFUSES("f 0 = 1\nf 1 = 2\n", Code::MissingCase, "`_` is missing");
  REFUSES("f (Just x) = x\n", Code::MissingCase, "`Nothing` is missing");
  REFUSES("f [] _ = 1\nf _ True = 2\n", Code::MissingCase, "`((_ : _), False)` is missing");
  REFUSES("f x = case x of\n  True -> 1\n", Code::MissingCase, "`False` is missing");
  REFUSES("f x = case x of\n  _ -> 1\n  True -> 2\n", Code::UnreachableCase, "never reached");
  ACCEPTS("f [] = 0\nf [_] = 1\nf (_ : _ : _) = 2\n");
}
