// Data files in a session that goes on: what is read, and when it is read again.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "compiler/session/interactive.h"
#include "compiler/session/session.h"

namespace fs = std::filesystem;
using namespace sigrel;

namespace {

struct Folder {
  fs::path at = fs::temp_directory_path() / ("sigrel_data_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(at); }
  ~Folder() { fs::remove_all(at); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(at / name, std::ios::binary) << text;
    return (at / name).string();
  }
};

SessionOptions options() { return {{{}, SIGREL_SOURCE_DIR "/stdlib"}, true}; }

const std::string kModel =
    "main = sigrel () where\n  local u :: Real\n  u = table1 Linear Hold (table \"d.csv\" \"t\" \"u\") (time "
    "/ 1.0<s>)\n";

}  // namespace

TEST_CASE("a session sees what its check has read, the next one sees the changed file") {
  const Folder folder;
  folder.file("d.csv", "t,u\n0,0\n1,5\n");
  const std::string model = folder.file("m.sr", kModel);
  auto last = [](Session& session) {
    auto compiled = session.compile({}, Backend::Interpreter);
    REQUIRE(compiled);
    return session.run(*compiled).value("u");
  };
  Session first(options());
  REQUIRE((first.load(model) && first.check()));
  REQUIRE(first.data_files().size() == 1);
  const std::uint64_t digest = first.data_files()[0].digest;
  folder.file("d.csv", "t,u\n0,0\n1,7\n");  // between check and run
  CHECK(last(first) == 5.0);
  CHECK(first.data_files()[0].digest == digest);
  Session second(options());
  REQUIRE((second.load(model) && second.check()));
  CHECK(last(second) == 7.0);
  CHECK(second.data_files()[0].digest != digest);
}

TEST_CASE("an interactive session reads a changed file again, and reports what is wrong with it then") {
  const Folder folder;
  folder.file("d.csv", "t,u\n0,0\n1,5\n");
  session::Interactive module(options());
  REQUIRE(module.load(folder.file("m.sr", kModel)));
  auto last = [&]() -> std::optional<double> {
    auto compiled = module.compile(std::nullopt, {});
    return compiled ? module.run(*compiled, {}).value("u") : std::nullopt;
  };
  CHECK(last() == 5.0);
  folder.file("d.csv", "t,u\n0,0\n1,8\n");  // the same length, perhaps at the same time
  CHECK(module.data_may_have_changed());
  CHECK(last() == 8.0);
  CHECK(module.enter("points = table \"d.csv\" \"t\" \"u\"").kind ==
        session::Interactive::Answer::Definitions);  // beside the file that was loaded
  folder.file("d.csv", "t,u\n0,0\n1,x\n");
  CHECK(!last());
  REQUIRE(!module.diagnostics().all().empty());
  CHECK(module.diagnostics().all().back().code == Code::DataValue);
  fs::remove(folder.at / "d.csv");
  CHECK(!last());
  CHECK(module.diagnostics().all().back().code == Code::DataUnreadable);
}

TEST_CASE("a hundred thousand rows, and many users of one table") {
  const Folder folder;
  std::string rows = "t [s],u [V]\n";
  for (int k = 0; k <= 100'000; ++k) rows += std::to_string(k) + "e-3," + std::to_string(k % 7) + "\n";
  folder.file("d.csv", rows);
  Session session(options());
  session.load_text("m.sr",
                    "main = sigrel () where\n  for k in 1 .. 100 do\n    local u :: Voltage\n"
                    "    u = table1 Linear Hold (table \"d.csv\" \"t\" \"u\") (50.0 + real k * 1.0<s>)\n",
                    folder.at.string());
  REQUIRE(session.check());
  auto compiled = session.compile({}, Backend::Interpreter);
  REQUIRE(compiled);
  CHECK(session.run(*compiled).value("u[1]") == 51000 % 7);
}

TEST_CASE("the points of a hundred thousand rows as the parameter of a relation") {
  const Folder folder;
  std::string rows = "t [s],u [V]\n";
  for (int k = 0; k <= 100'000; ++k) rows += std::to_string(k) + "e-3," + std::to_string(k % 7) + "\n";
  folder.file("d.csv", rows);
  Session session(options());
  session.load_text(
      "m.sr",
      "follow :: (points :: [(Time, Voltage)]) -> SR (u :: Voltage)\nfollow points = sigrel (u) where\n"
      "  u = table1 Linear Hold points (51.0 + time)\n\n"
      "main = sigrel () where\n  follow (table \"d.csv\" \"t\" \"u\") <> a\n"
      "  follow (table \"d.csv\" \"t\" \"u\") <> b\n",
      folder.at.string());
  REQUIRE(session.check());
  auto compiled = session.compile({}, Backend::Interpreter);
  REQUIRE(compiled);
  const Run run = session.run(*compiled);
  CHECK(run.value("a") == 52000 % 7);
  CHECK(run.value("b") == 52000 % 7);
}
