// What an editor offers at a place of the text.
#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include "compiler/base/units.h"
#include "compiler/doc/markup.h"
#include "compiler/lsp/outline.h"
#include "compiler/lsp/protocol.h"
#include "compiler/lsp/server.h"
#include "compiler/pipeline/modules.h"

namespace sigrel::lsp {
namespace {

// Kinds of CompletionItem, LSP 3.17.
enum Kind : int {
  Function = 3,
  Field = 5,
  Variable = 6,
  Class = 7,
  Module = 9,
  Property = 10,
  Unit = 11,
  Keyword = 14
};

constexpr std::string_view kKeywords[] = {
    "import", "sigrel", "where",     "local",   "discrete", "connect", "initially", "guess", "steady",
    "for",    "in",     "do",        "when",    "elsewhen", "every",   "switch",    "mode",  "until",
    "assert", "with",   "terminate", "if",      "then",     "else",    "let",       "case",  "of",
    "record", "data",   "type",      "foreign", "flow",     "rotation"};

// What `with { … }` of a declaration sets (grammar/README.md, `local`).
constexpr std::string_view kAttributes[] = {"guess", "nominal", "min", "max", "state", "display"};

Json item(std::string_view label, Kind kind, std::string_view detail) {
  Json result = {{"label", label}, {"kind", kind}};
  if (!detail.empty()) result["detail"] = detail;
  return result;
}

}  // namespace

/// The names of a definition's parameters, from the text of its signature: "(r :: Resistance) -> …".
static std::vector<std::string> parameter_names(const Analysis& analysis, const core::Global& global) {
  const std::string& source = analysis.sources().file(global.span.file).text;
  const Lines lines(source);
  std::size_t first = lines.place(global.span.begin, Encoding::Utf8).line;
  const std::string_view name = text(global.name);
  std::vector<std::string> result;
  while (first > 0 && (defined_in(lines.line(first - 1)) == name || lines.line(first - 1).starts_with(' ')))
    --first;
  for (; defined_in(lines.line(first)) == name || lines.line(first).starts_with(' '); ++first) {
    const std::string_view line = lines.line(first);
    for (std::size_t at = line.find(":: "); at != std::string_view::npos; at = line.find(" :: ", at + 1)) {
      std::size_t end = at;
      while (end > 0 && line[end - 1] == ' ') --end;
      const Word word = word_at(line, end);
      const bool in_brackets = word.begin > 0 && line[word.begin - 1] == '(';
      // Those of the interface come after `SR`.
      if (line.substr(0, word.begin).find("SR (") != std::string_view::npos) break;
      if (in_brackets && !word.text.empty()) result.emplace_back(word.text);
    }
    if (line.find('=') != std::string_view::npos || first + 1 >= lines.count()) break;
  }
  return result;
}

Json Server::completion(const Json& params) {
  Open& open = opened(params);
  const Analysis& now = analysed(open);
  // While a name is written the text mostly has errors: types are those of the last text without.
  const Analysis& known = now.checked() || !open.good ? now : *open.good;
  const std::string& source = open.document.text;
  const std::size_t offset = Lines(source).offset(place_of(params.at("position")), encoding_);
  const std::string folder = std::filesystem::path(open.document.path).parent_path().string();
  const Typing typing = typing_at(source, offset);
  const std::string_view definition = definition_around(source, offset);
  Json items = Json::array();
  switch (typing.kind) {
    case Typing::Nothing: return items;
    case Typing::Module: {
      std::vector<std::string> folders = {folder};
      folders.insert(folders.end(), options_.path.folders.begin(), options_.path.folders.end());
      folders.push_back(options_.path.library);
      for (const std::string& name : pipeline::available_modules(folders))
        items.push_back(item(name, Module, ""));
      return items;
    }
    case Typing::Unit:
      for (const std::string_view name : unit_names()) {
        const std::optional<UnitScale> scale = read_unit(name);
        items.push_back(item(name, Unit, scale ? quantity_name(scale->dimension) : ""));
      }
      return items;
    case Typing::Member: {
      const std::string owner(typing.owner);
      if (const auto module_name = now.uses().qualifiers.find(owner);
          module_name != now.uses().qualifiers.end()) {
        if (const doc::Module* imported = module(module_name->second, folder))
          for (const doc::Entry& e : imported->entries)
            items.push_back(item(e.name, e.is_type() ? Class : Function, e.signature));
        return items;
      }
      for (const auto& [name, type] : known.members(definition, owner))
        items.push_back(item(name, Field, type));
      return items;
    }
    case Typing::Field: {
      const std::string owner(typing.owner);
      const core::RecordInfo* record = known.record(owner == "with" ? "Experiment" : owner);
      if (record)
        for (const core::FieldInfo& field : record->fields)
          items.push_back(item(text(field.name), Property, owner == "with" ? "experiment" : owner));
      if (owner == "with") {
        for (const std::string_view name : kAttributes) items.push_back(item(name, Property, "declaration"));
      } else if (const core::Global* function = record ? nullptr : known.named(owner)) {
        for (const std::string& name : parameter_names(known, *function))
          items.push_back(item(name, Property, function->type));
      }
      return items;
    }
    case Typing::Name: break;
  }

  std::set<std::string, std::less<>> locals;
  if (const core::Global* around = known.named(definition))
    for (const auto& [name, signal] : known.inside(*around))
      if (locals.insert(name).second) items.push_back(item(name, Variable, signal.type));
  // Those that are new since, and what is no signal. A definition with an error of syntax has none.
  const auto after = now.uses().locals.upper_bound(offset);
  const std::size_t begin =
      definition.empty() ? offset : static_cast<std::size_t>(definition.data() - source.data());
  if (after != now.uses().locals.begin() && std::prev(after)->first >= begin) {
    const std::uint32_t clause = std::prev(after)->second.clause;
    for (const auto& [at, local] : now.uses().locals)
      if (local.clause == clause && !local.is_field &&
          word_at(source, at).begin + local.name.size() != offset && locals.insert(local.name).second)
        items.push_back(item(local.name, Variable, ""));
  }
  std::map<std::string_view, std::string_view> types;
  for (const core::Global* global : known.definitions()) types.emplace(text(global->name), global->type);
  for (const std::string& name : now.uses().defined) items.push_back(item(name, Function, types[name]));
  // The first of these is the module itself. The editor chooses by what has been typed.
  for (const std::string& name : now.uses().visible.empty() ? std::span<const std::string>()
                                                            : std::span(now.uses().visible).subspan(1)) {
    const doc::Module* imported = module(name, folder);
    if (!imported) continue;
    for (const doc::Entry& e : imported->entries)
      items.push_back({{"label", e.name},
                       {"kind", e.is_type() ? Class : Function},
                       {"detail", e.signature + (name == "Prelude" ? "" : " — " + name)},
                       {"documentation", std::string(doc::first_sentence(e.text))}});
  }
  for (const std::string_view word : kKeywords) items.push_back(item(word, Keyword, ""));
  return items;
}

}  // namespace sigrel::lsp
