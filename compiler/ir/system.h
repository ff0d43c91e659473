// system::System: the output of elaboration. The flat system of one experiment: shapes with their tables of
// rows, unknowns, parameters, and the tree of instances, which defines all names. It contains no functional
// constructs: no closures, lists, `for`, `connect` or records; every unknown is a scalar. It may contain
// aliases, redundant equations, `Der` of any order, too many or too few equations.
//
// Names are built on demand from the tree: no string per unknown is stored. A template holds the data that
// all instances of a relation body share; an instance is a few integers.
#pragma once
#include <array>
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
constexpr std::uint32_t kNoSwitch = 0xFFFFFFFFu;

/// The kind of an equation of a relation body, in terms of the source.
enum class EquationKind : std::uint8_t {
  Written,    // `e1 = e2`, one scalar component of it
  Argument,   // an argument of `<>` that is an expression: auxiliary = expression
  NodeSum,    // the flows at a node
  Potential,  // potentials of connected interface nodes are equal
  Initial,    // an item of `initially`
  Assertion,  // an `assert`; `component` is its message
  Event,  // a `when`, `every`, `terminate`, `:=`, or the equation that keeps a discrete variable, `pre` or
          // `delay` constant between events
};

/// One equation of a relation body (or of one iteration of its loops).
struct SourceEquation {
  EquationKind kind = EquationKind::Written;
  Span span;
  LocalName
      component;  // ".v", "[3]", … of a record or vector equation; the node name of a NodeSum or Potential
  bool operator==(const SourceEquation&) const = default;
};

enum class UnknownKind : std::uint8_t {
  Source,     // declared or implicit in the source: appears in results
  Auxiliary,  // the value of an argument expression
  Flow,       // the flow of one use of a node
};

/// Int and Bool are piecewise constant: assigned, never differentiated, never tearing variables.
enum class SignalType : std::uint8_t { Real, Int, Bool };

struct LocalInfo {
  LocalName name;  // "u", "m.v", "x[3]", inside its relation
  Span span;
  UnknownKind kind = UnknownKind::Source;
  SignalType type = SignalType::Real;
  Name unit{};            // for results: of a Real its unit, of a data type its constructors, "Off | Run"
  bool assigned = false;  // by `:=` in its relation
  std::uint32_t owner = kNoSwitch;  // the switch of the template whose mode it belongs to
  bool operator==(const LocalInfo&) const = default;
};

struct ChildInfo {
  LocalName name;  // "r1", "r1[3]"; of an unlabelled use the name of the relation, "…#2" for the second one
  bool labelled = false;
  Span span;
  std::uint32_t owner = kNoSwitch;  // as LocalInfo::owner
  bool operator==(const ChildInfo&) const = default;
};

/// A local node of a relation body that joins one part only, although no `connect` and no equation for its
/// flow says that nothing else is meant to be there. Where the part does not terminate it, its flow is
/// undetermined.
struct LoneNode {
  LocalName name;                        // "m", "m[3]", "r1.n"
  Name connector;                        // the record
  Span span;                             // of its declaration, or of its first occurrence
  std::uint32_t part = 0;                // of Template::children
  std::uint32_t local = 0, scalars = 0;  // its unknowns: Template::locals from here
  std::uint32_t first_flow = 0;          // of the scalars
  bool operator==(const LoneNode&) const = default;
};

/// An equation of the relation body between two rotations, `b.rot = …`: nine scalar equations with three
/// degrees of freedom. Both in the order of the rows of the matrix.
struct RotationEquation {
  std::array<std::uint32_t, 9> columns{};  // of the rotation that it gives: interface first, then locals
  std::array<std::uint32_t, 9> sources{};  // index of System::sources
  bool operator==(const RotationEquation&) const = default;
};

/// Shared by all instances of one relation body.
struct Template {
  Name relation;
  Span span;                           // of the definition
  std::vector<std::string> interface;  // the name of each interface scalar: "p.v", "p.i", …
  std::vector<Span> interface_spans;
  std::vector<LocalInfo> locals;  // the unknowns that each instance owns
  /// Names that denote another scalar (the potential of a connected node, a `let`): the name and the index of
  /// the scalar (interface first, then locals).
  std::vector<std::pair<LocalName, std::uint32_t>> synonyms;
  std::vector<ChildInfo> children;
  std::vector<LoneNode> lone_nodes;  // ascending `local`
  std::vector<RotationEquation> rotations;
  /// If one of its nodes is a frame, the flows of all nodes, and the potentials of frames, ascending:
  /// interface first, then locals. A frame is a node with a rotation, or with two lengths and an angle.
  std::vector<std::uint32_t> flows, poses;
  /// Formals, and declared nodes, that no part, `connect` or equation uses; none that is an element.
  std::vector<LocalName> unused_nodes;
  /// The names of the captured Real values, which `--set` can change.
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

/// Parameters: numbers that can change between runs without recompilation. `op == Const`: a value. Otherwise
/// computed from the earlier parameters a, b, c (an integer power is Op::Pow), in ascending order.
struct Parameter {
  Op op = Op::Const;
  std::uint32_t a = 0, b = 0, c = 0;
  double value = 0;
};

/// A parameter that the user can change by name.
struct NamedParameter {
  std::string name;  // "r1.r"
  std::uint32_t parameter = 0;
  bool structural = false;  // determines the equations: a change requires a new elaboration
};

/// `Position`: where the search for a start begins, also where there is a guess, which chooses the solution.
/// `FirstIterate`: where Newton's method begins for an unknown that follows from positions; it gives no
/// start.
enum class AttributeKind : std::uint8_t {
  Guess,
  Nominal,
  Min,
  Max,
  StatePreference,
  Position,
  FirstIterate,
  Independent,  // of a loop: a coordinate that the loop and the initial equations leave free
};
/// `with { guess = … }`, `guess x = …`: sparse.
struct Attribute {
  AttributeKind kind = AttributeKind::Guess;
  std::uint32_t unknown = 0;
  std::uint32_t parameter = 0;
  Span span;
};

/// The cause of an event: one of its conditions becomes true, a clock ticks, or the run starts or ends.
struct Trigger {
  enum Kind : std::uint8_t { When, Every, Terminate, Transition } kind = When;
  Origin origin;
  bool initial = false, terminal = false;       // fires at the start of the run, at its end
  std::optional<std::uint32_t> preceding = {};  // of `elsewhen`: the branch before it, an earlier trigger
};
/// `every`: ticks at offset + k * period, for k = 0, 1, … or all integers k from `start` on, and not after
/// `stop`. All are parameters.
struct Clock {
  std::uint32_t trigger = 0;
  std::uint32_t period = 0, offset = 0, start = 0, stop = 0;
  std::uint32_t first_jitter = 0, jitters = 0;  // into Events::jitters; used cyclically
};
/// `target := value` when the trigger fires. A target is a discrete variable or a state.
struct Assignment {
  std::uint32_t trigger = 0;
  std::uint32_t target = 0;  // unknown
};
/// `pre of`: an unknown that is constant between events; during an event it has the value of `of` before the
/// event.
struct Previous {
  std::uint32_t unknown = 0, of = 0;
};

/// `delay of length`: an unknown with the value that `of` had at time - length. In the equations it is
/// constant; the runtime updates it from a history buffer.
struct Delay {
  std::uint32_t unknown = 0, of = 0;
  std::uint32_t length = 0;         // parameter
  bool piecewise_constant = false;  // Int or Bool: the last value, without interpolation
  Origin origin;
};

/// Events. Discrete variables and `pre` values are unknowns with the equation `der x = 0`; events change
/// them.
struct Events {
  std::vector<Trigger> triggers;
  std::vector<Clock> clocks;
  std::vector<std::uint32_t> jitters;  // parameters
  std::vector<Assignment> assignments;
  std::vector<Previous> previous;
  Equations conditions;  // of triggers: nonzero is true; tag: the trigger, which may have several
  Equations values;      // assigned values; tag: the assignment
};

/// A number that a mode takes: a parameter, or the value of an unknown when the mode is entered.
struct ModeNumber {
  bool is_unknown = false;
  std::uint32_t index = 0;
};
/// A `switch` of an instance, and the mode that it is in. The system is that of one mode of each switch.
struct Switch {
  Origin origin;
  Name mode;
  std::uint32_t parent = kNoSwitch;             // the switch in one of whose modes it is
  std::uint32_t first_number = 0, numbers = 0;  // into System::mode_numbers: parameters
};
/// `until`: when its condition holds, the system ends, and the one in which the switch has the next mode
/// follows. Of several transitions of one switch the first is taken.
struct Transition {
  std::uint32_t trigger = 0;
  std::uint32_t of = 0;                         // switch
  Name target;                                  // mode
  std::uint32_t first_number = 0, numbers = 0;  // into System::mode_numbers
};

struct System {
  ExprPool exprs;
  Equations equations;         // hold always; residuals may contain Der
  Equations initial;           // hold at the start
  std::vector<Origin> steady;  // `steady` of an instance: all its states start at rest
  Equations assertions;        // the "residual" is the condition, which must not become 0
  Events events;
  std::vector<Delay> delays;
  std::vector<Switch> switches;
  std::vector<Transition> transitions;
  std::vector<ModeNumber> mode_numbers;
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
/// The one of the body that has this local among its unknowns; null if there is none.
const LoneNode* lone_node(const Template& body, std::uint32_t local);
/// The declaration of the unknown.
const LocalInfo& unknown_info(const System& system, std::uint32_t unknown);
/// Looks up names inside relation bodies and instances, with a hash index per template that is built at the
/// first lookup.
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
  /// All names in scope where the lookup of `name` failed: for "did you mean".
  std::vector<std::string> candidates(std::uint32_t instance, std::string_view name);

 private:
  struct Index {
    std::unordered_map<std::string_view, std::uint32_t> interface;
    IndexTable columns;  // locals, then synonyms
    IndexTable children;
  };
  const Index& index(std::uint32_t body);
  std::optional<std::uint32_t> column(std::uint32_t body, std::string_view name);
  std::optional<std::uint32_t> column(std::uint32_t body, LocalName name);  // of a local
  std::optional<std::uint32_t> child(std::uint32_t body, std::string_view name);
  std::uint32_t unknown(std::uint32_t instance, std::uint32_t column) const;
  /// Follows labels from an instance as far as they match: the instance reached, and the rest of the name.
  std::pair<std::uint32_t, std::string_view> descend(std::uint32_t instance, std::string_view name);
  const System& system_;
  std::unordered_map<std::uint32_t, Index> indices_;
};

/// The unknown that a hierarchical name denotes, through interfaces too ("c1.p.v"); nullopt when there is
/// none.
std::optional<std::uint32_t> find_unknown(const System& system, std::string_view name);
/// "line 12 of `resistor` in r1": for messages.
std::string describe_origin(const System& system, Origin origin);

/// Aborts with a dump if an invariant is violated.
void verify(const System& system);
std::string print(const System& system);

}  // namespace sigrel::system
