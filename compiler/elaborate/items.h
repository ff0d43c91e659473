// The items of one relation body, evaluated in any order: an item that needs a label or `let` of a later item
// is deferred to the end of its block, then to the end of the body. The machine refers to the body through
// this class.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/elaborate/body_parts.h"
#include "compiler/elaborate/loop_patterns.h"

namespace sigrel::elaborate {

class Items final : public BodyHost {
 public:
  using Status = Machine::Status;
  /// `one_by_one`: without patterns for applications in loops.
  Items(BodyParts& parts, bool one_by_one)
      : parts_(parts), machine_(parts.machine), patterns_(parts), one_by_one_(one_by_one) {
    machine_.host = this;
  }
  ~Items() override { machine_.host = nullptr; }

  /// Evaluates the body. False if an error was reported.
  bool build(const core::Body& body);

  // BodyHost
  std::optional<Value> node_field(const Object& node, std::uint32_t field, Span span) override;
  std::optional<Value> member(const core::MemberExpr& member, const Value& base,
                              std::span<const Value> indices) override;
  Value member_field(const Object& member, std::uint32_t field, Name name) override;
  Value member_index(const Object& member, std::span<const Value> indices) override;
  ExprId member_signal(const Object& member) override;
  std::optional<Value> block_apply(const Value& relation, const Value& inputs, Span span) override;
  void force(std::uint32_t parameter) override;
  std::optional<Value> previous(const Value& signal, std::string_view word, Span span) override;
  std::optional<Value> delayed(const Value& signal, const Value& length, Span span) override;

 private:
  enum class Target : std::uint8_t { Main, Initial, Guess, Event };
  /// An item that was not ready, with the state in which it is evaluated.
  struct Deferred {
    const core::Item* item;
    Target target;
    std::optional<TriggerId> trigger;
    std::vector<Value> frame{};  // of the block that it left; empty: the current one
    LoopIndices loops{};
    std::uint32_t owner = system::kNoSwitch;  // the switch in whose mode it is
  };

  // items.cpp: order of evaluation
  Status block(const core::Body& body, Target target);
  void defer(const core::Item& item, Target target);
  Status retry(std::vector<Deferred>& pending);
  Status retry(const Deferred& deferred);
  void report_undefined(const Deferred& deferred);
  bool is_allowed(const core::Item& item, Target target);
  Status item(const core::Item& item, Target target);
  Status unsupported(Span span, const char* construct);
  Status evaluate(const core::Expr* expr, Value& result) { return parts_.evaluate(expr, result); }

  // item_kinds.cpp, loops.cpp, event_items.cpp, switch_items.cpp: by construct
  Status declare(const core::SignalDecl& declaration);
  Status set_attributes(const core::SignalDecl& declaration, const Value& variable);
  void add_attribute(system::AttributeKind kind, const Value& target, const Value& number, Span span);
  Status equation_item(const core::EquationItem& item, Target target);
  Status guess(const core::EquationItem& item, const Value& left, const Value& right);
  Status steady_item(const core::SteadyItem& item);
  Status application_item(const core::ApplicationItem& item);
  Status connect_item(const core::ConnectItem& item);
  Status let_item(const core::LetItem& item);
  Status if_item(const core::IfItem& item, Target target);
  void report_chosen_assignment(const core::AssignItem& item);
  Status branch_equations(const core::Body& body, std::vector<std::pair<ExprId, Span>>& out);
  Status assert_item(const core::AssertItem& item);

  using Iteration = std::function<Status(const Value& index, std::int64_t number)>;
  Status for_item(const core::ForItem& item, Target target);
  bool count_iterations(std::int64_t first, std::int64_t last, Span span);
  Status count(const Value& first, const Value& last, const Iteration& iteration, Span span);
  Status repeat(std::uint64_t iterations, const std::function<Status(std::uint64_t)>& iteration, Span span);
  bool has_room(std::size_t first_column, std::size_t first_child, std::uint64_t iterations, Span span);
  Status count_size_dependent(const Value& first, const Value& last, const Iteration& iteration);
  Status each(const Value& collection, const Iteration& iteration, Span span);
  bool assign(const core::Pattern& pattern, const Value& value);

  Status switch_item(const core::SwitchItem& item);
  Status until_item(const core::UntilItem& item);
  bool mode_numbers(const Value& mode, const core::Mode& of, std::optional<ExprId> due, Span span,
                    std::vector<ModeNumberPlan>& numbers, std::vector<RelationObject*>& captured);

  Status discrete_item(const core::DiscreteItem& item);
  Status condition(const core::Expr* expr, ExprId& result);
  Status when_item(const core::WhenItem& item);
  Status every_item(const core::EveryItem& item);
  Status clock_number(const core::Expr* expr, RealId& result);
  Status terminate_item(const core::TerminateItem& item);
  Status event_block(const core::Body& body, TriggerId trigger);
  Status assign_item(const core::AssignItem& item);

  BodyParts& parts_;
  Machine& machine_;
  LoopPatterns patterns_;
  bool one_by_one_;
  std::uint64_t iterations_ = 0;  // of the loops that count, so far
  bool retrying_ = false;         // the items that deferred ones wait for were evaluated
  std::vector<Deferred> deferred_;
};

}  // namespace sigrel::elaborate
