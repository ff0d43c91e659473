// Data files as inputs of commands: where they may be, what belongs to them, and results as data.
#include <catch2/catch.hpp>

#include <filesystem>

#include "process.h"

namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder of its own with a model that follows a column of a file.
struct Folder {
  explicit Folder(const std::string& name) : at(temporary(name) + "/") {
    fs::remove_all(at);
    fs::create_directories(at);
    data = file("d.csv", "t [s],u [V]\n0,0\n1,2\n");
    model = file("m.sr", "main = simulate follow with { stop = 1.0, steps = 4 }\n" + follow("\"d.csv\""));
    computed = file("c.sr",
                    "name :: String\nname = \"d\" ++ \".csv\"\n\n"
                    "main = simulate follow with { stop = 1.0, steps = 4 }\n" +
                        follow("name"));
  }
  static std::string follow(const std::string& name) {
    return "follow :: SR ()\nfollow = sigrel () where\n  local x :: Real\n  local u :: Voltage\n"
           "  let k = 1.0\n"
           "  u = table1 Linear Hold points time\n  der x = -k * x * 1.0<1/s>\n  initially x = 1.0\n\n"
           "points :: [(Time, Voltage)]\npoints = table " +
           name + " \"t\" \"u\"\n";
  }
  std::string file(const std::string& name, const std::string& text) const {
    return temporary(fs::path(at).parent_path().filename().string() + "/" + name, text);
  }
  std::string at, data, model, computed;
};

}  // namespace

TEST_CASE("a data file is an input, which no output replaces: SR0619") {
  const Folder folder("data_input");
  for (const std::string& model : {folder.model, folder.computed}) {
    const Finished f = sigrel({"run", model, "-o", folder.data});
    INFO(f.err);
    CHECK(f.code == 1);
    CHECK(contains(f.err, "error[SR0619]"));
    CHECK(contains(f.err, "data of the model"));
    CHECK(read(folder.data) == "t [s],u [V]\n0,0\n1,2\n");
  }
}

TEST_CASE("data is found beside the source that names it, and below the folders of the program: SR0008") {
  const Folder folder("data_where");
  fs::create_directories(folder.at + "in");
  const std::string inner = folder.file("in/m.sr", "main = follow\n" + Folder::follow("\"../d.csv\""));
  const Finished refused = sigrel({"check", inner});
  INFO(refused.err);
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "error[SR0008]: `../d.csv` is outside the folders of the program"));
  CHECK(contains(refused.err, "--path "));
  CHECK(sigrel({"check", inner, "--path", folder.at}).code == 0);
  fs::create_symlink("../d.csv", folder.at + "in/link.csv");
  const std::string linked = folder.file("in/n.sr", "main = follow\n" + Folder::follow("\"link.csv\""));
  CHECK(contains(sigrel({"check", linked}).err, "error[SR0008]"));
  // The text of the name stands in a module in another folder.
  folder.file("in/Points.sr", "module Points where\n\nfile :: String\nfile = \"p.csv\"\n");
  folder.file("in/p.csv", "t,u\n0,1\n1,3\n");
  const std::string user =
      folder.file("u.sr", "import Points (file)\n\nmain = follow\n" + Folder::follow("file"));
  const Finished used = sigrel({"run", user, "--path", folder.at + "in", "-v", "u", "--no-plot"});
  INFO(used.err);
  CHECK(contains(used.out, "u = 3"));
}

TEST_CASE("a misspelt column is corrected by an edit") {
  const Folder folder("data_fix");
  const std::string text = read(folder.model);
  const std::string wrong = folder.file("w.sr", std::string(text).replace(text.find("\"u\""), 3, "\"uu\""));
  const Finished f = sigrel({"check", wrong, "--message-format", "json"});
  CHECK(f.code == 1);
  CHECK(contains(f.err + f.out, "\"suggested_replacement\":\"\\\"u\\\"\""));
}

TEST_CASE("a table of a sweep belongs to the data of its model") {
  const Folder folder("data_sweep");
  const std::string table = folder.at + "t.csv";
  const std::vector<std::string> sweep = {"sweep", folder.model, "--vary", "k=1..2:2", "-v",
                                          "u",     "-v",         "x",      "-o",       table};
  std::vector<std::string> resumed = sweep;
  resumed.emplace_back("--resume");
  const Finished first = sigrel(sweep);
  INFO(first.err);
  REQUIRE(first.code == 0);
  const std::string rows = read(table);
  CHECK(contains(rows, "\n1,2,0,2,0.36787"));  // k; u, its smallest and largest value; x = exp(-k)
  CHECK(contains(rows, "\n2,2,0,2,0.13533"));
  CHECK(sigrel(resumed).code == 0);
  CHECK(read(table) == rows);
  folder.file("d.csv", "t [s],u [V]\n0,0\n1,3\n");
  const Finished other = sigrel(resumed);
  CHECK(other.code == 1);
  CHECK(contains(other.err, "error[SR0616]"));
  CHECK(read(table) == rows);  // what would have been a mixture of two models
  fs::remove(table);
  const Finished fresh = sigrel(sweep);
  INFO(fresh.err);
  CHECK(contains(read(table), "\n1,3,0,3,0.36787"));
}

TEST_CASE("results are data: CSV and MAT, with the jumps of their events") {
  const Folder folder("data_results");
  const std::string source = folder.file("source.sr",
                                         "source :: SR ()\nsource = sigrel () where\n  local x :: Real\n"
                                         "  x = if time < 0.45 then 1.0 else 3.0 + time / 1.0<s>\n"
                                         "main = simulate source with { stop = 1.0, steps = 10 }\n");
  for (const std::string ending : {"csv", "mat"}) {
    const std::string results = "r." + ending;
    REQUIRE(sigrel({"run", source, "-o", folder.at + results, "--no-plot"}).code == 0);
    const std::string reader =
        folder.file("reader.sr",
                    "reader :: SR ()\nreader = sigrel () where\n  local y :: Real\n"
                    "  local total :: Real<s>\n  y = table1 Linear Hold (table \"" +
                        results +
                        "\" \"time\" \"x\") time\n  der total = y\n  initially total = 0.0\n"
                        "  assert \"it is the source\" (abs (y - (if time < 0.45 then 1.0 else 3.0 + time / "
                        "1.0<s>)) < 1.0e-9)\n"
                        "main = simulate reader with { stop = 1.0 }\n");
    const Finished f = sigrel({"run", reader, "-v", "total", "--no-plot"});
    INFO(ending << "\n" << f.err);
    CHECK(f.code == 0);
    CHECK(contains(f.out, "total = 2.49875"));  // 0.45 + 3 * 0.55 + (1 - 0.45^2) / 2
  }
}

TEST_CASE("results end in .csv or .mat, and their times are the decimal numbers of the grid") {
  const Folder folder("data_endings");
  for (const std::string name : {"x.json", "x.txt", "x.csv.bak"}) {
    const Finished f = sigrel({"run", folder.model, "-o", folder.at + name});
    CHECK(f.code == 2);
    CHECK(contains(f.err, "must end in .csv or .mat"));
    CHECK(!fs::exists(folder.at + name));
  }
  const std::string results = folder.at + "times.csv";
  for (const auto& [stop, rows] :
       {std::pair<std::string, std::string>{"1", "\n0.3,"}, {"0.1", "\n0.03,"}, {"0.7", "\n0.21,"}}) {
    REQUIRE(sigrel({"run", folder.model, "--stop", stop, "--steps", "10", "-o", results, "--no-plot"}).code ==
            0);
    INFO(read(results));
    CHECK(contains(read(results), rows));
  }
  REQUIRE(sigrel({"run", folder.model, "--start", "0.1", "--stop", "1.1", "--steps", "10", "-o", results,
                  "--no-plot"})
              .code == 0);
  CHECK(contains(read(results), "\n0.3,"));
  CHECK(contains(read(results), "\n0.7,"));
}

TEST_CASE("a variable is shown in its unit of display, and files keep SI units") {
  const Folder folder("data_display");
  const std::string model = folder.file(
      "boiler.sr",
      "main = simulate boiler with { stop = 1.0, steps = 2, plot = [\"t\"] }\nboiler :: SR ()\nboiler = "
      "sigrel () where\n"
      "  local t, alias :: Temperature with { display = \"degC\" }\n  local kelvin :: Temperature\n"
      "  local w :: AngularVelocity with { display = \"rpm\" }\n"
      "  let slope = 1.0<K/s>\n  der t = slope\n  alias = t\n  kelvin = t\n  w = 10.0\n  initially t = "
      "20.0<degC>\n");
  const std::string csv = folder.at + "r.csv", mat = folder.at + "r.mat", svg = folder.at + "p.svg";
  const Finished f = sigrel({"run", model, "-v", "t,alias,kelvin,w", "-o", csv, "--no-plot"});
  INFO(f.err + f.out);
  REQUIRE(f.code == 0);
  CHECK(contains(f.out, "t      = 21 degC\n"));
  CHECK(contains(f.out, "alias  = 21 degC\n"));
  CHECK(contains(f.out, "kelvin = 294.15\n"));
  CHECK(contains(f.out, "w      = 95.49296586 rpm\n"));
  CHECK(contains(read(csv), "\n1,294.15,"));
  REQUIRE(sigrel({"run", model, "--plot", svg, "-o", mat, "--no-plot"}).code == 0);
  CHECK(contains(read(svg), "[degC]"));
  CHECK(contains(read(mat), "[K|degC]"));
  REQUIRE(sigrel({"plot", mat, "-v", "t", "-o", svg}).code == 0);
  CHECK(contains(read(svg), "[degC]"));
  REQUIRE(
      sigrel({"sweep", model, "--vary", "slope=1..2:2", "-v", "t", "-o", folder.at + "s.csv", "--plot", svg})
          .code == 0);
  CHECK(contains(read(svg), "t [degC]"));
  CHECK(contains(read(folder.at + "s.csv"), "\n1,294.15,293.15,"));  // SI units
}

TEST_CASE("run --units writes units into the header, and all that reads results reads them") {
  const Folder folder("header_units");
  const std::string with = folder.at + "with.csv", without = folder.at + "without.csv";
  REQUIRE(sigrel({"run", folder.model, "--no-plot", "--units", "-o", with}).code == 0);
  REQUIRE(sigrel({"run", folder.model, "--no-plot", "-o", without}).code == 0);
  const std::string text = read(with), plain = read(without);
  CHECK(text.substr(0, text.find('\n')) == "time [s],x,u [V]");
  CHECK(text.substr(text.find('\n')) == plain.substr(plain.find('\n')));
  CHECK(sigrel({"diff", with, without}).code == 0);
  CHECK(sigrel({"run", folder.model, "--no-plot", "--init-from", with}).code == 0);
  const std::string svg = folder.at + "p.svg";
  CHECK(sigrel({"plot", with, "-v", "u", "-o", svg}).code == 0);
  CHECK(contains(read(svg), "[V]"));
  // As data: the unit is that of the column.
  const std::string again = folder.file(
      "again.sr",
      "main = simulate again with { stop = 1.0, steps = 4 }\nagain :: SR ()\nagain = sigrel () where\n"
      "  local u :: Voltage\n  u = table1 Linear Hold (table \"with.csv\" \"time\" \"u\") time\n");
  const Finished f = sigrel({"run", again, "--no-plot"});
  INFO(f.err);
  CHECK(f.code == 0);
}
