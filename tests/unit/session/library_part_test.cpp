// Parsing only what a program mentions of the library: it must make no difference, except to the number of
// definitions. Names that some test has mentioned count as mentioned in the tests after it; those of
// tests/driver/library_part_test.cpp are processes of their own.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "compiler/parse/parse.h"
#include "compiler/pipeline/files.h"
#include "compiler/pipeline/library_index.h"
#include "compiler/session/session.h"

namespace fs = std::filesystem;
using namespace sigrel;
using pipeline::LibraryPart;

namespace {

const fs::path kSource = SIGREL_SOURCE_DIR;

/// A copy of the library that vanishes with the test.
struct LibraryCopy {
  fs::path path = fs::temp_directory_path() / ("sigrel_library_" + std::to_string(::getpid()));
  LibraryCopy() { fs::copy(kSource / "stdlib", path); }
  ~LibraryCopy() { fs::remove_all(path); }
  void append(const char* file, const std::string& text) const {
    std::ofstream(path / file, std::ios::app) << text;
  }
};

struct Checked {
  Session session;
  bool fine = false;
  Checked(const std::string& text, const std::string& library, LibraryPart part)
      : session({.path = {{}, library}, .library_part = part}) {
    session.load_text("model.sr", text);
    fine = session.check() && session.check_structure() && session.check_main();
  }
  std::string messages() {
    std::string all;
    for (const Diagnostic& d : session.diagnostics().all()) all += render_text(d, session.sources(), false);
    return all;
  }
  std::string types() {
    std::string all;
    for (const core::Global* g : session.definitions()) all += g->type + session.structural_type(*g) + "\n";
    return all;
  }
  std::size_t size() { return session.program().globals.size(); }
};

const char* kModel =
    "import Electrical (ground, resistor, constantVoltage)\n"
    "main = sigrel () where\n"
    "  source: constantVoltage 5.0 <> (a, g)\n"
    "  load: resistor 10.0 <> (a, g)\n"
    "  ground <> g\n";

std::vector<fs::path> library_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kSource / "stdlib"))
    if (entry.path().extension() == ".sr") files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("every file of the library is listed as it is") {
  for (const fs::path& file : library_files()) {
    const std::string text = *pipeline::read_file(file.string());
    INFO(file);
    CHECK(pipeline::listed_module(file.stem().string(), text));
    CHECK_FALSE(pipeline::listed_module(file.stem().string(), text + "\n"));
    CHECK_FALSE(pipeline::listed_module("Another", text));
  }
}

TEST_CASE("what is parsed of a module is the same as in the whole module") {
  std::vector<pipeline::ListedModule> modules;
  std::vector<std::string> texts;
  for (const fs::path& file : library_files()) {
    texts.push_back(*pipeline::read_file(file.string()));
    modules.push_back(*pipeline::listed_module(file.stem().string(), texts.back()));
  }
  const auto skipped =
      pipeline::unmentioned(modules, [](std::string_view name) { return name == "resistor"; });
  for (std::size_t i = 0; i < modules.size(); ++i) {
    SourceMap sources;
    Diagnostics diagnostics;
    const FileId file = sources.add("Module.sr", texts[i]);
    // Every second one of the declarations that may be skipped, too.
    std::vector<SkippedText> some;
    for (std::size_t k = 0; k < skipped[i].size(); k += 2) some.push_back(skipped[i][k]);
    const ast::Module whole = parse(file, sources, diagnostics);
    for (const auto& parts : {skipped[i], some}) {
      const ast::Module part = parse(file, sources, diagnostics, parts);
      std::vector<const ast::Decl*> expected;
      for (const ast::Decl* decl : whole.decls)
        if (std::ranges::none_of(parts, [&](const SkippedText& s) {
              return s.begin <= decl->span.begin && decl->span.end <= s.end;
            }))
          expected.push_back(decl);
      REQUIRE(part.decls.size() == expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        CHECK(part.decls[k]->span == expected[k]->span);
        CHECK(part.decls[k]->doc == expected[k]->doc);
      }
    }
    CHECK(diagnostics.all().empty());
  }
}

TEST_CASE("a definition is needed with what it mentions, and imports are") {
  const auto of = [](const char* name) { return *pipeline::read_file((kSource / "stdlib" / name).string()); };
  const std::string text = of("Electrical.sr"), math = of("Math.sr");
  const std::vector<pipeline::ListedModule> modules{*pipeline::listed_module("Electrical", text),
                                                    *pipeline::listed_module("Math", math)};
  const auto is_parsed = [](const std::string& in, const std::vector<SkippedText>& skipped,
                            const char* definition) {
    const std::size_t at = in.find(definition);
    REQUIRE(at != std::string::npos);
    return std::ranges::none_of(skipped,
                                [&](const SkippedText& s) { return s.begin <= at + 1 && at + 1 < s.end; });
  };
  const auto with = pipeline::unmentioned(modules, [](std::string_view name) { return name == "resistor"; });
  CHECK(is_parsed(text, with[0], "\nresistor :: "));
  CHECK(is_parsed(text, with[0], "\ntwoPin :: "));
  CHECK_FALSE(is_parsed(text, with[0], "\ncapacitor :: "));
  CHECK(is_parsed(math, with[1], "\nsoftExp :: "));  // Electrical imports it by its name
  const auto without = pipeline::unmentioned(modules, [](std::string_view name) { return name == "ground"; });
  CHECK(is_parsed(text, without[0], "\nground :: "));
  CHECK_FALSE(is_parsed(text, without[0], "\ntwoPin :: "));
  CHECK(pipeline::unmentioned(modules, [](std::string_view) { return true; })[0].empty());
}

TEST_CASE("a program is the same with the part of the library that it mentions") {
  const std::string library = (kSource / "stdlib").string();
  Checked part(kModel, library, LibraryPart::Mentioned), whole(kModel, library, LibraryPart::Whole);
  CHECK(part.messages() == "");
  CHECK(part.fine);
  CHECK(part.types() == whole.types());
}

TEST_CASE("messages name definitions that the program does not mention") {
  const std::string library = (kSource / "stdlib").string();
  for (const std::string text :
       {"import Electrical\nmain = resistr 1.0\n", "x :: Real\nx = True\n", "x = (1.0\n",
        "import Electrcal\nx = 1\n", "x = foldll (\\a b -> a + b) 0 [1]\n"}) {
    Checked part(text, library, LibraryPart::Mentioned), whole(text, library, LibraryPart::Whole);
    INFO(text);
    CHECK(part.messages() != "");
    CHECK(part.messages() == whole.messages());
    CHECK_FALSE(part.fine);
  }
}

TEST_CASE("an edited library is parsed as a whole") {
  LibraryCopy library;
  CHECK(Checked(kModel, library.path.string(), LibraryPart::Mentioned).fine);
  library.append("Electrical.sr", "\nbrokenByAnEdit :: Real\nbrokenByAnEdit = True\n");
  Checked edited(kModel, library.path.string(), LibraryPart::Mentioned);
  CHECK_FALSE(edited.fine);
  CHECK(edited.messages().find("brokenByAnEdit") != std::string::npos);
}

TEST_CASE("a large program has the whole library") {
  const std::string library = (kSource / "stdlib").string();
  std::string text = kModel;
  for (int i = 0; text.size() < 70'000; ++i) text += "constant" + std::to_string(i) + " = 1.0\n";
  Checked part(text, library, LibraryPart::Mentioned), whole(text, library, LibraryPart::Whole);
  CHECK(part.fine);
  CHECK(part.size() == whole.size());
}
