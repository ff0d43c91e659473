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
  session::Dump stage{};
  for (const session::DumpName& name : session::dump_names())
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
  std::string help = "Show what a stage made of a file.\nStages:";
  for (const session::DumpName& name : session::dump_names()) {
    stages.emplace_back(name.name);
    help += fmt::format("\n  {:<10} {}", name.name, name.what);
  }
  CLI::App* command = app.add_subcommand("dump", help);
  command->add_option("stage", options->stage, "The stage")
      ->required()
      ->check(CLI::IsMember(stages))
      ->type_name("STAGE");
  command->add_option("file", options->file, "The file")->required()->type_name("FILE");
  command->add_option("-e,--expression", options->expression, "An expression instead of `main`")
      ->type_name("EXPR");
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  command->callback([&globals, &exit_code, options] { exit_code = dump(globals, *options); });
}

}  // namespace sigrel::driver
