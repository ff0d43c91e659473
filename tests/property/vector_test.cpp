// Operations on the integrators' vectors, one after the other on the same few, against loops over numbers.
#include <sundials/sundials_context.h>
#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/integrate/vector.h"
#include "runtime/thread_pool.h"
#include "tests/property/property.h"

using namespace runtime;
using property::Choices;

namespace {

constexpr std::size_t kVectors = 4;

/// The vectors, and what they should be.
struct Fixture {
  SUNContext context = nullptr;
  std::vector<N_Vector> vectors;
  std::vector<std::vector<double>> expected;

  Fixture(std::size_t n, ThreadPool* pool) {
    SUNContext_Create(nullptr, &context);
    for (std::size_t k = 0; k < kVectors; ++k) {
      vectors.push_back(k == 0 ? new_vector(n, context, pool) : N_VClone(vectors[0]));
      expected.emplace_back(n);
      for (std::size_t i = 0; i < n; ++i)
        expected[k][i] = data(vectors[k])[i] = (i + k) % 3 == 0 ? -0.5 - static_cast<double>(i % 11)
                                                                : 0.25 + static_cast<double>(i * (k + 1) % 7);
    }
  }
  ~Fixture() {
    for (N_Vector v : vectors) N_VDestroy(v);
    SUNContext_Free(&context);
  }
  Fixture(const Fixture&) = delete;
};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// One operation on both; its name.
std::string operate(Fixture& f, Choices& choices) {
  static constexpr double kFactors[] = {1, -1, 2, 0.5, -0.3, 0};
  const double a = kFactors[choices.below(6)], b = kFactors[choices.below(6)];
  const std::size_t x = choices.below(kVectors), y = choices.below(kVectors), z = choices.below(kVectors);
  N_Vector vx = f.vectors[x], vy = f.vectors[y], vz = f.vectors[z];
  const std::vector<double> ex = f.expected[x], ey = f.expected[y];  // copies: z may be x or y
  std::vector<double>& ez = f.expected[z];
  auto each = [&](auto element) {
    for (std::size_t i = 0; i < ez.size(); ++i) ez[i] = element(i);
  };
  const std::string operands = " " + std::to_string(a) + " v" + std::to_string(x) + ", " + std::to_string(b) +
                               " v" + std::to_string(y) + " -> v" + std::to_string(z);
  switch (choices.below(8)) {
    case 0:
      N_VLinearSum(a, vx, b, vy, vz);
      each([&](std::size_t i) { return a * ex[i] + b * ey[i]; });
      return "linear sum" + operands;
    case 1:
      N_VScale(a, vx, vz);
      each([&](std::size_t i) { return a * ex[i]; });
      return "scale" + operands;
    case 2:
      N_VProd(vx, vy, vz);
      each([&](std::size_t i) { return ex[i] * ey[i]; });
      return "product" + operands;
    case 3:
      N_VAbs(vx, vz);
      each([&](std::size_t i) { return std::fabs(ex[i]); });
      return "abs" + operands;
    case 4:
      N_VAddConst(vx, b, vz);
      each([&](std::size_t i) { return ex[i] + b; });
      return "add constant" + operands;
    case 5:
      N_VConst(a, vz);
      each([&](std::size_t) { return a; });
      return "constant" + operands;
    case 6: {
      double c[] = {a, b};
      N_Vector both[] = {vx, vy};
      if (z == y && z != x) return "none" + operands;  // the result may be the first operand only
      N_VLinearCombination(2, c, both, vz);
      each([&](std::size_t i) { return a * ex[i] + b * ey[i]; });
      return "linear combination" + operands;
    }
    default:
      for (std::size_t i = 0; i < ey.size(); ++i)
        if (ey[i] == 0) return "none" + operands;
      N_VDiv(vx, vy, vz);
      each([&](std::size_t i) { return ex[i] / ey[i]; });
      return "quotient" + operands;
  }
}

}  // namespace

TEST_CASE("operations on vectors in turn give the numbers of naive loops, with and without threads") {
  ThreadPool pool(2);
  property::holds(
      [&] {
        Choices choices(*property::decisions());
        static constexpr std::size_t kSizes[] = {1, 2, 3, 7, 8, 9, 17, 64, 1000, 1025, 5003, 40001};
        const std::size_t n = kSizes[choices.below(std::size(kSizes))];
        Fixture f(n, choices.below(2) ? &pool : nullptr);
        RC_LOG() << n << " numbers\n";
        for (int k = 0; k < 12; ++k) {
          if (choices.exhausted()) break;
          RC_LOG() << operate(f, choices) << "\n";
        }
        const std::vector<double>&e0 = f.expected[0], &e1 = f.expected[1];
        double squares = 0, largest = 0, dot = 0, sizes = 0;
        for (std::size_t i = 0; i < n; ++i) {
          squares += (e0[i] * e1[i]) * (e0[i] * e1[i]);
          largest = std::max(largest, std::fabs(e0[i]));
          dot += e0[i] * e1[i];
          sizes += std::fabs(e0[i] * e1[i]);
        }
        if (std::isfinite(squares)) {
          const double norm = std::sqrt(squares / static_cast<double>(n));
          RC_ASSERT(std::fabs(N_VWrmsNorm(f.vectors[0], f.vectors[1]) - norm) <= 1e-12 * norm);
          RC_ASSERT(N_VMaxNorm(f.vectors[0]) == largest);
          RC_ASSERT(N_VMin(f.vectors[1]) == *std::ranges::min_element(e1));
          if (f.vectors[0]->ops->nvdotprod)
            RC_ASSERT(std::fabs(N_VDotProd(f.vectors[0], f.vectors[1]) - dot) <= 1e-12 * sizes);
        }
        for (std::size_t k = 0; k < kVectors; ++k)
          for (std::size_t i = 0; i < n; ++i)
            if (!same(data(f.vectors[k])[i], f.expected[k][i])) {
              RC_LOG() << "v" << k << "[" << i << "] = " << data(f.vectors[k])[i] << ", expected "
                       << f.expected[k][i] << "\n";
              RC_FAIL("a vector differs");
            }
      },
      {.cases = 300, .size = 80});
}
