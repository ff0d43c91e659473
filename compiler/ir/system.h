// system::System: what elaboration hands on. The flat system of one experiment: shapes with their tables of
// instances, unknowns, parameters, and the tree of instances that names everything. Nothing functional is
// left: no closures, no lists, no `for`, no `connect`, no records; every unknown is a scalar. What is still
// there: aliases, redundant equations, `Der` of any order, too many or too few equations.
//
// Names are built on demand from the tree: no string per unknown is stored. Templates hold what all instances
// of one relation body have in common; an instance is a few integers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/base/local_name.h"
#include "compiler/base/name.h"
#include "compiler/base/source.h"
#include "compiler/ir/equations.h"
#include "compiler/ir/expr.h"

namespace sigrel::system {

constexpr std::uint32_t kRoot = 0;  // the instance that is the whole model

/// What an equation of a relation body is to its writer.
enum class EquationKind : std::uint8_t {
  Written,    // `e1 = e2`, one scalar component of it
  Argument,   // an argument of `<>` that is an expression: auxiliary = expression
  NodeSum,    // the flows at a node
  Potential,  // potentials of connected interface nodes are equal
  Initial,    // an item of `initially`
  Assertion,  // an `assert`; `component` is its message
  Event,  // a `when`, `every`, `terminate`, `:=`, or what a discrete variable, `pre` or `delay` is between
          // events
};

/// One equation of a relation body (or of one iteration of its loops).
struct SourceEquation {
  EquationKind kind = EquationKind::Written;
  Span span;
  LocalName
      component;  // ".v", "[3]", … of a record or vector equation; the node's name for NodeSum and Potential
  bool operator==(const SourceEquation&) const = default;
};

enum class UnknownKind : std::uint8_t {
  Source,     // declared or implicit in the source: appears in results
  Auxiliary,  // the value of an argument expression
  Flow,       // the flow of one use of a node
};

/// Int and Bool are piecewise constant: given by an assignment, never differentiated, never iterated on.
enum class SignalType : std::uint8_t { Real, Int, Bool };

struct LocalInfo {
  LocalName name;  // "u", "m.v", "x[3]", inside its relation
  Span span;
  UnknownKind kind = UnknownKind::Source;
  SignalType type = SignalType::Real;
  Name unit{};  // of its declaration, for results
  bool operator==(const LocalInfo&) const = default;
};

struct ChildInfo {
  LocalName name;  // "r1", "r1[3]"; of an unlabelled use the head's name, with "#2" when that occurs again
  bool labelled = false;
  Span span;
  bool operator==(const ChildInfo&) const = default;
};

/// What the instances of one relation body share.
struct Template {
  Name relation;
  Span span;                           // of the definition
  std::vector<std::string> interface;  // the name of each interface scalar: "p.v", "p.i", …
  std::vector<Span> interface_spans;
  std::vector<LocalInfo> locals;  // the unknowns that each instance owns
  /// Names of the body that are another scalar (a node's potential joined by `connect`, `let`): name, and the
  /// scalar's index: interface first, then locals.
  std::vector<std::pair<LocalName, std::uint32_t>> synonyms;
  std::vector<ChildInfo> children;
  /// The Real values that its definition captured, by name: what `--set` can change.
  std::vector<std::string> parameters;
};

struct Instance {
  std::uint32_t body = 0;             // index of Template
  std::uint32_t parent = 0;           // instance; the root's is itself
  std::uint32_t child = 0;            // which child of the parent's template
  std::uint32_t first_unknown = 0;    // it owns template.locals.size() unknowns from here
  std::uint32_t first_argument = 0;   // into System::arguments: the unknown of each interface scalar
  std::uint32_t first_parameter = 0;  // into System::captured: the parameter of each template parameter
  std::uint32_t first_child = 0;      // instance of its first child; children are consecutive
};

/// Parameters: numbers that can change between runs without new analysis. `op == Const`: a value. Otherwise
/// computed from earlier parameters a, b, c (the operands; an integer power is Op::Pow) in ascending order.
struct Parameter {
  Op op = Op::Const;
  std::uint32_t a = 0, b = 0, c = 0;
  double value = 0;
};

/// A parameter that the user can change by name.
struct NamedParameter {
  std::string name;  // "r1.r"
  std::uint32_t parameter = 0;
  bool structural = false;  // its value decided which equations there are: a change needs a new elaboration
};

enum class AttributeKind : std::uint8_t { Guess, Nominal, Min, Max, StatePreference };
/// `with { guess = … }`, `guess x = …`: sparse.
struct Attribute {
  AttributeKind kind = AttributeKind::Guess;
  std::uint32_t unknown = 0;
  std::uint32_t parameter = 0;
  Span span;
};

/// What makes assignments happen: a condition that becomes true, or the tick of a clock.
struct Trigger {
  enum Kind : std::uint8_t { When, Every, Terminate } kind = When;
  Origin origin;
};
/// `every`: ticks at offset + k * period for k = 0, 1, …, or whole k from `start` on, and not after `stop`.
/// All are parameters.
struct Clock {
  std::uint32_t trigger = 0;
  std::uint32_t period = 0, offset = 0, start = 0, stop = 0;
  std::uint32_t first_jitter = 0, jitters = 0;  // into System::jitters; taken in turn
};
/// `target := value` when the trigger fires. A target is a discrete variable or a state.
struct Assignment {
  std::uint32_t trigger = 0;
  std::uint32_t target = 0;  // unknown
};
/// `pre of`: an unknown that keeps its value between instants, and is the value that `of` had before the
/// present one.
struct Previous {
  std::uint32_t unknown = 0, of = 0;
};

/// `delay of length`: an unknown that is what `of` was so long ago. The equations know it as one that keeps
/// its value.
struct Delay {
  std::uint32_t unknown = 0, of = 0;
  std::uint32_t length = 0;  // parameter
  bool held = false;         // of an Int or Bool: what it was last, not something between two values
  Origin origin;
};

/// Events. A discrete variable and a `pre` are unknowns whose derivative is zero by an equation; the run
/// changes them.
struct Events {
  std::vector<Trigger> triggers;
  std::vector<Clock> clocks;
  std::vector<std::uint32_t> jitters;  // parameters
  std::vector<Assignment> assignments;
  std::vector<Previous> previous;
  Equations conditions;  // of triggers: what is not 0 is true; tag: the trigger
  Equations values;      // that are assigned; tag: the assignment
};

struct System {
  ExprPool exprs;
  Equations equations;         // hold always; residuals may contain Der
  Equations initial;           // hold at the start
  std::vector<Origin> steady;  // `steady` of an instance: the states that it and its parts have start at rest
  Equations assertions;        // conditions that must stay true: the "residual" is the condition, 0 is false
  Events events;
  std::vector<Delay> delays;
  std::uint32_t unknowns = 0;
  std::vector<Parameter> parameters;
  std::vector<NamedParameter> named_parameters;
  std::vector<Attribute> attributes;
  std::vector<SourceEquation> sources;

  std::vector<Template> templates;
  std::vector<Instance> instances;  // ascending first_unknown
  std::vector<std::uint32_t> arguments;
  std::vector<std::uint32_t> captured;
};

/// "r1.p", the path of an instance; empty for the root.
std::string instance_name(const System& system, std::uint32_t instance);
/// The hierarchical name of the unknown where it is declared: "r1.u", "b.v".
std::string unknown_name(const System& system, std::uint32_t unknown);
/// The declaration of the unknown.
const LocalInfo& unknown_info(const System& system, std::uint32_t unknown);
/// Looks names up inside relation bodies and instances; an index per template, of hashes, is made when it is
/// first needed.
class Names {
 public:
  explicit Names(const System& system) : system_(system) {}
  /// The first step of a name inside a template: a column (interface first, then locals), or a child and the
  /// name inside it.
  struct Step {
    std::optional<std::uint32_t> column;
    std::uint32_t child = 0;
    std::string_view rest;
  };
  std::optional<Step> step(std::uint32_t body, std::string_view name);
  /// The unknown that `name` denotes inside an instance: "u", "p.v", "r1.c2.u".
  std::optional<std::uint32_t> find(std::uint32_t instance, std::string_view name);
  std::optional<std::uint32_t> find(std::uint32_t instance, LocalName name);
  /// All names that could be meant at the place where the lookup of `name` failed: for "did you mean".
  std::vector<std::string> candidates(std::uint32_t instance, std::string_view name);

 private:
  struct Index {
    std::unordered_map<std::string_view, std::uint32_t> interface;
    IndexTable columns;  // locals, then synonyms
    IndexTable children;
  };
  const Index& index(std::uint32_t body);
  std::optional<std::uint32_t> column(std::uint32_t body, std::string_view name);
  std::optional<std::uint32_t> column(std::uint32_t body, LocalName name);  // a local's
  std::optional<std::uint32_t> child(std::uint32_t body, std::string_view name);
  std::uint32_t unknown(std::uint32_t instance, std::uint32_t column) const;
  /// The instance and the rest of the name after as many children as match.
  std::pair<std::uint32_t, std::string_view> descend(std::uint32_t instance, std::string_view name);
  const System& system_;
  std::unordered_map<std::uint32_t, Index> indices_;
};

/// The unknown that a hierarchical name denotes, through interfaces too ("c1.p.v"); nullopt when there is
/// none.
std::optional<std::uint32_t> find_unknown(const System& system, std::string_view name);
/// "line 12 of `resistor` in r1": for messages.
std::string describe_origin(const System& system, Origin origin);

/// Aborts with a dump when an invariant above is broken.
void verify(const System& system);
std::string print(const System& system);

}  // namespace sigrel::system
