#include <catch2/catch.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "runtime/results/csv.h"
#include "runtime/results/plot_svg.h"
#include "runtime/results/plot_terminal.h"
#include "runtime/results/progress.h"
#include "runtime/results/trajectory.h"

using namespace runtime;

namespace {

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string temporary(const char* name) { return (std::filesystem::temp_directory_path() / name).string(); }

Plot waves(std::size_t points) {
  Plot plot{.title = "Waves <1> & \"2\"", .times = {}, .curves = {{"sin t", {}}, {"half & half", {}}}};
  for (std::size_t k = 0; k <= points; ++k) {
    const double t = 10.0 * double(k) / double(points);
    plot.times.push_back(t);
    plot.curves[0].values.push_back(std::sin(t));
    plot.curves[1].values.push_back(0.5 * std::cos(t));
  }
  return plot;
}

/// A small check of well-formed XML: tags nest and match, attributes are quoted, no stray `<` or `&`.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      const std::size_t end = xml.find(';', at);
      if (end == std::string::npos || end - at > 6) return false;
      at = end + 1;
    } else if (xml[at] != '<') {
      ++at;
    } else {
      const std::size_t end = xml.find('>', at);
      if (end == std::string::npos) return false;
      std::string tag = xml.substr(at + 1, end - at - 1);
      if (tag.find('<') != std::string::npos || std::count(tag.begin(), tag.end(), '"') % 2) return false;
      if (tag[0] == '/') {
        if (open.empty() || open.back() != tag.substr(1)) return false;
        open.pop_back();
      } else if (tag.back() != '/') {
        open.push_back(tag.substr(0, tag.find(' ')));
      }
      at = end + 1;
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("CSV: numbers read back to the same bits, names are quoted") {
  const std::string path = temporary("sigrel_csv_test.csv");
  std::mt19937_64 random(7);
  std::vector<std::vector<double>> rows;
  {
    CsvFile csv(path);
    const std::vector<std::string> names = {"r.v", "a,b", "say \"x\""};
    REQUIRE(!csv.begin({.names = names}));
    for (int r = 0; r < 2000; ++r) {
      std::vector<double> row;
      for (int c = 0; c < 3; ++c) row.push_back(std::bit_cast<double>(random() & 0xBFFFFFFFFFFFFFFFull));
      REQUIRE(!csv.row(r * 0.1, row));
      rows.push_back(row);
    }
    REQUIRE(!csv.finish());
    CHECK(csv.rows() == 2000);
  }
  std::istringstream text(read(path));
  std::string line;
  std::getline(text, line);
  CHECK(line == "time,r.v,\"a,b\",\"say \"\"x\"\"\"");
  std::size_t r = 0;
  for (; std::getline(text, line); ++r) {
    const char* at = line.data();
    const char* end = line.data() + line.size();
    for (std::size_t c = 0; c < 4; ++c) {
      double value = 0;
      at = std::from_chars(at, end, value).ptr + 1;
      if (value != (c == 0 ? double(r) * 0.1 : rows[r][c - 1])) FAIL(line);
    }
  }
  CHECK(r == 2000);
  std::remove(path.c_str());
}

TEST_CASE("CSV: of a run that was killed, the rows up to the last complete one are read") {
  const std::string path = temporary("sigrel_csv_killed.csv");
  for (const char* rest : {"2", "2,", "2,30", "2,30,", "2,30,4", "2,30,4e"}) {
    std::ofstream(path) << "time,a,b\n0,1,2\n1,3,4\n" << rest;
    const bool complete = std::string_view(rest).starts_with("2,30,");  // in number of fields
    CsvReader rows(path), end(path);
    ResultReader::Row row;
    REQUIRE((rows.next(row) && rows.next(row)));
    CHECK(row.values == std::vector<double>{3, 4});
    CHECK(!rows.next(row));
    CHECK(rows.failure().has_value() == complete);
    CHECK(end.last(row) == !complete);
    if (complete) continue;
    CHECK(row.time == 1);
  }
  std::ofstream(path) << "time,a,b\n0,1\n1,3,4\n";  // a line that has ended is complete
  CsvReader wrong(path);
  ResultReader::Row row;
  CHECK(!wrong.next(row));
  CHECK(wrong.failure().has_value());
  std::remove(path.c_str());
}

TEST_CASE("CSV into nowhere") {
  CsvFile csv(temporary("no/such/folder/x.csv"));
  const Sink::Error error = csv.begin({});
  CHECK(error);
  CHECK(error.reason == "No such file or directory");
}

TEST_CASE("trajectories grow by blocks") {
  Trajectory trajectory;
  trajectory.begin({.names = {"a", "b"}});
  for (int k = 0; k < 100000; ++k) trajectory.row(k, std::vector<double>{k + 0.25, -k + 0.5});
  CHECK(trajectory.rows() == 100000);
  CHECK(trajectory.value(77777, 1) == -77776.5);
  CHECK(trajectory.column(0)[99999] == 99999.25);
  CHECK(trajectory.times()[12345] == 12345);
}

TEST_CASE("axes have round ticks") {
  CHECK(make_axis(0, 10, 6, true).labels == std::vector<std::string>{"0", "2", "4", "6", "8", "10"});
  CHECK(make_axis(-0.93, 0.97, 5, true).labels ==
        std::vector<std::string>{"-1.0", "-0.5", "0", "0.5", "1.0"});
  CHECK(make_axis(0, 3e-6, 4, true).labels == std::vector<std::string>{"0", "1e-6", "2e-6", "3e-6"});
  CHECK(make_axis(5, 5, 4, true).ticks.size() >= 2);
  CHECK(make_axis(0, 0, 4, true).ticks.size() >= 2);
  CHECK(make_axis(1e5, 1e5 + 2, 4, true).labels.front() == "100000.0");
}

TEST_CASE("decimation keeps peaks and gaps") {
  std::vector<double> times, values;
  for (int k = 0; k < 100000; ++k) times.push_back(k), values.push_back(k == 54321 ? 9 : std::sin(k * 0.001));
  values[70000] = std::nan("");
  const Axis axis = make_axis(0, 99999, 5, false);
  const auto points = decimate(times, values, axis, 500);
  CHECK(points.size() < 2100);
  CHECK(std::count_if(points.begin(), points.end(), [](const PlotPoint& p) { return p.y == 9; }) == 1);
  CHECK(std::count_if(points.begin(), points.end(), [](const PlotPoint& p) { return std::isnan(p.y); }) == 1);
  CHECK(std::is_sorted(points.begin(), points.end(),
                       [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; }));
}

TEST_CASE("SVG is well-formed") {
  for (std::size_t points : {std::size_t(100), std::size_t(50000)}) {
    const std::string svg = plot_svg(waves(points));
    CHECK(well_formed(svg));
    CHECK(svg.find("Waves &lt;1&gt; &amp; &quot;2&quot;") != std::string::npos);
    CHECK(svg.find("half &amp; half") != std::string::npos);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.size() < 200000);
  }
  CHECK(well_formed(plot_svg(Plot{})));
  Plot gaps{.times = {0, 1, 2}, .curves = {{"g", {1, std::nan(""), HUGE_VAL}}}};
  CHECK(plot_svg(gaps).find("nan") == std::string::npos);
  CHECK(plot_svg(gaps).find("inf") == std::string::npos);
}

TEST_CASE("terminal plot, ASCII") {
  Plot plot{.title = "ramp", .times = {}, .curves = {{"up", {}}, {"down", {}}}};
  for (int k = 0; k <= 20; ++k) {
    plot.times.push_back(k * 0.1);
    plot.curves[0].values.push_back(k);
    plot.curves[1].values.push_back(10 - k * 0.5);
  }
  const std::string text = plot_terminal(plot, {.width = 40, .height = 10, .ascii = true});
  CHECK(text == R"(    ramp
20 +                                 ***
   |                           ******
   |                      *****
10 ++                *****
   | +++++++++   ****
   |        **++++++++++
   |   *****            +++++++++++
 0 +***                            +++++
   ++-----------------+----------------+
    0                 1                2
    ** up   ++ down
)");
}

TEST_CASE("terminal plot, braille") {
  const std::string text = plot_terminal(waves(200), {.width = 44, .height = 9});
  CHECK(text == R"(    Waves <1> & "2"
 1 ┤   ⢀⡔⠋⠉⠑⢦⡀                  ⣠⠖⠋⠉⠓⢦⡀
   │⣀⣀⡴⠃     ⠘⢆            ⣀⣀⣀⣀⡴⠁     ⠑⣄
   │⢀⡜⠉⠓⢤⡀    ⠈⢣        ⣠⠖⠉⠁ ⢀⠞⠉⠲⣄⡀    ⠘⢦
 0 ┤⠊    ⠙⠢⣀    ⠣⡀   ⢀⡤⠊⠁   ⢠⠊    ⠙⠦⡀   ⠈⢣
   │       ⠈⠓⢤⣀  ⠱⣄⡠⠖⠋     ⣰⠃       ⠈⠳⢄⡀  ⠳⣀
   │          ⠈⠉⠉⠉⠙⢆     ⢀⡜⠁           ⠈⠉⠉⠉⠙
-1 ┤                ⠓⢤⣀⣀⠴⠋
   └┬───────────────────┬──────────────────┬
    0                   5                 10
    ── sin t   ── half & half
)");
  const std::string coloured = plot_terminal(waves(200), {.width = 44, .height = 9, .colour = true});
  CHECK(coloured.find("\x1b[34m") != std::string::npos);
  CHECK(!plot_terminal(Plot{}, {}).empty());
}

TEST_CASE("progress") {
  CHECK(progress_line(0.5, 3, 50) == "  50 %  ███████████░░░░░░░░░░░  3.0 s, 3.0 s to go");
  CHECK(progress_line(1, 200, 40).find("3 min 20 s") != std::string::npos);
  CHECK(progress_line(std::nan(""), 0, 40).substr(0, 6) == "   0 %");
}
