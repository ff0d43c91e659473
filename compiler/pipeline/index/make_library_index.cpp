// Lists the declarations of the library for library_index.cpp: make_library_index OUTPUT FILE…
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/parse/tokens.h"
#include "compiler/pipeline/fingerprint.h"

namespace {

using namespace sigrel;

/// The arrays of library_index.inc, as they grow.
struct Lists {
  std::map<std::string, std::size_t, std::less<>> names;
  std::ostringstream references, declarations, imports, modules;
  std::size_t reference_count = 0, declaration_count = 0, import_count = 0;

  std::size_t name(std::string_view text) {
    return names.try_emplace(std::string(text), names.size()).first->second;
  }
};

/// The tokens of one declaration of a module.
class Declaration {
 public:
  Declaration(const SourceMap& sources, std::span<const SourceToken> tokens)
      : sources_(sources), tokens_(tokens) {}

  std::string_view text(std::size_t i) const { return sources_.text(tokens_[i].span); }
  bool is_import() const { return text(0) == "import"; }
  /// Types, imports and foreign functions: all that starts with a word of the language.
  bool is_always_parsed() const { return tokens_[0].kind == TokenKind::Keyword; }
  std::uint32_t end() const { return tokens_.back().span.end; }

  /// a and b of `a, b :: T`, f of `f x = y`, T of `type T = …`, D, A and B of `data D = A | B Int`.
  std::vector<std::string_view> defined() const {
    if (is_always_parsed()) return defined_type();
    std::vector<std::string_view> found{text(0)};
    for (std::size_t i = 1; i + 1 < tokens_.size() && tokens_[i].kind == TokenKind::Comma; i += 2)
      found.push_back(text(i + 1));
    return found;
  }
  std::vector<std::string_view> mentioned() const {
    std::vector<std::string_view> found;
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (tokens_[i].kind == TokenKind::Name || tokens_[i].kind == TokenKind::Capital)
        found.push_back(text(i));
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }
  /// A.B of `import A.B (c)`.
  std::string imported() const {
    std::string name(text(1));
    for (std::size_t i = 2; i + 1 < tokens_.size() && tokens_[i].kind == TokenKind::Dot; i += 2)
      name += '.' + std::string(text(i + 1));
    return name;
  }

 private:
  std::vector<std::string_view> defined_type() const {
    const bool is_data = text(0) == "data";
    if (!is_data && text(0) != "type" && text(0) != "record") return {};
    std::vector<std::string_view> found;
    for (std::size_t i = 1; i < tokens_.size() && (i == 1 || is_data); ++i)
      if (tokens_[i].kind == TokenKind::Capital && (i == 1 || text(i - 1) == "=" || text(i - 1) == "|"))
        found.push_back(text(i));
    return found;
  }

  const SourceMap& sources_;
  std::span<const SourceToken> tokens_;
};

void list(const Declaration& declaration, std::string_view text, std::uint32_t begin, Lists& lists) {
  const std::vector<std::string_view> defined = declaration.defined(), mentioned = declaration.mentioned();
  for (const auto& names : {defined, mentioned})
    for (std::string_view name : names) lists.references << lists.name(name) << ',';
  const std::string_view skipped = text.substr(begin, declaration.end() - begin);
  lists.declarations << "{{" << begin << ',' << declaration.end() << ',' << std::ranges::count(skipped, '\n')
                     << "}," << lists.reference_count << ',' << defined.size() << ',' << mentioned.size()
                     << ',' << declaration.is_always_parsed() << "},\n";
  lists.reference_count += defined.size() + mentioned.size();
  ++lists.declaration_count;
  if (declaration.is_import()) {
    lists.imports << '"' << declaration.imported() << "\",";
    ++lists.import_count;
  }
}

/// False if the file cannot be read or has errors.
bool list_module(const std::filesystem::path& path, Lists& lists) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  SourceMap sources;
  const FileId file = sources.add(path.string(), content.str());
  const std::string_view text = sources.file(file).text;
  Diagnostics diagnostics;
  const TokenList listed = tokens(file, sources, diagnostics);
  if (!in || diagnostics.has_errors()) return false;

  std::vector<bool> starts(listed.tokens.size());  // a declaration
  for (const SourcePiece& piece : listed.pieces)
    if (listed.blocks[piece.block].top) starts[piece.first] = true;
  std::vector<SourceToken> of_one;
  std::uint32_t before = 0;  // the end of the header, then that of the declaration before
  const std::size_t first = lists.declaration_count, first_import = lists.import_count;
  const auto finish = [&] {
    if (of_one.empty()) return;
    const Declaration declaration(sources, of_one);
    list(declaration, text, before, lists);
    before = declaration.end();
    of_one.clear();
  };
  bool in_header = true;
  for (std::size_t i = 0; i < listed.tokens.size(); ++i) {
    const SourceToken& token = listed.tokens[i];
    if (token.kind == TokenKind::LineComment || token.kind == TokenKind::BlockComment) continue;
    if (starts[i]) {
      finish();
      in_header = false;
    }
    if (in_header)
      before = token.span.end;
    else
      of_one.push_back(token);
  }
  finish();
  lists.modules << "{\"" << path.stem().string() << "\"," << pipeline::fingerprint(text) << "u," << first
                << ',' << lists.declaration_count << ',' << first_import << ',' << lists.import_count
                << "},\n";
  return true;
}

void write(const Lists& lists, std::ostream& out) {
  std::vector<std::string_view> names(lists.names.size());
  for (const auto& [name, number] : lists.names) names[number] = name;
  out << "constexpr std::string_view kNames[] = {";
  for (std::string_view name : names) out << '"' << name << "\",";
  out << "};\nconstexpr std::uint16_t kReferences[] = {" << lists.references.str()
      << "};\nconstexpr Declaration kDeclarations[] = {" << lists.declarations.str()
      << "};\nconstexpr std::string_view kImports[] = {" << lists.imports.str()
      << "};\nconstexpr Module kModules[] = {" << lists.modules.str() << "};\n";
}

}  // namespace

int main(int count, char** arguments) {
  Lists lists;
  for (int i = 2; i < count; ++i)
    if (!list_module(arguments[i], lists)) {
      std::fprintf(stderr, "%s cannot be listed\n", arguments[i]);
      return 1;
    }
  std::ofstream out(arguments[1]);
  write(lists, out);
  return out.flush() ? 0 : 1;
}
