#include "compiler/session/pipeline.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "compiler/check/check.h"
#include "compiler/ir/ast_print.h"
#include "compiler/ir/core_print.h"
#include "compiler/ir/core_verify.h"
#include "compiler/order/order.h"
#include "compiler/parse/parse.h"
#include "compiler/reduce/reduce.h"
#include "compiler/session/dump_json.h"
#include "compiler/session/structural_types.h"

namespace sigrel::session {
namespace {

/// Runs one stage and notes how long it took.
template <class Stage>
auto timed(Context& context, const char* name, Stage stage) {
  auto start = std::chrono::steady_clock::now();
  auto result = stage();
  context.timings.push_back({name,
                             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                             false, peak_memory()});
  return result;
}

/// Whether this is the stage to dump; `text` and `json` are called only then.
template <class Text, class Json>
bool dumped(Context& context, Dump dump, Text text, Json json) {
  if (context.dump != dump) return false;
  context.dumped = context.dump_json ? json() : text();
  if (context.dumped.empty() || context.dumped.back() != '\n') context.dumped += '\n';
  return true;
}

/// Aborts with the program dumped when the checker broke a promise.
void verify_core(const core::Program& program) {
  std::vector<std::string> broken = core::verify(program);
  if (broken.empty()) return;
  for (const std::string& what : broken) std::fprintf(stderr, "core: %s\n", what.c_str());
  std::fprintf(stderr, "%s", core::print(program).c_str());
  std::abort();
}

/// The module of an expression given on the command line.
std::optional<ast::Module> expression_module(const std::string& text, Context& context) {
  FileId file = context.sources.add(std::string(core::kExpression), text);
  ast::Module module;
  module.file = file;
  module.name = {intern(core::kExpression), {file, 0, 0}};
  ast::Expr* body = parse_expression(file, context.sources, module, context.diagnostics);
  if (!body) return std::nullopt;
  auto* clause = module.arena->make<ast::ClauseDecl>();
  clause->kind = ast::DeclKind::Clause;
  clause->span = body->span;
  clause->name = {intern(core::kExpression), body->span};
  clause->body = body;
  module.decls.push_back(clause);
  return module;
}

}  // namespace

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

const std::vector<DumpName>& dump_names() {
  static const std::vector<DumpName> names = {
      {Dump::Ast, "ast", "the file as it was read"},
      {Dump::Core, "core", "typed and desugared, every name resolved"},
      {Dump::System, "system", "the flat system: shapes, instances, unknowns"},
      {Dump::Dae, "dae", "without aliases and redundancy, with derivatives as variables"},
      {Dump::Plan, "plan", "the schedules that a run executes"},
      {Dump::Llvm, "llvm", "the generated code"},
      {Dump::Assembly, "assembly", "the generated code of this machine"},
  };
  return names;
}

std::optional<Checked> front_end(std::optional<Modules> loaded, const std::optional<std::string>& expression,
                                 Context& context) {
  // parse: text -> ast. Happens while modules are loaded, because a file says what it imports.
  if (!loaded) return std::nullopt;
  context.timings.push_back({"read", loaded->read_seconds});
  context.timings.push_back({"parse", loaded->parse_seconds});
  Checked result;
  result.modules = std::move(loaded->modules);
  result.root_index = result.modules.size() - 1;
  const ast::Module& root = result.root();
  if (dumped(context, Dump::Ast, [&] { return ast::print(root); }, [&] { return ast::print_json(root); }))
    return std::nullopt;
  if (!loaded->complete) return std::nullopt;
  if (expression)
    if (std::optional<ast::Module> module = expression_module(*expression, context))
      result.modules.push_back(std::move(*module));

  // check: ast -> core. Goes on after errors of syntax: what parsed may have errors of its own.
  bool last_sees_previous = expression && !context.diagnostics.has_errors();
  result.program = timed(context, "check", [&] {
    return check::check(result.modules, context.diagnostics,
                        {.last_sees_previous = last_sees_previous, .samples = !expression});
  });
  if (context.diagnostics.has_errors()) return std::nullopt;
  if (context.verify) verify_core(result.program);
  if (dumped(
          context, Dump::Core, [&] { return core::print(result.program); },
          [&] { return core_json(result.program); }))
    return std::nullopt;
  return result;
}

std::unique_ptr<Compiled> back_end(const core::Program& program, const elaborate::Options& options,
                                   Backend backend, Context& context) {
  Diagnostics& diagnostics = context.diagnostics;
  auto result = std::make_unique<Compiled>();

  // elaborate: core -> system. The functional level is evaluated; relations become shapes and tables.
  auto elaborated =
      timed(context, "elaborate", [&] { return elaborate::elaborate(program, options, diagnostics); });
  if (!elaborated || diagnostics.has_errors()) return nullptr;
  result->system = std::move(elaborated->system);
  result->experiment = std::move(elaborated->experiment);
  const system::System& system = result->system;
  if (context.verify) system::verify(system);
  if (dumped(
          context, Dump::System, [&] { return system::print(system); }, [&] { return system_json(system); }))
    return nullptr;

  // reduce: system -> dae. Aliases, zeros and redundancy go; derivatives become variables; what ties states
  // is differentiated.
  Diagnostics flat;
  result->dae = timed(context, "reduce", [&] { return reduce::reduce(system, flat); });
  // One that is singular is so because of some definition: that one is told, and if none is by itself, the
  // whole.
  auto structural = [](const Diagnostic& d) {
    return d.code == Code::TooManyEquations || d.code == Code::Undetermined || d.code == Code::NoUnknown ||
           d.code == Code::NoReferenceLevel || d.code == Code::RedundantEquation ||
           d.code == Code::ArbitraryLevel;
  };
  Diagnostics parts;
  if (std::ranges::any_of(flat.all(), structural)) report_singular_parts(program, parts);
  bool told = parts.has_errors() || (!flat.has_errors() && !parts.all().empty());
  if (told) {
    diagnostics.append(parts);
    flat.erase_if(structural);
  }
  diagnostics.append(flat);
  if (diagnostics.has_errors()) return nullptr;
  const dae::System& dae = result->dae;
  if (!context.why)
    for (Equations* done : {&result->system.equations, &result->system.initial, &result->system.assertions,
                            &result->system.events.conditions, &result->system.events.values})
      done->forget_rows();
  if (context.verify) dae::verify(system, dae);
  if (dumped(
          context, Dump::Dae, [&] { return dae::print(system, dae); }, [&] { return dae_json(system, dae); }))
    return nullptr;

  // order: dae -> plan. Schedules of runs: matching, blocks, what is solved by whom.
  result->plan =
      timed(context, "order", [&] { return order::order(system, dae, diagnostics, context.start); });
  if (diagnostics.has_errors()) return nullptr;
  plan::Plan& plan = result->plan;
  if (context.verify) plan::verify(plan);
  if (dumped(
          context, Dump::Plan, [&] { return plan::print(system, dae, plan); },
          [&] { return plan_json(system, dae, plan); }))
    return nullptr;
  for (auto [dump, listing] :
       {std::pair{Dump::Llvm, Listing::Llvm}, std::pair{Dump::Assembly, Listing::Assembly}}) {
    auto text = [&, listing = listing] { return print_code(plan, listing); };
    if (dumped(context, dump, text, [&] { return listing_json(text()); })) return nullptr;
  }

  // lower and jit: plan -> code. Or the interpreter, where it is asked for or code must not be generated.
  result->executable =
      timed(context, "code", [&] { return make_executable(plan, backend, context.compiler); });
  const Executable& executable = result->executable;
  if (executable.backend == Backend::Jit)
    for (auto [part, seconds] :
         {std::pair{"lower", executable.lower_seconds}, std::pair{"set-up", executable.setup_seconds},
          std::pair{"machine code", executable.machine_seconds}, std::pair{"link", executable.link_seconds}})
      context.timings.push_back({part, seconds, true});
  plan.model.kernels = executable.kernels;
  return result;
}

}  // namespace sigrel::session
