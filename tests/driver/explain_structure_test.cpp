// sigrel explain FILE RELATION --structure: a relation as a matrix of its equations and unknowns.
#include "process.h"

#include <catch2/catch.hpp>

namespace {

// N-1 to N-4: the talk's example.
const char* kTalk = R"(foo :: SR (x1 :: Real, x2 :: Real, x3 :: Real)
foo = sigrel (x1, x2, x3) where
  x1 + x2 * x3 = 1.0
  sin x2 + x3 = 0.0

two :: SR (u :: Real, v :: Real, w :: Real, x :: Real, y :: Real)
two = sigrel (u, v, w, x, y) where
  foo <> (u, v, w)

three :: SR (u :: Real, v :: Real, w :: Real, x :: Real, y :: Real)
three = sigrel (u, v, w, x, y) where
  foo <> (w, u + x, v + y)

four :: SR (a :: Real, b :: Real, c :: Real, d :: Real, e :: Real)
four = sigrel (a, b, c, d, e) where
  three <> (a, b + c, d, e, e)

bar :: SR (u :: Real, y :: Real)
bar = sigrel (u, y) where
  local v, w, x
  u = sin v
  foo <> (u, w + x, y + v)
  w * x = exp v
)";

/// The matrix of the picture, without the marks: each line from its equation on.
std::vector<std::string> matrix(const std::string& out) {
  std::vector<std::string> rows;
  std::size_t at = out.find("\n\n") + 2;
  for (std::size_t end; (end = out.find('\n', at)) != at && end != std::string::npos; at = end + 1) {
    std::string row;
    for (char c : out.substr(at, end - at))
      if (c != '[' && c != ']' && (c != ' ' || !row.ends_with(' '))) row += c;
    rows.push_back(row);
  }
  if (!rows.empty()) rows.erase(rows.begin());  // the names
  return rows;
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}
Finished explain(const std::string& file, const std::string& relation) {
  return sigrel({"explain", file, relation, "--structure"});
}
void shows(const Finished& f, const char* part) {
  INFO(f.out << f.err);
  CHECK(f.out.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("the matrices of the talk, as printed there") {
  std::string file = temporary("talk.sr", kTalk);
  Finished foo = explain(file, "foo"), two = explain(file, "two"), three = explain(file, "three"),
           bar = explain(file, "bar");
  CHECK(foo.code == 0);
  CHECK(foo.out.starts_with("foo :: SR (x1 :: Real, x2 :: Real, x3 :: Real)\n\n"));
  shows(foo, "{x1 x2 x3; x2 x3}      {1 1 1; 0 1 1}");
  shows(foo, "{x1 x2; x1 x3}         {1 1 0; 1 0 1}");
  shows(foo, "{x1 x2 x3; x1 x2 x3}   {1 1 1; 1 1 1}");
  shows(two, "{1 1 1 0 0; 0 1 1 0 0}");
  shows(three, "{1 1 1 1 1; 1 1 0 1 1}");
  CHECK(matrix(three.out) ==
        std::vector<std::string>{" 12 foo <> (w, u + x, v + y) 1 1 1 1 1", " 1 1 0 1 1"});
  shows(bar, "{u y}   {1 1}");
  CHECK(matrix(bar.out) == std::vector<std::string>{" 21 u = sin v 1 0 | 1 0 0",
                                                    " 22 foo <> (u, w + x, y + v) 1 1 | 1 1 1",
                                                    " 0 1 | 1 1 1", " 23 w * x = exp v 0 0 | 1 1 1"});
  CHECK(count(bar.out, "[1]") == 4);
  shows(bar, "{#1}: 4 equations - 3 locals");
  // Folding goes through relations that only hand on.
  CHECK(matrix(explain(file, "four").out) ==
        std::vector<std::string>{" 16 three <> (a, b + c, d, e, e) 1 1 1 1 1", " 1 1 1 0 1"});
}

TEST_CASE(
    "a component with locals takes part with its type; the maximal presentation is named where it is "
    "another") {
  std::string file = temporary("circuit.sr",
                               "import Electrical\nr = resistor\nv = constantVoltage\nboth = series "
                               "(resistor 1.0) (resistor 2.0)\ncoil = inductor\n");
  shows(explain(file, "r"), "type      {p.v p.i n.v; p.i n.i}       {1 1 1 0; 0 1 0 1}");
  shows(explain(file, "r"), "maximal   {p.v p.i n.v n.i; p.i n.i}   {1 1 1 1; 0 1 0 1}");
  CHECK(explain(file, "v").out.find("maximal") == std::string::npos);
  shows(explain(file, "both"), "flows at m");
  shows(explain(file, "both"), "initial   0 conditions");
  shows(explain(file, "coil"), "initial   at most 1 condition\n");
  // Singular by its coefficients only: nothing is blamed in the matrix.
  shows(explain(temporary("twice.sr",
                          "import Electrical\nlamp :: SR (p :: Pin, n :: Pin)\nlamp = sigrel (p, n) where\n  "
                          "twoPin <> (p, n, u)\n"
                          "  u = 5.0<Ohm> * p.i\n  p.i + n.i = 0.0\n"),
                "lamp"),
        "singular  each equation has its unknown");
  shows(explain(file, "both"), "m.v first.n.i second.p.i");
}

TEST_CASE("a singular relation: what is too much is marked; what uses it has no picture") {
  std::string file =
      temporary("over.sr",
                "f :: SR (x :: Real, y :: Real, z :: Real)\nf = sigrel (x, y, z) where\n  x + y * z = 1.0\n  "
                "sin z = 0.5\n  exp z = 2.0\n"
                "user :: SR (a :: Real, b :: Real)\nuser = sigrel (a, b) where\n  f <> (a, b, c)\n  c = a\n"
                "lost :: SR (p :: Real)\nlost = sigrel (p) where\n  local v, w :: Real\n  v = p\n");
  Finished f = explain(file, "f");
  CHECK(f.code == 1);
  shows(f, "\n! 4  sin z = 0.5");
  shows(f, "\n! 5  exp z = 2.0");
  shows(f, "\n  3  x + y * z");
  shows(f, "singular  the marked 2 equations contain only 1 unknown");
  shows(explain(file, "lost"), "singular  the marked 1 unknown occurs in no equation");
  Finished user = explain(file, "user");
  CHECK(user.code == 1);
  CHECK(user.out.empty());
  CHECK(user.err.find("of `f` determine only") != std::string::npos);
}

TEST_CASE("names of any width, many unknowns, names that are not there") {
  std::string wide = temporary(
      "wide.sr", "w :: SR (温度 :: Real, ω :: Real)\nw = sigrel (温度, ω) where\n  温度 + ω = 1.0\n");
  std::string out = explain(wide, "w").out;
  std::string names = out.substr(out.find("\n\n") + 2);
  std::string row = names.substr(names.find('\n') + 1);
  auto width =
      [](const std::string& text) {  // the Chinese characters here have three bytes and take two columns
        std::size_t n = 0;
        for (unsigned char c : text) n += c < 0x80 || (c >= 0xC0 && c < 0xE0) ? 1 : c >= 0xE0 ? 2 : 0;
        return n;
      };
  // The mark is under the middle of the name, and ω's column under ω.
  CHECK(width(names.substr(0, names.find("ω"))) == width(row.substr(0, row.rfind('1', row.find('\n')))));

  std::string big = "big :: SR (x0 :: Real)\nbig = sigrel (x0) where\n  local x1";
  for (int i = 2; i <= 3000; ++i) big += ", x" + std::to_string(i);
  big += "\n";
  for (int i = 0; i < 3000; ++i)
    big += "  x" + std::to_string(i) + " = 2.0 * x" + std::to_string(i + 1) + "\n";
  Finished f = explain(temporary("big.sr", big), "big");
  CHECK(f.code == 0);
  shows(f, "shown: 60 of 3000 equations, 30 of 3001 unknowns");
  CHECK(f.out.size() < 20000);

  std::string talk = temporary("talk.sr", kTalk);
  Finished missing = explain(talk, "fo");
  CHECK(missing.code == 1);
  CHECK(missing.err.find("did you mean `foo`?") != std::string::npos);
  shows(explain(temporary("row.sr", "f :: Real -> Real\nf x = 2.0 * x\n"), "f"),
        "no structural type: it is not a relation");
  CHECK(sigrel({"explain", talk, "--structure"}).code == 2);
  CHECK(sigrel({"explain", talk, "foo"}).code == 2);
}

TEST_CASE("the picture as SVG: every equation has its unknown marked") {
  std::string file = temporary("talk.sr", kTalk), svg = temporary("bar.svg");
  CHECK(sigrel({"explain", file, "bar", "--structure", "--svg", svg}).code == 0);
  std::string text = read(svg);
  CHECK(text.starts_with("<svg "));
  CHECK(text.ends_with("</svg>\n"));
  CHECK(count(text, "rx=\"4\"") == 4);
  CHECK(text.find("foo &lt;&gt; (u, w + x, y + v)") != std::string::npos);
  for (const char* name : {">interface<", ">locals<", ">u<", ">y<", ">v<", ">w<", ">x<"})
    CHECK(text.find(name) != std::string::npos);
  CHECK(count(text, "<text") == count(text, "</text>"));
  CHECK(
      sigrel({"explain", file, "bar", "--structure", "--svg", "/nowhere/x.svg"}).err.find("error[SR0611]") !=
      std::string::npos);
}

TEST_CASE("a relation parameter is shown as any relation of a size that fits") {
  std::string file = temporary(
      "holes.sr",
      "import Electrical\n"
      "loaded :: SR (Pin, Pin) -> SR (p :: Pin)\nloaded load = sigrel (p) where\n  load <> (p, g)\n  ground "
      "<> g\n"
      "twice :: SR (Pin, Pin) -> SR (p :: Pin)\ntwice part = sigrel (p) where\n  loaded part <> p\n");
  Finished f = explain(file, "loaded");
  shows(f, "with      any relation as load {#2} (what fits: for load {#1 .. 3})");
  shows(f, "load <> (p, g)  [1]  1  |");
  CHECK(f.code == 0);
  CHECK(explain(file, "twice").code == 0);
}
