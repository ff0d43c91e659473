#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "compiler/diagnostics/display.h"
#include "compiler/driver/command.h"
#include "compiler/driver/interrupt.h"
#include "compiler/driver/outputs.h"
#include "compiler/explain/blocks.h"
#include "compiler/explain/structure_changes.h"
#include "compiler/explain/structure_report.h"
#include "compiler/explain/why_report.h"
#include "compiler/pipeline/results.h"
#include "compiler/structural_types/picture.h"
#include "runtime/results/output_file.h"

namespace sigrel::driver {
namespace {

constexpr std::size_t kShown = 100;  // of each kind, at most

struct ExplainOptions {
  std::string what, relation, svg, dot;
  std::vector<std::string> why;
  bool parameters = false, modes = false, structure = false, states = false, index = false, initial = false,
       blocks = false;
  std::optional<std::string> expression;
};

int explain_code(const std::string& id) {
  if (id.empty()) {
    for (const CodeInfo& code : all_codes()) fmt::print("{}  {}\n", code.id, code.title);
    return kSuccess;
  }
  std::optional<Code> code = code_from_id(id);
  if (!code) {
    fmt::print(stderr, "`{}` is not a diagnostic code; `sigrel explain` lists all codes\n", id);
    if (id.ends_with(".sr"))
      fmt::print(stderr, "`sigrel explain {} --parameters` lists the parameters of its model\n", id);
    return kUsage;
  }
  std::string_view text = page(*code);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kSuccess;
}

void print_arguments(const std::vector<elaborate::Argument>& all, bool structural, const SourceMap& sources) {
  std::vector<const elaborate::Argument*> chosen;
  for (const elaborate::Argument& a : all)
    if (a.structural == structural) chosen.push_back(&a);
  std::size_t rest = chosen.size() - std::min(chosen.size(), kShown);
  chosen.resize(chosen.size() - rest);
  std::uint32_t name_width = 0, value_width = 0, type_width = 0;
  for (const elaborate::Argument* a : chosen) {
    name_width = std::max(name_width, display_width(a->name));
    value_width = std::max(value_width, display_width(a->value));
    type_width = std::max(type_width, display_width(a->type));
  }
  auto padded = [](const std::string& text, std::uint32_t width) {
    return text + std::string(width - display_width(text), ' ');
  };
  for (const elaborate::Argument* a : chosen) {
    const SourceFile& file = sources.file(a->span.file);
    fmt::print("  {}  {}  {}  {}:{}\n", padded(a->name, name_width), padded(a->value, value_width),
               padded(a->type, type_width), file.path, file.position(a->span.begin).line);
  }
  if (rest > 0) fmt::print("  and {} more\n", rest);
}

int explain_parameters(const Globals& globals, const ExplainOptions& options) {
  Session session(globals.session_options(true));
  session.load(options.what);
  std::optional<std::vector<elaborate::Argument>> all;
  if (session.check(options.expression)) all = session.arguments();
  print_diagnostics(globals, session);
  if (!all) return kUserError;
  auto numeric = std::ranges::count(*all, false, &elaborate::Argument::structural);
  if (all->empty()) fmt::print("this model has no parameters\n");
  if (numeric > 0) {
    fmt::print("parameters: `--set NAME=VALUE` changes their values\n");
    print_arguments(*all, false, session.sources());
  }
  if (static_cast<std::size_t>(numeric) < all->size()) {
    fmt::print("{}structural parameters: they determine the equations; changing them requires a new model\n",
               numeric > 0 ? "\n" : "");
    print_arguments(*all, true, session.sources());
  }
  return kSuccess;
}

bool pictures_are_separate(const Globals& globals, const ExplainOptions& options, Session& session) {
  return outputs_are_separate(std::vector<NamedFile>{{"`--svg`", options.svg}, {"`--dot`", options.dot}},
                              inputs_of(globals, session), session.diagnostics());
}

int explain_structure(const Globals& globals, const ExplainOptions& options) {
  Session session(globals.session_options(true));
  session.load(options.what);
  bool fine = session.check() && pictures_are_separate(globals, options, session);
  if (fine) {
    fine = session.check_structure();
    const core::Global* found = nullptr;
    std::vector<std::string_view> names;
    for (const core::Global* global : session.definitions()) {
      names.push_back(text(global->name));
      if (names.back() == options.relation) found = global;
    }
    Diagnostics& diagnostics = session.diagnostics();
    if (!found) {
      fine = false;
      Diagnostic& d = diagnostics.report(
          Code::UnknownName, fmt::format("`{}` is not defined in {}", options.relation, options.what));
      if (auto near = did_you_mean(options.relation, names)) d.help(fmt::format("did you mean `{}`?", *near));
    } else if (const std::vector<structural_types::Picture> pictures = session.structure_pictures(*found);
               !pictures.empty()) {
      fmt::print("{} :: {}\n", text(found->name), found->type);
      for (const structural_types::Picture& picture : pictures)
        fmt::print("\n{}{}", picture.modes.empty() ? "" : fmt::format("in {}\n", picture.modes),
                   structural_types::to_text(picture));
      if (!options.svg.empty())
        if (std::string error = runtime::write_file(options.svg, structural_types::to_svg(pictures));
            !error.empty()) {
          fine = false;
          diagnostics.report(Code::ResultNotWritten, "the picture cannot be written to `" + options.svg + "`")
              .note(error);
        }
    } else if (fine) {
      fmt::print(
          "{} :: {}\n\n  no structural type: it is not a relation, or its equations depend on its "
          "arguments\n",
          text(found->name), found->type);
    }
  }
  print_diagnostics(globals, session);
  return fine ? kSuccess : kUserError;
}

/// Writes the requested pictures.
void write_pictures(const ExplainOptions& options, const Compiled& model, Diagnostics& diagnostics) {
  const std::size_t equations = model.dae.equations.count();
  for (const std::string* path : {&options.svg, &options.dot}) {
    if (path->empty()) continue;
    auto report = [&](const std::string& reason) -> Diagnostic& {
      return diagnostics.report(Code::ResultNotWritten, "the picture cannot be written to `" + *path + "`")
          .note(reason);
    };
    if (equations > explain::kLargestPicture)
      report(fmt::format("the model has {} equations after reduction; pictures are limited to {}", equations,
                         explain::kLargestPicture))
          .help("reduce the model, or use the matrix in `sigrel dump plan --format json`");
    else if (std::string error = runtime::write_file(
                 *path, path == &options.svg ? explain::incidence_svg(model) : explain::incidence_dot(model));
             !error.empty())
      report(error);
  }
}

/// Runs the experiment.
int explain_modes(const Globals& globals, const ExplainOptions& options) {
  Session session(globals.session_options(true));
  session.load(options.what);
  std::shared_ptr<Compiled> model;
  if (session.check(options.expression) && pictures_are_separate(globals, options, session))
    model = session.compile();
  if (!model || model->system.switches.empty()) {
    print_diagnostics(globals, session);
    if (!model) return kUserError;
    fmt::print("this model has no `switch`: its structure does not change\n");
    return kSuccess;
  }
  explain::ModeVisits visits;
  RunOptions request{.all_outputs = false, .keep_trajectory = false};
  request.cancel = &InterruptGuard::interrupted;
  request.change_observer = [&](const explain::StructureChange& change) { visits.change(change); };
  visits.begin(*model, model->experiment.start);
  Run run;
  {
    InterruptGuard guard;
    run = session.run(*model, request);
  }
  visits.end(run.outcome.reached);
  if (run.valid && !options.dot.empty())
    if (const std::string error = runtime::write_file(options.dot, visits.dot()); !error.empty())
      session.diagnostics()
          .report(Code::ResultNotWritten, "the graph cannot be written to `" + options.dot + "`")
          .note(error);
  print_diagnostics(globals, session);
  if (!run.valid) return kUserError;
  fmt::print("{}", visits.text());
  if (run.outcome.status == runtime::Outcome::Cancelled) return kInterrupted;
  return session.diagnostics().has_errors() ? kUserError : kSuccess;
}

/// Says of a model whose structure changes which one is shown.
void print_modes(const Compiled& model) {
  constexpr std::size_t kShown = 6;
  const std::vector<std::pair<std::string, std::string>> modes = explain::modes_of(model);
  if (modes.empty()) return;
  std::vector<std::string> shown;
  for (const auto& [of, mode] : std::span(modes).first(std::min(modes.size(), kShown)))
    shown.push_back(fmt::format("{} in {}", of, mode));
  fmt::print("the structure at the start: {}{}; `--modes` runs the model and lists the others\n\n",
             fmt::join(shown, ", "), modes.size() > kShown ? ", …" : "");
}

int explain_model(const Globals& globals, const ExplainOptions& options) {
  Session session(globals.session_options(true));
  session.load(options.what);
  std::shared_ptr<Compiled> model;
  if (session.check(options.expression) && pictures_are_separate(globals, options, session))
    model = session.compile({}, Backend::Interpreter);
  std::vector<std::string> why;
  for (const std::string& name : options.why) {
    if (!model) break;
    if (auto text = explain::why_text(*model, name, session.sources()))
      why.push_back(*std::move(text));
    else
      pipeline::Results(model->system, model->dae).select({&name, 1}, "--why", {}, session.diagnostics());
  }
  if (model && options.blocks) write_pictures(options, *model, session.diagnostics());
  print_diagnostics(globals, session);
  if (!model || session.diagnostics().has_errors()) return kUserError;
  print_modes(*model);
  if (!why.empty()) fmt::print("{}", fmt::join(why, "\n"));
  if (!why.empty() && (options.states || options.index || options.blocks)) fmt::print("\n");
  if (options.states) fmt::print("{}", explain::states_text(*model, session.sources()));
  if (options.states && options.index) fmt::print("\n");
  if (options.index) fmt::print("{}", explain::index_text(*model, session.sources()));
  if ((options.states || options.index) && options.initial) fmt::print("\n");
  if (options.initial) fmt::print("{}", explain::initial_text(*model, session.sources()));
  if ((options.states || options.index || options.initial) && options.blocks) fmt::print("\n");
  if (options.blocks) fmt::print("{}", explain::blocks_text(*model, session.sources()));
  return kSuccess;
}

}  // namespace

void add_explain(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "Explain a diagnostic code, a relation or a model; list all codes without arguments");
  command->add_option("what", options->what, "A code such as SR0105; with an option, a file")
      ->type_name("CODE|FILE");
  CLI::Option* relation =
      command->add_option("relation", options->relation, "With --structure: a definition in the file")
          ->type_name("RELATION");
  CLI::Option* structure = command
                               ->add_flag("--structure", options->structure,
                                          "Show the structural type of a relation and its incidence matrix")
                               ->needs(relation);
  relation->needs(structure);
  command->add_option("--svg", options->svg, "With --structure or --blocks: also write the matrix as SVG")
      ->type_name("FILE");
  command
      ->add_option(
          "--dot", options->dot,
          "Write a graph for Graphviz: with --blocks of equations and variables, with --modes of changes")
      ->type_name("FILE");
  CLI::Option* parameters = command
                                ->add_flag("--parameters", options->parameters,
                                           "List the parameters of the model and its structural parameters")
                                ->excludes(structure);
  command
      ->add_option("-e,--expression", options->expression,
                   "Explain this experiment or relation instead of `main`")
      ->type_name("EXPR");
  command
      ->add_flag("--states", options->states,
                 "List the states of the model and other differentiated variables")
      ->excludes(structure)
      ->excludes(parameters);
  command->add_flag("--index", options->index, "List the differentiated equations of the model")
      ->excludes(structure)
      ->excludes(parameters);
  command->add_flag("--initial", options->initial, "Show how the initial value of every state is determined")
      ->excludes(structure)
      ->excludes(parameters);
  command->add_flag("--blocks", options->blocks, "Show the order of the solution and its algebraic loops")
      ->excludes(structure)
      ->excludes(parameters);
  command
      ->add_flag("--modes", options->modes,
                 "Run the model and list the combinations of modes that it comes to, and the changes")
      ->excludes(structure)
      ->excludes(parameters);
  command->add_option("--why", options->why, "Show which equations determine a variable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->excludes(structure)
      ->excludes(parameters);
  command->callback([&globals, &exit_code, options] {
    const bool model = options->parameters || options->states || options->index || options->initial ||
                       options->blocks || options->modes || !options->why.empty();
    if (model && options->what.empty()) throw CLI::RequiredError("FILE");
    if (options->expression && !model)
      throw CLI::RequiresError("--expression",
                               "--parameters, --states, --index, --initial, --blocks, --modes or --why");
    if (!options->svg.empty() && !options->structure && !options->blocks)
      throw CLI::RequiresError("--svg", "--structure or --blocks");
    if (!options->dot.empty() && !options->blocks && !options->modes)
      throw CLI::RequiresError("--dot", "--blocks or --modes");
    exit_code = options->structure    ? explain_structure(globals, *options)
                : options->parameters ? explain_parameters(globals, *options)
                : options->modes      ? explain_modes(globals, *options)
                : model               ? explain_model(globals, *options)
                                      : explain_code(options->what);
  });
}

}  // namespace sigrel::driver
