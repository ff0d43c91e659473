#include "tests/cases/check_against_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace golden {
namespace {

using namespace sigrel;

struct RunOnly {
  std::string_view code, reason;
};

// The list in grammar/README.md, "What only a run finds", is this one.
constexpr RunOnly kRunOnly[] = {
    {"SR0185", "the period of a clock is a parameter"},
    {"SR0186", "the length of a delay is a parameter"},
    {"SR0323", "which states a selection can use changes along the solution"},
    {"SR0402", "whether surplus initial values agree depends on the numbers"},
    {"SR0410", "a coefficient may vanish at the values of the start"},
    {"SR0501", "Newton's method may not find initial values"},
    {"SR0502", "Newton's method may not solve an algebraic loop"},
    {"SR0503", "an expression has no finite value at this point"},
    {"SR0504", "the integrator makes no progress"},
    {"SR0506", "the solver is chosen for the run"},
    {"SR0509", "a matrix is singular for these numbers"},
    {"SR0510", "whether an assertion holds depends on the solution"},
    {"SR0511", "whether events end depends on the solution"},
    {"SR0512", "assignments disagree in their values"},
    {"SR0515", "conditions become true at the same instant"},
    {"SR0520", "coefficients make a constraint between states for these numbers"},
};

using Codes = std::set<std::string>;

Codes errors(Session& session) {
  Codes found;
  for (const Diagnostic& d : session.diagnostics().all())
    if (d.severity == Severity::Error) found.emplace(info(d.code).id);
  return found;
}

void load(Session& session, const CaseFile& file) {
  session.load_text(file.path.filename().string(), file.source, file.path.parent_path().string());
}

}  // namespace

std::vector<std::string> check_against_run(const CaseFile& file, const SessionOptions& options) {
  Session checked(options), running(options);
  load(checked, file);
  const bool passes = checked.check() && checked.check_structure() && checked.check_main();
  load(running, file);
  bool runs = false;
  if (running.check())
    if (auto model = running.compile({}, Backend::Interpreter)) runs = running.run(*model).completed();

  const Codes by_check = errors(checked), by_run = errors(running);
  std::vector<std::string> problems;
  if (by_run.contains("SR0602")) return problems;  // no complete `main`
  if (runs && !passes)
    problems.push_back(fmt::format("the model runs, but `check` reports {}", *by_check.begin()));
  if (!passes) return problems;  // a run may name the same fault by another code
  for (const std::string& code : by_run)
    if (std::ranges::find(kRunOnly, code, &RunOnly::code) == std::end(kRunOnly))
      problems.push_back(fmt::format("only a run reports {}", code));
  return problems;
}

}  // namespace golden
