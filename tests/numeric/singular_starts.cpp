// Starts at which single equations do not determine what structure gives them, while all equations together
// do: random chains of rods in Cartesian coordinates, hanging, stretched or folded, compared with a
// formulation by angles; and initial equations whose matrix has a random rank.
#include <array>
#include <cmath>
#include <numbers>

#include "numeric.h"
#include "tests/numeric/rods.h"
#include "tests/property/property.h"

using namespace sigrel;

namespace {

using numeric::Rods;

Rods random_rods(std::size_t n) {
  Rods rods;
  for (std::size_t i = 0; i < n; ++i) {
    const int special = *rc::gen::inRange(-2, 5);  // most rods are vertical or horizontal
    rods.angle.push_back(special <= 2 ? special * std::numbers::pi / 2
                                      : *rc::gen::inRange(-300, 301) / 100.0);
    rods.rate.push_back(*rc::gen::inRange(-3, 4));
  }
  return rods;
}

Settings settings(const std::vector<Rods::End>& ends) {
  Settings set;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::string k = std::to_string(i + 1);
    set.insert(set.end(), {{"px" + k, ends[i].x}, {"py" + k, ends[i].y}, {"pu" + k, ends[i].u}});
    set.push_back({"pv" + k, ends[i].v});
  }
  return set;
}

void check_near(const Run& run, const std::string& name, double expected, double tolerance) {
  const double found = numeric::value(run, name);
  RC_LOG() << name << " = " << found << " instead of " << expected << "\n";
  RC_ASSERT(std::abs(found - expected) <= tolerance * (1 + std::abs(expected)));
}

}  // namespace

TEST_CASE("chains of rods start from all of their coordinates") {
  for (std::size_t n : {2, 3, 4}) {
    numeric::Model model("singular_starts.sr", ("start" + std::to_string(n)).c_str());
    for (const double stop : {0.0, 0.1})
      property::holds(
          [&] {
            Rods rods = random_rods(n);
            const Run run = model.run(
                {.stop = stop, .tolerance = 1e-9, .set = settings(rods.ends()), .keep_trajectory = false});
            if (stop > 0) rods.advance(stop, 400);
            const std::vector<Rods::End> ends = rods.ends();
            for (std::size_t i = 0; i < n; ++i) {
              const std::string k = std::to_string(i + 1);
              check_near(run, "x" + k, ends[i].x, 1e-6);
              check_near(run, "y" + k, ends[i].y, 1e-6);
              check_near(run, "f" + k, ends[i].force, 1e-5);
            }
          },
          {.cases = stop > 0 ? 20 : 60});
  }
}

TEST_CASE("rods that would change their length are refused") {
  for (std::size_t n : {2, 3, 4}) {
    numeric::Model model("singular_starts.sr", ("start" + std::to_string(n)).c_str());
    property::holds(
        [&] {
          const Rods rods = random_rods(n);
          std::vector<Rods::End> ends = rods.ends();
          const std::size_t i = *rc::gen::inRange<std::size_t>(0, n);
          if (*rc::gen::arbitrary<bool>())
            ends[i].x += 0.5 * std::sin(rods.angle[i]), ends[i].y -= 0.5 * std::cos(rods.angle[i]);
          else
            ends[i].u += 0.5 * std::sin(rods.angle[i]), ends[i].v -= 0.5 * std::cos(rods.angle[i]);
          const std::string message = model.refusal({.stop = 0, .set = settings(ends)});
          RC_LOG() << message;
          RC_ASSERT(message.find("error[SR0402]") != std::string::npos);
          RC_ASSERT(message.find("contradict") != std::string::npos);
        },
        {.cases = 40});
  }
}

namespace {

/// Rows that are combinations of `rank` random ones.
std::array<std::array<double, 3>, 5> random_matrix(int rank) {
  std::array<std::array<double, 3>, 3> basis{};
  for (int k = 0; k < rank; ++k)
    for (double& entry : basis[k]) entry = *rc::gen::inRange(-3, 4);
  for (int k = 0; k < rank; ++k) basis[k][k] += 10;  // independent
  std::array<std::array<double, 3>, 5> matrix{};
  for (int r = 0; r < 5; ++r)
    for (int k = 0; k < rank; ++k) {
      const int own = r - (5 - rank);  // the last rows are those of a triangle
      const double factor = own == k ? 1 : own >= 0 && k > own ? 0 : *rc::gen::inRange(-1, 2);
      for (int c = 0; c < 3; ++c) matrix[r][c] += factor * basis[k][c];
    }
  return matrix;
}

}  // namespace

namespace {

/// Parameters for which the initial equations hold at `x`.
Settings settings(const std::array<std::array<double, 3>, 5>& a, const std::array<double, 3>& x) {
  Settings set;
  for (int r = 0; r < 5; ++r) {
    double b = 0;
    for (int c = 0; c < 3; ++c) {
      set.push_back({"a" + std::to_string(r + 1) + std::to_string(c + 1), a[r][c]});
      b += a[r][c] * x[c];
    }
    set.push_back({"b" + std::to_string(r + 1), b});
  }
  return set;
}

std::array<double, 3> random_point() {
  std::array<double, 3> x;
  for (double& value : x) value = *rc::gen::inRange(-50, 51) / 10.0;
  return x;
}

}  // namespace

TEST_CASE("initial equations of any rank") {
  numeric::Model model("singular_starts.sr", "start5");
  for (int rank : {1, 2, 3})
    property::holds(
        [&] {
          const auto a = random_matrix(rank);
          const std::array<double, 3> x = random_point();
          const Run run = model.run({.stop = 0, .set = settings(a, x)});
          for (int r = 0; r < 5; ++r) {
            double sum = 0;
            for (int c = 0; c < 3; ++c)
              sum += a[r][c] * (numeric::value(run, "x" + std::to_string(c + 1)) - x[c]);
            RC_LOG() << "equation " << r << " differs by " << sum << "\n";
            RC_ASSERT(std::abs(sum) <= 1e-6);
          }
          for (int c = 0; c < 3 && rank == 3; ++c) check_near(run, "x" + std::to_string(c + 1), x[c], 1e-7);
        },
        {.cases = 60});
}

TEST_CASE("initial equations of any rank that contradict each other are refused") {
  numeric::Model model("singular_starts.sr", "start5");
  for (int rank : {1, 2, 3})
    property::holds(
        [&] {
          auto a = random_matrix(rank);
          for (int c = 0; c < 3; ++c) a[4][c] = a[0][c] + a[1][c];
          Settings set = settings(a, random_point());
          set.back().second += 100;
          const std::string message = model.refusal({.stop = 0, .set = set});
          RC_LOG() << message;
          RC_ASSERT(message.find("error[SR0402]") != std::string::npos);
          RC_ASSERT(message.find("= b5") != std::string::npos);
        },
        {.cases = 40});
}

TEST_CASE("a start of many coupled equations is solved as a whole") {
  // The differences around a ring add up to zero: with the other equation all values are determined.
  auto ring = [](double right) {
    return "m :: Real -> SR ()\nm p = sigrel () where\n  local x :: Real^800\n"
           "  for i in [1 .. 800] do\n    der x[i] = -x[i]\n"
           "  initially\n    for i in [1 .. 799] do\n      p * (x[i + 1] - x[i]) = 0.01\n"
           "    p * (x[1] - x[800]) = -7.99\n    x[5] + x[1]^2 * p = " +
           std::to_string(right) + "\n\nmain = simulate (m 2.0) with { stop = 0.0 }\n";
  };
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
  REQUIRE(session.load_text("ring.sr", ring(1 + 0.005 * 4 + 2)));
  REQUIRE(session.check());
  const auto compiled = session.compile({}, Backend::Interpreter);
  REQUIRE(compiled != nullptr);
  const Run run = session.run(*compiled);
  REQUIRE(run.completed());
  // x1 + 0.02 + 2 x1^2 = 3.02
  const double first = numeric::value(run, "x[1]");
  CHECK(first + 2 * first * first == Approx(3));
  CHECK(numeric::value(run, "x[800]") == Approx(first + 0.005 * 799));
}

TEST_CASE("an equation whose partial derivatives all vanish is judged at nominal distances") {
  auto completes = [](const char* square) {
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
    REQUIRE(
        session.load_text("square.sr", std::string("m :: SR ()\nm = sigrel () where\n  local x, y :: Real\n"
                                                   "  der x = -x\n  der y = -y\n  initially\n    x = 0.0\n"
                                                   "    y = 1.0\n    x^2 = ") +
                                           square + "\n\nmain = simulate m with { stop = 0.0 }\n"));
    REQUIRE(session.check());
    const auto compiled = session.compile({}, Backend::Interpreter);
    REQUIRE(compiled != nullptr);
    return session.run(*compiled).completed();
  };
  CHECK(completes("0.0"));
  CHECK(completes("1.0e-30"));       // x = 1e-15
  CHECK_FALSE(completes("1.0e-9"));  // x = 3e-5
  CHECK_FALSE(completes("-1.0"));
}
