#include "compiler/lsp/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace sigrel::lsp {

Analysis::Analysis(const Document& document, const SessionOptions& options)
    : session_(std::make_unique<Session>(options)) {
  const std::filesystem::path path(document.path);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  session_->load_text(document.path, document.text, folder);
  if (session_->loaded()) uses_ = uses_of(*session_->loaded());
  checked_ = session_->check();
  if (checked_ && session_->check_structure()) session_->check_main();
  file_ = session_->root();
  const auto& found = session_->diagnostics().all();
  diagnostics_.assign(found.begin(), found.end());
  if (!checked_) return;
  for (const core::Global& global : session_->program().globals)
    by_name_[text(global.name)].push_back(&global);
  signals_ = signals_of(session_->program(), sources(), file_);
  for (const auto& [offset, signal] : signals_.at)
    if (const auto local = uses_.locals.find(offset); local != uses_.locals.end())
      of_clause_.try_emplace({local->second.clause, local->second.name}, &signal);
}

const Signal* Analysis::signal(const Word& name) const {
  const auto local = uses_.locals.find(name.begin);
  if (local == uses_.locals.end()) return nullptr;
  const auto found = of_clause_.find({local->second.clause, local->second.name});
  return found == of_clause_.end() ? nullptr : found->second;
}

const core::Global* Analysis::find(const Word& name) const {
  const auto used = uses_.names.find(name.begin);
  if (!checked_ || used == uses_.names.end()) return nullptr;
  const auto sees = [&](std::string_view module) {
    if (used->second.empty()) return std::ranges::find(uses_.visible, module) != uses_.visible.end();
    const auto qualified = uses_.qualifiers.find(used->second);
    return qualified != uses_.qualifiers.end() && qualified->second == module;
  };
  const core::Global* imported = nullptr;
  const auto named = by_name_.find(name.text);
  if (named == by_name_.end()) return nullptr;
  for (const core::Global* global : named->second) {
    if (!sees(text(global->module))) continue;
    if (global->span.file == file_) return global;
    imported = global;
  }
  return imported;
}

std::vector<std::size_t> Analysis::occurrences(const Word& name) const {
  std::vector<std::size_t> result;
  const std::string& source = sources().file(file_).text;
  if (const core::Global* global = find(name)) {
    for (const auto& [offset, qualifier] : uses_.names)
      if (const Word other = word_at(source, offset); other.text == name.text && find(other) == global)
        result.push_back(offset);
    return result;
  }
  const auto local = uses_.locals.find(name.begin);
  if (local == uses_.locals.end()) return result;
  for (const auto& [offset, other] : uses_.locals)
    if (other.clause == local->second.clause && other.name == local->second.name) result.push_back(offset);
  return result;
}

std::vector<const core::Global*> Analysis::definitions() const {
  return checked_ ? session_->definitions() : std::vector<const core::Global*>{};
}

std::string Analysis::description(const core::Global& global) const {
  const std::string structure = session_->structural_type(global);
  std::string result = fmt::format("```sigrel\n{} :: {}{}{}\n```\n", text(global.name), global.type,
                                   structure.empty() ? "" : " ", structure);
  const std::string comment = comment_above(sources().file(global.span.file).text, global.span.begin);
  if (!comment.empty()) result += "\n" + comment + "\n";
  if (global.span.file != file_) result += fmt::format("\nof `{}`\n", text(global.module));
  return result;
}

std::string comment_above(std::string_view text, std::size_t offset) {
  const Lines lines(text);
  std::size_t number = lines.place(offset, Encoding::Utf8).line;
  const Word name = word_at(text, offset);
  // The comment stands above the signature.
  while (number > 0 && lines.line(number - 1).starts_with(name.text) && !name.text.empty()) --number;
  std::size_t first = number;
  while (first > 0 && lines.line(first - 1).starts_with("--")) --first;
  std::string comment;
  bool documents = false;
  for (std::size_t k = first; k < number; ++k) {
    std::string_view line = lines.line(k).substr(2);
    if (line.starts_with(" |")) {
      documents = true;
      comment.clear();
      line.remove_prefix(2);
    }
    if (line.starts_with(' ')) line.remove_prefix(1);
    comment.append(line).append("\n");
  }
  while (comment.ends_with('\n')) comment.pop_back();
  return documents ? comment : std::string();
}

}  // namespace sigrel::lsp
