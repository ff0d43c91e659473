// Evaluation of the functional level: core expressions to values.
//
// In: core::Program. Out: values, on demand: of a global, or of an expression in a relation body under
// construction. Elaboration owns the body and serves the machine through BodyHost; nothing here refers to
// rows, columns or instances. An explicit stack of frames replaces native recursion, so that a program which
// recurses without end is reported with a diagnostic.
//
//   bytecode.h, compile*         core expressions to code for a stack machine; items of loops as functions of
//                                what they read (ParameterisedItem)
//   value.*, layout.*            values, their heap, layouts with evaluated sizes
//   machine.*, machine_run.cpp   the machine: frames and calls; its loop over the instructions
//   access.cpp, interface.cpp    parts of values; layouts of declarations and interfaces
//   arithmetic.cpp               overloaded arithmetic on numbers, parameters, signals and aggregates
//   primitives.cpp, operands.h   all primitive operations
//   library.cpp                  tables and foreign functions
//   data.cpp                     columns and grids of data files
//   relation.*                   a relation value as skeleton and captured parameters
//   size_dependence.*            what the evaluation of a sample implies for other sizes
//   show.*                       a value as text in the notation of the source
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/base/limits.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/evaluate/bytecode.h"
#include "compiler/evaluate/layout.h"
#include "compiler/evaluate/value.h"
#include "compiler/ir/library.h"

namespace sigrel::data {
class DataFile;
struct Problem;
struct Unit;
}  // namespace sigrel::data

namespace sigrel::evaluate {

struct MathFunction;

/// Operations on the body under construction. A nullopt means that an error was reported, or that the body is
/// not ready (Machine::not_ready).
class BodyHost {
 public:
  virtual ~BodyHost() = default;
  virtual std::optional<Value> node_field(const Object& node, std::uint32_t field, Span span) = 0;
  virtual std::optional<Value> member(const core::MemberExpr& member, const Value& base,
                                      std::span<const Value> indices) = 0;
  virtual Value member_field(const Object& member, std::uint32_t field, Name name) = 0;
  virtual Value member_index(const Object& member, std::span<const Value> indices) = 0;
  virtual ExprId member_signal(const Object& member) = 0;
  virtual std::optional<Value> block_apply(const Value& relation, const Value& inputs, Span span) = 0;
  /// The value of a parameter expression decides structure: the captured Reals that it depends on become
  /// structural.
  virtual void force(std::uint32_t parameter) = 0;
  /// `pre signal`, of a scalar.
  virtual std::optional<Value> previous(const Value& signal, std::string_view word, Span span) = 0;
  /// `delay signal length`, of a scalar.
  virtual std::optional<Value> delayed(const Value& signal, const Value& length, Span span) = 0;
};

class SizeAnalysis;

class Machine {
 public:
  Machine(Bytecode& code, Heap& heap, Layouts& layouts, Diagnostics& diagnostics)
      : code_(code),
        heap_(heap),
        layouts_(layouts),
        diagnostics_(diagnostics),
        globals_(code.program().globals.size()) {}

  ExprPool parameters;  // over the captured Reals of the body under construction (Param leaves)
  ExprPool signals;  // over its columns (Slot, Der leaves) and parameters (Param leaves: ids in `parameters`)
  Limits limits;
  BodyHost* host = nullptr;
  /// Relations may capture signals: they stand for their values when a mode is entered.
  bool captures_signals = false;
  /// Variables of instances in a value, also in what it contains and captures, become signals, as other
  /// variables are. Whether there are any.
  bool read_members(Value& value);
  SizeAnalysis* size_analysis = nullptr;  // set while a sample of a definition with sizes is evaluated
  /// `==` and `/=` of signals in the body under construction: the places of the nodes of `signals`.
  struct Equality {
    ExprId node;
    Span span;
  };
  std::vector<Equality> equalities;
  struct Claim {
    core::ContractId contract;
    Value relation;
    Span span;
  };
  std::vector<Claim>* claims = nullptr;  // if set, collects the relations that have to satisfy a contract

  enum class Status : std::uint8_t {
    Done,
    Failed,    // reported
    NotReady,  // needs a label or `let` of a later item
  };

  Status global(core::GlobalId id, Span span, Value& result);
  /// The value of a global that has been evaluated; null for others.
  const Value* known_global(core::GlobalId id) const {
    const GlobalState& g = globals_[id.value];
    return g.state == GlobalState::Done ? &g.value : nullptr;
  }
  /// Other values for some globals; those of all others are computed again when they are needed.
  void replace_globals(std::span<const std::pair<core::GlobalId, Value>> values);
  /// Evaluates a chunk of a relation's code over the frame at `base`.
  Status chunk(const FunctionCode& code, std::uint32_t base, Value& result);

  /// Starts a body with a frame of `slots` values from 0 on.
  void begin_body(std::uint32_t slots);
  Value& slot(std::uint32_t i) { return stack_[i]; }
  std::span<Value> body_slots(std::uint32_t slots) { return {stack_.data(), slots}; }
  /// The layouts of a relation's interface, evaluated over its captures; an element is nullopt where no
  /// annotation gives a size.
  std::optional<std::vector<std::optional<LayoutId>>> interface(const RelationObject& relation);
  /// A declared layout, evaluated in the body's frame. `unknown` is set where no annotation gives a size.
  Status layout(const RelationCode& code, const core::Layout* layout, std::uint32_t base, LayoutId& result,
                bool& unknown);
  /// Refreshes the captures of a closure or relation from the frame at 0.
  void patch(Value closure);
  /// Whether all that the functions and relations in the value captured is defined. A function captures a
  /// variable without reading it, so it can be made before the variable is declared.
  bool is_defined(const Value& value) const;
  /// The value of a Real decides structure.
  void steer(const Value& real);
  /// The value of an Int is used in a way that is not linear in the size.
  void pin(const Value& value);

  // primitives.cpp, arithmetic.cpp
  std::optional<Value> primitive(core::Primitive op, std::span<Value> args, Span span);
  /// `pre value` of each signal in it. `word`: the operation that needs it, for messages.
  std::optional<Value> previous(const Value& value, std::string_view word, Span span);
  /// The value as a scalar expression; nullopt (reported) if it is not a scalar.
  std::optional<ExprId> to_signal(const Value& value, Span span);
  /// The value as a parameter expression's id in `parameters`.
  ExprId to_parameter(const Value& value);
  std::optional<Value> select(const Value& condition, const Value& a, const Value& b, Span span);

  // library.cpp
  /// Opens the files of `--library`; false (reported) when one cannot be opened.
  bool open_libraries(std::span<const std::string> files);
  /// Calls nothing but mathematical functions: any other foreign function may be in a library, and has no
  /// address. Where its value is needed, a warning tells that it is not called, and the evaluation fails.
  void defer_libraries() { libraries_deferred_ = true; }
  /// The library of tables and foreign functions that the expressions use; null when they use none.
  std::shared_ptr<const Library> used_library() const { return library_; }

  /// The number of global values cached so far.
  std::uint32_t cached_globals() const { return cached_globals_; }

  /// Reports that a label or `let` of a later item is needed.
  void not_ready() { not_ready_ = true; }
  bool is_not_ready() const { return not_ready_; }
  /// Call before work outside a chunk that may report an error or not_ready().
  void begin_report() {
    reported_ = false;
    not_ready_ = false;
    captured_undefined_ = false;
  }

  void fail(Code code, Span span, std::string message);
  /// Reports that a limit was exceeded.
  void fail_limit(std::string_view limit, Span span, std::string message);
  Heap& heap() { return heap_; }
  Layouts& layouts() { return layouts_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  /// The report of the failure of this evaluation, for more labels; null if there was none.
  Diagnostic* last_report() { return reported_ ? last_ : nullptr; }
  const Bytecode& code() const { return code_; }
  Bytecode& code() { return code_; }

 private:
  static constexpr std::uint32_t kNoStop = 0xFFFFFFFFu;
  struct Frame {
    const FunctionCode* function;
    std::uint32_t pc;
    std::uint32_t base;
    Object* closure;
    std::uint32_t global;  // + 1; the cache to fill on return
    std::uint32_t stop;    // a branch of a signal `if`: return at this Join; else kNoStop
    bool boundary;         // returning ends the native run
    Object* pending;       // arguments beyond the arity
    Span call;
  };
  struct GlobalState {
    enum : std::uint8_t { Unknown, Evaluating, Done } state = Unknown;
    std::uint32_t code = 0;
    bool compiled = false;
    Value value;
  };

  Status run();
  Status execute();
  RelationObject* with_parameters(const RelationObject& relation, const core::UpdateExpr& update);
  bool take_steps(std::uint64_t steps, Span span);
  bool has_room(double scalars, Span span);
  std::optional<Value> range(const Value& first, const Value& last);
  std::optional<Value> negate(const Value& a, Op op, Span span);
  std::optional<Value> round(const Value& a, Span span);
  std::optional<Value> divide(core::Primitive op, const Value& a, const Value& b, Span span);
  Status both_sides(std::array<std::uint32_t, 2> starts, std::uint32_t stop, const Value* kept, Span span,
                    Value (&sides)[2]);
  bool call(std::uint32_t count, Span span, bool tail);
  bool match(std::uint32_t pattern, const Value& value, std::uint32_t base, Span span, bool& matched);
  std::optional<Value> field(const Value& base, std::uint32_t index, Name name, Span span);
  std::optional<Value> index(const IndexShape& shape, std::span<Value> values, Span span);
  std::optional<Value> expand(const Value& member, const Object& layout, Span span);
  std::optional<Value> capture_relation(const RelationCode& code, const Frame& frame, Span span);
  Value captured(const CaptureSource& source, const Frame& frame) {
    const Value& v = source.local ? stack_[frame.base + source.index] : frame.closure->items[source.index];
    captured_undefined_ |= v.tag == Tag::Undefined;
    return v;
  }
  std::optional<Value> arithmetic(core::Primitive op, const Value& a, const Value& b, Span span);
  std::optional<Value> compare(core::Primitive op, const Value& a, const Value& b, Span span);
  std::optional<Value> scalar(Op op, const Value& a, const Value& b, Span span);
  std::optional<Value> scalar(Op op, const Value& a, Span span);
  std::optional<Value> rounded_int(Op op, const Value& a, Span span);
  std::optional<Value> power(const Value& a, const Value& b, Span span);
  std::optional<Value> der(const Value& a, Span span);
  std::optional<Value> zero(const Value& layout, Span span);
  std::optional<Value> append(const Value& a, const Value& b, Span span);
  Value list(const std::vector<Value>& items, Value rest);
  std::optional<Value> build_layout(const core::Layout* layout, std::span<const Value> values, Span span);
  std::optional<Value> vector_product(const Value& a, const Value& b, Span span);
  Library& library();
  std::optional<Value> table1(std::span<const Value> args, Span span);
  std::optional<Value> table2(std::span<const Value> args, Span span);
  bool table_number(const Value& value, Span span, std::vector<double>& out);
  bool table_knots(const std::vector<double>& knots, const char* what, bool jumps, Span span);
  // data.cpp
  std::optional<Value> data_column(std::span<const Value> args, Span span);
  std::optional<Value> data_table(std::span<const Value> args, Span span);
  std::optional<Value> data_grid(std::span<const Value> args, Span span);
  data::DataFile* data_file(const Value& name, Span span);
  std::optional<std::uint32_t> column_number(const data::DataFile& file, const Value& name, const Value& unit,
                                             Span span);
  bool unit_agrees(const data::Unit* stated, const Value& unit, const std::string& what, Span span);
  void fail_data(const data::Problem& problem, Span span);
  Value number_list(std::span<const double> numbers);
  std::uint32_t table(std::vector<double> key, const std::function<LookupTable()>& make);
  std::optional<std::uint32_t> foreign_function(core::GlobalId id);
  bool foreign_partials(std::uint32_t number, core::GlobalId derivative, Span span);
  std::optional<Value> foreign_call(std::uint32_t function, std::span<const Value> args, Span span);
  void fail_foreign(Span span, const std::string& symbol, const MathFunction* math, std::uint32_t arity);
  std::optional<Value> library_use(Op op, double detail, std::optional<std::uint32_t> table,
                                   std::span<const Value> args, Span span);

  Bytecode& code_;
  Heap& heap_;
  Layouts& layouts_;
  Diagnostics& diagnostics_;
  std::vector<GlobalState> globals_;
  std::vector<std::optional<std::vector<std::optional<LayoutId>>>>
      interfaces_;  // by RelationCode::id, where it does not depend on captures
  std::vector<Value> stack_;
  std::vector<Frame> frames_;
  std::shared_ptr<Library> library_;
  std::map<std::vector<double>, std::uint32_t> tables_;  // data -> number in the library
  // What was read of data files, in a heap that no scratch area releases: each once, whoever asks for it.
  Heap data_heap_;
  std::map<std::array<std::uintptr_t, 3>, Value> data_;  // file, columns
  std::map<std::array<std::uintptr_t, 3>, std::uint32_t>
      data_tables_;                                           // points, kinds -> number in the library
  std::unordered_map<std::uint32_t, std::uint32_t> foreign_;  // global -> number in the library
  std::vector<void*> shared_libraries_;
  bool libraries_deferred_ = false;
  std::uint64_t steps_ = 0;
  std::uint32_t cached_globals_ = 0;
  int branch_depth_ = 0;
  bool not_ready_ = false;
  bool captured_undefined_ = false;  // by a function or relation, since begin_report()
  bool reported_ = false;
  Diagnostic* last_ = nullptr;
};

/// "a Real", "a list", …, for messages.
std::string kind_of(const Value& value);

}  // namespace sigrel::evaluate
