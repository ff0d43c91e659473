#include "compiler/check/blocks/block_signals.h"

namespace sigrel::check {

using core::ExprKind;

namespace {

/// The number of leaves of a signal.
std::uint32_t count(const core::Layout* l) {
  if (!l || (l->kind != core::LayoutKind::Record && l->kind != core::LayoutKind::Tuple)) return 1;
  std::uint32_t n = 0;
  for (const core::Layout* e : l->elements) n += count(e);
  return n;
}

}  // namespace

LeafRange BlockSignals::make(const core::Layout* layout, const std::string& name, Span span,
                             Leaf::Role role) {
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

LeafRange BlockSignals::declare(core::LocalId local, const core::Layout* layout, const std::string& name,
                                Span span, Leaf::Role role) {
  LeafRange leaves = make(layout, name, span, role);
  locals_[local.value] = {leaves, layout};
  return leaves;
}

const core::Expr* BlockSignals::let(core::LocalId local) const {
  auto at = lets_.find(local.value);
  return at == lets_.end() ? nullptr : at->second;
}

std::span<const SignalPart> BlockSignals::parts(core::LocalId label) const {
  auto at = parts_.find(label.value);
  return at == parts_.end() ? std::span<const SignalPart>{} : at->second;
}

std::optional<LeafRange> BlockSignals::path(const core::Expr* e, const core::Layout** layout) const {
  const core::Layout* own = nullptr;
  return path(e, layout ? layout : &own, 0);
}

std::optional<LeafRange> BlockSignals::local_path(core::LocalId local, const core::Layout** layout,
                                                  int depth) const {
  if (auto at = locals_.find(local.value); at != locals_.end()) {
    *layout = at->second.layout;
    return at->second.leaves;
  }
  const core::Expr* value = let(local);
  return value && depth < kMostNested ? path(value, layout, depth + 1) : std::nullopt;
}

std::optional<LeafRange> BlockSignals::path(const core::Expr* e, const core::Layout** layout,
                                            int depth) const {
  if (e->kind == ExprKind::Local)
    return local_path(static_cast<const core::LocalExpr*>(e)->local, layout, depth);
  if (e->kind == ExprKind::Field) {
    auto* f = static_cast<const core::FieldExpr*>(e);
    auto base = path(f->base, layout, depth);
    if (!base || !*layout || (*layout)->kind != core::LayoutKind::Record) return std::nullopt;
    std::uint32_t first = base->first;
    for (std::uint32_t i = 0; i < f->index; ++i) first += count((*layout)->elements[i]);
    *layout = (*layout)->elements[f->index];
    return LeafRange{first, count(*layout)};
  }
  if (e->kind != ExprKind::Member) return std::nullopt;
  auto* m = static_cast<const core::MemberExpr*>(e);
  if (!m->base || m->base->kind != ExprKind::Label) return std::nullopt;  // none after an error
  if (!m->interface_index || !m->indices.empty()) return std::nullopt;
  auto* label = static_cast<const core::LabelExpr*>(m->base);
  auto of_label = parts(label->label);
  if (!label->indices.empty() || *m->interface_index >= of_label.size()) return std::nullopt;
  const SignalPart& part = of_label[*m->interface_index];
  if (part.leaves) *layout = part.layout;
  return part.leaves;
}

}  // namespace sigrel::check
