#include "compiler/format/format.h"

#include <cstdio>
#include <cstdlib>

#include "compiler/format/lines.h"
#include "compiler/ir/ast_print.h"
#include "compiler/parse/parse.h"

namespace sigrel::format {
namespace {

constexpr int kPasses = 6;  // a column depends on the columns to its left: two passes are usual

/// A text with its own source map.
struct Reading {
  SourceMap sources;
  FileId file;
  Diagnostics diagnostics;
  Reading(std::string path, std::string text) : file(sources.add(std::move(path), std::move(text))) {}
  TokenList tokens() { return sigrel::tokens(file, sources, diagnostics); }
  std::string tree() {
    ast::Module module = parse(file, sources, diagnostics);
    std::string out = ast::print(module);
    for (const ast::Decl* decl : module.decls) out += plain_comment(decl->doc) + "\n";
    return out;
  }
};

std::string pass(const std::string& path, const std::string& source) {
  Reading reading(path, source);
  TokenList list = reading.tokens();
  Text text = split(list, reading.sources.file(reading.file).text);
  space(text);
  align(text);
  indent(text);
  return print(text);
}

bool same_tokens(Reading& before, Reading& after) {
  TokenList a = before.tokens(), b = after.tokens();
  if (a.tokens.size() != b.tokens.size()) return false;
  for (std::size_t i = 0; i < a.tokens.size(); ++i)
    if (a.tokens[i].kind != b.tokens[i].kind || plain_comment(before.sources.text(a.tokens[i].span)) !=
                                                    plain_comment(after.sources.text(b.tokens[i].span)))
      return false;
  return true;
}

[[noreturn]] void fault(const std::string& path, const char* part, const std::string& result) {
  std::fprintf(stderr, "bug in the formatter: %s of %s would change; the file is not written\n%s", part,
               path.c_str(), result.c_str());
  std::abort();
}

}  // namespace

std::optional<std::string> format(FileId file, const SourceMap& sources, Diagnostics& diagnostics) {
  const SourceFile& source = sources.file(file);
  std::size_t errors = diagnostics.error_count();
  parse(file, sources, diagnostics);
  if (diagnostics.error_count() != errors) return std::nullopt;

  std::string text = source.text;
  for (int i = 0; i < kPasses; ++i) {
    std::string next = pass(source.path, text);
    if (next == text) break;
    text = std::move(next);
  }
  if (text == source.text) return text;
  Reading before(source.path, source.text), after(source.path, text);
  if (!same_tokens(before, after)) fault(source.path, "the tokens", text);
  if (before.tree() != after.tree()) fault(source.path, "the tree", text);
  return text;
}

}  // namespace sigrel::format
