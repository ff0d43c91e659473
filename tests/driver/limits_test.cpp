// Limits: a model that needs more ends with an error that names the place and the limit; options change them.
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compiler/base/sanitized.h"
#include "process.h"

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The list doubles n times.
std::string doubling_list(int n) {
  return "f :: Int -> [Int]\n"
         "f n = if n == 0 then [1] else let s = f (n - 1) in s ++ s\n"
         "main = sigrel () where\n"
         "  local y :: Real\n"
         "  y = real (length (f " +
         std::to_string(n) + "))\n";
}

/// With a limit of the address space.
Finished sigrel_within(rlim_t megabytes, const std::vector<std::string>& arguments) {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit limit{std::min(megabytes << 20, before.rlim_max), before.rlim_max};
  setrlimit(RLIMIT_AS, &limit);  // of this process, whose children inherit it
  const Finished f = sigrel(arguments);
  setrlimit(RLIMIT_AS, &before);
  return f;
}

}  // namespace

TEST_CASE("memory: doubling lists and texts end with an error at the place") {
  const std::string list = temporary("list.sr", doubling_list(40));
  Finished f = sigrel({"check", list, "--memory", "16M"});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0553]: the values of this evaluation take more than 16 MB"));
  CHECK(contains(f.err, "list.sr:2:"));
  CHECK(contains(f.err, "--limit memory=VALUE"));
  const std::string text = temporary("text.sr",
                                     "f :: Int -> String\n"
                                     "f n = if n == 0 then \"text\" else let s = f (n - 1) in s ++ s\n"
                                     "main = sigrel () where\n"
                                     "  local x :: Real\n"
                                     "  assert (f 60) x > 0.0\n"
                                     "  x = 1.0\n");
  f = sigrel({"run", text, "--limit", "memory=16M"});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0553]"));
}

TEST_CASE("memory: a limit of the system ends with an error that names it and the stage") {
  if (kSanitized) return;
  const Finished f = sigrel_within(500, {"check", temporary("list.sr", doubling_list(40))});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0553]: memory is exhausted at `structure`"));
  CHECK(contains(f.err, "limits the address space of this process to 500 MB"));
}

TEST_CASE("memory: wherever it ends, in a library too, an error says so") {
  if (kSanitized) return;
  const std::string chain = temporary("chain.sr",
                                      "main = sigrel () where\n"
                                      "  local x :: Real^60000\n"
                                      "  for i in 1 .. 60000 do\n"
                                      "    der x[i] = -real i * x[i] + (if i > 1 then x[i - 1] else 0.0)\n"
                                      "    initially\n"
                                      "      x[i] = 1.0\n");
  for (const rlim_t megabytes : {110, 120, 130, 140, 150}) {
    const Finished f = sigrel_within(
        megabytes, {"run", chain, "--stop", "0.001", "--steps", "2", "--no-plot", "--no-cache"});
    INFO(megabytes << " MB: " << f.err);
    CHECK((f.code == 0 || (f.code == 1 && contains(f.err, "error[SR0553]: memory is exhausted"))));
    if (megabytes == 110) CHECK(f.code == 1);
  }
}

TEST_CASE("memory: the limit can be raised") {
  const std::string list = temporary("list.sr", doubling_list(14));  // 2 * 2^14 cells
  CHECK(sigrel({"run", list, "--memory", "1M"}).code == 1);
  CHECK(sigrel({"run", list, "--memory", "64M"}).code == 0);
}

TEST_CASE("nesting: a recursion without end is named in the file of the model") {
  const std::string ladder = temporary("ladder.sr",
                                       "import Electrical\n"
                                       "ladder :: Int -> SR (p :: Pin, g :: Pin)\n"
                                       "ladder n = sigrel (p, g) where\n"
                                       "  if n > 0 then\n"
                                       "    rest: ladder (n + 1) <> (m, g)\n"
                                       "  r: resistor 1.0 <> (p, m)\n"
                                       "main = sigrel () where\n"
                                       "  constantVoltage 1.0 <> (a, g)\n"
                                       "  ladder 1 <> (a, g)\n"
                                       "  ground <> g\n");
  const Finished f = sigrel({"run", ladder, "--limit", "nesting=1000"});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0550]: `ladder` contains itself without end"));
  CHECK(contains(f.err, "ladder.sr:5:"));
  CHECK(!contains(f.err, "twoPin"));
  CHECK(contains(f.err, "--limit nesting=VALUE"));
}

TEST_CASE("unknowns, instances, iterations, steps, calls and types have limits") {
  const std::string cells = temporary("cells.sr",
                                      "cell :: SR (x :: Real)\n"
                                      "cell = sigrel (x) where\n"
                                      "  x = 1.0\n"
                                      "main = sigrel () where\n"
                                      "  local x :: Real^50\n"
                                      "  for i in 1 .. 50 do\n"
                                      "    c: cell <> x[i]\n");
  CHECK(sigrel({"run", cells}).code == 0);
  Finished f = sigrel({"run", cells, "--limit", "unknowns=49"});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0553]: a variable of this type has 50 scalars"));
  f = sigrel({"run", cells, "--limit", "instances=50"});
  CHECK(contains(f.err, "has 51 instances"));
  f = sigrel({"run", cells, "--limit", "iterations=49"});
  CHECK(contains(f.err, "error[SR0553]: this `for` counts from 1 to 50"));
  const std::string lists = temporary("lists.sr",
                                      "main = sigrel () where\n"
                                      "  local x :: Real\n"
                                      "  x = 1.0\n"
                                      "  for i in [1 .. 50] do\n"
                                      "    c: cell <> x\n"
                                      "cell :: SR (x :: Real)\n"
                                      "cell = sigrel (x) where\n"
                                      "  local y :: Real\n"
                                      "  y = x\n");
  CHECK(sigrel({"run", lists}).code == 0);
  f = sigrel({"run", lists, "--limit", "instances=49"});
  CHECK(contains(f.err, "lists.sr:4:"));
  CHECK(contains(f.err, "this `for` has 50 iterations, and each adds 1 instance to the model"));
  f = sigrel({"run", temporary("list.sr", doubling_list(14)), "--limit", "steps=1K"});
  CHECK(contains(f.err, "it was stopped after 1000 steps"));
  f = sigrel({"run", temporary("list.sr", doubling_list(14)), "--limit", "calls=10"});
  CHECK(contains(f.err, "the evaluation stopped at a depth of 10 calls"));
  f = sigrel({"check", temporary("pair.sr", "f = \\x -> (x, (x, x))\n"), "--limit", "types=3"});
  CHECK(contains(f.err, "a type in this expression has more than 3 parts"));
}

TEST_CASE("limits that are fixed end with an error that names them") {
  auto check_error = [](const std::string& command, const std::string& text, const std::string& expected) {
    const Finished f = sigrel({command, temporary("fixed.sr", text)});
    INFO(f.err);
    CHECK(f.code == 1);
    CHECK(contains(f.err, expected));
  };
  std::string open, close, sum = "1.0";
  for (int i = 0; i < 1001; ++i) open += "(", close += ")";
  for (int i = 0; i < 3001; ++i) sum += " + 1.0";
  check_error("check", "x = " + open + "1.0" + close + "\n", "error[SR0015]");
  check_error("check", "x = " + sum + "\n", "error[SR0015]");
  check_error("check", "x = 1.0<m^101>\n", "error[SR0010]: this unit is invalid");
  check_error("check", "main = sigrel () where\n  local x :: Real^1000000001\n  x[1] = 1.0\n",
              "error[SR0556]: a vector cannot have 1000000001 elements");
  check_error("check",
              "f :: Real -> Real\n"
              "f x = if time > x then f (x + 1.0) else x\n"
              "main = sigrel () where\n"
              "  local y :: Real\n"
              "  y = f 0.0\n",
              "error[SR0550]: a function calls itself under a condition");
  check_error("check", "foreign import \"fma\" f :: Real -> Real -> Real -> Real -> Real\n", "error[SR0216]");
  const std::string states =
      "main = sigrel () where\n"
      "  local x :: Real^5001\n"
      "  for i in 1 .. 5001 do\n"
      "    der x[i] = -x[i]\n"
      "    initially x[i] = 1.0\n";
  check_error("linearize", states, "error[SR0590]: the model has 5001 states and inputs; the limit is 5000");
}

TEST_CASE("limits: a wrong name or value is an error of the command line") {
  const std::string model = temporary("model.sr", "x = 1.0\n");
  CHECK(sigrel({"check", model, "--limit", "steps"}).code == 2);
  CHECK(sigrel({"check", model, "--limit", "nothing=3"}).code == 2);
  CHECK(sigrel({"check", model, "--limit", "steps=0"}).code == 2);
  CHECK(sigrel({"check", model, "--limit", "steps=3X"}).code == 2);
  CHECK(sigrel({"check", model, "--memory", "99999999T"}).code == 2);
  CHECK(contains(sigrel({"check", model, "--limit", "nothing=3"}).err, "memory, steps, calls"));
}

TEST_CASE("a file with the name of a module declares that module") {
  Finished f = sigrel({"check", temporary("Mod.sr", "module Other where\n\nx = 1.0\n")});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "error[SR0005]: `Mod.sr` declares module `Other`"));
  CHECK(sigrel({"check", temporary("Mod.sr", "module A.Mod where\n\nx = 1.0\n")}).code == 0);
  CHECK(sigrel({"check", temporary("01_mod.sr", "module Other where\n\nx = 1.0\n")}).code == 0);
}

TEST_CASE("a structure that grows with every change ends with the limit, at the transition") {
  const std::string file = temporary("cells.sr",
                                     "main = simulate (sigrel () where\n"
                                     "  local x, total :: Real\n"
                                     "  der x = 1.0\n"
                                     "  switch Of 1 where\n"
                                     "    mode Of (n :: Int) where\n"
                                     "      local y :: Real^n\n"
                                     "      for i in 1 .. n do y[i] = x\n"
                                     "      total = y[1]\n"
                                     "      until x > 0.1 * real n -> Of (n + 1)\n"
                                     "  initially x = 0.0) with { stop = 1.05 }\n");
  CHECK(sigrel({"run", file}).code == 0);
  const Finished f = sigrel({"run", file, "--limit", "unknowns=8"});
  CHECK(f.code == 1);
  INFO(f.err);
  CHECK(contains(f.err, "error[SR0553]: at t = 0."));
  CHECK(contains(f.err, "changes to modes that exceed a limit"));
  CHECK(contains(f.err, "cells.sr:9:"));
  CHECK(contains(f.err, "--limit unknowns=VALUE"));
  CHECK(!contains(f.err, "small losses"));
}

TEST_CASE("memory: values of modes that were left are freed") {
  // Each of 100 modes takes lists of 170 kB.
  const std::string file = temporary("lists.sr",
                                     "total :: [Int] -> SR (y :: Real)\n"
                                     "total ks = sigrel (y) where\n"
                                     "  y = real (foldl (\\a b -> a + b) 0 ks)\n"
                                     "main = simulate (sigrel () where\n"
                                     "  local x :: Real\n"
                                     "  der x = 1.0\n"
                                     "  initially x = 0.0\n"
                                     "  switch Of 1 where\n"
                                     "    mode Of (n :: Int) where\n"
                                     "      total [n .. n + 1000] <> y\n"
                                     "      until x > 0.01 * real n -> Of (n + 1)) with { stop = 1.005 }\n");
  const Finished f = sigrel({"run", file, "--limit", "memory=4M"});
  INFO(f.err);
  CHECK(f.code == 0);
  CHECK(contains(f.out, "y = 601601"));
}

TEST_CASE("systems of modes that a limit gives up are compiled again: the same results") {
  const std::string file =
      temporary("rooms.sr",
                "room :: Real -> SR (t :: Real, q :: Real)\n"
                "room period = sigrel (t, q) where\n"
                "  initially t = 20.0\n"
                "  der t = -q\n"
                "  switch Absent where\n"
                "    mode Absent where\n"
                "      q = 0.0\n"
                "      until sin (time / period) > 0.0 -> Present\n"
                "    mode Present where\n"
                "      local inside :: Real\n"
                "      initially inside = 10.0\n"
                "      der inside = q\n"
                "      q = 0.5 * (t - inside)\n"
                "      until sin (time / period) < 0.0 -> Absent\n"
                "main = simulate (sigrel () where\n"
                "  for i in 1 .. 5 do\n"
                "    r: room (0.05 + 0.01 * real i) <> (t, q)) with { stop = 5.0, steps = 50 }\n");
  const std::string kept = temporary("kept.csv"), again = temporary("again.csv");
  const Finished all = sigrel({"run", file, "-o", kept, "--stats"});
  const Finished few = sigrel({"run", file, "-o", again, "--stats", "--limit", "structures=30K"});
  REQUIRE(all.code == 0);
  REQUIRE(few.code == 0);
  CHECK(!contains(all.out, "given up"));
  CHECK(contains(few.out, " of them given up"));
  CHECK(read(kept) == read(again));
  auto sweep = [&](const std::string& limit) {
    return sigrel({"sweep", file, "--vary", "r[1].period=0.06..0.1:8", "-v", "r[1].t", "--threads", "4",
                   "--limit", "structures=" + limit})
        .out;
  };
  CHECK(sweep("2G") == sweep("30K"));
}
