// Every verifier is given broken intermediate representations, one fault each: it must find the fault and say
// which. Those of system, dae and plan end the process, so each runs in a child.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "compiler/elaborate/elaborate.h"
#include "compiler/ir/core_verify.h"
#include "compiler/order/order.h"
#include "compiler/reduce/reduce.h"
#include "compiler/session/session.h"

using namespace sigrel;

namespace {

/// A node with three flows, a differentiated constraint, an initial equation, an assertion, a condition that
/// fires, an assignment, `pre`, a delay and an algebraic loop.
constexpr const char* kModel = R"(
record Pin = { v :: Real, flow i :: Real }

resistor :: Real -> SR (p :: Pin, n :: Pin)
resistor r = sigrel (p, n) where
  r * p.i = p.v - n.v
  p.i + n.i = 0.0

source :: SR (p :: Pin, v :: Real)
source = sigrel (p, v) where
  p.v = v

model :: SR ()
model = sigrel () where
  local x, y, u, v, w, late :: Real
  discrete count :: Int = 0
  resistor 1.0 <> (a, b)
  resistor 2.0 <> (b, g)
  resistor 3.0 <> (b, g)
  source <> (a, 1.0 + x)
  source <> (g, 0.0)
  der x = u
  der u = -x
  y = 2.0 * x
  v^3 + w = x
  v - w^3 = y
  late = delay x 0.5
  assert "small" x < 10.0
  when x > 0.5 do
    count := pre count + 1
  initially
    x = 0.0
    u = 1.0

main = simulate model with { stop = 1.0 }
)";

struct Stages {
  system::System system;
  dae::System dae;
  plan::Plan plan;
};

Stages stages() {
  Session session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
  const bool checked = session.load_text("model.sr", kModel) && session.check();
  Diagnostics& d = session.diagnostics();
  for (const Diagnostic& each : d.all()) UNSCOPED_INFO(each.message);
  REQUIRE(checked);
  std::optional<elaborate::Result> result = elaborate::elaborate(session.program(), {}, d);
  REQUIRE(result);
  Stages s{std::move(result->system), {}, {}};
  s.dae = reduce::reduce(s.system, d);
  for (const Diagnostic& each : d.all()) UNSCOPED_INFO(each.message);
  REQUIRE(!d.has_errors());
  s.plan = order::order(s.system, s.dae, d);
  REQUIRE(!d.has_errors());
  return s;
}

/// What a child process writes to its standard error while it does this; it must be ended by abort().
std::string last_words(const std::function<void()>& action) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    for (int fatal : {SIGABRT, SIGSEGV, SIGBUS}) signal(fatal, SIG_DFL);  // not the test framework's handlers
    action();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char chunk[4096];
  for (ssize_t n; (n = read(ends[0], chunk, sizeof chunk)) > 0;)
    text.append(chunk, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) return "the verifier accepted it";
  if (WTERMSIG(status) != SIGABRT) return "ended by signal " + std::to_string(WTERMSIG(status)) + ": " + text;
  return text.substr(0, text.find('\n'));
}

constexpr std::uint32_t kFar = 1'000'000;

}  // namespace

TEST_CASE("what the stages make is accepted") {
  Stages s = stages();
  system::verify(s.system);
  dae::verify(s.system, s.dae);
  plan::verify(s.plan);
  CHECK(s.dae.zero_crossings.size() == 1);
  CHECK(s.plan.model.loops.size() >= 1);
}

TEST_CASE("the verifier of system::System finds each fault") {
  struct Fault {
    const char* what;
    std::function<void(system::System&)> make;
  };
  auto table = [](system::System& s) -> EquationTable& {
    for (EquationTable& t : s.equations.tables)
      if (t.slots > 0 && t.params > 0 && t.rows() > 0) return t;
    FAIL("no table");
    return s.equations.tables[0];
  };
  const std::vector<Fault> faults = {
      {"different lengths", [&](auto& s) { table(s).unknowns.pop_back(); }},
      {"refers to no unknown", [&](auto& s) { table(s).unknowns[0] = kFar; }},
      {"refers to no parameter", [&](auto& s) { table(s).parameters[0] = kFar; }},
      {"a slot that its table lacks", [&](auto& s) { table(s).residual = s.exprs.slot(kFar); }},
      {"a parameter that its table lacks", [&](auto& s) { table(s).residual = s.exprs.param(kFar); }},
      {"a sum refers to no unknown", [](auto& s) { s.equations.sums.terms.at(0) = Term::of(kFar, false); }},
      {"a condition has no trigger", [](auto& s) { s.events.conditions.tables.at(0).tags.at(0) = kFar; }},
      {"a value is not assigned", [](auto& s) { s.events.values.tables.at(0).tags.at(0) = kFar; }},
      {"no trigger or no target", [](auto& s) { s.events.assignments.at(0).target = kFar; }},
      {"a `pre` is of no unknown", [](auto& s) { s.events.previous.at(0).of = kFar; }},
      {"a `delay` is of no unknown", [](auto& s) { s.delays.at(0).of = kFar; }},
      {"a node with one part has no part",
       [](auto& s) {
         s.templates.at(0).lone_nodes = {{.name = {}, .connector = {}, .span = {}, .part = kFar}};
       }},
      {"no instance", [](auto& s) { s.instances.clear(); }},
      {"before its parent", [](auto& s) { s.instances.at(1).parent = 1; }},
      {"computed from a later one",
       [](auto& s) {
         system::Parameter p;
         p.op = Op::Neg;
         p.a = kFar;
         s.parameters.push_back(p);
       }},
  };
  const Stages good = stages();
  for (const Fault& fault : faults) {
    INFO(fault.what);
    system::System broken = good.system;
    fault.make(broken);
    const std::string said = last_words([&] { system::verify(broken); });
    INFO(said);
    CHECK(said.find(fault.what) != std::string::npos);
  }
}

TEST_CASE("the verifier of dae::System finds each fault") {
  struct Fault {
    const char* what;
    std::function<void(dae::System&)> make;
  };
  auto table = [](dae::System& d) -> EquationTable& {
    for (EquationTable& t : d.equations.tables)
      if (t.slots > 0 && t.params > 0 && t.rows() > 0) return t;
    FAIL("no table");
    return d.equations.tables[0];
  };
  auto state = [](dae::System& d) {
    for (std::uint32_t v = 0; v < d.variables.size(); ++v)
      if (d.variables[v].state) return v;
    FAIL("no state");
    return 0u;
  };
  auto algebraic = [](dae::System& d) {
    for (std::uint32_t v = 0; v < d.variables.size(); ++v)
      if (!d.variables[v].state) return v;
    FAIL("no algebraic variable");
    return 0u;
  };
  const std::vector<Fault> faults = {
      {"has no residual", [&](auto& d) { table(d).residual = ExprId{kFar}; }},
      {"unknowns", [&](auto& d) { table(d).unknowns.pop_back(); }},
      {"parameters", [&](auto& d) { table(d).parameters.push_back(0); }},
      {"refers to variable", [&](auto& d) { table(d).unknowns[0] = kFar; }},
      {"refers to parameter", [&](auto& d) { table(d).parameters[0] = kFar; }},
      {"still has a derivative", [&](auto& d) { table(d).residual = d.exprs.der(0, 1); }},
      {"has slot", [&](auto& d) { table(d).residual = d.exprs.slot(kFar); }},
      {"has parameter", [&](auto& d) { table(d).residual = d.exprs.param(kFar); }},
      {"wrong offsets", [](auto& d) { d.equations.sums.offsets.back() += 1; }},
      {"no parameter of its own", [](auto& d) { d.zero_crossings.at(0).first = kFar; }},
      {"not of a state", [&](auto& d) { d.assignments.at(0).variable = algebraic(d); }},
      {"its derivative disagree", [&](auto& d) { d.variables[state(d)].derivative = kFar; }},
      {"wrong order", [&](auto& d) { d.variables[state(d)].order = 1; }},
      {"not every unknown has an alias", [](auto& d) { d.aliases.pop_back(); }},
      {"an alias refers to no variable",
       [](auto& d) {
         for (dae::Alias& a : d.aliases)
           if (a.kind != dae::Alias::Zero) a.variable = kFar;
       }},
      {"not every variable has an assignment", [](auto& d) { d.assign.pop_back(); }},
      {"derivative_of", [](auto& d) { d.derivative_of.assign(1, dae::kNone); }},
      {"is a state and assigned", [&](auto& d) { d.assign[state(d)] = 0; }},
      {"is not assigned", [&](auto& d) { d.assign[algebraic(d)] = dae::kNone; }},
      {"no equation of its own",
       [](auto& d) {
         std::uint32_t last = dae::kNone;
         for (std::uint32_t& e : d.assign)
           if (e != dae::kNone) e = last == dae::kNone ? last = e : last;
       }},
  };
  const Stages good = stages();
  for (const Fault& fault : faults) {
    INFO(fault.what);
    dae::System broken = good.dae;
    fault.make(broken);
    const std::string said = last_words([&] { dae::verify(good.system, broken); });
    INFO(said);
    CHECK(said.find(fault.what) != std::string::npos);
  }
}

TEST_CASE("the verifier of plan::Plan finds each fault") {
  struct Fault {
    const char* what;
    std::function<void(plan::Plan&)> make;
  };
  auto solve = [](plan::Plan& p) -> runtime::KernelBatch& {
    for (runtime::KernelBatch& b : p.model.batches)
      if (b.kernel != runtime::kNone && b.role == runtime::Role::Solve && b.slots > 1) return b;
    FAIL("no batch that solves");
    return p.model.batches[0];
  };
  const std::vector<Fault> faults = {
      {"empty", [&](auto& p) { solve(p).count = 0; }},
      {"no equation numbers", [&](auto& p) { solve(p).equations = kFar; }},
      {"no kernel", [&](auto& p) { solve(p).kernel = kFar; }},
      {"of another role", [&](auto& p) { solve(p).kernel = solve(p).partials; }},
      {"differ in slots", [&](auto& p) { solve(p).slots += 1; }},
      {"differ in the solved slot", [&](auto& p) { solve(p).solved = 1 - solve(p).solved; }},
      {"is cut", [&](auto& p) { solve(p).table = p.model.tables.size(); }},
      {"refers to no variable", [&](auto& p) { p.model.tables[solve(p).table] = kFar; }},
      {"is determined twice",
       [](auto& p) {
         p.model.dynamic.insert(p.model.dynamic.end(), p.model.dynamic.begin(), p.model.dynamic.end());
       }},
      {"not determined", [](auto& p) { p.model.observed.clear(); }},
      {"is read before it is determined", [](auto& p) { std::ranges::reverse(p.model.initial); }},
      {"the start does not determine", [](auto& p) { p.model.initial.clear(); }},
      {"equations as unknowns", [](auto& p) { p.model.loops.at(0).unknowns += 1; }},
      {"start or nominal is missing", [](auto& p) { p.model.start.assign(1, runtime::kNone); }},
      {"computed from a later one", [](auto& p) { p.model.parameters.push_back({1, kFar, 0, 0, 0}); }},
      {"has a derivative", [](auto& p) { p.kernels[0].outputs[0] = p.exprs.der(0, 1); }},
      {"reads a slot", [](auto& p) { p.kernels[0].outputs[0] = p.exprs.slot(kFar); }},
      {"reads a parameter", [](auto& p) { p.kernels[0].outputs[0] = p.exprs.param(kFar); }},
      {"cannot be assigned", [](auto& p) { p.model.events.assignments.at(0).variable = kFar; }},
      {"has no value", [](auto& p) { p.model.events.assignments.at(0).value.row = kFar; }},
      {"has no value", [](auto& p) { p.model.events.assignments.at(0).value.batch = kFar; }},
      {"delayed is not known", [](auto& p) { p.model.delays.at(0).of = kFar; }},
  };
  const Stages good = stages();
  for (const Fault& fault : faults) {
    INFO(fault.what);
    plan::Plan broken = good.plan;
    fault.make(broken);
    const std::string said = last_words([&] { plan::verify(broken); });
    INFO(said);
    CHECK(said.find(fault.what) != std::string::npos);
  }
}

TEST_CASE("the verifier of core::Program finds each fault") {
  struct Fault {
    const char* what;
    std::function<void(core::Program&, core::Global&)> make;
  };
  const std::vector<Fault> faults = {
      {"main is out of range", [](auto& p, auto&) { p.main = core::GlobalId{kFar}; }},
      {"Experiment is missing", [](auto& p, auto&) { p.experiment = core::RecordId{kFar}; }},
      {"local_names does not cover", [](auto&, auto& g) { g.local_names.pop_back(); }},
      {"more layout parameters than locals", [](auto&, auto& g) { g.layout_parameters = kFar; }},
      {"out of range",
       [](auto&, auto& g) {
         g.local_count = 0;
         g.local_names.clear();
       }},
      {"used before it is bound",
       [](auto& p, auto& g) {  // the body of another definition, whose locals are not bound here
         g.body = p.arena->template make<core::LocalExpr>(core::Expr{core::ExprKind::Local, g.span},
                                                          core::LocalId{0});
       }},
      {"a global is out of range",
       [](auto& p, auto& g) {
         g.body =
             p.arena->template make<core::GlobalExpr>(core::Expr{core::ExprKind::Global, g.span},
                                                      core::GlobalId{kFar}, std::span<const core::Layout*>{});
       }},
  };
  for (const Fault& fault : faults) {
    INFO(fault.what);
    Session session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
    REQUIRE((session.load_text("model.sr", kModel) && session.check()));
    REQUIRE(core::verify(session.program()).empty());
    core::Program broken = session.program();
    auto global = std::ranges::find_if(
        broken.globals, [](const core::Global& g) { return text(g.name) == "resistor" && g.body; });
    REQUIRE(global != broken.globals.end());
    fault.make(broken, *global);
    std::string all;
    for (const std::string& finding : core::verify(broken)) all += finding + "\n";
    CHECK(all.find(fault.what) != std::string::npos);
  }
}
