// Requests about the text as a whole: colours, folds, hints, lenses, symbols of the workspace.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "compiler/format/format.h"
#include "compiler/lsp/outline.h"
#include "compiler/lsp/protocol.h"
#include "compiler/lsp/server.h"

namespace sigrel::lsp {
namespace {

enum TokenType : int { Function, Relation, Variable, Parameter, Part };
enum TokenModifier : int { Definition = 1, Discrete = 2 };

bool is_relation(const core::Global& global) { return global.type.find("SR ") != std::string::npos; }
bool is_runnable(const core::Global& global) { return global.type == "Experiment" || global.type == "SR ()"; }

}  // namespace

Json token_legend() {
  return {{"tokenTypes", {"function", "class", "variable", "parameter", "property"}},
          {"tokenModifiers", {"definition", "modification"}}};
}

Json Server::semantic_tokens(const Json& params) {
  struct Token {
    std::size_t offset, length;
    int type, modifiers;
  };
  Open& open = opened(params);
  const Analysis& analysis = analysed(open);
  const std::string& text = open.document.text;
  std::vector<Token> found;
  for (const auto& [offset, qualifier] : analysis.uses().names) {
    const Word word = word_at(text, offset);
    if (word.begin != offset) continue;
    if (const core::Global* global = analysis.find(word))
      found.push_back(
          {offset, word.text.size(), is_relation(*global) ? Relation : Function,
           global->span.file == analysis.file() && global->span.begin == offset ? Definition : 0});
  }
  for (const auto& [offset, local] : analysis.uses().locals) {
    const Word word = word_at(text, offset);
    if (word.begin != offset || word.text.empty() || analysis.find(word)) continue;
    const Signal* signal = analysis.signal(word);
    found.push_back({offset, word.text.size(),
                     !signal                        ? Parameter
                     : signal->kind == Signal::Part ? Part
                                                    : Variable,
                     signal && signal->kind == Signal::Discrete ? Discrete : 0});
  }
  std::ranges::sort(found, {}, &Token::offset);
  const Lines lines(text);
  Json data = Json::array();
  Place last;
  for (const Token& token : found) {
    const Place at = lines.place(token.offset, encoding_);
    if (!data.empty() && at.line == last.line && at.character == last.character) continue;
    data.push_back(at.line - last.line);
    data.push_back(at.line == last.line ? at.character - last.character : at.character);
    data.push_back(lines.place(token.offset + token.length, encoding_).character - at.character);
    data.push_back(token.type);
    data.push_back(token.modifiers);
    last = at;
  }
  return {{"data", std::move(data)}};
}

Json Server::folding(const Json& params) {
  const Open& open = opened(params);
  Json result = Json::array();
  for (const Fold& fold : folds(open.document.text)) {
    Json one = {{"startLine", fold.first}, {"endLine", fold.last}};
    if (fold.kind != Fold::Code) one["kind"] = fold.kind == Fold::Comment ? "comment" : "imports";
    result.push_back(std::move(one));
  }
  return result;
}

Json Server::selection(const Json& params) {
  const Open& open = opened(params);
  const Lines lines(open.document.text);
  Json result = Json::array();
  for (const Json& position : params.at("positions")) {
    const std::size_t offset = lines.offset(place_of(position), encoding_);
    Json outer;
    const std::vector<Extent> all = extents(open.document.text, offset);
    for (auto extent = all.rbegin(); extent != all.rend(); ++extent) {
      Json one = {{"range",
                   {{"start", as_json(lines.place(extent->begin, encoding_))},
                    {"end", as_json(lines.place(extent->end, encoding_))}}}};
      if (!outer.is_null()) one["parent"] = std::move(outer);
      outer = std::move(one);
    }
    if (outer.is_null()) outer = {{"range", {{"start", position}, {"end", position}}}};
    result.push_back(std::move(outer));
  }
  return result;
}

/// The parts of a type at its arrows outside of brackets.
static std::vector<std::string> arguments_of(const std::string& type) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t k = 0; k < type.size(); ++k) {
    depth += type[k] == '(' || type[k] == '[' || type[k] == '{';
    depth -= type[k] == ')' || type[k] == ']' || type[k] == '}';
    if (depth == 0 && type.compare(k, 4, " -> ") == 0) {
      parts.emplace_back();
      k += 3;
    } else {
      parts.back() += type[k];
    }
  }
  return parts;
}

Json Server::signature_help(const Json& params) {
  Open& open = opened(params);
  const Analysis& analysis = analysed(open);
  const std::string& text = open.document.text;
  const Call call = call_at(text, Lines(text).offset(place_of(params.at("position")), encoding_));
  if (call.function.text.empty()) return nullptr;
  const core::Global* global = analysis.find(word_at(text, call.function.begin + call.function.text.size()));
  if (!global) return nullptr;
  std::vector<std::string> parts = arguments_of(global->type);
  if (parts.size() < 2) return nullptr;
  parts.pop_back();
  std::string label = std::string(sigrel::text(global->name)) + " :: ";
  Json arguments = Json::array();
  for (const std::string& part : parts) {
    arguments.push_back({{"label", {label.size(), label.size() + part.size()}}});
    label += part + " -> ";
  }
  label = std::string(sigrel::text(global->name)) + " :: " + global->type;
  return {{"signatures",
           {{{"label", label},
             {"documentation", {{"kind", "markdown"}, {"value", analysis.description(*global)}}},
             {"parameters", std::move(arguments)}}}},
          {"activeSignature", 0},
          {"activeParameter", std::min(call.arguments, parts.size() - 1)}};
}

/// Types that are not written: of definitions without signature, and of variables without one.
Json Server::inlay_hints(const Json& params) {
  Open& open = opened(params);
  const Analysis& analysis = analysed(open);
  const std::string& text = open.document.text;
  const Lines lines(text);
  const std::size_t begin = lines.offset(place_of(params.at("range").at("start")), encoding_),
                    end = lines.offset(place_of(params.at("range").at("end")), encoding_);
  Json result = Json::array();
  const auto hint = [&](std::size_t offset, const std::string& type) {
    const Word word = word_at(text, offset);
    if (offset < begin || offset > end || word.begin != offset || type == "?") return;
    result.push_back({{"position", as_json(lines.place(offset + word.text.size(), encoding_))},
                      {"label", ":: " + type},
                      {"kind", 1},
                      {"paddingLeft", true}});
  };
  for (const core::Global* global : analysis.definitions()) {
    const std::size_t line = lines.place(global->span.begin, Encoding::Utf8).line;
    const std::string_view name = sigrel::text(global->name);
    // The signature stands above the first clause.
    std::size_t first = line;
    while (first > 0 && defined_in(lines.line(first - 1)) == name) --first;
    bool written = false;
    for (std::size_t k = first; k <= line; ++k)
      written |= lines.line(k).find("::") != std::string_view::npos && defined_in(lines.line(k)) == name;
    if (!written) hint(global->span.begin, global->type);
  }
  for (const auto& [offset, signal] : analysis.signals().at) {
    if (signal.kind == Signal::Part || signal.kind == Signal::Formal) continue;
    const std::string_view line = lines.line(lines.place(offset, Encoding::Utf8).line);
    if (signal.implicit || line.find("::") == std::string_view::npos) hint(offset, signal.type);
  }
  return result;
}

/// Above a model `Run`, `Plot` and `Report`; above a relation its structural type.
Json Server::code_lenses(const Json& params) {
  Open& open = opened(params);
  const Analysis& analysis = analysed(open);
  Json result = Json::array();
  for (const core::Global* global : analysis.definitions()) {
    const Json at = range(open.document.text, global->span);
    const auto lens = [&](const std::string& title, const std::string& command) {
      Json shown = {{"title", title}, {"command", command}};
      if (!command.empty()) shown["arguments"] = {open.document.uri, std::string(text(global->name))};
      result.push_back({{"range", at}, {"command", std::move(shown)}});
    };
    if (is_runnable(*global)) {
      lens("Run", "sigrel.run");
      lens("Plot", "sigrel.plot");
      lens("Report", "sigrel.report");
    } else if (const std::string type = analysis.structural_type(*global); !type.empty()) {
      lens(type, "");
    }
  }
  return result;
}

/// The definitions of all files in the folders of the workspace, by the letters of the query in order.
Json Server::workspace_symbols(const Json& params) {
  constexpr std::size_t kMostFiles = 10'000, kMostSymbols = 500;
  const std::string query = params.value("query", "");
  const auto fits = [&](std::string_view name) {
    std::size_t at = 0;
    for (const char c : name)
      at += at < query.size() && std::tolower(static_cast<unsigned char>(c)) ==
                                     std::tolower(static_cast<unsigned char>(query[at]));
    return at == query.size();
  };
  Json result = Json::array();
  const auto add = [&](const std::string& uri, const std::string& text) {
    const Lines lines(text);
    std::string_view last;
    for (std::size_t k = 0; k < lines.count() && result.size() < kMostSymbols; ++k) {
      const std::string_view name = defined_in(lines.line(k));
      if (name.empty() || name == last || !fits(name)) continue;
      last = name;
      result.push_back({{"name", name},
                        {"kind", 12},
                        {"location",
                         {{"uri", uri},
                          {"range",
                           {{"start", {{"line", k}, {"character", 0}}},
                            {"end", {{"line", k}, {"character", name.size()}}}}}}}});
    }
  };
  std::size_t files = 0;
  for (const std::string& root : roots_) {
    std::error_code error;
    std::filesystem::recursive_directory_iterator at(
        root, std::filesystem::directory_options::skip_permission_denied, error);
    for (; !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
      if (at->path().filename().string().starts_with(".")) {
        at.disable_recursion_pending();
        continue;
      }
      if (at->path().extension() != ".sr" || ++files > kMostFiles) continue;
      const std::string uri = uri_of(at->path().string());
      if (documents_.contains(uri)) continue;
      std::ifstream in(at->path(), std::ios::binary);
      add(uri, {std::istreambuf_iterator<char>(in), {}});
    }
  }
  for (const auto& [uri, open] : documents_) add(uri, open.document.text);
  return result;
}

/// The edit that formats the declaration around a line; null if it has syntax errors, or none is needed.
/// Declarations begin at the left margin, so that errors in others do not matter.
Json Server::format_piece(const Document& document, const Lines& lines, Piece piece) const {
  const std::size_t begin = lines.offset({piece.first, 0}, Encoding::Utf8);
  const std::size_t end =
      piece.end >= lines.count() ? document.text.size() : lines.offset({piece.end, 0}, Encoding::Utf8);
  std::string was = document.text.substr(begin, end - begin);
  // Blank lines at its end separate it from the next one.
  while (was.ends_with("\n\n")) was.pop_back();
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add(document.path, was);
  const std::optional<std::string> formatted = format::format(file, sources, diagnostics);
  if (!formatted || *formatted == was) return nullptr;
  return {{"range",
           {{"start", as_json(lines.place(begin, encoding_))},
            {"end", as_json(lines.place(begin + was.size(), encoding_))}}},
          {"newText", *formatted}};
}

Json Server::range_formatting(const Json& params) {
  const Document& document = opened(params).document;
  const Lines lines(document.text);
  const std::size_t from = params.at("range").at("start").at("line"),
                    to = params.at("range").at("end").at("line");
  Json edits = Json::array();
  for (std::size_t line = std::min(from, lines.count()); line < lines.count() && line <= to;) {
    const Piece piece = piece_around(lines, line);
    if (Json edit = format_piece(document, lines, piece); !edit.is_null()) edits.push_back(std::move(edit));
    line = piece.end;
  }
  return edits;
}

/// Behind a line end: the declaration that an empty line has completed. The cursor stays where it is.
Json Server::on_type_formatting(const Json& params) {
  const Document& document = opened(params).document;
  const Lines lines(document.text);
  const std::size_t line = place_of(params.at("position")).line;
  Json edits = Json::array();
  if (line == 0 || line >= lines.count() ||
      lines.line(line - 1).find_first_not_of(' ') != std::string_view::npos)
    return edits;
  std::size_t last = line - 1;
  while (last > 0 && lines.line(last).find_first_not_of(' ') == std::string_view::npos) --last;
  Piece piece = piece_around(lines, last);
  piece.end = std::min(piece.end, last + 1);
  if (Json edit = format_piece(document, lines, piece); !edit.is_null()) edits.push_back(std::move(edit));
  return edits;
}

Json Server::call_item(const Analysis& analysis, const core::Global& global) const {
  const Json place = location(analysis, global.span);
  return {{"name", text(global.name)}, {"kind", is_relation(global) ? 5 : 12},
          {"detail", global.type},     {"uri", place["uri"]},
          {"range", place["range"]},   {"selectionRange", place["range"]}};
}

Json Server::prepare_calls(const Json& params) {
  Open& open = opened(params);
  const core::Global* global = named_at(open, params);
  return global ? Json{call_item(*open.analysis, *global)} : Json(nullptr);
}

namespace {

/// Calls visit(user, used, offset) for each name in a definition of the document that denotes a definition.
template <class Visit>
void each_use(const Analysis& analysis, const std::string& text, Visit visit) {
  const std::vector<const core::Global*> own = analysis.definitions();
  for (const auto& [offset, qualifier] : analysis.uses().names) {
    const auto after =
        std::ranges::upper_bound(own, offset, {}, [](const core::Global* g) { return g->span.begin; });
    if (after == own.begin()) continue;
    const core::Global* user = *std::prev(after);
    if (user->span.begin == offset) continue;  // it names itself
    if (const core::Global* used = analysis.find(word_at(text, offset))) visit(*user, *used, offset);
  }
}

/// The definition that an item of the call hierarchy stands for, and the document that it was asked of.
std::string name_in(const Json& item) { return item.at("name").get<std::string>(); }

}  // namespace

/// Which definitions of the open documents use it.
Json Server::incoming_calls(const Json& params) {
  const Json& item = params.at("item");
  Json result = Json::array();
  for (auto& [uri, open] : documents_) {
    const Analysis& analysis = analysed(open);
    std::map<const core::Global*, Json> users;
    each_use(analysis, open.document.text,
             [&](const core::Global& user, const core::Global& used, std::size_t offset) {
               if (text(used.name) != name_in(item) || location(analysis, used.span)["uri"] != item.at("uri"))
                 return;
               const auto begin = static_cast<std::uint32_t>(offset);
               const Span span{analysis.file(), begin,
                               begin + static_cast<std::uint32_t>(text(used.name).size())};
               users[&user].push_back(range(open.document.text, span));
             });
    for (const auto& [user, ranges] : users)
      result.push_back({{"from", call_item(analysis, *user)}, {"fromRanges", ranges}});
  }
  return result;
}

/// What a definition of an open document uses: the relations among them are its parts.
Json Server::outgoing_calls(const Json& params) {
  const Json& item = params.at("item");
  Json result = Json::array();
  const auto found = documents_.find(item.at("uri").get<std::string>());
  if (found == documents_.end()) return result;
  Open& open = found->second;
  const Analysis& analysis = analysed(open);
  std::map<const core::Global*, Json> used_by;
  each_use(analysis, open.document.text,
           [&](const core::Global& user, const core::Global& used, std::size_t offset) {
             if (text(user.name) != name_in(item)) return;
             const auto begin = static_cast<std::uint32_t>(offset);
             const Span span{analysis.file(), begin,
                             begin + static_cast<std::uint32_t>(text(used.name).size())};
             used_by[&used].push_back(range(open.document.text, span));
           });
  for (const auto& [used, ranges] : used_by)
    result.push_back({{"to", call_item(analysis, *used)}, {"fromRanges", ranges}});
  return result;
}

}  // namespace sigrel::lsp
