// Damaged programs: tokens are missing or exchanged, and the checker reports diagnostics without a fault.
#include <catch2/catch.hpp>
#include <random>

#include "tests/unit/check/checked.h"

using namespace sigrel;
using tests::Checked;

namespace {

const std::string kSource = R"(import Electrical (Pin, resistor, capacitor, ground, constantVoltage)

data Shape a = Round a | Flat Int (SR (a, a))
record D = { r :: Resistance = 0.5, n :: Int }
type Part = SR (Pin, Pin)

twoPin :: SR (p :: Pin, n :: Pin, u :: Voltage)
twoPin = sigrel (p, n, u) where
  u = p.v - n.v
  p.i + n.i = 0

chain :: Int -> SR (a, a) -> SR (a, a)
chain n part = if n == 1 then part else sigrel (p, q) where
  part <> (p, m)
  chain (n-1) part <> (m, q)

rod :: (n :: Int) -> SR (Real^n)
rod n = sigrel (x) where
  for i in 1 .. n do
    der x[i] = 2.0 * x[i] + real i

depth (Flat n _) xs = [y * 2.0 | 1 == 1]
weight (Round x) = let f y = x + y in f 1.0
weight (Flat n _) = real n

circuit d = sigrel () where
  local v, w :: Real with { guess = 1.0 }
  s: constantVoltage 5.0 <> (a, g)
  r1: resistor d.r <> (a, b)
  c: capacitor 1.0<mF> <> (b, g)
  ground <> g
  v = s.p.i * r1.u + w
  switch Open where
    mode Open where
      w = 0.0
      until v > 1.0 -> Closed v
    mode Closed x where
      w = x
      until v < 0.5 -> Open
  initially c.u = 0.0

main = simulate (circuit (D { n = 2 })) with { stop = 1.0 }
)";

}  // namespace

TEST_CASE("programs with pieces cut out or exchanged") {
  std::vector<std::string> words;  // words, signs, blanks; joined they are the source
  for (std::size_t i = 0; i < kSource.size();) {
    std::size_t j = i + 1;
    if (std::isalnum(static_cast<unsigned char>(kSource[i])))
      while (j < kSource.size() && std::isalnum(static_cast<unsigned char>(kSource[j]))) ++j;
    words.push_back(kSource.substr(i, j - i));
    i = j;
  }
  std::mt19937 random(7);
  auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 400; ++round) {
    auto mutated = words;
    for (int k = 0; k < 1 + round % 3; ++k) {
      std::size_t at = pick(mutated.size());
      switch (pick(3)) {
        case 0: mutated.erase(mutated.begin() + static_cast<std::ptrdiff_t>(at)); break;
        case 1: mutated[at] = mutated[pick(mutated.size())]; break;
        default:
          mutated.insert(mutated.begin() + static_cast<std::ptrdiff_t>(at), mutated[pick(mutated.size())]);
          break;
      }
    }
    std::string text;
    for (auto& w : mutated) text += w;
    Checked c(text);
    INFO(text);
    INFO(c.messages());
    CHECK(c.findings.empty());
    CHECK(c.diagnostics.all().size() < 40);
  }
}

// One cause, one error: a token is deleted, doubled, exchanged with the next, replaced, or the file ends
// after it.
TEST_CASE("one token that is wrong is one error") {
  std::string source = tests::read_source("examples/01_low_pass.sr");
  std::vector<std::pair<std::size_t, std::size_t>> tokens;
  for (std::size_t i = 0; i < source.size();) {
    auto word = [&](std::size_t k) {
      return k < source.size() && (std::isalnum(static_cast<unsigned char>(source[k])) || source[k] == '.');
    };
    std::size_t j = i + 1;
    if (source.compare(i, 2, "--") == 0) {
      i = source.find('\n', i);
      continue;
    }
    if (source[i] == '"')
      j = source.find('"', j) + 1;
    else if (word(i))
      while (word(j)) ++j;
    else if (std::string_view("<>-:=/").find(source[i]) != std::string_view::npos)
      while (std::string_view("<>-:=/").find(source[j]) != std::string_view::npos) ++j;
    if (!std::isspace(static_cast<unsigned char>(source[i]))) tokens.emplace_back(i, j - i);
    i = j;
  }
  static constexpr std::string_view kOthers[] = {")",  "(", "=",  "where", "x", "3",
                                                 "<>", "}", "in", "then",  ",", "\""};
  std::size_t mutants = 0, cascades = 0, most = 0;
  std::string worst;
  auto look = [&](const std::string& text) {
    Checked checked(text);
    std::size_t errors = checked.diagnostics.error_count();
    ++mutants;
    cascades += errors > 1;
    if (errors > most) worst = checked.messages();
    most = std::max(most, errors);
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    auto [at, length] = tokens[i];
    std::string before = source.substr(0, at), token = source.substr(at, length),
                after = source.substr(at + length);
    look(before + after);
    look(before + token + " " + token + after);
    look(before + " " + std::string(kOthers[i * 7 % std::size(kOthers)]) + " " + after);
    look(before + token);
    if (i + 1 == tokens.size()) continue;
    auto [next, next_length] = tokens[i + 1];
    look(before + source.substr(next, next_length) + " " + token + " " + source.substr(next + next_length));
  }
  INFO(mutants << " programs, " << cascades << " with more than one error; the most:\n" << worst);
  CHECK(mutants > 1000);
  CHECK(cascades * 40 <= mutants);  // the others contradict themselves in two places
  CHECK(most <= 3);
}
