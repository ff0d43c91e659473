// Bytecode of the functional level. A function or a relation body is compiled once, when its global is first
// needed. Captures are resolved at compile time, so a closure is its code and a flat array.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/evaluate/value.h"
#include "compiler/ir/core.h"

namespace sigrel::evaluate {

enum class Opcode : std::uint8_t {
  Constant,  // push constants[a]
  Local,     // push local a
  Capture,   // push capture a
  Global,    // push global a (evaluates it on its first use)
  Store,     // pop into local a
  Closure,   // push a closure of functions[a] over captures of this frame
  Relation,  // push a relation value of relations[a]
  Patch,     // refresh the captures of the closure or relation in local a, one of a recursive group
  Call,      // pop a arguments and a function, push the result
  TailCall,  // the same, replacing this frame
  Return,
  Jump,    // to a
  Branch,  // pop a condition; false: to a. A signal: both sides up to b, joined by a select
  Join,    // end of an `if` whose condition may be a signal
  Match,   // pop the top if it matches patterns[a], else to b
  Choose,  // before the Match of a constructor: if the top is a signal, both sides up to a, joined by a
           // select
  Pop,
  MatchFailure,  // no arm matched the top
  Tuple,         // pop a items
  Construct,     // constructor tag a, b items
  Record,        // record a, b fields
  Update,        // updates[a]: pop its values and the base
  Field,         // field a of the top
  Primitive,     // primitive a with b operands
  Foreign,       // the foreign function of global a, with b operands
  List,          // pop a items and the rest
  Vector,        // pop a items
  Index,         // parts[a] describes b popped bounds; below them the base
  Member,        // members[a]: pop its b indices; push a variable of an instance
  Expand,        // pop a layout; a variable of an instance on top becomes the value of its scalars
  BlockApply,    // pop inputs and relation, push the outputs
  Layout,        // push the layout layouts[a] as a value; its b sizes are popped
};

struct Instruction {
  Opcode op;
  std::uint32_t a = 0, b = 0;
};

struct CaptureSource {
  bool local;  // of the enclosing frame: a local, else one of its captures
  std::uint32_t index;
};

struct FunctionCode {
  Name name;
  Span span;
  std::uint32_t arity = 0;
  std::uint32_t slots = 0;
  std::vector<Instruction> code;
  std::vector<Span> spans;  // of each instruction
  std::vector<CaptureSource> captures;
};

/// offset + Σ factor · local, of Ints.
struct Affine {
  std::int64_t offset = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> terms;  // slot of the body's frame, factor
  bool operator==(const Affine&) const = default;
};

/// A value that an item of a loop reads in each iteration.
struct Reading {
  struct Step {
    bool is_field = false;
    std::uint32_t field = 0;
    Affine index;
    bool operator==(const Step&) const = default;
  };
  enum Kind : std::uint8_t {
    Part,        // a local, or a part of it: u[i + 1, j].x
    Number,      // real (i - 1), which is `left`
    Comparison,  // i < n: left op right
  } kind = Part;
  std::uint32_t local = 0;
  const core::MemberExpr* member = nullptr;  // Part: of the instance that the local labels
  std::vector<Affine> iterations{};          // the indices of that instance
  std::vector<Step> steps{};
  core::Primitive op{};
  Affine left{}, right{};
  bool strict = false;  // in the value of a `let`: evaluated in every branch
  bool operator==(const Reading&) const = default;
};

/// An item of a loop as a function of the values that it reads: they are stored in slots of the frame from
/// `first` on. Iterations that read values of the same kind share the result (elaborate: loop patterns).
struct ParameterisedItem {
  std::vector<Reading> readings;
  std::uint32_t first = 0;
  std::uint32_t left = 0, right = 0;  // functions of Bytecode; of an application: `left` is its arguments
  bool same_relation = false;         // an application: of one relation in all iterations
};

/// A relation literal: every expression of its body is a chunk of code over the slots of the body's frame.
struct RelationCode {
  const core::Relation* relation = nullptr;
  const core::Global* global = nullptr;
  std::uint32_t id = 0;
  std::uint32_t slots = 0;
  std::vector<CaptureSource> captures;
  std::vector<core::LocalId> captured;                          // parallel: which local it was
  std::unordered_map<std::uint32_t, std::uint32_t> slot;        // LocalId -> slot of the body's frame
  std::unordered_map<const core::Expr*, std::uint32_t> chunks;  // -> function of Bytecode
  std::unordered_map<const core::Layout*, std::uint32_t> layout_chunks;
  /// The equations and applications in loops that can be parameterised.
  std::unordered_map<const core::Item*, ParameterisedItem> parameterised;
  /// The switches of the body are numbered.
  std::unordered_map<const core::Item*, std::uint32_t> switches;
  /// `let`s of loops that are used only by parameterised equations of the same block.
  std::unordered_set<const core::Item*> inlined;
};

/// A pattern with its variables resolved to slots; the children of a node are consecutive in
/// Bytecode::patterns.
struct PatternNode {
  core::PatternKind kind = core::PatternKind::Wildcard;
  std::uint32_t slot = 0;
  std::int64_t integer = 0;
  double real = 0;
  Name string{};
  std::uint32_t tag = 0;
  std::uint32_t first = 0, count = 0;
};

struct IndexShape {
  std::vector<bool> slices;  // per part
};

/// All code of one program; grows when globals are first needed.
class Bytecode {
 public:
  explicit Bytecode(const core::Program& program) : program_(program) {}

  /// Compiles a global's body as a function of no arguments.
  std::uint32_t compile(core::GlobalId global);

  const core::Program& program() const { return program_; }
  const FunctionCode& function(std::uint32_t i) const { return *functions_[i]; }
  const RelationCode& relation(std::uint32_t i) const { return *relations_[i]; }

  std::vector<Value> constants;
  std::vector<PatternNode> patterns;
  std::vector<const core::UpdateExpr*> updates;
  std::vector<IndexShape> indices;
  std::vector<const core::MemberExpr*> members;
  std::vector<const core::Layout*> layouts;

 private:
  friend class Compiler;
  const core::Program& program_;
  std::vector<std::unique_ptr<FunctionCode>> functions_;
  std::vector<std::unique_ptr<RelationCode>> relations_;
};

}  // namespace sigrel::evaluate
