// What is written replaces nothing that is read, loses nothing when it fails, and has one writer.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>

#include "process.h"

namespace {

namespace fs = std::filesystem;

const std::string kRamp =
    "main = simulate ramp with { stop = 1.0, steps = 10 }\nramp :: SR ()\nramp = sigrel () where\n"
    "  local x :: Real\n  x = time\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder of its own, empty at first.
std::string folder(const std::string& name) {
  fs::remove_all(temporary(name));
  fs::create_directories(temporary(name));
  return temporary(name) + "/";
}

std::string text_file(const std::string& folder, const std::string& name, const std::string& text) {
  return temporary(fs::path(folder).parent_path().filename().string() + "/" + name, text);
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

void refused(const std::vector<std::string>& arguments, const std::string& message) {
  const Finished f = sigrel(arguments);
  INFO(arguments[0] << " " << arguments.back() << "\n" << f.err);
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0619]"));
  CHECK(contains(f.err, message));
  CHECK(f.out.empty());
}

}  // namespace

TEST_CASE("an output that is an input is refused, also through links: SR0619") {
  const std::string at = folder("same");
  const std::string model = text_file(at, "m.sr", kRamp);
  const std::string user = text_file(at, "user.sr", "import Parts\nmain = ramp\n");
  const std::string parts = text_file(at, "Parts.sr", "module Parts where\n\n" + kRamp);
  fs::create_symlink("m.sr", at + "link.csv");
  fs::create_hard_link(model, at + "hard.svg");
  fs::create_hard_link(model, at + "hard.csv");
  fs::create_hard_link(parts, at + "parts.csv");
  for (const std::string name : {"link.csv", "hard.csv", "./hard.csv", "../same/link.csv"})
    refused({"run", model, "-o", at + name}, "is an input: the model");
  for (const std::string command : {"run", "sweep"}) {  // by its ending
    const std::vector<std::string> swept = {command, model, "--vary", "k=1,2", "-o", model};
    const Finished f = sigrel(command == "run" ? std::vector<std::string>{"run", model, "-o", model} : swept);
    CHECK(f.code == 2);
    CHECK(contains(f.err, "m.sr` must end in .csv"));
  }
  refused({"run", model, "--plot", at + "hard.svg"}, "of `--plot` is an input: the model");
  refused({"run", model, "--log-events=" + model}, "of `--log-events` is an input: the model");
  refused({"run", user, "-o", at + "parts.csv"}, "is an input: a module of the model");
  refused({"sweep", model, "-e", "ramp", "--vary", "k=1,2", "--resume", "-o", at + "hard.csv"},
          "is an input");
  refused({"explain", model, "--blocks", "--svg", at + "hard.svg"}, "of `--svg` is an input");
  refused({"explain", model, "--blocks", "--dot", model}, "of `--dot` is an input");
  CHECK(read(model) == kRamp);
  CHECK(contains(read(parts), "module Parts where"));

  const std::string table = at + "r.csv";
  REQUIRE(sigrel({"run", model, "-o", table}).code == 0);
  const std::string rows = read(table);
  fs::create_hard_link(table, at + "r.svg");
  refused({"run", model, "--init-from", table, "-o", table}, "is an input: `--init-from`");
  refused({"run", model, "--init-from", table + "@0.5", "-o", table}, "is an input: `--init-from`");
  refused({"plot", table, "-v", "x", "-o", at + "r.svg"}, "is an input: results to plot");
  CHECK(read(table) == rows);

  fs::create_directories(at + "pages");
  fs::create_hard_link(parts, at + "pages/Parts.html");
  refused({"doc", parts, "-o", at + "pages"}, "of `-o` is an input");
  CHECK(contains(read(parts), "module Parts where"));
}

TEST_CASE("two outputs are two files: SR0619") {
  const std::string at = folder("two");
  const std::string model = text_file(at, "m.sr", kRamp);
  refused({"run", model, "-o", at + "a", "--plot", at + "./a"}, "of `--plot` is the output of `-o`, too");
  CHECK(files_in(at) == 1);
  CHECK(sigrel({"run", model, "-o", "/dev/null", "--log-events=/dev/null"}).code == 0);
}

TEST_CASE("a file that is replaced keeps its links and its mode, and leaves no other file") {
  const std::string at = folder("replaced");
  const std::string model = text_file(at, "m.sr", kRamp);
  const std::string target = text_file(at, "target.svg", "old");
  fs::create_symlink("target.svg", at + "link.svg");
  fs::permissions(target, fs::perms(0640));
  REQUIRE(sigrel({"run", model, "--plot", at + "link.svg"}).code == 0);
  CHECK(fs::is_symlink(at + "link.svg"));
  CHECK(contains(read(target), "<svg"));
  CHECK(fs::status(target).permissions() == fs::perms(0640));
  CHECK(files_in(at) == 3);
  REQUIRE(sigrel({"run", model, "--plot", at + "new.svg"}).code == 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK(fs::status(at + "new.svg").permissions() == fs::perms(0666 & ~mask));
  // What cannot be written leaves nothing.
  CHECK(sigrel({"run", model, "--plot", at + "no/such.svg"}).code == 1);
  CHECK(files_in(at) == 4);
}

TEST_CASE("a file that another process writes is left alone: SR0611") {
  const std::string at = folder("locked");
  const std::string model = text_file(at, "m.sr", kRamp);
  for (const char* name : {"a.csv", "a.mat"}) {
    const std::string file = text_file(at, name, "rows of another run\n");
    const int other = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    REQUIRE(::flock(other, LOCK_EX) == 0);
    const Finished f = sigrel({"run", model, "-o", file});
    CHECK(f.code == 1);
    CHECK(contains(f.err, "error[SR0611]"));
    CHECK(contains(f.err, "another process is writing it"));
    CHECK(read(file) == "rows of another run\n");
    ::close(other);
    CHECK(sigrel({"run", model, "-o", file}).code == 0);
  }
}

TEST_CASE("standard output that is appended to a file keeps what the file has") {
  const std::string at = folder("appended");
  const std::string model = text_file(at, "m.sr", kRamp), file = text_file(at, "all.csv", "before\n");
  const std::string command =
      std::string(SIGREL_EXECUTABLE) + " run " + model + " -o - >> " + file + " 2> " + at + "err";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(read(file).starts_with("before\ntime,x\n0,0\n"));
}

TEST_CASE("standard output on a full disk, with more than a buffer: SR0611") {
  std::string definitions;
  for (int k = 0; k < 2000; ++k) definitions += "value" + std::to_string(k) + " = 1.0\n";
  const std::string model = temporary("large.sr", definitions), errors = temporary("full_errors");
  const std::string command =
      std::string(SIGREL_EXECUTABLE) + " check --types " + model + " > /dev/full 2> " + errors;
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(contains(read(errors), "error[SR0611]: cannot write to standard output"));
  CHECK(contains(read(errors), "No space left on device"));
  CHECK(!contains(read(errors), "internal error"));
}

TEST_CASE("a new model does not take the name of a library module: SR0007") {
  const std::string at = folder("new_models");
  const Finished f = sigrel({"new", at + "math.sr"});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0007]: the standard library has a module `Math`"));
  CHECK(files_in(at) == 0);
}
