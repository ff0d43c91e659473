#include "compiler/check/relations/implicit_locals.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/check/names/free_variables.h"
#include "compiler/ir/ast_bodies.h"

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
    for (ast::Item* item : body) {
      ast::each_label(*item, [&](const ast::Ident& label) { labels_.insert(label.name); });
      ast::each_body(*item, [&](std::span<ast::Item* const> nested) { collect_labels(nested); });
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
