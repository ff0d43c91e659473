// Machine code on disk, as processes use it.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "process.h"

namespace fs = std::filesystem;

namespace {

/// A chain of first-order lags, with kernels for many rows.
std::string model() {
  return temporary("lags.sr",
                   "lags :: Int -> SR ()\nlags n = sigrel () where\n  local x :: Real^n\n"
                   "  der x[1] = 1.0 - x[1]\n  for i in 2 .. n do\n    der x[i] = x[i-1] - x[i]\n"
                   "  initially\n    for i in 1 .. n do\n      x[i] = 0.0\n"
                   "main = simulate (lags 200) with { stop = 5.0, plot = [\"x[2]\"] }\n");
}

/// Sets SIGREL_CACHE for the processes of a test.
class Cache {
 public:
  explicit Cache(const std::string& name) : folder(temporary(name)), before_(std::getenv("SIGREL_CACHE")) {
    fs::remove_all(folder);
    setenv("SIGREL_CACHE", folder.c_str(), 1);
  }
  ~Cache() { setenv("SIGREL_CACHE", before_.c_str(), 1); }
  std::string folder;

 private:
  std::string before_;
};

/// The output without the lines that differ from run to run: the code and the times.
std::string results(const std::string& out) { return out.substr(0, out.find("model\n")); }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Finished run(std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"run", model(), "--no-plot", "--stats"};
  words.insert(words.end(), more.begin(), more.end());
  Finished finished = sigrel(words);
  CHECK(finished.code == 0);
  return finished;
}

}  // namespace

TEST_CASE("the second run of a model compiles nothing, and gives the same results") {
  Cache cache("second");
  const Finished first = run();
  CHECK(contains(first.out, " compiled,"));
  CHECK_FALSE(contains(first.out, "from the cache"));
  const Finished second = run();
  CHECK_FALSE(contains(second.out, " compiled,"));
  CHECK_FALSE(contains(second.out, "LLVM"));
  CHECK(contains(second.out, "from the cache"));
  CHECK(results(second.out) == results(first.out));
}

TEST_CASE("with --no-cache code is neither read nor written") {
  Cache cache("none");
  run({"--no-cache"});
  CHECK_FALSE(fs::exists(cache.folder));
  run();
  const Finished without = run({"--no-cache"});
  CHECK(contains(without.out, " compiled,"));
  CHECK_FALSE(contains(without.out, "from the cache"));
}

TEST_CASE("a damaged cache changes nothing but the time") {
  Cache cache("damaged");
  const Finished first = run();
  for (const auto& file : fs::directory_iterator(cache.folder))
    fs::resize_file(file, fs::file_size(file) / 2);
  const Finished damaged = run();
  CHECK(contains(damaged.out, " compiled,"));
  CHECK(results(damaged.out) == results(first.out));
  CHECK(contains(run().out, "from the cache"));
}

TEST_CASE("a cache that cannot be used is told by --stats only") {
  Cache cache("unusable");
  std::ofstream(cache.folder) << "a file";
  const Finished finished = run();
  CHECK(contains(finished.out, "cannot be opened"));
  CHECK(finished.err.empty());
}

TEST_CASE("several processes write the cache at once") {
  Cache cache("several");
  const std::string expected = results(run({"--no-cache"}).out);
  std::string command;
  for (int i = 0; i < 4; ++i)
    command += std::string(SIGREL_EXECUTABLE) + " run '" + model() + "' --no-plot --stats > '" +
               temporary("several" + std::to_string(i)) + "' & ";
  REQUIRE(std::system((command + "wait").c_str()) == 0);
  for (int i = 0; i < 4; ++i) CHECK(results(read(temporary("several" + std::to_string(i)))) == expected);
  CHECK(contains(run().out, "from the cache"));
  for (const auto& file : fs::directory_iterator(cache.folder)) CHECK(file.path().extension() == ".code");
}
