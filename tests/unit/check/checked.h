// A module checked with the Prelude, Math and Electrical before it.
#pragma once
#include <fstream>
#include <sstream>
#include <string>

#include "compiler/check/check.h"
#include "compiler/ir/core_print.h"
#include "compiler/ir/core_verify.h"
#include "compiler/parse/parse.h"

namespace sigrel::tests {

inline std::string read_source(const std::string& path) {
  std::ifstream in(SIGREL_SOURCE_DIR "/" + path);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

struct Checked {
  SourceMap sources;
  Diagnostics diagnostics;
  core::Program program;
  std::vector<std::string> findings;  // of the verifier

  /// `others` are (file name, text) of modules before the root; `expression` is that of `-e`.
  explicit Checked(const std::string& text, const std::string& expression = "",
                   std::vector<std::pair<std::string, std::string>> others = {}) {
    std::vector<ast::Module> modules;
    auto add = [&](std::string path, std::string content) {
      FileId file = sources.add(std::move(path), std::move(content));
      modules.push_back(parse(file, sources, diagnostics));
    };
    add("Prelude.sr", read_source("stdlib/Prelude.sr"));
    add("Math.sr", read_source("stdlib/Math.sr"));
    add("Electrical.sr", read_source("stdlib/Electrical.sr"));
    for (auto& [path, content] : others) add(path, content);
    add("test.sr", text);
    check::CheckOptions options;
    if (!expression.empty()) {
      add("-e", "main = " + expression + "\n");
      options.last_sees_previous = true;
    }
    program = check::check(modules, diagnostics, options);
    if (!diagnostics.has_errors()) findings = core::verify(program);
  }
  std::string messages() const {
    std::string s;
    for (auto& d : diagnostics.all()) s += render_text(d, sources, false) + "\n";
    for (auto& f : findings) s += "verifier: " + f + "\n";
    return s;
  }
  const core::Global* global(std::string_view name) const {
    for (auto it = program.globals.rbegin(); it != program.globals.rend(); ++it)
      if (text(it->name) == name) return &*it;
    return nullptr;
  }
  std::string type(std::string_view name) const {
    auto* g = global(name);
    return g ? g->type : "(none)";
  }
  std::string dump(std::string_view name) const {
    auto* g = global(name);
    return g ? core::print(program, core::GlobalId(static_cast<std::size_t>(g - program.globals.data())))
             : "(none)";
  }
};

}  // namespace sigrel::tests

#define ACCEPTS(source)                        \
  do {                                         \
    sigrel::tests::Checked checked_(source);   \
    INFO(source);                              \
    INFO(checked_.messages());                 \
    CHECK(checked_.diagnostics.all().empty()); \
    CHECK(checked_.findings.empty());          \
  } while (0)

// One diagnostic with this code, and `part` in its text.
#define REFUSES(source, expected_code, part)                                                      \
  do {                                                                                            \
    sigrel::tests::Checked checked_(source);                                                      \
    INFO(source);                                                                                 \
    INFO(checked_.messages());                                                                    \
    CHECK(checked_.diagnostics.all().size() == 1);                                                \
    if (checked_.diagnostics.all().empty()) break;                                                \
    CHECK(sigrel::info(checked_.diagnostics.all()[0].code).id == sigrel::info(expected_code).id); \
    CHECK(checked_.messages().find(part) != std::string::npos);                                   \
  } while (0)
