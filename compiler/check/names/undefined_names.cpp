#include "compiler/check/names/undefined_names.h"

#include <algorithm>

namespace sigrel::check {
namespace {

constexpr std::size_t kLabels = 3;  // uses in other definitions that are shown
constexpr std::size_t kNames = 8;   // names of one module, or of one definition, that are listed
constexpr std::size_t kErrors = 2;  // about names of one definition

std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

/// "`a`, `b` or `c`"
std::string list(const std::vector<std::string>& names, std::string_view last) {
  std::string result;
  for (std::size_t k = 0; k < names.size(); ++k)
    result += (k == 0 ? "" : k + 1 == names.size() ? " " + std::string(last) + " " : ", ") + names[k];
  return result;
}

}  // namespace

void UndefinedNames::start_module() {
  reported_.clear();
  imported_.clear();
  imports_.clear();
  latest_ = {};
  lacks_type_ = false;
}

/// Whether a definition has so many errors that the last one takes further names.
bool UndefinedNames::is_full(std::uint32_t definition) const {
  return latest_.last && latest_.definition == definition && latest_.errors >= kErrors;
}

void UndefinedNames::count(Code code, std::uint32_t definition) {
  if (code != Code::UnknownName) return;
  if (latest_.definition != definition) latest_ = {definition};
  ++latest_.errors;
}

void UndefinedNames::join_last(Name name, Span span) {
  std::vector<std::string>& others = latest_.others;
  others.push_back(quoted(text(name)));
  if (others.size() <= kLabels) latest_.last->also(span, "nor is this");
  std::vector<std::string> shown(others.begin(),
                                 others.begin() + static_cast<long>(std::min(others.size(), kNames)));
  if (others.size() > kNames) shown.push_back(std::to_string(others.size() - kNames) + " more");
  if (others.size() > 1) latest_.last->notes.pop_back();
  latest_.last->note(list(shown, "and") + (others.size() == 1 ? " is" : " are") +
                     " not defined either in this definition");
}

Diagnostic* UndefinedNames::report(Code code, Name name, Span span, std::uint32_t definition,
                                   std::string message) {
  lacks_type_ |= code == Code::UnknownType;
  auto [at, is_new] = reported_.try_emplace(key(code, name), Reported{nullptr, definition});
  Reported& reported = at->second;
  if (is_new && code == Code::UnknownName && is_full(definition)) {
    join_last(name, span);
    reported.diagnostic = latest_.last;
    return nullptr;
  }
  if (is_new) {
    reported.diagnostic = &diagnostics_.report(code, span, std::move(message));
    count(code, definition);
    if (code == Code::UnknownName) latest_.last = reported.diagnostic;
    return reported.diagnostic;
  }
  if (reported.definition != definition && reported.diagnostic->secondary.size() < kLabels)
    reported.diagnostic->also(span, "also used here");
  reported.definition = definition;
  return nullptr;
}

bool UndefinedNames::report_import(Code code, Name name, Span span, std::uint32_t definition,
                                   std::string message) {
  if (imported_.contains(name)) return true;
  if (!modules_with_) return false;
  std::vector<std::string_view> modules = modules_with_(text(name));
  if (modules.empty()) return false;
  lacks_type_ |= code == Code::UnknownType;
  for (Import& import : imports_) {
    std::vector<std::string_view> common;
    std::ranges::copy_if(import.modules, std::back_inserter(common), [&](std::string_view module) {
      return std::ranges::find(modules, module) != modules.end();
    });
    if (common.empty()) continue;
    import.modules = std::move(common);
    import.others.push_back(quoted(text(name)));
    imported_.insert(name);
    describe(import);
    return true;
  }
  if (code == Code::UnknownName && is_full(definition)) return false;
  imported_.insert(name);
  Diagnostic& diagnostic = diagnostics_.report(code, span, std::move(message));
  count(code, definition);
  diagnostic.help({});
  describe(imports_.emplace_back(Import{std::move(modules), &diagnostic, quoted(text(name)), {}}));
  return true;
}

void UndefinedNames::describe(const Import& import) {
  Diagnostic& d = *import.diagnostic;
  std::vector<std::string> modules;
  for (std::string_view module : import.modules) modules.push_back(quoted(module));
  const std::size_t others = import.others.size();
  d.helps[0].text = "the library has " + std::string(others == 0 ? "it" : "them") + " in " +
                    list(modules, "or") + ": add `import " + std::string(import.modules[0]) + "`";
  if (others == 0) return;
  d.message = import.first + " and " + std::to_string(others) +
              (others == 1 ? " other name" : " other names") + " of " + modules[0] + " are not defined";
  std::vector<std::string> shown(import.others.begin(),
                                 import.others.begin() + static_cast<long>(std::min(others, kNames)));
  if (others > kNames) shown.push_back(std::to_string(others - kNames) + " more");
  d.notes = {"the " + std::string(others == 1 ? "other one is " : "others are ") + list(shown, "and")};
}

}  // namespace sigrel::check
