#include "compiler/check/blocks/block_equations.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/check/blocks/block_signals.h"

namespace sigrel::check {
namespace {

using core::Causality;
using core::ExprKind;
using core::ItemKind;

class Reader {
 public:
  Reader(const core::Relation& relation, const BlockContext& context)
      : relation_(relation), context_(context) {}

  BlockEquations run() {
    std::size_t marked = 0;
    for (const core::Formal& f : relation_.formals) {
      marked += f.causality != Causality::None;
      LeafRange leaves = signals_.declare(f.local, f.layout, std::string(text(f.name)), f.span,
                                          f.causality == Causality::In    ? Leaf::Input
                                          : f.causality == Causality::Out ? Leaf::Output
                                                                          : Leaf::Outside);
      found_.formals.push_back(leaves);
    }
    found_.is_block = marked == relation_.formals.size() && marked > 0;
    body(relation_.body);
    return std::move(found_);
  }

 private:
  // The scalars of an expression one by one; one expression when it cannot be taken apart.
  struct Piece {
    const core::Expr* expr;
    std::optional<std::uint32_t> leaf;
  };
  std::vector<Piece> pieces(const core::Expr* e) {
    std::vector<Piece> out;
    if (auto range = signals_.path(e)) {
      for (std::uint32_t i = 0; i < range->second; ++i) out.push_back({e, range->first + i});
      return out;
    }
    std::span<core::Expr* const> parts;
    if (e->kind == ExprKind::Tuple) parts = static_cast<const core::TupleExpr*>(e)->elements;
    if (e->kind == ExprKind::Record) parts = static_cast<const core::RecordExpr*>(e)->fields;
    if (e->kind == ExprKind::Tuple || e->kind == ExprKind::Record) {
      for (const core::Expr* p : parts)
        for (const Piece& piece : pieces(p)) out.push_back(piece);
      return out;
    }
    if (e->kind == ExprKind::BlockApply) {
      for (std::uint32_t leaf : applied(static_cast<const core::BlockApplyExpr*>(e)))
        out.push_back({e, leaf});
      return out;
    }
    out.push_back({e, std::nullopt});
    return out;
  }

  // Expressions.

  /// Appends what an expression reads. What a `let` reads is appended once, however often the expression uses
  /// it, also through others: they would double with each, and a recursive function would never end.
  void reads(const core::Expr* e, bool derivative, std::vector<Read>& out) {
    if (depth_ == 0) followed_.clear();
    if (!e || depth_ > kMostNested) return;
    if (auto range = signals_.path(e)) {
      for (std::uint32_t i = 0; i < range->second; ++i) {
        out.push_back({range->first + i, derivative});
        if (derivative) found_.leaves[range->first + i].state = true;
      }
      return;
    }
    ++depth_;
    auto all = [&](auto list) {
      for (const core::Expr* x : list) reads(x, derivative, out);
    };
    switch (e->kind) {
      case ExprKind::Local:
        reads_of_let(static_cast<const core::LocalExpr*>(e)->local, derivative, out);
        break;
      case ExprKind::Apply:
        reads(static_cast<const core::ApplyExpr*>(e)->function, derivative, out);
        all(static_cast<const core::ApplyExpr*>(e)->args);
        break;
      case ExprKind::Lambda: reads(static_cast<const core::LambdaExpr*>(e)->body, derivative, out); break;
      case ExprKind::Let: {
        auto* l = static_cast<const core::LetExpr*>(e);
        for (const core::Binding& b : l->bindings) signals_.add_let(b);
        reads(l->body, derivative, out);
        break;
      }
      case ExprKind::If:
        reads(static_cast<const core::IfExpr*>(e)->condition, derivative, out);
        reads(static_cast<const core::IfExpr*>(e)->then_branch, derivative, out);
        reads(static_cast<const core::IfExpr*>(e)->else_branch, derivative, out);
        break;
      case ExprKind::Case: {
        auto* c = static_cast<const core::CaseExpr*>(e);
        reads(c->scrutinee, derivative, out);
        for (const core::Arm& arm : c->arms) reads(arm.body, derivative, out);
        break;
      }
      case ExprKind::Tuple: all(static_cast<const core::TupleExpr*>(e)->elements); break;
      case ExprKind::Construct: all(static_cast<const core::ConstructExpr*>(e)->args); break;
      case ExprKind::Record: all(static_cast<const core::RecordExpr*>(e)->fields); break;
      case ExprKind::Update:
        reads(static_cast<const core::UpdateExpr*>(e)->base, derivative, out);
        for (auto& u : static_cast<const core::UpdateExpr*>(e)->updates) reads(u.value, derivative, out);
        break;
      case ExprKind::Field: reads(static_cast<const core::FieldExpr*>(e)->base, derivative, out); break;
      case ExprKind::Primitive: {
        auto* p = static_cast<const core::PrimitiveExpr*>(e);
        // `pre x` and `delay x dt` are known at the instant.
        if (p->op == core::Primitive::Pre || p->op == core::Primitive::Delay) {
          std::vector<Read> known;
          std::set<std::pair<std::uint32_t, bool>> followed = std::exchange(followed_, {});
          for (const core::Expr* x : p->args) reads(x, false, known);
          followed_ = std::move(followed);
          for (Read r : known) found_.leaves[r.leaf].mentioned = true;
          break;
        }
        for (const core::Expr* x : p->args) reads(x, derivative || p->op == core::Primitive::Der, out);
        break;
      }
      case ExprKind::Index: {
        auto* i = static_cast<const core::IndexExpr*>(e);
        std::size_t before = out.size();
        skipped_ = false;
        reads(i->base, derivative, out);
        if (skipped_) found_.exact = false;  // what has been read before may be no input
        for (std::size_t k = before; k < out.size(); ++k)
          if (found_.leaves[out[k].leaf].role != Leaf::Input)
            found_.exact = false;  // elements are not told apart
        for (auto& part : i->parts) {
          reads(part.first, derivative, out);
          reads(part.last, derivative, out);
        }
        break;
      }
      case ExprKind::Vector: all(static_cast<const core::VectorExpr*>(e)->elements); break;
      case ExprKind::Member: {
        auto* m = static_cast<const core::MemberExpr*>(e);
        found_.exact = false;
        const core::Expr* base = m;
        while (base && base->kind == ExprKind::Member)
          base = static_cast<const core::MemberExpr*>(base)->base;
        if (base && base->kind == ExprKind::Label)  // of one of several instances, or something inside
          for (const SignalPart& part : signals_.parts(static_cast<const core::LabelExpr*>(base)->label))
            if (part.leaves)
              for (std::uint32_t i = 0; i < part.leaves->second; ++i)
                found_.leaves[part.leaves->first + i].mentioned = true;
        break;
      }
      case ExprKind::BlockApply:
        for (std::uint32_t leaf : applied(static_cast<const core::BlockApplyExpr*>(e)))
          out.push_back({leaf, derivative});
        break;
      case ExprKind::Int:
      case ExprKind::Real:
      case ExprKind::Bool:
      case ExprKind::String:
      case ExprKind::Global:
      case ExprKind::Sigrel:
      case ExprKind::Label:
      case ExprKind::Layout: break;
    }
    --depth_;
  }

  void reads_of_let(core::LocalId local, bool derivative, std::vector<Read>& out) {
    const core::Expr* value = signals_.let(local);
    if (!value) return;
    if (followed_.emplace(local.value, derivative).second)
      reads(value, derivative, out);
    else
      skipped_ = true;
  }

  void mention(const core::Expr* e) {
    std::vector<Read> found;
    reads(e, false, found);
    for (Read r : found) found_.leaves[r.leaf].mentioned = true;
  }

  // Applications.

  static bool is_block(const BlockUse* use) {
    return use && !use->names.empty() && std::ranges::all_of(use->names, [](const InterfaceName& n) {
             return n.causality != Causality::None;
           });
  }

  // Inputs are read; each output is one row per scalar. `outputs` are the leaves that it determines.
  void apply_block(const BlockUse& use, const std::vector<std::vector<Read>>& inputs,
                   const std::vector<std::vector<std::uint32_t>>& outputs, Span span) {
    for (auto& list : inputs)
      for (Read r : list) found_.leaves[r.leaf].inputs.push_back(span);
    const FeedThrough* through = use.head ? context_.feed_through(*use.head) : nullptr;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      Row row{{}, span, {}};
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!through || (o < through->size() && i < (*through)[o].size() && (*through)[o][i]))
          row.reads.insert(row.reads.end(), inputs[i].begin(), inputs[i].end());
      for (std::uint32_t leaf : outputs[o]) {
        if (straight_) found_.leaves[leaf].sources.push_back(span);
        found_.leaves[leaf].mentioned = true;
        row.output = leaf;
        found_.rows.push_back(row);
      }
    }
  }

  // `block <> inputs` as an expression: its outputs are new leaves.
  const std::vector<std::uint32_t>& applied(const core::BlockApplyExpr* e) {
    if (auto at = applied_.find(e); at != applied_.end()) return at->second;
    const BlockUse* use = context_.use(e);
    std::vector<std::vector<Read>> inputs;
    std::vector<std::vector<std::uint32_t>> outputs;
    std::vector<std::uint32_t> all;
    std::size_t ins = 0;
    if (use)
      for (const InterfaceName& n : use->names) {
        ins += n.causality != Causality::Out;
        if (n.causality != Causality::Out) continue;
        // An output of several scalars is one leaf here; it is exact only where the equation is one.
        LeafRange range =
            signals_.make(nullptr, std::string(n.named ? text(n.name) : "output"), e->span, Leaf::Part);
        found_.leaves[range.first].vector = false;
        outputs.push_back({range.first});
        all.push_back(range.first);
      }
    if (ins > 1 && e->inputs->kind == ExprKind::Tuple) {
      for (const core::Expr* x : static_cast<const core::TupleExpr*>(e->inputs)->elements)
        reads(x, false, inputs.emplace_back());
    } else {
      reads(e->inputs, false, inputs.emplace_back());
    }
    if (is_block(use)) {
      apply_block(*use, inputs, outputs, e->relation->span);
    } else {
      found_.exact = false;
      for (auto& list : inputs)
        for (Read r : list) found_.leaves[r.leaf].mentioned = true;
    }
    return applied_[e] = all;
  }

  void application(const core::ApplicationItem& a) {
    const BlockUse* use = context_.use(&a);
    if (!is_block(use)) {
      found_.exact = false;
      if (a.args) mention(a.args);
      return;
    }
    std::size_t formals = use->names.size();
    std::vector<const core::Expr*> args(formals, nullptr);
    if (a.args && formals == 1) args[0] = a.args;
    if (a.args && formals > 1) {
      if (a.args->kind != ExprKind::Tuple ||
          static_cast<const core::TupleExpr*>(a.args)->elements.size() != formals) {
        found_.exact = false;
        return mention(a.args);
      }
      for (std::size_t i = 0; i < formals; ++i)
        args[i] = static_cast<const core::TupleExpr*>(a.args)->elements[i];
    }
    std::vector<std::vector<Read>> inputs;
    std::vector<std::vector<std::uint32_t>> outputs;
    std::vector<SignalPart> parts;
    for (std::size_t i = 0; i < formals; ++i) {
      const InterfaceName& n = use->names[i];
      bool out = n.causality == Causality::Out;
      SignalPart part;
      if (!args[i]) {  // an instance: its interface is read and given by `label.x`
        if (a.label)
          if (auto parts = signals_.parts(*a.label); i < parts.size()) part = parts[i];
      }
      std::vector<std::uint32_t> determined;
      if (!args[i] && part.leaves) {
        if (out)
          determined.push_back(part.leaves->first);
        else
          inputs.push_back({{part.leaves->first, false}});
      } else if (args[i] && !out) {
        reads(args[i], false, inputs.emplace_back());
      } else if (args[i]) {
        for (const Piece& piece : pieces(args[i])) {
          if (piece.leaf) {
            determined.push_back(*piece.leaf);
            continue;
          }
          // An expression: the output is equal to it.
          LeafRange aux = signals_.make(nullptr, std::string(n.named ? text(n.name) : "output"),
                                        args[i]->span, Leaf::Part);
          found_.leaves[aux.first].vector = false;
          determined.push_back(aux.first);
          Row row{{{aux.first, false}}, args[i]->span, {}};
          reads(piece.expr, false, row.reads);
          for (Read r : row.reads) found_.leaves[r.leaf].mentioned = true;
          found_.rows.push_back(std::move(row));
        }
      }
      if (out) outputs.push_back(std::move(determined));
    }
    apply_block(*use, inputs, outputs, a.head_span);
  }

  // The interface of labelled instances, before anything reads it.
  void collect_parts(const core::Body& b) {
    for (const core::Item* i : b.items) {
      if (i->kind != ItemKind::Application) continue;
      auto& a = *static_cast<const core::ApplicationItem*>(i);
      const BlockUse* use = context_.use(&a);
      if (!a.label || !use) continue;
      std::vector<SignalPart> parts(use->names.size());
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (!a.args) {
          if (!is_block(use)) continue;
          parts[k].leaves =
              signals_.make(nullptr,
                            std::string(text(a.name)) + "." +
                                std::string(use->names[k].named ? text(use->names[k].name) : "?"),
                            a.head_span, Leaf::Part);
          found_.leaves[parts[k].leaves->first].vector = false;
          continue;
        }
        const core::Expr* arg = a.args;
        if (parts.size() > 1) {
          if (a.args->kind != ExprKind::Tuple ||
              static_cast<const core::TupleExpr*>(a.args)->elements.size() != parts.size())
            break;
          arg = static_cast<const core::TupleExpr*>(a.args)->elements[k];
        }
        parts[k].leaves = signals_.path(arg, &parts[k].layout);
      }
      signals_.set_parts(*a.label, std::move(parts));
    }
  }

  // Items.

  void body(const core::Body& b) {
    for (const core::SignalDecl& d : b.locals)
      signals_.declare(d.local, d.layout, std::string(text(d.name)), d.span, Leaf::Own);
    for (const core::Item* i : b.items)
      if (i->kind == ItemKind::Let)
        for (const core::Binding& x : static_cast<const core::LetItem*>(i)->bindings) signals_.add_let(x);
    collect_parts(b);
    for (const core::Item* i : b.items) item(*i);
  }

  // Items whose equations are not counted, with their blocks.
  void inexact(const core::Body& b) {
    found_.exact = false;
    bool outer = std::exchange(straight_, false);
    body(b);
    straight_ = outer;
  }

  void equation(const core::EquationItem& e) {
    std::vector<Piece> left = pieces(e.left), right = pieces(e.right);
    std::size_t n = std::max(left.size(), right.size());
    if (left.size() != right.size()) found_.exact = false;
    for (std::size_t k = 0; k < n && !left.empty() && !right.empty(); ++k) {
      Row row{{}, e.span, {}};
      bool vector = false;
      for (auto* side : {&left, &right}) {
        const Piece& p = (*side)[std::min(k, side->size() - 1)];
        if (p.leaf) {
          vector |= found_.leaves[*p.leaf].vector;
          row.reads.push_back({*p.leaf, false});
        } else {
          reads(p.expr, false, row.reads);
        }
      }
      for (Read r : row.reads) {
        found_.leaves[r.leaf].mentioned = true;
        if (found_.leaves[r.leaf].vector && found_.leaves[r.leaf].role != Leaf::Input && !vector)
          found_.exact = false;
      }
      found_.rows.push_back(std::move(row));
    }
  }

  void item(const core::Item& i) {
    switch (i.kind) {
      case ItemKind::Equation: return equation(static_cast<const core::EquationItem&>(i));
      case ItemKind::Application: return application(static_cast<const core::ApplicationItem&>(i));
      case ItemKind::Connect:
        found_.exact = false;
        for (const core::Expr* n : static_cast<const core::ConnectItem&>(i).nodes) mention(n);
        return;
      case ItemKind::Let: return;
      case ItemKind::For: return inexact(static_cast<const core::ForItem&>(i).body);
      case ItemKind::If: {
        auto& f = static_cast<const core::IfItem&>(i);
        mention(f.condition);
        inexact(f.then_body);
        return inexact(f.else_body);
      }
      case ItemKind::Initially:
      case ItemKind::Guess:
      case ItemKind::Steady: return;
      case ItemKind::Discrete: {
        auto& d = static_cast<const core::DiscreteItem&>(i).declaration;
        found_.exact = false;
        signals_.declare(d.local, d.layout, std::string(text(d.name)), d.span, Leaf::Outside);
        return;
      }
      case ItemKind::When: {
        for (const core::WhenBranch& branch : static_cast<const core::WhenItem&>(i).branches) {
          for (const core::Expr* condition : branch.conditions) mention(condition);
          inexact(branch.body);
        }
        return;
      }
      case ItemKind::Every: return inexact(static_cast<const core::EveryItem&>(i).body);
      case ItemKind::Assign:
        mention(static_cast<const core::AssignItem&>(i).target);
        return mention(static_cast<const core::AssignItem&>(i).value);
      case ItemKind::Switch:
        for (auto& mode : static_cast<const core::SwitchItem&>(i).modes) {
          inexact(mode.body);
          for (auto& t : mode.transitions) {
            mention(t.condition);
            mention(t.target);
          }
        }
        return;
      case ItemKind::Until: return;  // with its mode
      case ItemKind::Assert: return mention(static_cast<const core::AssertItem&>(i).condition);
      case ItemKind::Terminate: return mention(static_cast<const core::TerminateItem&>(i).condition);
    }
  }

  static constexpr int kMostNested = 500;  // of expressions, with the `let`s that they use

  const core::Relation& relation_;
  const BlockContext& context_;
  BlockEquations found_;
  BlockSignals signals_{found_.leaves};
  std::unordered_map<const core::BlockApplyExpr*, std::vector<std::uint32_t>> applied_;
  bool straight_ = true;  // outside of loops and conditions
  int depth_ = 0;
  std::set<std::pair<std::uint32_t, bool>> followed_;  // by the outermost `reads`: a `let`, and `derivative`
  bool skipped_ = false;                               // one that was followed before
};

}  // namespace

BlockEquations read_equations(const core::Relation& relation, const BlockContext& context) {
  return Reader(relation, context).run();
}

}  // namespace sigrel::check
