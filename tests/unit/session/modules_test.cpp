// Modules on disk: where they are found, and what is said when they are not.
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
