// One relation body, built once per skeleton and interface: its columns (interface first, then its own
// unknowns), its equations as rows over columns, its node sums, and the children it applies. An instance is
// made from it by copying rows.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/elaborate/values.h"
#include "compiler/ir/system.h"

namespace sigrel::elaborate {

/// A column of a body with this bit refers to a hidden variable of a child: the rest is an index of
/// Blueprint::deep.
constexpr std::uint32_t kDeep = 0x80000000u;

/// Where an instance takes the Reals of a child from: its own bundle number `own`, or a new bundle.
struct BundlePlan {
  std::uint32_t own = kConstant;
  /// Of Blueprint::bundle_items: so many of Blueprint::reals, then so many earlier ones of
  /// Blueprint::bundles; kConstant: itself.
  std::uint32_t first = 0, reals = 0, bundles = 0;
  bool operator==(const BundlePlan&) const = default;
};

enum class RowKind : std::uint8_t { Equation, Initial, Assertion, Condition, Value };
constexpr std::size_t kRowKinds = 5;

struct RowPlan {
  std::uint32_t table = 0;
  std::uint32_t first_slot = 0, first_real = 0;
  std::uint32_t source = 0;
  std::uint32_t tag = 0;  // Condition: of Blueprint::triggers; Value: of Blueprint::assignments
  bool operator==(const RowPlan&) const = default;
};

struct TriggerPlan {
  system::Trigger::Kind kind{};
  std::uint32_t source = 0;
  bool operator==(const TriggerPlan&) const = default;
};
struct ClockPlan {
  std::uint32_t trigger = 0;
  std::uint32_t period = 0, offset = 0, start = 0, stop = 0;  // of Blueprint::reals
  std::vector<std::uint32_t> jitter;
  bool operator==(const ClockPlan&) const = default;
};
struct AssignmentPlan {
  std::uint32_t trigger = 0, column = 0;
  bool operator==(const AssignmentPlan&) const = default;
};
struct PreviousPlan {
  std::uint32_t column = 0, of = 0;
  bool operator==(const PreviousPlan&) const = default;
};

struct DelayPlan {
  std::uint32_t column = 0, of = 0;
  std::uint32_t length = 0;  // of Blueprint::reals
  bool held = false;
  std::uint32_t source = 0;
  bool operator==(const DelayPlan&) const = default;
};

struct AttributePlan {
  system::AttributeKind kind{};
  std::uint32_t column = 0;
  std::uint32_t real = 0;
  Span span;
  bool operator==(const AttributePlan&) const = default;
};

/// A variable inside a child by its name there.
struct DeepPlan {
  std::uint32_t child = 0;
  Name name;
  Span span;
  bool operator==(const DeepPlan&) const = default;
};

struct ChildPlan {
  std::uint32_t first_argument = 0;  // of Blueprint::arguments
  std::uint32_t bundle = 0;
  bool operator==(const ChildPlan&) const = default;
};

/// Where a local stands in a row of parts whose length is the size of a sample: its index in a vector, the
/// turn that made it.
constexpr std::int32_t kNoPlace = INT32_MIN;

/// What all bodies of one relation literal that differ only in their children's relations share.
struct Blueprint {
  std::uint32_t body = 0;  // index of system::Template
  std::uint32_t interface = 0, locals = 0;
  std::vector<RowPlan> rows[kRowKinds];                               // by RowKind
  std::vector<std::uint32_t> slots;                                   // columns
  std::vector<std::uint32_t> row_reals;                               // of `reals`
  std::vector<std::uint32_t> sum_offsets{0}, sum_terms, sum_sources;  // terms: column << 1 | negative
  /// Parameter expressions to evaluate per instance, operands first. Op::Param a: the instance's captured
  /// Real a.
  std::vector<system::Parameter> reals;
  std::vector<BundlePlan> bundles;
  std::vector<std::uint32_t> bundle_items;
  std::vector<ChildPlan> children;
  std::vector<std::uint32_t> arguments;  // columns
  std::vector<AttributePlan> attributes;
  std::vector<DeepPlan> deep;
  std::vector<std::uint32_t> steady;  // sources
  std::vector<TriggerPlan> triggers;
  std::vector<ClockPlan> clocks;
  std::vector<AssignmentPlan> assignments;
  std::vector<PreviousPlan> previous;
  std::vector<DelayPlan> delays;
  std::vector<std::int32_t> places;  // of the columns
};

struct Body {
  std::shared_ptr<const Blueprint> blueprint;
  std::vector<RelationObject*> relations;  // of each child
  std::vector<LayoutId> interfaces;        // of each child
};

/// The shapes of the system so far: canonical residual -> table.
struct Shapes {
  std::unordered_map<std::uint32_t, std::uint32_t> tables[kRowKinds];  // by RowKind
  std::unordered_map<std::uint64_t, std::uint32_t> constants;          // bits -> parameter

  /// The parameter with this constant value.
  std::uint32_t constant(system::System& system, double value);
};

/// Where rows of a kind go.
Equations& equations_of(system::System& system, RowKind kind);

class BodyBuilder final : public BodyHost {
 public:
  BodyBuilder(Machine& machine, Relations& relations, system::System& system, Shapes& shapes);

  struct Output {
    Body body;
    std::set<std::uint32_t> forced;  // captured Reals that steer structure
  };
  /// `reals` are the values of the captured Reals in the instance that needs the body first.
  std::optional<Output> build(RelationObject& relation, LayoutId interface, std::span<const double> reals);
  /// Applications in loops are evaluated turn by turn: what all else is held to.
  void apply_one_by_one() { one_by_one_ = true; }

  // what the machine asks
  std::optional<Value> node_field(const Object& node, std::uint32_t field, Span span) override;
  std::optional<Value> member(const core::MemberExpr& member, const Value& base,
                              std::span<const Value> indices) override;
  Value member_field(const Object& member, std::uint32_t field, Name name) override;
  Value member_index(const Object& member, std::span<const Value> indices) override;
  ExprId member_signal(const Object& member) override;
  std::optional<Value> block_apply(const Value& relation, const Value& inputs, Span span) override;
  void force(std::uint32_t parameter) override;
  std::optional<Value> previous(const Value& signal, Span span) override;
  std::optional<Value> delayed(const Value& signal, const Value& length, Span span) override;

 private:
  using Status = Machine::Status;
  enum class Target : std::uint8_t { Main, Initial, Guess, Event };

  struct Column {
    LocalName name;
    Span span;
    system::UnknownKind kind;
    system::SignalType type = system::SignalType::Real;
    bool dropped = false;   // the flow of a node that is nobody's: only its uses have flows
    bool discrete = false;  // changes at events only, whatever its type
    std::int32_t place = kNoPlace;
    Name unit{};
  };
  struct Use {
    std::uint32_t first_flow;  // its own flow columns, in the order of the connector's flow scalars
    std::uint32_t next;        // use of the same node, or kConstant
    Span span;
  };
  struct NodeInfo {
    LayoutId layout;
    std::uint32_t first;  // a column for every scalar
    bool interface;
    bool connected = false;
    LocalName name;
    Span span;
    std::uint32_t parent;  // union-find over nodes
    std::uint32_t uses = 0, first_use = kConstant, last_use = kConstant;
    std::optional<Span> flow_read = std::nullopt;
  };
  struct ChildInfo {
    RelationObject* relation;
    LayoutId interface;
    std::uint32_t first_argument;  // of arguments_
    std::uint32_t first_formal;    // of formals_: what each interface variable is bound to; kConstant where
                                   // nobody can ask
    LocalName name;
    std::uint32_t label;  // the slot of its label, or kConstant
    Span span;
  };
  struct LabelInfo {
    LocalName name;
    std::size_t depth = 0;  // number of `for` around it
    bool moving = false;    // one of them has a number of turns that moves
  };
  struct Deferred {
    const core::Item* item;
    Target target;
    std::vector<Value> frame;
    std::vector<std::int64_t> loops;
    std::optional<std::uint32_t> trigger;
  };

  void clear();

  // body.cpp: items
  Status block(const core::Body& body, Target target);
  Status item(const core::Item& item, Target target);
  Status retry(std::vector<Deferred>& pending);
  Status evaluate(const core::Expr* expr, Value& result);
  Status declare(const core::SignalDecl& declaration);
  void state_units(LayoutId id, const core::Layout* stated, std::uint32_t& column);
  Status equation_item(const core::EquationItem& item, Target target);
  /// What an item makes while it is evaluated, and need not be kept when it is done.
  struct Scratch {
    Heap::Mark heap;
    std::size_t signals, children;
    std::uint32_t globals;
  };
  Scratch scratch() {
    return {machine_.heap().mark(), machine_.signals.size(), children_.size(), machine_.cached_globals()};
  }
  bool is_own(const Scratch& scratch) const;
  void release(const Scratch& before);
  RelationObject& repeated(const core::ApplicationItem& item, RelationObject& relation);
  Status application_item(const core::ApplicationItem& item);
  Status connect_item(const core::ConnectItem& item);
  Status let_item(const core::LetItem& item);
  void make_room(std::span<const std::size_t> each, std::size_t times);
  std::vector<std::size_t> sizes() const;
  Status moving_for(const Value& first, const Value& last,
                    const std::function<Status(const Value&, std::int64_t)>& turn);
  Status for_item(const core::ForItem& item, Target target);
  Status if_item(const core::IfItem& item, Target target);
  Status branch_equations(const core::Body& body, std::vector<std::pair<ExprId, Span>>& out);
  bool equate(const Value& left, const Value& right, Span span,
              std::vector<std::pair<ExprId, LocalName>>& out);
  Status assert_item(const core::AssertItem& item);
  Status steady_item(const core::SteadyItem& item);
  Status guess(const core::EquationItem& item, const Value& left, const Value& right);
  Status unsupported(Span span, const char* what);
  void undefined_item(const Deferred& deferred);

  // turns.cpp, applications.cpp: turns of a loop that differ in columns and numbers only
  /// The rows of an equation in a loop, of which the turn before has said what they look like, or which will
  /// say it to the next ones; nullopt where it has to be evaluated as it stands.
  std::optional<Status> turn(const core::EquationItem& item, Target target);
  /// What an application in a loop binds, in the same way.
  std::optional<Status> turn(const core::ApplicationItem& item);
  struct Turns;
  struct Pattern;
  std::optional<Value> read(const Reading& reading);
  bool describe(const Value& value, std::uint32_t reading, bool general);
  bool describe(const Turns& turns, bool numbers);
  bool known(Turns& turns);
  void keep(Turns& turns, Pattern pattern, bool is_function);
  std::optional<Status> record(const core::EquationItem& item, const ParameterisedItem& opened, RowKind kind,
                               Pattern& pattern, bool& is_function);
  std::optional<Status> record(const core::ApplicationItem& item, const ParameterisedItem& opened,
                               const RelationObject& relation, Pattern& pattern, bool& is_function);
  struct Slots {
    std::vector<std::uint32_t> columns, numbers;
  };
  bool arrange(LayoutId layout, const Value& argument, LocalName formal, Span span, Pattern& pattern,
               Slots& slots);
  bool add_columns(std::span<const std::uint32_t> columns, Pattern& pattern);
  bool numbers_of(const Pattern& pattern);
  void add_row(const Pattern& pattern, std::size_t row, RowKind kind, std::uint32_t made = 0);
  bool repeat(const Pattern& pattern, RowKind kind);
  void repeat(const core::ApplicationItem& item, const Pattern& pattern, RelationObject& relation,
              Turns& turns);
  struct Again;
  Value bind_again(Again& again);
  /// Columns that a turn makes, while a pattern is made.
  static constexpr std::uint32_t kMade = 0x40000000;

  // events.cpp
  bool columns_of(const Value& value, std::vector<std::uint32_t>& out);
  void keep(std::uint32_t column, Span span);
  std::uint32_t trigger(system::Trigger::Kind kind, Span span);
  Status discrete_item(const core::DiscreteItem& item);
  Status condition(const core::Expr* expr, system::Trigger::Kind kind, Span span, std::uint32_t& made);
  Status when_item(const core::WhenItem& item);
  Status every_item(const core::EveryItem& item);
  Status terminate_item(const core::TerminateItem& item);
  Status event_block(const core::Body& body, std::uint32_t trigger);
  Status assign_item(const core::AssignItem& item);

  // rows.cpp: columns and rows
  std::uint32_t column(LocalName name, Span span, system::UnknownKind kind,
                       core::LayoutKind type = core::LayoutKind::Real);
  std::uint32_t find(std::uint32_t column);
  void merge(std::uint32_t keep, std::uint32_t other);
  void row(ExprId residual, std::uint32_t source, RowKind kind, std::uint32_t tag = 0);
  std::uint32_t table(ExprId residual, RowKind kind, std::vector<std::uint32_t>& columns,
                      std::vector<std::uint32_t>& numbers);
  std::uint32_t source(system::EquationKind kind, Span span, LocalName component);
  std::uint32_t source(system::EquationKind kind, Span span, std::string_view component) {
    return source(kind, span, local_name(component));
  }
  std::uint32_t deep(std::uint32_t child, Name name, Span span);
  std::optional<std::uint32_t> column_of(const Value& value);
  Value variable(LayoutId layout, LocalName name, Span span, bool interface, std::uint32_t& next,
                 bool inner = false);
  LocalName in_turn(LocalName name) const;
  std::uint32_t real(ExprId parameter);
  std::uint32_t bundle(RelationObject& relation);
  std::uint32_t add_bundle(const BundlePlan& plan, std::span<const std::uint32_t> items);
  void attribute(system::AttributeKind kind, const Value& target, const Value& number, Span span);

  /// The label in this slot is, in the turn that the name says, that of the child that is made last.
  void label_child(std::uint32_t slot, LocalName name);
  std::optional<std::uint32_t> labelled(std::uint32_t slot, LocalName name) const;

  // nodes.cpp: applications and connections
  std::optional<std::uint32_t> apply(RelationObject& relation, std::vector<Value> arguments, bool fresh,
                                     LocalName name, std::uint32_t label, Span span, Span head_span);
  bool bind(LayoutId layout, Value& argument, const ChildInfo& child, LocalName formal, Span span);
  bool is_potential(const Object& node, std::uint32_t field) const;
  std::optional<LayoutId> layout_of(const Value& value);
  std::uint32_t use(std::uint32_t node, std::uint32_t first_flow, Span span);
  std::uint32_t class_of(std::uint32_t node);
  void resolve_nodes();
  bool resolve_class(std::span<const std::uint32_t> members);
  const std::vector<std::pair<std::uint32_t, bool>>& scalars(
      LayoutId layout);  // of a connector: (offset, is flow)
  Body finish(RelationObject& relation);

  Machine& machine_;
  Relations& relations_;
  system::System& system_;
  Shapes& shapes_;

  // of the body that is being built
  const RelationCode* code_ = nullptr;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> column_parent_;
  std::uint32_t interface_ = 0;
  std::vector<NodeInfo> nodes_;
  std::vector<Use> uses_;
  std::vector<RowPlan> rows_[kRowKinds];  // by RowKind
  std::vector<std::uint32_t> slots_, row_reals_;
  std::vector<std::uint32_t> sum_offsets_, sum_terms_, sum_sources_;  // as in Blueprint
  std::vector<ChildInfo> children_;
  std::vector<std::uint32_t> arguments_;  // columns
  std::vector<Value> formals_;
  std::unordered_map<LayoutId, std::vector<std::pair<std::uint32_t, bool>>> scalars_;
  std::unordered_map<Name, std::uint32_t> child_names_;
  StridingIndexTable<16> labelled_;  // of children, by slot of the label and name
  std::unordered_map<const core::ApplicationItem*, RelationObject*> applied_;  // last time
  std::unordered_map<std::uint32_t, LabelInfo> labels_;

  /// What an equation of a loop was evaluated to, for all turns that read values of the same description.
  struct Pattern {
    struct Row {
      std::uint32_t table, source;
      std::uint32_t first_column, first_number;
    };
    std::vector<std::uint64_t> words;
    std::vector<Row> rows;  // and an end
    std::vector<std::uint32_t>
        columns;  // of each slot: which of the columns that are read; kMade + k: column k that the turn makes
    std::vector<ExprId> numbers;  // over the body's parameters; Param kRead + k: number k that is read
    /// Of an application: what the arguments are, in the order in which they are bound.
    struct Binding {
      enum Kind : std::uint8_t { Column, Auxiliary, Node, Flow, Potential, Aggregate } kind;
      std::uint32_t at =
          0;  // Column, Node: which one of those read; Flow, Potential: the scalar of the connector
      std::uint32_t size = 0;   // Node: scalars that follow; Aggregate: parts
      core::LayoutKind type{};  // Auxiliary
      ObjectKind object{};      // Aggregate: what it is to items that read it
      std::uint32_t record = 0;
    };
    LayoutId interface{};
    std::vector<Binding> bindings;
    std::vector<LocalName> names;  // behind the instance's: of each Auxiliary, Node and Flow
    std::uint32_t made = 0;        // columns
  };
  struct Turns {
    std::vector<bool> general;     // of the readings: a Real in it changes from turn to turn
    std::deque<Pattern> patterns;  // the last one that fitted first
    std::vector<Value> last;       // what the last turn read
    std::size_t fitted = 0, recorded = 0;
    bool given_up = false;
    RelationObject* relation = nullptr;  // that is applied in all turns
    Object* label = nullptr;
    LocalName name;
    std::uint32_t* count = nullptr;  // of instances without a label
  };
  std::unordered_map<const core::Item*, Turns> turns_;
  // of the turn: what the item reads
  std::vector<Value> read_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> read_columns_;
  std::vector<std::uint32_t> read_nodes_;
  std::vector<std::pair<std::uint32_t, Value>> read_numbers_;  // of which reading
  std::vector<std::uint32_t> numbers_;                         // scratch
  std::vector<LocalName> names_;                               // scratch
  std::vector<Value> parts_;                                   // scratch
  bool one_by_one_ = false;

  int retries_ = 0;  // items are tried again: what they wait for was evaluated
  std::vector<std::int64_t> loops_;
  std::int32_t place_ = kNoPlace;
  std::vector<Deferred> deferred_;
  std::unordered_map<std::uint32_t, std::uint32_t> reals_;  // parameter expression -> index in real_order_
  std::vector<ExprId> real_order_;
  std::vector<BundlePlan> bundles_;
  std::vector<std::uint32_t> bundle_items_;
  IndexTable bundle_index_;
  std::uint32_t bodies_ = 0;  // that were built: what RelationObject::captured_in refers to
  std::vector<AttributePlan> attributes_;
  std::vector<std::uint32_t> steady_;
  std::vector<TriggerPlan> triggers_;
  std::vector<ClockPlan> clocks_;
  std::vector<AssignmentPlan> assignments_;
  std::vector<PreviousPlan> previous_;
  std::vector<DelayPlan> delays_;
  std::unordered_map<std::uint32_t, std::uint32_t> previous_of_;  // column -> that of its `pre`
  std::optional<std::uint32_t> trigger_;                          // whose block is being built
  std::vector<DeepPlan> deep_;
  std::unordered_map<std::uint64_t, std::uint32_t> deep_index_;  // child, name
  struct Unbound {
    LayoutId layout;
    bool bound = false;
    Value value;
    LocalName name;
    Span span;
  };
  std::vector<Unbound> unbound_;
  std::set<std::uint32_t> forced_;
  std::vector<std::uint32_t> mark_, image_;  // scratch of row(): by signal expression
  std::uint32_t epoch_ = 0;

  IndexTable sources_;  // of System::sources
  struct Recent {       // newest first
    std::deque<std::uint32_t> templates;
    std::deque<std::shared_ptr<const Blueprint>> blueprints;
  };
  std::unordered_map<const RelationCode*, Recent> recent_;
};

}  // namespace sigrel::elaborate
