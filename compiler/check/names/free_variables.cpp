#include "compiler/check/names/free_variables.h"

#include <array>

namespace sigrel::check {

using namespace ast;

void FreeVariables::bind(const Ident& ident) {
  binding(ident);
  const Name name = ident.name;
  if (name.value >= bound_.size()) bound_.resize(name.value + name.value / 2 + 64);
  ++bound_[name.value];
  trail_.push_back(name);
}

void FreeVariables::variable(const QualifiedIdent& name) {
  if (name.qualified || !bound(name.ident.name))
    use(name, delay_ > 0);
  else
    use_bound(name.ident);
}

void FreeVariables::release(std::size_t mark) {
  while (trail_.size() > mark) {
    --bound_[trail_.back().value];
    trail_.pop_back();
  }
}

void FreeVariables::bind(const Pattern* p) {
  switch (p->kind) {
    case PatternKind::Variable: bind(static_cast<const VariablePattern*>(p)->name); break;
    case PatternKind::Typed:
      bind(static_cast<const TypedPattern*>(p)->name);
      type(*static_cast<const TypedPattern*>(p)->type);
      break;
    case PatternKind::Tuple:
      for (auto* e : static_cast<const TuplePattern*>(p)->elements) bind(e);
      break;
    case PatternKind::List:
      for (auto* e : static_cast<const ListPattern*>(p)->elements) bind(e);
      break;
    case PatternKind::Constructor:
      for (auto* e : static_cast<const ConstructorPattern*>(p)->args) bind(e);
      break;
    case PatternKind::Record:
      for (auto& f : static_cast<const RecordPattern*>(p)->fields) {
        if (f.pattern->span == f.name.span) field_variable(f.name);
        bind(f.pattern);
      }
      break;
    case PatternKind::Cons:
      bind(static_cast<const ConsPattern*>(p)->head);
      bind(static_cast<const ConsPattern*>(p)->tail);
      break;
    case PatternKind::Wildcard:
    case PatternKind::Int:
    case PatternKind::Real:
    case PatternKind::String: break;
  }
}

void FreeVariables::clause(const ClauseDecl& clause) {
  std::size_t m = mark();
  for (auto* p : clause.parameters) bind(p);
  delay_ += clause.parameters.empty() ? 0 : 1;
  expr(clause.body);
  delay_ -= clause.parameters.empty() ? 0 : 1;
  release(m);
}

void FreeVariables::bind_definitions(std::span<Decl* const> decls) {
  for (auto* d : decls) {
    if (d->kind == DeclKind::Clause) bind(static_cast<const ClauseDecl*>(d)->name);
    if (d->kind == DeclKind::Binding) bind(static_cast<const BindingDecl*>(d)->pattern);
  }
}

void FreeVariables::definitions(std::span<Decl* const> decls) {
  for (auto* d : decls) {
    if (d->kind == DeclKind::Clause) clause(*static_cast<const ClauseDecl*>(d));
    if (d->kind == DeclKind::Binding) expr(static_cast<const BindingDecl*>(d)->value);
    if (d->kind == DeclKind::Signature) {
      for (auto& n : static_cast<const SignatureDecl*>(d)->names) use_bound(n);
      type(*static_cast<const SignatureDecl*>(d)->type);
    }
  }
}

void FreeVariables::decls(std::span<Decl* const> decls, const Expr* body) {
  std::size_t m = mark();
  bind_definitions(decls);
  definitions(decls);
  if (body) expr(body);
  release(m);
}

void FreeVariables::settings(std::span<Setting> settings) {
  for (auto& s : settings) expr(s.value);
}

void FreeVariables::arguments(const Expr* e) {
  ++node_arguments_;
  expr(e);
  --node_arguments_;
}

void FreeVariables::expr(const Expr* e) {
  switch (e->kind) {
    case ExprKind::Int:
    case ExprKind::Real:
    case ExprKind::String:
    case ExprKind::Constructor:
    case ExprKind::Wildcard:
    case ExprKind::OperatorName: return;
    case ExprKind::Variable: return variable(static_cast<const VariableExpr*>(e)->name);
    case ExprKind::Apply: {
      auto* a = static_cast<const ApplyExpr*>(e);
      int outer = node_arguments_;  // what is applied is a function, not a signal
      if (a->function->kind == ExprKind::Variable) node_arguments_ = 0;
      expr(a->function);
      node_arguments_ = outer;
      settings(a->named);
      for (auto* arg : a->args) expr(arg);
      return;
    }
    case ExprKind::Binary: {
      std::vector<const BinaryExpr*> spine;  // chains lean left and may be long
      while (e->kind == ExprKind::Binary) {
        spine.push_back(static_cast<const BinaryExpr*>(e));
        e = spine.back()->left;
      }
      expr(e);
      for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
        const BinaryExpr* b = *it;
        if (b->op == BinaryOp::Named) variable(b->name);
        expr(b->right);
      }
      return;
    }
    case ExprKind::Unary: return expr(static_cast<const UnaryExpr*>(e)->operand);
    case ExprKind::Section: {
      auto* s = static_cast<const SectionExpr*>(e);
      if (s->op == BinaryOp::Named) variable(s->name);
      if (s->left) expr(s->left);
      if (s->right) expr(s->right);
      return;
    }
    case ExprKind::If: {
      auto* i = static_cast<const IfExpr*>(e);
      expr(i->condition);
      expr(i->then_branch);
      return expr(i->else_branch);
    }
    case ExprKind::Let: {
      auto* l = static_cast<const LetExpr*>(e);
      return decls(l->decls, l->body);
    }
    case ExprKind::Case: {
      auto* c = static_cast<const CaseExpr*>(e);
      expr(c->scrutinee);
      for (auto& a : c->alternatives) {
        std::size_t m = mark();
        bind(a.pattern);
        expr(a.body);
        release(m);
      }
      return;
    }
    case ExprKind::Lambda: {
      auto* l = static_cast<const LambdaExpr*>(e);
      std::size_t m = mark();
      for (auto* p : l->parameters) bind(p);
      ++delay_;
      expr(l->body);
      --delay_;
      release(m);
      return;
    }
    case ExprKind::Tuple:
      for (auto* x : static_cast<const TupleExpr*>(e)->elements) expr(x);
      return;
    case ExprKind::List:
      for (auto* x : static_cast<const ListExpr*>(e)->elements) expr(x);
      return;
    case ExprKind::Range:
      expr(static_cast<const RangeExpr*>(e)->first);
      return expr(static_cast<const RangeExpr*>(e)->last);
    case ExprKind::Comprehension: {
      auto* c = static_cast<const ComprehensionExpr*>(e);
      std::size_t m = mark();
      for (auto& g : c->generators) {
        expr(g.first);
        if (g.last) expr(g.last);
        bind(g.pattern);
      }
      expr(c->element);
      release(m);
      return;
    }
    case ExprKind::Index: {
      auto* i = static_cast<const IndexExpr*>(e);
      for (auto& p : i->parts) {
        expr(p.first);
        if (p.last) expr(p.last);
      }
      return expr(i->base);
    }
    case ExprKind::Field: {
      const Expr* base = static_cast<const FieldExpr*>(e)->base;
      const IndexExpr* index = base->kind == ExprKind::Index ? static_cast<const IndexExpr*>(base) : nullptr;
      const Expr* head = index ? index->base : base;
      if (head->kind == ExprKind::Variable) {
        auto& name = static_cast<const VariableExpr*>(head)->name;
        if (!name.qualified && !bound(name.ident.name) && label_head(name.ident.name)) {
          if (index)
            for (auto& p : index->parts) {
              expr(p.first);
              if (p.last) expr(p.last);
            }
          return;
        }
      }
      return expr(base);
    }
    case ExprKind::Record: return settings(static_cast<const RecordExpr*>(e)->settings);
    case ExprKind::With:
      expr(static_cast<const WithExpr*>(e)->base);
      return settings(static_cast<const WithExpr*>(e)->settings);
    case ExprKind::As: return expr(static_cast<const AsExpr*>(e)->value);
    case ExprKind::Sigrel: return sigrel(*static_cast<const SigrelExpr*>(e));
    case ExprKind::Connection:
      expr(static_cast<const ConnectionExpr*>(e)->relation);
      return arguments(static_cast<const ConnectionExpr*>(e)->args);
  }
}

void FreeVariables::sizes(const ast::Type& type) {
  const auto all = [this](auto types) {
    for (const ast::Type* t : types) sizes(*t);
  };
  switch (type.kind) {
    case ast::TypeKind::Variable: return;
    case ast::TypeKind::Named: return all(static_cast<const ast::NamedType&>(type).args);
    case ast::TypeKind::List: return sizes(*static_cast<const ast::ListType&>(type).element);
    case ast::TypeKind::Tuple: return all(static_cast<const ast::TupleType&>(type).elements);
    case ast::TypeKind::Function:
      return all(std::array{static_cast<const ast::FunctionType&>(type).from,
                            static_cast<const ast::FunctionType&>(type).to});
    case ast::TypeKind::Relation: {
      const auto& relation = static_cast<const ast::RelationType&>(type);
      if (relation.whole) sizes(*relation.whole);
      for (const ast::InterfaceItem& item : relation.interface) sizes(*item.type);
      return;
    }
    case ast::TypeKind::Power: {
      const auto& power = static_cast<const ast::PowerType&>(type);
      for (const ast::Expr* size : power.sizes) expr(size);
      return sizes(*power.element);
    }
  }
}

void FreeVariables::sigrel(const SigrelExpr& e) {
  std::size_t m = mark();
  int outer = node_arguments_;
  node_arguments_ = 0;
  ++delay_;
  for (auto& f : e.formals) bind(f.name);
  block(e.body);
  --delay_;
  node_arguments_ = outer;
  release(m);
}

void FreeVariables::items(std::span<Item* const> body) { block(body); }

void FreeVariables::block(std::span<Item* const> body, bool loop, std::size_t loop_count) {
  enter_block(loop, loop_count);
  std::size_t m = mark();
  for (auto* i : body) {
    if (i->kind == ItemKind::Local)
      for (auto& n : static_cast<const LocalItem*>(i)->names) bind(n);
    if (i->kind == ItemKind::Discrete)
      for (auto& n : static_cast<const DiscreteItem*>(i)->names) bind(n);
    if (i->kind == ItemKind::Let) bind_definitions(static_cast<const LetItem*>(i)->decls);
  }
  for (auto* i : body) item(i);
  release(m);
  leave_block();
}

void FreeVariables::labels(std::span<ConnectionExpr* const> blocks) {
  for (const ConnectionExpr* b : blocks) label(b->label, b);
}

void FreeVariables::item(const Item* i) {
  switch (i->kind) {
    case ItemKind::Equation: {
      auto* q = static_cast<const EquationItem*>(i);
      labels(q->blocks);
      expr(q->left);
      return expr(q->right);
    }
    case ItemKind::Application: {
      auto* a = static_cast<const ApplicationItem*>(i);
      if (a->labelled) label(a->label, i);
      labels(a->blocks);
      expr(a->relation);
      return arguments(a->args);
    }
    case ItemKind::Instance: {
      auto* a = static_cast<const InstanceItem*>(i);
      label(a->label, i);
      return expr(a->relation);
    }
    case ItemKind::Connect:
      for (auto* n : static_cast<const ConnectItem*>(i)->nodes) arguments(n);
      return;
    case ItemKind::Local: {
      auto* l = static_cast<const LocalItem*>(i);
      if (l->type) type(*l->type);
      return settings(l->settings);
    }
    case ItemKind::Discrete: {
      auto* d = static_cast<const DiscreteItem*>(i);
      if (d->type) type(*d->type);
      if (d->initial) expr(d->initial);
      return settings(d->settings);
    }
    case ItemKind::Let: return definitions(static_cast<const LetItem*>(i)->decls);  // bound with the block
    case ItemKind::For: {
      auto* f = static_cast<const ForItem*>(i);
      std::size_t m = mark();
      for (auto& g : f->generators) {
        expr(g.first);
        if (g.last) expr(g.last);
        bind(g.pattern);
      }
      block(f->body, true, f->generators.size());
      release(m);
      return;
    }
    case ItemKind::If: {
      auto* f = static_cast<const IfItem*>(i);
      expr(f->condition);
      block(f->then_body);
      return block(f->else_body);
    }
    case ItemKind::Initially:
    case ItemKind::Guess: return block(static_cast<const BlockItem*>(i)->body);
    case ItemKind::Steady:
      for (auto* signal : static_cast<const SteadyItem*>(i)->signals) expr(signal);
      return;
    case ItemKind::When:
      for (const WhenBranch& branch : static_cast<const WhenItem*>(i)->branches) {
        for (auto* condition : branch.conditions) expr(condition);
        block(branch.body);
      }
      return;
    case ItemKind::Every: {
      auto* v = static_cast<const EveryItem*>(i);
      expr(v->period);
      settings(v->settings);
      return block(v->body);
    }
    case ItemKind::Assign:
      expr(static_cast<const AssignItem*>(i)->target);
      return expr(static_cast<const AssignItem*>(i)->value);
    case ItemKind::Switch: {
      auto* s = static_cast<const SwitchItem*>(i);
      expr(s->initial);
      for (auto& mode : s->modes) {
        std::size_t m = mark();
        for (auto* p : mode.parameters) bind(p);
        block(mode.body);
        release(m);
      }
      return;
    }
    case ItemKind::Until:
      expr(static_cast<const UntilItem*>(i)->condition);
      return expr(static_cast<const UntilItem*>(i)->target);
    case ItemKind::Assert:
      expr(static_cast<const AssertItem*>(i)->message);
      return expr(static_cast<const AssertItem*>(i)->condition);
    case ItemKind::Terminate: return expr(static_cast<const TerminateItem*>(i)->condition);
  }
}

}  // namespace sigrel::check
