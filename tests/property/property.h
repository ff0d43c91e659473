// Properties: what holds for every input of a kind. rapidcheck generates inputs, and reduces one that breaks
// the property to a small one, which the message shows with the seed.
//
// The seed is fixed, so that a build fails or passes for everybody. A longer search with another seed:
//
//   RC_PARAMS="seed=7 max_success=100000" build/release/bin/property
#pragma once
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

namespace property {

inline constexpr std::uint64_t kSeed = 20260;

struct Effort {
  int cases = 200;
  int size = 100;  // the largest size parameter of the generators; it grows from 0 over the cases
};

/// Empty when the property holds, else the seed, the reason and the smallest counterexample found.
template <class Testable>
std::string counterexample(Testable&& testable, Effort effort = {}) {
  rc::detail::TestParams params;
  params.seed = kSeed;
  params.maxSuccess = effort.cases;
  params.maxSize = effort.size;
  if (std::getenv("RC_PARAMS")) {
    params = rc::detail::configuration().testParams;
    params.maxSize = effort.size;
  }
  rc::detail::TestListenerAdapter silent;
  const rc::detail::TestResult result =
      rc::detail::checkProperty(rc::detail::toProperty(std::forward<Testable>(testable)),
                                rc::detail::TestMetadata{}, params, silent, {});
  if (result.is<rc::detail::SuccessResult>()) return "";
  std::ostringstream text;
  text << "seed " << params.seed << "\n";
  rc::detail::printResultMessage(result, text);
  return text.str();
}

/// Fails the test case with the counterexample, if there is one.
template <class Testable>
void holds(Testable&& testable, Effort effort = {}) {
  const std::string found = counterexample(std::forward<Testable>(testable), effort);
  INFO(found);
  CHECK(found.empty());
}

/// The decisions of a generator of structured input: a list of numbers, then zeros without end. Where number
/// 0 is the simplest alternative, a shorter list of smaller numbers builds something simpler, so that
/// shrinking the list shrinks what is built from it.
class Choices {
 public:
  explicit Choices(std::vector<std::uint16_t> numbers) : numbers_(std::move(numbers)) {}
  std::uint32_t below(std::uint32_t n) { return at_ < numbers_.size() ? numbers_[at_++] % n : 0; }
  bool exhausted() const { return at_ >= numbers_.size(); }

 private:
  std::vector<std::uint16_t> numbers_;
  std::size_t at_ = 0;
};

/// Lists of at most `Effort::size` decisions.
inline rc::Gen<std::vector<std::uint16_t>> decisions() {
  return rc::gen::container<std::vector<std::uint16_t>>(
      rc::gen::resize(100, rc::gen::inRange<std::uint16_t>(0, 27720)));
}

}  // namespace property
