#include "compiler/parse/builder.h"

namespace sigrel::syntax {

using antlr4::tree::TerminalNode;

Span Builder::span(antlr4::Token* token) const { return {file_, data(token).begin, data(token).end}; }

Span Builder::span(antlr4::ParserRuleContext* ctx) const {
  // The stop token of an empty context precedes its start token.
  std::uint32_t begin = data(ctx->start).begin;
  return {file_, begin, ctx->stop ? std::max(begin, data(ctx->stop).end) : begin};
}

ast::Ident Builder::ident(TerminalNode* node) const { return {intern(text(node)), span(node)}; }

ast::Ident Builder::ident(P::NameContext* ctx) const { return {intern(sources_.text(span(ctx))), span(ctx)}; }

std::vector<ast::Ident> Builder::idents(const std::vector<TerminalNode*>& nodes) const {
  std::vector<ast::Ident> out;
  for (TerminalNode* node : nodes) out.push_back(ident(node));
  return out;
}

ast::Ident Builder::dotted(antlr4::ParserRuleContext* ctx, const std::vector<TerminalNode*>& parts) const {
  std::string name;
  for (TerminalNode* part : parts) {
    if (!name.empty()) name += '.';
    name += text(part);
  }
  return {intern(name), span(ctx)};
}

ast::QualifiedIdent Builder::qualified(P::ConstructorNameContext* ctx) const {
  std::vector<TerminalNode*> parts = ctx->UPPER_NAME();
  ast::Ident last = ident(parts.back());
  parts.pop_back();
  if (parts.empty()) return plain(last);
  return {true, dotted(ctx, parts).name, last};
}

ast::QualifiedIdent Builder::qualified(P::QualifiedNameContext* ctx) const {
  std::vector<TerminalNode*> parts = ctx->UPPER_NAME();
  ast::Ident last;
  if (ctx->name()) {
    last = ident(ctx->name());
  } else {
    last = ident(parts.back());
    parts.pop_back();
  }
  if (parts.empty()) return plain(last);
  return {true, dotted(ctx, parts).name, last};
}

Diagnostic& Builder::error(Code code, Span span, std::string message) {
  failed_ = true;
  return diagnostics_.report(code, span, std::move(message));
}

void Builder::file(P::FilePieceContext* ctx) {
  if (!ctx->moduleName()) return;
  module_.has_header = true;
  module_.name = dotted(ctx->moduleName(), ctx->moduleName()->UPPER_NAME());
}

// ---- declarations
// ---------------------------------------------------------------------------------------------------

ast::Decl* Builder::top(P::TopContext* ctx) {
  if (auto* inner = ctx->declaration()) {
    if (inner->boundPattern()) {
      bool capital = inner->boundPattern()->start->getType() == P::UPPER_NAME;
      Diagnostic& d = error(Code::SyntaxError, span(inner->boundPattern()->start),
                            capital ? "the name of a definition starts with a lower-case letter"
                                    : "a definition starts with its name");
      if (capital)
        d.label("names with a capital letter are types, constructors and modules");
      else
        d.label("only `let` binds names by a pattern");
      return nullptr;
    }
    return declaration(inner);
  }
  auto decl = [&](ast::DeclKind kind) { return ast::Decl{kind, span(ctx), {}}; };
  if (ctx->FOREIGN()) {
    auto symbol = read_string(text(ctx->STRING()), span(ctx->STRING()), arena_, diagnostics_);
    if (!symbol) failed_ = true;
    return arena_.make<ast::ForeignDecl>(
        decl(ast::DeclKind::Foreign), symbol.value_or(""), ident(ctx->name()), type(ctx->type()),
        ctx->settings() ? settings(ctx->settings()) : std::span<ast::Setting>{});
  }
  if (ctx->IMPORT()) {
    auto* list = ctx->importList();
    std::vector<ast::Ident> names;
    if (list)
      for (auto* n : list->importName())
        names.push_back(n->name() ? ident(n->name()) : ident(n->UPPER_NAME()));
    return arena_.make<ast::ImportDecl>(
        decl(ast::DeclKind::Import), dotted(ctx->moduleName(), ctx->moduleName()->UPPER_NAME()),
        ctx->AS() != nullptr, ctx->AS() ? ident(ctx->UPPER_NAME()) : ast::Ident{}, list && list->HIDING(),
        list != nullptr, arena_.copy(names));
  }
  ast::Ident name = ident(ctx->UPPER_NAME());
  std::span<ast::Ident> parameters = arena_.copy(idents(ctx->LOWER_NAME()));
  if (ctx->TYPE())
    return arena_.make<ast::TypeSynonymDecl>(decl(ast::DeclKind::TypeSynonym), name, parameters,
                                             type(ctx->type()));
  if (ctx->RECORD()) {
    std::vector<ast::RecordField> fields;
    for (auto* field : ctx->recordField()) {
      ast::Type* field_type = type(field->type());
      ast::Expr* value = field->expression() ? expression(field->expression()) : nullptr;
      for (auto* n : field->name())
        fields.push_back(
            {field->FLOW() != nullptr, field->ROTATION() != nullptr, ident(n), field_type, value});
    }
    return arena_.make<ast::RecordDecl>(decl(ast::DeclKind::Record), name, parameters, arena_.copy(fields));
  }
  std::vector<ast::DataConstructor> constructors;
  for (auto* constructor : ctx->constructor()) {
    std::vector<ast::Type*> args;
    for (auto* arg : constructor->typeAtom()) args.push_back(type_atom(arg));
    constructors.push_back({ident(constructor->UPPER_NAME()), arena_.copy(args)});
  }
  return arena_.make<ast::DataDecl>(decl(ast::DeclKind::Data), name, parameters, arena_.copy(constructors));
}

ast::Decl* Builder::declaration(P::DeclarationContext* ctx) {
  if (ctx->type()) {
    std::vector<ast::Ident> names;
    for (auto* name : ctx->name()) names.push_back(ident(name));
    return arena_.make<ast::SignatureDecl>(ast::Decl{ast::DeclKind::Signature, span(ctx), {}},
                                           arena_.copy(names), type(ctx->type()));
  }
  labelled_.clear();
  ast::Expr* value = expression(ctx->expression());
  refuse_labels(0, "a definition");
  if (ctx->boundPattern())
    return arena_.make<ast::BindingDecl>(ast::Decl{ast::DeclKind::Binding, span(ctx), {}},
                                         bound_pattern(ctx->boundPattern()), value);
  return arena_.make<ast::ClauseDecl>(ast::Decl{ast::DeclKind::Clause, span(ctx), {}}, ident(ctx->name(0)),
                                      arena_.copy(patterns(ctx->patternAtom())), value);
}

}  // namespace sigrel::syntax
