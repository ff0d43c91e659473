#include "compiler/pipeline/pipeline.h"

#include <cstdio>
#include <cstdlib>

#include "compiler/check/check.h"
#include "compiler/data/files.h"
#include "compiler/ir/ast_print.h"
#include "compiler/ir/core_print.h"
#include "compiler/ir/core_verify.h"
#include "compiler/order/order.h"
#include "compiler/pipeline/cyclic_assignments.h"
#include "compiler/pipeline/dump_json.h"
#include "compiler/pipeline/library_index.h"
#include "compiler/pipeline/mode_search.h"
#include "compiler/pipeline/results.h"
#include "compiler/pipeline/singular_definitions.h"
#include "compiler/pipeline/structures.h"
#include "compiler/reduce/mechanisms/angular_velocities.h"
#include "compiler/reduce/mechanisms/close_loops.h"
#include "compiler/reduce/reduce.h"
#include "compiler/reduce/value_guards.h"

namespace sigrel::pipeline {
namespace {

/// Aborts and dumps the program if the checker broke an invariant of `core`.
void verify_core(const core::Program& program) {
  const std::vector<std::string> violations = core::verify(program);
  if (violations.empty()) return;
  for (const std::string& violation : violations) std::fprintf(stderr, "core: %s\n", violation.c_str());
  std::fprintf(stderr, "%s", core::print(program).c_str());
  std::abort();
}

/// The module of an expression from the command line.
std::optional<ast::Module> module_of(const std::string& expression, Context& context) {
  const FileId file = context.sources.add(std::string(core::kExpression), expression);
  return expression_module(file, intern(core::kExpression), context.sources, context.diagnostics);
}

/// Frees the rows of the flat equations: only explanations and jumps read them after the reduction.
void forget_flat_equations(system::System& system) {
  for (Equations* equations : {&system.equations, &system.initial, &system.assertions,
                               &system.events.conditions, &system.events.values})
    equations->forget_rows();
}

}  // namespace

bool may_jump(const system::System& system, const dae::System& dae) {
  const bool has_events = !system.events.triggers.empty() || !dae.zero_crossings.empty();
  return !system.switches.empty() ||
         (has_events &&
          std::ranges::any_of(dae.derivative_of, [](std::uint32_t e) { return e != dae::kNone; }));
}

std::optional<Checked> front_end(std::optional<Modules> loaded, const std::optional<std::string>& expression,
                                 Context& context) {
  // parse: text -> ast. Done while the modules are loaded, because a file names its imports.
  if (!loaded) return std::nullopt;
  context.timings.push_back({"read", loaded->read_seconds});
  context.timings.push_back({"parse", loaded->parse_seconds});
  Checked result;
  result.modules = std::move(loaded->modules);
  result.root_index = result.modules.size() - 1;
  if (dumped(context, Printer{Dump::Ast, [&] { return ast::print(result.root()); },  //
                              [&] { return ast::print_json(result.root()); }}))
    return std::nullopt;
  if (!loaded->complete) return std::nullopt;
  if (expression)
    if (std::optional<ast::Module> module = module_of(*expression, context))
      result.modules.push_back(std::move(*module));

  // check: ast -> core. Runs after syntax errors as well: the declarations that parsed may have type errors.
  const bool expression_parsed = expression && !context.diagnostics.has_errors();
  core::Program& program = result.program;
  const auto files =
      std::make_shared<data::Files>(context.sources, result.root().file, loaded->folder, loaded->folders);
  const bool complete = stage(
      context, "check",
      [&] {
        program = check::check(result.modules, context.diagnostics,
                               {.last_sees_previous = expression_parsed,
                                .samples = !expression,
                                .modules_with = modules_with,
                                .limits = context.limits,
                                .data = files.get()});
        program.data = files;
      },
      [&] { verify_core(program); },
      Printer{Dump::Core, [&] { return core::print(program); }, [&] { return core_json(program); }});
  if (!complete) return std::nullopt;
  return result;
}

namespace {

Context with_diagnostics(const Context& context, Diagnostics& diagnostics) {
  return {.sources = context.sources,
          .diagnostics = diagnostics,
          .timings = context.timings,
          .compiler = context.compiler,
          .verify = context.verify,
          .keep_equations = context.keep_equations,
          .dump = context.dump,
          .start = context.start,
          .limits = context.limits,
          .inputs = context.inputs};
}

/// In the modes in which all switches begin or, where their equations cannot be solved, in the first ones
/// that a search finds. If there are none, the errors are those of the modes that lack the fewest equations:
/// what is wrong in these is wrong in all.
bool compile_in_first_modes(elaborate::Elaborator& elaborator, elaborate::Result elaborated, Backend backend,
                            Context& context, const core::Program& program, Compiled& model) {
  Diagnostics best, found;
  Context in_first = with_diagnostics(context, best), in_other = with_diagnostics(context, found);
  const bool compiled = compile(std::move(elaborated), backend, in_first, &program, model);
  if (!best.has_errors()) {
    context.diagnostics.append(best);
    return compiled;
  }
  ModeSearch search;
  std::optional<Modes> modes = Modes{};
  SingularModes why = singular_modes(model.system, model.structure, model.dae, *modes);
  std::size_t fewest = why.missing;
  for (;;) {
    search.refuse(*modes, Refusal::Singular, why);
    modes = search.next();
    if (!modes) break;
    found = {};
    why = {};
    std::optional<elaborate::Result> next = elaborator.start_in(*modes, found);
    if (!next) continue;
    model = {};
    if (compile(std::move(*next), backend, in_other, nullptr, model)) {
      context.diagnostics.append(found);
      return true;
    }
    why = singular_modes(model.system, model.structure, model.dae, *modes);
    if (why.missing >= fewest) continue;
    fewest = why.missing;
    best = std::move(found);
  }
  context.diagnostics.append(best);
  return false;
}

/// Reports settings of parameters that neither the start nor a later mode has.
void find_unused(const Compiled& model, const std::vector<std::pair<std::size_t, Diagnostic>>& unused,
                 Diagnostics& diagnostics) {
  auto is_used = [&](const auto& setting) { return model.structures->has_used(setting.first); };
  model.structures->each_later(model,
                               [&](const system::System&) { return !std::ranges::all_of(unused, is_used); });
  for (const auto& setting : unused)
    if (!is_used(setting)) diagnostics.append(setting.second);
}

}  // namespace

// elaborate: core -> system. Evaluates the functional level; relations become shapes and tables of rows.
std::unique_ptr<Compiled> back_end(const core::Program& program, const elaborate::Options& options,
                                   Backend backend, Context& context) {
  auto elaborator = std::make_unique<elaborate::Elaborator>(program, options);
  std::optional<elaborate::Result> elaborated;
  const bool complete = stage(
      context, "elaborate", [&] { elaborated = elaborator->start(context.diagnostics); },
      [&] {
        if (elaborated)
          system::verify(elaborated->system);  // there is none where foreign functions are not called
      },
      Printer{Dump::System, [&] { return system::print(elaborated->system); },
              [&] { return system_json(elaborated->system); }});
  if (!complete || !elaborated) return nullptr;
  if (elaborated->system.switches.empty()) elaborator.reset();  // its values take memory
  const elaborate::Experiment experiment = elaborated->experiment;
  const auto unused_settings = std::move(elaborated->unused_settings);
  auto model = std::make_unique<Compiled>();
  const bool compiled = elaborator ? compile_in_first_modes(*elaborator, std::move(*elaborated), backend,
                                                            context, program, *model)
                                   : compile(std::move(*elaborated), backend, context, &program, *model);
  if (!compiled) return nullptr;
  model->experiment = experiment;
  if (!elaborator) return model;
  model->structures = std::make_shared<Structures>(std::move(elaborator), backend, context);
  if (!unused_settings.empty()) find_unused(*model, unused_settings, context.diagnostics);
  return context.diagnostics.has_errors() ? nullptr : std::move(model);
}

bool compile(elaborate::Result elaborated, Backend backend, Context& context, const core::Program* program,
             Compiled& model) {
  Diagnostics& diagnostics = context.diagnostics;
  auto& system = model.system = std::move(elaborated.system);
  model.experiment = std::move(elaborated.experiment);
  model.structure = std::move(elaborated.structure);
  auto& dae = model.dae;
  auto& plan = model.plan;
  auto& executable = model.executable;
  auto listing = [&](Dump dump, Listing kind) {
    auto text = [&plan, kind] { return print_code(plan, kind); };
    return Printer{dump, text, [text] { return listing_json(text()); }};
  };

  const bool complete =
      // reduce: system -> dae. Eliminates aliases, zeros and redundant equations, reduces the index, selects
      // the states.
      stage(
          context, "reduce",
          [&] {
            Diagnostics flat;
            reduce::ClosedLoops loops =
                reduce::close_loops(system, context.start_time.value_or(model.experiment.start), flat);
            model.reassembly = std::move(loops.reassembly);
            reduce::guard_values(system);
            dae = reduce::reduce(system, flat, matching_unknowns(system, context.inputs));
            if (!flat.has_errors()) reduce::add_angular_velocities(system, dae);
            if (program)
              report_reduction(*program, loops.around, std::move(flat), diagnostics);
            else
              diagnostics.append(flat);
            if (!context.keep_equations && !may_jump(system, dae)) forget_flat_equations(system);
          },
          [&] { dae::verify(system, dae); },
          Printer{Dump::Dae, [&] { return dae::print(system, dae); },
                  [&] { return dae_json(system, dae); }}) &&

      // order: dae -> plan. Matching, blocks, tearing: schedules of kernel batches and algebraic loops.
      stage(
          context, "order",
          [&] {
            plan = order::order(system, dae, diagnostics, context.start);
            if (!diagnostics.has_errors()) check_assignments(system, dae, plan.model, diagnostics);
          },
          [&] { plan::verify(plan); },
          Printer{Dump::Plan, [&] { return plan::print(system, dae, plan); },
                  [&] { return plan_json(system, dae, plan); }}) &&

      // The generated code as text: only for dumps.
      !dumped(context, listing(Dump::Llvm, Listing::Llvm)) &&
      !dumped(context, listing(Dump::Assembly, Listing::Assembly));
  if (!complete) return false;
  if (backend == Backend::None) return true;

  // lower and jit: plan -> machine code; or interpret: plan -> kernels without code, on request and where
  // code generation is not allowed.
  timed(context.timings, "code", [&] { executable = make_executable(plan, backend, context.compiler); });
  record_parts(executable, context.timings);
  plan.model.kernels = executable.kernels;
  plan.model.enclosures = executable.enclosures;
  return true;
}

}  // namespace sigrel::pipeline
