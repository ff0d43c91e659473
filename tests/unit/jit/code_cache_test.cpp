// Machine code on disk: the second process compiles nothing, and what is not as it was written is not used.
#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "compiler/interpret/interpret.h"
#include "compiler/jit/code_cache.h"
#include "compiler/jit/jit.h"
#include "fixture.h"

using namespace sigrel;
using namespace sigrel::testing;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("sigrel_cache_" + std::to_string(getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() {
    chmod(path.c_str(), S_IRWXU);
    fs::remove_all(path);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path)) found.push_back(entry.path());
    return found;
  }
};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// Kernels of which every second one is for many rows.
plan::Plan random_plan(std::uint32_t kernels) {
  std::mt19937 random(31);
  plan::Plan plan;
  for (std::uint32_t k = 0; k < kernels; ++k) {
    plan.kernels.push_back(
        {runtime::Role::Residual, 3, 1, 0, {random_expression(plan.exprs, random, 12, 3, 1)}});
    runtime::KernelBatch batch;
    batch.kernel = k;
    batch.count = k % 2 ? 1'000 : 1;
    plan.model.batches.push_back(batch);
  }
  return plan;
}

/// Compiles as a new process does, and compares the values with those of the interpreter.
jit::Statistics compile(const plan::Plan& plan, const fs::path& folder, std::uint64_t limit = 1 << 26,
                        std::uint32_t hot = 0, int calls = 1) {
  jit::Options options;
  options.cache_folder = folder;
  options.cache_limit = limit;
  options.hot = hot;
  auto code = jit::compile(plan, options);
  REQUIRE(code);
  auto reference = interpret::interpret(plan);
  std::mt19937 random(1);
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    Call call(plan.kernels[k], random, 20, 0, 20);
    const auto expected = call.run(reference->kernels[k]).out;
    for (int i = 0; i < calls; ++i)
      REQUIRE(std::ranges::equal(call.run((*code)->kernels[k]).out, expected,
                                 [](double a, double b) { return close(a, b, 0); }));
  }
  return (*code)->statistics();
}

}  // namespace

TEST_CASE("the second time, no kernel is compiled") {
  Folder folder;
  const plan::Plan plan = random_plan(300);
  const jit::Statistics first = compile(plan, folder.path / "deep" / "cache");
  CHECK(first.compiled == 300);
  CHECK(first.cached == 0);
  const jit::Statistics second = compile(plan, folder.path / "deep" / "cache");
  CHECK(second.compiled == 0);
  CHECK(second.functions == 0);
  CHECK(second.cached == 300);
  CHECK(second.cache_failure.empty());
  struct stat status{};
  REQUIRE(stat((folder.path / "deep" / "cache").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("a kernel that became hot is compiled from the start the second time; others may follow") {
  Folder folder;
  const plan::Plan plan = random_plan(20);
  CHECK(compile(plan, folder.path, 1 << 26, 1'000'000).compiled == 10);  // those for many rows
  const jit::Statistics hot = compile(plan, folder.path, 1 << 26, 20, 3);
  CHECK(hot.cached == 10);
  CHECK(hot.compiled == 10);
  const jit::Statistics next = compile(plan, folder.path, 1 << 26, 1'000'000);
  CHECK(next.cached == 20);
  CHECK(next.compiled == 0);
  CHECK(folder.files().size() == 1);
}

TEST_CASE("a change of one kernel changes the files of its group alone") {
  Folder folder;
  plan::Plan plan = random_plan(1'000);
  compile(plan, folder.path);
  plan.kernels[0].outputs[0] = plan.exprs.unary(Op::Neg, plan.kernels[0].outputs[0]);
  const jit::Statistics changed = compile(plan, folder.path);
  CHECK(changed.compiled > 0);
  CHECK(changed.cached > 800);
  CHECK(changed.cached + changed.compiled == 1'000);
}

TEST_CASE("a damaged file is not used, and is written again") {
  Folder folder;
  const plan::Plan plan = random_plan(4);
  compile(plan, folder.path);
  REQUIRE(folder.files().size() == 1);
  const fs::path file = folder.files().front();
  const std::string whole = read(file);
  std::vector<std::string> damaged = {"", "sigrel", whole.substr(0, whole.size() - 1), whole + "x",
                                      std::string(whole.size(), '\0')};
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    damaged.push_back(whole);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x10);
    damaged.push_back(whole.substr(0, at));
  }
  for (const std::string& text : damaged) {
    write(file, text);
    const jit::Statistics statistics = compile(plan, folder.path);
    CAPTURE(text.size());
    REQUIRE(statistics.cached == 0);
    REQUIRE(statistics.compiled == 4);
  }
  CHECK(compile(plan, folder.path).cached == 4);
  CHECK(read(file) == whole);
}

TEST_CASE("a file under the name of another is not used") {
  Folder folder;
  const plan::Plan a = random_plan(4), b = random_plan(6);
  compile(a, folder.path);
  const fs::path file = folder.files().front();
  const std::string code = read(file);
  fs::remove(file);
  compile(b, folder.path);
  write(folder.files().front(), code);
  const jit::Statistics statistics = compile(b, folder.path);
  CHECK(statistics.cached == 0);
  CHECK(statistics.compiled == 6);
}

TEST_CASE("a folder or file that others can write to is not used") {
  Folder folder;
  const plan::Plan plan = random_plan(4);
  compile(plan, folder.path);
  const fs::path file = folder.files().front();
  REQUIRE(chmod(file.c_str(), 0622) == 0);
  CHECK(compile(plan, folder.path).cached == 0);
  REQUIRE(chmod(folder.path.c_str(), 0777) == 0);
  const jit::Statistics open = compile(plan, folder.path);
  CHECK(open.cached == 0);
  CHECK(open.cache_failure.find("others can write to it") != std::string::npos);
  // Neither is a link to a folder, or a file in place of one.
  fs::create_directory_symlink(folder.path, folder.path / "link");
  CHECK_FALSE(compile(plan, folder.path / "link").cache_failure.empty());
  CHECK_FALSE(compile(plan, file).cache_failure.empty());
}

TEST_CASE("the least recently used files are removed; files of others stay") {
  Folder folder;
  compile(random_plan(4), folder.path);
  const fs::path oldest = folder.files().front();
  const std::uint64_t size = fs::file_size(oldest);
  fs::last_write_time(oldest, fs::last_write_time(oldest) - std::chrono::hours(2));
  write(folder.path / "notes.txt", std::string(2 * size, 'x'));
  const fs::path abandoned = folder.path / (std::string(32, 'a') + ".1.0.tmp");
  write(abandoned, "x");
  fs::last_write_time(abandoned, fs::last_write_time(abandoned) - std::chrono::hours(2));
  compile(random_plan(5), folder.path, 10 * size);
  CHECK(fs::exists(oldest));
  CHECK_FALSE(fs::exists(abandoned));
  compile(random_plan(3), folder.path, 2 * size);  // more than fits
  CHECK_FALSE(fs::exists(oldest));
  CHECK(fs::exists(folder.path / "notes.txt"));
  CHECK(compile(random_plan(3), folder.path, 2 * size).cached == 3);
}

TEST_CASE("a program without a cache writes none, and one that cannot write says so") {
  Folder folder;
  const plan::Plan plan = random_plan(4);
  CHECK(compile(plan, "").cache_failure.empty());
  write(folder.path, "a file");
  const jit::Statistics statistics = compile(plan, folder.path / "cache");
  CHECK(statistics.compiled == 4);
  CHECK(statistics.cache_failure.find("cannot be created") != std::string::npos);
}
