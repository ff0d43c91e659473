#include "compiler/parse/builder.h"

namespace sigrel::syntax {

using antlr4::tree::TerminalNode;
using ast::Item;
using ast::ItemKind;

// The labelled blocks in the expressions of an item are parts of it.
ast::Item* Builder::item(P::ItemContext* ctx) {
  labelled_.clear();
  Item* made = plain_item(ctx);
  if (labelled_.empty() || !made) return made;
  std::span<ast::ConnectionExpr*> blocks = arena_.copy(labelled_);
  if (made->kind == ItemKind::Equation)
    static_cast<ast::EquationItem*>(made)->blocks = blocks;
  else if (made->kind == ItemKind::Application)
    static_cast<ast::ApplicationItem*>(made)->blocks = blocks;
  else
    refuse_labels(0, "this item");
  return made;
}

ast::Item* Builder::plain_item(P::ItemContext* ctx) {
  auto base = [&](ItemKind kind) { return Item{kind, span(ctx)}; };
  auto names = [&] {
    std::vector<ast::Ident> out;
    for (auto* name : ctx->name()) out.push_back(ident(name));
    return arena_.copy(out);
  };
  auto attributes = [&] { return ctx->settings() ? settings(ctx->settings()) : std::span<ast::Setting>{}; };
  auto* first = GrammarContext::token(ctx->children[0]);
  if (ctx->LABEL_COLON() || !first) return expression_item(ctx);
  switch (first->getSymbol()->getType()) {
    case P::LET: return arena_.make<ast::LetItem>(base(ItemKind::Let), block<ast::Decl>(ctx->BLOCK(0)));
    case P::CONNECT: {
      std::vector<ast::Expr*> nodes;
      for (auto* node : ctx->postfix()) nodes.push_back(postfix(node));
      return arena_.make<ast::ConnectItem>(base(ItemKind::Connect), arena_.copy(nodes));
    }
    case P::LOCAL:
      return arena_.make<ast::LocalItem>(base(ItemKind::Local), names(),
                                         ctx->type() ? type(ctx->type()) : nullptr, attributes());
    case P::DISCRETE:
      return arena_.make<ast::DiscreteItem>(
          base(ItemKind::Discrete), names(), ctx->type() ? type(ctx->type()) : nullptr,
          ctx->EQUAL() ? expression(ctx->expression(0)) : nullptr, attributes());
    case P::FOR:
      return arena_.make<ast::ForItem>(base(ItemKind::For), arena_.copy(generators(ctx->generator())),
                                       block<Item>(ctx->BLOCK(0)));
    case P::IF: return if_item(ctx);
    case P::INITIALLY:
      return arena_.make<ast::BlockItem>(base(ItemKind::Initially), block<Item>(ctx->BLOCK(0)));
    case P::GUESS: return arena_.make<ast::BlockItem>(base(ItemKind::Guess), block<Item>(ctx->BLOCK(0)));
    case P::WHEN: return when_item(ctx);
    case P::EVERY: {
      // `every dt with { offset = … } do`: the settings belong to the clock, not to `dt`.
      ast::Expr* period = expression(ctx->expression(0));
      std::span<ast::Setting> options;
      if (outer_operator(ctx->expression(0)) == P::WITH) {
        auto* with = static_cast<ast::WithExpr*>(period);
        options = with->settings;
        period = with->base;
      }
      return arena_.make<ast::EveryItem>(base(ItemKind::Every), period, options, block<Item>(ctx->BLOCK(0)));
    }
    case P::SWITCH: {
      std::vector<ast::Mode> modes;
      for (auto* mode : block<ast::Mode>(ctx->BLOCK(0))) modes.push_back(*mode);
      return arena_.make<ast::SwitchItem>(base(ItemKind::Switch), expression(ctx->expression(0)),
                                          arena_.copy(modes));
    }
    case P::ASSERT:
      return arena_.make<ast::AssertItem>(base(ItemKind::Assert), postfix(ctx->postfix(0)),
                                          condition(ctx->expression(0)));
    case P::TERMINATE:
      return arena_.make<ast::TerminateItem>(base(ItemKind::Terminate), condition(ctx->expression(0)));
    default:  // until
      return arena_.make<ast::UntilItem>(base(ItemKind::Until), condition(ctx->expression(0)),
                                         expression(ctx->expression(1)));
  }
}

// An equation, an assignment, an application or an instance.
ast::Item* Builder::expression_item(P::ItemContext* ctx) {
  bool labelled = ctx->LABEL_COLON() != nullptr;
  ast::Ident label{};
  if (labelled) label = ctx->UPPER_NAME() ? ident(ctx->UPPER_NAME()) : ident(ctx->name(0));
  capital_labels_ |= ctx->UPPER_NAME() != nullptr;
  auto* left_ctx = ctx->expression(0);
  std::size_t op = outer_operator(left_ctx);
  ast::Expr* left = expression(left_ctx);
  auto base = [&](ItemKind kind) { return Item{kind, span(ctx)}; };
  Span op_span = op ? span(static_cast<TerminalNode*>(left_ctx->children[1])) : left->span;

  if (ctx->EQUAL() || ctx->ASSIGN()) {
    if (op == P::DIAMOND)
      error(Code::SyntaxError, op_span,
            "an application cannot be on the left of `" + std::string(ctx->EQUAL() ? "=" : ":=") + "`")
          .help("apply a block on the right: `y = block <> u`");
    ast::Expr* right = expression(ctx->expression(1));
    if (labelled && ctx->EQUAL()) {
      // `f: y = block <> u`: the block has the label.
      auto* block =
          right->kind == ast::ExprKind::Connection ? static_cast<ast::ConnectionExpr*>(right) : nullptr;
      if (block && !block->labelled) {
        block->labelled = true;
        block->label = label;
        labelled_.push_back(block);
      } else {
        error(Code::SyntaxError, label.span, "an equation cannot have a label")
            .help("a label names a part: `" + std::string(sigrel::text(label.name)) + ": relation <> (…)`");
      }
    }
    if (ctx->EQUAL())
      return arena_.make<ast::EquationItem>(base(ItemKind::Equation), left, right,
                                            std::span<ast::ConnectionExpr*>{});
    if (labelled) error(Code::SyntaxError, label.span, "an assignment cannot have a label");
    return arena_.make<ast::AssignItem>(base(ItemKind::Assign), left, right);
  }
  if (op == P::DIAMOND) {
    auto* application = static_cast<ast::ConnectionExpr*>(left);
    if (application->labelled) {
      error(Code::SyntaxError, application->label.span, "a part has one label");
      return nullptr;
    }
    return arena_.make<ast::ApplicationItem>(base(ItemKind::Application), labelled, label,
                                             application->relation, application->args, op_span,
                                             std::span<ast::ConnectionExpr*>{});
  }
  if (auto* steady = steady_item(ctx, left, labelled)) return steady;
  if (!ctx->COMMA().empty()) {
    error(Code::SyntaxError, span(ctx->COMMA(0)), "`,` does not belong here: the item is complete before it");
    return nullptr;
  }
  if (labelled) return arena_.make<ast::InstanceItem>(base(ItemKind::Instance), label, left);

  const Token& start = data(ctx->start);
  if (op == P::EQUAL_EQUAL) {
    error(Code::ForeignSyntax, op_span, "an equation is written with one `=`")
        .label("`==` compares two values and gives a Bool")
        .fix("write `=`", op_span, "=")
        .fix("in a `when` or `every`, write `:=`", op_span, ":=");
  } else if (start.kind == P::MINUS && start.first_on_line) {
    error(Code::OperatorAtBlockColumn, span(ctx->start),
          "this line starts with `-` at the column of its block")
        .label("a line at this column starts a new item")
        .help("indent it to continue the preceding line");
  } else {
    auto& d = error(Code::SyntaxError, span(ctx), "this expression is not an equation")
                  .label("expected `=` and a right side");
    if (sources_.text(span(ctx)).starts_with("reinit"))
      d.help("an event gives a state a new value by an assignment, `x := e` in a `when`");
    else
      d.help(
          "an item is an equation `a = b`, an application `relation <> (…)`, or starts with a word such as "
          "`local` or "
          "`when`");
  }
  return nullptr;
}

// `steady`, `steady x, y`; null for other items.
ast::Item* Builder::steady_item(P::ItemContext* ctx, ast::Expr* left, bool labelled) {
  static const Name kSteady = intern("steady");
  auto is_word = [](const ast::Expr* e) {
    if (e->kind != ast::ExprKind::Variable) return false;
    const ast::QualifiedIdent& name = static_cast<const ast::VariableExpr*>(e)->name;
    return !name.qualified && name.ident.name == kSteady;
  };
  std::vector<ast::Expr*> signals;
  if (left->kind == ast::ExprKind::Apply) {
    auto* apply = static_cast<ast::ApplyExpr*>(left);
    if (!is_word(apply->function) || apply->args.size() != 1) return nullptr;
    signals.push_back(apply->args[0]);
  } else if (!is_word(left)) {
    return nullptr;
  }
  if (labelled || (signals.empty() && !ctx->COMMA().empty())) return nullptr;
  for (std::size_t i = 1; i < ctx->expression().size(); ++i)
    signals.push_back(expression(ctx->expression(i)));
  return arena_.make<ast::SteadyItem>(Item{ItemKind::Steady, span(ctx)}, arena_.copy(signals));
}

ast::Item* Builder::if_item(P::ItemContext* ctx) {
  auto conditions = ctx->expression();
  auto blocks = ctx->BLOCK();
  std::vector<TerminalNode*> words = ctx->IF();
  bool has_else = blocks.size() > conditions.size();
  std::span<Item*> otherwise = has_else ? block<Item>(blocks.back()) : std::span<Item*>{};
  ast::IfItem* result = nullptr;
  for (std::size_t i = conditions.size(); i-- > 0;) {
    Span whole = join(span(words[i]), span(ctx->stop));
    result = arena_.make<ast::IfItem>(Item{ItemKind::If, whole}, condition(conditions[i]),
                                      block<Item>(blocks[i]), has_else, otherwise);
    otherwise = arena_.copy(std::vector<Item*>{result});
    has_else = true;
  }
  return result;
}

// The conditions of a branch stand between its word and its `do`.
ast::Item* Builder::when_item(P::ItemContext* ctx) {
  std::vector<ast::WhenBranch> branches;
  std::vector<ast::Expr*> conditions;
  antlr4::Token* word = nullptr;
  for (auto* child : ctx->children) {
    if (auto* e = GrammarContext::as<P::ExpressionContext>(child)) {
      conditions.push_back(condition(e));
      continue;
    }
    auto* terminal = GrammarContext::token(child);
    if (!terminal) continue;
    switch (terminal->getSymbol()->getType()) {
      case P::WHEN:
      case P::ELSEWHEN: word = terminal->getSymbol(); break;
      case P::BLOCK:
        branches.push_back(
            {arena_.copy(conditions), block<Item>(terminal), join(span(word), span(terminal))});
        conditions.clear();
        break;
      default: break;
    }
  }
  return arena_.make<ast::WhenItem>(Item{ItemKind::When, span(ctx)}, arena_.copy(branches));
}

ast::Mode* Builder::mode(P::ModePieceContext* ctx) {
  Span whole = join(span(ctx->start), span(ctx->BLOCK()));
  return arena_.make<ast::Mode>(ident(ctx->UPPER_NAME()), arena_.copy(patterns(ctx->patternAtom())),
                                block<Item>(ctx->BLOCK()), whole);
}

ast::CaseAlternative* Builder::alternative(P::AlternativePieceContext* ctx) {
  labelled_.clear();
  ast::Expr* body = expression(ctx->expression());
  refuse_labels(0, "an alternative of `case`");
  return arena_.make<ast::CaseAlternative>(pattern(ctx->pattern()), body);
}

}  // namespace sigrel::syntax
