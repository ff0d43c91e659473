#include "compiler/pipeline/library_index.h"

#include <algorithm>
#include <string>

#include "compiler/pipeline/fingerprint.h"

namespace sigrel::pipeline {
namespace {

struct Declaration {
  SkippedText text;
  std::uint32_t first_name;  // in kReferences: the names that it defines, then all that it mentions
  std::uint16_t defined, mentioned;
  bool always;  // a type or an import
};

struct Module {
  std::string_view name;
  std::uint64_t fingerprint;
  std::uint32_t first, last;  // in kDeclarations
  std::uint32_t first_import, last_import;
};

// kNames, kReferences (to names), kDeclarations, kImports, kModules
#include "library_index.inc"

/// The names that are needed, and what follows from them.
class Mentioned {
 public:
  Mentioned(std::span<const ListedModule> modules, bool (*mentions)(std::string_view))
      : needed_(std::size(kNames)), taken_(std::size(kDeclarations)) {
    for (std::size_t i = 0; i < needed_.size(); ++i) needed_[i] = mentions(kNames[i]);
    // Rounds, since a definition may mention one of a module before its own. Few are needed.
    for (bool more = true; more;) {
      more = false;
      for (ListedModule module : modules) more |= take_needed(kModules[module]);
    }
  }

  bool operator()(std::uint32_t declaration) const { return taken_[declaration]; }

 private:
  bool take_needed(const Module& module) {
    bool taken = false;
    for (std::uint32_t i = module.first; i < module.last; ++i)
      if (!taken_[i] && is_needed(kDeclarations[i])) {
        take(i);
        taken = true;
      }
    return taken;
  }
  bool is_needed(const Declaration& declaration) const {
    return declaration.always || std::ranges::any_of(names(declaration.first_name, declaration.defined),
                                                     [&](std::uint16_t name) { return needed_[name]; });
  }
  /// What it defines is needed as well: a signature of several names has the definitions of all of them.
  void take(std::uint32_t i) {
    const Declaration& declaration = kDeclarations[i];
    taken_[i] = true;
    for (std::uint16_t name :
         names(declaration.first_name, std::size_t{declaration.defined} + declaration.mentioned))
      needed_[name] = true;
  }
  static std::span<const std::uint16_t> names(std::uint32_t first, std::size_t count) {
    return std::span(kReferences).subspan(first, count);
  }

  std::vector<bool> needed_;  // by name
  std::vector<bool> taken_;   // by declaration
};

}  // namespace

std::optional<ListedModule> listed_module(std::string_view name, std::string_view text) {
  const auto found = std::ranges::find(kModules, name, &Module::name);
  if (found == std::end(kModules) || found->fingerprint != fingerprint(text)) return std::nullopt;
  return static_cast<ListedModule>(found - std::begin(kModules));
}

std::vector<std::string_view> listed_imports(ListedModule module) {
  const Module& m = kModules[module];
  return {std::begin(kImports) + m.first_import, std::begin(kImports) + m.last_import};
}

std::vector<std::string_view> modules_with(std::string_view name) {
  std::vector<std::string_view> modules;
  for (const Module& module : kModules) {
    if (module.name == "Prelude") continue;
    const bool defines = std::ranges::any_of(
        std::span(kDeclarations).subspan(module.first, module.last - module.first),
        [&](const Declaration& d) {
          const auto names = std::span(kReferences).subspan(d.first_name, d.defined);
          return std::ranges::any_of(names, [&](std::uint16_t k) { return kNames[k] == name; });
        });
    if (defines) modules.push_back(module.name);
  }
  return modules;
}

std::vector<std::vector<SkippedText>> unmentioned(std::span<const ListedModule> modules,
                                                  bool (*mentions)(std::string_view)) {
  const Mentioned mentioned(modules, mentions);
  std::vector<std::vector<SkippedText>> result;
  for (ListedModule module : modules) {
    std::vector<SkippedText>& skipped = result.emplace_back();
    for (std::uint32_t i = kModules[module].first; i < kModules[module].last; ++i)
      if (!mentioned(i)) skipped.push_back(kDeclarations[i].text);
  }
  return result;
}

}  // namespace sigrel::pipeline
