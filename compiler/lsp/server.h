// A language server (LSP 3.17) on the layer of sessions, which the REPL uses, too: no second front end.
//
//   messages --handle--> answers; `publish` checks what has changed since, and says what it found
//
// Who calls it reads all messages that have arrived before `publish`, so that a document is checked once
// after several keys. Positions are in UTF-8 where the editor offers it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/doc/module.h"
#include "compiler/lsp/analysis.h"
#include "compiler/lsp/outline.h"
#include "compiler/lsp/runs.h"

namespace sigrel::lsp {

using Json = nlohmann::json;

class Server {
 public:
  /// `later` receives the answers to requests for runs, from other threads; without it these are refused.
  Server(SessionOptions options, std::string version, std::function<void(Json)> later = nullptr);

  /// The answers to a message: none to a notification, or to a request that is answered later. `cancelled`:
  /// the client has taken the request back.
  std::vector<Json> handle(const std::string& message, bool cancelled = false);
  /// Whether documents have changed since their diagnostics were told.
  bool has_changes() const;
  /// The notifications with the diagnostics of these.
  std::vector<Json> publish();
  /// After the notification `exit`: the exit code of the process.
  std::optional<int> exit_code() const { return exit_code_; }
  /// Returns when all runs have been answered.
  void wait() { runs_.wait(); }

 private:
  struct Open {
    Document document;
    std::shared_ptr<const Analysis> analysis = nullptr;  // of the text as it was when it was checked last
    std::shared_ptr<const Analysis> good = nullptr;      // of the last text without errors of names and types
  };
  using Method = Json (Server::*)(const Json& params);
  static const std::map<std::string, Method, std::less<>>& requests();

  Json initialize(const Json& params);
  Json shutdown(const Json& params);
  Json hover(const Json& params);
  Json definition(const Json& params);
  Json symbols(const Json& params);
  Json formatting(const Json& params);
  Json actions(const Json& params);
  Json highlights(const Json& params);
  Json references(const Json& params);
  Json prepare_rename(const Json& params);
  Json rename(const Json& params);
  Json completion(const Json& params);  // completion.cpp
  // server_features.cpp
  Json semantic_tokens(const Json& params);
  Json folding(const Json& params);
  Json selection(const Json& params);
  Json signature_help(const Json& params);
  Json inlay_hints(const Json& params);
  Json code_lenses(const Json& params);
  Json workspace_symbols(const Json& params);
  Json range_formatting(const Json& params);
  Json prepare_calls(const Json& params);
  Json incoming_calls(const Json& params);
  Json outgoing_calls(const Json& params);
  Json call_item(const Analysis& analysis, const core::Global& global) const;
  Json on_type_formatting(const Json& params);
  Json format_piece(const Document& document, const Lines& lines, Piece piece) const;
  bool start_run(const std::string& method, const Json& id, const Json& params);
  void notified(const std::string& method, const Json& params);
  void change(Open& open, const Json& changes);

  std::vector<Document> beside(const Document& document) const;
  Word word_in(const Open& open, const Json& params) const;
  Json ranges(Open& open, const Word& word);
  Open& opened(const Json& params);
  const Analysis& analysed(Open& open);
  const core::Global* named_at(Open& open, const Json& params);
  Json range(std::string_view text, Span span) const;
  Json location(const Analysis& analysis, Span span) const;
  Json diagnostic(const Analysis& analysis, const Diagnostic& diagnostic) const;
  const doc::Module* module(const std::string& name, const std::string& folder);

  SessionOptions options_;
  std::string version_;
  Encoding encoding_ = Encoding::Utf16;
  bool initialised_ = false, shut_down_ = false;
  std::vector<std::string> roots_;  // folders of the workspace
  std::optional<int> exit_code_;
  std::map<std::string, Open, std::less<>> documents_;                      // by URI
  std::map<std::string, std::optional<doc::Module>, std::less<>> modules_;  // by path: what completion offers
  const bool can_run_;
  Runs runs_;
};

}  // namespace sigrel::lsp
