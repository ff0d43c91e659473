// What the compiler knows of one version of a document: a session that has checked it.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/lsp/document.h"
#include "compiler/lsp/signals.h"
#include "compiler/lsp/uses.h"
#include "compiler/session/session.h"

namespace sigrel::lsp {

class Analysis {
 public:
  /// Checks a text as `sigrel check` does: foreign functions are not called, and nothing is run.
  Analysis(const Document& document, const SessionOptions& options);

  const SourceMap& sources() const { return session_->sources(); }
  FileId file() const { return file_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// The definition that the name at an offset denotes: one of this module, or of the modules that it
  /// imports. Null if there is none, and where errors of names, types or the syntax leave no program.
  const core::Global* find(const Word& name) const;
  /// The offsets of all names in the text that denote what this one does, in order: a definition that is seen
  /// here, or a variable, part or node inside of one. None for other words.
  std::vector<std::size_t> occurrences(const Word& name) const;
  /// The signal, or the part, that a name inside of a relation denotes; null for other names, and where there
  /// is no program.
  const Signal* signal(const Word& name) const;
  const Signals& signals() const { return signals_; }
  /// Whether the text has a program: no errors of names, types or the syntax.
  bool checked() const { return checked_; }
  /// The signals and parts inside of a definition of any module, by name, in the order of the source.
  std::vector<std::pair<std::string, Signal>> inside(const core::Global& global) const;
  /// The definition that a name denotes in this module, as `find`, for a name that is not in the text.
  const core::Global* named(std::string_view name) const;
  /// The members of what a name inside of a definition denotes, as `r1` or `r1.p`: the fields of a record,
  /// the signals and parts of a relation.
  std::vector<std::pair<std::string, std::string>> members(std::string_view definition,
                                                           std::string_view name) const;
  /// A record by its name, or the type Experiment; null if there is none.
  const core::RecordInfo* record(std::string_view name) const;
  /// The structural type of a definition; empty if it has none.
  std::string structural_type(const core::Global& global) const { return session_->structural_type(global); }
  /// Names and imports, also after such errors.
  const Uses& uses() const { return uses_; }
  /// Those of the module, in source order.
  std::vector<const core::Global*> definitions() const;
  /// Its type and structural type, and the comment above it, as Markdown.
  std::string description(const core::Global& global) const;

 private:
  std::unique_ptr<Session> session_;
  FileId file_;
  bool checked_ = false;  // there is a program
  Uses uses_;
  Signals signals_;
  std::unordered_map<std::string_view, std::vector<const core::Global*>> by_name_;
  /// By clause and name: the offset of the signal that it denotes.
  std::map<std::pair<std::uint32_t, std::string_view>, const Signal*> of_clause_;
  std::vector<Diagnostic> diagnostics_;
  mutable std::map<FileId, Signals> of_files_;  // of modules that are imported, as they were needed
};

/// The text of the comment (`-- |`) above the line of an offset, without its marks; empty if there is none.
std::string comment_above(std::string_view text, std::size_t offset);

}  // namespace sigrel::lsp
