// Pages are well-formed, every link leads somewhere, and what is special in HTML is escaped.
#include <unistd.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "compiler/doc/markup.h"
#include "compiler/doc/page.h"

using namespace sigrel;
namespace fs = std::filesystem;

namespace {

SessionOptions options() { return {{{}, SIGREL_SOURCE_DIR "/stdlib"}, false}; }

doc::Module read(const std::string& path) {
  Session session(options());
  auto module = doc::read_module(path, options(), session);
  for (const Diagnostic& d : session.diagnostics().all())
    UNSCOPED_INFO(render_text(d, session.sources(), false));
  REQUIRE(module);
  return *module;
}
doc::Module read_text(const std::string& name, const std::string& text) {
  fs::path folder = fs::temp_directory_path() / ("sigrel_doc_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / name) << text;
  doc::Module module = read((folder / name).string());
  fs::remove_all(folder);
  return module;
}

/// Empty when every tag has its partner and nothing else looks like one.
std::string fault(const std::string& html) {
  static const std::regex tag("<(/?)([a-z0-9]+)((?: [a-z]+=\"[^\"<>]*\")*)(/?)>");
  std::string text = html;
  if (!text.starts_with("<!DOCTYPE html>\n")) return "no DOCTYPE";
  text.erase(0, 16);
  // The style is no text of ours to check.
  std::size_t style = text.find("<style>") + 7;
  text.erase(style, text.find("</style>") - style);
  std::vector<std::string> open;
  std::size_t end = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), tag), last; it != last; ++it) {
    std::string between = text.substr(end, static_cast<std::size_t>(it->position()) - end);
    if (between.find_first_of("<>") != std::string::npos) return "a stray bracket in: " + between;
    end = static_cast<std::size_t>(it->position() + it->length());
    if ((*it)[4].length()) continue;
    if (!(*it)[1].length()) {
      open.push_back((*it)[2]);
    } else {
      if (open.empty() || open.back() != (*it)[2]) return "closes nothing: " + it->str();
      open.pop_back();
    }
  }
  if (text.find_first_of("<>", end) != std::string::npos) return "a stray bracket at the end";
  static const std::regex bare("&(?!(amp|lt|gt|quot|#39);)");
  if (std::regex_search(text, bare)) return "a bare &";
  return open.empty() ? "" : "not closed: " + open.back();
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), last; it != last; ++it)
    found.push_back((*it)[1]);
  return found;
}

void check_pages(const std::vector<doc::Page>& pages) {
  std::set<std::string> targets;
  for (const doc::Page& page : pages) {
    INFO(page.file);
    CHECK(fault(page.html) == "");
    CHECK(targets.insert(page.file).second);
    for (const std::string& id : matches(page.html, " id=\"([^\"]*)\""))
      CHECK(targets.insert(page.file + "#" + id).second);
  }
  for (const doc::Page& page : pages)
    for (std::string link : matches(page.html, " href=\"([^\"]*)\"")) {
      if (link.starts_with("#")) link = page.file + link;
      INFO(page.file << " -> " << link);
      CHECK(targets.contains(link));
    }
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the library and the example") {
  std::vector<doc::Module> modules;
  for (const auto& entry : fs::directory_iterator(SIGREL_SOURCE_DIR "/stdlib"))
    if (entry.path().extension() == ".sr") modules.push_back(read(entry.path().string()));
  modules.push_back(read(SIGREL_SOURCE_DIR "/examples/01_low_pass.sr"));
  std::vector<doc::Page> pages = doc::pages(modules);
  REQUIRE(pages.size() == modules.size() + 1);
  check_pages(pages);
  for (const doc::Page& page : pages) {
    if (page.file == "Electrical.html") {
      CHECK(contains(
          page.html,
          "<p>Analogue circuits. The flow <code>i</code> of a pin is positive into the component.</p>"));
      CHECK(contains(page.html,
                     "<a href=\"Prelude.html#type-Resistance\">Resistance</a>) -&gt; SR (p :: <a "
                     "href=\"Electrical.html#type-Pin\">Pin</a>"));
      CHECK(contains(page.html, "<td>A</td>"));
      CHECK(contains(page.html, "<span class=\"dim\">flow</span>"));
    }
    if (page.file == "Tour.html")
      CHECK(contains(page.html, "<a href=\"Electrical.html\">Electrical</a> (Pin,"));
    if (page.file == "index.html") CHECK(contains(page.html, "Prelude.html#value-zipWith"));
  }
}

TEST_CASE("every kind of declaration") {
  doc::Module m = read_text("Kinds.sr", R"(-- | All & <everything>.
module Kinds where

import Electrical as E

-- | A list or a leaf.
data Tree a = Leaf | Node (Tree a) a (Tree a)

type Pair a = (a, a)
type Speed = Real<m/s>

-- | Parameters of a part.
record Data = { r :: Real<Ohm> = 0.5, v :: Speed, n' :: Int = 1 }

foreign import "gamma" gamma :: Real -> Real

-- | Without a type.
double' x = 2.0 * x

-- | Two at once.
one, two :: Int
one = 1
two = 2
)");
  CHECK(m.text == "All & <everything>.");
  REQUIRE(m.entries.size() == 8);
  CHECK(m.entries[0].constructors == std::vector<std::string>{"Leaf", "Node (Tree a) a (Tree a)"});
  CHECK(m.entries[3].fields[0].unit == "Ohm");
  CHECK(m.entries[3].fields[0].default_value == "0.5");
  CHECK(m.entries[3].fields[1].unit == "m/s");
  CHECK(m.entries[3].fields[2].unit == "");
  CHECK(m.entries[5].name == "double'");
  CHECK(contains(m.entries[5].signature, "->"));
  CHECK(m.entries[6].text == "Two at once.");
  CHECK(m.entries[7].text == "Two at once.");
  std::vector<doc::Page> pages = doc::pages({m});
  check_pages(pages);
  CHECK(contains(pages[0].html, "<p>All &amp; &lt;everything&gt;.</p>"));
  CHECK(contains(pages[0].html, "id=\"value-double-27\""));
  CHECK(contains(pages[0].html, "Node (<a href=\"Kinds.html#type-Tree\">Tree</a> a) a"));
}

TEST_CASE("pictures and code in a comment keep their indentation, and bars begin no comment") {
  doc::Module m = read_text("Pictures.sr", R"(-- | Of a module.
--
-- ```
-- |  a
--   b
-- ```
module Pictures where

import Electrical

-- | A part.
--
-- ```
--   |
-- p +-- n
-- | |
-- ```
--
-- ```sigrel
-- main = sigrel () where
--   x = 1.0
-- ```
part :: Resistance -> SR (p :: Pin, n :: Pin)
part r = resistor r
)");
  CHECK(m.text == "Of a module.\n\n```\n|  a\n  b\n```");
  REQUIRE(m.entries.size() == 1);
  CHECK(doc::first_sentence(m.entries[0].text) == "A part.");
  const auto blocks = doc::blocks(m.entries[0].text);
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].language == "");
  CHECK(blocks[0].text == "  |\np +-- n\n| |\n");
  CHECK(blocks[1].language == "sigrel");
  CHECK(blocks[1].text == "main = sigrel () where\n  x = 1.0\n");
  CHECK(m.entries[0].units == "Resistance [Ohm]; Pin: v [V], i [A]");
  CHECK(m.entries[0].structure == "{p.v p.i n.v; p.i n.i}");
}

TEST_CASE("two modules of one name, and one that is named as the index") {
  doc::Module a{"A", "", {}, {}}, index{"index", "", {}, {}};
  std::vector<doc::Page> pages = doc::pages({a, a, index});
  check_pages(pages);
}

TEST_CASE("markup") {
  using doc::markup;
  CHECK(markup("") == "");
  CHECK(markup("one\ntwo\n\nthree") == "<p>one\ntwo</p>\n<p>three</p>\n");
  CHECK(markup("see\n- `a<b`\n- two\n  more\n\nend") ==
        "<p>see</p>\n<ul>\n<li><code>a&lt;b</code></li>\n<li>two\nmore</li>\n</ul>\n<p>end</p>\n");
  CHECK(markup("```\nx = `y`\n\n  z & w\n```\nafter") ==
        "<pre><code>x = `y`\n\n  z &amp; w\n</code></pre>\n<p>after</p>\n");
  CHECK(markup("```\nnot closed") == "<pre><code>not closed\n</code></pre>\n");
  CHECK(markup("a ` b") == "<p>a ` b</p>\n");
  CHECK(markup("<script>\"x\" & 'y'") == "<p>&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;</p>\n");
  CHECK(doc::summary("First. Second.\nThird") == "First.");
  CHECK(doc::summary("As W. Stortelder says.\nMore") == "As W. Stortelder says.");
  CHECK(doc::summary("At 1.5 volts\nor so. More") == "At 1.5 volts\nor so.");
}
