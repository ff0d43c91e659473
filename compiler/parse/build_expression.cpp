#include <cctype>

#include "compiler/parse/builder.h"
#include "compiler/parse/label_paths.h"

namespace sigrel::syntax {

using antlr4::tree::TerminalNode;
using ast::BinaryOp;
using ast::Expr;
using ast::ExprKind;

namespace {

/// The kind of a child that is a token, 0 for a rule.
std::size_t token_kind(antlr4::tree::ParseTree* child) {
  auto* node = GrammarContext::token(child);
  return node ? node->getSymbol()->getType() : 0;
}

P::ExpressionContext* left_operand(P::ExpressionContext* ctx) {
  return GrammarContext::as<P::ExpressionContext>(ctx->children[0]);
}

BinaryOp binary_op(std::size_t kind) {
  switch (kind) {
    case P::PLUS: return BinaryOp::Add;
    case P::MINUS: return BinaryOp::Sub;
    case P::STAR: return BinaryOp::Mul;
    case P::SLASH: return BinaryOp::Div;
    case P::CARET: return BinaryOp::Pow;
    case P::EQUAL_EQUAL: return BinaryOp::Equal;
    case P::NOT_EQUAL: return BinaryOp::NotEqual;
    case P::LESS: return BinaryOp::Less;
    case P::LESS_EQUAL: return BinaryOp::LessEqual;
    case P::GREATER: return BinaryOp::Greater;
    case P::GREATER_EQUAL: return BinaryOp::GreaterEqual;
    case P::AND: return BinaryOp::And;
    case P::OR: return BinaryOp::Or;
    case P::COLON: return BinaryOp::Cons;
    case P::PLUS_PLUS: return BinaryOp::Append;
    default: return BinaryOp::Named;
  }
}

/// The operator of `(+)` and `(x +)`, whose token kind does not identify it.
BinaryOp binary_op(std::string_view text) {
  constexpr std::pair<std::string_view, std::size_t> kinds[] = {
      {"+", P::PLUS},        {"-", P::MINUS},        {"*", P::STAR},           {"/", P::SLASH},
      {"^", P::CARET},       {"==", P::EQUAL_EQUAL}, {"/=", P::NOT_EQUAL},     {"<", P::LESS},
      {"<=", P::LESS_EQUAL}, {">", P::GREATER},      {">=", P::GREATER_EQUAL}, {"&&", P::AND},
      {"||", P::OR},         {":", P::COLON},        {"++", P::PLUS_PLUS}};
  for (auto& [spelling, kind] : kinds)
    if (spelling == text) return binary_op(kind);
  return BinaryOp::NotEqual;  // `!=` and similar, reported by the scanner
}

bool is_comparison(std::size_t kind) {
  switch (kind) {
    case P::EQUAL_EQUAL:
    case P::NOT_EQUAL:
    case P::LESS:
    case P::LESS_EQUAL:
    case P::GREATER:
    case P::GREATER_EQUAL: return true;
    default: return false;
  }
}

/// In `x > 0.0 and x < 1.0`, the middle `0.0 and x` parses as an application: where the word is in it.
std::optional<std::pair<std::uint32_t, std::string_view>> foreign_connective(std::string_view middle) {
  for (const std::string_view word : {"and", "or"})
    for (std::size_t at = middle.find(word); at != std::string_view::npos; at = middle.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if (at > 0 && end < middle.size() && middle[at - 1] == ' ' && middle[end] == ' ')
        return std::pair{static_cast<std::uint32_t>(at), word};
    }
  return std::nullopt;
}

}  // namespace

std::size_t outer_operator(P::ExpressionContext* ctx) {
  return ctx->children.size() > 1 && left_operand(ctx) ? token_kind(ctx->children[1]) : 0;
}

// Left-associative chains of operators may be long: a loop follows the left operands.
Expr* Builder::expression(P::ExpressionContext* ctx) {
  std::vector<P::ExpressionContext*> spine;
  while (auto* left = left_operand(ctx)) {
    spine.push_back(ctx);
    ctx = left;
  }
  Expr* e = leading(ctx);
  for (std::size_t i = spine.size(); i-- > 0;) e = extend(e, spine[i]);
  return e;
}

std::vector<Expr*> Builder::expressions(const std::vector<P::ExpressionContext*>& contexts) {
  std::vector<Expr*> out;
  for (auto* ctx : contexts) out.push_back(expression(ctx));
  return out;
}

// Postfix and binary expressions.
Expr* Builder::extend(Expr* left, P::ExpressionContext* ctx) {
  auto* node = static_cast<TerminalNode*>(ctx->children[1]);
  std::size_t kind = node->getSymbol()->getType();
  Span whole = span(ctx);
  switch (kind) {
    case P::AS: return arena_.make<ast::AsExpr>(Expr{ExprKind::As, whole}, left, unit(ctx->unit()));
    case P::WITH:
      return arena_.make<ast::WithExpr>(Expr{ExprKind::With, whole}, left, settings(ctx->settings()));
    case P::DIAMOND: return connection(left, expression(ctx->expression(1)), whole);
    default: break;
  }
  if (is_comparison(kind) && is_comparison(outer_operator(ctx->expression(0)))) {
    Span both = span(ctx->expression(0));
    const Span between = span(ctx->expression(0)->expression(1));
    const std::string_view middle = sources_.text(between);
    if (const auto word = foreign_connective(middle)) {
      const Span at{between.file, between.begin + word->first,
                    between.begin + word->first + static_cast<std::uint32_t>(word->second.size())};
      const std::string ours = word->second == "and" ? "&&" : "||";
      error(Code::ForeignSyntax, at, "`" + std::string(word->second) + "` is written `" + ours + "`")
          .fix("write `" + ours + "`", at, ours);
    } else {
      error(Code::SyntaxError, span(node), "comparisons do not chain")
          .also(both, "this is a Bool")
          .help("write both comparisons: `… && " + std::string(middle) + " " + std::string(text(node)) +
                " …`");
    }
  }
  ast::QualifiedIdent name{};
  Span op_span = span(node);
  if (ctx->qualifiedName()) {
    name = qualified(ctx->qualifiedName());
    op_span = name.ident.span;
  }
  return arena_.make<ast::BinaryExpr>(Expr{ExprKind::Binary, whole}, binary_op(kind), op_span, name, left,
                                      expression(ctx->expression(1)));
}

/// `relation <> args`. In `f: relation <> args` the label has been read as the head of a list, and no list is
/// a relation.
ast::ConnectionExpr* Builder::connection(Expr* relation, Expr* args, Span whole) {
  auto* made = arena_.make<ast::ConnectionExpr>(Expr{ExprKind::Connection, whole}, relation, args, false,
                                                ast::Ident{});
  if (relation->kind != ExprKind::Binary) return made;
  auto* list = static_cast<ast::BinaryExpr*>(relation);
  if (list->op != BinaryOp::Cons) return made;
  ast::QualifiedIdent name{};
  if (list->left->kind == ExprKind::Variable) name = static_cast<ast::VariableExpr*>(list->left)->name;
  if (list->left->kind == ExprKind::Constructor) name = static_cast<ast::ConstructorExpr*>(list->left)->name;
  if (name.ident.name == Name{} || name.qualified) return made;
  capital_labels_ |= list->left->kind == ExprKind::Constructor;
  made->labelled = true;
  made->label = name.ident;
  made->relation = list->right;
  labelled_.push_back(made);
  return made;
}

/// Blocks with labels are parts of an item; there is none around those that were read since `first`.
void Builder::refuse_labels(std::size_t first, std::string_view where) {
  for (std::size_t i = first; i < labelled_.size(); ++i)
    error(Code::SyntaxError, labelled_[i]->label.span,
          "a block in " + std::string(where) + " cannot have a label")
        .help("labels belong to blocks of equations and of arguments of `<>`, outside of " +
              std::string(where));
  labelled_.resize(first);
}

// Expressions that do not start with an operand.
Expr* Builder::leading(P::ExpressionContext* ctx) {
  Span whole = span(ctx);
  switch (token_kind(ctx->children[0])) {
    case P::MINUS:
      return arena_.make<ast::UnaryExpr>(Expr{ExprKind::Unary, whole}, ast::UnaryOp::Negate,
                                         expression(ctx->expression(0)));
    case P::BACKSLASH: {
      const std::size_t labels = labelled_.size();
      Expr* body = expression(ctx->expression(0));
      refuse_labels(labels, "a function");
      return arena_.make<ast::LambdaExpr>(Expr{ExprKind::Lambda, whole},
                                          arena_.copy(patterns(ctx->patternAtom())), body);
    }
    case P::IF:
      return arena_.make<ast::IfExpr>(Expr{ExprKind::If, whole}, condition(ctx->expression(0)),
                                      expression(ctx->expression(1)), expression(ctx->expression(2)));
    case P::LET: {
      const std::size_t labels = labelled_.size();
      Expr* body = expression(ctx->expression(0));
      refuse_labels(labels, "a `let … in`");
      return arena_.make<ast::LetExpr>(Expr{ExprKind::Let, whole}, block<ast::Decl>(ctx->BLOCK()), body);
    }
    case P::CASE: {
      std::vector<ast::CaseAlternative> alternatives;
      for (auto* a : block<ast::CaseAlternative>(ctx->BLOCK())) alternatives.push_back(*a);
      return arena_.make<ast::CaseExpr>(Expr{ExprKind::Case, whole}, expression(ctx->expression(0)),
                                        arena_.copy(alternatives));
    }
    case P::SIGREL: {
      std::vector<ast::Formal> formals;
      std::vector<ast::Item*> items;  // those that take formals apart, then the body
      for (auto* f : ctx->formal()) formals.push_back(formal(f, items));
      std::span<ast::Item*> body = block<ast::Item>(ctx->BLOCK());
      if (capital_labels_) read_label_paths(body, module_.decls, arena_, diagnostics_);
      if (!items.empty()) {
        items.insert(items.end(), body.begin(), body.end());
        body = arena_.copy(items);
      }
      return arena_.make<ast::SigrelExpr>(Expr{ExprKind::Sigrel, whole}, arena_.copy(formals), body);
    }
    default: break;
  }
  auto parts = ctx->postfix();
  Expr* head = postfix(parts[0]);
  if (parts.size() == 1) return head;
  std::vector<Expr*> args;
  for (std::size_t i = 1; i < parts.size(); ++i) args.push_back(postfix(parts[i]));
  ast::ApplyExpr apply{{ExprKind::Apply, whole}, head, arena_.copy(args), {}, false};
  if (head->kind == ExprKind::Apply)  // `f { a = 1.0 }` takes the arguments that follow
    if (auto* inner = static_cast<ast::ApplyExpr*>(head); inner->has_named && inner->args.empty()) {
      apply.function = inner->function;
      apply.named = inner->named;
      apply.has_named = true;
    }
  return arena_.make<ast::ApplyExpr>(apply);
}

/// A formal; a pattern gets a name that nothing else can have, and a `let` that binds its variables.
ast::Formal Builder::formal(P::FormalContext* ctx, std::vector<ast::Item*>& lets) {
  const ast::Causality causality = ctx->IN()    ? ast::Causality::In
                                   : ctx->OUT() ? ast::Causality::Out
                                                : ast::Causality::None;
  auto* named = ctx->formalName();
  if (named->name())
    return {causality, ident(named->name()), named->type() ? type(named->type()) : nullptr, nullptr};
  const Span whole = span(named);
  if (named->UNDERSCORE())
    return {causality,
            {intern("_"), whole},
            nullptr,
            arena_.make<ast::Pattern>(ast::PatternKind::Wildcard, whole)};
  ast::Pattern* pattern = bracketed_pattern(named->bracketedPattern());
  if (pattern->kind == ast::PatternKind::Variable)
    return {causality, static_cast<ast::VariablePattern*>(pattern)->name, nullptr, nullptr};
  if (pattern->kind == ast::PatternKind::Typed) {
    auto* typed = static_cast<ast::TypedPattern*>(pattern);
    return {causality, typed->name, typed->type, nullptr};
  }
  const ast::Ident name{intern(sources_.text(whole)), whole};
  auto* binding =
      arena_.make<ast::BindingDecl>(ast::Decl{ast::DeclKind::Binding, whole, {}}, pattern, variable(name));
  lets.push_back(arena_.make<ast::LetItem>(ast::Item{ast::ItemKind::Let, whole},
                                           arena_.copy(std::vector<ast::Decl*>{binding})));
  return {causality, name, nullptr, pattern};
}

// A condition is never an application of a relation: `<>` means "not equal" here.
Expr* Builder::condition(P::ExpressionContext* ctx) {
  if (outer_operator(ctx) == P::DIAMOND) {
    Span diamond = span(static_cast<TerminalNode*>(ctx->children[1]));
    error(Code::ForeignSyntax, diamond, "`not equal` is written `/=`")
        .label("`<>` applies a relation to its arguments")
        .fix("write `/=`", diamond, "/=");
  }
  return expression(ctx);
}

Expr* Builder::variable(ast::Ident name) {
  return arena_.make<ast::VariableExpr>(Expr{ExprKind::Variable, name.span}, plain(name));
}

Expr* Builder::postfix(P::PostfixContext* ctx) {
  Expr* e = atom(ctx->atom());
  for (auto* s : ctx->suffix()) e = suffix(e, s, join(span(ctx->start), span(s)));
  return e;
}

Expr* Builder::suffix(Expr* base, P::SuffixContext* ctx, Span whole) {
  if (ctx->INDEX_OPEN())
    return arena_.make<ast::IndexExpr>(Expr{ExprKind::Index, whole}, base,
                                       arena_.copy(index_parts(ctx->index())));
  auto* constructor =
      base->kind == ExprKind::Constructor ? static_cast<ast::ConstructorExpr*>(base) : nullptr;
  if (ctx->settings()) {
    if (constructor)
      return arena_.make<ast::RecordExpr>(Expr{ExprKind::Record, whole}, constructor->name,
                                          settings(ctx->settings()));
    if (base->kind == ExprKind::Variable)
      return arena_.make<ast::ApplyExpr>(Expr{ExprKind::Apply, whole}, base, std::span<Expr*>{},
                                         settings(ctx->settings()), true);
    error(Code::SyntaxError, span(ctx->start), "`{` follows the name of a function or of a record")
        .help("named arguments stand before the others: `f { a = 1.0 } x`")
        .help("a record update needs `with`: `r with { a = 1.0 }`");
    return base;
  }
  ast::Ident field = ctx->name() ? ident(ctx->name()) : ident(ctx->UPPER_NAME());
  if (base->kind == ExprKind::Int) {  // `1.e-3`
    const std::string number(sources_.text(base->span));
    const Span point = join(base->span, span(ctx->start));
    error(Code::SyntaxError, point, "a number needs a digit after the point")
        .fix("write `" + number + ".0`", point, number + ".0");
    return base;
  }
  if (!constructor) return arena_.make<ast::FieldExpr>(Expr{ExprKind::Field, whole}, base, field);
  // A dot after an upper-case name qualifies: `A.B.c`.
  ast::QualifiedIdent name = constructor->name;
  std::string qualifier(name.qualified ? std::string(sigrel::text(name.qualifier)) + "." : "");
  qualifier += sigrel::text(name.ident.name);
  ast::QualifiedIdent longer{true, intern(qualifier), field};
  if (ctx->name()) return arena_.make<ast::VariableExpr>(Expr{ExprKind::Variable, whole}, longer);
  return arena_.make<ast::ConstructorExpr>(Expr{ExprKind::Constructor, whole}, longer);
}

Expr* Builder::int_literal(TerminalNode* node) {
  auto value = read_int(text(node), span(node), diagnostics_);
  if (!value) failed_ = true;
  return arena_.make<ast::IntExpr>(Expr{ExprKind::Int, span(node)}, value.value_or(0));
}

Expr* Builder::real_literal(TerminalNode* node) {
  Span whole = span(node);
  std::string_view number = text(node);
  const ast::Unit* u = nullptr;
  if (std::size_t open = number.find('<'); open != std::string_view::npos) {
    std::uint32_t begin = whole.begin + static_cast<std::uint32_t>(open);
    u = read_unit(number.substr(open + 1, number.size() - open - 2), {file_, begin + 1, whole.end - 1},
                  arena_, diagnostics_);
    if (!u) failed_ = true;
    number = number.substr(0, open);
  }
  auto value = read_real(number, whole, diagnostics_);
  if (!value) failed_ = true;
  return arena_.make<ast::RealExpr>(Expr{ExprKind::Real, whole}, value.value_or(0), u);
}

Expr* Builder::string_literal(TerminalNode* node) {
  auto value = read_string(text(node), span(node), arena_, diagnostics_);
  if (!value) failed_ = true;
  return arena_.make<ast::StringExpr>(Expr{ExprKind::String, span(node)}, value.value_or(""));
}

Expr* Builder::atom(P::AtomContext* ctx) {
  Span whole = span(ctx);
  if (ctx->name()) return variable(ident(ctx->name()));
  auto* node = static_cast<TerminalNode*>(ctx->children[0]);
  switch (node->getSymbol()->getType()) {
    case P::UPPER_NAME:
      return arena_.make<ast::ConstructorExpr>(Expr{ExprKind::Constructor, whole}, plain(ident(node)));
    case P::UNDERSCORE: return arena_.make<Expr>(ExprKind::Wildcard, whole);
    case P::INT: return int_literal(node);
    case P::REAL:
    case P::UNIT_NUMBER: return real_literal(node);
    case P::STRING: return string_literal(node);
    case P::LEFT_PAREN:
      if (ctx->parenthesised()) return parenthesised(ctx->parenthesised(), whole);
      return arena_.make<ast::TupleExpr>(Expr{ExprKind::Tuple, whole}, std::span<Expr*>{});
    default:
      if (ctx->listBody()) return list(ctx->listBody(), whole);
      return arena_.make<ast::ListExpr>(Expr{ExprKind::List, whole}, std::span<Expr*>{});
  }
}

Expr* Builder::parenthesised(P::ParenthesisedContext* ctx, Span whole) {
  auto parts = ctx->expression();
  if (ctx->OPERATOR_NAME())
    return arena_.make<ast::OperatorNameExpr>(Expr{ExprKind::OperatorName, whole},
                                              binary_op(text(ctx->OPERATOR_NAME())));
  auto section = [&](BinaryOp op, ast::QualifiedIdent name, Expr* left, Expr* right) {
    return arena_.make<ast::SectionExpr>(Expr{ExprKind::Section, whole}, op, left, right, name);
  };
  if (ctx->sectionOperator())
    return section(binary_op(ctx->sectionOperator()->start->getType()), {}, nullptr, expression(parts[0]));
  if (ctx->LEFT_SECTION())
    return section(binary_op(text(ctx->LEFT_SECTION())), {}, expression(parts[0]), nullptr);
  if (ctx->qualifiedName()) {
    Expr* operand = expression(parts[0]);
    bool left = ctx->LEFT_SECTION_NAMED() != nullptr;
    return section(BinaryOp::Named, qualified(ctx->qualifiedName()), left ? operand : nullptr,
                   left ? nullptr : operand);
  }
  if (parts.size() == 1) return expression(parts[0]);
  return arena_.make<ast::TupleExpr>(Expr{ExprKind::Tuple, whole}, arena_.copy(expressions(parts)));
}

Expr* Builder::list(P::ListBodyContext* ctx, Span whole) {
  const std::size_t labels = labelled_.size();
  std::vector<Expr*> elements = expressions(ctx->expression());
  if (ctx->FOR()) refuse_labels(labels, "a list that a `for` builds");
  if (ctx->DOT_DOT())
    return arena_.make<ast::RangeExpr>(Expr{ExprKind::Range, whole}, elements[0], elements[1]);
  if (ctx->FOR())
    return arena_.make<ast::ComprehensionExpr>(Expr{ExprKind::Comprehension, whole}, elements[0],
                                               arena_.copy(generators(ctx->generator())));
  return arena_.make<ast::ListExpr>(Expr{ExprKind::List, whole}, arena_.copy(elements));
}

/// `r` or `motor.r`, `row[2].r`: one name, without spaces.
ast::Ident Builder::setting_path(P::SettingPathContext* ctx) {
  const Span whole = span(ctx);
  std::string name(sources_.text(whole));
  std::erase_if(name, [](unsigned char c) { return std::isspace(c) != 0; });
  return {intern(name), whole};
}

std::span<ast::Setting> Builder::settings(P::SettingsContext* ctx) {
  std::vector<ast::Setting> out;
  for (auto* s : ctx->setting())
    out.push_back(
        {s->settingPath() ? setting_path(s->settingPath()) : ident(s->GUESS()), expression(s->expression())});
  return arena_.copy(out);
}

std::vector<ast::Generator> Builder::generators(const std::vector<P::GeneratorContext*>& contexts) {
  std::vector<ast::Generator> out;
  for (auto* g : contexts)
    out.push_back({pattern(g->pattern()), expression(g->expression(0)),
                   g->DOT_DOT() ? expression(g->expression(1)) : nullptr});
  return out;
}

std::vector<ast::IndexPart> Builder::index_parts(const std::vector<P::IndexContext*>& contexts) {
  std::vector<ast::IndexPart> out;
  for (auto* i : contexts)
    out.push_back({expression(i->expression(0)), i->DOT_DOT() ? expression(i->expression(1)) : nullptr});
  return out;
}

}  // namespace sigrel::syntax
