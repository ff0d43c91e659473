#include "tests/fuzz/front_end.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "compiler/check/check.h"
#include "compiler/format/format.h"
#include "compiler/ir/ast_print.h"
#include "compiler/ir/core_verify.h"
#include "compiler/parse/parse.h"

namespace sigrel::fuzz {
namespace {

std::string file_text(const char* name) {
  std::ifstream in(std::string(SIGREL_SOURCE_DIR "/stdlib/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Modules of the library, parsed once: Prelude, then Electrical behind what it imports.
struct Library {
  SourceMap sources;
  std::vector<ast::Module> modules;
  Library() {
    for (const char* name : {"Prelude.sr", "Math.sr", "Electrical.sr"}) {
      Diagnostics diagnostics;
      modules.push_back(parse(sources.add(name, file_text(name)), sources, diagnostics));
      if (modules.back().decls.empty() || diagnostics.has_errors()) {
        std::fprintf(stderr, "%s does not parse\n", name);
        std::abort();
      }
    }
  }
};

bool all_render(const Diagnostics& diagnostics, const SourceMap& sources) {
  bool all = true;
  for (const Diagnostic& d : diagnostics.all()) {
    all = all && !render_text(d, sources, false).empty() && !render_json(d, sources).empty();
    all = all && !render_text(d, sources, true).empty();
  }
  return all;
}

std::string errors_text(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::Error) text += render_text(d, sources, false);
  return text;
}

/// Whether every imported module is one that is loaded here; `electrical`: whether Electrical is among them.
/// Without its imports a module is not checked, as in the loader.
bool imports_are_found(const ast::Module& module, bool& electrical) {
  for (const ast::Decl* decl : module.decls) {
    if (decl->kind != ast::DeclKind::Import) continue;
    std::string_view name = sigrel::text(static_cast<const ast::ImportDecl*>(decl)->module.name);
    if (name == "Electrical")
      electrical = true;
    else if (name != "Prelude")
      return false;
  }
  return true;
}

/// The fault, if any.
std::string format_twice(FileId file, SourceMap& sources, const std::string& tree, std::string& formatted) {
  Diagnostics diagnostics;
  std::optional<std::string> once = format::format(file, sources, diagnostics);
  if (!once) return "a text that parses is not formatted";
  formatted = *once;
  FileId formatted_file = sources.add("input.sr", *once);
  if (ast::print(parse(formatted_file, sources, diagnostics)) != tree || diagnostics.has_errors())
    return "the formatted text has another tree";
  if (format::format(formatted_file, sources, diagnostics) != once)
    return "formatting twice is not formatting once";
  return "";
}

}  // namespace

FrontEnd front_end(std::string_view text) {
  static const Library library;
  FrontEnd result;
  SourceMap sources = library.sources;
  FileId file = sources.add("input.sr", std::string(text));
  Diagnostics diagnostics;
  std::vector<ast::Module> modules;
  ast::Module module = parse(file, sources, diagnostics);
  result.parses = !diagnostics.has_errors();
  const std::string tree = ast::print(module);

  std::string_view name = sigrel::text(module.name.name);
  bool electrical = false;
  if (name != "Prelude" && name != "Electrical" && imports_are_found(module, electrical)) {
    modules.push_back(library.modules[0]);
    if (electrical) modules.insert(modules.end(), library.modules.begin() + 1, library.modules.end());
    modules.push_back(std::move(module));
    core::Program program = check::check(modules, diagnostics);
    result.checks = !diagnostics.has_errors();
    if (result.checks && !core::verify(program).empty()) result.fault = "the checker's output is broken";
  }
  result.errors = errors_text(diagnostics, sources);
  if (!all_render(diagnostics, sources)) result.fault = "a diagnostic without text";
  if (result.parses && result.fault.empty())
    result.fault = format_twice(file, sources, tree, result.formatted);
  return result;
}

void run_front_end(std::string_view text) {
  const FrontEnd result = front_end(text);
  if (result.fault.empty()) return;
  std::fprintf(stderr, "%s\n---\n%.*s\n", result.fault.c_str(), static_cast<int>(text.size()), text.data());
  std::abort();
}

}  // namespace sigrel::fuzz
