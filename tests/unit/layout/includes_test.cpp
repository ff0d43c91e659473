// The layout shows the data flow: who may include whom. A stage includes the shared rooms (ir, base,
// diagnostics, symbolic) and itself, never another stage; only the pipeline and the rooms above it name
// several. ANTLR, LLVM and SUNDIALS each stay in their rooms.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace fs = std::filesystem;

namespace {

struct Include {
  std::string file;  // relative to the source tree
  int line = 0;
  std::string path;
};

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (std::set<fs::path>{".h", ".cpp"}.contains(entry.path().extension())) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Include> includes_of(const fs::path& folder) {
  static const std::regex directive(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)re");
  fs::path root = SIGREL_SOURCE_DIR;
  std::vector<Include> found;
  for (const fs::path& path : sources(root / folder)) {
    std::ifstream in(path);
    std::string text;
    std::smatch match;
    for (int line = 1; std::getline(in, text); ++line)
      if (std::regex_match(text, match, directive))
        found.push_back({fs::relative(path, root).string(), line, match[1]});
  }
  return found;
}

/// "compiler/graph/blt.h" -> "compiler/graph"; "runtime/solve/schedule.h" -> "runtime/solve";
/// "runtime/model.h" -> "runtime"; empty for other headers.
std::string room(const std::string& path) {
  if (path.starts_with("compiler/")) return path.substr(0, path.find('/', 9));
  return path.starts_with("runtime/") ? path.substr(0, path.rfind('/')) : "";
}

/// `complete`: every room has a rule.
void check_rooms(const std::map<std::string, std::set<std::string>>& rules, bool complete = false) {
  const std::string top = rules.begin()->first;
  for (const Include& i : includes_of(top.substr(0, top.find('/')))) {
    auto rule = rules.find(room(i.file));
    if (rule == rules.end()) {
      if (complete) FAIL_CHECK(i.file << ": there is no rule for its room");
      continue;
    }
    std::string to = room(i.path);
    if (to.empty() || to == rule->first || rule->second.contains(to) || rule->second.contains(i.path))
      continue;
    FAIL_CHECK(i.file << ":" << i.line << " includes " << i.path << ": " << rule->first << " must not know "
                      << to);
  }
}

}  // namespace

TEST_CASE("a stage includes the shared rooms and itself") {
  using Rooms = std::set<std::string>;
  auto with = [](Rooms rooms, std::initializer_list<const char*> more) {
    rooms.insert(more.begin(), more.end());
    return rooms;
  };
  const Rooms shared = {"compiler/base", "compiler/diagnostics", "compiler/ir", "compiler/symbolic"};
  // A plan contains a runtime::Model: plain data.
  const Rooms with_model = with(shared, {"runtime/model.h"});
  const Rooms analyses =
      with(with_model, {"compiler/graph", "compiler/exact", "compiler/incidence", "compiler/singularity"});
  check_rooms({
      {"compiler/base", {}},
      {"compiler/diagnostics", {"compiler/base"}},
      {"compiler/ir", {"compiler/base", "compiler/diagnostics", "runtime/model.h"}},
      {"compiler/parse", shared},
      // Results are data, too.
      {"compiler/data", {"compiler/base", "compiler/diagnostics", "runtime/results"}},
      {"compiler/check", with(shared, {"compiler/graph", "compiler/data"})},
      {"compiler/evaluate", with(shared, {"compiler/data"})},
      {"compiler/elaborate",
       with(shared, {"compiler/evaluate"})},  // bodies are evaluated while they are built
      {"compiler/symbolic", shared},
      {"compiler/graph", {"compiler/base"}},
      {"compiler/exact", {"compiler/base", "compiler/ir"}},
      {"compiler/incidence", with(shared, {"compiler/graph"})},
      {"compiler/singularity", with(shared, {"compiler/graph", "compiler/exact", "compiler/incidence"})},
      // A singular definition is analysed and reported as a singular flat system is.
      {"compiler/structural_types",
       with(shared, {"compiler/graph", "compiler/exact", "compiler/singularity"})},
      {"compiler/reduce", analyses},
      {"compiler/order", analyses},
      {"compiler/interpret", with(with_model, {"runtime/interval.h"})},
      {"compiler/lower", with_model},
      // Both know LLVM: lower writes its modules, jit makes them executable. Kernels that are not worth
      // compiling are interpreted.
      {"compiler/jit", with(with_model, {"compiler/lower", "compiler/interpret"})},
      {"compiler/format", {"compiler/base", "compiler/diagnostics", "compiler/ir", "compiler/parse"}},
  });
}

TEST_CASE("the rooms above the stages are in layers") {
  using Rooms = std::set<std::string>;
  // The pipeline names every stage; symbolic, evaluate, exact and incidence are below stages. Its search for
  // modes asks what is singular.
  const Rooms pipeline = {"compiler/base", "compiler/diagnostics", "compiler/ir", "compiler/parse",
                          "compiler/check", "compiler/data", "compiler/elaborate", "compiler/graph",
                          "compiler/reduce", "compiler/structural_types", "compiler/order",
                          "compiler/interpret", "compiler/jit", "runtime/model.h", "runtime/results",
                          "compiler/singularity",
                          // Assignments that need each other.
                          "runtime/events/assignment_cycles.h"};
  // Explanations read the intermediate representations and repeat analyses of the stages; they neither parse
  // nor check nor generate code.
  const Rooms explain = {"compiler/base",      "compiler/diagnostics", "compiler/ir",
                         "compiler/graph",     "compiler/incidence",   "compiler/singularity",
                         "compiler/elaborate", "compiler/reduce",      "compiler/structural_types",
                         "compiler/pipeline",  "runtime/model.h",      "runtime/solve",
                         "runtime/events",     "runtime/integrate",    "runtime/results",
                         "runtime/components", "runtime/failure.h",    "runtime/archive.h"};
  const Rooms session = {"compiler/base", "compiler/diagnostics", "compiler/ir", "compiler/parse",
                         "compiler/check", "compiler/evaluate", "compiler/singularity", "compiler/pipeline",
                         "compiler/structural_types", "compiler/explain", "compiler/data", "runtime/model.h",
                         "runtime/analysis", "runtime/integrate", "runtime/results", "runtime/solve",
                         // The equations of jumps at a change of structure, and what triggers held before it.
                         "compiler/incidence", "compiler/symbolic", "runtime/linear",
                         "runtime/events/event_handler.h"};
  check_rooms({
      {"compiler/pipeline", pipeline},
      {"compiler/explain", explain},
      {"compiler/session", session},
      {"compiler/doc",
       {"compiler/base", "compiler/diagnostics", "compiler/ir", "compiler/parse", "compiler/pipeline",
        "compiler/session", "runtime/analysis", "runtime/integrate", "runtime/results"}},
      // What is a local name, and what a definition, the checker knows.
      {"compiler/lsp",
       {"compiler/base", "compiler/diagnostics", "compiler/ir", "compiler/check", "compiler/pipeline",
        "compiler/session", "compiler/doc", "compiler/format", "compiler/explain", "runtime/integrate",
        "runtime/results"}},
      {"compiler/animate",
       {"compiler/base", "compiler/ir", "compiler/pipeline", "compiler/session", "compiler/doc",
        "compiler/report", "runtime/results", "runtime/solve"}},
      {"compiler/repl",
       {"compiler/base", "compiler/diagnostics", "compiler/ir", "compiler/explain", "compiler/pipeline",
        "compiler/session", "runtime/integrate", "runtime/results"}},
      {"compiler/report",
       {"compiler/base", "compiler/diagnostics", "compiler/ir", "compiler/explain", "compiler/pipeline",
        "compiler/session", "compiler/doc", "runtime/integrate", "runtime/results"}},
      {"compiler/kernel",
       {"compiler/base", "compiler/diagnostics", "compiler/pipeline", "compiler/repl", "compiler/session",
        "runtime/results"}},
      {"compiler/python",
       {"compiler/base", "compiler/diagnostics", "compiler/explain", "compiler/pipeline", "compiler/session",
        "runtime/results"}},
  });
}

TEST_CASE("the rooms of the runtime are in layers") {
  check_rooms(
      {
          {"runtime", {}},
          {"runtime/linear", {"runtime"}},
          {"runtime/results", {"runtime"}},
          {"runtime/solve", {"runtime", "runtime/linear"}},
          {"runtime/events", {"runtime", "runtime/linear", "runtime/solve"}},
          {"runtime/quantised", {"runtime", "runtime/solve", "runtime/events"}},
          {"runtime/components", {"runtime", "runtime/solve", "runtime/events"}},
          {"runtime/integrate",
           {"runtime", "runtime/linear", "runtime/solve", "runtime/events", "runtime/quantised",
            "runtime/components", "runtime/results"}},
          {"runtime/analysis",
           {"runtime", "runtime/linear", "runtime/solve", "runtime/events", "runtime/results"}},
      },
      true);
}

TEST_CASE("every folder of the compiler has a rule") {
  const std::set<std::string> known = {"base",        "diagnostics",
                                       "ir",          "parse",
                                       "data",        "check",
                                       "evaluate",    "elaborate",
                                       "symbolic",    "graph",
                                       "exact",       "incidence",
                                       "singularity", "reduce",
                                       "order",       "interpret",
                                       "lower",       "jit",
                                       "pipeline",    "explain",
                                       "session",     "structural_types",
                                       "driver",      "format",
                                       "doc",         "lsp",
                                       "report",      "repl",
                                       "kernel",      "python",
                                       "animate"};
  for (const auto& entry : fs::directory_iterator(fs::path(SIGREL_SOURCE_DIR) / "compiler"))
    if (entry.is_directory()) CHECK(known.contains(entry.path().filename().string()));
}

TEST_CASE("the driver reaches the stages through the session") {
  const std::set<std::string> allowed = {"compiler/base",
                                         "compiler/diagnostics",
                                         "compiler/ir",
                                         "compiler/session",
                                         "compiler/explain",
                                         "compiler/pipeline",
                                         "compiler/format",
                                         "compiler/doc",
                                         "compiler/animate",
                                         "compiler/report",
                                         "compiler/repl",
                                         "compiler/lsp",
                                         "compiler/structural_types"};
  for (const Include& i : includes_of("compiler/driver")) {
    std::string to = room(i.path);
    // `sigrel structure graph` runs the graph algorithms on a given graph, without a model.
    if (fs::path(i.file).filename() == "structure_graph.cpp" && to == "compiler/graph") continue;
    if (!to.empty() && to != "compiler/driver" && !to.starts_with("runtime") && !allowed.contains(to))
      FAIL_CHECK(i.file << ":" << i.line << " includes " << i.path);
  }
}

TEST_CASE("the runtime does not include the compiler") {
  for (const Include& i : includes_of("runtime"))
    if (room(i.path).starts_with("compiler")) FAIL_CHECK(i.file << ":" << i.line << " includes " << i.path);
}

TEST_CASE("ANTLR, LLVM and SUNDIALS stay in their rooms") {
  struct Library {
    const char* name;
    std::regex header;
    std::set<std::string> rooms;
  };
  const std::vector<Library> libraries = {
      {"ANTLR", std::regex(R"(antlr4-.*|.*Sigrel(Lexer|Parser)\.h)"), {"compiler/parse"}},
      {"LLVM", std::regex(R"(llvm(-c)?/.*)"), {"compiler/lower", "compiler/jit"}},
      {"SUNDIALS and KLU",
       std::regex(
           R"((sundials|sunmatrix|sunlinsol|sunnonlinsol|nvector|cvodes?|idas?|arkode|kinsol|suitesparse)/.*|klu\.h|btf\.h)"),
       {"runtime/linear", "runtime/integrate"}},
  };
  for (const char* folder : {"compiler", "runtime"})
    for (const Include& i : includes_of(folder))
      for (const Library& library : libraries)
        if (std::regex_match(i.path, library.header) && !library.rooms.contains(room(i.file)))
          FAIL_CHECK(i.file << ":" << i.line << " includes " << i.path << " of " << library.name);
}

TEST_CASE("headers have include guards and files are named by concept") {
  for (const char* folder : {"compiler", "runtime"})
    for (const fs::path& path : sources(fs::path(SIGREL_SOURCE_DIR) / folder)) {
      std::string stem = path.stem().string();
      for (const char* name : {"utils", "util", "helpers", "helper", "misc", "common"})
        if (stem == name) FAIL_CHECK(path.string() << ": name it by its concept");
      if (path.extension() != ".h") continue;
      std::ifstream in(path);
      std::string text((std::istreambuf_iterator<char>(in)), {});
      if (text.find("\n#pragma once\n") == std::string::npos)
        FAIL_CHECK(path.string() << " lacks #pragma once");
    }
}
