// Loop patterns: an equation or an application in a loop is evaluated once for all iterations that read
// values of the same kind. An iteration then adds columns, numbers and names.
//
// The compiler turns the item into a function of its inputs (ParameterisedItem): parts of variables such as
// `u[i + 1]`, numbers computed from counters, and comparisons of counters. In each iteration these are read
// without evaluation, and described by a key: a variable is "input variable k", so that equal variables are
// told apart from different ones; a connector is "input node k"; a Real that changes from iteration to
// iteration is "a number" and becomes a parameter; every other value (counters, Bools, constants of the loop)
// is described by itself. Iterations with the same key have the same result over other columns and
// parameters: a LoopPattern.
//
// Example: `der u[i] = k[i] * (u[i - 1] - u[i])` reads u[i], k[i], u[i - 1]: variable 0, a number, variable
// 1. The pattern is der s0 - p0 * (s1 - s0). A k[i] of 0, 1 or -1 is described by its value, because
// simplification may remove a term for these.
//
// Of an application, the pattern says how each argument is bound: to a variable that is read, to a node with
// new flow columns, or to a new column with a row for the value of an expression. The applied relation is the
// same object in all iterations where its expression reads nothing that an iteration defines. Otherwise each
// iteration evaluates it, and its literal and interface are part of the key; its Reals are parameters in any
// case. Numbers among the arguments are described by their values.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/elaborate/body_parts.h"

namespace sigrel::elaborate {

/// The values that an item reads in one iteration, and their description.
struct LoopInputs {
  std::vector<Value> values;       // by reading
  std::vector<std::uint64_t> key;  // the description
  std::vector<ColumnRef> columns;  // the distinct variables, in order of first occurrence
  std::vector<NodeId> nodes;       // the distinct nodes, likewise
  struct Number {
    std::uint32_t reading;
    Value value;
  };
  std::vector<Number> numbers;  // described as "a number"
};

struct LoopPattern {
  std::vector<std::uint64_t> key;

  struct Row {
    std::uint32_t table, source;
    std::uint32_t first_slot, first_number;
  };
  struct Slot {
    std::uint32_t index : 31;  // of LoopInputs::columns, or among the new columns
    std::uint32_t is_new : 1;  // a column that the iteration creates
  };
  std::vector<Row> rows;  // and an end
  std::vector<Slot> slots;
  std::vector<ExprId> numbers;  // parameter expressions over those of the body and the input numbers

  /// Of an application: the arguments, in the order in which they are bound.
  struct Binding {
    enum Kind : std::uint8_t { Column, Auxiliary, Node, Flow, Potential, Aggregate } kind;
    std::uint32_t index = 0;  // Column, Node: of the input; Flow, Potential: the scalar of the connector
    std::uint32_t size = 0;   // Node: number of scalars that follow; Aggregate: of elements
    core::LayoutKind type{};  // Auxiliary
    ObjectKind object{};      // Aggregate: the value for items that read the interface
    std::uint32_t record = 0;
  };
  LayoutId interface{};
  std::vector<Binding> bindings;
  std::vector<LocalName> names;  // relative to the instance: of each Auxiliary, Node and Flow
  std::uint32_t new_columns = 0;
};

class LoopPatterns {
 public:
  using Status = Machine::Status;
  explicit LoopPatterns(BodyParts& parts) : parts_(parts), machine_(parts.machine) {}

  /// Adds the rows of an equation in the current iteration from a pattern, which is recorded if there is none
  /// yet. nullopt: the item has to be evaluated. `retrying`: the items that it waits for were evaluated.
  std::optional<Status> equation(const core::EquationItem& item, RowKind kind, bool retrying);
  /// Adds the child of an application in the same way.
  std::optional<Status> application(const core::ApplicationItem& item);

 private:
  /// The patterns of an item, and what its iterations share.
  struct ItemPatterns {
    std::deque<LoopPattern> patterns;  // the most recently used first
    std::size_t fitted = 0, recorded = 0;
    bool given_up = false;
    // equations
    std::vector<bool> general;  // by reading: a Real there changes from iteration to iteration
    std::vector<Value> last;    // of the previous iteration
    // applications
    RelationObject* relation = nullptr;  // if it is the same in all iterations
    LocalName name;
    Object* label = nullptr;
    std::uint32_t* name_count = nullptr;  // without a label
  };
  class Recording;
  class Replay;

  ItemPatterns* patterns_of(const core::Item& item, const ParameterisedItem*& parameterised);
  // Inputs.
  std::optional<Value> read(const Reading& reading);
  std::optional<Value> read_part(const Reading& reading);
  bool describe(const Value& value, std::uint32_t reading, bool general);
  bool describe_object(const Object& object);
  void describe_scalar(const Value& value);
  bool describe_variable(const Value& value);
  bool describe(const ItemPatterns& patterns, bool numbers);
  bool find_changing_numbers(ItemPatterns& patterns);
  // Patterns.
  bool find(ItemPatterns& patterns);
  void keep(ItemPatterns& patterns, LoopPattern pattern, bool is_function);
  std::optional<Status> record(const core::EquationItem& item, const ParameterisedItem& parameterised,
                               RowKind kind, LoopPattern& pattern, bool& is_function);
  std::optional<Status> record(const core::ApplicationItem& item, const ParameterisedItem& parameterised,
                               const RelationObject& relation, LoopPattern& pattern, bool& is_function);
  bool record_binding(LayoutId layout, const Value& argument, LocalName formal, Span span,
                      Recording& recording);
  bool set_numbers(const LoopPattern& pattern);
  void add_row(const LoopPattern& pattern, std::size_t row, RowKind kind, ColumnId first_new = {});
  void add_child(const core::ApplicationItem& item, const LoopPattern& pattern, RelationObject& relation,
                 ItemPatterns& patterns);

  BodyParts& parts_;
  Machine& machine_;
  std::unordered_map<const core::Item*, ItemPatterns> patterns_;
  // Of the current iteration; kept to reuse their storage.
  LoopInputs inputs_;
  std::vector<ExprId> numbers_;   // LoopPattern::numbers
  std::vector<LocalName> names_;  // LoopPattern::names
  std::vector<Value> work_;
};

}  // namespace sigrel::elaborate
