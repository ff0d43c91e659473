#include "compiler/parse/parse.h"

#include <algorithm>

#include "compiler/parse/piece_parser.h"

namespace sigrel {
namespace {

using syntax::BlockKind;

/// Reports invalid UTF-8; such a source is not parsed.
bool is_text(FileId file, const SourceMap& sources, Diagnostics& diagnostics) {
  const SourceFile& source = sources.file(file);
  std::size_t good = syntax::valid_utf8_prefix(source.text);
  if (good == source.text.size()) return true;
  std::uint32_t at = static_cast<std::uint32_t>(good);
  diagnostics
      .report(Code::NotUtf8, {file, at, at + 1},
              "byte " + std::to_string(good) + " is not UTF-8 text (line " +
                  std::to_string(source.position(at).line) + ")")
      .help("save the file with UTF-8 encoding");
  return false;
}

ast::Expr* run(BlockKind whole, FileId file, const SourceMap& sources, ast::Module& module,
               Diagnostics& diagnostics, std::span<const SkippedText> skipped = {}) {
  Diagnostics found;
  syntax::PieceParser parser(file, sources, module, found);
  syntax::Layout layout(file, sources, found, parser, skipped);
  parser.attach(layout);
  layout.run(whole);

  // Inner pieces are parsed before outer ones: sort the errors by position.
  std::vector<const Diagnostic*> order;
  for (const Diagnostic& d : found.all())
    if (!parser.drops(d.primary->span)) order.push_back(&d);
  std::ranges::stable_sort(order, {}, [](const Diagnostic* d) { return d->primary->span.begin; });
  for (const Diagnostic* d : order) {
    Diagnostic& copy = diagnostics.report(d->code, d->primary->span, d->message);
    copy = *d;
  }
  module.incomplete |= found.has_errors();
  return found.has_errors() ? nullptr : parser.expression();
}

}  // namespace

ast::Module parse(FileId file, const SourceMap& sources, Diagnostics& diagnostics,
                  std::span<const SkippedText> skipped) {
  ast::Module module;
  module.file = file;
  std::string_view stem = sources.file(file).path;
  if (std::size_t slash = stem.rfind('/'); slash != std::string_view::npos) stem.remove_prefix(slash + 1);
  if (std::size_t dot = stem.rfind('.'); dot != std::string_view::npos && dot > 0) stem = stem.substr(0, dot);
  module.name = {intern(stem), {file, 0, 0}};
  if (is_text(file, sources, diagnostics)) run(BlockKind::File, file, sources, module, diagnostics, skipped);
  return module;
}

ast::Expr* parse_expression(FileId file, const SourceMap& sources, ast::Module& into,
                            Diagnostics& diagnostics) {
  if (!is_text(file, sources, diagnostics)) return nullptr;
  return run(BlockKind::Expression, file, sources, into, diagnostics);
}

}  // namespace sigrel
