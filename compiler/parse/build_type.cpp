#include "compiler/parse/builder.h"

namespace sigrel::syntax {

using ast::TypeKind;

ast::Type* Builder::type(P::TypeContext* ctx) {
  // Arrows associate to the right; a loop follows the chain.
  ast::Type* result = nullptr;
  ast::Type** hole = &result;
  for (; ctx;) {
    P::TypeContext* rest = nullptr;
    if (ctx->name()) {
      auto* f = arena_.make<ast::FunctionType>(
          ast::Type{TypeKind::Function, span(ctx)}, true, ident(ctx->name()), type(ctx->type(0)),
          ctx->expression() ? expression(ctx->expression()) : nullptr, nullptr);
      *hole = f;
      hole = &f->to;
      rest = ctx->type(1);
    } else if (ctx->ARROW()) {
      auto* f = arena_.make<ast::FunctionType>(ast::Type{TypeKind::Function, span(ctx)}, false, ast::Ident{},
                                               type_operand(ctx->typeOperand()), nullptr, nullptr);
      *hole = f;
      hole = &f->to;
      rest = ctx->type(0);
    } else {
      *hole = type_operand(ctx->typeOperand());
    }
    ctx = rest;
  }
  return result;
}

ast::Type* Builder::type_operand(P::TypeOperandContext* ctx) {
  if (!ctx->SR()) {
    auto atoms = ctx->typeAtom();
    ast::Type* head = type_atom(atoms[0]);
    if (atoms.size() == 1) return head;
    auto* named = static_cast<ast::NamedType*>(head);
    if (head->kind != TypeKind::Named || named->unit) {
      error(Code::SyntaxError, span(atoms[1]), "unexpected type after a type")
          .also(head->span, "only the name of a data type or record takes arguments")
          .help("a function type needs `->` between argument and result");
      return head;
    }
    std::vector<ast::Type*> args;
    for (std::size_t i = 1; i < atoms.size(); ++i) args.push_back(type_atom(atoms[i]));
    named->args = arena_.copy(args);
    named->span = span(ctx);
    return named;
  }
  auto* relation = arena_.make<ast::RelationType>(ast::Type{TypeKind::Relation, span(ctx)}, nullptr,
                                                  std::span<ast::InterfaceItem>{}, nullptr);
  if (auto* list = ctx->interface()) {
    std::vector<ast::InterfaceItem> items;
    for (auto* item : list->interfaceItem()) {
      ast::Causality causality = item->IN()    ? ast::Causality::In
                                 : item->OUT() ? ast::Causality::Out
                                               : ast::Causality::None;
      items.push_back({causality, item->name() != nullptr, item->name() ? ident(item->name()) : ast::Ident{},
                       type(item->type())});
    }
    relation->interface = arena_.copy(items);
  } else if (ctx->constructorName()) {
    relation->whole = named_type(ctx->constructorName(), ctx->unit(), span(ctx->constructorName()));
  } else {
    ast::Ident name = ident(ctx->LOWER_NAME());
    relation->whole = arena_.make<ast::TypeVariable>(ast::Type{TypeKind::Variable, name.span}, name);
  }
  if (ctx->structure()) relation->structure = structure(ctx->structure());
  return relation;
}

ast::Type* Builder::type_atom(P::TypeAtomContext* ctx) {
  ast::Type* t = type_primary(ctx->typePrimary());
  for (auto* size : ctx->size()) {
    std::vector<ast::Expr*> sizes;
    if (size->INT())
      sizes.push_back(int_literal(size->INT()));
    else if (size->name())
      sizes.push_back(variable(ident(size->name())));
    else
      sizes = expressions(size->expression());
    t = arena_.make<ast::PowerType>(ast::Type{TypeKind::Power, join(span(ctx->start), span(size))}, t,
                                    arena_.copy(sizes));
  }
  return t;
}

ast::Type* Builder::named_type(P::ConstructorNameContext* name, P::UnitContext* u, Span span) {
  return arena_.make<ast::NamedType>(ast::Type{TypeKind::Named, span}, qualified(name), u ? unit(u) : nullptr,
                                     std::span<ast::Type*>{});
}

ast::Type* Builder::type_primary(P::TypePrimaryContext* ctx) {
  Span whole = span(ctx);
  if (ctx->constructorName()) return named_type(ctx->constructorName(), ctx->unit(), whole);
  if (ctx->LOWER_NAME())
    return arena_.make<ast::TypeVariable>(ast::Type{TypeKind::Variable, whole}, ident(ctx->LOWER_NAME()));
  std::vector<ast::Type*> elements;
  for (auto* t : ctx->type()) elements.push_back(type(t));
  if (ctx->LEFT_BRACKET()) return arena_.make<ast::ListType>(ast::Type{TypeKind::List, whole}, elements[0]);
  if (elements.size() == 1) return elements[0];
  return arena_.make<ast::TupleType>(ast::Type{TypeKind::Tuple, whole}, arena_.copy(elements));
}

const ast::Unit* Builder::unit(P::UnitContext* ctx) {
  Span inside{file_, data(ctx->start).end, data(ctx->stop).begin};
  const ast::Unit* u = read_unit(sources_.text(inside), inside, arena_, diagnostics_);
  if (!u) failed_ = true;
  return u;
}

ast::StructuralAnnotation* Builder::structure(P::StructureContext* ctx) {
  auto* s = arena_.make<ast::StructuralAnnotation>();
  s->span = span(ctx);
  if (ctx->LIKE()) {
    s->form = ast::StructuralAnnotation::Like;
    s->like = qualified(ctx->qualifiedName());
  } else if (ctx->HASH()) {
    s->form = ast::StructuralAnnotation::Count;
    auto count = read_int(text(ctx->INT()), span(ctx->INT()), diagnostics_);
    if (!count || *count > 0xFFFFFFFFll)
      failed_ = true;
    else
      s->count = static_cast<std::uint32_t>(*count);
  } else {
    s->form = ast::StructuralAnnotation::Rows;
    std::vector<ast::StructuralRow> rows;
    for (auto* row : ctx->row()) {
      ast::StructuralRow r{{}, {}, span(row)};
      std::vector<std::uint32_t> bits;
      for (auto* bit : row->INT()) {
        std::string_view digits = text(bit);
        if (digits != "0" && digits != "1")
          error(Code::SyntaxError, span(bit), "an incidence is `0` or `1`")
              .help("`{#" + std::string(digits) + "}` states only how many equations there are");
        bits.push_back(digits == "1");
      }
      std::vector<ast::Expr*> columns;
      for (auto* c : row->column()) columns.push_back(column(c));
      r.bits = arena_.copy(bits);
      r.columns = arena_.copy(columns);
      rows.push_back(r);
    }
    s->rows = arena_.copy(rows);
  }
  return s;
}

ast::Expr* Builder::column(P::ColumnContext* ctx) {
  // The children are a name, followed by `.` name or `[` index … `]` in any order.
  ast::Expr* e = nullptr;
  std::vector<P::IndexContext*> parts;
  for (auto* child : ctx->children) {
    if (auto* name = GrammarContext::as<P::NameContext>(child)) {
      ast::Ident id = ident(name);
      e = e ? arena_.make<ast::FieldExpr>(ast::Expr{ast::ExprKind::Field, join(e->span, id.span)}, e, id)
            : variable(id);
    } else if (auto* index = GrammarContext::as<P::IndexContext>(child)) {
      parts.push_back(index);
    } else if (auto* node = GrammarContext::token(child);
               node && node->getSymbol()->getType() == P::RIGHT_BRACKET) {
      e = arena_.make<ast::IndexExpr>(ast::Expr{ast::ExprKind::Index, join(e->span, span(node))}, e,
                                      arena_.copy(index_parts(parts)));
      parts.clear();
    }
  }
  return e;
}

}  // namespace sigrel::syntax
