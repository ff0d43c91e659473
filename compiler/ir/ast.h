// ast::Module: the output of the parser. The syntax tree of one file as written: names are unresolved,
// nothing is typed, and syntactic sugar is kept (sections, comprehensions, backticks). Every node has its
// source span. Nodes live in the arena of the module; `kind` tells which struct a node is. A file with syntax
// errors yields the declarations that parse.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/base/name.h"
#include "compiler/base/source.h"

namespace sigrel::ast {

struct Expr;
struct Type;
struct Pattern;
struct Item;
struct Decl;

struct Ident {
  Name name;
  Span span;
};

/// `A.B.c`: the qualifier is one interned name "A.B"; absent when `qualified` is false.
struct QualifiedIdent {
  bool qualified = false;
  Name qualifier;
  Ident ident;
};

// ---- types
// ----------------------------------------------------------------------------------------------------------

enum class TypeKind : std::uint8_t { Named, Variable, List, Tuple, Function, Relation, Power };
enum class Causality : std::uint8_t { None, In, Out };

struct Unit;
struct Type {
  TypeKind kind;
  Span span;
};
/// `Real`, `Real<V/A>`, `Maybe a`, `Pin`.
struct NamedType : Type {
  QualifiedIdent name;
  const Unit* unit;  // null when absent
  std::span<Type*> args;
};
struct TypeVariable : Type {
  Ident name;
};
struct ListType : Type {
  Type* element;
};
struct TupleType : Type {
  std::span<Type*> elements;
};  // () is the empty tuple; never one element
/// `a -> b`, or `(n :: Int) -> b` with `parameter`; `(k :: Real = 1.0) -> b` has a default value.
struct FunctionType : Type {
  bool has_parameter;
  Ident parameter;
  Type* from;
  Expr* default_value;  // null when absent
  Type* to;
};
struct InterfaceItem {
  Causality causality;
  bool named;
  Ident name;
  Type* type;
};
struct StructuralRow {
  std::span<std::uint32_t> bits;  // `1 0 1`, or
  std::span<Expr*> columns;       // `p.v n.v x[1]`
  Span span;
};
struct StructuralAnnotation {
  enum Form : std::uint8_t { Rows, Count, Like } form;
  std::span<StructuralRow> rows;
  std::uint32_t count;
  QualifiedIdent like;
  Span span;
};
/// `SR (p :: Pin, in u :: Real) {…}`, or `SR a` with `whole`.
struct RelationType : Type {
  Type* whole;  // null when the interface is a parenthesised list
  std::span<InterfaceItem> interface;
  StructuralAnnotation* structure;  // null when absent
};
/// `Real^n`, `Pin^(n+1)`, `Real^(m,n)`.
struct PowerType : Type {
  Type* element;
  std::span<Expr*> sizes;
};

/// `kg*m^2/s`: a product of powers of named units; the names include prefixes.
struct UnitFactor {
  Ident name;
  int exponent;
};
struct Unit {
  std::span<UnitFactor> factors;
  Span span;
};

// ---- expressions
// ----------------------------------------------------------------------------------------------------

enum class ExprKind : std::uint8_t {
  Int,
  Real,
  String,
  Variable,
  Constructor,
  Wildcard,
  Apply,
  Binary,
  Unary,
  Section,
  OperatorName,
  If,
  Let,
  Case,
  Lambda,
  Tuple,
  List,
  Range,
  Comprehension,
  Index,
  Field,
  Record,
  With,
  As,
  Sigrel,
  Connection
};

struct Expr {
  ExprKind kind;
  Span span;
};
struct IntExpr : Expr {
  std::int64_t value;
};
/// `unit` is null for a plain literal; a literal with a unit keeps the number as written.
struct RealExpr : Expr {
  double value;
  const Unit* unit;
};
struct StringExpr : Expr {
  std::string_view value;
};  // escapes resolved
struct VariableExpr : Expr {
  QualifiedIdent name;
};  // lower case, also `time`, `der`
struct ConstructorExpr : Expr {
  QualifiedIdent name;
};
/// `r = 1.0`, or `motor.r = 1.0`, of which the name is "motor.r".
struct Setting {
  Ident name;
  Expr* value;
};
/// `f a b`, or `f { x = 1.0 } a b` with named arguments. Without these, there is at least one argument.
struct ApplyExpr : Expr {
  Expr* function;
  std::span<Expr*> args;
  std::span<Setting> named;
  bool has_named;  // `f {}` names none
};
enum class BinaryOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Cons,
  Append,
  Named
};
/// `a + b`; `Named` is a backtick operator and uses `name`.
struct BinaryExpr : Expr {
  BinaryOp op;
  Span op_span;
  QualifiedIdent name;
  Expr* left;
  Expr* right;
};
enum class UnaryOp : std::uint8_t { Negate };
struct UnaryExpr : Expr {
  UnaryOp op;
  Expr* operand;
};
/// `(+ 1)` has `left` null, `(1 +)` has `right` null. `Named` is a backtick operator and uses `name`.
struct SectionExpr : Expr {
  BinaryOp op;
  Expr* left;
  Expr* right;
  QualifiedIdent name;
};
struct OperatorNameExpr : Expr {
  BinaryOp op;
};  // `(+)`
struct IfExpr : Expr {
  Expr* condition;
  Expr* then_branch;
  Expr* else_branch;
};
struct LetExpr : Expr {
  std::span<Decl*> decls;
  Expr* body;
};
struct CaseAlternative {
  Pattern* pattern;
  Expr* body;
};
struct CaseExpr : Expr {
  Expr* scrutinee;
  std::span<CaseAlternative> alternatives;
};
struct LambdaExpr : Expr {
  std::span<Pattern*> parameters;
  Expr* body;
};
struct TupleExpr : Expr {
  std::span<Expr*> elements;
};  // () is the empty tuple; never one element
struct ListExpr : Expr {
  std::span<Expr*> elements;
};
struct RangeExpr : Expr {  // `[a .. b]`
  Expr* first;
  Expr* last;
};
/// `i in xs`, or `i in a .. b` with `last`.
struct Generator {
  Pattern* pattern;
  Expr* first;
  Expr* last;  // null for a list
};
struct ComprehensionExpr : Expr {
  Expr* element;
  std::span<Generator> generators;
};
struct IndexPart {
  Expr* first;
  Expr* last;  // null for a single index; a slice `first .. last` otherwise
};
struct IndexExpr : Expr {
  Expr* base;
  std::span<IndexPart> parts;
};
struct FieldExpr : Expr {
  Expr* base;
  Ident field;
};
/// `R { a = 1 }`.
struct RecordExpr : Expr {
  QualifiedIdent constructor;
  std::span<Setting> settings;
};
/// `e with { a = 1 }`: a record with other fields, or a relation with other parameters.
struct WithExpr : Expr {
  Expr* base;
  std::span<Setting> settings;
};
/// `e as <V>`.
struct AsExpr : Expr {
  Expr* value;
  const Unit* unit;
};
/// A formal that is written as a pattern has the text of the pattern as its name; the body starts with a
/// `let` that takes it apart.
struct Formal {
  Causality causality;
  Ident name;
  Type* type;        // null when not written
  Pattern* pattern;  // null for a name
};
struct SigrelExpr : Expr {
  std::span<Formal> formals;
  std::span<Item*> body;
};
/// `block <> args` in an expression: its value is the outputs of the block. `f: block <> args` has a label.
struct ConnectionExpr : Expr {
  Expr* relation;
  Expr* args;
  bool labelled;
  Ident label;
};

// ---- patterns
// -------------------------------------------------------------------------------------------------------

enum class PatternKind : std::uint8_t {
  Wildcard,
  Variable,
  Int,
  Real,
  String,
  Tuple,
  List,
  Constructor,
  Cons,
  Typed,
  Record
};
struct Pattern {
  PatternKind kind;
  Span span;
};
struct VariablePattern : Pattern {
  Ident name;
};
struct IntPattern : Pattern {
  std::int64_t value;
};
struct RealPattern : Pattern {
  double value;
};
struct StringPattern : Pattern {
  std::string_view value;
};
struct TuplePattern : Pattern {
  std::span<Pattern*> elements;
};
struct ListPattern : Pattern {
  std::span<Pattern*> elements;
};
struct ConstructorPattern : Pattern {
  QualifiedIdent name;
  std::span<Pattern*> args;
};
struct ConsPattern : Pattern {
  Pattern* head;
  Pattern* tail;
};
struct TypedPattern : Pattern {
  Ident name;
  Type* type;
};
struct FieldPattern {
  Ident name;
  Pattern* pattern;  // of `R { b }`: the variable b
};
/// `R { a = p, b }`; fields that are not named match any value.
struct RecordPattern : Pattern {
  QualifiedIdent constructor;
  std::span<FieldPattern> fields;
};

// ---- relation bodies
// ------------------------------------------------------------------------------------------------

enum class ItemKind : std::uint8_t {
  Equation,
  Application,
  Instance,
  Connect,
  Local,
  Discrete,
  Let,
  For,
  If,
  Initially,
  Guess,
  Steady,
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
/// `left = right`. A block application `y = f <> u` has a ConnectionExpr on the right. `blocks` are the
/// labelled ones in both sides, inner ones first.
struct EquationItem : Item {
  Expr* left;
  Expr* right;
  std::span<ConnectionExpr*> blocks;
};
/// `[label:] relation <> args`; `args` is a TupleExpr or a single expression, with these labelled blocks.
struct ApplicationItem : Item {
  bool labelled;
  Ident label;
  Expr* relation;
  Expr* args;
  Span diamond;
  std::span<ConnectionExpr*> blocks;
};
/// `r1: relation`, an instance with a fresh interface.
struct InstanceItem : Item {
  Ident label;
  Expr* relation;
};
struct ConnectItem : Item {
  std::span<Expr*> nodes;
};
/// `local x, y :: T with { … }`.
struct LocalItem : Item {
  std::span<Ident> names;
  Type* type;  // null when not written
  std::span<Setting> settings;
};
struct DiscreteItem : Item {
  std::span<Ident> names;
  Type* type;
  Expr* initial;  // null when not written
  std::span<Setting> settings;
};
struct LetItem : Item {
  std::span<Decl*> decls;
};
struct ForItem : Item {
  std::span<Generator> generators;
  std::span<Item*> body;
};
/// `else if` is an `else` with one IfItem.
struct IfItem : Item {
  Expr* condition;
  std::span<Item*> then_body;
  bool has_else;
  std::span<Item*> else_body;
};
struct BlockItem : Item {
  std::span<Item*> body;
};  // Initially, Guess
struct SteadyItem : Item {
  std::span<Expr*> signals;
};  // `steady x, y`; alone: all states of the relation
struct WhenBranch {
  std::span<Expr*> conditions;
  std::span<Item*> body;
  Span span;
};
/// `when a, b do …` with its `elsewhen` branches.
struct WhenItem : Item {
  std::span<WhenBranch> branches;
};
struct EveryItem : Item {
  Expr* period;
  std::span<Setting> settings;
  std::span<Item*> body;
};
struct AssignItem : Item {
  Expr* target;
  Expr* value;
};
struct Mode {
  Ident name;
  std::span<Pattern*> parameters;
  std::span<Item*> body;
  Span span;
};
struct SwitchItem : Item {
  Expr* initial;
  std::span<Mode> modes;
};
struct UntilItem : Item {
  Expr* condition;
  Expr* target;
};
struct AssertItem : Item {
  Expr* message;
  Expr* condition;
};
struct TerminateItem : Item {
  Expr* condition;
};

// ---- declarations
// ---------------------------------------------------------------------------------------------------

enum class DeclKind : std::uint8_t { Import, TypeSynonym, Record, Data, Foreign, Signature, Clause, Binding };
struct Decl {
  DeclKind kind;
  Span span;
  std::string_view doc;  // the text of the `-- |` comment before it, without the marks; empty when absent
};
struct ImportDecl : Decl {
  Ident module;  // the dotted name as one interned name
  bool has_alias;
  Ident alias;
  bool hiding;
  bool has_list;
  std::span<Ident> names;
};
struct TypeSynonymDecl : Decl {
  Ident name;
  std::span<Ident> parameters;
  Type* type;
};
struct RecordField {
  bool flow, rotation;
  Ident name;
  Type* type;
  Expr* default_value;  // null when absent
};
struct RecordDecl : Decl {
  Ident name;
  std::span<Ident> parameters;
  std::span<RecordField> fields;  // `a, b :: T` is two fields
};
struct DataConstructor {
  Ident name;
  std::span<Type*> args;
};
struct DataDecl : Decl {
  Ident name;
  std::span<Ident> parameters;
  std::span<DataConstructor> constructors;
};
struct ForeignDecl : Decl {
  std::string_view symbol;
  Ident name;
  Type* type;
  std::span<Setting> settings;
};
struct SignatureDecl : Decl {
  std::span<Ident> names;
  Type* type;
};
/// `f p q = e`: one clause; consecutive clauses of a name form one definition.
struct ClauseDecl : Decl {
  Ident name;
  std::span<Pattern*> parameters;
  Expr* body;
};
/// `(a, b) = e` in a `let`: a pattern that binds the names in it.
struct BindingDecl : Decl {
  Pattern* pattern;
  Expr* value;
};

/// The tree of one file.
struct Module {
  FileId file;
  bool has_header = false;
  Ident name;  // the dotted name of the header; the file stem without header
  std::vector<Decl*> decls;
  bool incomplete = false;     // a syntax error was reported: declarations may be missing
  std::vector<Ident> damaged;  // the names of declarations missing because of it
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
};

}  // namespace sigrel::ast
