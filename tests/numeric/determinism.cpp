// The order in which a model is written changes nothing that is visible: definitions, declarations and
// equations are permuted.
#include <algorithm>
#include <random>
#include <set>

#include "compiler/graph/blt.h"
#include "compiler/incidence/incidence.h"
#include "numeric.h"

using namespace sigrel;

namespace {

/// A relation: its items can stand in any order.
struct Definition {
  std::string head;
  std::vector<std::string> items;
  std::string end;  // `initially`
};
struct Text {
  const char* title;
  std::string imports;
  std::vector<Definition> definitions;
  const char* experiment;
  std::vector<std::string> results;
};

std::vector<Text> models() {
  return {{"circuit without ground",
           "import Electrical",
           {{"stage :: Resistance -> SR (p :: Pin, n :: Pin)\nstage r = sigrel (p, n) where",
             {"r1: resistor r <> (p, m)", "r2: resistor (2.0 * r) <> (m, n)",
              "c1: capacitor 1.0e-2 <> (m, n)", "r3: resistor (3.0 * r) <> (p, n)"},
             "  initially c1.u = 0.0\n"},
            {"circuit :: SR ()\ncircuit = sigrel () where",
             {"v: constantVoltage 10.0 <> (a, d)", "s1: stage 1.0 <> (a, b)", "s2: stage 5.0 <> (a, b)",
              "l1: inductor 0.1 <> (b, c)", "r1: resistor 10.0 <> (c, e)", "r2: resistor 20.0 <> (c, e)",
              "l2: inductor 0.2 <> (e, d)"},
             "  initially l1.p.i = 0.0\n"}},
           "simulate circuit with { stop = 0.5, tolerance = 1.0e-9, steps = 20 }",
           {"l1.p.i", "l2.p.i", "s1.c1.u", "s2.c1.u", "r1.p.i", "s1.r3.p.i"}},
          {"pendulum",
           "",
           {{"pendulum :: SR ()\npendulum = sigrel () where",
             {"local x, y :: Real", "local vx, vy :: Real", "local tension :: Real", "der x = vx",
              "der y = vy", "der vx = -tension * x", "der vy = -tension * y - 9.81", "x^2 + y^2 = 1.0"},
             "  initially\n    y = 0.0\n    vy = 0.0\n  guess\n    x = 1.0\n"}},
           "simulate pendulum with { stop = 2.0, tolerance = 1.0e-9, steps = 20 }",
           {"x", "y", "vx", "vy", "tension"}},
          {"motor control",
           "",
           {{"machine :: SR (u :: Real, i :: Real, w :: Real, phi :: Real, load :: Real)\nmachine = sigrel "
             "(u, i, w, phi, load) where",
             {"local e, torque :: Real", "u = 13.8 * i + 0.061 * der i + e", "e = 1.016 * w",
              "torque = 1.016 * i", "der phi = w", "0.0025 * der w = torque - load"},
             ""},
            {"gear :: SR (phi1 :: Real, t1 :: Real, phi2 :: Real, t2 :: Real)\ngear = sigrel (phi1, t1, "
             "phi2, t2) where",
             {"phi1 = 105.0 * phi2", "105.0 * t1 = t2"},
             ""},
            {"control :: SR (r :: Real, i :: Real, u :: Real)\ncontrol = sigrel (r, i, u) where",
             {"local e, x, y, fo :: Real", "e = r - i", "der x = e / 0.005", "y = 30.0 * (x + e)",
              "der fo = (y - fo) / 0.001", "u = fo"},
             "  initially\n    x = 0.0\n    fo = 0.0\n"},
            {"drive :: SR ()\ndrive = sigrel () where",
             {"local u, i, w, phi, load, phiG, tG, phiL, wL, shaft :: Real",
              "m: machine <> (u, i, w, phi, load)", "g: gear <> (phi, load, phiG, tG)",
              "k: control <> (4.7, i, u)", "shaft = 5.0e5 * (phiG - phiL) + 500.0 * (der phiG - wL)",
              "tG = shaft", "der phiL = wL", "100.0 * der wL = shaft"},
             "  initially\n    phi = 0.0\n    w = 0.0\n    phiL = 0.0\n    wL = 0.0\n    i = 0.0\n"}},
           "simulate drive with { stop = 0.1, tolerance = 1.0e-9, steps = 20 }",
           {"k.x", "i", "phi", "w", "phiL", "wL"}},
          {"blocks",
           "",
           {{"plant :: SR (u :: Real, x :: Real)\nplant = sigrel (u, x) where",
             {"local v :: Real", "der x = v", "der v = u - 0.5 * v - sin x"},
             "  initially\n    x = 1.0\n    v = 0.0\n"},
            {"loop :: SR ()\nloop = sigrel () where",
             {"local u, x, y, z, w :: Real", "plant <> (u, x)", "y = -2.0 * x + 0.1 * w", "u = y + 0.5 * z",
              "z^3 + z = y + w", "w = 0.3 * z - 0.2 * y + sin time"},
             ""}},
           "simulate loop with { stop = 5.0, tolerance = 1.0e-9, steps = 20 }",
           {"u", "x", "y", "z", "w"}}};
}

std::string written(Text model, std::mt19937& random, bool shuffled) {
  if (shuffled) std::shuffle(model.definitions.begin(), model.definitions.end(), random);
  std::string text = model.imports + "\n";
  for (Definition& d : model.definitions) {
    if (shuffled) std::shuffle(d.items.begin(), d.items.end(), random);
    // Declarations of locals come first.
    std::ranges::stable_partition(d.items,
                                  [](const std::string& item) { return item.starts_with("local "); });
    text += d.head + "\n";
    for (const std::string& item : d.items) text += "  " + item + "\n";
    text += d.end + "\n";
  }
  return text + "main = " + model.experiment + "\n";
}

struct Seen {
  std::set<std::string> states;
  std::set<std::set<std::string>> blocks;
  std::vector<std::vector<double>> results;
};

Seen seen(const std::string& text, const std::vector<std::string>& names) {
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true});
  session.load_text("permuted.sr", text);
  session.check();
  auto model = session.diagnostics().has_errors() ? nullptr : session.compile({}, Backend::Interpreter);
  std::string messages;
  for (const Diagnostic& d : session.diagnostics().all())
    messages += render_text(d, session.sources(), false);
  INFO(text << messages);
  REQUIRE(model);
  Seen result;
  const dae::System& dae = model->dae;
  auto name = [&](std::uint32_t v) { return dae::variable_name(model->system, dae, v); };
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    if (dae.variables[v].state) result.states.insert(name(v));
  incidence::EquationList equations;
  equations.append(dae.equations);
  std::vector<std::uint32_t> variable_of(equations.count());
  for (std::uint32_t v = 0; v < dae.assign.size(); ++v)
    if (dae.assign[v] != dae::kNone) variable_of[dae.assign[v]] = v;
  graph::Blocks blocks = graph::blt(
      incidence::incidence(equations, static_cast<std::uint32_t>(dae.variables.size())), dae.assign);
  for (std::uint32_t b = 0; b < blocks.count(); ++b) {
    std::set<std::string> block;
    for (std::uint32_t r : blocks.block(b)) block.insert(name(variable_of[r]));
    result.blocks.insert(std::move(block));
  }
  Run run = session.run(*model);
  REQUIRE(run.completed());
  for (const std::string& n : names) {
    INFO(n);
    result.results.push_back(numeric::column(run, n));
    REQUIRE(!result.results.back().empty());
  }
  return result;
}

}  // namespace

TEST_CASE("20 permutations of a model have the same states, blocks and trajectories") {
  std::mt19937 random(11);
  for (const Text& model : models()) {
    INFO(model.title);
    const Seen expected = seen(written(model, random, false), model.results);
    for (int k = 0; k < 20; ++k) {
      const Seen other = seen(written(model, random, true), model.results);
      CHECK(other.states == expected.states);
      CHECK(other.blocks == expected.blocks);
      for (std::size_t column = 0; column < expected.results.size(); ++column) {
        REQUIRE(other.results[column].size() == expected.results[column].size());
        double largest = 1e-3;
        for (double v : expected.results[column]) largest = std::max(largest, std::abs(v));
        for (std::size_t row = 0; row < expected.results[column].size(); ++row)
          CHECK(other.results[column][row] ==
                Approx(expected.results[column][row]).epsilon(0).margin(1e-6 * largest));
      }
    }
  }
}
