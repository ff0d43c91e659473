// A golden case: one file with a model, what a person expects of it, and what the compiler said.
//
//   -- A name that nobody defined.                                   source: Sigrel
//   main = simulate lowPas      --~ ERROR SR0105 `lowPas` is not     notes: expected diagnostics at their
//   lines
//   --== diagnostics                                                 below the first `--==`: written by
//   tools/update-cases
//   -- error[SR0105]: `lowPas` is not defined
//
// A note names severity and code; the rest of the line, if any, occurs in the message or in a label. `--~^`
// speaks of the line above, `--~?` of a diagnostic without a place in this file. Every diagnostic needs a
// note and every note a diagnostic. Directives stand in the source: `--! sections: dae plan`, `--!
// expression: lowPass 220.0`.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"

namespace golden {

struct ExpectedDiagnostic {
  std::uint32_t line = 0;  // 0: no place in this file
  std::string severity;    // ERROR, WARNING, NOTE
  std::string code;        // SR0105
  std::string text;
};

struct Section {
  std::string name;
  std::string text;  // lines, each with its newline
};

struct CaseFile {
  std::filesystem::path path;
  std::string head;    // above the marker, as it is in the file
  std::string source;  // the head without notes: what is compiled
  std::vector<ExpectedDiagnostic> expected;
  std::optional<std::vector<std::string>> sections;  // of the directive
  std::optional<std::string> expression;
  std::vector<Section> generated;
  std::vector<std::string> mistakes;  // in the notes themselves
};

CaseFile read_case(const std::filesystem::path& path);

/// What keeps the notes and the diagnostics from agreeing; empty: they agree.
std::vector<std::string> disagreements(const CaseFile& file, const sigrel::Diagnostics& diagnostics,
                                       const sigrel::SourceMap& sources, sigrel::FileId root);

/// The whole file with these sections.
std::string with_sections(const CaseFile& file, const std::vector<Section>& sections);

/// Whether two texts are the same; with a tolerance, numbers in them may differ by that, relative to the
/// larger.
bool same_text(const std::string& a, const std::string& b, double tolerance);

}  // namespace golden
