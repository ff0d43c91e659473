#include "compiler/ir/ast_print.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compiler/ir/ast_printer.h"

namespace sigrel::ast {

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
    case BinaryOp::Named: return "`…`";
  }
  return "";
}

std::string_view prefix(Causality causality) {
  return causality == Causality::In ? "in " : causality == Causality::Out ? "out " : "";
}

void Printer::module(const Module& m) {
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

void Printer::decl(const Decl& d) {
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
        if (f.rotation) out += "rotation ";
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

void Printer::item(const Item& i) {
  newline();
  switch (i.kind) {
    case ItemKind::Equation: {
      auto& e = static_cast<const EquationItem&>(i);
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

void Printer::newline() {
  out += '\n';
  indent();
}

void Printer::line(std::string_view text) {
  indent();
  out += text;
  out += '\n';
}

void Printer::names(std::span<const Ident> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i) out += ", ";
    name(all[i]);
  }
}

void Printer::qualified(const QualifiedIdent& q) {
  if (q.qualified) (out += text(q.qualifier), out += '.');
  name(q.ident);
}

void Printer::head(std::string_view word, const Ident& n, std::span<const Ident> parameters) {
  out += word;
  out += ' ';
  name(n);
  for (const Ident& p : parameters) (out += ' ', name(p));
}

void Printer::label(bool labelled, const Ident& l) {
  if (labelled) (name(l), out += ": ");
}

void Printer::variables(std::string_view word, std::span<const Ident> all, const Type* t,
                        std::span<const Setting> attributes) {
  out += word;
  out += ' ';
  names(all);
  if (t) (out += " :: ", type(*t));
  settings(attributes, " with ");
}

void Printer::items(std::span<Item* const> all) {
  ++depth_;
  for (const Item* i : all) item(*i);
  --depth_;
}

void Printer::decls(std::span<Decl* const> all) {
  ++depth_;
  out += '\n';
  for (const Decl* d : all) decl(*d);
  out.pop_back();
  --depth_;
}

namespace {

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
