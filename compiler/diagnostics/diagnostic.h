// Diagnostics as data: a code, spans in the source of the user, notes, and helps.
//
// A stage reports with `diags.report(Code::UnknownName, span, "`x` is not defined").help("…")`. The codes and
// their one-line titles are the table codes.def; each has a page under pages/ that `sigrel explain CODE`
// prints.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"

namespace sigrel {

enum class Severity : std::uint8_t { Error, Warning, Note };

enum class Code : std::uint16_t {
#define SIGREL_CODE(number, name, severity, title) name = number,
#include "compiler/diagnostics/codes.def"
#undef SIGREL_CODE
};

/// One row of the table of codes.
struct CodeInfo {
  Code code;
  std::string_view id;  // "SR0105"
  std::string_view name;
  Severity severity;
  std::string_view title;
};
const CodeInfo& info(Code code);
std::optional<Code> code_from_id(std::string_view id);  // "SR0105" or "sr105"
std::vector<CodeInfo> all_codes();
/// The Markdown page of a code.
std::string_view page(Code code);

struct Label {
  Span span;
  std::string text;
};

/// A replacement in the source, which makes a help machine-applicable.
struct Edit {
  Span span;
  std::string replacement;
};

struct Help {
  std::string text;
  std::vector<Edit> edits;
};

struct Diagnostic {
  Code code{};
  Severity severity{};
  std::string message;
  std::optional<Label> primary;  // nullopt only without source (a missing file, a full disk)
  std::vector<Label> secondary;
  std::vector<std::string> notes;
  std::vector<Help> helps;

  Diagnostic& label(std::string text) {
    primary->text = std::move(text);
    return *this;
  }
  Diagnostic& also(Span span, std::string text) {
    secondary.push_back({span, std::move(text)});
    return *this;
  }
  Diagnostic& note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }
  Diagnostic& help(std::string text) {
    helps.push_back({std::move(text), {}});
    return *this;
  }
  Diagnostic& fix(std::string text, Span span, std::string replacement) {
    helps.push_back({std::move(text), {{span, std::move(replacement)}}});
    return *this;
  }
};

/// Collects diagnostics in the order in which they were reported.
class Diagnostics {
 public:
  Diagnostic& report(Code code, Span span, std::string message);
  Diagnostic& report(Code code, std::string message);  // no source position
  bool has_errors() const { return errors_ != 0; }
  std::size_t error_count() const { return errors_; }
  const std::deque<Diagnostic>& all() const { return items_; }
  void clear() {
    items_.clear();
    errors_ = 0;
  }
  template <class Unwanted>
  void erase_if(Unwanted unwanted) {
    std::erase_if(items_, [&](const Diagnostic& d) {
      const bool gone = unwanted(d);
      if (gone && d.severity == Severity::Error) --errors_;
      return gone;
    });
  }
  void append(Diagnostic diagnostic) {
    errors_ += diagnostic.severity == Severity::Error;
    items_.push_back(std::move(diagnostic));
  }
  void append(const Diagnostics& more) {
    items_.insert(items_.end(), more.items_.begin(), more.items_.end());
    errors_ += more.errors_;
  }

 private:
  std::deque<Diagnostic> items_;
  std::size_t errors_ = 0;
};

/// "error[SR0105]: …" with source excerpts; `color` for a terminal.
std::string render_text(const Diagnostic& diagnostic, const SourceMap& sources, bool color);
/// One line of JSON in the shape of rustc's `--error-format=json`.
std::string render_json(const Diagnostic& diagnostic, const SourceMap& sources);

/// The candidate with the smallest edit distance to `name`, if it is a plausible correction.
std::optional<std::string_view> did_you_mean(std::string_view name,
                                             const std::vector<std::string_view>& candidates);

}  // namespace sigrel
