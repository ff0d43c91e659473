// sigrel lsp: the language server, for editors, on standard input and output.
#include <poll.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "compiler/driver/command.h"
#include "compiler/lsp/server.h"
#include "compiler/lsp/transport.h"

namespace sigrel::driver {
namespace {

// While keys follow each other within this time, in ms, documents are not checked.
constexpr int kDebounce = 30;

/// Whether another message has arrived.
bool more_waits() {
  if (std::cin.rdbuf()->in_avail() > 0) return true;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, kDebounce) > 0;
}

int serve(const Globals& globals) {
  std::ios::sync_with_stdio(false);
  lsp::Server server(globals.session_options(), SIGREL_VERSION);
  const auto send = [](const std::vector<lsp::Json>& messages) {
    // A text that is not UTF-8 is shown with replacement characters.
    for (const lsp::Json& m : messages)
      lsp::write_message(std::cout, m.dump(-1, ' ', false, lsp::Json::error_handler_t::replace));
  };
  while (const std::optional<std::string> message = lsp::read_message(std::cin)) {
    send(server.handle(*message));
    if (server.exit_code()) return *server.exit_code();
    if (server.has_changes() && !more_waits()) send(server.publish());
  }
  return kUserError;  // the editor has gone without `exit`
}

}  // namespace

void add_lsp(CLI::App& app, const Globals& globals, int& exit_code) {
  CLI::App* command = app.add_subcommand("lsp", "Serve an editor: LSP 3.17 on standard input and output");
  command->callback([&globals, &exit_code] { exit_code = serve(globals); });
}

}  // namespace sigrel::driver
