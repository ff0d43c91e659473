// The printer of ast::Module; the dumps of ast_print.h use it. ast_print.cpp: declarations and items;
// ast_print_expression.cpp: expressions; ast_print_type.cpp: types and patterns.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/ast.h"

namespace sigrel::ast {

/// "in ", "out ", or empty.
std::string_view prefix(Causality causality);

class Printer {
 public:
  std::string out;

  void module(const Module& m);
  void decl(const Decl& d);
  void item(const Item& i);
  void expr(const Expr& e);
  void type(const Type& t);
  void pattern(const Pattern& p);

 private:
  void indent() { out.append(2 * depth_, ' '); }
  void newline();
  void line(std::string_view text);
  void name(const Ident& i) { out += text(i.name); }
  void names(std::span<const Ident> all);
  void qualified(const QualifiedIdent& q);
  void head(std::string_view word, const Ident& n, std::span<const Ident> parameters);
  void label(bool labelled, const Ident& l);
  void operator_name(BinaryOp op, const QualifiedIdent& n);
  void real(double value);
  void unit(const Unit& u);
  std::string quoted(std::string_view s);
  void sequence(std::string_view open, std::span<Expr* const> elements, std::string_view close);
  void patterns(std::string_view open, std::span<Pattern* const> elements);
  void range(const Expr* first, const Expr* last);
  void generators(std::span<const Generator> all);
  void settings(std::span<const Setting> all, std::string_view lead);
  void variables(std::string_view word, std::span<const Ident> all, const Type* t,
                 std::span<const Setting> attributes);
  void items(std::span<Item* const> all);
  void decls(std::span<Decl* const> all);
  void structure(const StructuralAnnotation& s);

  std::size_t depth_ = 0;
};

}  // namespace sigrel::ast
