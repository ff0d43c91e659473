// Cost and depth: near-linear in the number of definitions, no recursion over long chains and lists.
#include <catch2/catch.hpp>

#include "tests/unit/check/checked.h"

using namespace sigrel;
using tests::Checked;

namespace {

std::string library(int count) {
  std::string text = "import Electrical\n";
  for (int i = 0; i < count; ++i) {
    std::string n = std::to_string(i), part = i == 0 ? "resistor" : "part" + std::to_string(i - 1);
    text += "part" + n + " :: Resistance -> SR (p :: Pin, n :: Pin)\npart" + n +
            " r = sigrel (p, n) where\n  a: " + part +
            " r <> (p, m)\n  b: capacitor 1.0e-6 <> (m, n)\n  initially b.u = 0.0\n\n";
  }
  return text;
}

void checks_all(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  std::vector<ast::Module> modules;
  auto add = [&](std::string path, std::string content) {
    modules.push_back(parse(sources.add(std::move(path), std::move(content)), sources, diagnostics));
  };
  add("Prelude.sr", tests::read_source("stdlib/Prelude.sr"));
  add("Math.sr", tests::read_source("stdlib/Math.sr"));
  add("Electrical.sr", tests::read_source("stdlib/Electrical.sr"));
  add("test.sr", text);
  check::check(modules, diagnostics);
  CHECK(!diagnostics.has_errors());
}

void checks(const std::string& text) {
  Checked c(text);
  INFO(c.messages().substr(0, 2000));
  CHECK(c.diagnostics.all().empty());
  CHECK(c.findings.empty());
}

}  // namespace

TEST_CASE("10 000 definitions, 60 000 lines") { checks_all(library(10'000)); }

TEST_CASE("each `let` of a long body needs the one below it") {
  constexpr int kLets = 200'000;
  std::string text = "f :: SR (x :: Real)\nf = sigrel (x) where\n  x = a0\n";
  for (int i = 0; i < kLets; ++i)
    text += "  let a" + std::to_string(i) + " = a" + std::to_string(i + 1) + "\n";
  text += "  let a" + std::to_string(kLets) + " = 1.0\n";
  checks(text);
}

TEST_CASE("long chains, lists, bodies and groups") {
  std::string sum = "f = sigrel (x) where\n  x = 1.0";
  for (int i = 0; i < 2'900; ++i) sum += " + x";
  checks(sum + "\n");
  std::string list = "xs :: [Real]\nxs = [1";
  for (int i = 0; i < 100'000; ++i) list += ", 2";
  checks(list + "]\n");
  std::string body = "import Electrical\nf = sigrel () where\n  ground <> g\n";
  for (int i = 0; i < 20'000; ++i)
    body += "  r" + std::to_string(i) + ": resistor 1.0 <> (a" + std::to_string(i) + ", g)\n";
  checks(body);
  std::string chain;  // each definition needs the next one
  for (int i = 0; i < 20'000; ++i)
    chain += "f" + std::to_string(i) + " x = f" + std::to_string(i + 1) + " x\n";
  checks(chain + "f20000 x = x\n");
  std::string ring;  // one group of mutually recursive ones
  for (int i = 0; i < 5'000; ++i)
    ring += "g" + std::to_string(i) + " x = g" + std::to_string((i + 1) % 5'000) + " (x + 1)\n";
  checks(ring);
}
