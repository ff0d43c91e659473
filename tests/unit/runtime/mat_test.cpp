// Results as MATLAB v4, read by an independent reader that follows the definition of the format.
#include <signal.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "runtime/results/mat.h"

using namespace runtime;

namespace {

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / name).string();
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Matrix {
  std::uint32_t type = 0, rows = 0, columns = 0;
  std::string bytes;
  double number(std::uint32_t r, std::uint32_t c) const {
    double d = 0;
    std::memcpy(&d, bytes.data() + 8 * (std::size_t{c} * rows + r), 8);
    return d;
  }
  std::int32_t integer(std::uint32_t r, std::uint32_t c) const {
    std::int32_t i = 0;
    std::memcpy(&i, bytes.data() + 4 * (std::size_t{c} * rows + r), 4);
    return i;
  }
  std::string text(std::uint32_t c) const {
    const std::string padded = bytes.substr(std::size_t{c} * rows, rows);
    return padded.substr(0, padded.find_last_not_of(' ') + 1);
  }
};

/// MATLAB's "Level 4 MAT-File Format": the type is MOPT, M the machine (0: little endian), P the precision (0
/// double, 2 int32, 5 uint8), T the kind (0 numbers, 1 text).
std::map<std::string, Matrix> matrices(const std::string& file) {
  std::map<std::string, Matrix> found;
  for (std::size_t at = 0; at + 20 <= file.size();) {
    std::uint32_t h[5];
    std::memcpy(h, file.data() + at, 20);
    REQUIRE(h[0] / 100 == 0);
    REQUIRE(h[3] == 0);
    const std::string name(file.c_str() + at + 20);
    REQUIRE(name.size() + 1 == h[4]);
    const std::size_t element = h[0] / 10 == 0 ? 8 : h[0] / 10 == 2 ? 4 : 1;
    at += 20 + h[4];
    const std::size_t size = element * h[1] * h[2];
    REQUIRE(at + size <= file.size());
    found[name] = {h[0], h[1], h[2], file.substr(at, size)};
    at += size;
  }
  return found;
}

Output output() {
  return {.columns = {{7, false}, {7, true}, {kNone, false}, {3, true}, {3, false}, {kNone, false}},
          .names = {"r.u", "-r.u", "g.v", "n", "-n", "zero"},
          .descriptions = {"", "", "", "Int", "Int", ""},
          .constants = {{"r.r", "", 47.0}, {"c.c", "", 1e-6}}};
}

std::vector<double> row(double u, double n) { return {u, -u, 0, -n, n, 0}; }

}  // namespace

TEST_CASE("MATLAB: each variable once, other names by row and sign, constants apart") {
  const std::string path = temporary("sigrel_mat_test.mat");
  MatFile mat(path);
  const Output out = output();
  REQUIRE(!mat.begin(out));
  for (int k = 0; k < 100; ++k) REQUIRE(!mat.row(0.1 * k + 2, row(std::sqrt(k), k / 10)));
  REQUIRE(!mat.finish());
  auto m = matrices(bytes_of(path));
  REQUIRE(m.size() == 6);
  CHECK(m["Aclass"].type == 51);
  REQUIRE(m["Aclass"].rows == 4);
  REQUIRE(m["Aclass"].columns == 11);
  std::string lines[4];
  for (std::uint32_t c = 0; c < 11; ++c)
    for (std::uint32_t r = 0; r < 4; ++r) lines[r] += m["Aclass"].bytes[4 * c + r];
  CHECK(lines[0] == "Atrajectory");
  CHECK(lines[1] == "1.1        ");
  CHECK(lines[3] == "binTrans   ");

  const Matrix &info = m["dataInfo"], &data = m["data_2"], &fixed = m["data_1"];
  REQUIRE(info.rows == 4);
  REQUIRE(info.columns == 9);
  REQUIRE(m["name"].columns == 9);
  REQUIRE(m["description"].columns == 9);
  CHECK(data.rows == 3);  // the time and two variables
  REQUIRE(data.columns == 100);
  CHECK(fixed.rows == 4);  // the time, zero, two parameters
  REQUIRE(fixed.columns == 2);
  CHECK(fixed.number(0, 0) == 2);
  CHECK(fixed.number(0, 1) == 0.1 * 99 + 2);
  std::map<std::string, std::uint32_t> at;
  for (std::uint32_t c = 0; c < 9; ++c) at[m["name"].text(c)] = c;
  auto value = [&](const std::string& name, std::uint32_t instant) {
    const std::uint32_t c = at.at(name);
    const std::int32_t index = info.integer(1, c);
    const Matrix& from = info.integer(0, c) == 1 ? fixed : data;
    const double v =
        from.number(static_cast<std::uint32_t>(std::abs(index)) - 1, info.integer(0, c) == 1 ? 0 : instant);
    return index < 0 ? -v : v;
  };
  CHECK(info.integer(0, at["time"]) == 0);
  CHECK(value("r.u", 50) == std::sqrt(50));
  CHECK(value("-r.u", 50) == -std::sqrt(50));
  CHECK(value("n", 99) == -9);
  CHECK(value("-n", 99) == 9);
  CHECK(value("g.v", 99) == 0);
  CHECK(value("r.r", 0) == 47);
  CHECK(value("c.c", 0) == 1e-6);
  CHECK(m["description"].text(at["n"]) == "Int");

  MatReader reader(path);
  REQUIRE(!reader.failure());
  CHECK(reader.names().size() == 8);
  CHECK(reader.constants().size() == 4);
  ResultReader::Row r;
  for (int k = 0; k < 100; ++k) {
    REQUIRE(reader.next(r));
    CHECK(r.time == 0.1 * k + 2);
    CHECK(std::vector<double>(r.values.begin(), r.values.begin() + 6) == row(std::sqrt(k), k / 10));
  }
  CHECK(!reader.next(r));
  MatReader again(path);
  REQUIRE(again.last(r));
  CHECK(r.values[0] == std::sqrt(99));
  std::remove(path.c_str());
}

TEST_CASE("MATLAB: the file can be read while it grows, and after the disk is full") {
  const std::string path = temporary("sigrel_mat_growing.mat");
  rlimit before{}, small{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto handler = signal(SIGXFSZ, SIG_IGN);
  {
    MatFile mat(path);
    const Output out = output();
    REQUIRE(!mat.begin(out));
    CHECK(matrices(bytes_of(path))["data_2"].columns == 0);
    REQUIRE(!mat.row(0, row(1, 1)));
    REQUIRE(!mat.row(1, row(2, 1)));
    CHECK(matrices(bytes_of(path))["data_2"].columns == 2);
    small = before;
    small.rlim_cur = 300 * 1024;
    setrlimit(RLIMIT_FSIZE, &small);
    Sink::Error error;
    int k = 2;
    for (; !error && k < 100000; ++k) error = mat.row(k, row(k, k));
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(error.reason == "File too large");
    CHECK(error.kept_rows > 10000);
    auto m = matrices(bytes_of(path));
    CHECK(m["data_2"].columns == error.kept_rows);
    const std::size_t row_bytes = m["data_2"].rows * sizeof(double);
    CHECK(std::filesystem::file_size(path) + row_bytes > small.rlim_cur);  // as many as fit
    CHECK(m["data_2"].number(0, m["data_2"].columns - 1) == error.kept_until);
    CHECK(!mat.finish());
  }
  signal(SIGXFSZ, handler);
  std::remove(path.c_str());
  MatFile full("/dev/full");
  CHECK(full.begin(output()).reason == "No space left on device");
}

TEST_CASE("MATLAB: a file of another tool, and invalid files") {
  // As Dymola writes it: "Time", single precision, a constant with sign.
  const std::string path = temporary("sigrel_mat_other.mat");
  std::string file;
  auto matrix = [&](std::uint32_t type, std::uint32_t rows, std::uint32_t columns, const std::string& name,
                    const std::string& bytes) {
    for (std::uint32_t n : {type, rows, columns, 0u, static_cast<std::uint32_t>(name.size() + 1)})
      file.append(reinterpret_cast<char*>(&n), 4);
    file += name + '\0' + bytes;
  };
  auto packed = [](auto type, std::initializer_list<double> list) {
    std::string bytes;
    for (double d : list) {
      auto v = static_cast<decltype(type)>(d);
      bytes.append(reinterpret_cast<char*>(&v), sizeof v);
    }
    return bytes;
  };
  std::string cls;
  for (int c = 0; c < 11; ++c)
    for (const char* line : {"Atrajectory", "1.1        ", "           ", "binTrans   "}) cls += line[c];
  matrix(51, 4, 11, "Aclass", cls);
  matrix(51, 4, 3, "name", "Timex   k   ");
  matrix(51, 3, 3, "description", "[s][m]   ");
  matrix(20, 4, 3, "dataInfo", packed(std::int32_t{}, {0, 1, 0, -1, 2, -2, 0, -1, 1, -2, 0, 0}));
  matrix(10, 2, 2, "data_1", packed(float{}, {0, 5, 1, 5}));
  const std::size_t before_data = file.size();
  matrix(10, 2, 3, "data_2", packed(float{}, {0, 1.5, 0.5, 2.5, 1, 3.5}));
  std::ofstream(path, std::ios::binary) << file;
  MatReader reader(path);
  REQUIRE(!reader.failure());
  CHECK(reader.names() == std::vector<std::string>{"x", "k"});
  CHECK(reader.descriptions()[0] == "[m]");
  ResultReader::Row r;
  REQUIRE(reader.next(r));
  REQUIRE(reader.next(r));
  CHECK(r.time == 0.5);
  CHECK(r.values == std::vector<double>{-2.5, -5});

  std::ofstream(path, std::ios::binary | std::ios::trunc)
      << file.substr(0, file.size() - 5);  // truncated: two complete rows
  MatReader cut(path);
  REQUIRE(cut.last(r));
  CHECK(r.time == 0.5);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << file.substr(0, before_data);
  REQUIRE(MatReader(path).failure());
  CHECK(MatReader(path).failure()->what.find("matrix 6 is not `data_2`") != std::string::npos);
  for (std::size_t size : {30, 60, 120, 180, 220}) {  // no length reads outside
    std::ofstream(path, std::ios::binary | std::ios::trunc) << file.substr(0, size);
    CHECK(MatReader(path).failure());
  }
  std::remove(path.c_str());
}
