#include "compiler/lsp/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "compiler/doc/markup.h"
#include "compiler/format/format.h"
#include "compiler/lsp/protocol.h"
#include "compiler/lsp/rename.h"
#include "compiler/pipeline/modules.h"

namespace sigrel::lsp {
namespace {

Json error_answer(const Json& id, const RequestError& error) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", error.code}, {"message", error.message}}}};
}

/// Nothing is answered to a notification.
std::vector<Json> refused(const Json& id, const RequestError& error) {
  return id.is_null() ? std::vector<Json>{} : std::vector{error_answer(id, error)};
}

Json notification(const char* method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

}  // namespace

Server::Server(SessionOptions options, std::string version, std::function<void(Json)> later)
    : options_(std::move(options)),
      version_(std::move(version)),
      can_run_(later != nullptr),
      runs_(options_, std::move(later)) {}

const std::map<std::string, Server::Method, std::less<>>& Server::requests() {
  static const std::map<std::string, Method, std::less<>> all = {
      {"initialize", &Server::initialize},
      {"shutdown", &Server::shutdown},
      {"textDocument/hover", &Server::hover},
      {"textDocument/definition", &Server::definition},
      {"textDocument/completion", &Server::completion},
      {"textDocument/documentSymbol", &Server::symbols},
      {"textDocument/formatting", &Server::formatting},
      {"textDocument/codeAction", &Server::actions},
      {"textDocument/documentHighlight", &Server::highlights},
      {"textDocument/references", &Server::references},
      {"textDocument/prepareRename", &Server::prepare_rename},
      {"textDocument/rename", &Server::rename},
      {"textDocument/semanticTokens/full", &Server::semantic_tokens},
      {"textDocument/foldingRange", &Server::folding},
      {"textDocument/selectionRange", &Server::selection},
      {"textDocument/signatureHelp", &Server::signature_help},
      {"textDocument/inlayHint", &Server::inlay_hints},
      {"textDocument/codeLens", &Server::code_lenses},
      {"workspace/symbol", &Server::workspace_symbols},
      {"textDocument/rangeFormatting", &Server::range_formatting},
      {"textDocument/onTypeFormatting", &Server::on_type_formatting},
      {"textDocument/prepareCallHierarchy", &Server::prepare_calls},
      {"callHierarchy/incomingCalls", &Server::incoming_calls},
      {"callHierarchy/outgoingCalls", &Server::outgoing_calls},
  };
  return all;
}

std::vector<Json> Server::handle(const std::string& text, bool cancelled) {
  const Json message = Json::parse(text, nullptr, false);
  if (message.is_discarded()) return {error_answer(nullptr, {kParseError, "the message is no JSON"})};
  const Json id = message.is_object() ? message.value("id", Json()) : Json();
  if (!message.is_object() || !message.contains("method") || !message["method"].is_string())
    return message.is_object() && message.contains("result")
               ? std::vector<Json>{}  // the answer to a request of ours
               : std::vector{error_answer(id, {kInvalidRequest, "the message has no method"})};
  const std::string& method = message["method"].get_ref<const std::string&>();
  const Json params = message.value("params", Json::object());
  try {
    if (!message.contains("id")) {
      if (initialised_ || method == "exit") notified(method, params);
      return {};
    }
    if (!initialised_ && method != "initialize")
      throw RequestError{kNotInitialised, "`initialize` must be the first request"};
    if (shut_down_) throw RequestError{kInvalidRequest, "the server has been shut down"};
    if (cancelled) throw RequestError{kRequestCancelled, "the request was cancelled"};
    if (start_run(method, id, params)) return {};
    const auto found = requests().find(method);
    if (found == requests().end()) throw RequestError{kMethodNotFound, "there is no method `" + method + "`"};
    return {{{"jsonrpc", "2.0"}, {"id", id}, {"result", (this->*found->second)(params)}}};
  } catch (const RequestError& error) {
    return refused(id, error);
  } catch (const Json::exception& error) {
    return refused(id, {kInvalidParams, error.what()});
  } catch (const std::exception& error) {
    return refused(id, {kInternalError, error.what()});
  }
}

Json Server::initialize(const Json& params) {
  const Json encodings =
      params.value(Json::json_pointer("/capabilities/general/positionEncodings"), Json::array());
  if (std::ranges::find(encodings, Json("utf-8")) != encodings.end()) encoding_ = Encoding::Utf8;
  initialised_ = true;
  if (const Json folders = params.value("workspaceFolders", Json()); folders.is_array())
    for (const Json& folder : folders)
      roots_.push_back(path_of(folder.at("uri").get_ref<const std::string&>()));
  else if (const Json root = params.value("rootUri", Json()); root.is_string())
    roots_.push_back(path_of(root.get_ref<const std::string&>()));
  return {{"capabilities",
           {{"positionEncoding", encoding_ == Encoding::Utf8 ? "utf-8" : "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"completionProvider", {{"triggerCharacters", {".", "<", "{"}}}},
            {"documentSymbolProvider", true},
            {"documentFormattingProvider", true},
            {"documentHighlightProvider", true},
            {"referencesProvider", true},
            {"renameProvider", {{"prepareProvider", true}}},
            {"semanticTokensProvider", {{"legend", token_legend()}, {"full", true}}},
            {"foldingRangeProvider", true},
            {"selectionRangeProvider", true},
            {"signatureHelpProvider", {{"triggerCharacters", {" "}}}},
            {"inlayHintProvider", true},
            {"codeLensProvider", Json::object()},
            {"workspaceSymbolProvider", true},
            {"documentRangeFormattingProvider", true},
            {"documentOnTypeFormattingProvider", {{"firstTriggerCharacter", "\n"}}},
            {"callHierarchyProvider", true},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}}},
          {"serverInfo", {{"name", "sigrel"}, {"version", version_}}}};
}

/// Whether the request is one for a run: it is answered when this has ended.
bool Server::start_run(const std::string& method, const Json& id, const Json& params) {
  static const std::map<std::string, RunRequest::Kind, std::less<>> kinds = {
      {"sigrel/run", RunRequest::Run},
      {"sigrel/plot", RunRequest::Plot},
      {"sigrel/blocks", RunRequest::Blocks}};
  const auto kind = kinds.find(method);
  if (kind == kinds.end() || !can_run_) return false;
  RunRequest request{.kind = kind->second, .id = id, .document = opened(params).document};
  if (const Json name = params.value("definition", Json()); !name.is_null() && name != "main")
    request.definition = name.get<std::string>();
  if (const Json stop = params.value("stop", Json()); !stop.is_null()) request.stop = stop.get<double>();
  request.progress_token = params.value("workDoneToken", Json());
  runs_.start(std::move(request));
  return true;
}

Json Server::shutdown(const Json&) {
  shut_down_ = true;
  return nullptr;
}

void Server::notified(const std::string& method, const Json& params) {
  if (method == "exit") {
    exit_code_ = shut_down_ ? 0 : 1;
  } else if (method == "$/cancelRequest") {
    runs_.cancel(params.at("id"));
  } else if (method == "textDocument/didOpen") {
    const Json& item = params.at("textDocument");
    Document document{.uri = item.at("uri"),
                      .path = path_of(uri_in(params)),
                      .text = item.at("text"),
                      .version = item.value("version", std::int64_t{0})};
    documents_.insert_or_assign(document.uri, Open{.document = document});
  } else if (method == "textDocument/didChange") {
    Open& open = opened(params);
    change(open, params.at("contentChanges"));
    open.document.version = params.at("textDocument").value("version", open.document.version);
  } else if (method == "textDocument/didClose") {
    const auto found = documents_.find(uri_in(params));
    if (found != documents_.end()) documents_.erase(found);
    // Imports may have been edited in the meantime.
    modules_.clear();
  } else if (method == "textDocument/didSave") {
    // What imports the file may have other errors now.
    modules_.clear();
    for (auto& [uri, open] : documents_) open.document.change();
  }
}

void Server::change(Open& open, const Json& changes) {
  std::string& text = open.document.text;
  for (const Json& change : changes) {
    const std::string& fresh = change.at("text").get_ref<const std::string&>();
    if (change.contains("range")) {
      const Lines lines(text);
      const std::size_t begin = lines.offset(place_of(change["range"].at("start")), encoding_);
      const std::size_t end = lines.offset(place_of(change["range"].at("end")), encoding_);
      text.replace(begin, std::max(begin, end) - begin, fresh);
    } else {
      text = fresh;
    }
  }
  open.document.change();
}

bool Server::has_changes() const {
  return std::ranges::any_of(documents_, [](const auto& entry) { return !entry.second.document.told; });
}

std::vector<Json> Server::publish() {
  std::vector<Json> result;
  for (auto& [uri, open] : documents_) {
    if (std::exchange(open.document.told, true)) continue;
    const Analysis& analysis = analysed(open);
    Json found = Json::array();
    for (const Diagnostic& d : analysis.diagnostics()) found.push_back(diagnostic(analysis, d));
    result.push_back(
        notification("textDocument/publishDiagnostics",
                     {{"uri", uri}, {"version", open.document.version}, {"diagnostics", std::move(found)}}));
  }
  return result;
}

Server::Open& Server::opened(const Json& params) {
  const auto found = documents_.find(uri_in(params));
  if (found == documents_.end()) throw RequestError{kInvalidParams, "the document is not open"};
  return found->second;
}

const Analysis& Server::analysed(Open& open) {
  if (open.document.changed || !open.analysis) {
    open.analysis.reset();  // before the next one is made: two of a large text take twice the memory
    open.analysis = std::make_shared<Analysis>(open.document, options_);
    if (open.analysis->checked()) open.good = open.analysis;
  }
  open.document.changed = false;
  return *open.analysis;
}

Json Server::range(std::string_view text, Span span) const {
  const Lines lines(text);
  return {{"start", as_json(lines.place(span.begin, encoding_))},
          {"end", as_json(lines.place(span.end, encoding_))}};
}

Json Server::location(const Analysis& analysis, Span span) const {
  const SourceFile& file = analysis.sources().file(span.file);
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(file.path, error);
  return {{"uri", uri_of(error ? file.path : path.lexically_normal().string())},
          {"range", range(file.text, span)}};
}

/// One whose place is in another file, such as an imported one, or that has none, is shown in the first line.
Json Server::diagnostic(const Analysis& analysis, const Diagnostic& d) const {
  const CodeInfo& about = info(d.code);
  const bool here = d.primary && d.primary->span.file == analysis.file();
  std::string message = d.message;
  if (here && !d.primary->text.empty()) message += "\n" + d.primary->text;
  for (const std::string& note : d.notes) message += "\nnote: " + note;
  for (const Help& help : d.helps) message += "\nhelp: " + help.text;
  const Span span = here ? d.primary->span : Span{analysis.file(), 0, 0};
  const int severity = d.severity == Severity::Error ? 1 : d.severity == Severity::Warning ? 2 : 3;
  Json related = Json::array();
  if (d.primary && !here)
    related.push_back({{"location", location(analysis, d.primary->span)}, {"message", d.message}});
  for (const Label& label : d.secondary)
    related.push_back({{"location", location(analysis, label.span)}, {"message", label.text}});
  return {{"range", range(analysis.sources().file(analysis.file()).text, span)},
          {"severity", severity},
          {"code", about.id},
          {"source", "sigrel"},
          {"message", std::move(message)},
          {"relatedInformation", std::move(related)}};
}

Word Server::word_in(const Open& open, const Json& params) const {
  const std::string& text = open.document.text;
  return word_at(text, Lines(text).offset(place_of(params.at("position")), encoding_));
}

const core::Global* Server::named_at(Open& open, const Json& params) {
  const Analysis& analysis = analysed(open);
  const Word word = word_in(open, params);
  return word.text.empty() ? nullptr : analysis.find(word);
}

Json Server::hover(const Json& params) {
  Open& open = opened(params);
  const core::Global* global = named_at(open, params);
  const Word word = word_in(open, params);
  if (const Signal* signal = global ? nullptr : open.analysis->signal(word)) {
    const char* kinds[] = {"interface of the relation", "variable",
                           "discrete variable: only events change it", "part"};
    const std::string shown = signal->kind == Signal::Part ? fmt::format("{}: {}", word.text, signal->type)
                                                           : fmt::format("{} :: {}", word.text, signal->type);
    std::string value = fmt::format("```sigrel\n{}\n```\n{}{}", shown, kinds[signal->kind],
                                    signal->implicit ? ", without declaration" : "");
    constexpr std::size_t kMostValues = 5;
    const std::vector<std::string> values =
        runs_.values(open.document.uri, std::string(definition_around(open.document.text, word.begin)),
                     std::string(word.text), kMostValues);
    if (!values.empty()) value += "\n\nat the end of the last run:\n";
    for (const std::string& line : values) value += line.empty() ? "\n- …" : fmt::format("\n- `{}`", line);
    return {{"contents", {{"kind", "markdown"}, {"value", std::move(value)}}}};
  }
  if (!global) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", open.analysis->description(*global)}}}};
}

Json Server::definition(const Json& params) {
  Open& open = opened(params);
  const core::Global* global = named_at(open, params);
  return global ? location(*open.analysis, global->span) : Json(nullptr);
}

/// The documentation of a module, from its file; null if there is none without errors.
const doc::Module* Server::module(const std::string& name, const std::string& folder) {
  std::vector<std::string> folders = {folder};
  folders.insert(folders.end(), options_.path.folders.begin(), options_.path.folders.end());
  folders.push_back(options_.path.library);
  const std::optional<std::string> path = pipeline::find_module(name, folders);
  if (!path) return nullptr;
  auto [at, fresh] = modules_.try_emplace(*path);
  if (fresh) {
    Session session(options_);
    at->second = doc::read_module(*path, options_, session);
  }
  return at->second ? &*at->second : nullptr;
}

Json Server::symbols(const Json& params) {
  enum Kind : int { Function = 12, Variable = 13 };
  Open& open = opened(params);
  const Analysis& analysis = analysed(open);
  Json result = Json::array();
  for (const core::Global* global : analysis.definitions()) {
    const Json at = range(open.document.text, global->span);
    const bool is_function = global->type.find("->") != std::string::npos || global->type.starts_with("SR");
    result.push_back({{"name", text(global->name)},
                      {"detail", global->type},
                      {"kind", is_function ? Function : Variable},
                      {"range", at},
                      {"selectionRange", at}});
  }
  return result;
}

Json Server::formatting(const Json& params) {
  const Document& document = opened(params).document;
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add(document.path, document.text);
  const std::optional<std::string> formatted = format::format(file, sources, diagnostics);
  if (!formatted) throw RequestError{kInvalidRequest, "a text with syntax errors cannot be formatted"};
  if (*formatted == document.text) return Json::array();
  const Span whole{file, 0, static_cast<std::uint32_t>(document.text.size())};
  return {{{"range", range(document.text, whole)}, {"newText", *formatted}}};
}

/// The helps that a tool can apply, of the diagnostics in a range.
Json Server::actions(const Json& params) {
  Open& open = opened(params);
  const Analysis& analysis = analysed(open);
  const Lines lines(open.document.text);
  const std::size_t begin = lines.offset(place_of(params.at("range").at("start")), encoding_);
  const std::size_t end = lines.offset(place_of(params.at("range").at("end")), encoding_);
  Json result = Json::array();
  for (const Diagnostic& d : analysis.diagnostics()) {
    if (!d.primary || d.primary->span.file != analysis.file()) continue;
    if (d.primary->span.end < begin || d.primary->span.begin > end) continue;
    for (const Help& help : d.helps) {
      const bool here =
          std::ranges::all_of(help.edits, [&](const Edit& e) { return e.span.file == analysis.file(); });
      if (help.edits.empty() || !here) continue;
      Json edits = Json::array();
      for (const Edit& e : help.edits)
        edits.push_back({{"range", range(open.document.text, e.span)}, {"newText", e.replacement}});
      Json changes = Json::object();
      changes[open.document.uri] = std::move(edits);
      result.push_back({{"title", help.text},
                        {"kind", "quickfix"},
                        {"diagnostics", {diagnostic(analysis, d)}},
                        {"edit", {{"changes", std::move(changes)}}}});
    }
  }
  return result;
}

/// All names that denote what a word does.
Json Server::ranges(Open& open, const Word& word) {
  const Analysis& analysis = analysed(open);
  Json result = Json::array();
  for (const std::size_t offset : analysis.occurrences(word)) {
    const auto begin = static_cast<std::uint32_t>(offset);
    const Span span{analysis.file(), begin, begin + static_cast<std::uint32_t>(word.text.size())};
    result.push_back(range(open.document.text, span));
  }
  return result;
}

Json Server::highlights(const Json& params) {
  Open& open = opened(params);
  Json result = Json::array();
  for (Json& at : ranges(open, word_in(open, params))) result.push_back({{"range", std::move(at)}});
  return result;
}

/// Those of the document.
Json Server::references(const Json& params) {
  Open& open = opened(params);
  Json result = Json::array();
  for (Json& at : ranges(open, word_in(open, params)))
    result.push_back({{"uri", open.document.uri}, {"range", std::move(at)}});
  return result;
}

Json Server::prepare_rename(const Json& params) {
  Open& open = opened(params);
  const Word word = word_in(open, params);
  const Analysis& analysis = analysed(open);
  const core::Global* global = named_at(open, params);
  if (analysis.occurrences(word).empty() || (global && global->span.file != analysis.file())) return nullptr;
  const auto begin = static_cast<std::uint32_t>(word.begin);
  return range(open.document.text,
               {analysis.file(), begin, begin + static_cast<std::uint32_t>(word.text.size())});
}

/// The other files of the folder of a document, as they are in the editor or on the disk.
std::vector<Document> Server::beside(const Document& document) const {
  constexpr std::size_t kMostFiles = 10'000;
  std::vector<Document> result;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(document.path).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".sr" || path == document.path) continue;
    if (result.size() == kMostFiles) throw RequestError{kInvalidRequest, "the folder has too many files"};
    Document other{.uri = uri_of(path), .path = path, .text = {}};
    const auto open = std::ranges::find_if(
        documents_, [&](const auto& known) { return known.second.document.path == path; });
    if (open != documents_.end())
      other = open->second.document;
    else if (std::ifstream in(path, std::ios::binary); in)
      other.text.assign(std::istreambuf_iterator<char>(in), {});
    result.push_back(std::move(other));
  }
  return result;
}

Json Server::rename(const Json& params) {
  Open& open = opened(params);
  const Analysis& analysis = analysed(open);
  const std::vector<Document> others = beside(open.document);
  try {
    Json changes = Json::object();
    for (const auto& [uri, edits] :
         lsp::rename(open.document, analysis, word_in(open, params),
                     params.at("newName").get_ref<const std::string&>(), others, options_)) {
      const auto other = std::ranges::find(others, uri, &Document::uri);
      const std::string& text = other == others.end() ? open.document.text : other->text;
      for (const TextEdit& edit : edits) {
        const Span span{analysis.file(), static_cast<std::uint32_t>(edit.begin),
                        static_cast<std::uint32_t>(edit.end)};
        changes[uri].push_back({{"range", range(text, span)}, {"newText", edit.text}});
      }
    }
    return {{"changes", std::move(changes)}};
  } catch (const RenameRefused& refused) {
    throw RequestError{kInvalidParams, refused.what()};
  }
}

}  // namespace sigrel::lsp
