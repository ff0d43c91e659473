// Files on a disk that fills at any byte, and with two writers.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/base/sanitized.h"
#include "runtime/results/csv.h"
#include "runtime/results/mat.h"

using namespace runtime;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("sigrel_output_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

/// No file can grow beyond a limit, as if the disk were full.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before_;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_ = nullptr;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr int kRows = 40;

/// Writes a table until it is complete or the disk is full.
Sink::Error fill(Sink& sink, const Output& output) {
  Sink::Error error = sink.begin(output);
  for (int k = 0; k < kRows && !error; ++k) error = sink.row(0.1 * k, std::vector<double>{1.0 / (k + 1)});
  const Sink::Error last = sink.finish();
  return error ? error : last;
}

}  // namespace

TEST_CASE("CSV: of a disk that fills at any byte, all whole rows that fit are kept") {
  const Folder folder;
  Output output;
  output.columns = {{0}};
  output.names = {"a\nb"};
  CsvFile whole_file(folder / "whole.csv");
  REQUIRE(!fill(whole_file, output));
  const std::string whole = read(folder / "whole.csv");
  const std::size_t header = whole.find('\n', whole.find('\n') + 1) + 1;
  for (std::size_t limit = 0; limit < whole.size(); ++limit) {
    CsvFile csv(folder / "part.csv");
    Sink::Error error;
    {
      const SmallDisk disk(limit);
      error = fill(csv, output);
    }
    INFO(limit);
    const std::string part = read(folder / "part.csv");
    REQUIRE(error.reason == "File too large");
    REQUIRE(whole.starts_with(part));
    const std::size_t next = whole.find('\n', part.size());  // the end of the row that did not fit
    if (limit >= header) {
      REQUIRE(part.ends_with('\n'));
      REQUIRE(next + 1 > limit);
      const auto rows = static_cast<std::uint64_t>(std::ranges::count(part.substr(header), '\n'));
      REQUIRE(error.kept_rows == rows);
      if (rows > 0) {
        const std::size_t last = part.rfind('\n', part.size() - 2) + 1;
        REQUIRE(error.kept_until == std::stod(part.substr(last)));
      }
    } else {
      REQUIRE(error.kept_rows == 0);
    }
  }
}

TEST_CASE("MATLAB: of a disk that fills at any byte, a file that can be read remains") {
  const Folder folder;
  Output output;
  output.columns = {{0}};
  output.names = {"a"};
  MatFile whole_file(folder / "whole.mat");
  REQUIRE(!fill(whole_file, output));
  const std::size_t row = 2 * sizeof(double), size = fs::file_size(folder / "whole.mat"),
                    header = size - kRows * row;
  for (std::size_t limit = header; limit < size; ++limit) {
    MatFile mat(folder / "part.mat");
    Sink::Error error;
    {
      const SmallDisk disk(limit);
      error = fill(mat, output);
    }
    INFO(limit);
    REQUIRE(error.reason == "File too large");
    REQUIRE(error.kept_rows == (limit - header) / row);
    MatReader reader(folder / "part.mat");
    ResultReader::Row last;
    REQUIRE(reader.last(last) == (error.kept_rows > 0));
    REQUIRE(!reader.failure());
    if (error.kept_rows > 0) {
      REQUIRE(last.time == error.kept_until);
      REQUIRE(last.values[0] == 1.0 / static_cast<double>(error.kept_rows));
    }
  }
}

TEST_CASE("a file that is replaced is the old one or the new one") {
  const Folder folder;
  const std::string path = folder / "page.html";
  REQUIRE(write_file(path, "old").empty());
  {
    const SmallDisk disk(100);
    CHECK(write_file(path, std::string(1000, 'x')) == "File too large");
  }
  CHECK(read(path) == "old");
  REQUIRE(write_file(path, "new").empty());
  CHECK(read(path) == "new");
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
  // A file with two names is written in place: both still lead to it.
  fs::create_hard_link(path, folder / "other.html");
  REQUIRE(write_file(path, "newer").empty());
  CHECK(read(folder / "other.html") == "newer");
}

TEST_CASE("a file that grows is not replaced") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  OutputFile growing;
  REQUIRE(growing.open(path));
  REQUIRE(growing.write("1\n"));
  CHECK(write_file(path, "page") == "another process is writing it");
  REQUIRE(growing.write("2\n"));
  CHECK(read(path) == "1\n2\n");
  REQUIRE(growing.close());
  CHECK(write_file(path, "page").empty());
  CHECK(read(path) == "page");
}

TEST_CASE("a file keeps its contents where no other can be made beside it") {
  if (kSanitized) return;  // a sanitizer opens files of its own
  const Folder folder;
  const std::string path = folder / "page.html";
  REQUIRE(write_file(path, "old").empty());
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const int lowest = ::open("/dev/null", O_RDONLY | O_CLOEXEC);  // the lowest free number
  ::close(lowest);
  const rlimit two{static_cast<rlim_t>(lowest) + 1, files.rlim_max};  // one for the file itself
  setrlimit(RLIMIT_NOFILE, &two);
  const std::string reason = write_file(path, "new");
  setrlimit(RLIMIT_NOFILE, &files);
  CHECK(reason == "Too many open files");
  CHECK(read(path) == "old");
}

TEST_CASE("a file has one writer at a time") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  OutputFile first, second;
  REQUIRE(first.open(path));
  REQUIRE(first.write("1\n"));
  CHECK(!second.append(path));
  CHECK(!second.open(path));
  CHECK(second.error() == "another process is writing it");
  CHECK(read(path) == "1\n");
  REQUIRE(first.close());
  OutputFile third;
  CHECK(!third.create(path));
  CHECK(third.error() == "File exists");
  REQUIRE(third.append(path));
  CHECK(third.size() == 2);
  REQUIRE(third.write("2\n"));
  CHECK(read(path) == "1\n2\n");
}
