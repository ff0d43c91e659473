#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "compiler/driver/command.h"

namespace sigrel::driver {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool types = false;
};

int check(const Globals& globals, const CheckOptions& options) {
  int exit_code = kSuccess;
  for (const std::string& file : options.files) {
    Session session(globals.run_options());
    session.load(file);
    bool fine = session.check() && session.check_structure() && session.check_main();
    print_diagnostics(globals, session);
    if (!fine) exit_code = kUserError;
    if (fine && options.types)
      for (const core::Global* global : session.definitions()) {
        std::string structure = session.structural_type(*global);
        fmt::print("{} :: {}{}{}\n", text(global->name), global->type, structure.empty() ? "" : " ",
                   structure);
        if (!global->feed_through.empty()) fmt::print("  -- at once: {}\n", global->feed_through);
      }
    else if (fine && !globals.json())
      fmt::print("{}: ok\n", file);
    print_timings(globals, session);
  }
  return exit_code;
}

}  // namespace

void add_check(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Check files without running them");
  command->add_option("files", options->files, "Input files")->required()->type_name("FILE");
  command->add_flag("--types", options->types, "Print the type of every definition");
  command->callback([&globals, &exit_code, options] { exit_code = check(globals, *options); });
}

}  // namespace sigrel::driver
