// Int signals: exact, or an error, compared with integer arithmetic of 128 bits.
#include <random>
#include <string>

#include "numeric.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;

namespace {

using Wide = __int128;

constexpr Wide kLimit = Wide{1} << 53;
constexpr int kTicks = 30;

bool is_exact(Wide n) { return -kLimit < n && n < kLimit; }

/// The value of `r` after the ticks, or nothing where a result of one of them leaves the range.
struct Expected {
  bool exact = true;
  double r = 1, s = 1;
};

Expected generator(Wide a, Wide c, Wide m) {
  Wide r = 1, s = 1;
  for (int k = 0; k < kTicks; ++k) {
    for (const Wide product : {a * r, a * r + c, a * s, a * s + c})
      if (!is_exact(product)) return {.exact = false};
    r = (a * r + c) % m;
    s = (a * s + c) / 3;
  }
  return {.exact = true, .r = static_cast<double>(r), .s = static_cast<double>(s)};
}

}  // namespace

TEST_CASE("Random generators of integers are exact or refused") {
  std::mt19937_64 random(17);
  auto draw = [&](int bits) { return static_cast<long long>(random() >> (64 - bits)) + 1; };
  int exact = 0, refused = 0;
  for (int k = 0; k < 60; ++k) {
    // `s` grows by a / 3 in each tick, so that many are exact for a up to 8.
    const long long a = k % 2 == 0 ? draw(3) : draw(4 + k % 40), c = draw(1 + k % 30),
                    m = draw(2 + k % 45) + 1;
    const std::string expression =
        "generator " + std::to_string(a) + " " + std::to_string(c) + " " + std::to_string(m);
    INFO(expression);
    const Expected expected = generator(a, c, m);
    for (const char* solver : {"auto", "qss"}) {
      Model model("integers.sr", expression.c_str());
      const RunOptions options{.stop = kTicks, .steps = 10, .solver = solver};
      if (expected.exact) {
        const Run run = model.run(options);
        CHECK(value(run, "r") == expected.r);
        CHECK(value(run, "s") == expected.s);
      } else {
        CHECK(model.refusal(options).find("SR0561") != std::string::npos);
      }
    }
    ++(expected.exact ? exact : refused);
  }
  CHECK(exact > 10);
  CHECK(refused > 10);
}

TEST_CASE("A difference of products that are too large is refused, however small it is") {
  // The product becomes 2^53 at n = 2: 94906264 + 2 = 94906266 > 2^26.5
  const RunOptions options{.stop = 5, .steps = 5};
  // At the last of six ticks `pre n` is 5: a difference of squares of neighbours is their sum.
  CHECK(value(Model("integers.sr", "difference 90000000 89999999").run(options), "d") ==
        90000005.0 + 90000004.0);
  CHECK(Model("integers.sr", "difference 94906264 94906263")
            .refusal(options)
            .find("an intermediate result for `d`") != std::string::npos);
}

TEST_CASE("Ints beyond 10^10 are compared exactly") {
  const Run run = Model("integers.sr", "large").run({.stop = 3, .steps = 3});
  CHECK(value(run, "a") == 1e12 + 4);
  CHECK(value(run, "b") == 1e12 + 9);
  const RunOptions options{.stop = 3, .steps = 3};
  CHECK(Model("integers.sr", "largeConflict").refusal(options).find("SR0515") != std::string::npos);
  CHECK(Model("integers.sr", "powerOfTwo 562949953421311").refusal(options).find("SR0561") !=
        std::string::npos);
  CHECK(value(Model("integers.sr", "powerOfTwo 562949953421310").run(options), "r") == 3);
}
