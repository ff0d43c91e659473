// Modules on disk: where they are found, and what is said when they are not.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "compiler/session/session.h"

namespace fs = std::filesystem;
using namespace sigrel;

namespace {

/// A folder that vanishes with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("sigrel_modules_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

struct Checked {
  Session session;
  bool fine;
  explicit Checked(const std::string& file, std::vector<std::string> path = {})
      : session({{std::move(path), std::string(SIGREL_SOURCE_DIR "/stdlib")}, true}),
        fine(session.load(file)) {
    fine = session.check() && fine;
  }
  std::vector<Code> codes() {
    std::vector<Code> found;
    for (const Diagnostic& d : session.diagnostics().all()) found.push_back(d.code);
    return found;
  }
  std::string text() {
    std::string all;
    for (const Diagnostic& d : session.diagnostics().all()) all += render_text(d, session.sources(), false);
    return all;
  }
};

using Codes = std::vector<Code>;

}  // namespace

TEST_CASE("imports are found beside the file, in --path and in the library; each once") {
  Folder folder;
  folder.write("main.sr", "import Left\nimport Right\nimport Electrical (ground)\nx = left + right\n");
  folder.write("Left.sr", "import Base.Numbers\nleft = 2.0 * base\n");
  folder.write("lib/Right.sr", "import Base.Numbers\nright = 3.0 * base\n");
  folder.write("Base/Numbers.sr", "module Base.Numbers where\n\nbase = 1.0\n");
  Checked checked(folder / "main.sr", {folder / "lib"});
  INFO(checked.text());
  CHECK(checked.fine);
  CHECK(checked.session.definitions().size() == 1);
}

TEST_CASE("a file in a folder of modules finds its neighbours by their full names") {
  Folder folder;
  folder.write("Base/One.sr", "module Base.One where\n\nimport Base.Two\none = two\n");
  folder.write("Base/Two.sr", "module Base.Two where\n\ntwo = 2.0\n");
  Checked checked(folder / "Base/One.sr");
  INFO(checked.text());
  CHECK(checked.fine);
}

TEST_CASE("a missing import is one error, with a suggestion") {
  Folder folder;
  folder.write("main.sr", "import Elektrical (ground)\nx = ground\n");
  Checked checked(folder / "main.sr");
  INFO(checked.text());
  CHECK(checked.codes() == Codes{Code::ModuleNotFound});
  CHECK(checked.text().find("did you mean `Electrical`?") != std::string::npos);
}

TEST_CASE("modules in a circle") {
  Folder folder;
  folder.write("A.sr", "import B\na = 1.0\n");
  folder.write("B.sr", "import C\nb = 1.0\n");
  folder.write("C.sr", "import A\nc = 1.0\n");
  Checked checked(folder / "A.sr");
  INFO(checked.text());
  CHECK(checked.codes() == Codes{Code::ImportCircle});
  CHECK(checked.text().find("A → B → C → A") != std::string::npos);
  folder.write("D.sr", "import D\nd = 1.0\n");
  CHECK(Checked(folder / "D.sr").codes() == Codes{Code::ImportCircle});
}

TEST_CASE("a file with another module's name") {
  Folder folder;
  folder.write("A.sr", "import B\na = 1.0\n");
  folder.write("B.sr", "module C where\n\nb = 1.0\n");
  Checked checked(folder / "A.sr");
  INFO(checked.text());
  CHECK(checked.codes() == Codes{Code::ModuleNameMismatch});
}

TEST_CASE("files that cannot be read") {
  Folder folder;
  CHECK(Checked(folder / "none.sr").codes() == Codes{Code::FileNotFound});
  CHECK(Checked(folder.path.string()).codes() == Codes{Code::FileNotFound});
  fs::create_directories(folder.path / "B.sr");
  folder.write("A.sr", "import B\n");
  CHECK(Checked(folder / "A.sr").codes() == Codes{Code::FileNotFound});
  folder.write("latin1.sr", "x = 1.0 -- \xe4\n");
  CHECK(Checked(folder / "latin1.sr").codes() == Codes{Code::NotUtf8});
}

TEST_CASE("a long chain of imports") {
  Folder folder;
  const int n = 3000;
  for (int i = 0; i < n; ++i)
    folder.write("M" + std::to_string(i) + ".sr", i == 0 ? "x0 = 1.0\n"
                                                         : "import M" + std::to_string(i - 1) + "\nx" +
                                                               std::to_string(i) + " = x" +
                                                               std::to_string(i - 1) + "\n");
  Checked checked(folder / ("M" + std::to_string(n - 1) + ".sr"));
  CHECK(checked.fine);
}

TEST_CASE("modules of the library import modules of the library") {
  Folder folder;
  folder.write("Math.sr", "module Math where\nsoftExp x = 0.0 * x\n");
  const std::string model =
      "import Electrical\n"
      "main = sigrel () where\n"
      "  constantVoltage 1.0 <> (a, g)\n"
      "  d: exponentialDiode 1.0e-12 0.025 <> (a, b)\n"
      "  resistor 100.0 <> (b, g)\n"
      "  ground <> g\n";
  folder.write("diode.sr", model);
  Checked checked(folder / "diode.sr");
  INFO(checked.text());
  REQUIRE(checked.fine);
  const auto compiled = checked.session.compile({}, Backend::Interpreter);
  REQUIRE(compiled);
  const Run run = checked.session.run(*compiled);
  CHECK(run.value("d.p.i").value_or(0) == Approx(4.44617263e-3).epsilon(1e-6));
}

TEST_CASE("a module that hides one of the library is an error with both files") {
  Folder folder;
  folder.write("Math.sr", "module Math where\ntwo = 2.0\n");
  const auto refused = [&](const std::string& file, std::vector<std::string> path, const std::string& own) {
    Checked checked(folder / file, std::move(path));
    INFO(checked.text());
    CHECK(!checked.fine);
    CHECK(checked.codes() == Codes{Code::LibraryModuleHidden});
    CHECK(checked.text().find("of this program: `" + folder / own + "`") != std::string::npos);
    CHECK(checked.text().find("of the standard library: `" SIGREL_SOURCE_DIR "/stdlib/Math.sr`") !=
          std::string::npos);
  };
  folder.write("before.sr", "import Math\nimport Electrical\nx = two\n");
  refused("before.sr", {}, "Math.sr");
  folder.write("after.sr", "import Electrical\nimport Math\nx = two\n");
  refused("after.sr", {}, "Math.sr");
  folder.write("Own.sr", "module Own where\nimport Math\nfour = two + two\n");
  folder.write("through.sr", "import Own\nimport Electrical\nx = four\n");
  refused("through.sr", {}, "Math.sr");
  folder.write("lib/Math.sr", "module Math where\ntwo = 2.0\n");
  folder.write("other/model.sr", "import Math\nx = two\n");
  refused("other/model.sr", {folder / "lib"}, "lib/Math.sr");
  // The root itself: the library imports its own module, and the root imports that of the library.
  folder.write("root/Math.sr", "module Math where\nimport Electrical\nthree = 3.0\n");
  refused("root/Math.sr", {}, "root/Math.sr");
  folder.write("self/Math.sr", "import Math\nthree = 3.0\n");
  refused("self/Math.sr", {}, "self/Math.sr");
}

TEST_CASE("the library itself, by any of its names, hides nothing") {
  Folder folder;
  for (const char* file : {"/stdlib/Electrical.sr", "/stdlib/Math.sr", "/stdlib/Prelude.sr"}) {
    Checked checked(SIGREL_SOURCE_DIR + std::string(file));
    INFO(checked.text());
    CHECK(checked.fine);
  }
  fs::create_directory_symlink(SIGREL_SOURCE_DIR "/stdlib", folder.path / "link");
  folder.write("a.sr", "import Math\nimport Electrical\nx = 1.0\n");
  Checked checked(folder / "a.sr", {folder / "link"});
  INFO(checked.text());
  CHECK(checked.fine);
}

TEST_CASE("imports lead to no file outside the folders of the program") {
  Folder folder;
  folder.write("outside/Secret.sr", "module Secret where\none = 1.0\n");
  folder.write("in/a.sr", "import Secret\nx = one\n");
  fs::create_symlink("../outside/Secret.sr", folder.path / "in/Secret.sr");
  Checked refused(folder / "in/a.sr");
  CHECK(refused.codes() == Codes{Code::ModuleOutside});
  CHECK(refused.text().find("outside/Secret.sr`") != std::string::npos);
  CHECK(Checked(folder / "in/a.sr", {folder / "outside"}).fine);
  // A link within the folder is as good as a file.
  folder.write("in/real/Part.sr", "module Part where\none = 1.0\n");
  fs::create_symlink("real/Part.sr", folder.path / "in/Part.sr");
  folder.write("in/b.sr", "import Part\nx = one\n");
  CHECK(Checked(folder / "in/b.sr").fine);
  // The header of a module does not lead upwards unless its path ends so.
  folder.write("Top.sr", "module Top where\none = 1.0\n");
  folder.write("A/c.sr", "module B.C where\nimport Top\nx = one\n");
  CHECK(Checked(folder / "A/c.sr").codes() == Codes{Code::ModuleNotFound});
  folder.write("B/C.sr", "module B.C where\nimport Top\nx = one\n");
  CHECK(Checked(folder / "B/C.sr").fine);
}

TEST_CASE("a pipe with the name of a module is not waited for") {
  Folder folder;
  folder.write("a.sr", "import Pipe\nx = 1.0\n");
  REQUIRE(::mkfifo((folder / "Pipe.sr").c_str(), 0600) == 0);
  Checked checked(folder / "a.sr");
  CHECK(checked.codes() == Codes{Code::FileNotFound});
  CHECK(checked.text().find("it is not a file") != std::string::npos);
}
