#include "compiler/lsp/signals.h"

#include <fmt/format.h>

namespace sigrel::lsp {
namespace {

using core::ExprKind;
using core::ItemKind;

class Walk {
 public:
  Walk(const core::Program& program, const SourceMap& sources, FileId file, Signals& found)
      : program_(program), sources_(sources), file_(file), found_(found) {}

  void expression(const core::Expr* e) {
    if (!e) return;
    switch (e->kind) {
      case ExprKind::Apply: {
        const auto& call = *static_cast<const core::ApplyExpr*>(e);
        expression(call.function);
        for (const core::Expr* argument : call.args) expression(argument);
        break;
      }
      case ExprKind::Lambda: expression(static_cast<const core::LambdaExpr*>(e)->body); break;
      case ExprKind::Let: {
        const auto& let = *static_cast<const core::LetExpr*>(e);
        for (const core::Binding& binding : let.bindings) expression(binding.value);
        expression(let.body);
        break;
      }
      case ExprKind::If: {
        const auto& choice = *static_cast<const core::IfExpr*>(e);
        expression(choice.condition);
        expression(choice.then_branch);
        expression(choice.else_branch);
        break;
      }
      case ExprKind::Case: {
        const auto& choice = *static_cast<const core::CaseExpr*>(e);
        expression(choice.scrutinee);
        for (const core::Arm& arm : choice.arms) expression(arm.body);
        break;
      }
      case ExprKind::Tuple:
        for (const core::Expr* part : static_cast<const core::TupleExpr*>(e)->elements) expression(part);
        break;
      case ExprKind::Construct:
        for (const core::Expr* part : static_cast<const core::ConstructExpr*>(e)->args) expression(part);
        break;
      case ExprKind::Record:
        for (const core::Expr* part : static_cast<const core::RecordExpr*>(e)->fields) expression(part);
        break;
      case ExprKind::Update: {
        const auto& update = *static_cast<const core::UpdateExpr*>(e);
        expression(update.base);
        for (const core::FieldUpdate& field : update.updates) expression(field.value);
        break;
      }
      case ExprKind::Primitive:
        for (const core::Expr* part : static_cast<const core::PrimitiveExpr*>(e)->args) expression(part);
        break;
      case ExprKind::Sigrel: relation(*static_cast<const core::SigrelExpr*>(e)->relation); break;
      default: break;
    }
  }

 private:
  void relation(const core::Relation& r) {
    for (const core::Formal& formal : r.formals)
      add(formal.span, {Signal::Formal, type(formal.layout), false});
    body(r.body);
  }

  void add(Span span, Signal signal) {
    if (span.file == file_) found_.at.emplace(span.begin, std::move(signal));
  }

  void declare(const core::SignalDecl& signal, Signal::Kind kind) {
    add(signal.span, {kind, type(signal.layout), signal.implicit});
  }

  void body(const core::Body& b) {
    for (const core::SignalDecl& local : b.locals) declare(local, Signal::Local);
    for (const core::Item* i : b.items) item(*i);
  }

  void item(const core::Item& i) {
    switch (i.kind) {
      case ItemKind::Equation: {
        const auto& equation = static_cast<const core::EquationItem&>(i);
        expression(equation.left);
        expression(equation.right);
        break;
      }
      case ItemKind::Application: {
        const auto& use = static_cast<const core::ApplicationItem&>(i);
        // The label stands at the beginning of the item, the relation after it.
        if (use.label && use.head_span.file == file_)
          add(i.span, {Signal::Part, std::string(sources_.text(use.head_span)), false});
        expression(use.relation);
        break;
      }
      case ItemKind::Let:
        for (const core::Binding& binding : static_cast<const core::LetItem&>(i).bindings)
          expression(binding.value);
        break;
      case ItemKind::For: body(static_cast<const core::ForItem&>(i).body); break;
      case ItemKind::If:
        body(static_cast<const core::IfItem&>(i).then_body);
        body(static_cast<const core::IfItem&>(i).else_body);
        break;
      case ItemKind::Initially:
      case ItemKind::Guess: body(static_cast<const core::BlockItem&>(i).body); break;
      case ItemKind::Discrete:
        declare(static_cast<const core::DiscreteItem&>(i).declaration, Signal::Discrete);
        break;
      case ItemKind::When:
        for (const core::WhenBranch& branch : static_cast<const core::WhenItem&>(i).branches)
          body(branch.body);
        break;
      case ItemKind::Every: body(static_cast<const core::EveryItem&>(i).body); break;
      case ItemKind::Switch:
        for (const core::Mode& mode : static_cast<const core::SwitchItem&>(i).modes) body(mode.body);
        break;
      default: break;
    }
  }

  std::string type(const core::Layout* layout) const {
    if (!layout) return "?";
    using core::LayoutKind;
    const std::string_view unit = text(layout->unit);
    switch (layout->kind) {
      case LayoutKind::Real:
        return unit.empty() ? "Real" : fmt::format("Real<{}>", unit.substr(0, unit.find('|')));
      case LayoutKind::Int: return unit.empty() ? "Int" : std::string(unit);
      case LayoutKind::Bool: return "Bool";
      case LayoutKind::Record: return std::string(text(program_.records[layout->record.value].name));
      case LayoutKind::Vector: {
        std::string sizes;
        for (const core::Expr* size : layout->sizes)
          sizes +=
              (sizes.empty() ? "" : ", ") +
              (size->kind == ExprKind::Int ? std::to_string(static_cast<const core::IntExpr*>(size)->value)
               : size->span.file.value < sources_.size() ? std::string(sources_.text(size->span))
                                                         : "…");
        const bool plain = layout->sizes.size() == 1 && sizes.find(' ') == std::string::npos;
        return type(layout->elements[0]) + "^" + (plain ? sizes : "(" + (sizes.empty() ? "…" : sizes) + ")");
      }
      case LayoutKind::Tuple: {
        std::string all;
        for (const core::Layout* element : layout->elements) all += (all.empty() ? "" : ", ") + type(element);
        return "(" + all + ")";
      }
      default: return "?";
    }
  }

  const core::Program& program_;
  const SourceMap& sources_;
  const FileId file_;
  Signals& found_;
};

}  // namespace

Signals signals_of(const core::Program& program, const SourceMap& sources, FileId file) {
  Signals found;
  for (const core::Global& global : program.globals)
    if (global.span.file == file) Walk(program, sources, file, found).expression(global.body);
  return found;
}

}  // namespace sigrel::lsp
