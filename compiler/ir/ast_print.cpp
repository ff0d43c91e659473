#include "compiler/ir/ast_print.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace sigrel::ast {
namespace {

std::string_view spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Sub: return "-";
    case BinaryOp::Mul: return "*";
    case BinaryOp::Div: return "/";
    case BinaryOp::Pow: return "^";
    case BinaryOp::Equal: return "==";
    case BinaryOp::NotEqual: return "/=";
    case BinaryOp::Less: return "<";
    case BinaryOp::LessEqual: return "<=";
    case BinaryOp::Greater: return ">";
    case BinaryOp::GreaterEqual: return ">=";
    case BinaryOp::And: return "&&";
    case BinaryOp::Or: return "||";
    case BinaryOp::Cons: return ":";
    case BinaryOp::Append: return "++";
    case BinaryOp::Named: return "`";
  }
  return "";
}

std::string_view spelling(Causality causality) {
  return causality == Causality::In ? "in " : causality == Causality::Out ? "out " : "";
}

class Printer {
 public:
  std::string out;

  void module(const Module& m) {
    out += "module ";
    name(m.name);
    if (!m.has_header) out += " (no header)";
    out += '\n';
    for (const Decl* d : m.decls) decl(*d);
    if (!m.damaged.empty()) {
      out += "damaged";
      for (const Ident& i : m.damaged) (out += ' ', name(i));
      out += '\n';
    }
  }

  void decl(const Decl& d) {
    if (!d.doc.empty()) line(fmt::format("doc {}", quoted(d.doc)));
    indent();
    switch (d.kind) {
      case DeclKind::Import: {
        auto& i = static_cast<const ImportDecl&>(d);
        out += "import ";
        name(i.module);
        if (i.has_alias) (out += " as ", name(i.alias));
        if (i.hiding) out += " hiding";
        if (i.has_list) (out += " (", names(i.names), out += ')');
        break;
      }
      case DeclKind::TypeSynonym: {
        auto& t = static_cast<const TypeSynonymDecl&>(d);
        head("type", t.name, t.parameters);
        out += " = ";
        type(*t.type);
        break;
      }
      case DeclKind::Record: {
        auto& r = static_cast<const RecordDecl&>(d);
        head("record", r.name, r.parameters);
        ++depth_;
        for (const RecordField& f : r.fields) {
          newline();
          if (f.flow) out += "flow ";
          name(f.name);
          out += " :: ";
          type(*f.type);
          if (f.default_value) (out += " = ", expr(*f.default_value));
        }
        --depth_;
        break;
      }
      case DeclKind::Data: {
        auto& t = static_cast<const DataDecl&>(d);
        head("data", t.name, t.parameters);
        ++depth_;
        for (const DataConstructor& c : t.constructors) {
          newline();
          name(c.name);
          for (const Type* a : c.args) (out += ' ', type(*a));
        }
        --depth_;
        break;
      }
      case DeclKind::Foreign: {
        auto& f = static_cast<const ForeignDecl&>(d);
        out += fmt::format("foreign {} ", quoted(f.symbol));
        name(f.name);
        out += " :: ";
        type(*f.type);
        settings(f.settings, " with ");
        break;
      }
      case DeclKind::Signature: {
        auto& s = static_cast<const SignatureDecl&>(d);
        names(s.names);
        out += " :: ";
        type(*s.type);
        break;
      }
      case DeclKind::Binding: {
        auto& b = static_cast<const BindingDecl&>(d);
        pattern(*b.pattern);
        out += " = ";
        expr(*b.value);
        break;
      }
      case DeclKind::Clause: {
        auto& c = static_cast<const ClauseDecl&>(d);
        name(c.name);
        for (const Pattern* p : c.parameters) (out += ' ', pattern(*p));
        out += " = ";
        expr(*c.body);
        break;
      }
    }
    out += '\n';
  }

  void item(const Item& i) {
    newline();
    switch (i.kind) {
      case ItemKind::Equation: {
        auto& e = static_cast<const EquationItem&>(i);
        label(e.labelled, e.label);
        expr(*e.left);
        out += " = ";
        expr(*e.right);
        return;
      }
      case ItemKind::Application: {
        auto& a = static_cast<const ApplicationItem&>(i);
        label(a.labelled, a.label);
        expr(*a.relation);
        out += " <> ";
        expr(*a.args);
        return;
      }
      case ItemKind::Instance: {
        auto& n = static_cast<const InstanceItem&>(i);
        label(true, n.label);
        expr(*n.relation);
        return;
      }
      case ItemKind::Connect:
        out += "connect";
        for (const Expr* n : static_cast<const ConnectItem&>(i).nodes) (out += ' ', expr(*n));
        return;
      case ItemKind::Local: {
        auto& l = static_cast<const LocalItem&>(i);
        variables("local", l.names, l.type, l.settings);
        return;
      }
      case ItemKind::Discrete: {
        auto& v = static_cast<const DiscreteItem&>(i);
        variables("discrete", v.names, v.type, v.settings);
        if (v.initial) (out += " = ", expr(*v.initial));
        return;
      }
      case ItemKind::Let:
        out += "let";
        decls(static_cast<const LetItem&>(i).decls);
        return;
      case ItemKind::For: {
        auto& f = static_cast<const ForItem&>(i);
        out += "for ";
        generators(f.generators);
        items(f.body);
        return;
      }
      case ItemKind::If: {
        auto& f = static_cast<const IfItem&>(i);
        out += "if ";
        expr(*f.condition);
        items(f.then_body);
        if (!f.has_else) return;
        newline();
        out += "else";
        items(f.else_body);
        return;
      }
      case ItemKind::Initially:
      case ItemKind::Guess:
        out += i.kind == ItemKind::Guess ? "guess" : "initially";
        items(static_cast<const BlockItem&>(i).body);
        return;
      case ItemKind::Steady: {
        out += "steady";
        const char* before = " ";
        for (const Expr* signal : static_cast<const SteadyItem&>(i).signals) {
          out += before;
          expr(*signal);
          before = ", ";
        }
        return;
      }
      case ItemKind::When: {
        const std::span<WhenBranch> branches = static_cast<const WhenItem&>(i).branches;
        for (const WhenBranch& branch : branches) {
          const bool first = &branch == branches.data();
          if (!first) newline();
          out += first ? "when " : "elsewhen ";
          const char* before = "";
          for (const Expr* condition : branch.conditions) {
            out += before;
            expr(*condition);
            before = ", ";
          }
          items(branch.body);
        }
        return;
      }
      case ItemKind::Every: {
        auto& e = static_cast<const EveryItem&>(i);
        out += "every ";
        expr(*e.period);
        settings(e.settings, " with ");
        items(e.body);
        return;
      }
      case ItemKind::Assign: {
        auto& a = static_cast<const AssignItem&>(i);
        expr(*a.target);
        out += " := ";
        expr(*a.value);
        return;
      }
      case ItemKind::Switch: {
        auto& s = static_cast<const SwitchItem&>(i);
        out += "switch ";
        expr(*s.initial);
        ++depth_;
        for (const Mode& m : s.modes) {
          newline();
          out += "mode ";
          name(m.name);
          for (const Pattern* p : m.parameters) (out += ' ', pattern(*p));
          items(m.body);
        }
        --depth_;
        return;
      }
      case ItemKind::Until: {
        auto& u = static_cast<const UntilItem&>(i);
        out += "until ";
        expr(*u.condition);
        out += " -> ";
        expr(*u.target);
        return;
      }
      case ItemKind::Assert: {
        auto& a = static_cast<const AssertItem&>(i);
        out += "assert ";
        expr(*a.message);
        out += ' ';
        expr(*a.condition);
        return;
      }
      case ItemKind::Terminate:
        out += "terminate ";
        expr(*static_cast<const TerminateItem&>(i).condition);
        return;
    }
  }

  void expr(const Expr& e) {
    switch (e.kind) {
      case ExprKind::Int: out += fmt::format("{}", static_cast<const IntExpr&>(e).value); return;
      case ExprKind::Real: {
        auto& r = static_cast<const RealExpr&>(e);
        real(r.value);
        if (r.unit) unit(*r.unit);
        return;
      }
      case ExprKind::String: out += quoted(static_cast<const StringExpr&>(e).value); return;
      case ExprKind::Variable: qualified(static_cast<const VariableExpr&>(e).name); return;
      case ExprKind::Constructor: qualified(static_cast<const ConstructorExpr&>(e).name); return;
      case ExprKind::Wildcard: out += '_'; return;
      case ExprKind::Apply: {
        auto& a = static_cast<const ApplyExpr&>(e);
        out += '(';
        expr(*a.function);
        for (const Expr* x : a.args) (out += ' ', expr(*x));
        out += ')';
        return;
      }
      case ExprKind::Binary: {
        auto& b = static_cast<const BinaryExpr&>(e);
        out += '(';
        operator_name(b.op, b.name);
        out += ' ';
        expr(*b.left);
        out += ' ';
        expr(*b.right);
        out += ')';
        return;
      }
      case ExprKind::Unary:
        out += "(negate ";
        expr(*static_cast<const UnaryExpr&>(e).operand);
        out += ')';
        return;
      case ExprKind::Section: {
        auto& s = static_cast<const SectionExpr&>(e);
        out += "(section ";
        operator_name(s.op, s.name);
        out += ' ';
        if (s.left)
          expr(*s.left);
        else
          out += '.';
        out += ' ';
        if (s.right)
          expr(*s.right);
        else
          out += '.';
        out += ')';
        return;
      }
      case ExprKind::OperatorName:
        out += fmt::format("({})", spelling(static_cast<const OperatorNameExpr&>(e).op));
        return;
      case ExprKind::If: {
        auto& i = static_cast<const IfExpr&>(e);
        out += "(if ";
        expr(*i.condition);
        out += ' ';
        expr(*i.then_branch);
        out += ' ';
        expr(*i.else_branch);
        out += ')';
        return;
      }
      case ExprKind::Let: {
        auto& l = static_cast<const LetExpr&>(e);
        out += "(let";
        decls(l.decls);
        newline();
        out += "in ";
        expr(*l.body);
        out += ')';
        return;
      }
      case ExprKind::Case: {
        auto& c = static_cast<const CaseExpr&>(e);
        out += "(case ";
        expr(*c.scrutinee);
        ++depth_;
        for (const CaseAlternative& a : c.alternatives) {
          newline();
          pattern(*a.pattern);
          out += " -> ";
          expr(*a.body);
        }
        --depth_;
        out += ')';
        return;
      }
      case ExprKind::Lambda: {
        auto& l = static_cast<const LambdaExpr&>(e);
        out += "(\\";
        for (const Pattern* p : l.parameters) (pattern(*p), out += ' ');
        out += "-> ";
        expr(*l.body);
        out += ')';
        return;
      }
      case ExprKind::Tuple: sequence("(tuple", static_cast<const TupleExpr&>(e).elements, ")"); return;
      case ExprKind::List: sequence("(list", static_cast<const ListExpr&>(e).elements, ")"); return;
      case ExprKind::Range: {
        auto& r = static_cast<const RangeExpr&>(e);
        out += '[';
        range(r.first, r.last);
        out += ']';
        return;
      }
      case ExprKind::Comprehension: {
        auto& c = static_cast<const ComprehensionExpr&>(e);
        out += '[';
        expr(*c.element);
        out += " for ";
        generators(c.generators);
        out += ']';
        return;
      }
      case ExprKind::Index: {
        auto& i = static_cast<const IndexExpr&>(e);
        out += "(index ";
        expr(*i.base);
        for (const IndexPart& p : i.parts) (out += ' ', range(p.first, p.last));
        out += ')';
        return;
      }
      case ExprKind::Field: {
        auto& f = static_cast<const FieldExpr&>(e);
        expr(*f.base);
        out += '.';
        name(f.field);
        return;
      }
      case ExprKind::Record: {
        auto& r = static_cast<const RecordExpr&>(e);
        out += "(record ";
        qualified(r.constructor);
        settings(r.settings, " ");
        out += ')';
        return;
      }
      case ExprKind::With: {
        auto& w = static_cast<const WithExpr&>(e);
        out += "(with ";
        expr(*w.base);
        settings(w.settings, " ");
        out += ')';
        return;
      }
      case ExprKind::As: {
        auto& a = static_cast<const AsExpr&>(e);
        out += "(as ";
        expr(*a.value);
        out += ' ';
        if (a.unit) unit(*a.unit);
        out += ')';
        return;
      }
      case ExprKind::Sigrel: {
        auto& s = static_cast<const SigrelExpr&>(e);
        out += "(sigrel (";
        for (std::size_t i = 0; i < s.formals.size(); ++i) {
          if (i) out += ", ";
          out += spelling(s.formals[i].causality);
          name(s.formals[i].name);
          if (s.formals[i].type) (out += " :: ", type(*s.formals[i].type));
        }
        out += ')';
        items(s.body);
        out += ')';
        return;
      }
      case ExprKind::Connection: {
        auto& c = static_cast<const ConnectionExpr&>(e);
        out += "(<> ";
        expr(*c.relation);
        out += ' ';
        expr(*c.args);
        out += ')';
        return;
      }
    }
  }

  void type(const Type& t) {
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
            out += spelling(r.interface[i].causality);
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

  void pattern(const Pattern& p) {
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

 private:
  void indent() { out.append(2 * depth_, ' '); }
  void newline() {
    out += '\n';
    indent();
  }
  void line(std::string_view text) {
    indent();
    out += text;
    out += '\n';
  }
  void name(const Ident& i) { out += text(i.name); }
  void names(std::span<const Ident> all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i) out += ", ";
      name(all[i]);
    }
  }
  void qualified(const QualifiedIdent& q) {
    if (q.qualified) (out += text(q.qualifier), out += '.');
    name(q.ident);
  }
  void head(std::string_view word, const Ident& n, std::span<const Ident> parameters) {
    out += word;
    out += ' ';
    name(n);
    for (const Ident& p : parameters) (out += ' ', name(p));
  }
  void label(bool labelled, const Ident& l) {
    if (labelled) (name(l), out += ": ");
  }
  void operator_name(BinaryOp op, const QualifiedIdent& n) {
    out += spelling(op);
    if (op == BinaryOp::Named) (qualified(n), out += '`');
  }
  void real(double value) {
    std::string digits = fmt::format("{}", value);
    if (digits.find_first_of(".en") == std::string::npos) digits += ".0";
    out += digits;
  }
  void unit(const Unit& u) {
    out += '<';
    for (std::size_t i = 0; i < u.factors.size(); ++i) {
      if (i) out += ' ';
      name(u.factors[i].name);
      if (u.factors[i].exponent != 1) out += fmt::format("^{}", u.factors[i].exponent);
    }
    out += '>';
  }
  std::string quoted(std::string_view s) { return nlohmann::json(std::string(s)).dump(); }
  void sequence(std::string_view open, std::span<Expr* const> elements, std::string_view close) {
    out += open;
    for (const Expr* e : elements) (out += ' ', expr(*e));
    out += close;
  }
  void patterns(std::string_view open, std::span<Pattern* const> elements) {
    out += open;
    for (const Pattern* p : elements) (out += ' ', pattern(*p));
    out += ')';
  }
  void range(const Expr* first, const Expr* last) {
    expr(*first);
    if (last) (out += "..", expr(*last));
  }
  void generators(std::span<const Generator> all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i) out += ", ";
      pattern(*all[i].pattern);
      out += " in ";
      range(all[i].first, all[i].last);
    }
  }
  void settings(std::span<const Setting> all, std::string_view lead) {
    if (all.empty()) return;
    out += lead;
    out += '{';
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i) out += ", ";
      name(all[i].name);
      out += " = ";
      expr(*all[i].value);
    }
    out += '}';
  }
  void variables(std::string_view word, std::span<const Ident> all, const Type* t,
                 std::span<const Setting> attributes) {
    out += word;
    out += ' ';
    names(all);
    if (t) (out += " :: ", type(*t));
    settings(attributes, " with ");
  }
  void items(std::span<Item* const> all) {
    ++depth_;
    for (const Item* i : all) item(*i);
    --depth_;
  }
  void decls(std::span<Decl* const> all) {
    ++depth_;
    out += '\n';
    for (const Decl* d : all) decl(*d);
    out.pop_back();
    --depth_;
  }
  void structure(const StructuralAnnotation& s) {
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

  std::size_t depth_ = 0;
};

std::string_view declared_name(const Decl& d) {
  switch (d.kind) {
    case DeclKind::Import: return text(static_cast<const ImportDecl&>(d).module.name);
    case DeclKind::TypeSynonym: return text(static_cast<const TypeSynonymDecl&>(d).name.name);
    case DeclKind::Record: return text(static_cast<const RecordDecl&>(d).name.name);
    case DeclKind::Data: return text(static_cast<const DataDecl&>(d).name.name);
    case DeclKind::Foreign: return text(static_cast<const ForeignDecl&>(d).name.name);
    case DeclKind::Signature: return text(static_cast<const SignatureDecl&>(d).names[0].name);
    case DeclKind::Clause: return text(static_cast<const ClauseDecl&>(d).name.name);
    case DeclKind::Binding: break;
  }
  return "";
}

}  // namespace

std::string print(const Module& module) {
  Printer p;
  p.module(module);
  return p.out;
}

std::string print(const Expr& expr) {
  Printer p;
  p.expr(expr);
  return p.out;
}

std::string print(const Type& type) {
  Printer p;
  p.type(type);
  return p.out;
}

std::string print(const Pattern& pattern) {
  Printer p;
  p.pattern(pattern);
  return p.out;
}

std::string print_json(const Module& module) {
  nlohmann::ordered_json json;
  json["module"] = text(module.name.name);
  json["declarations"] = nlohmann::ordered_json::array();
  for (const Decl* d : module.decls) {
    Printer p;
    p.decl(*d);
    p.out.pop_back();
    json["declarations"].push_back({{"span", {d->span.begin, d->span.end}},
                                    {"name", declared_name(*d)},
                                    {"doc", d->doc},
                                    {"text", p.out}});
  }
  return json.dump(2);
}

}  // namespace sigrel::ast
