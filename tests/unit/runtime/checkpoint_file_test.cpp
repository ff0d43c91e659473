// Files of checkpoints, and marks of growing files: what was stored comes back, and nothing else is taken for
// it.
#include <unistd.h>

#include <catch2/catch.hpp>

#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "runtime/archive.h"
#include "runtime/results/checkpoint_file.h"
#include "runtime/results/mat.h"
#include "runtime/results/output_file.h"

using namespace runtime;

namespace {

std::string temporary(const char* name) {
  return (std::filesystem::temp_directory_path() / ("sigrel_checkpoint_" + std::to_string(::getpid()) + name))
      .string();
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Inner {
  std::uint32_t number = 0;
  std::optional<double> maybe;
  void visit(Archive& archive) { archive(number, maybe); }
  bool operator==(const Inner&) const = default;
};

struct Outer {
  bool flag = false;
  std::string text;
  std::vector<double> values;
  std::deque<Inner> queue;
  std::vector<std::uint8_t> fixed;
  void visit(Archive& archive) {
    archive(flag, text, values, queue);
    archive.fixed(fixed);
  }
  bool operator==(const Outer&) const = default;
};

}  // namespace

TEST_CASE("An archive gives back what it was given, and no more") {
  Outer outer{true, std::string("a\0b", 3), {1, -0.0, 1e-310}, {{7, {}}, {8, 2.5}}, {1, 2, 3}};
  Archive saved;
  saved(outer);
  const std::string bytes = saved.take();
  Outer loaded;
  loaded.fixed = {9, 9, 9};
  Archive from(bytes);
  from(loaded);
  CHECK(from.fine());
  CHECK(loaded == outer);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Outer part;
    part.fixed = {9, 9, 9};
    Archive cut(std::string_view(bytes).substr(0, size));
    cut(part);
    CHECK_FALSE(cut.fine());
  }
  Outer other;
  other.fixed = {9, 9};  // of another length
  Archive again(bytes);
  again(other);
  CHECK_FALSE(again.fine());
}

TEST_CASE("A checkpoint that is cut off or changed anywhere is refused") {
  const std::string path = temporary("file");
  CHECK(write_checkpoint(path, "print", std::string(300, 'x')).empty());
  CHECK(write_checkpoint(path, "print", "state of the model").empty());  // replaces it
  const StoredCheckpoint stored = read_checkpoint(path);
  CHECK(stored.failure.empty());
  CHECK(stored.fingerprint == "print");
  CHECK(stored.bytes == "state of the model");
  const std::string whole = read(path);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    write(path, whole.substr(0, k));
    CHECK_FALSE(read_checkpoint(path).failure.empty());
    std::string changed = whole;
    changed[k] ^= static_cast<char>(1 << k % 8);
    write(path, changed);
    CHECK_FALSE(read_checkpoint(path).failure.empty());
  }
  write(path, whole + "x");
  CHECK_FALSE(read_checkpoint(path).failure.empty());
  CHECK_FALSE(read_checkpoint("/dev/zero").failure.empty());
  CHECK_FALSE(read_checkpoint(temporary("absent")).failure.empty());
  CHECK_FALSE(write_checkpoint("/nonexistent/file", "print", "").empty());
  std::filesystem::remove(path);
}

TEST_CASE("A file that grows returns to its mark, if it is the same file") {
  const std::string path = temporary("growing");
  OutputFile::Mark mark;
  {
    OutputFile file;
    REQUIRE(file.open(path));
    REQUIRE(file.write("time,x\n0,1\n"));
    REQUIRE(file.mark(mark));
    REQUIRE(file.write("1,2\n2,"));
  }
  {
    OutputFile file;
    REQUIRE(file.append(path, mark));
    CHECK(file.size() == 11);
    REQUIRE(file.write("1,3\n"));
  }
  CHECK(read(path) == "time,x\n0,1\n1,3\n");
  for (const char* other : {"time,x\n0,1", "time,x\n0,2\n1,3\n", ""}) {  // shorter, another one, empty
    write(path, other);
    OutputFile file;
    CHECK_FALSE(file.append(path, mark));
    CHECK(file.error() == "it is not the file that belongs to the checkpoint");
    CHECK(read(path) == other);
  }
  std::filesystem::remove(path);
  OutputFile absent, pipe;
  CHECK_FALSE(absent.append(path, mark));
  REQUIRE(pipe.open("/dev/null"));
  CHECK_FALSE(pipe.mark(mark));
}

TEST_CASE("A MAT file returns to a checkpoint after its first row, although its header has changed since") {
  const std::string path = temporary("first.mat"), reference = temporary("reference.mat");
  Output output;
  output.columns = {{0, false}};
  output.names = {"x"};
  const std::vector<double> x = {2.5};
  auto rows = [&](MatFile& file, int from, int to) {
    for (int k = from; k < to; ++k) CHECK_FALSE(file.row(k, x));
  };
  Archive archive;
  {
    MatFile file(path), whole(reference);
    REQUIRE_FALSE(file.begin(output));
    REQUIRE_FALSE(whole.begin(output));
    rows(file, 0, 1);
    REQUIRE_FALSE(file.save(archive));
    rows(file, 1, 20);
    CHECK_FALSE(file.finish());
    rows(whole, 0, 10);
    CHECK_FALSE(whole.finish());
  }
  const std::string bytes = archive.take();
  Archive from(bytes);
  MatFile file(path);
  REQUIRE_FALSE(file.resume(output, from));
  rows(file, 1, 10);
  CHECK_FALSE(file.finish());
  CHECK(read(path) == read(reference));
  std::filesystem::remove(path);
  std::filesystem::remove(reference);
}
