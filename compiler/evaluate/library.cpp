// Tables and foreign functions: the entries of the library of the system, and operations on them.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/evaluate/machine.h"
#include "compiler/evaluate/math_functions.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::evaluate {

Library& Machine::library() {
  if (!library_) {
    library_ = std::make_shared<Library>();
    parameters.library = signals.library = library_;
  }
  return *library_;
}

namespace {

std::vector<Value> elements(const Value& list) {
  std::vector<Value> result;
  for (const Object* cell = list.object; cell->size == 2; cell = cell->items[1].object)
    result.push_back(cell->items[0]);
  return result;
}

bool is_known_number(const Value& v) { return v.tag == Tag::Int || v.tag == Tag::Real; }
double number(const Value& v) { return v.tag == Tag::Int ? static_cast<double>(v.integer) : v.real; }

}  // namespace

bool Machine::table_number(const Value& v, Span span, std::vector<double>& out) {
  if (!is_known_number(v)) {
    fail(Code::SignalSteersStructure, span,
         "the data of a table are numbers that are known before the simulation");
    return false;
  }
  if (v.tag == Tag::Real && v.index != kConstant && host) host->force(v.index);
  out.push_back(number(v));
  return true;
}

bool Machine::table_knots(const std::vector<double>& knots, const char* what, bool jumps, Span span) {
  if (knots.size() < 2) {
    fail(Code::TableSize, span,
         fmt::format("a table needs at least two {}, this one has {}", what,
                     knots.size() == 1 ? "one" : "none"));
    if (last_) last_->help("a value that does not change needs no table");
    return false;
  }
  const auto show = [](double x) { return std::isnan(x) ? std::string("NaN") : fmt::format("{}", x); };
  for (std::size_t i = 1; i < knots.size(); ++i) {
    const bool twice = knots[i - 1] == knots[i];
    const bool thrice = twice && i > 1 && knots[i - 2] == knots[i];
    if (knots[i - 1] < knots[i] || (jumps && twice && !thrice && knots.front() < knots.back())) continue;
    fail(Code::TableOrder, span,
         twice ? fmt::format("the table has {} {} at {}", thrice && jumps ? "three" : "two", what, knots[i])
               : fmt::format("the {} of the table do not ascend: {} comes after {}", what, show(knots[i]),
                             show(knots[i - 1])));
    if (last_) {
      last_->note(jumps ? "its arguments ascend; two points with the same one are a jump"
                        : "its arguments must be strictly ascending");
      if (twice && !jumps) last_->help("a jump is a signal `if`, or two points of a `table1 Linear`");
    }
    return false;
  }
  return true;
}

std::uint32_t Machine::table(std::vector<double> key, const std::function<LookupTable()>& make) {
  auto [at, fresh] = tables_.try_emplace(std::move(key), static_cast<std::uint32_t>(library().tables.size()));
  if (fresh) library().tables.push_back(make());
  return at->second;
}

// An operation of the library: a number when its operands are constants, a parameter expression when they
// depend on captured Reals, else a signal expression. The index of a table is a parameter, so that equations
// that differ only in their tables share a shape.
std::optional<Value> Machine::library_use(Op op, double detail, std::optional<std::uint32_t> table,
                                          std::span<const Value> args, Span span) {
  bool known = true, constant = true;
  for (const Value& v : args) {
    known = known && is_known_number(v);
    constant = constant && v.index == kConstant;
  }
  auto node = [&](std::vector<std::uint32_t> operands) {
    operands.resize(3);
    return Node{op, operands[0], operands[1], operands[2], detail};
  };
  std::vector<std::uint32_t> operands;
  if (known && kind(op) == OpKind::Call && !library_->functions[call_detail(detail).function].address) {
    fail(Code::ForeignNotCalled, span,
         fmt::format("the value of `{}` is needed, and a check calls no functions of shared libraries",
                     library_->functions[call_detail(detail).function].name));
    if (last_) last_->note("`main` is checked when it is run; all definitions have been checked");
    return std::nullopt;
  }
  if (known) {
    std::vector<double> values;
    if (table) values.push_back(*table);
    for (const Value& v : args) values.push_back(number(v));
    values.resize(3);
    double result = apply(library_.get(), op, detail, values[0], values[1], values[2]);
    if (constant) return Value::of_real(result);
    if (table) operands.push_back(parameters.constant(*table).value);
    for (const Value& v : args) operands.push_back(to_parameter(v).value);
    return Value::of_real(result, parameters.intern(node(operands)).value);
  }
  if (table) operands.push_back(signals.param(parameters.constant(*table).value).value);
  for (const Value& v : args) {
    auto x = to_signal(v, span);
    if (!x) return std::nullopt;
    operands.push_back(x->value);
  }
  return Value::of_signal(signals.intern(node(operands)));
}

// table1 kind outside points x
std::optional<Value> Machine::table1(std::span<const Value> args, Span span) {
  auto kind = static_cast<Interpolation>(args[0].object->a);
  auto outside = static_cast<Outside>(args[1].object->a);
  // Points of a file are the same list wherever they are read, and may be many.
  const std::array<std::uintptr_t, 3> use{reinterpret_cast<std::uintptr_t>(args[2].object), args[0].object->a,
                                          args[1].object->a};
  if (const auto known = data_tables_.find(use); known != data_tables_.end())
    return library_use(Op::Lookup1, 0, known->second, args.subspan(3), span);
  std::vector<double> x, y;
  for (const Value& point : elements(args[2]))
    if (!table_number(point.object->items[0], span, x) || !table_number(point.object->items[1], span, y))
      return std::nullopt;
  if (!table_knots(x, "points", kind == Interpolation::Linear, span)) return std::nullopt;
  std::vector<double> key{1, static_cast<double>(kind), static_cast<double>(outside)};
  key.insert(key.end(), x.begin(), x.end());
  key.insert(key.end(), y.begin(), y.end());
  std::uint32_t number = table(std::move(key), [&] { return make_table(kind, outside, x, y); });
  const auto is_points = [&](const auto& read) { return read.second.object == args[2].object; };
  if (std::ranges::any_of(data_, is_points)) data_tables_.emplace(use, number);
  return library_use(Op::Lookup1, 0, number, args.subspan(3), span);
}

// table2 kind outside xs ys rows x y
std::optional<Value> Machine::table2(std::span<const Value> args, Span span) {
  std::vector<double> x, y, values;
  for (const Value& v : elements(args[2]))
    if (!table_number(v, span, x)) return std::nullopt;
  for (const Value& v : elements(args[3]))
    if (!table_number(v, span, y)) return std::nullopt;
  if (!table_knots(x, "values of its first argument", false, span) ||
      !table_knots(y, "values of its second argument", false, span))
    return std::nullopt;
  std::vector<Value> rows = elements(args[4]);
  if (rows.size() != x.size()) {
    fail(Code::TableSize, span,
         fmt::format("the table has {} rows for {} values of its first argument", rows.size(), x.size()));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Value> row = elements(rows[i]);
    if (row.size() != y.size()) {
      fail(Code::TableSize, span,
           fmt::format("row {} of the table has {} numbers for {} values of its second argument", i + 1,
                       row.size(), y.size()));
      return std::nullopt;
    }
    for (const Value& v : row)
      if (!table_number(v, span, values)) return std::nullopt;
  }
  auto kind = static_cast<Interpolation>(args[0].object->a);
  auto outside = static_cast<Outside>(args[1].object->a);
  std::vector<double> key{2, static_cast<double>(kind), static_cast<double>(outside),
                          static_cast<double>(x.size())};
  for (const auto* part : {&x, &y, &values}) key.insert(key.end(), part->begin(), part->end());
  std::uint32_t number = table(std::move(key), [&] { return make_table(kind, outside, x, y, values); });
  return library_use(Op::Lookup2, 0, number, args.subspan(5), span);
}

namespace {

/// A function that the library defines itself. dlsym() would also find those of the libraries that it depends
/// on, the C library above all.
void* find_in_library(void* library, const std::string& symbol) {
  void* address = dlsym(library, symbol.c_str());
  link_map *own = nullptr, *found = nullptr;
  Dl_info info{};
  if (!address || dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&own)) != 0 ||
      dladdr1(address, &info, reinterpret_cast<void**>(&found), RTLD_DL_LINKMAP) == 0)
    return nullptr;
  return found == own ? address : nullptr;
}

}  // namespace

bool Machine::open_libraries(std::span<const std::string> files) {
  for (const std::string& file : files) {
    // dlopen() searches only the system folders for a name without a slash.
    void* library = dlopen(file.find('/') == std::string::npos ? ("./" + file).c_str() : file.c_str(),
                           RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char* reason = dlerror();
      diagnostics_
          .report(Code::LibraryNotLoaded, fmt::format("the shared library `{}` cannot be loaded", file))
          .note(reason ? reason : "the system gives no reason");
      return false;
    }
    shared_libraries_.push_back(library);
  }
  return true;
}

void Machine::fail_foreign(Span span, const std::string& symbol, const MathFunction* math,
                           std::uint32_t arity) {
  if (math) {
    fail(Code::ForeignNotFound, span,
         fmt::format("the C function `{}` has {} argument{}, not {}", symbol, math->arity,
                     math->arity == 1 ? "" : "s", arity));
    return;
  }
  fail(Code::ForeignNotFound, span, fmt::format("there is no C function `{}`", symbol));
  if (!last_) return;
  last_->note(
      "a model can import the mathematical functions of C, and those of the libraries of `--library`");
  if (auto near = did_you_mean(symbol, math_function_names()))
    last_->help(fmt::format("did you mean \"{}\"?", *near));
  last_->help(shared_libraries_.empty() ? "name the shared library that defines it: `--library FILE.so`"
                                        : "none of the libraries that `--library` names defines it");
}

std::optional<std::uint32_t> Machine::foreign_function(core::GlobalId id) {
  if (auto known = foreign_.find(id.value); known != foreign_.end()) return known->second;
  const core::Global& g = code_.program().globals[id.value];
  const core::Foreign& foreign = *g.foreign;
  std::string symbol(text(foreign.symbol));
  void* address = nullptr;
  for (void* library : shared_libraries_)
    if (!address) address = find_in_library(library, symbol);
  const MathFunction* math = address ? nullptr : math_function(symbol);
  if (math) address = math->address;
  if ((!address && !libraries_deferred_) || (math && math->arity != foreign.arity)) {
    fail_foreign(g.span, symbol, math, foreign.arity);
    return std::nullopt;
  }
  auto number = static_cast<std::uint32_t>(library().functions.size());
  library().functions.push_back({std::string(text(g.name)), symbol, g.span, foreign.arity, address, {}});
  foreign_.emplace(id.value, number);  // its derivative may call it
  if (foreign.derivative && !foreign_partials(number, *foreign.derivative, g.span)) return std::nullopt;
  return number;
}

// Applies the derivative to the slots 0, 1, … as arguments; the results are the formulas of the partial
// derivatives.
bool Machine::foreign_partials(std::uint32_t number, core::GlobalId derivative, Span span) {
  Value value;
  if (global(derivative, span, value) != Status::Done) return false;
  std::uint32_t arity = library().functions[number].arity;
  std::vector<Value> functions{value};
  if (arity > 1) functions.assign(value.object->items, value.object->items + arity);
  std::vector<ExprId> formulas;
  for (Value& function : functions) {
    for (std::uint32_t k = 0; k < arity; ++k) {
      stack_.push_back(function);
      stack_.push_back(Value::of_signal(signals.slot(k)));
      std::size_t depth = frames_.size();
      if (!call(1, span, false)) return false;
      if (frames_.size() > depth) {
        frames_.back().boundary = true;
        if (run() != Status::Done) return false;
      }
      function = stack_.back();
      stack_.pop_back();
    }
    auto signal = to_signal(function, span);
    if (!signal) return false;
    // Parameters of the body under construction (captured Reals, table numbers) become constants in a
    // formula.
    formulas.push_back(symbolic::rewrite(signals, *signal, library().formulas, [&](const Node& leaf) {
      return leaf.op == Op::Param ? library().formulas.constant(parameters[ExprId{leaf.a}].value)
                                  : library().formulas.intern(leaf);
    }));
  }
  library().functions[number].partials = std::move(formulas);
  return true;
}

std::optional<Value> Machine::foreign_call(std::uint32_t function, std::span<const Value> args, Span span) {
  static constexpr Op kCalls[] = {Op::Call1, Op::Call2, Op::Call3};
  return library_use(kCalls[args.size() - 1], encode(CallDetail{function, 0}), std::nullopt, args, span);
}

}  // namespace sigrel::evaluate
