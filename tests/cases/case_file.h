// A golden case: one file with a model, what a person expects of it, and what the compiler said.
//
//   -- A name that is not defined.                                    source: Sigrel
//   main = simulate lowPas      --~ ERROR SR0105 `lowPas` is not      expected diagnostic at its line
//   --~ VALUES x = 2.5                                                expected line of a section
//   --== diagnostics                                                  below the first `--==`: generated
//   -- error[SR0105]: `lowPas` is not defined                         by tools/update-cases
//
// An expected diagnostic names severity and code; the rest of the line, if any, occurs in the message or in a
// label. `--~^` refers to the line above, `--~?` to a diagnostic without a place in this file. Every
// diagnostic needs a note and every note a diagnostic.
//
// An expected line names its section in capitals (AST, TYPES, STRUCTURAL, SYSTEM, DAE, PLAN, VALUES) and
// occurs in that section, spaces aside; numbers agree within the tolerance of the section. `--~ DAE not …`
// must not occur. These lines state what the case is about: a case that generates a section has at least one,
// and tools/update-cases refuses to write what contradicts them.
//
// Directives stand in the source: `--! sections: dae plan`, `--! expression: lowPass 220.0`, `--! tolerance:
// 1e-2` (relative, for numbers in messages of a run).
#pragma once
#include <filesystem>
#include <functional>
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

struct ExpectedLine {
  std::string section;  // "values"
  std::string text;     // without repeated spaces
  bool absent = false;  // it must not occur
  std::uint32_t line = 0;
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
  std::vector<ExpectedLine> expected_lines;
  std::optional<std::vector<std::string>> sections;  // of the directive
  std::optional<std::string> expression;
  std::optional<double> tolerance;
  std::vector<Section> generated;
  std::vector<std::string> mistakes;  // in the notes themselves
};

CaseFile read_case(const std::filesystem::path& path);

/// What keeps the notes and the diagnostics from agreeing; empty: they agree.
std::vector<std::string> disagreements(const CaseFile& file, const sigrel::Diagnostics& diagnostics,
                                       const sigrel::SourceMap& sources, sigrel::FileId root);

/// Expected lines that the sections contradict, and sections of which nothing is expected. `tolerance` gives
/// that of a section.
std::vector<std::string> disagreements(const CaseFile& file, const std::vector<Section>& sections,
                                       const std::function<double(const std::string& section)>& tolerance);

/// The whole file with these sections.
std::string with_sections(const CaseFile& file, const std::vector<Section>& sections);

/// Whether two texts are the same; with a tolerance, numbers in them may differ by that, relative to the
/// larger.
bool same_text(const std::string& a, const std::string& b, double tolerance);

}  // namespace golden
