#include "compiler/check/relations/implicit_locals.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/check/names/free_variables.h"

namespace sigrel::check {
namespace {

class ImplicitLocals : public FreeVariables {
 public:
  ImplicitLocals(Scopes& scopes, CoreBuilder& core, RelationContext& relation)
      : scopes_(scopes), core_(core), relation_(relation) {}

  void run(const ast::SigrelExpr& e) {
    collect_labels(e.body);
    items(e.body);
    for (Name name : order_) {
      const Use& use = uses_.at(name);
      if (use.node) relation_.blocks[use.block].implicit.push_back({name, use.span});
    }
  }

 protected:
  void use(const ast::QualifiedIdent& name, bool) override {
    if (name.qualified) return;
    if (Local* local = scopes_.lookup_local(name.ident.name))
      if (local->kind != Local::Signal || local->relation == &relation_) return;
    if (scopes_.module().value(name.ident.name)) return;
    auto [at, fresh] = uses_.try_emplace(name.ident.name, Use{block_, false, name.ident.span});
    if (fresh) order_.push_back(name.ident.name);
    at->second.node |= node_arguments_ > 0;
    at->second.block = common(at->second.block, block_);
  }
  bool label_head(Name name) override { return labels_.contains(name); }
  void sigrel(const ast::SigrelExpr&) override {}  // has names of its own

  void enter_block(bool loop, std::size_t loop_count) override {
    BlockInfo info;
    info.parent = relation_.blocks.empty() ? -1 : static_cast<std::int32_t>(block_);
    info.depth = info.parent < 0 ? 0 : relation_.blocks[block_].depth + 1;
    info.loops = loop ? static_cast<std::uint32_t>(loop_count) : 0;
    block_ = static_cast<std::uint32_t>(relation_.blocks.size());
    relation_.blocks.push_back(std::move(info));
  }
  void leave_block() override {
    if (relation_.blocks[block_].parent >= 0)
      block_ = static_cast<std::uint32_t>(relation_.blocks[block_].parent);
  }
  void label(const ast::Ident& name, const void* part) override {
    auto& same = relation_.labels_by_name[name.name];
    for (LabelInfo* other : same)
      if (other->block == block_) return scopes_.duplicate(name, other->span, "the instance");
    LabelInfo info;
    info.name = name.name;
    info.id = core_.new_local(name.name);
    info.span = name.span;
    info.part = part;
    info.block = block_;
    relation_.labels.push_back(info);
    same.push_back(&relation_.labels.back());
  }

 private:
  struct Use {
    std::uint32_t block;
    bool node;
    Span span;
  };

  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    auto& blocks = relation_.blocks;
    while (a != b) {
      if (blocks[a].depth < blocks[b].depth) std::swap(a, b);
      a = static_cast<std::uint32_t>(blocks[a].parent);
    }
    return a;
  }

  void collect_labels(std::span<ast::Item* const> body) {
    for (const ast::Item* i : body) {
      switch (i->kind) {
        case ast::ItemKind::Application: {
          auto* a = static_cast<const ast::ApplicationItem*>(i);
          if (a->labelled) labels_.insert(a->label.name);
          for (const ast::ConnectionExpr* b : a->blocks) labels_.insert(b->label.name);
          break;
        }
        case ast::ItemKind::Equation:
          for (const ast::ConnectionExpr* b : static_cast<const ast::EquationItem*>(i)->blocks)
            labels_.insert(b->label.name);
          break;
        case ast::ItemKind::Instance:
          labels_.insert(static_cast<const ast::InstanceItem*>(i)->label.name);
          break;
        case ast::ItemKind::For: collect_labels(static_cast<const ast::ForItem*>(i)->body); break;
        case ast::ItemKind::If:
          collect_labels(static_cast<const ast::IfItem*>(i)->then_body);
          collect_labels(static_cast<const ast::IfItem*>(i)->else_body);
          break;
        case ast::ItemKind::Switch:
          for (auto& mode : static_cast<const ast::SwitchItem*>(i)->modes) collect_labels(mode.body);
          break;
        case ast::ItemKind::Initially:
        case ast::ItemKind::Guess: collect_labels(static_cast<const ast::BlockItem*>(i)->body); break;
        case ast::ItemKind::When:
          for (auto& branch : static_cast<const ast::WhenItem*>(i)->branches) collect_labels(branch.body);
          break;
        case ast::ItemKind::Every: collect_labels(static_cast<const ast::EveryItem*>(i)->body); break;
        case ast::ItemKind::Steady:
        case ast::ItemKind::Connect:
        case ast::ItemKind::Local:
        case ast::ItemKind::Discrete:
        case ast::ItemKind::Let:
        case ast::ItemKind::Assign:
        case ast::ItemKind::Until:
        case ast::ItemKind::Assert:
        case ast::ItemKind::Terminate: break;
      }
    }
  }

  Scopes& scopes_;
  CoreBuilder& core_;
  RelationContext& relation_;
  std::uint32_t block_ = 0;
  std::unordered_set<Name> labels_;
  std::unordered_map<Name, Use> uses_;
  std::vector<Name> order_;
};

}  // namespace

void collect_names(const ast::SigrelExpr& e, RelationContext& relation, Scopes& scopes, CoreBuilder& core) {
  ImplicitLocals(scopes, core, relation).run(e);
}

}  // namespace sigrel::check
