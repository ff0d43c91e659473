// Events in what a user of the program sees: result files and their readers, plots, logs.
#include <catch2/catch.hpp>

#include <cstdio>
#include <regex>
#include <sstream>

#include "process.h"

namespace {

const std::string kTeeth = R"(teeth :: SR ()
teeth = sigrel () where
  local x :: Real
  discrete on :: Bool = False
  der x = 1.0
  initially x = 0.0
  when x > 1.0 do
    x := 0.0
    on := not (pre on)

main = simulate teeth with { stop = 2.75, steps = 10, plot = ["x"] }
)";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

/// The lines of a CSV file, as numbers, without the header.
std::vector<std::vector<double>> table(const std::string& csv) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(std::stod(field));
  }
  return rows;
}

}  // namespace

TEST_CASE("result files have two rows at each event, and readers cope with them") {
  const std::string model = temporary("teeth.sr", kTeeth);
  const std::string csv = temporary("teeth.csv"), mat = temporary("teeth.mat"), grid = temporary("grid.csv");
  REQUIRE(sigrel({"run", model, "-o", csv}).code == 0);
  REQUIRE(sigrel({"run", model, "-o", mat}).code == 0);
  REQUIRE(sigrel({"run", model, "--no-event-rows", "-o", grid}).code == 0);
  const auto rows = table(read(csv));  // time, x, on
  REQUIRE(rows.size() == 11 + 4);
  CHECK(table(read(grid)).size() == 11);
  std::size_t pairs = 0;
  double at = 0;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r][0] != rows[r - 1][0]) continue;
    CHECK(rows[r - 1][1] == Approx(1));
    CHECK(rows[r][1] == 0);
    CHECK(rows[r - 1][2] + rows[r][2] == 1);
    if (pairs++ == 0) at = rows[r][0];
  }
  CHECK(pairs == 2);

  SECTION("comparisons") {
    CHECK(sigrel({"diff", csv, mat}).code == 0);
    CHECK(sigrel({"diff", csv, grid}).code == 0);
    const std::string coarse = temporary("coarse.csv");
    REQUIRE(sigrel({"run", model, "--solver", "ida", "--tolerance", "1e-5", "-o", coarse}).code == 0);
    CHECK(sigrel({"diff", csv, coarse}).code == 0);  // the events are at slightly other times
    const std::string late = temporary("late.csv");
    REQUIRE(sigrel({"run", temporary("late.sr", std::regex_replace(kTeeth, std::regex("x > 1.0"), "x > 1.1")),
                    "-o", late})
                .code == 0);
    CHECK(sigrel({"diff", csv, late}).code == 1);
  }
  SECTION("the start from an event is that after it") {
    for (const std::string& file : {csv, mat}) {
      char exact[32];
      std::snprintf(exact, sizeof exact, "%.17g", at);
      const Finished started = sigrel({"run", model, "--init-from", file + "@" + exact, "-o", "-"});
      REQUIRE(started.code == 0);
      CHECK(table(started.out).front()[1] == 0);
      CHECK(table(started.out).front()[2] == 1);
    }
    // Between two events, and shortly before one: straight lines between rows of different times.
    const Finished before = sigrel({"run", model, "--init-from", csv + "@0.9999", "-o", "-"});
    REQUIRE(before.code == 0);
    CHECK(table(before.out).front()[1] == Approx(0.9999));
    CHECK(table(before.out).front()[2] == 0);
  }
  SECTION("plots draw a jump as a vertical line") {
    const std::string svg = temporary("teeth.svg"), again = temporary("again.svg");
    REQUIRE(sigrel({"run", model, "--plot", svg}).code == 0);
    REQUIRE(sigrel({"plot", mat, "-v", "x", "-o", again}).code == 0);
    for (const std::string& file : {svg, again}) {
      const std::string text = read(file);
      std::smatch vertical;
      CHECK(std::regex_search(text, vertical, std::regex("L([0-9.]+) [0-9.]+L\\1 [0-9.]+")));
    }
  }
  SECTION("linearisation at the time of an event") {
    char exact[32];
    std::snprintf(exact, sizeof exact, "%.17g", at);
    CHECK(sigrel({"linearize", model, "--at", exact}).code == 0);
  }
}

TEST_CASE("a log of events lists time, line and what changed, and counts per line") {
  const std::string model = temporary("teeth.sr", kTeeth), file = temporary("events.txt");
  const Finished plain = sigrel({"run", model});
  const Finished logged = sigrel({"run", "--log-events", model});
  REQUIRE(logged.code == 0);
  CHECK(logged.out == plain.out);
  CHECK(plain.err.empty());
  CHECK(count(logged.err, "t = ") == 2);
  CHECK(contains(logged.err, "teeth.sr:7:8  `x > 1.0` fired: `x` = 1 -> 0, `on` = False -> True\n"));
  CHECK(contains(logged.err, "`on` = True -> False\n"));
  CHECK(contains(logged.err, "\n2 events\n"));
  CHECK(contains(logged.err, "teeth.sr:7  `x > 1.0` fired 2 times\n"));
  const Finished to_file = sigrel({"run", model, "--log-events=" + file});
  CHECK(to_file.err.empty());
  CHECK(read(file) == logged.err);
  CHECK(contains(sigrel({"run", model, "--stats"}).out, "teeth.sr:7  `x > 1.0` fired 2 times\n"));
  const Finished refused = sigrel({"run", model, "--log-events=/nowhere/at/all"});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "SR0611"));
}

TEST_CASE("a log of events says which comparison of which instance changed") {
  const Finished logged =
      sigrel({"run", "--log-events", temporary("instances.sr", R"(level :: Real -> SR (x :: Real)
level limit = sigrel (x) where
  local y :: Real
  y = if x > limit then 1.0 else 0.0

two :: SR ()
two = sigrel () where
  local x :: Real
  low: level 0.25 <> x
  high: level 0.75 <> x
  der x = 1.0
  initially x = 0.0

main = simulate two
)")});
  REQUIRE(logged.code == 0);
  CHECK(contains(logged.err, "instances.sr:4:3  `x > 0.25` in `low` became true\n"));
  CHECK(contains(logged.err, "instances.sr:4:3  `x > 0.75` in `high` became true\n"));
  CHECK(
      contains(logged.err, "instances.sr:4  `x > 0.25` in `low` changed 1 time, 1 other condition 1 time\n"));
}

TEST_CASE(
    "a log of events shows conditions as they are written, those of a `for` by number, and all digits") {
  const std::string model = temporary("written.sr", R"(part :: Real -> SR (x :: Real)
part i = sigrel (x) where
  discrete n :: Int = 1234567890
  discrete since :: Real = 0.0
  discrete m :: Int^2 = [0, 0]
  local y :: Real^2
  der x = 1.0
  initially x = 0.0
  for k in 1 .. 2 do
    y[k] = real k * x
    when y[k] >= 1.5 do m[k] := 1
  when x > 0.1 * i do
    n := pre n + 1
  when x >= since + 0.6 do
    since := x
  when m[2] <= 0 do
    n := 0
  when x < -0.5 || x > 0.9 && y[1] > since + 0.1 do
    n := 7

main = sigrel () where
  local x :: Real
  p: part 3.0 <> x
)");
  const Finished logged = sigrel({"run", model, "--log-events"});
  REQUIRE(logged.code == 0);
  for (const char* line : {"written.sr:12:8  `x > 0.1 * i` in `p` became true: `x > 0.3`\n",
                           "written.sr:12:8  `x > 0.1 * i` in `p` fired: `p.n` = 1234567890 -> 1234567891\n",
                           "written.sr:14:8  `x >= since + 0.6` in `p` fired: `p.since` = 0 -> 0.6\n",
                           "written.sr:11:10  `p.y[2] >= 1.5` in `p` became true\n",
                           "written.sr:16:8  `m[2] <= 0` in `p` became false\n",
                           "written.sr:11:10  `p.y[2] >= 1.5` in `p` fired: `p.m[2]` = 0 -> 1\n"})
    CHECK(contains(logged.err, line));
}

TEST_CASE("a log of events has changes of structure, with jumps and impulses") {
  const std::string model = SIGREL_SOURCE_DIR "/tests/numeric/models/jumps.sr";
  const Finished f =
      sigrel({"run", model, "-e", "clutch", "--stop", "3", "--tolerance", "1e-9", "--log-events"});
  INFO(f.err);
  CHECK(f.code == 0);
  CHECK(contains(f.err, "  the model: Open -> Engaged\n"));
  CHECK(contains(f.err, "  `w1` jumps from 21.4 to 2.175\n"));
  CHECK(contains(f.err, "  `w2` jumps from -4.23333333 to 2.175\n"));
  CHECK(contains(f.err, "  `t` has an impulse of 19.225\n"));
  CHECK(contains(f.err, "  the model: Engaged -> Open\n"));
  CHECK(count(f.err, " jumps from ") == 2);  // w1 and w2 alone
}

TEST_CASE("the modes of a run: how long, how often, and the changes between them") {
  const std::string model = SIGREL_SOURCE_DIR "/tests/numeric/models/jumps.sr";
  const Finished f = sigrel({"explain", model, "--modes", "-e", "simulate clutch with { stop = 3.0 }"});
  INFO(f.out << f.err);
  CHECK(f.code == 0);
  CHECK(std::regex_search(f.out, std::regex("1 +1\\.8 +2 +4 +[0-9]+  Open\n")));
  CHECK(std::regex_search(f.out, std::regex("2 +1\\.2 +1 +3 +[0-9]+  Engaged\n")));
  CHECK(contains(f.out, "  1 -> 2  1 time\n"));
  CHECK(contains(f.out, "  2 -> 1  1 time\n"));
  // A list that grows is another structure of the same mode.
  const Finished balls = sigrel({"explain", SIGREL_SOURCE_DIR "/examples/25_splitting_balls.sr", "--modes"});
  CHECK(contains(balls.out, "      24         65  Flying\n"));
  const Finished states =
      sigrel({"explain", SIGREL_SOURCE_DIR "/examples/25_splitting_balls.sr", "--states"});
  CHECK(states.out.starts_with("the structure at the start: "));
  const Finished none = sigrel({"explain", SIGREL_SOURCE_DIR "/examples/01_low_pass.sr", "--modes"});
  CHECK(contains(none.out, "no `switch`"));
}

TEST_CASE("with many columns, rows at events are written on request only, which is told") {
  const std::string model = temporary("wide.sr", R"(saw :: SR ()
saw = sigrel () where
  local x :: Real
  der x = 1.0
  initially x = 0.0
  when x > 1.0 do
    x := 0.0

wide :: SR ()
wide = sigrel () where
  for k in 1 .. 1001 do
    s: saw <> ()

main = simulate wide with { stop = 2.5, steps = 5 }
)");
  const std::string results = temporary("wide.csv");
  const Finished some = sigrel({"run", model, "-o", results});
  CHECK(some.code == 0);
  CHECK(contains(some.err, "note[SR0614]: rows at events are left out"));
  CHECK(table(read(results)).size() == 6);
  const Finished all = sigrel({"run", model, "-o", results, "--event-rows"});
  CHECK(all.code == 0);
  CHECK(!contains(all.err, "SR0614"));
  CHECK(table(read(results)).size() == 8);
  const Finished few = sigrel({"run", model, "-o", results, "-v", "s[7].x"});
  CHECK(!contains(few.err, "SR0614"));
  CHECK(table(read(results)).size() == 8);
}

namespace {

const std::string kReactor = R"(data Mode = Idle | Heat | React

reactor :: SR ()
reactor = sigrel () where
  local x :: Real
  discrete mode :: Mode = Idle
  discrete heats :: Int = 0
  discrete on :: Bool = False
  der x = if mode == Heat then 1.0 else 0.0
  initially x = 0.0
  when time >= 1.0 do
    mode := Heat
    on := True
  when change mode do
    heats := if mode == Heat then pre heats + 1 else pre heats
    on := False
  when x > 2.0 do
    mode := React

main = simulate reactor with { stop = 4.0, plot = ["mode"] }
)";

}  // namespace

TEST_CASE("a log of events has the rounds of an instant, and values as the language writes them") {
  const Finished run = sigrel({"run", "--log-events", temporary("reactor.sr", kReactor), "--stats"});
  REQUIRE(run.code == 0);
  const std::string log = std::regex_replace(run.err, std::regex("\\S*/reactor"), "reactor");
  CHECK(contains(log,
                 "t = 1 s\n"
                 "  reactor.sr:11:8  `time >= 1.0` became true\n"
                 "  reactor.sr:11:8  `time >= 1.0` fired: `mode` = Idle -> Heat, `on` = False -> True\n"
                 "  round 2:\n"
                 "  reactor.sr:14:8  `change mode` fired: `heats` = 0 -> 1, `on` = True -> False\n"));
  CHECK(contains(run.err, "`mode` = Heat -> React\n"));
  CHECK(contains(run.err, "\n2 events\n"));
  CHECK(std::regex_search(
      run.out, std::regex("\n  events +2\n  restarts +2, of the integrator\n")));  // the same count
}

TEST_CASE("values of Bool and data types have their names, and result files the numbers") {
  const std::string model = temporary("reactor.sr", kReactor), mat = temporary("reactor.mat");
  const Finished shown = sigrel({"run", model, "-v", "mode,on,heats,x"});
  CHECK(contains(shown.out, "  mode  = React\n"));
  CHECK(contains(shown.out, "  on    = False\n"));
  CHECK(!contains(shown.out, "pre "));
  const Finished csv = sigrel({"run", model, "-v", "mode,on", "-o", "-"});
  CHECK(table(csv.out).back() == std::vector<double>{4, 2, 0});

  const std::string svg = temporary("reactor.svg");
  REQUIRE(sigrel({"run", model, "--plot", svg, "-o", mat}).code == 0);
  SECTION("a plot of them alone has the names at its axis") {
    const std::string again = temporary("again.svg");
    REQUIRE(sigrel({"plot", mat, "-v", "mode", "-o", again}).code == 0);
    for (const std::string& file : {svg, again}) {
      const std::string text = read(file);
      for (const std::string name : {"Idle", "Heat", "React", "mode"})
        CHECK(contains(text, ">" + name + "</text>"));
      const std::size_t labels = text.find("<g text-anchor=\"end\">");
      REQUIRE(labels != std::string::npos);
      CHECK(count(text.substr(labels, text.find("</g>", labels) - labels), "<text") == 3);
    }
  }
  SECTION("a plot with other variables has the numbers at its axis, and the names in the legend") {
    REQUIRE(sigrel({"plot", mat, "-v", "mode,x,on", "-o", svg}).code == 0);
    const std::string text = read(svg);
    CHECK(contains(text, ">mode (0 Idle, 1 Heat, 2 React)</text>"));
    CHECK(contains(text, ">on</text>"));
    CHECK(contains(text, ">1.0</text>"));
  }
}

TEST_CASE("a run that ends in events without end keeps its results: SR0511") {
  const std::string model = temporary("inelastic.sr", R"(ball :: SR ()
ball = sigrel () where
  local h, v :: Real
  der h = v
  der v = -9.81
  initially
    h = 1.0
    v = 0.0
  when h < 0.0 do
    v := -0.5 * pre v

main = simulate ball with { stop = 5.0, steps = 50, events = False }
)");
  const std::string csv = temporary("inelastic.csv");
  const Finished f = sigrel({"run", model, "-o", csv});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0511]"));
  CHECK(contains(f.err, "9 |   when h < 0.0 do"));
  const auto rows = table(read(csv));  // up to sqrt(2 / 9.81) (1 + 2 * 0.5 / (1 - 0.5)) = 1.3546 s
  REQUIRE(rows.size() == 14);
  CHECK(rows.back()[0] == Approx(1.3));
}

TEST_CASE("statistics count the parts of a model that are solved exactly, and their events") {
  const std::string model = temporary("rooms.sr", R"(room :: Real -> SR ()
room c = sigrel () where
  local t :: Real
  discrete heats :: Bool = True
  c * der t = (if heats then 3.0 else 0.0) - t
  initially t = 0.0
  when t > 2.0 do
    heats := False
  when t < 1.0 && not heats do
    heats := True

rooms :: SR ()
rooms = sigrel () where
  for i in 1 .. 20 do
    r: room (real i)

main = simulate rooms with { stop = 10.0 }
)");
  const std::string log = temporary("rooms.txt");
  const Finished with_rows = sigrel({"run", model, "--stats"});
  const Finished counted = sigrel({"run", model, "--stats", "--no-event-rows"});
  REQUIRE(sigrel({"run", model, "--log-events=" + log}).code == 0);
  const std::string lines = read(log).substr(read(log).rfind(" events\n") + 8);  // counts per line
  CHECK(count(lines, "rooms.sr:") == 2);
  for (const Finished* run : {&with_rows, &counted}) {
    REQUIRE(run->code == 0);
    CHECK(std::regex_search(run->out, std::regex("exact components +20 in 1 forms")));
    CHECK(std::regex_search(run->out, std::regex("of one state +20 in 1 form, [0-9]+ events, [0-9.]+ ms")));
    CHECK(contains(run->out, lines));
  }
}

TEST_CASE("the log shows the numbers that comparisons compare with, also those that `--set` changes") {
  const std::string model = temporary("play.sr",
                                      "m :: Real -> SR ()\n"
                                      "m play = sigrel () where\n  discrete n :: Int = 0\n"
                                      "  when time > play / 2.0 * 1.0<s> do n := pre n + 1\n"
                                      "main = simulate (m 1.5) with { stop = 2.0 }\n");
  const Finished run = sigrel({"run", model, "--log-events"}),
                 set = sigrel({"run", model, "--set", "play=1", "--log-events"});
  const Finished daily = sigrel({"run",
                                 temporary("daily.sr",
                                           "everyDay :: Time\neveryDay = 1.0\n"
                                           "m :: SR ()\nm = sigrel () where\n  discrete n :: Int = 0\n"
                                           "  every everyDay do n := pre n + 1\n"
                                           "main = simulate m with { stop = 2.0 }\n"),
                                 "--log-events"});
  CHECK(contains(daily.err, "`every everyDay` fired: `n` = 0 -> 1"));
  CHECK(contains(run.err, "became true: `time > 0.75`"));
  CHECK(contains(set.err, "became true: `time > 0.5`"));
}

TEST_CASE("a log of events of a run through several structures counts changes and firings apart") {
  const std::string model = temporary("modes.sr", R"(m :: SR ()
m = sigrel () where
  local x :: Real
  der x = 1.0
  initially x = 0.0
  switch A where
    mode A where
      local z :: Real
      z = 1.0
      until x >= 0.5 -> B
    mode B where
      local z :: Real
      z = 2.0

main = simulate m with { stop = 1.0, steps = 10 }
)");
  const Finished logged = sigrel({"run", "--log-events", model});
  REQUIRE(logged.code == 0);
  CHECK(
      contains(logged.err, "modes.sr:10  `until x >= 0.5 -> B` changed 1 time, 1 other condition 1 time\n"));
  CHECK(!contains(logged.err, "2 times"));
}

TEST_CASE(
    "handlers that are not executed are noted with clocks of parts, after a checkpoint, and with modes") {
  const std::string parts = R"(part :: Real -> SR ()
part a = sigrel () where
  local x :: Real
  discrete n, below :: Int = 0
  der x = -x
  initially x = 1.0
  when x > -a do
    n := pre n + 1
  when x > 0.5 do
    below := pre below + 1

m :: SR ()
m = sigrel () where
  for i in 1 .. 20 do
    part (real i) <> ()

main = simulate m with { stop = 1.0 }
)";
  const std::string switched = R"(m :: SR ()
m = sigrel () where
  local x :: Real
  discrete n, below :: Int = 0
  der x = -x
  initially x = 1.0
  when x > 0.0 do
    n := pre n + 1
  when x > 0.9 do
    below := pre below + 1
  switch A where
    mode A where
      local z :: Real
      z = 1.0
      until time > 0.5 -> B
    mode B where
      local z :: Real
      z = 2.0

main = simulate m with { stop = 1.0, steps = 10 }
)";
  const std::string several = temporary("parts.sr", parts), modes = temporary("modes.sr", switched);
  const std::string results = temporary("run.csv");
  const std::vector<std::vector<std::string>> commands = {
      {"run", several, "--components", "on"},
      {"run", several, "--components", "off"},
      {"run", several, "--components", "on", "-o", results, "--checkpoint", temporary("on.ckpt"), "--every",
       "50rows"},
      {"run", several, "--components", "off", "-o", results, "--checkpoint", temporary("off.ckpt"), "--every",
       "50rows"},
      {"run", modes},
      {"run", modes, "-o", results, "--checkpoint", temporary("modes.ckpt"), "--every", "2rows"}};
  for (const auto& command : commands) {
    const Finished run = sigrel(command);
    INFO(run.err);
    CHECK(run.code == 0);
    CHECK(count(run.err, "SR0524") == 1);
    CHECK(contains(run.err, ":7:8"));
  }
}
