// Types, units, structural annotations, and patterns.
#include <fmt/format.h>

#include <utility>

#include "compiler/ir/ast_printer.h"

namespace sigrel::ast {

void Printer::type(const Type& t) {
  switch (t.kind) {
    case TypeKind::Named: {
      auto& n = static_cast<const NamedType&>(t);
      if (!n.args.empty()) out += '(';
      qualified(n.name);
      if (n.unit) unit(*n.unit);
      for (const Type* a : n.args) (out += ' ', type(*a));
      if (!n.args.empty()) out += ')';
      return;
    }
    case TypeKind::Variable: name(static_cast<const TypeVariable&>(t).name); return;
    case TypeKind::List:
      out += '[';
      type(*static_cast<const ListType&>(t).element);
      out += ']';
      return;
    case TypeKind::Tuple: {
      out += '(';
      auto elements = static_cast<const TupleType&>(t).elements;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i) out += ", ";
        type(*elements[i]);
      }
      out += ')';
      return;
    }
    case TypeKind::Function: {
      auto& f = static_cast<const FunctionType&>(t);
      out += "(";
      if (f.has_parameter) (out += "(", name(f.parameter), out += " :: ");
      type(*f.from);
      if (f.default_value) (out += " = ", expr(*f.default_value));
      if (f.has_parameter) out += ")";
      out += " -> ";
      type(*f.to);
      out += ')';
      return;
    }
    case TypeKind::Relation: {
      auto& r = static_cast<const RelationType&>(t);
      out += "(SR ";
      if (r.whole) {
        type(*r.whole);
      } else {
        out += '(';
        for (std::size_t i = 0; i < r.interface.size(); ++i) {
          if (i) out += ", ";
          out += prefix(r.interface[i].causality);
          if (r.interface[i].named) (name(r.interface[i].name), out += " :: ");
          type(*r.interface[i].type);
        }
        out += ')';
      }
      if (r.structure) structure(*r.structure);
      out += ')';
      return;
    }
    case TypeKind::Power: {
      auto& p = static_cast<const PowerType&>(t);
      type(*p.element);
      out += "^(";
      for (std::size_t i = 0; i < p.sizes.size(); ++i) {
        if (i) out += ", ";
        expr(*p.sizes[i]);
      }
      out += ')';
      return;
    }
  }
}

void Printer::pattern(const Pattern& p) {
  switch (p.kind) {
    case PatternKind::Wildcard: out += '_'; return;
    case PatternKind::Variable: name(static_cast<const VariablePattern&>(p).name); return;
    case PatternKind::Int: out += fmt::format("{}", static_cast<const IntPattern&>(p).value); return;
    case PatternKind::Real: real(static_cast<const RealPattern&>(p).value); return;
    case PatternKind::String: out += quoted(static_cast<const StringPattern&>(p).value); return;
    case PatternKind::Tuple: patterns("(tuple", static_cast<const TuplePattern&>(p).elements); return;
    case PatternKind::List: patterns("(list", static_cast<const ListPattern&>(p).elements); return;
    case PatternKind::Constructor: {
      auto& c = static_cast<const ConstructorPattern&>(p);
      if (!c.args.empty()) out += '(';
      qualified(c.name);
      for (const Pattern* a : c.args) (out += ' ', pattern(*a));
      if (!c.args.empty()) out += ')';
      return;
    }
    case PatternKind::Cons: {
      auto& c = static_cast<const ConsPattern&>(p);
      out += "(: ";
      pattern(*c.head);
      out += ' ';
      pattern(*c.tail);
      out += ')';
      return;
    }
    case PatternKind::Record: {
      auto& r = static_cast<const RecordPattern&>(p);
      out += "(record ";
      qualified(r.constructor);
      for (const FieldPattern& f : r.fields) {
        out += ' ';
        name(f.name);
        out += " = ";
        pattern(*f.pattern);
      }
      out += ')';
      return;
    }
    case PatternKind::Typed: {
      auto& t = static_cast<const TypedPattern&>(p);
      out += '(';
      name(t.name);
      out += " :: ";
      type(*t.type);
      out += ')';
      return;
    }
  }
}

void Printer::unit(const Unit& u) {
  out += '<';
  for (std::size_t i = 0; i < u.factors.size(); ++i) {
    if (i) out += ' ';
    name(u.factors[i].name);
    if (u.factors[i].exponent != 1) out += fmt::format("^{}", u.factors[i].exponent);
  }
  out += '>';
}

void Printer::patterns(std::string_view open, std::span<Pattern* const> elements) {
  out += open;
  for (const Pattern* p : elements) (out += ' ', pattern(*p));
  out += ')';
}

void Printer::structure(const StructuralAnnotation& s) {
  switch (s.form) {
    case StructuralAnnotation::Like:
      out += " like ";
      qualified(s.like);
      return;
    case StructuralAnnotation::Count: out += fmt::format(" {{#{}}}", s.count); return;
    case StructuralAnnotation::Rows: break;
  }
  out += " {";
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    if (i) out += "; ";
    bool first = true;
    auto space = [&] { out += std::exchange(first, false) ? "" : " "; };
    for (std::uint32_t bit : s.rows[i].bits) (space(), out += fmt::format("{}", bit));
    for (const Expr* c : s.rows[i].columns) (space(), expr(*c));
  }
  out += '}';
}

}  // namespace sigrel::ast
