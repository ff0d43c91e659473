// Runs golden cases: golden_cases [--update] [FILE or FOLDER …]; without any, every case of tests/cases.
//
// The folder says how far a case goes and which sections are written: parse (ast), check (types), types
// (structural types of every definition by itself), elaborate (system), structure (dae, plan), run (values at
// the end; computed with generated code and with the interpreter, which must agree). Rendered diagnostics, if
// there are any, come first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "compiler/session/session.h"
#include "tests/cases/case_file.h"
#include "tests/cases/check_against_run.h"

namespace fs = std::filesystem;
using namespace golden;
using namespace sigrel;

namespace {

const fs::path kRoot = fs::path(SIGREL_SOURCE_DIR) / "tests" / "cases";

// Relative, absolute below 1. Messages print three digits.
constexpr double kValueTolerance = 1e-6, kMessageTolerance = 2e-3;

/// How far numbers in a section may be from the expected ones. A case whose messages report the last steps of
/// a failing run, which depend on rounding, states its own tolerance.
double tolerance(const CaseFile& file, const std::string& stage, const std::string& section) {
  if (section == "values") return kValueTolerance;
  return stage == "run" && section == "diagnostics" ? file.tolerance.value_or(kMessageTolerance) : 0;
}

const std::map<std::string, std::vector<std::string>>& default_sections() {
  static const std::map<std::string, std::vector<std::string>> sections = {
      {"parse", {"ast"}},        {"check", {"types"}},           {"types", {"structural"}},
      {"elaborate", {"system"}}, {"structure", {"dae", "plan"}}, {"run", {"values"}},
  };
  return sections;
}

SessionOptions session_options() {
  SessionOptions options{{{(kRoot / "modules").string()}, SIGREL_SOURCE_DIR "/stdlib"}, true};
  options.library_part = pipeline::LibraryPart::Mentioned;  // as `sigrel run` does
  return options;
}

/// Paths of this source tree vanish: a case says the same on every machine.
std::string relative_paths(std::string text) {
  const std::string prefix = SIGREL_SOURCE_DIR "/";
  for (std::size_t i = text.find(prefix); i != std::string::npos; i = text.find(prefix, i))
    text.erase(i, prefix.size());
  return text;
}

struct Outcome {
  std::vector<Section> sections;
  std::vector<std::string> problems;
};

std::string values_text(const Run& run) {
  std::string text;
  for (std::size_t c = 0; c < run.columns.size() && c < run.final_values.size(); ++c)
    text += fmt::format("{} = {:.9g}\n", run.columns.names[c], run.final_values[c]);
  return text;
}

std::string types_text(const Session& session) {
  std::string text;
  for (const core::Global* g : session.definitions()) {
    text += fmt::format("{} :: {}\n", sigrel::text(g->name), g->type);
    if (!g->feed_through.empty()) text += fmt::format("  at once: {}\n", g->feed_through);
  }
  return text;
}

std::string structural_text(const Session& session) {
  std::string text;
  for (const core::Global* g : session.definitions())
    if (std::string type = session.structural_type(*g); !type.empty())
      text += fmt::format("{} :: {}\n", sigrel::text(g->name), type);
  return text;
}

/// One section of a case that has no errors.
std::string section_text(const CaseFile& file, const std::string& name, Session& session, Backend backend) {
  if (name == "types") return types_text(session);
  if (name == "structural") return structural_text(session);
  if (name == "values") {
    std::shared_ptr<Compiled> model = session.compile({}, backend);
    return model ? values_text(session.run(*model)) : "";
  }
  for (const pipeline::DumpName& dump : pipeline::dump_names())
    if (dump.name == name) {
      Session another(session_options());  // a dump stops the pipeline: it has one of its own
      another.load_text(file.path.filename().string(), file.source, file.path.parent_path().string());
      return another.dump_loaded(file.expression, dump.dump, false).value_or("");
    }
  return "there is no section `" + name + "`\n";
}

Outcome compile_case(const CaseFile& file, const std::string& stage, Backend backend) {
  Outcome outcome;
  std::vector<std::string> wanted = file.sections.value_or(default_sections().at(stage));
  Session session(session_options());
  session.load_text(file.path.filename().string(), file.source, file.path.parent_path().string());
  FileId root = session.root();
  bool only_parsed = stage == "parse" && wanted == std::vector<std::string>{"ast"};
  bool fine = !session.diagnostics().has_errors();
  if (!only_parsed) fine = session.check(file.expression) && fine;
  if (fine && stage == "types") fine = session.check_structure();
  if (fine && (stage == "elaborate" || stage == "structure"))
    fine = session.compile({}, Backend::Interpreter) != nullptr;

  std::vector<Section> sections;
  if (fine)
    for (const std::string& name : wanted)
      sections.push_back({name, section_text(file, name, session, backend)});
  std::string rendered;
  for (const Diagnostic& d : session.diagnostics().all())
    rendered += (rendered.empty() ? "" : "\n") + render_text(d, session.sources(), false);
  if (!rendered.empty()) outcome.sections.push_back({"diagnostics", relative_paths(rendered)});
  if (!session.diagnostics().has_errors())
    for (Section& s : sections) outcome.sections.push_back({s.name, relative_paths(std::move(s.text))});
  outcome.problems = disagreements(file, session.diagnostics(), session.sources(), root);
  return outcome;
}

/// What is wrong with a case; empty: nothing.
std::vector<std::string> run_case(const fs::path& path, bool update) {
  std::string stage = fs::relative(path, kRoot).begin()->string();
  if (!default_sections().contains(stage))
    return {"the folder of a case is one of parse, check, types, elaborate, structure, run"};
  CaseFile file = read_case(path);
  Outcome outcome = compile_case(file, stage, Backend::Jit);
  auto tolerance_of = [&](const std::string& section) { return tolerance(file, stage, section); };
  for (std::string& problem : disagreements(file, outcome.sections, tolerance_of))
    outcome.problems.push_back(std::move(problem));
  if (!outcome.problems.empty()) {
    for (const Section& s : outcome.sections) outcome.problems.push_back(s.name + ":\n" + s.text);
    return outcome.problems;
  }
  if (stage == "run") {
    Outcome interpreted = compile_case(file, stage, Backend::Interpreter);
    for (std::size_t i = 0; i < outcome.sections.size(); ++i)
      if (i >= interpreted.sections.size() ||
          !same_text(outcome.sections[i].text, interpreted.sections[i].text,
                     tolerance_of(outcome.sections[i].name)))
        return {"generated code and the interpreter disagree:\n" + outcome.sections[i].text +
                "interpreter:\n" + (i < interpreted.sections.size() ? interpreted.sections[i].text : "")};
  }
  if (std::vector<std::string> differences = check_against_run(file, session_options());
      stage != "parse" && !differences.empty())
    return differences;
  bool same = file.generated.size() == outcome.sections.size();
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < std::max(file.generated.size(), outcome.sections.size()); ++i) {
    Section none{"(nothing)", ""};
    const Section& was = i < file.generated.size() ? file.generated[i] : none;
    const Section& is = i < outcome.sections.size() ? outcome.sections[i] : none;
    if (was.name == is.name && same_text(was.text, is.text, tolerance_of(is.name))) continue;
    same = false;
    problems.push_back(
        fmt::format("section `{}` was\n{}and `{}` is now\n{}", was.name, was.text, is.name, is.text));
  }
  if (same || !update) return problems;
  std::ofstream(path, std::ios::binary) << with_sections(file, outcome.sections);
  fmt::print("updated {}\n", fs::relative(path, SIGREL_SOURCE_DIR).string());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  bool update = false;
  std::vector<fs::path> files;
  auto add = [&](const fs::path& path) {
    if (!fs::is_directory(path)) return files.push_back(path);
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.path().extension() == ".sr" &&
          fs::relative(entry.path(), kRoot).begin()->string() != "modules")
        files.push_back(entry.path());
  };
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--update")
      update = true;
    else
      add(fs::absolute(argv[i]));
  }
  if (files.empty()) add(kRoot);
  std::ranges::sort(files);

  int failed = 0;
  for (const fs::path& path : files) {
    std::vector<std::string> problems = run_case(path, update);
    if (problems.empty()) continue;
    ++failed;
    fmt::print("FAILED {}\n", fs::relative(path, SIGREL_SOURCE_DIR).string());
    for (const std::string& problem : problems) fmt::print("  {}\n", problem);
  }
  fmt::print("{} cases, {} failed\n", files.size(), failed);
  if (failed && !update) fmt::print("When what is new is right: tools/update-cases\n");
  return failed ? 1 : 0;
}
