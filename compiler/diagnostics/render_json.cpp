// Diagnostics for editors and tools, in the format of `rustc --error-format=json`: one object per line. Notes
// and helps are children; the edits of a help are spans with a `suggested_replacement`.
#include <nlohmann/json.hpp>

#include "compiler/diagnostics/diagnostic.h"

namespace sigrel {
namespace {

using nlohmann::ordered_json;

const char* level_of(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "";
}

ordered_json span_json(const SourceMap& sources, Span span, bool primary) {
  const SourceFile& file = sources.file(span.file);
  Position begin = file.position(span.begin);
  Position end = file.position(std::max(span.begin, span.end));
  ordered_json lines = ordered_json::array();
  for (std::uint32_t l = begin.line; l <= end.line; ++l) {
    std::string_view text = file.line(l);
    std::uint32_t length = 0;
    for (char c : text) length += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    lines.push_back({{"text", text},
                     {"highlight_start", l == begin.line ? begin.column : 1},
                     {"highlight_end", l == end.line ? end.column : length + 1}});
  }
  return {{"file_name", file.path},
          {"byte_start", span.begin},
          {"byte_end", std::max(span.begin, span.end)},
          {"line_start", begin.line},
          {"line_end", end.line},
          {"column_start", begin.column},
          {"column_end", end.column},
          {"is_primary", primary},
          {"text", std::move(lines)},
          {"label", nullptr},
          {"suggested_replacement", nullptr},
          {"suggestion_applicability", nullptr},
          {"expansion", nullptr}};
}

ordered_json label_json(const SourceMap& sources, const Label& label, bool primary) {
  ordered_json json = span_json(sources, label.span, primary);
  if (!label.text.empty()) json["label"] = label.text;
  return json;
}

ordered_json child_json(const char* level, const std::string& message, ordered_json spans) {
  return {{"message", message},
          {"code", nullptr},
          {"level", level},
          {"spans", std::move(spans)},
          {"children", ordered_json::array()},
          {"rendered", nullptr}};
}

}  // namespace

std::string render_json(const Diagnostic& d, const SourceMap& sources) {
  ordered_json spans = ordered_json::array();
  if (d.primary) spans.push_back(label_json(sources, *d.primary, true));
  for (const Label& label : d.secondary) spans.push_back(label_json(sources, label, false));

  ordered_json children = ordered_json::array();
  for (const std::string& note : d.notes) children.push_back(child_json("note", note, ordered_json::array()));
  for (const Help& help : d.helps) {
    ordered_json edits = ordered_json::array();
    for (const Edit& edit : help.edits) {
      ordered_json span = span_json(sources, edit.span, true);
      span["suggested_replacement"] = edit.replacement;
      // A help that is a question ("did you mean …?") may be wrong.
      span["suggestion_applicability"] = help.text.ends_with('?') ? "MaybeIncorrect" : "MachineApplicable";
      edits.push_back(std::move(span));
    }
    children.push_back(child_json("help", help.text, std::move(edits)));
  }

  ordered_json json = {{"$message_type", "diagnostic"},
                       {"message", d.message},
                       {"code", {{"code", info(d.code).id}, {"explanation", page(d.code)}}},
                       {"level", level_of(d.severity)},
                       {"spans", std::move(spans)},
                       {"children", std::move(children)},
                       {"rendered", render_text(d, sources, false)}};
  // Invalid UTF-8 in a source becomes U+FFFD.
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace sigrel
