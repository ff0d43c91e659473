// The bodies that are nested in an item of a relation.
#pragma once
#include <span>

#include "compiler/ir/ast.h"

namespace sigrel::ast {

/// Calls `visit` with the span of items of each body of the item, in the order of the source.
template <class Visit>
void each_body(Item& item, const Visit& visit) {
  switch (item.kind) {
    case ItemKind::For: visit(static_cast<ForItem&>(item).body); break;
    case ItemKind::If:
      visit(static_cast<IfItem&>(item).then_body);
      visit(static_cast<IfItem&>(item).else_body);
      break;
    case ItemKind::Initially:
    case ItemKind::Guess: visit(static_cast<BlockItem&>(item).body); break;
    case ItemKind::When:
      for (WhenBranch& branch : static_cast<WhenItem&>(item).branches) visit(branch.body);
      break;
    case ItemKind::Every: visit(static_cast<EveryItem&>(item).body); break;
    case ItemKind::Switch:
      for (Mode& mode : static_cast<SwitchItem&>(item).modes) visit(mode.body);
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

/// Calls `visit` with the label of the item and those of the blocks in its expressions, where it has any.
template <class Visit>
void each_label(const Item& item, const Visit& visit) {
  std::span<ConnectionExpr* const> blocks;
  if (item.kind == ItemKind::Application) {
    const auto& application = static_cast<const ApplicationItem&>(item);
    if (application.labelled) visit(application.label);
    blocks = application.blocks;
  } else if (item.kind == ItemKind::Equation) {
    blocks = static_cast<const EquationItem&>(item).blocks;
  } else if (item.kind == ItemKind::Instance) {
    visit(static_cast<const InstanceItem&>(item).label);
  }
  for (const ConnectionExpr* block : blocks) visit(block->label);
}

}  // namespace sigrel::ast
