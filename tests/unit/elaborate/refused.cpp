// Errors of elaboration, each with its code and in the user's own lines.
#include "source.h"

using elaborated::Source;
using sigrel::Code;

namespace {

struct Refused {
  const char* title;
  Code code;
  const char* text;
};

const Refused kCases[] = {
    {"the flow of a node of several parts", Code::FlowIsAmbiguous, R"(
main = simulate (sigrel () where
    local x :: Real
    v: constantVoltage 1.0 <> (a, g)
    resistor 1.0 <> (a, g)
    ground <> g
    x = a.i)
)"},
    {"a function without end", Code::EvaluationTooDeep, R"(
f :: Int -> Int
f n = 1 + f (n + 1)
main = simulate (sigrel () where
    local x :: Real
    x = real (f 0))
)"},
    {"a relation that contains itself", Code::EvaluationTooDeep, R"(
r :: SR (x :: Real)
r = sigrel (x) where
  r <> x
main = simulate (sigrel () where r <> x)
)"},
    {"a branch with more equations", Code::BranchesDiffer, R"(
main = simulate (sigrel () where
    local x, y :: Real
    if time > 1.0 then
      x = 1.0
      y = 2.0
    else
      x = 1.0)
)"},
    {"an index outside a vector", Code::IndexOutOfRange, R"(
main = simulate (sigrel () where
    local x :: Real^3
    for i in 1 .. 4 do
      x[i] = 1.0)
)"},
    {"vectors of different sizes", Code::SizeMismatch, R"(
f :: Int -> SR ()
f n = sigrel () where
  local x :: Real^n
  local y :: Real^(mod n 2 + 1)
  x = y
main = simulate (f 3)
)"},
    {"an integer division by zero", Code::DivisionByZero, R"(
f :: Int -> Int
f n = div 1 n
main = simulate (sigrel () where
    local x :: Real
    x = real (f 0))
)"},
    {"an overflow", Code::IntegerOverflow, R"(
f :: Int -> Int
f n = n * n
main = simulate (sigrel () where
    local x :: Real
    x = real (f (f (f 1000000))))
)"},
    {"a new value outside of an event", Code::AssignmentOutsideEvent, R"(
main = simulate (sigrel () where
    discrete n :: Int = 0
    n := 1)
)"},
    {"a new value that needs itself", Code::AssignmentNeedsItself, R"(
main = simulate (sigrel () where
    local x :: Real
    der x = 1.0
    when x > 1.0 do
      x := 0.5 * x)
)"},
    {"a part assigned from outside", Code::NotAssignable, R"(
part :: SR ()
part = sigrel () where
  local x :: Real
  der x = 1.0
main = simulate (sigrel () where
    p: part
    when time > 1.0 do
      p.x := 0.0)
)"},
    {"the value before, where there is no instant", Code::PreOfContinuous, R"(
main = simulate (sigrel () where
    local x, y :: Real
    der x = 1.0
    y = pre x)
)"},
    {"an instance with an index that never exists", Code::DefinedByItself, R"(
main = simulate (sigrel () where
    local x :: Real
    v: constantVoltage 1.0 <> (a, g)
    for i in 1 .. 3 do
      r: resistor 1.0 <> (a, g)
    ground <> g
    x = r[4].p.i)
)"},
};

}  // namespace

TEST_CASE("A relation with an interface is no model") {
  for (const char* text : {"main = resistor 100.0\n", "main = sigrel (x) where { x = 1.0 }\n"}) {
    INFO(text);
    Source s(text);
    CHECK(s.codes() == std::vector{Code::MainType});
    CHECK_FALSE(s.result);
  }
}

TEST_CASE("A model that cannot be elaborated is one error with its code") {
  for (const Refused& r : kCases) {
    INFO(r.title);
    Source s(r.text);
    CHECK(s.codes() == std::vector{r.code});
    CHECK_FALSE(s.result);
    for (const sigrel::Diagnostic& d : s.session.diagnostics().all())
      if (d.primary) CHECK(d.primary->span.file == s.session.root());
  }
}
