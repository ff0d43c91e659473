// The signals that the expressions of a block name: locals, interface variables of instances, and fields of
// them, as ranges of leaves.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/check/blocks/block_equations.h"

namespace sigrel::check {

inline constexpr int kMostNested = 500;  // of expressions, with the `let`s that they use

/// An interface variable of a labelled instance.
struct SignalPart {
  std::optional<LeafRange> leaves;
  const core::Layout* layout = nullptr;
};

class BlockSignals {
 public:
  explicit BlockSignals(std::vector<Leaf>& leaves) : leaves_(leaves) {}

  /// New leaves for a signal of this layout; one vector if it is null.
  LeafRange make(const core::Layout* layout, const std::string& name, Span span, Leaf::Role role);
  LeafRange declare(core::LocalId local, const core::Layout* layout, const std::string& name, Span span,
                    Leaf::Role role);
  void add_let(const core::Binding& binding) { lets_[binding.local.value] = binding.value; }
  const core::Expr* let(core::LocalId local) const;
  void set_parts(core::LocalId label, std::vector<SignalPart> parts) {
    parts_[label.value] = std::move(parts);
  }
  std::span<const SignalPart> parts(core::LocalId label) const;

  /// The leaves of `e`, and its layout; nothing if it is not a signal or a part of one.
  std::optional<LeafRange> path(const core::Expr* e, const core::Layout** layout = nullptr) const;

 private:
  struct Declared {
    LeafRange leaves;
    const core::Layout* layout;
  };
  std::optional<LeafRange> local_path(core::LocalId local, const core::Layout** layout, int depth) const;
  std::optional<LeafRange> path(const core::Expr* e, const core::Layout** layout, int depth) const;

  std::vector<Leaf>& leaves_;
  std::unordered_map<std::uint32_t, Declared> locals_;
  std::unordered_map<std::uint32_t, const core::Expr*> lets_;
  std::unordered_map<std::uint32_t, std::vector<SignalPart>> parts_;
};

}  // namespace sigrel::check
