#include "compiler/check/block.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/graph/matching.h"

namespace sigrel::check {
namespace {

using core::Causality;
using core::ExprKind;
using core::ItemKind;

/// A scalar, or a vector taken as a whole.
struct Leaf {
  enum Role : std::uint8_t {
    Input,
    Output,
    Outside,
    Own,
    Part
  } role;  // Outside: an unmarked formal; Part: of an instance
  bool vector = false, state = false;
  std::string name;
  Span span;
  bool mentioned = false;     // other than as an input of a block
  std::vector<Span> sources;  // outputs of blocks that it stands for
  std::vector<Span> inputs;   // inputs of blocks that contain it
};

struct Read {
  std::uint32_t leaf;
  bool derivative;
};

struct Row {
  std::vector<Read> reads;
  Span span;
  std::optional<std::uint32_t> output;  // of an applied block: it determines this and nothing else
};

class Reader {
 public:
  Reader(const core::Relation& relation, const BlockContext& context)
      : relation_(relation), context_(context) {}

  std::optional<FeedThrough> run() {
    std::size_t marked = 0;
    for (const core::Formal& f : relation_.formals) {
      marked += f.causality != Causality::None;
      declare(f.local, f.layout, std::string(text(f.name)), f.span,
              f.causality == Causality::In    ? Leaf::Input
              : f.causality == Causality::Out ? Leaf::Output
                                              : Leaf::Outside);
    }
    bool block = marked == relation_.formals.size() && marked > 0;
    body(relation_.body);
    std::size_t errors = context_.diagnostics.error_count();
    check_sources();
    if (!block || !exact_ || context_.diagnostics.error_count() != errors) return std::nullopt;
    return determine();
  }

 private:
  using Range = std::pair<std::uint32_t, std::uint32_t>;  // of leaves: first, count

  // ---- leaves
  // -------------------------------------------------------------------------------------------------------

  Range make_leaves(const core::Layout* layout, const std::string& name, Span span, Leaf::Role role) {
    auto first = static_cast<std::uint32_t>(leaves_.size());
    std::vector<const core::Layout*> work{layout};
    while (!work.empty()) {
      const core::Layout* l = work.back();
      work.pop_back();
      if (l && (l->kind == core::LayoutKind::Record || l->kind == core::LayoutKind::Tuple)) {
        for (auto it = l->elements.rbegin(); it != l->elements.rend(); ++it) work.push_back(*it);
        continue;
      }
      Leaf leaf{role, false, false, name, span, false, {}, {}};
      leaf.vector = !l || l->kind == core::LayoutKind::Vector || l->kind == core::LayoutKind::Variable ||
                    l->kind == core::LayoutKind::Unknown;
      leaves_.push_back(leaf);
    }
    return {first, static_cast<std::uint32_t>(leaves_.size()) - first};
  }

  static std::uint32_t count(const core::Layout* l) {
    if (!l || (l->kind != core::LayoutKind::Record && l->kind != core::LayoutKind::Tuple)) return 1;
    std::uint32_t n = 0;
    for (const core::Layout* e : l->elements) n += count(e);
    return n;
  }

  void declare(core::LocalId local, const core::Layout* layout, const std::string& name, Span span,
               Leaf::Role role) {
    locals_[local.value] = {make_leaves(layout, name, span, role), layout};
  }

  // The leaves that `e` names; nothing when it is no variable or part of one.
  std::optional<Range> path(const core::Expr* e, const core::Layout** layout = nullptr) {
    const core::Layout* mine = nullptr;
    if (!layout) layout = &mine;
    if (e->kind == ExprKind::Local) {
      std::uint32_t id = static_cast<const core::LocalExpr*>(e)->local.value;
      if (auto at = locals_.find(id); at != locals_.end()) {
        *layout = at->second.layout;
        return at->second.leaves;
      }
      if (auto let = lets_.find(id); let != lets_.end() && depth_ < kDepth) {
        ++depth_;
        auto result = path(let->second, layout);
        --depth_;
        return result;
      }
      return std::nullopt;
    }
    if (e->kind == ExprKind::Field) {
      auto* f = static_cast<const core::FieldExpr*>(e);
      auto base = path(f->base, layout);
      if (!base || !*layout || (*layout)->kind != core::LayoutKind::Record) return std::nullopt;
      std::uint32_t first = base->first;
      for (std::uint32_t i = 0; i < f->index; ++i) first += count((*layout)->elements[i]);
      *layout = (*layout)->elements[f->index];
      return Range{first, count(*layout)};
    }
    if (e->kind == ExprKind::Member) {
      auto* m = static_cast<const core::MemberExpr*>(e);
      if (m->base->kind != ExprKind::Label || !m->interface_index || !m->indices.empty()) return std::nullopt;
      auto* label = static_cast<const core::LabelExpr*>(m->base);
      auto at = parts_.find(label->label.value);
      if (at == parts_.end() || !label->indices.empty() || *m->interface_index >= at->second.size())
        return std::nullopt;
      const Part& part = at->second[*m->interface_index];
      if (!part.leaves) return std::nullopt;
      *layout = part.layout;
      return part.leaves;
    }
    return std::nullopt;
  }

  // The scalars of an expression one by one; one expression when it cannot be taken apart.
  struct Piece {
    const core::Expr* expr;
    std::optional<std::uint32_t> leaf;
  };
  std::vector<Piece> pieces(const core::Expr* e) {
    std::vector<Piece> out;
    if (auto range = path(e)) {
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

  // ---- expressions
  // --------------------------------------------------------------------------------------------------

  void reads(const core::Expr* e, bool derivative, std::vector<Read>& out) {
    if (!e || depth_ > kDepth) return;
    if (auto range = path(e)) {
      for (std::uint32_t i = 0; i < range->second; ++i) {
        out.push_back({range->first + i, derivative});
        if (derivative) leaves_[range->first + i].state = true;
      }
      return;
    }
    ++depth_;
    auto all = [&](auto list) {
      for (const core::Expr* x : list) reads(x, derivative, out);
    };
    switch (e->kind) {
      case ExprKind::Local:
        if (auto let = lets_.find(static_cast<const core::LocalExpr*>(e)->local.value); let != lets_.end())
          reads(let->second, derivative, out);
        break;
      case ExprKind::Apply:
        reads(static_cast<const core::ApplyExpr*>(e)->function, derivative, out);
        all(static_cast<const core::ApplyExpr*>(e)->args);
        break;
      case ExprKind::Lambda: reads(static_cast<const core::LambdaExpr*>(e)->body, derivative, out); break;
      case ExprKind::Let: {
        auto* l = static_cast<const core::LetExpr*>(e);
        for (const core::Binding& b : l->bindings) lets_[b.local.value] = b.value;
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
          for (const core::Expr* x : p->args) reads(x, false, known);
          for (Read r : known) leaves_[r.leaf].mentioned = true;
          break;
        }
        for (const core::Expr* x : p->args) reads(x, derivative || p->op == core::Primitive::Der, out);
        break;
      }
      case ExprKind::Index: {
        auto* i = static_cast<const core::IndexExpr*>(e);
        std::size_t before = out.size();
        reads(i->base, derivative, out);
        for (std::size_t k = before; k < out.size(); ++k)
          if (leaves_[out[k].leaf].role != Leaf::Input) exact_ = false;  // elements are not told apart
        for (auto& part : i->parts) {
          reads(part.first, derivative, out);
          reads(part.last, derivative, out);
        }
        break;
      }
      case ExprKind::Vector: all(static_cast<const core::VectorExpr*>(e)->elements); break;
      case ExprKind::Member: {
        auto* m = static_cast<const core::MemberExpr*>(e);
        exact_ = false;
        const core::Expr* base = m;
        while (base->kind == ExprKind::Member) base = static_cast<const core::MemberExpr*>(base)->base;
        if (base->kind == ExprKind::Label)  // of one of several instances, or something inside
          for (Part& part : parts_[static_cast<const core::LabelExpr*>(base)->label.value])
            if (part.leaves)
              for (std::uint32_t i = 0; i < part.leaves->second; ++i)
                leaves_[part.leaves->first + i].mentioned = true;
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

  void mention(const core::Expr* e) {
    std::vector<Read> found;
    reads(e, false, found);
    for (Read r : found) leaves_[r.leaf].mentioned = true;
  }

  // ---- applications
  // -------------------------------------------------------------------------------------------------

  struct Part {
    std::optional<Range> leaves;
    const core::Layout* layout = nullptr;
  };

  static bool is_block(const BlockUse* use) {
    return use && !use->names.empty() && std::ranges::all_of(use->names, [](const InterfaceName& n) {
             return n.causality != Causality::None;
           });
  }

  // Inputs are read; each output is one row per scalar. `outputs` are the leaves that it determines.
  void apply_block(const BlockUse& use, const std::vector<std::vector<Read>>& inputs,
                   const std::vector<std::vector<std::uint32_t>>& outputs, Span span) {
    for (auto& list : inputs)
      for (Read r : list) leaves_[r.leaf].inputs.push_back(span);
    const FeedThrough* through = use.head ? context_.feed_through(*use.head) : nullptr;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      Row row{{}, span, {}};
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!through || (o < through->size() && i < (*through)[o].size() && (*through)[o][i]))
          row.reads.insert(row.reads.end(), inputs[i].begin(), inputs[i].end());
      for (std::uint32_t leaf : outputs[o]) {
        if (straight_) leaves_[leaf].sources.push_back(span);
        leaves_[leaf].mentioned = true;
        row.output = leaf;
        rows_.push_back(row);
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
        Range range =
            make_leaves(nullptr, std::string(n.named ? text(n.name) : "output"), e->span, Leaf::Part);
        leaves_[range.first].vector = false;
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
      exact_ = false;
      for (auto& list : inputs)
        for (Read r : list) leaves_[r.leaf].mentioned = true;
    }
    return applied_[e] = all;
  }

  void application(const core::ApplicationItem& a) {
    const BlockUse* use = context_.use(&a);
    if (!is_block(use)) {
      exact_ = false;
      if (a.args) mention(a.args);
      return;
    }
    std::size_t formals = use->names.size();
    std::vector<const core::Expr*> args(formals, nullptr);
    if (a.args && formals == 1) args[0] = a.args;
    if (a.args && formals > 1) {
      if (a.args->kind != ExprKind::Tuple ||
          static_cast<const core::TupleExpr*>(a.args)->elements.size() != formals) {
        exact_ = false;
        return mention(a.args);
      }
      for (std::size_t i = 0; i < formals; ++i)
        args[i] = static_cast<const core::TupleExpr*>(a.args)->elements[i];
    }
    std::vector<std::vector<Read>> inputs;
    std::vector<std::vector<std::uint32_t>> outputs;
    std::vector<Part> parts;
    for (std::size_t i = 0; i < formals; ++i) {
      const InterfaceName& n = use->names[i];
      bool out = n.causality == Causality::Out;
      Part part;
      if (!args[i]) {  // an instance: its interface is read and given by `label.x`
        auto at = a.label ? parts_.find(a.label->value) : parts_.end();
        part = at == parts_.end() ? Part{} : at->second[i];
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
          Range aux =
              make_leaves(nullptr, std::string(n.named ? text(n.name) : "output"), args[i]->span, Leaf::Part);
          leaves_[aux.first].vector = false;
          determined.push_back(aux.first);
          Row row{{{aux.first, false}}, args[i]->span, {}};
          reads(piece.expr, false, row.reads);
          for (Read r : row.reads) leaves_[r.leaf].mentioned = true;
          rows_.push_back(std::move(row));
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
      std::vector<Part> parts(use->names.size());
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (!a.args) {
          if (!is_block(use)) continue;
          parts[k].leaves = make_leaves(nullptr,
                                        std::string(text(a.name)) + "." +
                                            std::string(use->names[k].named ? text(use->names[k].name) : "?"),
                                        a.head_span, Leaf::Part);
          leaves_[parts[k].leaves->first].vector = false;
          continue;
        }
        const core::Expr* arg = a.args;
        if (parts.size() > 1) {
          if (a.args->kind != ExprKind::Tuple ||
              static_cast<const core::TupleExpr*>(a.args)->elements.size() != parts.size())
            break;
          arg = static_cast<const core::TupleExpr*>(a.args)->elements[k];
        }
        parts[k].leaves = path(arg, &parts[k].layout);
      }
      parts_[a.label->value] = std::move(parts);
    }
  }

  // ---- items
  // --------------------------------------------------------------------------------------------------------

  void body(const core::Body& b) {
    for (const core::SignalDecl& d : b.locals)
      declare(d.local, d.layout, std::string(text(d.name)), d.span, Leaf::Own);
    for (const core::Item* i : b.items)
      if (i->kind == ItemKind::Let)
        for (const core::Binding& x : static_cast<const core::LetItem*>(i)->bindings)
          lets_[x.local.value] = x.value;
    collect_parts(b);
    for (const core::Item* i : b.items) item(*i);
  }

  // Items whose equations are not counted, with their blocks.
  void inexact(const core::Body& b) {
    exact_ = false;
    bool outer = std::exchange(straight_, false);
    body(b);
    straight_ = outer;
  }

  void equation(const core::EquationItem& e) {
    std::vector<Piece> left = pieces(e.left), right = pieces(e.right);
    std::size_t n = std::max(left.size(), right.size());
    if (left.size() != right.size()) exact_ = false;
    for (std::size_t k = 0; k < n && !left.empty() && !right.empty(); ++k) {
      Row row{{}, e.span, {}};
      bool vector = false;
      for (auto* side : {&left, &right}) {
        const Piece& p = (*side)[std::min(k, side->size() - 1)];
        if (p.leaf) {
          vector |= leaves_[*p.leaf].vector;
          row.reads.push_back({*p.leaf, false});
        } else {
          reads(p.expr, false, row.reads);
        }
      }
      for (Read r : row.reads) {
        leaves_[r.leaf].mentioned = true;
        if (leaves_[r.leaf].vector && leaves_[r.leaf].role != Leaf::Input && !vector) exact_ = false;
      }
      rows_.push_back(std::move(row));
    }
  }

  void item(const core::Item& i) {
    switch (i.kind) {
      case ItemKind::Equation: return equation(static_cast<const core::EquationItem&>(i));
      case ItemKind::Application: return application(static_cast<const core::ApplicationItem&>(i));
      case ItemKind::Connect:
        exact_ = false;
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
        exact_ = false;
        declare(d.local, d.layout, std::string(text(d.name)), d.span, Leaf::Outside);
        return;
      }
      case ItemKind::When: {
        mention(static_cast<const core::WhenItem&>(i).condition);
        return inexact(static_cast<const core::WhenItem&>(i).body);
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
      case ItemKind::Assert: return mention(static_cast<const core::AssertItem&>(i).condition);
      case ItemKind::Terminate: return mention(static_cast<const core::TerminateItem&>(i).condition);
    }
  }

  // ---- verdicts
  // -----------------------------------------------------------------------------------------------------

  void check_sources() {
    for (const Leaf& leaf : leaves_) {
      std::string name = "`" + leaf.name + "`";
      if (leaf.sources.size() > 1) {
        context_.diagnostics
            .report(Code::TwoSources, leaf.sources[1],
                    name + " has two sources: it is an output of two blocks")
            .label("the second")
            .also(leaf.sources[0], "the first")
            .help("give each output a name of its own, and say in an equation how they combine");
      } else if (leaf.sources.size() == 1 && leaf.role == Leaf::Input) {
        context_.diagnostics
            .report(Code::TwoSources, leaf.sources[0],
                    name + " has two sources: it is an input of `" + std::string(text(relation_.name)) +
                        "`, and an output of this block")
            .also(leaf.span, "what applies `" + std::string(text(relation_.name)) + "` determines it");
      } else if (!leaf.inputs.empty() && !leaf.mentioned &&
                 (leaf.role == Leaf::Own || leaf.role == Leaf::Part)) {
        auto& d = context_.diagnostics.report(Code::UnconnectedInput, leaf.inputs[0],
                                              "nothing determines " + name + ", an input of this block");
        if (leaf.role == Leaf::Part)
          d.label(name + " occurs nowhere else");
        else
          d.also(leaf.span, name + " occurs only as an input");
        d.help("connect it to an output, or say what it is: `" + leaf.name + " = 0.0`");
      }
    }
  }

  std::optional<FeedThrough> determine() {
    std::vector<std::uint32_t> column_of(leaves_.size(), graph::kNone), leaf_of;
    for (std::uint32_t l = 0; l < leaves_.size(); ++l)
      if (leaves_[l].role != Leaf::Input && leaves_[l].role != Leaf::Outside) {
        // An input of an instance is an unknown like any other; what nothing reads or determines is no
        // concern of this block.
        if (leaves_[l].role == Leaf::Part && leaves_[l].sources.empty() && leaves_[l].inputs.empty())
          continue;
        column_of[l] = static_cast<std::uint32_t>(leaf_of.size());
        leaf_of.push_back(l);
      }
    auto build = [&](bool states_known) {
      graph::Bipartite g;
      g.columns = static_cast<std::uint32_t>(leaf_of.size());
      for (const Row& row : rows_) {
        if (row.output) {
          if (column_of[*row.output] != graph::kNone) g.targets.push_back(column_of[*row.output]);
        } else {
          for (Read r : row.reads)
            if (column_of[r.leaf] != graph::kNone &&
                (!states_known || !leaves_[r.leaf].state || r.derivative))
              g.targets.push_back(column_of[r.leaf]);
        }
        g.end_row();
      }
      return g;
    };
    graph::Bipartite g = build(false);
    graph::Matching m = graph::maximum_matching(g);
    std::string self = "`" + std::string(text(relation_.name)) + "`";
    for (std::uint32_t r = 0; r < g.rows(); ++r) {
      if (m.column_of_row[r] != graph::kNone) continue;
      graph::HallSet set = graph::too_many_rows(g, m, r);
      std::string names;
      for (std::uint32_t c : set.columns)
        names += (names.empty() ? "`" : ", `") + leaves_[leaf_of[c]].name + "`";
      auto& d = context_.diagnostics.report(Code::BlockDetermination, rows_[set.rows.back()].span,
                                            "the block " + self +
                                                (names.empty() ? " says something about its inputs alone"
                                                               : " determines " + names + " more than once"));
      for (std::uint32_t other : set.rows)
        if (other != set.rows.back()) d.also(rows_[other].span, "together with this");
      d.note("a block has one equation for each of its outputs and locals; its inputs are given");
      return std::nullopt;
    }
    for (std::uint32_t c = 0; c < g.columns; ++c) {
      if (m.row_of_column[c] != graph::kNone) continue;
      const Leaf& leaf = leaves_[leaf_of[c]];
      bool alone = !leaf.mentioned;
      auto& d = context_.diagnostics.report(Code::BlockDetermination, leaf.span,
                                            "nothing in the block " + self + " determines " +
                                                (leaf.role == Leaf::Output ? "its output " : "") + "`" +
                                                leaf.name + "`");
      if (alone)
        d.label("no equation contains it");
      else
        d.note("the equations that contain it are needed for other variables");
      d.help(
          "an equation is missing; if the other side of the interface determines it, it is an input: `in " +
          leaf.name + "`");
      return std::nullopt;
    }
    g = build(true);
    m = graph::maximum_matching(g);
    if (m.size() != g.rows() || m.size() != g.columns) return std::nullopt;
    return feed_through(m, column_of);
  }

  FeedThrough feed_through(const graph::Matching& m, const std::vector<std::uint32_t>& column_of) {
    std::vector<std::uint32_t> formal_of(leaves_.size(), graph::kNone);
    std::uint32_t inputs = 0;
    for (const core::Formal& f : relation_.formals) {
      if (f.causality == Causality::Out) continue;
      auto [first, n] = locals_.at(f.local.value).leaves;
      for (std::uint32_t i = 0; i < n; ++i) formal_of[first + i] = inputs;
      ++inputs;
    }
    FeedThrough result;
    for (const core::Formal& f : relation_.formals) {
      if (f.causality != Causality::Out) continue;
      std::vector<bool>& of = result.emplace_back(inputs, false);
      auto [first, n] = locals_.at(f.local.value).leaves;
      std::vector<bool> seen(leaves_.size(), false);
      std::vector<std::uint32_t> work;
      auto visit = [&](std::uint32_t leaf, bool derivative) {
        if (seen[leaf] || (leaves_[leaf].state && !derivative)) return;  // a state is known
        seen[leaf] = true;
        if (formal_of[leaf] != graph::kNone)
          of[formal_of[leaf]] = true;
        else if (column_of[leaf] != graph::kNone)
          work.push_back(leaf);
      };
      for (std::uint32_t i = 0; i < n; ++i) visit(first + i, false);
      while (!work.empty()) {
        const Row& row = rows_[m.row_of_column[column_of[work.back()]]];
        work.pop_back();
        for (Read r : row.reads) visit(r.leaf, r.derivative);
      }
    }
    return result;
  }

  struct Declared {
    Range leaves;
    const core::Layout* layout;
  };
  static constexpr int kDepth = 500;  // of expressions and the abbreviations in them

  const core::Relation& relation_;
  const BlockContext& context_;
  std::vector<Leaf> leaves_;
  std::vector<Row> rows_;
  std::unordered_map<std::uint32_t, Declared> locals_;
  std::unordered_map<std::uint32_t, const core::Expr*> lets_;
  std::unordered_map<std::uint32_t, std::vector<Part>> parts_;
  std::unordered_map<const core::BlockApplyExpr*, std::vector<std::uint32_t>> applied_;
  bool exact_ = true;     // every equation is a row, every unknown a leaf
  bool straight_ = true;  // not inside a loop or a condition
  int depth_ = 0;
};

}  // namespace

std::optional<FeedThrough> check_block(const core::Relation& relation, const BlockContext& context) {
  return Reader(relation, context).run();
}

}  // namespace sigrel::check
