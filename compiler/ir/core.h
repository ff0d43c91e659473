// core::Program: the output of the checker. All modules of a program, resolved, typed and desugared: names
// are ids, record fields are indices; sections, comprehensions, ranges, backticks, operators, clauses and
// defaults are replaced; implicit locals are declared; literals with units are SI numbers. Types are erased,
// except those that elaboration needs: the layouts of signals, and the printed type of each
// global.
//
// Type variables that occur inside an `SR` in the type of a definition are passed as layouts during
// elaboration: such a global starts with that many layout parameters, and every use passes them
// (GlobalExpr::layouts). A local definition that is used at several types is a Lambda over layouts, which is
// applied to LayoutExprs.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/base/name.h"
#include "compiler/base/source.h"

namespace sigrel::data {
class Files;
}

namespace sigrel::core {

using GlobalId = Id<struct GlobalTag>;
using RecordId = Id<struct RecordTag>;
using ContractId = Id<struct ContractTag>;
using LocalId =
    Id<struct LocalTag>;  // unique inside one Global: parameters, lets, patterns, signals, labels, layouts

struct Expr;
struct Item;
struct Pattern;
struct Relation;

// ---- layouts: which scalars a signal of a type consists of
// -----------------------------------------------------------

enum class LayoutKind : std::uint8_t { Real, Int, Bool, Record, Tuple, Vector, Variable, Unknown };
struct Layout {
  LayoutKind kind;
  RecordId record{};  // Record
  std::span<const Layout*>
      elements{};            // Record: the layout of each field; Tuple: of each component; Vector: one
  std::span<Expr*> sizes{};  // Vector: Int expressions, outermost first; empty without annotation
  LocalId variable{};        // Variable: a layout parameter
  /// For results. Real: its SI unit; empty if it has none or is polymorphic. Int: empty, or, of a data type
  /// whose constructors have no fields, their names, "Off | Run".
  Name unit{};
};

struct FieldInfo {
  Name name;
  bool flow = false;
  bool rotation = false;  // a rotation matrix: nine numbers with three degrees of freedom
  Span span;
};
struct RecordInfo {
  Name name;
  Span span;
  std::vector<FieldInfo> fields;
  /// A record with a flow field is a connector: its variables are nodes.
  bool connector = false;
};

// ---- expressions
// ----------------------------------------------------------------------------------------------------

enum class ExprKind : std::uint8_t {
  Int,
  Real,
  Bool,
  String,
  Local,
  Global,
  Apply,
  Lambda,
  Let,
  If,
  Case,
  Tuple,
  Construct,
  Record,
  Update,
  Field,
  Primitive,
  Index,
  Vector,
  Sigrel,
  Label,
  Member,
  BlockApply,
  Layout
};

/// The primitive operations; primitives.def describes each.
enum class Primitive : std::uint8_t {
#define SIGREL_PRIMITIVE(op, name) op,
#include "compiler/ir/primitives.def"
};

struct Expr {
  ExprKind kind;
  Span span;
};
struct IntExpr : Expr {
  std::int64_t value;
};
struct RealExpr : Expr {
  double value;
};
struct BoolExpr : Expr {
  bool value;
};
struct StringExpr : Expr {
  std::string_view value;
};
/// A parameter, let, pattern variable, or a signal (a formal or local of the enclosing relation).
struct LocalExpr : Expr {
  LocalId local;
};
struct GlobalExpr : Expr {
  GlobalId global;
  std::span<const Layout*> layouts;
};
/// One or more arguments. The function may take more arguments than given, or fewer and return a function of
/// the rest.
struct ApplyExpr : Expr {
  Expr* function;
  std::span<Expr*> args;
};
struct LambdaExpr : Expr {
  std::span<LocalId> parameters;
  Expr* body;
};
struct Binding {
  LocalId local;
  Name name;
  Expr* value;
};
/// The bindings may refer to each other only through lambdas and sigrels (the checker orders the others).
struct LetExpr : Expr {
  std::span<Binding> bindings;
  Expr* body;
};
struct IfExpr : Expr {  // the condition is a Bool, or a signal of Bool
  Expr* condition;
  Expr* then_branch;
  Expr* else_branch;
};
struct Arm {
  Pattern* pattern;
  Expr* body;
};
/// The first matching arm; the checker has proved that the arms are exhaustive, or has warned.
struct CaseExpr : Expr {
  Expr* scrutinee;
  std::span<Arm> arms;
};
struct TupleExpr : Expr {
  std::span<Expr*> elements;
};
/// Lists are Construct too: tag 0 is `[]`, tag 1 is `:`.
struct ConstructExpr : Expr {
  Name name;
  std::uint32_t tag;
  std::span<Expr*> args;
};
struct RecordExpr : Expr {
  RecordId record;
  std::span<Expr*> fields;  // all, in the record's order
};
/// Another value of a field of a record, or of a parameter in a relation: `path` is its name, such as
/// "motor.r", written at `span`.
struct FieldUpdate {
  std::uint32_t index;
  Expr* value;
  Name path = {};
  Span span = {};
};
/// `r with { … }`, of a record or a relation.
struct UpdateExpr : Expr {
  Expr* base;
  std::span<FieldUpdate> updates;
};
/// A field of a record (value or signal).
struct FieldExpr : Expr {
  Expr* base;
  std::uint32_t index;
  Name name;
};
struct PrimitiveExpr : Expr {
  Primitive op;
  std::span<Expr*> args;
};
struct IndexPart {
  Expr* first;
  Expr* last;  // null for a single index; else a slice
};
struct IndexExpr : Expr {  // 1-based
  Expr* base;
  std::span<IndexPart> parts;
};
/// A vector of signals or numbers written as `[a, b, c]` where a vector is expected.
struct VectorExpr : Expr {
  std::span<Expr*> elements;
};
struct SigrelExpr : Expr {
  Relation* relation;
};
/// `r1` or `r1[i]`: an instance of the enclosing relation. Only the base of a Member.
struct LabelExpr : Expr {
  LocalId label;
  std::span<Expr*> indices;
};
/// `r1.p`, `r1.u`, `a.b.x`: the interface variable number `interface_index` of an instance; without it, the
/// local or nested instance named `member` (the head of the instance is then a top-level
/// relation).
struct MemberExpr : Expr {
  Expr* base;  // Label or Member
  Name member;
  std::optional<std::uint32_t> interface_index;
  std::span<Expr*> indices;  // of an indexed inner label
  /// Of the variable, for reading all of its scalars; null for an instance.
  const Layout* layout = nullptr;
};
/// `block <> inputs` as an expression: its value is the block's outputs.
struct BlockApplyExpr : Expr {
  Expr* relation;
  Expr* inputs;
};
/// A layout as a value: an argument of a local definition for one of its layout parameters.
struct LayoutExpr : Expr {
  const Layout* layout;
};

// ---- patterns
// -------------------------------------------------------------------------------------------------------

enum class PatternKind : std::uint8_t {
  Wildcard,
  Variable,
  Int,
  Real,
  Bool,
  String,
  Tuple,
  Construct,
  Record
};
struct Pattern {
  PatternKind kind;
  Span span;
  LocalId local{};                 // Variable
  std::int64_t integer = 0;        // Int, Bool
  double real = 0;                 // Real
  std::string_view string{};       // String
  std::uint32_t tag = 0;           // Construct; lists too
  RecordId record{};               // Record
  std::span<Pattern*> elements{};  // Tuple, Construct; Record: of each field, in the record's order
};

// ---- relations
// ------------------------------------------------------------------------------------------------------

enum class Causality : std::uint8_t { None, In, Out };
struct Formal {
  LocalId local;
  Name name;
  Span span;
  Causality causality = Causality::None;
  const Layout* layout;
};
struct Attribute {
  Name name;  // guess, nominal, min, max, state
  Expr* value;
  Span span;
};
struct SignalDecl {
  LocalId local;
  Name name;
  Span span;  // the declaration, or the first use of an implicit local
  bool implicit = false;
  const Layout* layout;
  std::span<Attribute> attributes;
};
struct Body {
  std::span<SignalDecl> locals;
  std::span<Item*> items;
};

/// A written structural type: the unknowns that a relation must be able to determine.
struct Contract {
  enum Form : std::uint8_t {
    Unknown,  // a size is unknown, or it is invalid and was reported
    Rows,     // scalars of the interface
    Count,
    Like  // a definition
  } form = Unknown;
  Span span;
  std::vector<std::vector<std::uint32_t>> rows;
  std::uint32_t count = 0;
  GlobalId like{};
};

/// A relation parameter of a definition that is analysed by itself: only its interface is
/// known.
struct Hole {
  Name parameter;    // its name in the definition
  Span span;         // of the parameter
  bool by_function;  // the parameter is a function that returns it; other arguments may differ
  std::optional<ContractId> contract;
};

/// A `sigrel (…) where …` literal, or a hole.
struct Relation {
  Name name;  // of the definition or `let` with this body; "sigrel" if anonymous
  Span span;  // the head `name … = sigrel (…)` or the literal's `sigrel (…)`
  std::span<Formal> formals;
  Body body;
  const Hole* hole = nullptr;          // without body; in Program::samples only
  std::optional<ContractId> contract;  // of its own signature, if any
};

enum class ItemKind : std::uint8_t {
  Equation,
  Application,
  Connect,
  Let,
  For,
  If,
  Initially,
  Guess,
  Steady,
  Discrete,
  When,
  Every,
  Assign,
  Switch,
  Until,
  Assert,
  Terminate
};
struct Item {
  ItemKind kind;
  Span span;
};
struct EquationItem : Item {
  Expr* left;
  Expr* right;
};
/// `[label:] relation <> args`. Without `args` it is `label: relation`, an instance with a fresh interface.
struct ApplicationItem : Item {
  std::optional<LocalId> label;
  Name name;       // the label, or the name of the relation's head when unlabelled
  Span head_span;  // the relation expression
  Expr* relation;
  Expr* args;  // null: fresh interface
};
struct ConnectItem : Item {
  std::span<Expr*> nodes;
};
struct LetItem : Item {
  std::span<Binding> bindings;
};  // in scope for the items after it in the block
/// `for i in xs`: `list` is a list; for `a .. b` both `first` and `last` are Int.
struct ForItem : Item {
  Pattern* pattern;
  Name index_name;  // of a variable pattern
  Expr* first;
  Expr* last;  // null when `first` is a list
  Body body;   // `for i in …, j in …` is nested
};
/// A functional condition is decided at elaboration; with a signal, both branches have the same number of
/// equations.
struct IfItem : Item {
  Expr* condition;
  Body then_body;
  Body else_body;
};
struct BlockItem : Item {
  Body body;
};  // Initially, Guess: equations, for and if
/// In `initially`: these derivatives are zero; if there are none, the derivatives of all states of the
/// relation and its parts.
struct SteadyItem : Item {
  std::span<Expr*> derivatives;
};
struct DiscreteItem : Item {
  SignalDecl declaration;
  Expr* initial;  // may be null
};
/// Executes its body when one of the conditions becomes true, unless an earlier branch does so.
struct WhenBranch {
  std::span<Expr*> conditions;
  Body body;
  Span span;
};
struct WhenItem : Item {
  std::span<WhenBranch> branches;
};
struct EveryItem : Item {
  Expr* period;
  std::span<Attribute> settings;
  Body body;
};
struct AssignItem : Item {
  Expr* target;
  Expr* value;
  /// The definition through which the value reads the target, if it does so: the only one that it mentions.
  std::optional<Span> definition{};
};
/// The modes of a switch are the constructors of an implicit type: a value is a Construct whose tag is the
/// index of the mode, with the arguments of the mode.
struct UntilItem : Item {
  Expr* condition;
  Expr* target;  // a mode
};
struct Mode {
  Name name;
  Span span;
  std::span<Pattern*> parameters;  // each matches every value
  Body body;
  std::span<UntilItem> transitions;
};
struct SwitchItem : Item {
  Expr* initial;  // a mode; without signals
  std::span<Mode> modes;
};
struct AssertItem : Item {
  Expr* message;
  Expr* condition;
};
struct TerminateItem : Item {
  Expr* condition;
};

// ---- programs
// -------------------------------------------------------------------------------------------------------

/// A C function.
struct Foreign {
  Name symbol;
  std::uint32_t arity = 1;  // all arguments and the result are Real
  std::optional<GlobalId>
      derivative;  // a function of the same arguments; a tuple of functions for several arguments
};

/// A top-level definition. A function is a Lambda; layout parameters come first.
struct Global {
  Name name;
  Name module;
  Span span;  // the name where it is defined
  std::uint32_t layout_parameters = 0;
  std::uint32_t local_count = 0;
  std::vector<Name> local_names;  // by LocalId
  Expr* body = nullptr;           // null for a foreign function and after errors
  std::optional<Foreign> foreign;
  std::string type;  // as `sigrel check --types` prints it
  std::string
      feed_through;  // of a block: "y <- u, v; z" (y depends directly on u and v, z on none); may be empty
};

/// The record `Experiment` is built in: `simulate m` constructs it with these defaults, `with` updates it.
enum class ExperimentField : std::uint32_t {
  Model,
  Start,
  Stop,
  Tolerance,
  Steps,
  Outputs,
  Plot,
  Solver,
  Events,
  MaxStep,
  AssertBounds,
  Count
};

/// The value of a structural parameter in a sample.
struct Choice {
  std::string parameter;  // "n"; "the length of xs"
  std::string value;      // "3", "True"
  bool varies = false;    // the size that grows from one sample of the family to the next
};

/// A definition that is a relation, or a function of numbers and relations that returns one: `expression`
/// applies it to sample arguments. With structural parameters there are several samples, in families: within
/// a family one size is 0, 1, 2, … and the other choices are fixed.
struct Sample {
  GlobalId definition;
  Expr* expression;
  std::vector<Name> local_names{};  // by LocalId: of `expression`
  std::vector<Choice> choices{};
  std::uint32_t family = 0;              // of the definition; consecutive
  std::optional<std::int64_t> size{};    // of the varying choice
  std::optional<ContractId> contract{};  // that the relation must satisfy
};

/// The global of an expression from the command line; not a valid name in a source file.
inline constexpr std::string_view kExpression = "<expression>";

struct Program {
  std::vector<Global> globals;
  std::vector<RecordInfo> records;
  RecordId experiment;
  /// The global that `sigrel run` runs: `main`, or the expression given with -e; and whether it is a bare `SR
  /// ()`.
  std::optional<GlobalId> main;
  bool main_is_relation = false;
  std::vector<Sample> samples;  // of the last module; of others, those that it uses and that take relations
                                // or occur in contracts
  std::vector<Contract> contracts;
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  /// Shared by all who read data files; null: the program has none.
  std::shared_ptr<data::Files> data;
};

}  // namespace sigrel::core
