#include "compiler/check/blocks/block_check.h"

#include <algorithm>
#include <utility>

#include "compiler/check/names/definitions.h"

namespace sigrel::check {

void BlockCheck::check() {
  BlockContext context{[this](const void* application) {
                         auto at = uses_.find(application);
                         return at == uses_.end() ? nullptr : &at->second;
                       },
                       [this](core::GlobalId global) {
                         auto& found = globals_[global].feed_through;
                         return found ? &*found : nullptr;
                       },
                       diagnostics_};
  std::unordered_map<core::GlobalId, std::optional<FeedThrough>> found;
  for (const Relation& block : relations_) {
    std::optional<FeedThrough> through = check_block(*block.relation, context);
    if (!block.owner) continue;
    auto [at, first] = found.try_emplace(*block.owner, through);
    if (first) continue;
    auto& all = at->second;
    if (!all || !through || all->size() != through->size()) {
      all.reset();
      continue;
    }
    for (std::size_t o = 0; o < all->size(); ++o)
      for (std::size_t i = 0; i < (*all)[o].size() && i < (*through)[o].size(); ++i)
        if ((*through)[o][i]) (*all)[o][i] = true;
  }
  for (auto& [global, through] : found) {
    GlobalState& state = globals_[global];
    if (std::ranges::all_of(state.definition.clauses,
                            [](auto* c) { return only_relation_literals(c->body); }))
      state.feed_through = through;
  }
}

void BlockCheck::discard() {
  relations_.clear();
  uses_.clear();
}

void BlockCheck::describe(core::GlobalId id) {
  const GlobalState& state = globals_[id];
  if (!state.feed_through) return;
  Type* type = find(state.scheme);
  while (type->kind == TypeKind::Function) type = find(type->args[1]);
  if (type->kind != TypeKind::Relation) return;
  std::vector<std::string> inputs, outputs;
  for (std::size_t i = 0; i < type->interface.size(); ++i) {
    const InterfaceName& n = type->interface[i];
    auto& list = n.causality == core::Causality::Out ? outputs : inputs;
    list.push_back(n.named ? std::string(text(n.name)) : std::to_string(i + 1));
  }
  if (outputs.size() != state.feed_through->size()) return;
  std::string& out = program_.globals[id.value].feed_through;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    out += (o ? "; " : "") + outputs[o];
    bool any = false;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if ((*state.feed_through)[o][i]) out += (std::exchange(any, true) ? ", " : " <- ") + inputs[i];
  }
}

}  // namespace sigrel::check
