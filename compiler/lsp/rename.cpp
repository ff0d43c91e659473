#include "compiler/lsp/rename.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace sigrel::lsp {
namespace {

bool is_variable_name(const std::string& name) {
  const auto continues = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '\''; };
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
         std::ranges::all_of(name, continues);
}

/// A variable that a record pattern names after its field keeps the name of the field.
std::vector<TextEdit> edits_of(const Uses& uses, const std::vector<std::size_t>& places, const Word& word,
                               const std::string& name) {
  std::vector<TextEdit> result;
  for (const std::size_t place : places) {
    const auto local = uses.locals.find(place);
    const bool is_field = local != uses.locals.end() && local->second.is_field;
    result.push_back(
        {place, place + word.text.size(), is_field ? fmt::format("{} = {}", word.text, name) : name});
  }
  return result;
}

std::string applied(std::string text, const std::vector<TextEdit>& edits) {
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    text.replace(edit->begin, edit->end - edit->begin, edit->text);
  return text;
}

/// The first of the errors of `after` that is none of those of `before`.
const Diagnostic* new_error(const Analysis& before, const Analysis& after) {
  const auto errors = [](const Analysis& a) {
    return std::ranges::count(a.diagnostics(), Severity::Error, &Diagnostic::severity);
  };
  if (errors(after) <= errors(before)) return nullptr;
  const auto known = [&](const Diagnostic& d) {
    return std::ranges::any_of(before.diagnostics(), [&](const Diagnostic& b) {
      return b.code == d.code && b.message == d.message;
    });
  };
  const Diagnostic* first = nullptr;
  for (const Diagnostic& d : after.diagnostics())
    if (d.severity == Severity::Error && (!first || (known(*first) && !known(d)))) first = &d;
  return first;
}

/// The places in another document where it uses a definition of the file at `path`.
std::vector<std::size_t> uses_elsewhere(const Analysis& other, const std::string& path,
                                        std::string_view name) {
  std::vector<std::size_t> result;
  const std::string& text = other.sources().file(other.file()).text;
  for (const auto& [offset, qualifier] : other.uses().names) {
    const Word word = word_at(text, offset);
    if (word.text != name) continue;
    const core::Global* global = other.find(word);
    std::error_code error;
    if (global && std::filesystem::equivalent(other.sources().file(global->span.file).path, path, error))
      result.push_back(offset);
  }
  return result;
}

}  // namespace

std::map<std::string, std::vector<TextEdit>> rename(const Document& document, const Analysis& analysis,
                                                    const Word& word, const std::string& name,
                                                    const std::vector<Document>& others,
                                                    const SessionOptions& options) {
  if (!is_variable_name(name)) throw RenameRefused("`" + name + "` is no name");
  const core::Global* global = analysis.find(word);
  const std::vector<std::size_t> places = analysis.occurrences(word);
  if (places.empty() || (global && global->span.file != analysis.file()))
    throw RenameRefused("only variables, parts and definitions of this file can be renamed");
  if (global && word.text == "main") throw RenameRefused("`main` is what a run executes");
  const Uses& uses = analysis.uses();
  const auto mentions = [&](const auto& names) {
    return std::ranges::any_of(
        names, [&](const auto& entry) { return word_at(document.text, entry.first).text == name; });
  };
  if (mentions(uses.names) || mentions(uses.locals))
    throw RenameRefused("`" + name + "` is already used in this file");

  std::map<std::string, std::vector<TextEdit>> result;
  result[document.uri] = edits_of(uses, places, word, name);
  Document renamed = document;
  renamed.text = applied(document.text, result[document.uri]);
  const Analysis after(renamed, options);
  if (const Diagnostic* error = new_error(analysis, after))
    throw RenameRefused(fmt::format("`{}` cannot be renamed: then {}", word.text, error->message));

  for (const Document& other : others) {
    if (other.text.find(uses.visible.front()) == std::string::npos) continue;
    if (!global) {
      if (other.text.find("." + std::string(word.text)) != std::string::npos)
        throw RenameRefused(
            fmt::format("`{}` may be read by `{}`, which mentions `.{}`", word.text, other.path, word.text));
      continue;
    }
    const Analysis elsewhere(other, options);
    const std::vector<std::size_t> used = uses_elsewhere(elsewhere, document.path, word.text);
    if (!used.empty()) result[other.uri] = edits_of(elsewhere.uses(), used, word, name);
  }
  return result;
}

}  // namespace sigrel::lsp
