#include "compiler/pipeline/stage.h"

#include <sys/resource.h>

namespace sigrel::pipeline {

namespace {

std::string_view work_name;  // written by the thread of the session only

}  // namespace

std::string_view current_work() { return work_name; }
void set_current_work(std::string_view name) { work_name = name; }

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

const std::vector<DumpName>& dump_names() {
  static const std::vector<DumpName> names = {
      {Dump::Ast, "ast", "the syntax tree"},
      {Dump::Core, "core", "the typed and desugared program"},
      {Dump::System, "system", "the flat system: shapes, instances, unknowns"},
      {Dump::Dae, "dae", "the reduced system: no aliases, no redundant equations, derivatives as variables"},
      {Dump::Plan, "plan", "the schedules that a run executes"},
      {Dump::Llvm, "llvm", "the generated LLVM code"},
      {Dump::Assembly, "assembly", "the generated machine code"},
  };
  return names;
}

}  // namespace sigrel::pipeline
