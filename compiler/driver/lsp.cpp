// sigrel lsp: the language server, for editors, on standard input and output.
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <mutex>

#include "compiler/driver/command.h"
#include "compiler/lsp/server.h"
#include "compiler/lsp/transport.h"

namespace sigrel::driver {
namespace {

// Messages that an editor sends together arrive within this time, in ms. Keys that come while a document is
// checked wait, and are then handled together.
constexpr int kTogether = 3;

int serve(const Globals& globals) {
  std::ios::sync_with_stdio(false);
  std::mutex output;  // runs answer from threads of their own
  const auto write = [&](const lsp::Json& message) {
    const std::lock_guard lock(output);
    // A text that is not UTF-8 is shown with replacement characters.
    lsp::write_message(std::cout, message.dump(-1, ' ', false, lsp::Json::error_handler_t::replace));
  };
  lsp::Server server(globals.session_options(), SIGREL_VERSION, write);
  lsp::Inbox inbox(STDIN_FILENO);
  while (const std::optional<lsp::Message> message = inbox.next()) {
    for (const lsp::Json& answer : server.handle(message->content, message->cancelled)) write(answer);
    if (server.exit_code()) return *server.exit_code();
    if (server.has_changes() && !inbox.more_within(kTogether))
      for (const lsp::Json& told : server.publish()) write(told);
  }
  return kUserError;  // the editor has gone without `exit`
}

}  // namespace

void add_lsp(CLI::App& app, const Globals& globals, int& exit_code) {
  CLI::App* command = app.add_subcommand("lsp", "Serve an editor: LSP 3.17 on standard input and output");
  command->callback([&globals, &exit_code] { exit_code = serve(globals); });
}

}  // namespace sigrel::driver
