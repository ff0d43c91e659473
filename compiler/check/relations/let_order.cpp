#include "compiler/check/relations/let_order.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "compiler/check/names/definitions.h"
#include "compiler/check/names/free_variables.h"

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

  /// Puts the `let`s that item `i` needs in front of it. In a circle the first one stays where it is.
  void place(std::uint32_t i) {
    if (placed_[i]) return;
    placed_[i] = true;
    for (std::uint32_t let : uses_[i]) place(let);
    order_.push_back(body_[i]);
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
  for (Item* i : body) {
    switch (i->kind) {
      case ItemKind::For: order_lets(static_cast<ForItem*>(i)->body); break;
      case ItemKind::If:
        order_lets(static_cast<IfItem*>(i)->then_body);
        order_lets(static_cast<IfItem*>(i)->else_body);
        break;
      case ItemKind::Initially:
      case ItemKind::Guess: order_lets(static_cast<BlockItem*>(i)->body); break;
      case ItemKind::When:
        for (WhenBranch& branch : static_cast<WhenItem*>(i)->branches) order_lets(branch.body);
        break;
      case ItemKind::Every: order_lets(static_cast<EveryItem*>(i)->body); break;
      case ItemKind::Switch:
        for (Mode& mode : static_cast<SwitchItem*>(i)->modes) order_lets(mode.body);
        break;
      case ItemKind::Equation:
      case ItemKind::Application:
      case ItemKind::Instance:
      case ItemKind::Connect:
      case ItemKind::Local:
      case ItemKind::Discrete:
      case ItemKind::Let:
      case ItemKind::Steady:
      case ItemKind::Assign:
      case ItemKind::Until:
      case ItemKind::Assert:
      case ItemKind::Terminate: break;
    }
  }
  LetOrder(body).run();
}

}  // namespace sigrel::check
