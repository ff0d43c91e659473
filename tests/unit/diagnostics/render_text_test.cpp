#include "compiler/diagnostics/diagnostic.h"

using namespace sigrel;

namespace {

/// A file and spans of it by their text.
struct Source {
  SourceMap map;
  FileId file;
  explicit Source(std::string text, std::string path = "a.sr")
      : file(map.add(std::move(path), std::move(text))) {}
  Span at(std::string_view piece, std::size_t nth = 0) const {
    const std::string& text = map.file(file).text;
    std::size_t i = text.find(piece);
    while (nth-- > 0) i = text.find(piece, i + 1);
    REQUIRE(i != std::string::npos);
    return {file, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + piece.size())};
  }
  Span range(std::string_view from, std::string_view to) const { return join(at(from), at(to)); }
};

Diagnostic error(Span span, std::string message, std::string label = {}) {
  Diagnostic d{
      Code::SyntaxError, Severity::Error, std::move(message), Label{span, std::move(label)}, {}, {}, {}};
  return d;
}

}  // namespace

TEST_CASE("one span with its label, a note and a help") {
  Source s("pump = 1\ntank = x +\n");
  Diagnostic d = error(s.at("+"), "an operand is missing", "nothing follows");
  d.note("why").help("what to do\nand more");
  CHECK(render_text(d, s.map, false) == R"(error[SR0010]: an operand is missing
  --> a.sr:2:10
   |
 2 | tank = x +
   |          ^ nothing follows
   = note: why
   = help: what to do
           and more
)");
}

TEST_CASE("labels of one line hang below each other, right to left") {
  Source s("  u = v + i\n");
  Diagnostic d = error(s.at("i"), "a voltage is added to a current", "Real<A>");
  d.also(s.at("v"), "Real<V>").also(s.at("u"), "here");
  CHECK(render_text(d, s.map, false) == R"(error[SR0010]: a voltage is added to a current
  --> a.sr:1:11
   |
 1 |   u = v + i
   |   -   -   ^ Real<A>
   |   |   |
   |   |   Real<V>
   |   here
)");
}

TEST_CASE("lines of one file are merged in order, with gaps") {
  Source s("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n");
  Diagnostic d = error(s.at("nine"), "m");
  d.also(s.at("eleven"), "b").also(s.at("one"), "a");
  CHECK(render_text(d, s.map, false) == R"(error[SR0010]: m
  --> a.sr:9:1
   |
 1 | one
   | --- a
...
 9 | nine
   | ^^^^
10 | ten
11 | eleven
   | ------ b
)");
}

TEST_CASE("a span in another file has a block of its own") {
  Source s("load = probe\n");
  std::string text(209, '\n');
  text += "series :: SR\n";
  FileId other = s.map.add("lib/Electrical.sr", text);
  Diagnostic d = error(s.at("probe"), "m", "1 equation");
  d.also({other, 209, 215}, "2 are needed");
  CHECK(render_text(d, s.map, false) == R"(error[SR0010]: m
   --> a.sr:1:8
    |
  1 | load = probe
    |        ^^^^^ 1 equation
    |
   --> lib/Electrical.sr:210:1
    |
210 | series :: SR
    | ------ 2 are needed
)");
}

TEST_CASE("a span of several lines is a bracket in the margin") {
  Source s("a = f\n  (b\n  c\n  d)\n");
  CHECK(render_text(error(s.range("a =", "d)"), "m", "label"), s.map, false) == R"(error[SR0010]: m
  --> a.sr:1:1
   |
 1 | / a = f
 2 | |   (b
 3 | |   c
 4 | |   d)
   | |____^ label
)");
  CHECK(render_text(error(s.range("f", "c"), "m", "label"), s.map, false) == R"(error[SR0010]: m
  --> a.sr:1:5
   |
 1 |   a = f
   |  _____^
 2 | |   (b
 3 | |   c
   | |___^ label
)");
}

TEST_CASE("a long span of lines is shortened") {
  Source s("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  CHECK(render_text(error(s.range("1", "9"), "m", "label"), s.map, false) == R"(error[SR0010]: m
  --> a.sr:1:1
   |
 1 | / 1
 2 | | 2
... |
 8 | | 8
 9 | | 9
   | |_^ label
)");
}

TEST_CASE("columns count code points, carets stand below what is displayed") {
  Source s("\tx = \"ä漢\" ◇ y\n");
  CHECK(render_text(error(s.at("◇"), "m", "here"), s.map, false) ==
        "error[SR0010]: m\n"
        "  --> a.sr:1:11\n"
        "   |\n"
        " 1 |     x = \"ä漢\" ◇ y\n"
        "   |               ^ here\n");
}

TEST_CASE("bytes that are not UTF-8 and controls are not sent to the terminal") {
  Source s("x = \xff\x1b[2J y\n");
  std::string text = render_text(error(s.at("y"), "m\x1b[31m"), s.map, false);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\xff') == std::string::npos);
  CHECK(text.find("   |           ^\n") != std::string::npos);
}

TEST_CASE("the end of the file, an empty file, an empty span") {
  Source s("x = (\n");
  CHECK(render_text(error({s.file, 6, 6}, "m", "the file ends"), s.map, false) == R"(error[SR0010]: m
  --> a.sr:1:7
   |
 1 | x = (
   |      ^ the file ends
)");
  Source empty("");
  CHECK(render_text(error({empty.file, 0, 0}, "m"), empty.map, false) ==
        "error[SR0010]: m\n  --> a.sr:1:1\n   |\n 1 |\n   | ^\n");
}

TEST_CASE("a very long line is cut around its span") {
  std::string line(5000, 'a');
  line += " bad ";
  line.append(5000, 'c');
  Source s(line);
  std::string text = render_text(error(s.at("bad"), "m", "here"), s.map, false);
  CHECK(text.size() < 1000);
  std::string expected = "\n   | " + std::string(25, ' ') + "^^^ here\n";
  CHECK(text.find(expected) != std::string::npos);
  CHECK(text.find("…") != std::string::npos);
}

TEST_CASE("no source position") {
  SourceMap map;
  Diagnostics diags;
  diags.report(Code::FileNotFound, "`x.sr` cannot be read").note("no such file");
  CHECK(render_text(diags.all().front(), map, false) ==
        "error[SR0001]: `x.sr` cannot be read\n   = note: no such file\n");
}

TEST_CASE("color adds escapes and changes nothing else") {
  Source s("  u = v + i\n");
  Diagnostic d = error(s.at("i"), "m", "a");
  d.also(s.at("v"), "b").help("h");
  std::string colored = render_text(d, s.map, true), plain;
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\033')
      while (colored[i] != 'm') ++i;
    else
      plain += colored[i];
  }
  CHECK(plain == render_text(d, s.map, false));
  CHECK(colored.find("\033[0;1;31merror[SR0010]") == 0);
}
