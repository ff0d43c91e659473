// Equations in loops: iterations that read values of the same kind share a shape, and the flat system is that
// of the same equations written one by one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "source.h"

using elaborated::Source;
using sigrel::Code;

namespace {

/// `@` in the body is the counter.
std::string model(const std::string& body, int n, bool loop) {
  auto iteration = [&](const std::string& counter, const std::string& indent) {
    std::string text = indent;
    for (char c : body) {
      if (c == '@')
        text += counter;
      else
        text += c;
      if (c == '\n') text += indent;
    }
    return text + "\n";
  };
  std::string text = R"(
jump :: Real -> Real
jump x = if x > 2.5 then 3.0 else 2.0

line :: Int -> Real -> Real^7 -> SR ()
line n c k = sigrel () where
  local u, v :: Real^n
  local w :: Real^(n, 3)
  local x :: Pin^n
)";
  if (loop) {
    text += "  for i in 1 .. n do\n" + iteration("i", "    ");
  } else {
    for (int i = 1; i <= n; ++i) text += iteration(std::to_string(i), "  ");
  }
  return text +
         fmt::format("\nmain = simulate (line {} 2.5 (vector [1.0, 0.0, 2.0, 2.0, 5.0, -1.0, 7.0]))\n", n);
}

/// The unknowns of each equation, and its residual where every unknown has a value of its own.
using Equation = std::pair<std::vector<std::string>, double>;

std::vector<Equation> equations(const sigrel::system::System& system, const sigrel::Equations& equations) {
  using sigrel::Op;
  std::vector<double> parameters;
  for (const auto& p : system.parameters)
    parameters.push_back(arity(p.op) == 0 ? p.value
                                          : apply(p.op, parameters[p.a], parameters[p.b], parameters[p.c]));
  auto value_of = [](const std::string& name) {
    double h = 0.3;
    for (char c : name) h = std::fmod(h * 7.31 + c * 0.137, 1.9);
    return h + 0.1;
  };
  std::vector<Equation> result;
  for (const sigrel::EquationTable& t : equations.tables)
    for (std::size_t row = 0; row < t.rows(); ++row) {
      Equation e;
      for (std::uint32_t u : t.unknowns_of(row)) e.first.push_back(unknown_name(system, u));
      std::map<std::uint32_t, double> values;
      for (sigrel::ExprId id : topological(system.exprs, {&t.residual, 1})) {
        const sigrel::Node& n = system.exprs[id];
        double& v = values[id.value];
        switch (n.op) {
          case Op::Const: v = n.value; break;
          case Op::Slot: v = value_of(e.first[n.a]); break;
          case Op::Der: v = value_of("der " + e.first[n.a]); break;
          case Op::Param: v = parameters[t.parameters_of(row)[n.a]]; break;
          case Op::Time: v = 0.7; break;
          case Op::PowInt: v = std::pow(values[n.a], static_cast<std::int32_t>(n.b)); break;
          default: v = apply(n.op, values[n.a], values[n.b], values[n.c]);
        }
      }
      e.second = values[t.residual.value];
      std::ranges::sort(e.first);
      result.push_back(std::move(e));
    }
  std::ranges::sort(result);
  return result;
}

void same(std::vector<Equation> a, std::vector<Equation> b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].first == b[i].first);
    CHECK(a[i].second == Approx(b[i].second));
  }
}

const std::vector<std::string> kBodies = {
    "der u[@] = (if @ > 1 then u[@ - 1] else 0.0) - 2.0 * u[@] + (if @ < n then u[@ + 1] else sin time)",
    "der u[@] = sin (real @) * u[@] + real (@ - 3) * u[1] + c / real @",
    "der u[@] = u[@] * u[n + 1 - @] - u[@]",
    "der u[@] = jump (real @) * u[@]",
    "der u[@] = k[@] * u[@] + k[n + 1 - @] * u[1] - c",
    "der u[@] = (real @ - 2.0) * u[1] + u[@]",
    "der u[@] = if u[@] > real @ then u[@] else v[1]\nv[@] = u[@]^2",
    "der w[@] = c * w[n + 1 - @]\nw[@, 2] = w[@, 1] + real @",
    "let f@ = u[@] - real @\nder u[@] = f@ * f@ - f@",
    "let h@ = c / real @\nder u[@] = h@ * u[@]",
    "let a@ = u[@] - real @\nlet b@ = a@ * a@\nder u[@] = b@ - a@ + (if @ > 1 then b@ else 0.0)",
    "let a@ = real @ + c\nder u[@] = a@\ninitially u[@] = a@",
    "let j@ = n + 1 - @\nlet r@ = w[j@]\nder u[@] = r@[2] - u[j@] + real j@",
    "let a@ = u[@] + 1.0\nv[@] = a@\nfor j in 1 .. 2 do\n  w[@, j] = a@ + v[@]",
    "x[@].v = x[1].v + real @ * x[n + 1 - @].v",
    "if @ == 2 then\n  u[@] = 1.0\nelse\n  u[@] = 3.0 * v[@] - sum [v[1], v[@]]",
    "initially u[@] = real @ + c\ninitially v[@] = 0.0",
};

}  // namespace

TEST_CASE("A loop has the equations of its iterations written one by one") {
  for (const std::string& body : kBodies)
    for (int n : {1, 2, 7}) {
      INFO(body << " with n = " << n);
      Source loop(model(body, n, true)), flat(model(body, n, false));
      same(equations(loop.system(), loop.system().equations),
           equations(flat.system(), flat.system().equations));
      same(equations(loop.system(), loop.system().initial), equations(flat.system(), flat.system().initial));
      CHECK(loop.system().unknowns == flat.system().unknowns);
    }
}

TEST_CASE("Iterations of a loop are rows, with numbers that differ as parameters") {
  const std::string body =
      "der u[@] = (if @ > 1 then u[@ - 1] else 0.0) + sin (real @) * u[@]\ninitially u[@] = real @\nx[@].v = "
      "x[1].v / real (@ + 1)";
  Source small(model(body, 30, true)), large(model(body, 300, true));
  CHECK(large.system().equations.tables.size() == small.system().equations.tables.size());
  CHECK(large.system().equations.tables.size() <= 5);
  CHECK(large.system().initial.tables.size() <= 2);
}

TEST_CASE("A grid has a shape for its inside, whatever its edges are") {
  auto grid = [](int n) {
    return fmt::format(R"(
main = simulate (sigrel () where
    local u :: Real^({0}, {0})
    for i in 1 .. {0} do
      for j in 1 .. {0} do
        der u[i, j] = (if i > 1 then u[i - 1, j] else 1.0) + (if j < {0} then u[i, j + 1] else 0.0) - 2.0 * u[i, j])
)",
                       n);
  };
  Source small(grid(4)), large(grid(20));
  CHECK(small.system().equations.tables.size() == 4);
  CHECK(large.system().equations.tables.size() == 4);
}

TEST_CASE("An index that leaves its range in a later iteration is reported there") {
  Source s(model("der u[@] = u[@ + 1]", 5, true));
  CHECK(s.codes() == std::vector{Code::IndexOutOfRange});
  // A `let` is evaluated whether it is used or not.
  Source unused(model("let a@ = u[@ + 1]\nder u[@] = if @ < n then a@ else 0.0", 5, true));
  CHECK(unused.codes() == std::vector{Code::IndexOutOfRange});
}

TEST_CASE("A number that decides structure in an iteration decides that iteration only") {
  Source s(model("der u[@] = jump (real @) * u[@]", 50, true));
  CHECK(s.system().equations.tables.size() == 2);
}
