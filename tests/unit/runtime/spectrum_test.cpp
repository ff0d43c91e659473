// Chains of integrators, whose only eigenvalue is zero: one block of all their rows.
#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/components/spectrum.h"

using namespace runtime;

namespace {

/// x_k' = x_(k+1), of the last x' = 0.
Spectrum chain(std::size_t size) {
  std::vector<double> matrix(size * size, 0.0);
  for (std::size_t k = 0; k + 1 < size; ++k) matrix[k * size + k + 1] = 1;
  return Spectrum(matrix, size);
}

}  // namespace

TEST_CASE("a chain of integrators follows a polynomial") {
  constexpr std::size_t kSize = 12;
  const Spectrum spectrum = chain(kSize);
  REQUIRE(spectrum.valid());
  std::vector<double> rates(kSize, 0.0), moved(kSize);
  rates[kSize - 1] = 1;  // an input of 1
  std::vector<Spectrum::Complex> vectors;
  spectrum.expand(rates.data(), vectors);
  spectrum.displacement(vectors, 1.5, moved.data());
  for (std::size_t k = 0; k < kSize; ++k)
    CHECK(moved[k] == Approx(std::pow(1.5, kSize - k) / std::tgamma(kSize - k + 1.0)));
}

TEST_CASE("a block with more terms than are evaluated is refused") {
  CHECK(chain(Spectrum::kMostTerms).valid());
  CHECK_FALSE(chain(Spectrum::kMostTerms + 1).valid());
}
