#include "compiler/ir/core_print.h"

#include <fmt/format.h>

namespace sigrel::core {
namespace {

constexpr std::string_view kPrimitiveNames[] = {
#define SIGREL_PRIMITIVE(op, name) name,
#include "compiler/ir/primitives.def"
};

std::string_view primitive_name(Primitive op) { return kPrimitiveNames[static_cast<std::size_t>(op)]; }

bool infix(Primitive op) {
  switch (op) {
#define SIGREL_INFIX(op, name) case Primitive::op:
#include "compiler/ir/primitives.def"
    return true;
    default: return false;
  }
}

class Printer {
 public:
  Printer(const Program& program, const Global& global) : program_(program), global_(global) {}
  std::string out;

  void run() {
    out += fmt::format("{}.{} :: {}\n", text(global_.module), text(global_.name), global_.type);
    if (!global_.body) {
      out += "  (no body)\n";
      return;
    }
    out += fmt::format("{}", text(global_.name));
    for (std::uint32_t i = 0; i < global_.layout_parameters; ++i) out += " @" + local(LocalId(i));
    out += " = ";
    expr(global_.body, 1);
    out += "\n";
  }

 private:
  std::string local(LocalId id) const {
    return id.value < global_.local_names.size()
               ? fmt::format("{}.{}", text(global_.local_names[id.value]), id.value)
               : fmt::format("?.{}", id.value);
  }
  void line(int indent) {
    out += '\n';
    out.append(static_cast<std::size_t>(indent) * 2, ' ');
  }
  void list(std::span<Expr* const> exprs, int indent, std::string_view open, std::string_view close) {
    out += open;
    for (std::size_t i = 0; i < exprs.size(); ++i) {
      if (i) out += ", ";
      expr(exprs[i], indent);
    }
    out += close;
  }

  void layout(const Layout* l, int indent) {
    if (!l) {
      out += "?";
      return;
    }
    switch (l->kind) {
      case LayoutKind::Real: out += "Real"; return;
      case LayoutKind::Int: out += "Int"; return;
      case LayoutKind::Bool: out += "Bool"; return;
      case LayoutKind::Record: out += text(program_.records[l->record.value].name); return;
      case LayoutKind::Tuple:
        out += "(";
        for (std::size_t i = 0; i < l->elements.size(); ++i) {
          if (i) out += ", ";
          layout(l->elements[i], indent);
        }
        out += ")";
        return;
      case LayoutKind::Vector:
        layout(l->elements[0], indent);
        if (l->sizes.empty())
          out += "^_";
        else
          list(l->sizes, indent, "^(", ")");
        return;
      case LayoutKind::Variable: out += "@" + local(l->variable); return;
      case LayoutKind::Unknown: out += "_"; return;
    }
  }

  void pattern(const Pattern* p) {
    switch (p->kind) {
      case PatternKind::Wildcard: out += "_"; return;
      case PatternKind::Variable: out += local(p->local); return;
      case PatternKind::Int: out += fmt::format("{}", p->integer); return;
      case PatternKind::Real: out += fmt::format("{}", p->real); return;
      case PatternKind::Bool: out += p->integer ? "True" : "False"; return;
      case PatternKind::String: out += fmt::format("\"{}\"", p->string); return;
      case PatternKind::Tuple:
      case PatternKind::Record:
      case PatternKind::Construct:
        if (p->kind == PatternKind::Record) out += text(program_.records[p->record.value].name);
        out += p->kind != PatternKind::Construct ? "(" : fmt::format("#{}(", p->tag);
        for (std::size_t i = 0; i < p->elements.size(); ++i) {
          if (i) out += ", ";
          pattern(p->elements[i]);
        }
        out += ")";
        return;
    }
  }

  void bindings(std::span<const Binding> bs, int indent) {
    for (auto& b : bs) {
      line(indent);
      out += local(b.local) + " = ";
      expr(b.value, indent + 1);
    }
  }

  void indices(std::span<const IndexPart> parts, int indent) {
    out += "[";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i) out += ", ";
      expr(parts[i].first, indent);
      if (parts[i].last) {
        out += " .. ";
        expr(parts[i].last, indent);
      }
    }
    out += "]";
  }

  void expr(const Expr* e, int indent) {
    if (!e) {
      out += "?";
      return;
    }
    switch (e->kind) {
      case ExprKind::Int: out += fmt::format("{}", static_cast<const IntExpr*>(e)->value); return;
      case ExprKind::Real: {
        std::string s = fmt::format("{}", static_cast<const RealExpr*>(e)->value);
        if (s.find_first_of(".en") == std::string::npos) s += ".0";
        out += s;
        return;
      }
      case ExprKind::Bool: out += static_cast<const BoolExpr*>(e)->value ? "True" : "False"; return;
      case ExprKind::String: out += fmt::format("\"{}\"", static_cast<const StringExpr*>(e)->value); return;
      case ExprKind::Local: out += local(static_cast<const LocalExpr*>(e)->local); return;
      case ExprKind::Global: {
        auto* g = static_cast<const GlobalExpr*>(e);
        const Global& global = program_.globals[g->global.value];
        out += fmt::format("{}.{}", text(global.module), text(global.name));
        for (auto* l : g->layouts) {
          out += " @";
          layout(l, indent);
        }
        return;
      }
      case ExprKind::Apply: {
        auto* a = static_cast<const ApplyExpr*>(e);
        expr(a->function, indent);
        return list(a->args, indent, "(", ")");
      }
      case ExprKind::Lambda: {
        auto* l = static_cast<const LambdaExpr*>(e);
        out += "\\";
        for (LocalId p : l->parameters) out += local(p) + " ";
        out += "-> ";
        return expr(l->body, indent);
      }
      case ExprKind::Let: {
        auto* l = static_cast<const LetExpr*>(e);
        out += "let";
        bindings(l->bindings, indent + 1);
        line(indent);
        out += "in ";
        return expr(l->body, indent);
      }
      case ExprKind::If: {
        auto* i = static_cast<const IfExpr*>(e);
        out += "if ";
        expr(i->condition, indent);
        out += " then ";
        expr(i->then_branch, indent);
        out += " else ";
        return expr(i->else_branch, indent);
      }
      case ExprKind::Case: {
        auto* c = static_cast<const CaseExpr*>(e);
        out += "case ";
        expr(c->scrutinee, indent);
        out += " of";
        for (auto& arm : c->arms) {
          line(indent + 1);
          pattern(arm.pattern);
          out += " -> ";
          expr(arm.body, indent + 2);
        }
        return;
      }
      case ExprKind::Tuple: return list(static_cast<const TupleExpr*>(e)->elements, indent, "(", ")");
      case ExprKind::Construct: {
        auto* c = static_cast<const ConstructExpr*>(e);
        if (text(c->name) == ":" && c->args.size() == 2) {  // a list: a loop, it may be long
          out += "[";
          const Expr* rest = e;
          for (bool first = true;; first = false) {
            auto* cell =
                rest->kind == ExprKind::Construct ? static_cast<const ConstructExpr*>(rest) : nullptr;
            if (!cell || text(cell->name) != ":") {
              if (!cell || text(cell->name) != "[]") {
                out += " | ";
                expr(rest, indent);
              }
              break;
            }
            if (!first) out += ", ";
            expr(cell->args[0], indent);
            rest = cell->args[1];
          }
          out += "]";
          return;
        }
        out += text(c->name);
        if (!c->args.empty()) list(c->args, indent, "(", ")");
        return;
      }
      case ExprKind::Record: {
        auto* r = static_cast<const RecordExpr*>(e);
        const RecordInfo& info = program_.records[r->record.value];
        out += fmt::format("{} {{ ", text(info.name));
        for (std::size_t i = 0; i < r->fields.size(); ++i) {
          out +=
              fmt::format("{}{} = ", i ? ", " : "", i < info.fields.size() ? text(info.fields[i].name) : "?");
          expr(r->fields[i], indent);
        }
        out += " }";
        return;
      }
      case ExprKind::Update: {
        auto* u = static_cast<const UpdateExpr*>(e);
        expr(u->base, indent);
        out += " with { ";
        for (std::size_t i = 0; i < u->updates.size(); ++i) {
          const FieldUpdate& f = u->updates[i];
          if (i) out += ", ";
          out += f.path == Name{} ? fmt::format("#{} = ", f.index) : fmt::format("{} = ", text(f.path));
          expr(u->updates[i].value, indent);
        }
        out += " }";
        return;
      }
      case ExprKind::Field: {
        auto* f = static_cast<const FieldExpr*>(e);
        expr(f->base, indent);
        out += fmt::format(".{}", text(f->name));
        return;
      }
      case ExprKind::Primitive: {
        auto* p = static_cast<const PrimitiveExpr*>(e);
        if (!infix(p->op) || p->args.size() != 2) {
          out += primitive_name(p->op);
          if (!p->args.empty()) list(p->args, indent, "(", ")");
          return;
        }
        std::vector<const PrimitiveExpr*> spine;  // chains lean left and may be long
        const Expr* left = e;
        while (left->kind == ExprKind::Primitive && infix(static_cast<const PrimitiveExpr*>(left)->op) &&
               static_cast<const PrimitiveExpr*>(left)->args.size() == 2) {
          spine.push_back(static_cast<const PrimitiveExpr*>(left));
          left = spine.back()->args[0];
        }
        out.append(spine.size(), '(');
        expr(left, indent);
        for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
          out += fmt::format(" {} ", primitive_name((*it)->op));
          expr((*it)->args[1], indent);
          out += ")";
        }
        return;
      }
      case ExprKind::Index:
        expr(static_cast<const IndexExpr*>(e)->base, indent);
        return indices(static_cast<const IndexExpr*>(e)->parts, indent);
      case ExprKind::Vector: return list(static_cast<const VectorExpr*>(e)->elements, indent, "<", ">");
      case ExprKind::Sigrel: return relation(*static_cast<const SigrelExpr*>(e)->relation, indent);
      case ExprKind::Label: {
        auto* l = static_cast<const LabelExpr*>(e);
        out += "'" + local(l->label);
        if (!l->indices.empty()) list(l->indices, indent, "[", "]");
        return;
      }
      case ExprKind::Member: {
        auto* m = static_cast<const MemberExpr*>(e);
        expr(m->base, indent);
        out += fmt::format(".{}", text(m->member));
        if (m->interface_index) out += fmt::format("#{}", *m->interface_index);
        if (!m->indices.empty()) list(m->indices, indent, "[", "]");
        return;
      }
      case ExprKind::Layout: return layout(static_cast<const LayoutExpr*>(e)->layout, indent);
      case ExprKind::BlockApply:
        expr(static_cast<const BlockApplyExpr*>(e)->relation, indent);
        out += " <> ";
        return expr(static_cast<const BlockApplyExpr*>(e)->inputs, indent);
    }
  }

  void relation(const Relation& r, int indent) {
    out += fmt::format("sigrel `{}` (", text(r.name));
    for (std::size_t i = 0; i < r.formals.size(); ++i) {
      const Formal& f = r.formals[i];
      if (i) out += ", ";
      if (f.causality == Causality::In) out += "in ";
      if (f.causality == Causality::Out) out += "out ";
      out += local(f.local) + " :: ";
      layout(f.layout, indent);
    }
    out += ") where";
    body(r.body, indent + 1);
  }

  void attributes(std::span<const Attribute> as, int indent) {
    if (as.empty()) return;
    out += " with { ";
    for (std::size_t i = 0; i < as.size(); ++i) {
      out += fmt::format("{}{} = ", i ? ", " : "", text(as[i].name));
      expr(as[i].value, indent);
    }
    out += " }";
  }

  void body(const Body& b, int indent) {
    for (auto& l : b.locals) {
      line(indent);
      out += fmt::format("local {}{} :: ", local(l.local), l.implicit ? " (implicit)" : "");
      layout(l.layout, indent);
      attributes(l.attributes, indent);
    }
    for (const Item* i : b.items) item(i, indent);
  }

  void item(const Item* i, int indent) {
    line(indent);
    switch (i->kind) {
      case ItemKind::Equation:
        expr(static_cast<const EquationItem*>(i)->left, indent);
        out += " = ";
        return expr(static_cast<const EquationItem*>(i)->right, indent);
      case ItemKind::Application: {
        auto* a = static_cast<const ApplicationItem*>(i);
        if (a->label) out += local(*a->label) + ": ";
        expr(a->relation, indent);
        if (a->args) {
          out += " <> ";
          expr(a->args, indent);
        }
        return;
      }
      case ItemKind::Connect: return list(static_cast<const ConnectItem*>(i)->nodes, indent, "connect ", "");
      case ItemKind::Let: out += "let"; return bindings(static_cast<const LetItem*>(i)->bindings, indent + 1);
      case ItemKind::For: {
        auto* f = static_cast<const ForItem*>(i);
        out += "for ";
        pattern(f->pattern);
        out += " in ";
        expr(f->first, indent);
        if (f->last) {
          out += " .. ";
          expr(f->last, indent);
        }
        out += " do";
        return body(f->body, indent + 1);
      }
      case ItemKind::If: {
        auto* f = static_cast<const IfItem*>(i);
        out += "if ";
        expr(f->condition, indent);
        out += " then";
        body(f->then_body, indent + 1);
        line(indent);
        out += "else";
        return body(f->else_body, indent + 1);
      }
      case ItemKind::Initially:
        out += "initially";
        return body(static_cast<const BlockItem*>(i)->body, indent + 1);
      case ItemKind::Guess: out += "guess"; return body(static_cast<const BlockItem*>(i)->body, indent + 1);
      case ItemKind::Steady:
        out += "steady";
        for (const Expr* derivative : static_cast<const SteadyItem*>(i)->derivatives) {
          out += " ";
          expr(derivative, indent);
        }
        return;
      case ItemKind::Discrete: {
        auto* d = static_cast<const DiscreteItem*>(i);
        out += "discrete " + local(d->declaration.local) + " :: ";
        layout(d->declaration.layout, indent);
        if (d->initial) {
          out += " = ";
          expr(d->initial, indent);
        }
        return attributes(d->declaration.attributes, indent);
      }
      case ItemKind::When:
        for (const WhenBranch& branch : static_cast<const WhenItem*>(i)->branches) {
          const bool first = &branch == &static_cast<const WhenItem*>(i)->branches[0];
          if (!first) out += "\n" + std::string(2 * indent, ' ');
          out += first ? "when " : "elsewhen ";
          for (const Expr* const& condition : branch.conditions) {
            if (&condition != &branch.conditions[0]) out += ", ";
            expr(condition, indent);
          }
          out += " do";
          body(branch.body, indent + 1);
        }
        return;
      case ItemKind::Every:
        out += "every ";
        expr(static_cast<const EveryItem*>(i)->period, indent);
        attributes(static_cast<const EveryItem*>(i)->settings, indent);
        out += " do";
        return body(static_cast<const EveryItem*>(i)->body, indent + 1);
      case ItemKind::Assign:
        expr(static_cast<const AssignItem*>(i)->target, indent);
        out += " := ";
        return expr(static_cast<const AssignItem*>(i)->value, indent);
      case ItemKind::Switch: {
        auto* s = static_cast<const SwitchItem*>(i);
        out += "switch ";
        expr(s->initial, indent);
        out += " where";
        for (auto& m : s->modes) {
          line(indent + 1);
          out += fmt::format("mode {}", text(m.name));
          for (const Pattern* p : m.parameters) (out += ' ', pattern(p));
          out += " where";
          body(m.body, indent + 2);
          for (auto& t : m.transitions) {
            line(indent + 2);
            out += "until ";
            expr(t.condition, indent);
            out += " -> ";
            expr(t.target, indent);
          }
        }
        return;
      }
      case ItemKind::Until: return;  // with its mode
      case ItemKind::Assert:
        out += "assert ";
        expr(static_cast<const AssertItem*>(i)->message, indent);
        out += " ";
        return expr(static_cast<const AssertItem*>(i)->condition, indent);
      case ItemKind::Terminate:
        out += "terminate when ";
        return expr(static_cast<const TerminateItem*>(i)->condition, indent);
    }
  }

  const Program& program_;
  const Global& global_;
};

}  // namespace

std::string print(const Program& program, GlobalId global) {
  Printer printer(program, program.globals[global.value]);
  printer.run();
  return std::move(printer.out);
}

std::string print(const Program& program) {
  std::string out;
  for (std::size_t i = 0; i < program.globals.size(); ++i) {
    if (i) out += "\n";
    out += print(program, GlobalId(i));
  }
  if (program.main)
    out += fmt::format("\nmain is {}{}\n", text(program.globals[program.main->value].name),
                       program.main_is_relation ? ", a relation" : "");
  return out;
}

}  // namespace sigrel::core
