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

[[noreturn]] void broken(const char* what, std::string_view text) {
  std::fprintf(stderr, "%s\n---\n%.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

std::string file_text(const char* name) {
  std::ifstream in(std::string(SIGREL_SOURCE_DIR "/stdlib/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The library, parsed once: every text is checked against it.
struct Library {
  SourceMap sources;
  std::vector<ast::Module> modules;
  Library() {
    for (const char* name : {"Prelude.sr", "Math.sr", "Electrical.sr"}) {
      Diagnostics diagnostics;
      modules.push_back(parse(sources.add(name, file_text(name)), sources, diagnostics));
      if (modules.back().decls.empty() || diagnostics.has_errors())
        broken("the library does not parse", name);
    }
  }
};

void render_all(const Diagnostics& diagnostics, const SourceMap& sources, std::string_view text) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (render_text(d, sources, false).empty() || render_json(d, sources).empty())
      broken("a diagnostic without text", text);
    render_text(d, sources, true);
  }
}

/// What the loader would do with the imports: Electrical is there, other modules are not, and then nothing is
/// checked.
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

void format_twice(FileId file, SourceMap& sources, const std::string& tree, std::string_view text) {
  Diagnostics diagnostics;
  std::optional<std::string> once = format::format(file, sources, diagnostics);
  if (!once) broken("a text that parses is not formatted", text);
  FileId formatted = sources.add("input.sr", *once);
  if (ast::print(parse(formatted, sources, diagnostics)) != tree || diagnostics.has_errors())
    broken("the formatted text has another tree", text);
  std::optional<std::string> twice = format::format(formatted, sources, diagnostics);
  if (twice != once) broken("formatting twice is not formatting once", text);
}

}  // namespace

void run_front_end(std::string_view text) {
  static const Library library;
  SourceMap sources = library.sources;
  FileId file = sources.add("input.sr", std::string(text));
  Diagnostics diagnostics;
  std::vector<ast::Module> modules;
  ast::Module module = parse(file, sources, diagnostics);
  const bool parses = !diagnostics.has_errors();
  std::string tree = ast::print(module);

  std::string_view name = sigrel::text(module.name.name);
  bool electrical = false;
  if (name != "Prelude" && name != "Electrical" && imports_are_found(module, electrical)) {
    modules.push_back(library.modules[0]);
    if (electrical) modules.push_back(library.modules[1]);
    modules.push_back(std::move(module));
    core::Program program = check::check(modules, diagnostics);
    if (!diagnostics.has_errors() && !core::verify(program).empty())
      broken("the checker's output is broken", text);
  }
  render_all(diagnostics, sources, text);
  if (parses) format_twice(file, sources, tree, text);
}

}  // namespace sigrel::fuzz
