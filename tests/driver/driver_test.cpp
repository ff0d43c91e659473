// Whole processes: exit codes, what goes to stdout and what to stderr, files, bad input.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "process.h"

using nlohmann::json;

namespace {

const std::string kTour = SIGREL_SOURCE_DIR "/examples/01_low_pass.sr";

const char* kDecay = R"(
decay :: Real -> SR ()
decay k = sigrel () where
  local x :: Real
  der x = -k * x
  initially x = 1.0

main = simulate (decay 1.0) with { stop = 1.0 }
)";

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("check") {
  Finished f = sigrel({"check", kTour});
  CHECK(f.code == 0);
  CHECK(f.err.empty());
  f = sigrel({"check", kTour, "--types"});
  CHECK(f.code == 0);
  CHECK(f.out.find("resistor :: ") != std::string::npos);
  CHECK(f.out.find("lowPass :: ") != std::string::npos);
}

TEST_CASE("check: what the definition and the whole model have in common is said once") {
  std::string model = read(kTour);
  const std::string ground = "  ground                       <> g\n";
  REQUIRE(model.find(ground) != std::string::npos);
  model.erase(model.find(ground), ground.size());
  const std::string err = sigrel({"check", temporary("no_ground.sr", model)}).err;
  const std::size_t first = err.find("[SR0312]");
  REQUIRE(first != std::string::npos);
  CHECK(err.find("[SR0312]", first + 1) == std::string::npos);
}

TEST_CASE("several files: each is checked, one error makes the exit code") {
  std::string good = temporary("good.sr", "x = 1.0\n"), bad = temporary("bad.sr", "x = y\n");
  CHECK(sigrel({"check", good, good}).code == 0);
  Finished f = sigrel({"check", bad, good});
  CHECK(f.code == 1);
  CHECK(f.out.find("good.sr: ok") != std::string::npos);
  CHECK(f.err.find("error[SR0105]") != std::string::npos);
}

TEST_CASE("run: final values, CSV, SVG") {
  std::string csv = temporary("a.csv"), svg = temporary("a.svg");
  Finished f = sigrel({"run", kTour, "-o", csv, "--plot", svg, "--stats", "--timings"});
  CHECK(f.code == 0);
  CHECK(f.out.find("t = 0.1 s") != std::string::npos);
  CHECK(f.out.find("c1.u") != std::string::npos);
  CHECK(f.err.find("elaborate") != std::string::npos);
  std::string table = read(csv);
  CHECK(table.starts_with("time,"));
  CHECK(lines(table) == 502);  // a header and steps + 1 rows
  CHECK(table.find("c1.p.v") != std::string::npos);
  CHECK(read(svg).find("<svg") != std::string::npos);
}

TEST_CASE("run: --stats gives the reason of the choice of auto") {
  CHECK(sigrel({"run", kTour, "--stats", "--no-plot"})
            .out.find("chosen because         the Jacobian is sparse, and nonlinear loops are small\n") !=
        std::string::npos);
  CHECK(sigrel({"run", kTour, "--stats", "--no-plot", "--solver", "ida"}).out.find("chosen because") ==
        std::string::npos);
}

TEST_CASE("run: --stats names the busiest quantised states, of a model that keeps its structure") {
  auto statistics = [](const char* example) {
    const Finished f = sigrel({"run", std::string(SIGREL_SOURCE_DIR "/examples/") + example, "--stats",
                               "--no-plot", "--solver", "qss"});
    CHECK(f.code == 0);
    CHECK(f.out.find("quantised states") != std::string::npos);
    return f.out;
  };
  CHECK(statistics("00_cooling.sr").find("most steps") != std::string::npos);
  const std::string dividing = statistics("27_dividing_cells.sr");
  CHECK(dividing.find("most steps") == std::string::npos);
  CHECK(dividing.find(" structures compiled") != std::string::npos);
}

TEST_CASE("run: --stats gives the reason of the implicit form") {
  auto model = [](int count, const std::string& declarations, const auto& equations) {
    std::string names, lines;
    for (int k = 0; k < count; ++k) {
      names += ", z" + std::to_string(k);
      lines += equations(k);
    }
    return "main = simulate m with { stop = 0.1, steps = 2 }\nm :: SR ()\nm = sigrel () where\n  local s" +
           names + " :: Real\n" + declarations + lines;
  };
  auto sum = [](int count, const std::string& before, const std::string& after, int but) {
    std::string terms;
    for (int k = 0; k < count; ++k)
      if (k != but) terms += (terms.empty() ? "" : " + ") + before + "z" + std::to_string(k) + after;
    return terms;
  };
  auto reason = [](const std::string& file, const std::string& text) {
    const std::string out = sigrel({"run", temporary(file, text), "--stats", "--no-plot"}).out;
    const std::string label = "chosen because";
    const std::size_t at = out.find(label);
    REQUIRE(at != std::string::npos);
    const std::size_t from = out.find_first_not_of(' ', at + label.size());
    return out.substr(from, out.find('\n', from) - from);
  };
  // Each unknown of the loop depends on all others.
  CHECK(reason("loop.sr", model(20, "  der s = z0 - s\n  initially s = 1.0\n", [&](int k) {
                 const std::string z = "z" + std::to_string(k);
                 return "  " + z + " + " + z + "^3 = s + 0.01 * (" + sum(20, "sin ", "", k) + ")\n";
               })) == "a nonlinear loop has many tearing variables");
  // Each derivative depends on all states.
  CHECK(reason("dense.sr", model(300, "  s = " + sum(300, "", "^2", -1) + "\n", [](int k) {
                 const std::string z = "z" + std::to_string(k);
                 return "  der " + z + " = -(" + z + " * s)\n  initially " + z + " = 1.0\n";
               })) == "the Jacobian of the explicit form has much fill-in");
  // Bodies on joints: accelerations and forces are one linear loop, which is solved inside.
  CHECK(reason("chain.sr", R"(import Spatial
link :: Int -> SR (a :: Frame)
link 0 = free
link n = sigrel (a) where
  hinge: revolute [0.0, 1.0, 0.0] <> (a, b)
  rod [0.5, 0.0, 0.0] <> (b, c)
  body earth 1.0 (boxInertia 1.0 [1.0, 0.1, 0.1]) <> c
  link (n - 1) <> c
  initially
    hinge.phi = 0.1
    hinge.w = 0.0
chain = sigrel () where
  fixed [0.0, 0.0, 0.0] <> z
  link 40 <> z
main = simulate chain with { stop = 0.01, steps = 2 }
)") == "linear loops have many unknowns for each state");
}

TEST_CASE("run: options") {
  std::string decay = temporary("decay.sr", kDecay), csv = temporary("b.csv");
  Finished f = sigrel({"run", decay, "--stop", "2", "--steps", "10", "--tolerance", "1e-9", "--solver", "ida",
                       "-o", csv, "--no-plot"});
  CHECK(f.code == 0);
  CHECK(lines(read(csv)) == 12);
  CHECK(f.out.find("t = 2 s") != std::string::npos);
  CHECK(f.out.find("0.135335") != std::string::npos);
  CHECK(sigrel({"run", decay, "--backend", "interpreter"}).out.find("0.36787") != std::string::npos);
  CHECK(sigrel({"run", decay, "--set", "k=2"}).out.find("0.13533") != std::string::npos);
  CHECK(sigrel({"run", decay, "-e", "decay 2.0", "--stop", "1"}).out.find("0.13533") != std::string::npos);
  CHECK(sigrel({"run", decay, "-e", "main with { stop = 2.0 }"}).out.find("0.135335") != std::string::npos);
  CHECK(sigrel({"run", decay, "--ordering", "amd"}).out.find("0.36787") != std::string::npos);
  CHECK(sigrel({"run", decay, "--ordering", "best"}).code == 2);
  CHECK(sigrel({"run", decay, "--threads", "0"}).code == 2);
  CHECK(sigrel({"run", decay, "-o", "-"}).out.starts_with("time,"));
  CHECK(sigrel({"run", decay, "--terminal-plot", "always"}).out.find("┤") != std::string::npos);
}

TEST_CASE("set: numbers of a `let`, and those that the module defines, also where bodies alone use them") {
  const std::string model =
      temporary("set.sr",
                "k0 = 2.0\ncount = 2\n\nm :: Real -> SR ()\nm gain = sigrel () where\n  local x :: Real\n"
                "  let tau = 3.0\n      offset = 1.0\n"
                "  der x = (gain * k0 * real count + offset - x) / tau\n  initially x = 0.0\n\n"
                "main = simulate (m 1.0) with { stop = 100.0, tolerance = 1.0e-9 }\n");
  auto at_end = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> arguments = {"run", model, "--no-plot"};
    for (const std::string& s : settings) arguments.insert(arguments.end(), {"--set", s});
    const Finished f = sigrel(arguments);
    INFO(f.err);
    REQUIRE(f.code == 0);
    return std::stod(f.out.substr(f.out.find("x = ") + 4));
  };
  CHECK(at_end({}) == Approx(5.0));
  CHECK(at_end({"tau=50"}) == Approx(5.0 * (1.0 - std::exp(-2.0))));
  CHECK(at_end({"offset=0"}) == Approx(4.0));
  CHECK(at_end({"k0=5"}) == Approx(11.0));
  CHECK(at_end({"count=1"}) == Approx(3.0));
  CHECK(at_end({"gain=3", "k0=10", "offset=2"}) == Approx(62.0));
  const Finished unknown = sigrel({"run", model, "--set", "k1=3"});
  CHECK(unknown.code == 1);
  CHECK(unknown.err.find("error[SR0601]") != std::string::npos);
  CHECK(unknown.err.find("did you mean `k0`?") != std::string::npos);
  CHECK(sigrel({"run", model, "--set", "m=3"}).code == 1);
  CHECK(sigrel({"run", model, "--set", "count=1.5"}).code == 1);
}

TEST_CASE("usage") {
  CHECK(sigrel({}).code == 2);
  CHECK(sigrel({"frobnicate"}).code == 2);
  CHECK(sigrel({"run"}).code == 2);
  CHECK(sigrel({"run", kTour, "--stop", "soon"}).code == 2);
  CHECK(sigrel({"run", kTour, "--set", "r1.r"}).code == 2);
  CHECK(sigrel({"run", kTour, "--set", "r1.r=many"}).code == 2);
  CHECK(sigrel({"check", kTour, "--message-format", "xml"}).code == 2);
  CHECK(sigrel({"dump", "soup", kTour}).code == 2);
  CHECK(sigrel({"--help"}).code == 0);
  CHECK(sigrel({"run", "--help"}).code == 0);
  CHECK(sigrel({"--version"}).out.starts_with("sigrel "));
  // The manual page has all commands.
  std::ifstream page(SIGREL_SOURCE_DIR "/tools/packaging/sigrel.1");
  const std::string manual{std::istreambuf_iterator<char>(page), {}};
  static const std::regex command(R"(\n  ([a-z]+)  )");
  const std::string help = sigrel({"--help"}).out;
  int commands = 0;
  for (std::sregex_iterator c(help.begin(), help.end(), command), end; c != end; ++c, ++commands) {
    INFO((*c)[1]);
    CHECK(manual.find("\n.B " + (*c)[1].str() + "\n") != std::string::npos);
  }
  CHECK(commands >= 17);
}

TEST_CASE("files that cannot be read: SR0001, SR0002") {
  Finished f = sigrel({"run", "no_such_file.sr"});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0001]") != std::string::npos);
  CHECK(f.err.find("No such file") != std::string::npos);
  f = sigrel({"check", temporary("latin1.sr", "x = 1.0 -- \xe4\xf6\n")});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0002]") != std::string::npos);
}

TEST_CASE("a file that is cut anywhere gives errors, never a crash") {
  std::string whole = read(kTour);
  for (std::size_t end = 1; end < whole.size(); end += 97) {
    Finished f = sigrel({"check", temporary("cut.sr", whole.substr(0, end))});
    INFO(whole.substr(0, end) << "\n" << f.err);
    CHECK((f.code == 0 || f.code == 1));
    CHECK((f.code == 0) == f.err.empty());
  }
}

TEST_CASE("an unknown parameter: SR0601") {
  Finished f = sigrel({"run", kTour, "--set", "r2.r=47"});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0601]") != std::string::npos);
}

TEST_CASE("a full disk: SR0611") {
  for (std::vector<std::string> where : {std::vector<std::string>{"-o", "/dev/full"},
                                         {"--plot", "/dev/full"},
                                         {"-o", "/no/such/folder/x.csv"}}) {
    std::vector<std::string> arguments = {"run", kTour};
    arguments.insert(arguments.end(), where.begin(), where.end());
    Finished f = sigrel(arguments);
    INFO(where[1] << "\n" << f.err);
    CHECK(f.code == 1);
    CHECK(f.err.find("error[SR0611]") != std::string::npos);
    CHECK(lines(f.err) < 6);  // one diagnostic
  }
}

TEST_CASE("a limited file size keeps complete rows") {
  std::string csv = temporary("limited.csv");
  Finished f = sigrel({"run", kTour, "-o", csv, "--steps", "1000"});
  CHECK(f.code == 0);
  CHECK(read(csv).back() == '\n');
}

TEST_CASE("messages as JSON: one object per line, rustc's shape") {
  Finished f = sigrel({"check", temporary("two.sr", "a = b\nc = d\n"), "--message-format", "json"});
  CHECK(f.code == 1);
  CHECK(lines(f.err) == 2);
  std::istringstream in(f.err);
  for (std::string line; std::getline(in, line);) {
    json message = json::parse(line);
    CHECK(message["$message_type"] == "diagnostic");
    CHECK(message["level"] == "error");
    CHECK(message["code"]["code"] == "SR0105");
    CHECK(message["spans"][0]["is_primary"] == true);
    CHECK(message["rendered"].get<std::string>().starts_with("error[SR0105]"));
  }
}

TEST_CASE("color only when it is asked for, or on a terminal") {
  std::string bad = temporary("bad.sr", "x = y\n");
  CHECK(sigrel({"check", bad}).err.find('\033') == std::string::npos);
  CHECK(sigrel({"check", bad, "--color", "always"}).err.find('\033') != std::string::npos);
  CHECK(sigrel({"--color", "never", "check", bad}).err.find('\033') == std::string::npos);
}

TEST_CASE("every stage can be dumped, as text and as JSON") {
  for (const char* stage : {"ast", "core", "system", "dae", "plan", "llvm", "assembly"}) {
    INFO(stage);
    Finished text = sigrel({"dump", stage, kTour});
    CHECK(text.code == 0);
    CHECK(!text.out.empty());
    Finished object = sigrel({"dump", stage, kTour, "--format", "json"});
    CHECK(object.code == 0);
    CHECK_NOTHROW(json::parse(object.out));
  }
  json system = json::parse(sigrel({"dump", "system", kTour, "--format", "json"}).out);
  CHECK(system["equations"].size() == system["unknowns"].size());
}

TEST_CASE("a dump as JSON has the events") {
  const std::string models = SIGREL_SOURCE_DIR "/tests/numeric/models/";
  for (const char* stage : {"system", "dae"}) {
    INFO(stage);
    json split =
        json::parse(sigrel({"dump", stage, models + "instants.sr", "-e", "split", "--format", "json"}).out);
    json events = split["events"];
    REQUIRE(events["triggers"].size() == 3);
    CHECK(events["triggers"][0]["kind"] == "every");
    CHECK(events["triggers"][0]["conditions"].empty());
    CHECK(events["triggers"][2]["kind"] == "when");
    CHECK(events["triggers"][2]["conditions"][0].is_string());
    REQUIRE(events["clocks"].size() == 2);
    CHECK(events["clocks"][1]["trigger"] == 1);
    CHECK(events["clocks"][1]["jitter"].size() == 2);
    REQUIRE(events["assignments"].size() == 4);
    CHECK(events["assignments"][0]["target"] == "n");
    CHECK(events["assignments"][3]["target"] == "up");
    CHECK(events["assignments"][3]["trigger"] == 2);
    CHECK(events["previous"].size() == 3);
    CHECK(split["delays"].empty());
    json steps =
        json::parse(sigrel({"dump", stage, models + "delays.sr", "-e", "steps", "--format", "json"}).out);
    REQUIRE(steps["delays"].size() == 1);
    CHECK(steps["delays"][0]["of"] == "x");
    CHECK(steps["delays"][0]["held"] == false);
  }
  json dae =
      json::parse(sigrel({"dump", "dae", models + "instants.sr", "-e", "split", "--format", "json"}).out);
  REQUIRE(dae["zero_crossings"].size() == 2);
  CHECK(dae["zero_crossings"][0]["kind"] == "comparison");
  CHECK(dae["zero_crossings"][1]["parameter"].get<int>() ==
        dae["zero_crossings"][0]["parameter"].get<int>() + 1);
}

TEST_CASE("explain") {
  CHECK(sigrel({"explain", "SR0301"}).out.starts_with("# SR0301: "));
  CHECK(sigrel({"explain", "sr0301"}).code == 0);
  CHECK(sigrel({"explain", "SR9999"}).code == 2);
  CHECK(lines(sigrel({"explain"}).out) > 50);
}

TEST_CASE("Ctrl-C keeps what was computed") {
  std::string model = temporary("long.sr", R"(
spin :: SR ()
spin = sigrel () where
  local x, y :: Real
  der x = 1000.0 * y
  der y = -1000.0 * x
  initially
    x = 1.0
    y = 0.0

main = simulate spin with { stop = 100000.0, steps = 1000000 }
)");
  std::string csv = temporary("long.csv");
  Finished f = sigrel({"run", model, "-o", csv}, csv);
  CHECK(f.code == 130);
  CHECK(f.err.find("interrupted at t = ") != std::string::npos);
  std::string table = read(csv);
  CHECK(lines(table) > 1);
  CHECK(table.back() == '\n');
}

TEST_CASE("a run that fails keeps its results: SR0504") {
  std::string model = temporary("pole.sr", R"(
pole :: SR ()
pole = sigrel () where
  local x :: Real
  der x = x * x
  initially x = 1.0

main = simulate pole with { stop = 2.0 }
)");
  std::string csv = temporary("pole.csv");
  Finished f = sigrel({"run", model, "-o", csv});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0504]") != std::string::npos);
  CHECK(f.err.find("are kept in " + csv) != std::string::npos);
  CHECK(lines(read(csv)) > 200);
}

TEST_CASE("a folder given with --path is searched for modules") {
  std::string main = temporary("uses.sr", "import Shared\ny = 2.0 * shared\n");
  Finished f = sigrel({"check", main});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0003]") != std::string::npos);
  CHECK(lines(f.err) < 9);  // one diagnostic
  std::string folder = temporary("shared_modules");
  std::filesystem::create_directories(folder);
  temporary("shared_modules/Shared.sr", "shared = 1.0\n");
  CHECK(sigrel({"check", main, "--path", folder}).code == 0);
  CHECK(sigrel({"--path", folder, "check", main}).code == 0);
}
