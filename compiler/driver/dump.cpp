#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "compiler/driver/command.h"

namespace sigrel::driver {
namespace {

struct DumpOptions {
  std::string stage, file, format = "text";
  std::optional<std::string> expression;
};

int dump(const Globals& globals, const DumpOptions& options) {
  pipeline::Dump stage{};
  for (const pipeline::DumpName& name : pipeline::dump_names())
    if (name.name == options.stage) stage = name.dump;
  Session session(globals.session_options());
  session.load(options.file);
  std::optional<std::string> text = session.dump_loaded(options.expression, stage, options.format == "json");
  print_diagnostics(globals, session);
  if (text) std::fwrite(text->data(), 1, text->size(), stdout);
  print_timings(globals, session);
  return session.diagnostics().has_errors() ? kUserError : kSuccess;
}

}  // namespace

void add_dump(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<DumpOptions>();
  std::vector<std::string> stages;
  std::string help = "Print the output of a compiler stage.\nStages:";
  for (const pipeline::DumpName& name : pipeline::dump_names()) {
    stages.emplace_back(name.name);
    help += fmt::format("\n  {:<10} {}", name.name, name.description);
  }
  CLI::App* command = app.add_subcommand("dump", help);
  command->add_option("stage", options->stage, "Stage to print")
      ->required()
      ->check(CLI::IsMember(stages))
      ->type_name("STAGE");
  command->add_option("file", options->file, "Input file")->required()->type_name("FILE");
  command->add_option("-e,--expression", options->expression, "Compile this expression instead of `main`")
      ->type_name("EXPR");
  command->add_option("--format", options->format, "Output format: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  command->callback([&globals, &exit_code, options] { exit_code = dump(globals, *options); });
}

}  // namespace sigrel::driver
