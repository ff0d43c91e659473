#include "compiler/parse/label_paths.h"

#include <cctype>
#include <string>
#include <unordered_map>

#include "compiler/ir/ast_bodies.h"

namespace sigrel::syntax {

using namespace ast;

namespace {

bool is_capital(Name name) {
  const std::string_view t = text(name);
  return !t.empty() && std::isupper(static_cast<unsigned char>(t[0])) != 0;
}

/// Visits the items of a body, and the expressions in them except relations, which have labels of their own.
class Paths {
 public:
  Paths(std::span<Decl* const> imports, Arena& arena, Diagnostics& diagnostics)
      : imports_(imports), arena_(arena), diagnostics_(diagnostics) {}

  void run(std::span<Item*> body) {
    collect(body);
    if (labels_.empty()) return;
    items(body);
  }

 private:
  // ---- labels

  void label(const Ident& ident) {
    if (!is_capital(ident.name) || !labels_.emplace(ident.name, ident.span).second) return;
    for (const Decl* d : imports_) {
      if (d->kind != DeclKind::Import) continue;
      auto* import = static_cast<const ImportDecl*>(d);
      const Ident& name = import->has_alias ? import->alias : import->module;
      if (name.name != ident.name) continue;
      const std::string shown = "`" + std::string(text(ident.name)) + "`";
      diagnostics_.report(Code::DuplicateName, ident.span, shown + " is an instance and the name of a module")
          .also(name.span, "the module")
          .help("give the instance another label, or import the module under another name than " + shown);
      labels_.erase(ident.name);
    }
  }

  void collect(std::span<Item*> body) {
    for (Item* item : body) {
      each_label(*item, [&](const Ident& ident) { label(ident); });
      each_body(*item, [&](std::span<Item*> nested) { collect(nested); });
    }
  }

  // ---- names

  /// The path `C1.a.b` for a name whose first part is a label; null for others. `name` is not the last part
  /// of a path of its own, so the parts between are one qualifier.
  Expr* path(const QualifiedIdent& name, Span whole) {
    const std::string_view parts = name.qualified ? text(name.qualifier) : text(name.ident.name);
    std::size_t end = name.qualified ? parts.find('.') : std::string_view::npos;
    const Name head = intern(parts.substr(0, end));
    if (!labels_.contains(head)) return nullptr;
    std::uint32_t at = whole.begin;
    auto span_of = [&](std::string_view part) {
      const Span span{whole.file, at, at + static_cast<std::uint32_t>(part.size())};
      at = span.end + 1;  // the dot
      return span;
    };
    const Span first = name.qualified ? span_of(text(head)) : whole;
    Expr* e =
        arena_.make<VariableExpr>(Expr{ExprKind::Variable, first}, QualifiedIdent{false, {}, {head, first}});
    if (!name.qualified) return e;
    while (end != std::string_view::npos) {
      const std::size_t begin = end + 1;
      end = parts.find('.', begin);
      const std::string_view part = parts.substr(begin, end == std::string_view::npos ? end : end - begin);
      const Ident field{intern(part), span_of(part)};
      e = arena_.make<FieldExpr>(Expr{ExprKind::Field, {whole.file, whole.begin, field.span.end}}, e, field);
    }
    return arena_.make<FieldExpr>(Expr{ExprKind::Field, whole}, e, name.ident);
  }

  // ---- expressions

  void all(std::span<Expr*> list) {
    for (Expr*& e : list) expr(e);
  }
  void settings(std::span<Setting> list) {
    for (Setting& s : list) expr(s.value);
  }
  void decls(std::span<Decl*> list) {
    for (Decl* d : list) {
      if (d->kind == DeclKind::Clause) expr(static_cast<ClauseDecl*>(d)->body);
      if (d->kind == DeclKind::Binding) expr(static_cast<BindingDecl*>(d)->value);
    }
  }
  void generators(std::span<Generator> list) {
    for (Generator& g : list) expr(g.first), expr(g.last);
  }

  /// The head of a path, where `C1` alone is a label; elsewhere it may be a constructor.
  void head(Expr*& slot) {
    if (slot->kind != ExprKind::Constructor) return expr(slot);
    if (Expr* p = path(static_cast<ConstructorExpr*>(slot)->name, slot->span)) slot = p;
  }

  /// The expression of a slot; null where it is absent.
  void expr(Expr*& slot) {
    if (!slot) return;
    Expr* e = slot;
    switch (e->kind) {
      case ExprKind::Int:
      case ExprKind::Real:
      case ExprKind::String:
      case ExprKind::Wildcard:
      case ExprKind::OperatorName:
      case ExprKind::Sigrel: return;
      case ExprKind::Variable: {
        auto& name = static_cast<VariableExpr*>(e)->name;
        if (name.qualified)
          if (Expr* p = path(name, e->span)) slot = p;
        return;
      }
      case ExprKind::Constructor:
        if (static_cast<ConstructorExpr*>(e)->name.qualified) head(slot);
        return;
      case ExprKind::Apply: {
        auto* a = static_cast<ApplyExpr*>(e);
        expr(a->function);
        settings(a->named);
        return all(a->args);
      }
      case ExprKind::Binary:
        for (Expr** left = &slot; e->kind == ExprKind::Binary;) {  // chains lean left and may be long
          auto* b = static_cast<BinaryExpr*>(e);
          expr(b->right);
          left = &b->left;
          e = *left;
          if (e->kind != ExprKind::Binary) expr(*left);
        }
        return;
      case ExprKind::Unary: return expr(static_cast<UnaryExpr*>(e)->operand);
      case ExprKind::Section:
        expr(static_cast<SectionExpr*>(e)->left);
        return expr(static_cast<SectionExpr*>(e)->right);
      case ExprKind::If: {
        auto* i = static_cast<IfExpr*>(e);
        expr(i->condition);
        expr(i->then_branch);
        return expr(i->else_branch);
      }
      case ExprKind::Let: decls(static_cast<LetExpr*>(e)->decls); return expr(static_cast<LetExpr*>(e)->body);
      case ExprKind::Case: {
        auto* c = static_cast<CaseExpr*>(e);
        expr(c->scrutinee);
        for (CaseAlternative& a : c->alternatives) expr(a.body);
        return;
      }
      case ExprKind::Lambda: return expr(static_cast<LambdaExpr*>(e)->body);
      case ExprKind::Tuple: return all(static_cast<TupleExpr*>(e)->elements);
      case ExprKind::List: return all(static_cast<ListExpr*>(e)->elements);
      case ExprKind::Range:
        expr(static_cast<RangeExpr*>(e)->first);
        return expr(static_cast<RangeExpr*>(e)->last);
      case ExprKind::Comprehension:
        generators(static_cast<ComprehensionExpr*>(e)->generators);
        return expr(static_cast<ComprehensionExpr*>(e)->element);
      case ExprKind::Index: {
        auto* i = static_cast<IndexExpr*>(e);
        for (IndexPart& p : i->parts) expr(p.first), expr(p.last);
        return head(i->base);
      }
      case ExprKind::Field: return expr(static_cast<FieldExpr*>(e)->base);
      case ExprKind::Record: return settings(static_cast<RecordExpr*>(e)->settings);
      case ExprKind::With:
        expr(static_cast<WithExpr*>(e)->base);
        return settings(static_cast<WithExpr*>(e)->settings);
      case ExprKind::As: return expr(static_cast<AsExpr*>(e)->value);
      case ExprKind::Connection:
        expr(static_cast<ConnectionExpr*>(e)->relation);
        return expr(static_cast<ConnectionExpr*>(e)->args);
    }
  }

  // ---- items

  void items(std::span<Item*> body) {
    for (Item* i : body) item(i);
  }

  void item(Item* i) {
    switch (i->kind) {
      case ItemKind::Equation:
        expr(static_cast<EquationItem*>(i)->left);
        return expr(static_cast<EquationItem*>(i)->right);
      case ItemKind::Application:
        expr(static_cast<ApplicationItem*>(i)->relation);
        return expr(static_cast<ApplicationItem*>(i)->args);
      case ItemKind::Instance: return expr(static_cast<InstanceItem*>(i)->relation);
      case ItemKind::Connect:
        for (Expr*& node : static_cast<ConnectItem*>(i)->nodes) head(node);
        return;
      case ItemKind::Local: return settings(static_cast<LocalItem*>(i)->settings);
      case ItemKind::Discrete:
        expr(static_cast<DiscreteItem*>(i)->initial);
        return settings(static_cast<DiscreteItem*>(i)->settings);
      case ItemKind::Let: return decls(static_cast<LetItem*>(i)->decls);
      case ItemKind::For:
        generators(static_cast<ForItem*>(i)->generators);
        return items(static_cast<ForItem*>(i)->body);
      case ItemKind::If:
        expr(static_cast<IfItem*>(i)->condition);
        items(static_cast<IfItem*>(i)->then_body);
        return items(static_cast<IfItem*>(i)->else_body);
      case ItemKind::Initially:
      case ItemKind::Guess: return items(static_cast<BlockItem*>(i)->body);
      case ItemKind::Steady: return all(static_cast<SteadyItem*>(i)->signals);
      case ItemKind::When:
        for (WhenBranch& branch : static_cast<WhenItem*>(i)->branches) {
          all(branch.conditions);
          items(branch.body);
        }
        return;
      case ItemKind::Every: {
        auto* e = static_cast<EveryItem*>(i);
        expr(e->period);
        settings(e->settings);
        return items(e->body);
      }
      case ItemKind::Assign:
        expr(static_cast<AssignItem*>(i)->target);
        return expr(static_cast<AssignItem*>(i)->value);
      case ItemKind::Switch:
        expr(static_cast<SwitchItem*>(i)->initial);
        for (Mode& mode : static_cast<SwitchItem*>(i)->modes) items(mode.body);
        return;
      case ItemKind::Until:
        expr(static_cast<UntilItem*>(i)->condition);
        return expr(static_cast<UntilItem*>(i)->target);
      case ItemKind::Assert:
        expr(static_cast<AssertItem*>(i)->message);
        return expr(static_cast<AssertItem*>(i)->condition);
      case ItemKind::Terminate: return expr(static_cast<TerminateItem*>(i)->condition);
    }
  }

  std::span<Decl* const> imports_;
  Arena& arena_;
  Diagnostics& diagnostics_;
  std::unordered_map<Name, Span> labels_;
};

}  // namespace

void read_label_paths(std::span<Item*> body, std::span<Decl* const> imports, Arena& arena,
                      Diagnostics& diagnostics) {
  Paths(imports, arena, diagnostics).run(body);
}

}  // namespace sigrel::syntax
