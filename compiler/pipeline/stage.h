// What all stages of the pipeline have in common: the context they run in, and the helper that runs one.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compiler/base/limits.h"
#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/plan.h"

namespace sigrel::jit {
class Compiler;
}

namespace sigrel::pipeline {

/// The intermediate representations that `sigrel dump` prints.
enum class Dump : std::uint8_t { Ast, Core, System, Dae, Plan, Llvm, Assembly };
struct DumpName {
  Dump dump;
  std::string_view name, description;
};
const std::vector<DumpName>& dump_names();

/// One representation to print. The pipeline stops after the stage that produces it.
struct DumpRequest {
  Dump dump;
  bool json = false;
  std::string text = {};  // the result; empty if the pipeline stopped earlier, after an error
};

struct Timing {
  std::string stage;
  double seconds = 0;
  bool part = false;  // of the preceding stage in the list
  double peak = 0;    // peak memory of the process when the stage ended, in bytes; 0: not measured
};

/// Peak memory of the process so far, in bytes.
double peak_memory();

/// What the process works at, for the message when memory ends: the stage that began last.
std::string_view current_work();
/// `name` outlives the process, as literals do.
void set_current_work(std::string_view name);

/// Runs `work` and records its duration and the peak memory. `name` is a literal.
template <class Work>
auto timed(std::vector<Timing>& timings, std::string_view name, Work work) {
  set_current_work(name);
  const auto start = std::chrono::steady_clock::now();
  auto record = [&] {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    timings.push_back({std::string(name), elapsed.count(), false, peak_memory()});
  };
  if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
    work();
    record();
  } else {
    auto result = work();
    record();
    return result;
  }
}

/// Shared by all stages.
struct Context {
  SourceMap& sources;
  Diagnostics& diagnostics;
  std::vector<Timing>& timings;
  jit::Compiler& compiler;     // caches generated code across models
  bool verify = false;         // verify the output of every stage
  bool keep_equations = true;  // keep the flat equations after reduction, for explain::why_text
  DumpRequest* dump = nullptr;
  plan::StartPolicy start = plan::StartPolicy::Guesses;
  Limits limits = {};
  std::vector<std::string> inputs = {};   // patterns of variables that remain variables of their own
  std::optional<double> start_time = {};  // seconds; none: that of the experiment
};

/// How the output of a stage is printed.
template <class Text, class Json>
struct Printer {
  Dump dump;
  Text text;
  Json json;
};
template <class Text, class Json>
Printer(Dump, Text, Json) -> Printer<Text, Json>;

/// Prints an output if it is the requested one. Returns whether it was.
template <class Text, class Json>
bool dumped(Context& context, const Printer<Text, Json>& print) {
  if (!context.dump || context.dump->dump != print.dump) return false;
  std::string& text = context.dump->text;
  text = context.dump->json ? print.json() : print.text();
  if (text.empty() || text.back() != '\n') text += '\n';
  return true;
}

/// Runs one stage: measures `run`, verifies the output if the context asks for it, and prints it if it is the
/// requested one. Returns whether the pipeline continues: not after an error, and not after a dump.
template <class Run, class Verify, class Text, class Json>
bool stage(Context& context, std::string_view name, Run run, Verify verify,
           const Printer<Text, Json>& print) {
  timed(context.timings, name, run);
  if (context.diagnostics.has_errors()) return false;
  if (context.verify) verify();
  return !dumped(context, print);
}

}  // namespace sigrel::pipeline
