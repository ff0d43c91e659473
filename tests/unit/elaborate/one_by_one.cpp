// Applications in loops: evaluated once for iterations of the same kind, they give the same system, byte for
// byte, as the evaluation of every iteration.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "source.h"

namespace {

namespace fs = std::filesystem;
using sigrel::Session;

struct Outcome {
  std::string system, messages;
  bool operator==(const Outcome&) const = default;
};

Outcome elaborated_as(Session& session, bool one_by_one) {
  sigrel::Diagnostics diagnostics;
  auto result = sigrel::elaborate::elaborate(session.program(), {.one_by_one = one_by_one}, diagnostics);
  Outcome outcome;
  if (result) {
    verify(result->system);
    outcome.system = print(result->system);
  }
  for (const sigrel::Diagnostic& d : diagnostics.all())
    outcome.messages += render_text(d, session.sources(), false);
  return outcome;
}

void both_ways(Session& session) {
  const Outcome one_by_one = elaborated_as(session, true), together = elaborated_as(session, false);
  CHECK(one_by_one.messages == together.messages);
  if (one_by_one.system == together.system) return;
  std::istringstream a(one_by_one.system), b(together.system);
  std::string left, right;
  while (std::getline(a, left) && std::getline(b, right) && left == right) {}
  CHECK(left == right);
  CHECK(one_by_one.system.size() == together.system.size());
}

struct Text {
  std::string name, body;
};

/// Bodies with n, c :: Real, k :: Real^n, p :: SR (Pin, Pin), q :: [SR (Pin, Pin)], x :: Pin^(n + 2) and u ::
/// Real^(n + 2).
const Text kBodies[] = {
    {"a ladder", "resistor c <> (x[i], x[i + 1])\nd: capacitor 2.0 <> (x[i + 1], g)\ninitially d.u = 0.0"},
    {"a captured relation", "p <> (x[i], x[i + 1])\nw: p <> (x[1], x[i])"},
    {"numbers of the relation", "resistor k[i] <> (x[i], x[i + 1])\nr: resistor (c * real i) <> (x[i], g)"},
    {"another relation by iteration", "(if i > 2 then resistor c else capacitor c) <> (x[i], x[i + 1])"},
    {"a relation that a number decides",
     "(if k[i] > 1.5 then resistor c else capacitor k[i]) <> (x[i], x[i + 1])"},
    {"one of several", "for part in q do\n  part <> (x[i], x[i + 1])\n  r: part <> (x[i], g)"},
    {"the same node twice", "resistor c <> (x[i], x[n + 1 - i])"},
    {"values", "gain c <> (u[i], u[i + 1])\ns: gain 2.0 <> (u[i] + u[1], u[i + 1])\nu[i] = s.y + s.x"},
    {"numbers as values", "gain c <> (1.0, u[i + 1])\ngain c <> (real i, u[i])\ngain c <> (k[i], u[i])"},
    {"vectors",
     "pair <> (vector [u[i], u[i + 1]], x[i])\nv: pair <> (vector [u[1], 2.0 * u[i]], x[1])\nu[i] = v.y[2]"},
    {"sizes from arguments", "total <> (vector [u[i] for j in [1 .. 2]], u[i + 1])"},
    {"sizes by iteration", "several i <> x[i]\nz: several 2 <> x[i + 1]\ninitially z.u[2] = 1.0"},
    {"a let", "let h = c * real i\nlet a = u[i]\ngain h <> (a, u[i + 1])\nresistor h <> (x[i], g)"},
    {"locals",
     "local y :: Pin\nlocal b :: Real\nresistor c <> (x[i], y)\nr: resistor 1.0 <> (y, x[i + 1])\nb = "
     "r.u\ngain c <> (b, u[i])"},
    {"instances of their own",
     "r: resistor c\nd: capacitor c <> (r.n, x[i])\nconnect r.p x[i + 1]\ninitially d.u = 2.0"},
    {"instances of a loop inside",
     "for j in 1 .. i + 1 do\n  r: resistor c <> (x[i], x[j])\nresistor 1.0 <> (r[i].n, x[n + 1])\nr[1].u = "
     "3.0 * r[i + 1].u\nu[i] = r[i].p.i"},
    {"an instance that is not there yet", "resistor 1.0 <> (r.n, x[i])\nr: resistor c <> (x[i], x[i + 1])"},
    {"variables of an instance",
     "r: resistor c <> (x[i], x[i + 1])\nr.u = 2.0 * u[i]\ngain 1.0 <> (r.u, u[i + 1])\nu[i] = r.p.i"},
    {"loops in loops",
     "for j in 1 .. i do\n  resistor c <> (x[i], x[j])\n  w: capacitor (k[j] + real i) <> (x[j + 1], g)\n  "
     "initially w.u = 0.0"},
    {"at an edge",
     "if i < n then\n  resistor c <> (x[i], x[i + 1])\nelse\n  r: resistor 1.0 <> (x[i], x[1])"},
    {"an expression with an instance", "u[i] = doubled <> u[i + 1]\ngain c <> (doubled <> u[i], u[i + 1])"},
    {"events", "relay (k[i] + 0.5) <> (u[i], u[i + 1])\nm: relay 1.0 <> (u[1], u[i])"},
    {"independent of the iteration", "resistor c <> (x[1], g)\nr: resistor 1.0 <> (x[1], g)"},
    {"wrong in a later iteration", "resistor c <> (x[i], x[i + 4])"},
    {"wrong size", "pair <> (vector [u[i], u[i + 1], u[1]], x[i])"},
    {"a size that a later iteration does not have",
     "total <> (vector [1.0 for j in [1 .. 3 - i]], u[i])\npair <> (vector [1.0 for j in [1 .. 3 - i]], "
     "x[i])"},
};

std::string model(const std::string& body, int n) {
  std::string text = fmt::format(R"(
gain :: Real -> SR (x :: Real, y :: Real)
gain k = sigrel (x, y) where
  y = k * x

doubled :: SR (in u :: Real, out y :: Real)
doubled = sigrel (u, y) where
  y = 2.0 * u

pair :: SR (y :: Real^2, p :: Pin)
pair = sigrel (y, p) where
  y[1] = p.v
  p.i = y[2]

total :: SR (y :: Real^n, s :: Real)
total = sigrel (y, s) where
  s = y[1]

several :: (n :: Int) -> SR (p :: Pin)
several n = sigrel (p) where
  local u :: Real^n
  for j in 1 .. n do
    der u[j] = p.v - u[j]
  p.i = u[1]

relay :: Real -> SR (u :: Real, y :: Real)
relay limit = sigrel (u, y) where
  discrete b :: Bool = False
  when u > limit do
    b := not (pre b)
  y = if b then 1.0 else u

model :: Int -> Real -> Real^7 -> SR (Pin, Pin) -> [SR (Pin, Pin)] -> SR ()
model n c k p q = sigrel () where
  local x :: Pin^(n + 2)
  local u :: Real^(n + 2)
  for i in 1 .. n do
)");
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) text += "    " + line + "\n";
  return text + fmt::format(
                    "  ground <> g\n\nmain = simulate (model {} 2.5 (vector [1.0, 0.0, 2.0, 2.0, 5.0, -1.0, "
                    "7.0]) (resistor 3.0) [resistor 1.0, capacitor 2.0])\n",
                    n);
}

std::vector<fs::path> sources() {
  std::vector<fs::path> found;
  for (const char* folder : {"tests/cases", "tests/numeric/models", "tests/bench/run", "examples", "stdlib"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SIGREL_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".sr") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

sigrel::SessionOptions options() { return {.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}}; }

}  // namespace

TEST_CASE("Iterations of the same kind bind the same as one by one") {
  for (const Text& text : kBodies)
    for (int n : {1, 2, 3, 7}) {
      INFO(text.name << " with n = " << n);
      Session session(options());
      session.load_text("test.sr", elaborated::kParts + model(text.body, n));
      const bool checked = session.check();
      std::string errors;
      for (const sigrel::Diagnostic& d : session.diagnostics().all())
        errors += render_text(d, session.sources(), false);
      INFO(errors);
      CHECK(checked);
      if (checked) both_ways(session);
    }
}

TEST_CASE("Models of the repository are the same systems when their loops are evaluated one by one") {
  std::size_t compared = 0;
  for (const fs::path& path : sources()) {
    INFO(path.string());
    std::set<std::string> models{""};
    {
      Session session(options());
      if (!session.load(path.string())) continue;
      session.check();
      for (const sigrel::core::Global* g : session.definitions())
        if (g->type == "SR ()") models.emplace(text(g->name));
    }
    for (const std::string& model : models) {
      INFO(model);
      Session session(options());
      session.load(path.string());
      if (!session.check(model.empty() ? std::nullopt : std::optional("simulate " + model)) ||
          !session.program().main)
        continue;
      both_ways(session);
      ++compared;
    }
  }
  CHECK(compared > 200);
}
