#include "compiler/session/session.h"

#include <cmath>

using namespace sigrel;

namespace {

SessionOptions options() { return {{{}, SIGREL_SOURCE_DIR "/stdlib"}, true}; }

std::string messages(Session& session) {
  std::string text;
  for (const Diagnostic& d : session.diagnostics().all()) text += render_text(d, session.sources(), false);
  return text;
}

const char* kCharge = R"(
import Electrical

charge :: Resistance -> Voltage -> SR ()
charge r v0 = sigrel () where
  source: constantVoltage 10.0 <> (a, g)
  r1:     resistor r           <> (a, b)
  c1:     capacitor 2.0        <> (b, g)
  ground                       <> g
  initially c1.u = v0

main = simulate (charge 0.5 0.1) with { stop = 10.0, tolerance = 1.0e-9, plot = ["c1.u"] }
)";

}  // namespace

TEST_CASE("one compiled model, several parameter sets") {
  Session session(options());
  REQUIRE(session.load_text("charge.sr", kCharge));
  bool checked = session.check();
  INFO(messages(session));
  REQUIRE(checked);
  for (Backend backend : {Backend::Jit, Backend::Interpreter}) {
    auto model = session.compile({}, backend);
    REQUIRE(model);
    auto charged = [&](const Settings& set) {
      return session.run(*model, {.set = set}).value("c1.u").value();
    };
    CHECK(charged({}) == Approx(9.99955054069535).epsilon(1e-6));
    CHECK(charged({{"r", 5.0}}) == Approx(6.35799353240272).epsilon(1e-6));
    CHECK(charged({{"r", 5.0}, {"v0", 3.0}}) == Approx(7.4248439117999).epsilon(1e-6));
    CHECK(charged({}) == Approx(9.99955054069535).epsilon(1e-6));
  }
  // A parameter further inside is named when the model is compiled.
  auto model = session.compile({{"r1.r", 5.0}});
  REQUIRE(model);
  CHECK(session.run(*model).value("c1.u").value() == Approx(6.35799353240272).epsilon(1e-6));
  CHECK(session.run(*model, {.set = {{"r1.r", 0.5}}}).value("c1.u").value() ==
        Approx(9.99955054069535).epsilon(1e-6));
}

TEST_CASE("every variable of the source has a result") {
  Session session(options());
  REQUIRE(session.load_text("charge.sr", kCharge));
  REQUIRE(session.check());
  auto model = session.compile();
  REQUIRE(model);
  Run run = session.run(*model);
  REQUIRE(run.completed());
  // Eliminated ones too: interfaces of labelled instances, zero, and the negative of another.
  CHECK(run.value("source.u").value() == Approx(10.0));
  CHECK(run.value("g.v").value() == 0.0);
  CHECK(run.value("c1.p.v").value() == Approx(run.value("b.v").value()));
  CHECK(run.value("c1.p.i").value() == Approx(-run.value("c1.n.i").value()));
  CHECK(run.value("r1.u").value() == Approx(10.0 - run.value("c1.u").value()));
  CHECK(run.column("c1.u").size() == run.trajectory.rows());
  CHECK(run.column("c1.u").front() == Approx(0.1));
  CHECK(run.plotted() == std::vector<std::string>{"c1.u"});
  CHECK(!run.value("c2.u"));

  pipeline::Results results(model->system, model->dae);
  CHECK(results.find("der(c1.u)"));
  CHECK(!results.find("der(g.v"));
  CHECK(results.states().names == std::vector<std::string>{"c1.u"});
}

TEST_CASE("a plot in panes") {
  constexpr const char* kPanes =
      "m = sigrel () where\n  local x, y, z\n  der x = y\n  der y = -x\n  z = x * y\n"
      "  initially\n    x = 1.0\n    y = 0.0\n"
      "main = simulate m with { plot = [[\"x\", \"y\"], [], [\"z\", \"x\"]] }\n";
  Session session(options());
  REQUIRE(session.load_text("panes.sr", kPanes));
  REQUIRE(session.check());
  auto model = session.compile();
  REQUIRE(model);
  const Run run = session.run(*model);
  CHECK(run.panes == Panes{{"x", "y"}, {"z", "x"}});
  CHECK(run.plotted() == std::vector<std::string>{"x", "y", "z"});
  CHECK(run.column("z").size() == run.trajectory.rows());
}

TEST_CASE("a list of panes has lists only") {
  Session session(options());
  REQUIRE(session.load_text("panes.sr",
                            "m = sigrel () where\n  local x\n  x = time\n"
                            "main = simulate m with { plot = [[\"x\"], \"x\"] }\n"));
  CHECK_FALSE(session.check());
  CHECK(session.diagnostics().error_count() == 1);
}

TEST_CASE("outputs by patterns") {
  Session session(options());
  REQUIRE(session.load_text("charge.sr", kCharge));
  REQUIRE(session.check());
  auto model = session.compile();
  REQUIRE(model);
  Run run = session.run(*model, {.outputs = {"r1.*", "source.u"}});
  REQUIRE(run.completed());
  CHECK(run.value("r1.u"));
  CHECK(run.value("r1.p.v"));
  CHECK(run.value("source.u"));
  CHECK(!run.value("c1.u"));  // the model's `plot`: what is asked for now goes before it
  CHECK(!run.value("c1.p.v"));

  Run none = session.run(*model, {.outputs = {"r2.*"}});
  CHECK(!none.valid);
  REQUIRE(session.diagnostics().has_errors());
  CHECK(session.diagnostics().all().back().code == Code::UnknownResult);
}

TEST_CASE("deep recursion keeps short names") {
  Session session(options());
  REQUIRE(session.load_text("ladder.sr", R"(
import Electrical

ladder :: Int -> SR (p :: Pin, g :: Pin)
ladder n = sigrel (p, g) where
  r: resistor 1.0     <> (p, m)
  c: capacitor 1.0e-3 <> (m, g)
  if n > 1 then
    rest: ladder (n - 1) <> (m, g)
  initially c.u = 0.0

model :: Int -> SR ()
model n = sigrel () where
  constantVoltage 1.0 <> (a, g)
  ladder n            <> (a, g)
  ground              <> g

main = simulate (model 2000) with { stop = 0.001 }
)"));
  REQUIRE(session.check());
  auto model = session.compile();
  REQUIRE(model);
  pipeline::Results results(model->system, model->dae);
  pipeline::Columns states = results.states();
  REQUIRE(states.size() == 2000);
  for (std::size_t i = 0; i < states.size(); i += 97) {
    CHECK(states.names[i].size() < 40);
    auto found = results.find(states.names[i]);
    REQUIRE(found);
    CHECK(found->variable == states.columns[i].variable);
  }
  CHECK(results.find("ladder.rest^1999.c.u"));
  CHECK(results.find("ladder.rest.rest.c.u"));
  CHECK(!results.find("ladder.rest^2000.c.u"));
}

TEST_CASE("patterns") {
  using pipeline::matches;
  CHECK(matches("r*.i", "r1.i"));
  CHECK(matches("r*.i", "r1.p.i"));
  CHECK(!matches("r*.i", "r1.u"));
  CHECK(matches("*", ""));
  CHECK(matches("**b*", "aab"));
  CHECK(!matches("a", "ab"));
  CHECK(!matches("", "a"));
  CHECK(matches("s*.w", "s1.w[1]"));
  CHECK(matches("s*.w", "s1.w[1,2]"));
  CHECK(!matches("s*.w", "s1.w[1].u"));
  CHECK(!matches("r", "r[1].u"));
}

TEST_CASE("settings that make no sense are errors before the run") {
  Session session(options());
  REQUIRE(session.load_text("charge.sr", kCharge));
  REQUIRE(session.check());
  auto model = session.compile();
  REQUIRE(model);
  auto refused = [&](const RunOptions& run) {
    session.diagnostics().clear();
    return !session.run(*model, run).valid && session.diagnostics().error_count() == 1;
  };
  CHECK(refused({.stop = -1.0}));
  CHECK(refused({.stop = std::nan("")}));
  CHECK(refused({.tolerance = 0.0}));
  CHECK(refused({.tolerance = 1e-15}));
  CHECK(refused({.steps = 0}));
  CHECK(refused({.solver = "euler"}));
  CHECK(refused({.set = {{"r2.r", 1.0}}}));
  CHECK(!refused({.stop = 0.5}));
}

TEST_CASE("a run can be cancelled and keeps what it has") {
  Session session(options());
  REQUIRE(session.load_text("charge.sr", kCharge));
  REQUIRE(session.check());
  auto model = session.compile();
  REQUIRE(model);
  std::atomic<bool> cancel{false};
  Run run =
      session.run(*model, {.cancel = &cancel, .progress = [&](double fraction) { cancel = fraction > 0.3; }});
  CHECK(run.outcome.status == runtime::Outcome::Cancelled);
  CHECK(run.trajectory.rows() > 1);
  CHECK(run.outcome.reached < 10.0);
  CHECK(!session.diagnostics().has_errors());
}

TEST_CASE("an expression instead of main") {
  Session session(options());
  REQUIRE(session.load_text("charge.sr", kCharge));
  REQUIRE(session.check("simulate (charge 5.0 3.0) with { stop = 10.0, tolerance = 1.0e-9 }"));
  auto model = session.compile();
  REQUIRE(model);
  CHECK(session.run(*model).value("c1.u").value() == Approx(7.4248439117999).epsilon(1e-6));
}

TEST_CASE("errors stop the pipeline behind their stage") {
  Session session(options());
  session.load_text("a.sr", "main = simulate lowPas\n");
  CHECK(!session.check());
  CHECK(session.compile() == nullptr);
  CHECK(session.diagnostics().error_count() == 1);
}
