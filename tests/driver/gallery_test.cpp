// The gallery: a page and a picture for every example, complete, with links that lead somewhere.
#include <filesystem>

#include "process.h"

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("gallery: the examples, each with its text, equations, picture and source") {
  const std::string folder = temporary("gallery"), examples = SIGREL_SOURCE_DIR "/examples";
  Finished f = sigrel({"gallery", examples, "-o", folder});
  INFO(f.err);
  REQUIRE(f.code == 0);
  std::size_t models = 0;
  for (const auto& entry : fs::directory_iterator(examples)) {
    if (entry.path().extension() != ".sr") continue;
    ++models;
    const std::string stem = entry.path().stem().string(), page = read(folder + "/" + stem + ".html");
    CHECK(contains(page, "sigrel run " + examples + "/" + stem + ".sr"));
    CHECK(contains(read(folder + "/" + stem + ".svg"), "</svg>"));
    CHECK(contains(read(folder + "/index.html"), "href=\"" + stem + ".html\""));
  }
  CHECK(models >= 6);
  // Models with bodies have a picture, and a page on which they move.
  for (const char* stem : {"11_crank_slider", "34_robot_arm"}) {
    CHECK(contains(read(folder + "/" + stem + ".html"), std::string("href=\"") + stem + ".moves.html\""));
    CHECK(contains(read(folder + "/" + stem + ".moves.html"), "getContext(\"webgl\""));
    CHECK(contains(read(folder + "/" + stem + ".still.svg"), "<polygon"));
  }
  CHECK_FALSE(fs::exists(folder + "/01_low_pass.moves.html"));
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string text = read(entry.path().string());
    for (const std::string& mark : {std::string("href=\""), std::string("src=\"")})
      for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
        at += mark.size();
        const std::string target = text.substr(at, text.find('"', at) - at);
        INFO(entry.path().string() << ": " << target);
        CHECK(fs::exists(folder + "/" + target));
      }
  }
  const std::string rabbits = read(folder + "/02_predator_prey.html");
  CHECK(contains(rabbits, "<title>Predator prey</title>"));
  CHECK(contains(rabbits, "<p>Lotka and Volterra: rabbits multiply, foxes eat them, hungry foxes die.</p>"));
  CHECK(contains(rabbits, "<pre class=\"equations\">der r = a r - b r f        der f = c r f - d f</pre>"));
  CHECK(contains(rabbits, "<span class=\"k\">sigrel</span>"));
  CHECK(contains(rabbits, "<code>rabbits</code>"));
  const std::string index = read(folder + "/index.html");
  for (const char* part : {"<h2>DC motor</h2>", "<h2>Akzo Nobel</h2>", "<h2>Heated rod</h2>",
                           "<h2>Low pass</h2><p>A low-pass filter, from a resistor and a capacitor",
                           "<p class=\"uses\">Electrical · Rotational · Blocks</p>"})
    CHECK(contains(index, part));
}

TEST_CASE("gallery: a model that does not run has no page; the others have theirs") {
  const std::string source = temporary("mixed"), folder = temporary("some_gallery");
  fs::create_directories(source);
  temporary("mixed/a.sr", "f :: Int\nf = 1\n");
  temporary("mixed/b.sr", "-- Time.\nmain = sigrel () where\n  local x :: Real\n  x = time\n");
  temporary("mixed/c.sr", "main = sigrel () where\n");
  temporary("mixed/d.sr", "main = sigrel () where\n  local x :: Real\n  x = 2.0 * time\n");
  Finished f = sigrel({"gallery", source + "/", "-o", folder});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0602]"));
  CHECK(contains(f.err, "of 4 files gave no page"));
  CHECK(fs::exists(folder + "/b.html"));
  CHECK(fs::exists(folder + "/d.html"));
  CHECK(!fs::exists(folder + "/a.html"));
  CHECK(contains(read(folder + "/b.html"), "sigrel run " + source + "/b.sr"));
  CHECK(!contains(read(folder + "/index.html"), "a.html"));
}

TEST_CASE("gallery: where no model runs, nothing is written") {
  const std::string source = temporary("models"), folder = temporary("no_gallery");
  fs::create_directories(source);
  temporary("models/a.sr", "f :: Int\nf = 1\n");
  Finished f = sigrel({"gallery", source, "-o", folder});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0602]"));
  CHECK(!fs::exists(folder));
  CHECK(contains(sigrel({"gallery", temporary("nowhere"), "-o", folder}).err, "cannot be read"));
}
