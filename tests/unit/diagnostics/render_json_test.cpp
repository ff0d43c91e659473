#include <nlohmann/json.hpp>

#include "compiler/diagnostics/diagnostic.h"

using namespace sigrel;
using nlohmann::json;

TEST_CASE("JSON has rustc's shape") {
  SourceMap map;
  FileId file = map.add("a.sr", "x = 1\nä = capacitator\n");
  Diagnostics diags;
  diags.report(Code::SyntaxError, Span{file, 11, 22}, "`capacitator` is not defined")
      .label("here")
      .also(Span{file, 0, 1}, "and here")
      .note("why")
      .fix("did you mean `capacitor`?", Span{file, 11, 22}, "capacitor");
  std::string text = render_json(diags.all().front(), map);
  CHECK(text.find('\n') == std::string::npos);
  json j = json::parse(text);
  CHECK(j["$message_type"] == "diagnostic");
  CHECK(j["level"] == "error");
  CHECK(j["code"]["code"] == "SR0010");
  CHECK(j["code"]["explanation"].is_string());
  CHECK(j["message"] == "`capacitator` is not defined");
  json span = j["spans"][0];
  CHECK(span["file_name"] == "a.sr");
  CHECK(span["byte_start"] == 11);
  CHECK(span["line_start"] == 2);
  CHECK(span["column_start"] == 5);
  CHECK(span["column_end"] == 16);
  CHECK(span["is_primary"] == true);
  CHECK(span["label"] == "here");
  CHECK(span["text"][0]["text"] == "ä = capacitator");
  CHECK(span["text"][0]["highlight_start"] == 5);
  CHECK(j["spans"][1]["is_primary"] == false);
  CHECK(j["children"][0]["level"] == "note");
  CHECK(j["children"][1]["level"] == "help");
  CHECK(j["children"][1]["spans"][0]["suggested_replacement"] == "capacitor");
  CHECK(j["rendered"] == render_text(diags.all().front(), map, false));
}

TEST_CASE("JSON of a source that is not UTF-8 is still JSON") {
  SourceMap map;
  FileId file = map.add("a.sr", "x = \xff\xfe\n");
  Diagnostics diags;
  diags.report(Code::NotUtf8, Span{file, 4, 5}, "not UTF-8");
  CHECK_NOTHROW(json::parse(render_json(diags.all().front(), map)));
}
