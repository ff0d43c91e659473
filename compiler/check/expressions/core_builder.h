// Makes core nodes for one definition at a time: the current definition owns the locals that are numbered
// here. Nodes live in the arena of the program.
#pragma once
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/check/types/types.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

class CoreBuilder {
 public:
  explicit CoreBuilder(core::Program& program) : program_(program), arena_(*program.arena) {}

  /// The definition whose body is built.
  core::GlobalId current() const { return current_; }
  void enter(core::GlobalId definition) { current_ = definition; }
  Span span() const { return program_.globals[current_.value].span; }
  /// A new local of the current definition.
  core::LocalId new_local(Name name);
  Name local_name(core::LocalId local) const;

  /// A copy of `node` in the arena.
  template <class T>
  T* make(const T& node) {
    return arena_.make<T>(node);
  }
  template <class T>
  std::span<T> copy(const std::vector<T>& items) {
    return arena_.copy(items);
  }

  core::LocalExpr* local(core::LocalId id, Span span);
  core::IntExpr* integer(std::int64_t value, Span span);
  core::RealExpr* real(double value, Span span);
  core::Expr* primitive(core::Primitive op, const std::vector<core::Expr*>& args, Span span);
  /// `function` itself if there are no arguments.
  core::Expr* apply(core::Expr* function, const std::vector<core::Expr*>& args, Span span);
  core::Expr* lambda(const std::vector<core::LocalId>& parameters, core::Expr* body, Span span);
  core::Expr* tuple(const std::vector<core::Expr*>& elements, Span span);
  core::Expr* boolean(bool value, Span span);
  core::Expr* construct(const Constructor& constructor, const std::vector<core::Expr*>& args, Span span);
  /// Stands for an expression that was not lowered because of a reported error.
  core::Expr* placeholder(Span span) { return primitive(core::Primitive::Time, {}, span); }

  core::Pattern* pattern(core::PatternKind kind, Span span);
  core::Pattern* construct_pattern(std::uint32_t tag, const std::vector<core::Pattern*>& elements, Span span);

 private:
  core::Program& program_;
  Arena& arena_;
  core::GlobalId current_{};
};

}  // namespace sigrel::check
