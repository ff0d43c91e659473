#include "tests/cases/check_against_run.h"

#include <fmt/format.h>

#include <fstream>
#include <set>

namespace golden {
namespace {

using namespace sigrel;

using Codes = std::set<std::string>;

/// The codes that the reference lists as those of a run alone, in the table below this line.
const Codes& codes_of_runs() {
  static const Codes codes = [] {
    std::ifstream file(SIGREL_SOURCE_DIR "/grammar/README.md");
    Codes found;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("What only a run finds")) inside = true;
      if (inside && line.starts_with("**")) break;
      if (!inside || !line.starts_with("| SR")) continue;
      const std::string cell = line.substr(0, line.find('|', 1));
      for (std::size_t at = cell.find("SR"); at != std::string::npos; at = cell.find("SR", at + 1))
        found.insert(cell.substr(at, 6));
    }
    return found;
  }();
  return codes;
}

Codes codes(Session& session, bool errors) {
  Codes found;
  for (const Diagnostic& d : session.diagnostics().all())
    if ((d.severity == Severity::Error) == errors) found.emplace(info(d.code).id);
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

  const Codes by_check = codes(checked, true), by_run = codes(running, true);
  std::vector<std::string> problems;
  if (by_run.contains("SR0602")) return problems;  // no complete `main`
  if (runs && !passes)
    problems.push_back(fmt::format("the model runs, but `check` reports {}", *by_check.begin()));
  if (!passes) return problems;  // a run may name the same fault by another code
  for (const std::string& code : by_run)
    if (!codes_of_runs().contains(code))
      problems.push_back(fmt::format("only a run reports {}, which grammar/README.md does not list", code));
  // Of warnings and notes, too, those of a run are in the table or those of `check`.
  const Codes told = codes(checked, false);
  for (const std::string& code : codes(running, false))
    if (!codes_of_runs().contains(code) && !told.contains(code))
      problems.push_back(fmt::format("a run reports {}, and `check` does not", code));
  return problems;
}

}  // namespace golden
