#include "compiler/ir/core_verify.h"

#include <fmt/format.h>

namespace sigrel::core {
namespace {

class Verifier {
 public:
  Verifier(const Program& program, const Global& global, std::vector<std::string>& findings)
      : program_(program), global_(global), findings_(findings), bound_(global.local_count, false) {}

  void run() {
    if (global_.local_names.size() != global_.local_count) fail("local_names does not cover the locals");
    if (global_.layout_parameters > global_.local_count) fail("more layout parameters than locals");
    for (std::uint32_t i = 0; i < global_.layout_parameters && i < global_.local_count; ++i) bind(LocalId(i));
    expr(global_.body);
  }

 private:
  void fail(const std::string& what) {
    if (findings_.size() < 100)
      findings_.push_back(fmt::format("{}.{}: {}", text(global_.module), text(global_.name), what));
  }
  void bind(LocalId id) {
    if (id.value >= bound_.size()) return fail(fmt::format("local {} is out of range", id.value));
    if (bound_[id.value]) return fail(fmt::format("local {} is bound twice", id.value));
    bound_[id.value] = true;
  }
  void use(LocalId id, std::string_view what) {
    if (id.value >= bound_.size()) return fail(fmt::format("{} {} is out of range", what, id.value));
    if (!bound_[id.value])
      fail(fmt::format("{} `{}` is used before it is bound", what, text(global_.local_names[id.value])));
  }
  void span(Span s, std::string_view what) {
    if (s.end < s.begin || (s.begin == 0 && s.end == 0)) fail(fmt::format("{} has no span", what));
  }
  void record(RecordId id) {
    if (id.value >= program_.records.size()) fail("a record is out of range");
  }

  void layout(const Layout* l) {
    if (!l) return fail("a signal has no layout");
    switch (l->kind) {
      case LayoutKind::Record:
        record(l->record);
        if (l->record.value < program_.records.size() &&
            l->elements.size() != program_.records[l->record.value].fields.size())
          fail("a record layout does not have all fields");
        break;
      case LayoutKind::Vector:
        if (l->elements.size() != 1) fail("a vector layout has not one element");
        for (auto* size : l->sizes) expr(size);
        break;
      case LayoutKind::Variable: use(l->variable, "layout parameter"); break;
      case LayoutKind::Real:
      case LayoutKind::Int:
      case LayoutKind::Bool:
      case LayoutKind::Tuple:
      case LayoutKind::Unknown: break;
    }
    for (auto* e : l->elements) layout(e);
  }

  void pattern(const Pattern* p) {
    if (!p) return fail("a pattern is missing");
    if (p->kind == PatternKind::Variable) bind(p->local);
    for (auto* e : p->elements) pattern(e);
  }

  void exprs(std::span<Expr* const> list) {
    for (auto* e : list) expr(e);
  }

  void expr(const Expr* e) {
    // The first operand of a chain and the tail of a list are visited by loops: both may be long.
    std::vector<const Expr*> rest;
    for (;;) {
      if (!e) return fail("an expression is missing");
      span(e->span, "an expression");
      if (e->kind == ExprKind::Primitive && !static_cast<const PrimitiveExpr*>(e)->args.empty()) {
        auto args = static_cast<const PrimitiveExpr*>(e)->args;
        for (std::size_t i = args.size(); i-- > 1;) rest.push_back(args[i]);
        e = args[0];
        continue;
      }
      if (e->kind == ExprKind::Construct && !static_cast<const ConstructExpr*>(e)->args.empty()) {
        auto args = static_cast<const ConstructExpr*>(e)->args;
        for (std::size_t i = 0; i + 1 < args.size(); ++i) rest.push_back(args[i]);
        e = args.back();
        continue;
      }
      single(e);
      if (rest.empty()) return;
      e = rest.back();
      rest.pop_back();
    }
  }

  void single(const Expr* e) {
    switch (e->kind) {
      case ExprKind::Int:
      case ExprKind::Real:
      case ExprKind::Bool:
      case ExprKind::String:
      case ExprKind::Primitive:
      case ExprKind::Construct: return;
      case ExprKind::Local: return use(static_cast<const LocalExpr*>(e)->local, "local");
      case ExprKind::Global: {
        auto* g = static_cast<const GlobalExpr*>(e);
        if (g->global.value >= program_.globals.size()) return fail("a global is out of range");
        const Global& target = program_.globals[g->global.value];
        if (target.body && g->layouts.size() != target.layout_parameters)
          fail(fmt::format("`{}` is used with {} layouts, it has {}", text(target.name), g->layouts.size(),
                           target.layout_parameters));
        for (auto* l : g->layouts) layout(l);
        return;
      }
      case ExprKind::Apply:
        if (static_cast<const ApplyExpr*>(e)->args.empty()) fail("an application has no arguments");
        expr(static_cast<const ApplyExpr*>(e)->function);
        return exprs(static_cast<const ApplyExpr*>(e)->args);
      case ExprKind::Lambda:
        for (LocalId p : static_cast<const LambdaExpr*>(e)->parameters) bind(p);
        return expr(static_cast<const LambdaExpr*>(e)->body);
      case ExprKind::Let:
        bindings(static_cast<const LetExpr*>(e)->bindings);
        return expr(static_cast<const LetExpr*>(e)->body);
      case ExprKind::If:
        expr(static_cast<const IfExpr*>(e)->condition);
        expr(static_cast<const IfExpr*>(e)->then_branch);
        return expr(static_cast<const IfExpr*>(e)->else_branch);
      case ExprKind::Case:
        expr(static_cast<const CaseExpr*>(e)->scrutinee);
        for (auto& arm : static_cast<const CaseExpr*>(e)->arms) {
          pattern(arm.pattern);
          expr(arm.body);
        }
        return;
      case ExprKind::Tuple: return exprs(static_cast<const TupleExpr*>(e)->elements);
      case ExprKind::Record: {
        auto* r = static_cast<const RecordExpr*>(e);
        record(r->record);
        if (r->record.value < program_.records.size() &&
            r->fields.size() != program_.records[r->record.value].fields.size())
          fail("a record does not have all fields");
        return exprs(r->fields);
      }
      case ExprKind::Update:
        expr(static_cast<const UpdateExpr*>(e)->base);
        for (auto& u : static_cast<const UpdateExpr*>(e)->updates) expr(u.value);
        return;
      case ExprKind::Field: return expr(static_cast<const FieldExpr*>(e)->base);
      case ExprKind::Index:
        expr(static_cast<const IndexExpr*>(e)->base);
        for (auto& p : static_cast<const IndexExpr*>(e)->parts) {
          expr(p.first);
          if (p.last) expr(p.last);
        }
        return;
      case ExprKind::Layout: return layout(static_cast<const LayoutExpr*>(e)->layout);
      case ExprKind::Vector: return exprs(static_cast<const VectorExpr*>(e)->elements);
      case ExprKind::Sigrel: return relation(*static_cast<const SigrelExpr*>(e)->relation);
      case ExprKind::Label: return fail("an instance is used as a value");
      case ExprKind::Member: return member(static_cast<const MemberExpr*>(e));
      case ExprKind::BlockApply:
        expr(static_cast<const BlockApplyExpr*>(e)->relation);
        return expr(static_cast<const BlockApplyExpr*>(e)->inputs);
    }
  }

  void member(const MemberExpr* m) {
    exprs(m->indices);
    if (!m->base) return fail("a member has no instance");
    if (m->base->kind == ExprKind::Member) return member(static_cast<const MemberExpr*>(m->base));
    if (m->base->kind != ExprKind::Label) return fail("a member is not of an instance");
    auto* l = static_cast<const LabelExpr*>(m->base);
    // An instance may be read before the line that creates it.
    if (l->label.value >= bound_.size()) fail("a label is out of range");
    exprs(l->indices);
  }

  void bindings(std::span<const Binding> bs) {
    for (auto& b : bs) bind(b.local);
    for (auto& b : bs) expr(b.value);
  }

  void relation(const Relation& r) {
    span(r.span, "a relation");
    for (auto& f : r.formals) {
      span(f.span, "an interface variable");
      layout(f.layout);
      bind(f.local);
    }
    body(r.body);
  }

  void declaration(const SignalDecl& d) {
    span(d.span, "a local");
    layout(d.layout);
    bind(d.local);
  }

  void body(const Body& b) {
    for (auto& l : b.locals) declaration(l);
    for (auto* i : b.items)
      if (i && i->kind == ItemKind::Discrete) declaration(static_cast<const DiscreteItem*>(i)->declaration);
    for (auto& l : b.locals)
      for (auto& a : l.attributes) expr(a.value);
    for (auto* i : b.items) item(i);
  }

  void item(const Item* i) {
    if (!i) return fail("an item is missing");
    span(i->span, "an item");
    switch (i->kind) {
      case ItemKind::Equation:
        expr(static_cast<const EquationItem*>(i)->left);
        return expr(static_cast<const EquationItem*>(i)->right);
      case ItemKind::Application: {
        auto* a = static_cast<const ApplicationItem*>(i);
        span(a->head_span, "the head of an application");
        if (a->label) bind(*a->label);
        if (!a->args && !a->label) fail("an instance without a label");
        expr(a->relation);
        if (a->args) expr(a->args);
        return;
      }
      case ItemKind::Connect: return exprs(static_cast<const ConnectItem*>(i)->nodes);
      case ItemKind::Let: return bindings(static_cast<const LetItem*>(i)->bindings);
      case ItemKind::For: {
        auto* f = static_cast<const ForItem*>(i);
        expr(f->first);
        if (f->last) expr(f->last);
        pattern(f->pattern);
        return body(f->body);
      }
      case ItemKind::If:
        expr(static_cast<const IfItem*>(i)->condition);
        body(static_cast<const IfItem*>(i)->then_body);
        return body(static_cast<const IfItem*>(i)->else_body);
      case ItemKind::Initially:
      case ItemKind::Guess: return body(static_cast<const BlockItem*>(i)->body);
      case ItemKind::Steady: return exprs(static_cast<const SteadyItem*>(i)->derivatives);
      case ItemKind::Discrete: {
        auto* d = static_cast<const DiscreteItem*>(i);
        if (d->initial) expr(d->initial);
        for (auto& a : d->declaration.attributes) expr(a.value);
        return;
      }
      case ItemKind::When:
        for (const WhenBranch& branch : static_cast<const WhenItem*>(i)->branches) {
          for (const Expr* condition : branch.conditions) expr(condition);
          body(branch.body);
        }
        return;
      case ItemKind::Every:
        expr(static_cast<const EveryItem*>(i)->period);
        for (auto& a : static_cast<const EveryItem*>(i)->settings) expr(a.value);
        return body(static_cast<const EveryItem*>(i)->body);
      case ItemKind::Assign:
        expr(static_cast<const AssignItem*>(i)->target);
        return expr(static_cast<const AssignItem*>(i)->value);
      case ItemKind::Switch: {
        auto* s = static_cast<const SwitchItem*>(i);
        expr(s->initial);
        for (auto& m : s->modes) {
          for (Pattern* p : m.parameters) pattern(p);
          body(m.body);
          for (auto& t : m.transitions) {
            expr(t.condition);
            expr(t.target);
          }
        }
        return;
      }
      case ItemKind::Until: return;  // with its mode
      case ItemKind::Assert:
        expr(static_cast<const AssertItem*>(i)->message);
        return expr(static_cast<const AssertItem*>(i)->condition);
      case ItemKind::Terminate: return expr(static_cast<const TerminateItem*>(i)->condition);
    }
  }

  const Program& program_;
  const Global& global_;
  std::vector<std::string>& findings_;
  std::vector<bool> bound_;
};

}  // namespace

std::vector<std::string> verify(const Program& program) {
  std::vector<std::string> findings;
  if (program.main && program.main->value >= program.globals.size())
    findings.push_back("main is out of range");
  if (program.experiment.value >= program.records.size())
    findings.push_back("the record Experiment is missing");
  for (auto& global : program.globals)
    if (global.body) Verifier(program, global, findings).run();
  return findings;
}

}  // namespace sigrel::core
