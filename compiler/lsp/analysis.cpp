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

std::vector<std::pair<std::string, Signal>> Analysis::inside(const core::Global& global) const {
  const FileId file = global.span.file;
  const Signals& signals =
      file == file_
          ? signals_
          : of_files_.try_emplace(file, signals_of(session_->program(), sources(), file)).first->second;
  std::uint32_t end = UINT32_MAX;
  for (const core::Global& other : session_->program().globals)
    if (other.span.file == file && other.span.begin > global.span.begin)
      end = std::min(end, other.span.begin);
  std::vector<std::pair<std::string, Signal>> result;
  const std::string& source = sources().file(file).text;
  for (auto at = signals.at.lower_bound(global.span.begin); at != signals.at.end() && at->first < end; ++at)
    if (const Word word = word_at(source, at->first); !word.text.empty() && word.begin == at->first)
      result.emplace_back(std::string(word.text), at->second);
  return result;
}

const core::Global* Analysis::named(std::string_view name) const {
  if (!checked_) return nullptr;
  const std::size_t point = name.rfind('.');
  const std::string_view last = point == std::string_view::npos ? name : name.substr(point + 1);
  const auto found = by_name_.find(last);
  if (found == by_name_.end()) return nullptr;
  const core::Global* best = nullptr;
  for (const core::Global* global : found->second) {
    if (global->span.file == file_) return global;
    if (!best || std::ranges::find(uses_.visible, text(global->module)) != uses_.visible.end()) best = global;
  }
  return best;
}

const core::RecordInfo* Analysis::record(std::string_view name) const {
  if (!checked_) return nullptr;
  const auto& records = session_->program().records;
  const auto found = std::ranges::find(records, name, [](const core::RecordInfo& r) { return text(r.name); });
  return found == records.end() ? nullptr : &*found;
}

std::vector<std::pair<std::string, std::string>> Analysis::members(std::string_view definition,
                                                                   std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> result;
  const core::Global* inside_of = named(definition);
  const core::RecordInfo* fields = nullptr;
  while (!name.empty()) {
    const std::size_t point = std::min(name.find('.'), name.size());
    const std::string_view step = name.substr(0, std::min(point, name.find('[')));
    name.remove_prefix(std::min(point + 1, name.size()));
    if (!inside_of || fields) return {};  // the types of the fields of a record are not known here
    const auto all = inside(*inside_of);
    const auto found = std::ranges::find(all, step, &std::pair<std::string, Signal>::first);
    if (found == all.end()) return {};
    const std::string_view type = found->second.type;
    if (found->second.kind == Signal::Part) {
      // "resistor r", "(resistor r)", "Electrical.resistor r"
      const std::size_t begin = std::min(type.find_first_not_of('('), type.size());
      inside_of = named(type.substr(begin, std::min(type.find_first_of(" ()", begin), type.size()) - begin));
    } else {
      fields = record(type.substr(0, type.find('^')));
      if (!fields) return {};
    }
  }
  if (fields)
    for (const core::FieldInfo& field : fields->fields)
      result.emplace_back(std::string(text(field.name)), field.flow       ? "flow"
                                                         : field.rotation ? "rotation"
                                                                          : "");
  else if (inside_of)
    for (auto& [member, signal] : inside(*inside_of)) result.emplace_back(member, signal.type);
  return result;
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
