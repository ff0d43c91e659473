#include "compiler/check/relations/let_order.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/check/names/definitions.h"
#include "compiler/check/names/free_variables.h"
#include "compiler/ir/ast_bodies.h"

namespace sigrel::check {

using namespace ast;

namespace {

/// The items of a block with `let`s, and which of these each item uses.
class LetOrder : private FreeVariables {
 public:
  explicit LetOrder(std::span<Item*> body) : body_(body) {
    std::vector<Ident> names;
    for (std::uint32_t i = 0; i < body.size(); ++i) {
      if (body[i]->kind != ItemKind::Let) continue;
      names.clear();
      for (const Decl* d : static_cast<const LetItem*>(body[i])->decls) {
        if (d->kind == DeclKind::Clause) names.push_back(static_cast<const ClauseDecl*>(d)->name);
        if (d->kind == DeclKind::Binding) bound_names(static_cast<const BindingDecl*>(d)->pattern, names);
      }
      for (const Ident& name : names) defines_.emplace(name.name, i);
    }
  }

  void run() {
    if (defines_.empty()) return;
    uses_.resize(body_.size());
    for (item_ = 0; item_ < body_.size(); ++item_) items(body_.subspan(item_, 1));
    if (!std::ranges::any_of(uses_, [&](auto& uses) {
          const auto i = static_cast<std::size_t>(&uses - uses_.data());
          return std::ranges::any_of(uses, [&](std::uint32_t let) { return let > i; });
        }))
      return;
    placed_.assign(body_.size(), false);
    for (std::uint32_t i = 0; i < body_.size(); ++i) place(i);
    std::ranges::copy(order_, body_.begin());
  }

 private:
  void use(const QualifiedIdent& name, bool) override {
    if (name.qualified) return;
    if (auto at = defines_.find(name.ident.name); at != defines_.end()) uses_[item_].push_back(at->second);
  }

  /// Puts the `let`s that item `i` needs in front of it, and what these need in front of them. In a circle
  /// the first one stays where it is.
  void place(std::uint32_t i) {
    if (placed_[i]) return;
    placed_[i] = true;
    std::vector<std::pair<std::uint32_t, std::size_t>> open{{i, 0}};  // an item, and the next of its uses
    while (!open.empty()) {
      auto& [item, next] = open.back();
      if (next == uses_[item].size()) {
        order_.push_back(body_[item]);
        open.pop_back();
      } else if (const std::uint32_t let = uses_[item][next++]; !placed_[let]) {
        placed_[let] = true;
        open.emplace_back(let, 0);
      }
    }
  }

  std::span<Item*> body_;
  std::unordered_map<Name, std::uint32_t> defines_;  // a name -> the first `let` that binds it
  std::vector<std::vector<std::uint32_t>> uses_;     // of each item
  std::uint32_t item_ = 0;
  std::vector<bool> placed_;
  std::vector<Item*> order_;
};

}  // namespace

void order_lets(std::span<Item*> body) {
  for (Item* item : body) each_body(*item, order_lets);
  LetOrder(body).run();
}

}  // namespace sigrel::check
