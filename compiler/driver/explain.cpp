#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

#include "compiler/driver/command.h"

namespace sigrel::driver {
namespace {

int explain(const std::string& id) {
  if (id.empty()) {
    for (const CodeInfo& code : all_codes()) fmt::print("{}  {}\n", code.id, code.title);
    return kSuccess;
  }
  std::optional<Code> code = code_from_id(id);
  if (!code) {
    fmt::print(stderr, "`{}` is not a code of Sigrel; `sigrel explain` lists them all\n", id);
    return kUsage;
  }
  std::string_view text = page(*code);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kSuccess;
}

}  // namespace

void add_explain(CLI::App& app, const Globals&, int& exit_code) {
  auto id = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("explain", "Explain the code of a diagnostic; without one: list the codes");
  command->add_option("code", *id, "The code, for example SR0105")->type_name("CODE");
  command->callback([&exit_code, id] { exit_code = explain(*id); });
}

}  // namespace sigrel::driver
