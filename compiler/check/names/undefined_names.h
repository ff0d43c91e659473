// Which undefined names have been reported, so that one cause is one error: a name that is used in several
// definitions, and the names of a library module that is not imported.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::check {

class UndefinedNames {
 public:
  explicit UndefinedNames(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// CheckOptions::modules_with.
  void set_modules_with(std::vector<std::string_view> (*modules_with)(std::string_view)) {
    modules_with_ = modules_with;
  }
  /// Forgets what was reported of another module.
  void start_module();

  /// A new error about a name that is used at `span` in `definition`; null if there is one. That one then
  /// has a label at the first uses in other definitions. Of many names in one definition the first have
  /// errors of their own, and the last of these names the others: often one line is missing that declares
  /// them all.
  Diagnostic* report(Code code, Name name, Span span, std::uint32_t definition, std::string message);
  /// Whether `report` was called for this name.
  bool was_reported(Code code, Name name) const { return reported_.contains(key(code, name)); }
  /// Whether an error of this module is about a type.
  bool lacks_type() const { return lacks_type_; }
  /// Whether a library module defines the name; then an error says to import this module, one for all names
  /// of it.
  bool report_import(Code code, Name name, Span span, std::uint32_t definition, std::string message);

 private:
  static std::uint64_t key(Code code, Name name) {
    return (static_cast<std::uint64_t>(code) << 32) | name.value;
  }
  /// An error about a name, and how often it was used in other definitions.
  struct Reported {
    Diagnostic* diagnostic = nullptr;
    std::uint32_t definition = 0;  // the last one in which it was used
  };
  /// An import that is missing.
  struct Import {
    std::vector<std::string_view> modules;  // each of them defines all the names
    Diagnostic* diagnostic;
    std::string first;  // the text of the name that was found first
    std::vector<std::string> others;
  };
  static void describe(const Import& import);

  /// The errors about names of one definition.
  struct InDefinition {
    std::uint32_t definition = 0;
    std::size_t errors = 0;
    Diagnostic* last = nullptr;  // that takes further names: not one about an import
    std::vector<std::string> others{};
  };
  bool is_full(std::uint32_t definition) const;
  void count(Code code, std::uint32_t definition);
  void join_last(Name name, Span span);

  Diagnostics& diagnostics_;
  std::vector<std::string_view> (*modules_with_)(std::string_view) = nullptr;
  // References to diagnostics stay valid: checking only appends.
  std::unordered_map<std::uint64_t, Reported> reported_;  // by name and code
  InDefinition latest_;
  bool lacks_type_ = false;
  std::unordered_set<Name> imported_;  // the names of `imports_`
  std::vector<Import> imports_;
};

}  // namespace sigrel::check
