// Simultaneous blocks: published answers and closed forms, by every solver and backend; what is iterated on;
// growth with size.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <unistd.h>

#include "compiler/explain/blocks.h"
#include "compiler/pipeline/solved_blocks.h"
#include "numeric.h"

namespace {

using sigrel::pipeline::SolvedBlock;

using numeric::Value;

struct Case {
  const char* title;
  const char* expression;
  std::vector<Value> values;
};

std::vector<Case> cases() {
  const double t = 0.1;
  const double v2 = 20.0 / 3700.0 * (60 * std::sin(10 * t) - 10 * std::cos(10 * t) + 10 * std::exp(-60 * t));
  const double root = std::sqrt(2.0);
  // MT-9 e: y = 3 x + u / 4, u = -2 y, so u = -4 x and x' = -x - 8 x.
  const double x = std::exp(-9.0 * 0.5);
  // MB-9 c: 8.8 x5 = ... from x2 = 2 x1, x3 = 4 x1 - x5, 4 x4 = x1 - 2 x3, so x1 - 8 x1 + 2 x5 + 5 x5 = 3 x1.
  const double x5 = 10.0 / 7.0 * std::sin(1.0), area = 10.0 / 7.0 * (1 - std::cos(1.0));
  // MB-9 d: with q = x5 and s = x1: x3 = 4 s - q, 4 x4 = 3 s - 5 q; x6' = (-5 x3 - 2 x4) / 3 = (-21.5 s + 7.5
  // q) / 3; 2 x3 + 4 x4 + 5 x6' = s gives 10 s - 7 q + (-107.5 s + 37.5 q) / 3 = 0, q = 77.5 s / 16.5.
  const double s = std::sin(1.0), q = 77.5 / 16.5 * s;
  const double slope = (-21.5 + 7.5 * 77.5 / 16.5) / 3;
  const double g = (std::sqrt(5.0) - 1) / 2;
  return {
      {"MT-1", nullptr, {{"u5", 1.6069926947050053}, {"u1", 0.9993449829954304}}},
      {"MT-3", "mt3", {{"z", -std::asin(0.98)}}},
      {"MT-8", "mt8", {{"v2", v2}, {"i64", (std::sin(1.0) - v2) / 10}}},
      {"MT-9 e", "mt9e", {{"x", x}, {"u", -4 * x}}},
      {"MT-9 f", "mt9f", {{"u1", 1 + root}, {"u3", 2 * root * (1 + root)}}},
      {"MT-9 f, the other root", "mt9fOther", {{"u2", 1 - root}}},
      {"MT-34", "mt34", {{"b.v", 5}, {"o.v", -5}, {"e.v", 2.5}, {"t.p1.i", 0.125}, {"q", 2268.147, 1e-5}}},
      {"MD-28", "md28", {{"x[1]", 13, 1e-13}, {"x[2]", -1, 1e-13}, {"x[5]", -1, 1e-13}, {"y", -2, 1e-13}}},
      {"MB-1b",
       "mb1b",
       {{"c.u", 10 * (1 - std::exp(-1 / (110 * 2.5e-3)))},
        {"r.u", 100.0 / 11 * std::exp(-1 / (110 * 2.5e-3))}}},
      {"MB-9 c", "mb9c", {{"x5", x5}, {"x6", std::exp(-area)}}},
      {"MB-9 d", "mb9d", {{"x5", q}, {"x6", 1 + slope * (1 - std::cos(1.0))}}},
      {"PM-3", "pm3", {{"g", 1}, {"h", 0}, {"i", 0}}},
      {"MT-10 f", "mt10f", {{"x", -3}, {"y", -5}}},
      {"a ladder of resistors",
       "ladder 100",
       {{"s.p.i", -g, 1e-13}, {"net.x[2].v", 1 - g, 1e-13}, {"net.x[11].v", std::pow(1 - g, 10), 1e-9}}},
      {"a mesh of resistors", "grid 2", {{"c.u", 1 - std::exp(-1.0)}}},
  };
}

const char* const kHard[] = {nullptr, "isHelical", "isChebyquad", "isRosenbrock"};
const std::vector<Value> kHardValues[] = {{{"x", 1.0981593297e-5}, {"y", 9.106146739867}},
                                          {{"x", 1}, {"y", 0}, {"z", 0}},
                                          {{"x", 0.2113248654}, {"y", 0.7886751346}},
                                          {{"x", 1}, {"y", 1}}};

std::vector<SolvedBlock> blocks(const numeric::Model& model) {
  std::vector<SolvedBlock> all = sigrel::pipeline::solved_blocks(model.compiled().plan);
  std::erase_if(all, [](const SolvedBlock& b) { return b.residual_equations.empty(); });
  return all;
}

std::string name(const numeric::Model& model, std::uint32_t variable) {
  return sigrel::dae::variable_name(model.compiled().system, model.compiled().dae, variable);
}

}  // namespace

TEST_CASE("Blocks: published and closed-form answers") {
  for (const Case& c : cases()) {
    INFO(c.title);
    numeric::each_way("blocks.sr", c.expression, {},
                      [&](const sigrel::Run& run) { numeric::check_values(run, c.values); });
  }
}

TEST_CASE("Blocks that are hard to solve from where they start") {
  for (std::size_t k = 0; k < std::size(kHard); ++k) {
    INFO((kHard[k] ? kHard[k] : "main"));
    numeric::Model model("hard_blocks.sr", kHard[k]);
    sigrel::Run run = model.run({});
    for (const Value& v : kHardValues[k])
      CHECK(numeric::value(run, v.name) == Approx(v.expected).epsilon(1e-9).margin(1e-9));
  }
}

TEST_CASE("The order of equations decides nothing in a block") {
  // MT-1 and a linear block, with their equations in twenty orders.
  std::vector<std::string> loop = {"u1 = sin u5",
                                   "u2 = cos u1",
                                   "u3 = sqrt (u1^2 + u2^2)",
                                   "u4 = sqrt (u2^2 + u3^2)",
                                   "u5 = sqrt (u4^2 + u1^2)",
                                   "2.0 * a + 4.0 * b = u5",
                                   "a + c = 2.0 * u5",
                                   "4.0 * b + 5.0 * c = u1"};
  std::set<std::vector<std::string>> unknowns;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("sigrel-permuted-" + std::to_string(getpid()) + ".sr");
  for (int k = 0; k < 20; ++k) {
    std::string text =
        "model :: SR ()\nmodel = sigrel () where\n  local u1, u2, u3, u4, u5, a, b, c :: Real\n";
    for (const std::string& equation : loop) text += "  " + equation + "\n";
    text += "main = simulate model with { stop = 0.0 }\n";
    sigrel::Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true});
    std::ofstream(path) << text;
    session.load(path.string());
    REQUIRE(session.check());
    auto compiled = session.compile({}, sigrel::Backend::Interpreter);
    REQUIRE(compiled);
    std::vector<std::string> found;
    for (const SolvedBlock& b : sigrel::pipeline::solved_blocks(compiled->plan)) {
      if (b.residual_equations.empty()) continue;
      found.push_back(std::to_string(b.size()));
      for (std::uint32_t v : b.tearing_variables)
        found.push_back(sigrel::dae::variable_name(compiled->system, compiled->dae, v));
    }
    unknowns.insert(found);
    CHECK(numeric::value(session.run(*compiled, {}), "u5") == Approx(1.6069926947050053).epsilon(1e-12));
    std::next_permutation(loop.begin(), loop.end());
    std::rotate(loop.begin(), loop.begin() + 3, loop.end());
  }
  std::filesystem::remove(path);
  REQUIRE(unknowns.size() == 1);
  CHECK(*unknowns.begin() == std::vector<std::string>{"5", "u5", "3", unknowns.begin()->back()});
}

TEST_CASE("One unknown is left of each published block") {
  struct Torn {
    const char* expression;
    std::vector<std::string> unknown;  // any of these
    std::size_t equations;
    runtime::AlgebraicLoop::Kind kind;
  };
  for (const Torn& t : {Torn{nullptr, {"u5"}, 5, runtime::AlgebraicLoop::Nonlinear},
                        Torn{"mt9e", {"u", "y"}, 2, runtime::AlgebraicLoop::Fixed},
                        Torn{"mt9f", {"u1", "u2", "u3"}, 2, runtime::AlgebraicLoop::Nonlinear},
                        Torn{"mb9c", {"x3", "x4", "x5"}, 3, runtime::AlgebraicLoop::Fixed},
                        Torn{"mb9d", {"x3", "x4", "x5"}, 4, runtime::AlgebraicLoop::Fixed},
                        Torn{"mb1b", {"b.v", "v.p.i"}, 4, runtime::AlgebraicLoop::Fixed}}) {
    INFO((t.expression ? t.expression : "main"));
    numeric::Model model("blocks.sr", t.expression);
    auto found = blocks(model);
    REQUIRE(found.size() == 1);
    CHECK(found[0].size() == t.equations);
    REQUIRE(found[0].tearing_variables.size() == 1);
    INFO(name(model, found[0].tearing_variables[0]));
    CHECK(std::ranges::count(t.unknown, name(model, found[0].tearing_variables[0])) == 1);
    CHECK(found[0].kind == t.kind);
  }
  CHECK(numeric::Model("blocks.sr", "mb1b").compiled().dae.equations.count() ==
        6);  // six equations remain, as published
}

TEST_CASE("MT-14: fifty heated branches are fifty blocks of few unknowns") {
  numeric::Model model("blocks.sr", "mt14");
  auto found = blocks(model);
  CHECK(found.size() == 50);
  for (const SolvedBlock& b : found) CHECK(b.tearing_variables.size() == 1);
  std::size_t kernels = model.compiled().plan.kernels.size();
  for (const char* solver : {"cvode", "ida"}) CHECK(model.run({.solver = solver}).completed());
  numeric::Model more("blocks.sr", "heating 500");
  CHECK(more.compiled().plan.kernels.size() == kernels);
}

TEST_CASE("A large block stays sparse, and is as many kernels and runs whatever its size") {
  std::size_t kernels[2], runs[2], unknowns[2], k = 0;
  for (const char* expression : {"grid 20", "grid 60"}) {
    numeric::Model model("blocks.sr", expression);
    auto found = blocks(model);
    REQUIRE(found.size() == 1);
    kernels[k] = model.compiled().plan.kernels.size();
    runs[k] = model.compiled().plan.model.batches.size();
    unknowns[k++] = found[0].tearing_variables.size();
    CHECK(found[0].kind == runtime::AlgebraicLoop::Fixed);
    CHECK(found[0].tearing_variables.size() <
          found[0].size() / 4);  // nodal analysis has a node of five variables
  }
  CHECK(kernels[0] == kernels[1]);
  CHECK(runs[1] < runs[0] + 40);
  CHECK(unknowns[1] < 10 * unknowns[0]);
}

TEST_CASE("A linear block is factorised once, and again when a parameter has changed") {
  numeric::Model model("blocks.sr", "grid 8", {{"s.v", 1.0}});
  double first = numeric::value(model.run({.solver = "cvode"}), "c.u");
  CHECK(numeric::value(model.run({.solver = "ida"}), "c.u") == Approx(first).epsilon(1e-7));
  double other = numeric::value(model.run({.solver = "cvode", .set = {{"s.v", 2.0}}}), "c.u");
  CHECK(other == Approx(2 * first).epsilon(1e-7));
}

TEST_CASE(
    "A coefficient that vanishes for a later run is told with its value; compiled with it the model runs") {
  numeric::Model model("blocks.sr", "mb1b", {{"ri.r", 10.0}});
  CHECK(numeric::value(model.run({.solver = "auto", .set = {{"ri.r", 20.0}}}), "c.u") ==
        Approx(10 * (1 - std::exp(-1 / (120 * 2.5e-3)))));
  std::string text = model.refusal({.set = {{"ri.r", 0.0}}});
  INFO(text);
  CHECK(text.starts_with("error[SR0508]: an equation no longer determines `"));
  CHECK(text.find("its coefficient is 0") != std::string::npos);
  CHECK(text.find("r * p.i = u") != std::string::npos);
  CHECK(text.find("`ri.r` = 0") != std::string::npos);
  numeric::Model again("blocks.sr", "mb1b", {{"ri.r", 0.0}});
  CHECK(numeric::value(again.run({}), "c.u") == Approx(10 * (1 - std::exp(-1 / (100 * 2.5e-3)))));
}
