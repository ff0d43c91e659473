#include "tests/cases/case_file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

namespace golden {
namespace {

constexpr std::string_view kMarker = "--==";

std::string trimmed(const std::string& text) {
  std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> found;
  for (std::string word; in >> word;) found.push_back(word);
  return found;
}

std::string single_spaced(const std::string& text) {
  std::string out;
  for (const std::string& word : words(text)) out += (out.empty() ? "" : " ") + word;
  return out;
}

const char* severity_name(sigrel::Severity severity) {
  switch (severity) {
    case sigrel::Severity::Error: return "ERROR";
    case sigrel::Severity::Warning: return "WARNING";
    case sigrel::Severity::Note: return "NOTE";
  }
  return "";
}

bool mentions(const sigrel::Diagnostic& d, const std::string& text) {
  if (d.message.find(text) != std::string::npos) return true;
  if (d.primary && d.primary->text.find(text) != std::string::npos) return true;
  return std::ranges::any_of(d.secondary,
                             [&](const sigrel::Label& l) { return l.text.find(text) != std::string::npos; });
}

/// Takes the note off a line of source; what is left is compiled.
std::string take_note(const std::string& line, std::uint32_t number, CaseFile& file) {
  static const std::regex note(R"(^(\^*)(\??)\s*(ERROR|WARNING|NOTE)\s+(SR\d{4})\s*(.*)$)");
  std::size_t at = line.find("--~");
  if (at == std::string::npos) return line;
  static const std::regex expected_line(
      R"(^(AST|TYPES|STRUCTURAL|SYSTEM|DAE|PLAN|VALUES)\s+(not\s+)?(\S.*)$)");
  std::string text = trimmed(line.substr(at + 3));
  std::smatch match;
  std::string rest = line.substr(0, at);
  rest.erase(rest.find_last_not_of(" \t") + 1);
  if (std::regex_match(text, match, expected_line)) {
    std::string section = match[1];
    std::ranges::transform(section, section.begin(), [](unsigned char c) { return std::tolower(c); });
    file.expected_lines.push_back({section, single_spaced(match[3]), match[2].matched, number});
    return rest;
  }
  if (!std::regex_match(text, match, note)) {
    file.mistakes.push_back("line " + std::to_string(number) +
                            ": a note is `--~ ERROR SR0105 text` or `--~ VALUES x = 1`, not `--~" + text +
                            "`");
    return line;
  }
  std::uint32_t up = static_cast<std::uint32_t>(match[1].length());
  file.expected.push_back(
      {match[2].length() ? 0 : number - std::min(up, number), match[3], match[4], trimmed(match[5])});
  return rest;
}

void take_directive(const std::string& line, std::uint32_t number, CaseFile& file) {
  std::string text = trimmed(line.substr(3));
  std::size_t colon = text.find(':');
  std::string name = trimmed(text.substr(0, colon)),
              value = colon == std::string::npos ? "" : trimmed(text.substr(colon + 1));
  if (name == "sections")
    file.sections = words(value);
  else if (name == "expression")
    file.expression = value;
  else if (name == "tolerance")
    file.tolerance = std::stod(value);
  else
    file.mistakes.push_back("line " + std::to_string(number) + ": there is no directive `" + name + "`");
}

}  // namespace

CaseFile read_case(const std::filesystem::path& path) {
  CaseFile file;
  file.path = path;
  std::ifstream in(path, std::ios::binary);
  if (!in) file.mistakes.push_back("the file cannot be read");
  bool below = false;
  std::uint32_t number = 0;
  // Notes of one kind of file, such as a file that ends without a newline, must survive: lines are taken with
  // theirs.
  std::string content((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t begin = 0; begin < content.size();) {
    std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string line = content.substr(begin, end - begin);
    std::string newline = end < content.size() ? "\n" : "";
    begin = end + newline.size();
    ++number;
    below = below || line.starts_with(kMarker);
    if (!below) {
      file.head += line + newline;
      if (line.starts_with("--!")) take_directive(line, number, file);
      file.source += take_note(line, number, file) + newline;
    } else if (line.starts_with(kMarker)) {
      file.generated.push_back({trimmed(line.substr(kMarker.size())), {}});
    } else {
      file.generated.back().text += (line.starts_with("-- ")  ? line.substr(3)
                                     : line.starts_with("--") ? line.substr(2)
                                                              : line) +
                                    "\n";
    }
  }
  return file;
}

std::vector<std::string> disagreements(const CaseFile& file, const sigrel::Diagnostics& diagnostics,
                                       const sigrel::SourceMap& sources, sigrel::FileId root) {
  std::vector<std::string> found = file.mistakes;
  std::vector<bool> used(file.expected.size(), false);
  for (const sigrel::Diagnostic& d : diagnostics.all()) {
    std::uint32_t line = 0;
    if (d.primary && d.primary->span.file == root)
      line = sources.file(root).position(d.primary->span.begin).line;
    std::string code(sigrel::info(d.code).id);
    bool noted = false;
    for (std::size_t i = 0; i < file.expected.size() && !noted; ++i) {
      const ExpectedDiagnostic& e = file.expected[i];
      noted = !used[i] && e.line == line && e.code == code && e.severity == severity_name(d.severity) &&
              mentions(d, e.text);
      if (noted) used[i] = true;
    }
    if (!noted)
      found.push_back("not expected: " + std::string(line ? "line " + std::to_string(line) + ": " : "") +
                      severity_name(d.severity) + " " + code + " " + d.message);
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i]) {
      const ExpectedDiagnostic& e = file.expected[i];
      found.push_back("expected, but not reported: " +
                      std::string(e.line ? "line " + std::to_string(e.line) + ": " : "") + e.severity + " " +
                      e.code + " " + e.text);
    }
  return found;
}

std::vector<std::string> disagreements(const CaseFile& file, const std::vector<Section>& sections,
                                       const std::function<double(const std::string& section)>& tolerance) {
  std::vector<std::string> found;
  for (const Section& section : sections) {
    if (section.name == "diagnostics") continue;
    if (std::ranges::find(file.expected_lines, section.name, &ExpectedLine::section) ==
        file.expected_lines.end())
      found.push_back("nothing is expected of section `" + section.name +
                      "`: state above the marker what the case is about");
  }
  for (const ExpectedLine& expected : file.expected_lines) {
    auto section = std::ranges::find(sections, expected.section, &Section::name);
    bool occurs = false;
    if (section != sections.end()) {
      std::istringstream lines(section->text);
      for (std::string line; std::getline(lines, line) && !occurs;)
        occurs = same_text(single_spaced(line), expected.text, tolerance(expected.section));
    }
    if (occurs == expected.absent)
      found.push_back("line " + std::to_string(expected.line) + ": `" + expected.text +
                      (occurs ? "` occurs in `" : "` is no line of `") + expected.section + "`");
  }
  return found;
}

std::string with_sections(const CaseFile& file, const std::vector<Section>& sections) {
  std::string text = file.head;
  for (const Section& section : sections) {
    text += std::string(kMarker) + " " + section.name + "\n";
    std::istringstream lines(section.text);
    for (std::string line; std::getline(lines, line);) text += (line.empty() ? "--" : "-- " + line) + "\n";
  }
  return text;
}

bool same_text(const std::string& a, const std::string& b, double tolerance) {
  if (a == b) return true;
  if (tolerance <= 0) return false;
  const char *p = a.c_str(), *q = b.c_str();
  auto starts_number = [](const char* s, const char* first) {
    bool inside_word =
        s != first && (std::isalnum(static_cast<unsigned char>(s[-1])) || s[-1] == '_' || s[-1] == '.');
    return !inside_word && (std::isdigit(static_cast<unsigned char>(*s)) ||
                            (*s == '-' && std::isdigit(static_cast<unsigned char>(s[1]))));
  };
  while (*p && *q) {
    if (starts_number(p, a.c_str()) && starts_number(q, b.c_str())) {
      char *after_p, *after_q;
      double x = std::strtod(p, &after_p), y = std::strtod(q, &after_q);
      // Below 1 the tolerance is absolute: a value that should be zero is never quite.
      if (!std::isinf(tolerance) && std::abs(x - y) > tolerance * std::max({1.0, std::abs(x), std::abs(y)}))
        return false;
      p = after_p;
      q = after_q;
    } else if (*p++ != *q++) {
      return false;
    }
  }
  return !*p && !*q;
}

}  // namespace golden
