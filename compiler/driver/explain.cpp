#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "compiler/diagnostics/display.h"
#include "compiler/driver/command.h"
#include "compiler/session/blocks.h"
#include "compiler/session/results.h"
#include "compiler/session/structure_report.h"
#include "compiler/session/why_report.h"
#include "compiler/structural_types/picture.h"
#include "runtime/results/output_file.h"

namespace sigrel::driver {
namespace {

constexpr std::size_t kShown = 100;  // of each kind, at most

struct ExplainOptions {
  std::string what, relation, svg, dot;
  std::vector<std::string> why;
  bool parameters = false, structure = false, states = false, index = false, initial = false, blocks = false;
  std::optional<std::string> expression;
};

int explain_code(const std::string& id) {
  if (id.empty()) {
    for (const CodeInfo& code : all_codes()) fmt::print("{}  {}\n", code.id, code.title);
    return kSuccess;
  }
  std::optional<Code> code = code_from_id(id);
  if (!code) {
    fmt::print(stderr, "`{}` is not a code of Sigrel; `sigrel explain` lists them all\n", id);
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
  if (all->empty()) fmt::print("no relation of this model was given anything\n");
  if (numeric > 0) {
    fmt::print("parameters: numbers that `--set NAME=VALUE` changes\n");
    print_arguments(*all, false, session.sources());
  }
  if (static_cast<std::size_t>(numeric) < all->size()) {
    fmt::print("{}structure: these decide which equations there are; another value makes another model\n",
               numeric > 0 ? "\n" : "");
    print_arguments(*all, true, session.sources());
  }
  return kSuccess;
}

int explain_structure(const Globals& globals, const ExplainOptions& options) {
  Session session(globals.session_options(true));
  session.load(options.what);
  bool fine = session.check();
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
    } else if (std::optional<structural_types::Picture> picture = session.structure_picture(*found)) {
      fmt::print("{} :: {}\n\n{}", text(found->name), found->type, structural_types::to_text(*picture));
      if (!options.svg.empty())
        if (std::string error = runtime::write_file(options.svg, structural_types::to_svg(*picture));
            !error.empty()) {
          fine = false;
          diagnostics.report(Code::ResultNotWritten, "the picture cannot be written to `" + options.svg + "`")
              .note(error);
        }
    } else if (fine) {
      fmt::print(
          "{} :: {}\n\n  no structural type of its own: it is no relation, or its equations depend on what "
          "it is given\n",
          text(found->name), found->type);
    }
  }
  print_diagnostics(globals, session);
  return fine ? kSuccess : kUserError;
}

/// Writes the pictures that were asked for.
void write_pictures(const ExplainOptions& options, const Compiled& model, Diagnostics& diagnostics) {
  const std::size_t equations = model.dae.equations.count();
  for (const std::string* path : {&options.svg, &options.dot}) {
    if (path->empty()) continue;
    auto report = [&](const std::string& reason) -> Diagnostic& {
      return diagnostics.report(Code::ResultNotWritten, "the picture cannot be written to `" + *path + "`")
          .note(reason);
    };
    if (equations > session::kLargestPicture)
      report(fmt::format("the model has {} equations after reduction; a picture has {} at most", equations,
                         session::kLargestPicture))
          .help("make the model smaller, or read the matrix from `sigrel dump plan --format json`");
    else if (std::string error = runtime::write_file(
                 *path, path == &options.svg ? session::incidence_svg(model) : session::incidence_dot(model));
             !error.empty())
      report(error);
  }
}

int explain_model(const Globals& globals, const ExplainOptions& options) {
  Session session(globals.session_options(true));
  session.load(options.what);
  std::shared_ptr<Compiled> model;
  if (session.check(options.expression)) model = session.compile({}, Backend::Interpreter);
  std::vector<std::string> why;
  for (const std::string& name : options.why) {
    if (!model) break;
    if (auto text = session::why_text(*model, name, session.sources()))
      why.push_back(*std::move(text));
    else
      session::Results(model->system, model->dae).select({&name, 1}, "--why", {}, session.diagnostics());
  }
  if (model && options.blocks) write_pictures(options, *model, session.diagnostics());
  print_diagnostics(globals, session);
  if (!model || session.diagnostics().has_errors()) return kUserError;
  if (!why.empty()) fmt::print("{}", fmt::join(why, "\n"));
  if (!why.empty() && (options.states || options.index || options.blocks)) fmt::print("\n");
  if (options.states) fmt::print("{}", session::states_text(*model, session.sources()));
  if (options.states && options.index) fmt::print("\n");
  if (options.index) fmt::print("{}", session::index_text(*model, session.sources()));
  if ((options.states || options.index) && options.initial) fmt::print("\n");
  if (options.initial) fmt::print("{}", session::initial_text(*model, session.sources()));
  if ((options.states || options.index || options.initial) && options.blocks) fmt::print("\n");
  if (options.blocks) fmt::print("{}", session::blocks_text(*model, session.sources()));
  return kSuccess;
}

}  // namespace

void add_explain(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "Explain the code of a diagnostic, a relation, or a model; alone: list the codes");
  command->add_option("what", options->what, "A code, for example SR0105; with an option a file")
      ->type_name("CODE|FILE");
  CLI::Option* relation =
      command->add_option("relation", options->relation, "With --structure: a definition of the file")
          ->type_name("RELATION");
  CLI::Option* structure =
      command
          ->add_flag("--structure", options->structure,
                     "The structural type of the relation, and its equations and unknowns as a matrix")
          ->needs(relation);
  relation->needs(structure);
  command->add_option("--svg", options->svg, "With --structure or --blocks: write the matrix as SVG too")
      ->type_name("FILE");
  command
      ->add_option("--dot", options->dot,
                   "With --blocks: write equations and variables as a graph for Graphviz")
      ->type_name("FILE");
  CLI::Option* parameters =
      command
          ->add_flag("--parameters", options->parameters,
                     "What --set can change in the model of the file, and what is structure")
          ->excludes(structure);
  command->add_option("-e,--expression", options->expression, "An experiment or a relation instead of `main`")
      ->type_name("EXPR");
  command
      ->add_flag("--states", options->states,
                 "The states of the model in the file, and what is differentiated but no state")
      ->excludes(structure)
      ->excludes(parameters);
  command->add_flag("--index", options->index, "Which equations of the model had to be differentiated")
      ->excludes(structure)
      ->excludes(parameters);
  command
      ->add_flag(
          "--initial", options->initial,
          "What every state of the model starts from, and which equations are solved together for that")
      ->excludes(structure)
      ->excludes(parameters);
  command
      ->add_flag("--blocks", options->blocks,
                 "In which order the equations of the model are solved, and which of them together")
      ->excludes(structure)
      ->excludes(parameters);
  command->add_option("--why", options->why, "The chain from a variable back to the lines that determine it")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->excludes(structure)
      ->excludes(parameters);
  command->callback([&globals, &exit_code, options] {
    const bool model = options->parameters || options->states || options->index || options->initial ||
                       options->blocks || !options->why.empty();
    if (model && options->what.empty()) throw CLI::RequiredError("FILE");
    if (options->expression && !model)
      throw CLI::RequiresError("--expression",
                               "--parameters, --states, --index, --initial, --blocks or --why");
    if (!options->svg.empty() && !options->structure && !options->blocks)
      throw CLI::RequiresError("--svg", "--structure or --blocks");
    if (!options->dot.empty() && !options->blocks) throw CLI::RequiresError("--dot", "--blocks");
    exit_code = options->structure    ? explain_structure(globals, *options)
                : options->parameters ? explain_parameters(globals, *options)
                : model               ? explain_model(globals, *options)
                                      : explain_code(options->what);
  });
}

}  // namespace sigrel::driver
