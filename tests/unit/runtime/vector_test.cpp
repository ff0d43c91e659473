#include <sundials/sundials_context.h>
#include <sundials/sundials_nvector.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "runtime/integrate/vector.h"
#include "runtime/integrate/vector_kernels.h"
#include "runtime/thread_pool.h"

using namespace runtime;

namespace {

/// Vectors with random elements, released at the end.
class Vectors {
 public:
  explicit Vectors(std::size_t n, ThreadPool* thread_pool = nullptr)
      : n_(n), thread_pool_(thread_pool), random_(static_cast<unsigned>(n)) {
    SUNContext_Create(nullptr, &context_);
  }
  ~Vectors() {
    for (N_Vector v : all_) N_VDestroy(v);
    SUNContext_Free(&context_);
  }
  N_Vector make() {
    N_Vector v = all_.empty() ? new_vector(n_, context_, thread_pool_) : N_VClone(all_.front());
    std::uniform_real_distribution<double> uniform(0.5, 2);
    for (std::size_t i = 0; i < n_; ++i) data(v)[i] = random_() % 2 ? uniform(random_) : -uniform(random_);
    all_.push_back(v);
    return v;
  }

 private:
  std::size_t n_;
  ThreadPool* thread_pool_;
  std::mt19937 random_;
  SUNContext context_ = nullptr;
  std::vector<N_Vector> all_;
};

}  // namespace

TEST_CASE("operations on vectors act element by element") {
  for (std::size_t n : {0, 1, 3, 4, 7, 8, 9, 31, 64, 1023, 1024, 1025, 5000, 8193, 40001}) {
    CAPTURE(n);
    Vectors vectors(n);
    N_Vector x = vectors.make(), y = vectors.make(), z = vectors.make();
    REQUIRE(N_VGetLength(x) == static_cast<sunindextype>(n));
    auto expect = [&](N_Vector result, const std::function<double(std::size_t)>& element) {
      bool same = true;
      for (std::size_t i = 0; i < n; ++i) same = same && data(result)[i] == element(i);
      CHECK(same);
    };
    const std::vector<double> a(data(x), data(x) + n), b(data(y), data(y) + n);
    N_VLinearSum(2, x, -3, y, z);
    expect(z, [&](std::size_t i) { return 2 * a[i] + -3 * b[i]; });
    N_VLinearSum(1, x, 1, y, z);
    expect(z, [&](std::size_t i) { return a[i] + b[i]; });
    N_VLinearSum(1, x, -1, y, z);
    expect(z, [&](std::size_t i) { return a[i] - b[i]; });
    N_VProd(x, y, z);
    expect(z, [&](std::size_t i) { return a[i] * b[i]; });
    N_VDiv(x, y, z);
    expect(z, [&](std::size_t i) { return a[i] / b[i]; });
    N_VScale(4, x, z);
    expect(z, [&](std::size_t i) { return 4 * a[i]; });
    N_VScale(1, x, z);
    expect(z, [&](std::size_t i) { return a[i]; });
    N_VAbs(x, z);
    expect(z, [&](std::size_t i) { return std::abs(a[i]); });
    N_VInv(x, z);
    expect(z, [&](std::size_t i) { return 1 / a[i]; });
    N_VAddConst(x, 0.25, z);
    expect(z, [&](std::size_t i) { return a[i] + 0.25; });
    N_VConst(7, z);
    expect(z, [&](std::size_t) { return 7.0; });
    N_VLinearSum(1, x, 5, y, x);  // onto an operand
    expect(x, [&](std::size_t i) { return a[i] + 5 * b[i]; });

    double squares = 0, largest = 0, least = n ? HUGE_VAL : N_VMin(y);
    for (std::size_t i = 0; i < n; ++i) {
      squares += (data(x)[i] * b[i]) * (data(x)[i] * b[i]);
      largest = std::max(largest, std::abs(b[i]));
      least = std::min(least, b[i]);
    }
    if (n) CHECK(N_VWrmsNorm(x, y) == Approx(std::sqrt(squares / static_cast<double>(n))).epsilon(1e-13));
    CHECK(N_VMaxNorm(y) == largest);
    CHECK(N_VMin(y) == least);
  }
}

TEST_CASE("combinations of several vectors") {
  for (std::size_t n : {1, 9, 1024, 3000, 20000}) {
    Vectors vectors(n);
    N_Vector x[9], y[9], z[9];
    for (int k = 0; k < 9; ++k) x[k] = vectors.make(), y[k] = vectors.make(), z[k] = vectors.make();
    double c[] = {1, -2, 0.5, 3, -0.25, 7, 1.5, -1, 2};
    for (int count = 1; count <= 9; ++count) {
      CAPTURE(n, count);
      for (bool onto_first : {false, true}) {
        std::vector<double> wanted(n, 0.0);
        for (int k = 0; k < count; ++k)
          for (std::size_t i = 0; i < n; ++i) wanted[i] += c[k] * data(x[k])[i];
        N_Vector to = onto_first ? x[0] : z[0];
        REQUIRE(N_VLinearCombination(count, c, x, to) == 0);
        bool same = true;
        for (std::size_t i = 0; i < n; ++i) same = same && data(to)[i] == wanted[i];
        CHECK(same);
      }
      std::vector<std::vector<double>> wanted(count, std::vector<double>(n)), scaled = wanted;
      for (int k = 0; k < count; ++k)
        for (std::size_t i = 0; i < n; ++i) {
          wanted[k][i] = c[k] * data(x[1])[i] + data(y[k])[i];
          scaled[k][i] = c[k] * data(y[k])[i];
        }
      REQUIRE(N_VScaleAddMulti(count, c, x[1], y, z) == 0);
      bool same = true;
      for (int k = 0; k < count; ++k)
        for (std::size_t i = 0; i < n; ++i) same = same && data(z[k])[i] == wanted[k][i];
      REQUIRE(N_VScaleVectorArray(count, c, y, z) == 0);
      for (int k = 0; k < count; ++k)
        for (std::size_t i = 0; i < n; ++i) same = same && data(z[k])[i] == scaled[k][i];
      CHECK(same);
    }
  }
}

TEST_CASE(
    "long vectors: operations that wait give the numbers of operations in turn, with any number of threads") {
  constexpr std::size_t n = 50'003;
  constexpr int kVectors = 7, kOperations = 400;
  std::vector<double> norms;
  for (unsigned threads : {1u, 2u, 3u, 5u}) {
    CAPTURE(threads);
    ThreadPool thread_pool(threads);
    Vectors vectors(n, threads > 1 ? &thread_pool : nullptr);
    std::vector<N_Vector> v;
    std::vector<std::vector<double>> wanted;
    for (int k = 0; k < kVectors; ++k) {
      v.push_back(vectors.make());
      wanted.emplace_back(data(v[k]), data(v[k]) + n);
    }
    std::mt19937 random(7);
    auto any = [&] { return static_cast<std::size_t>(random() % kVectors); };
    std::vector<double> found;
    for (int step = 0; step < kOperations; ++step) {
      const std::size_t x = any(), y = any(), z = any();
      switch (random() % 4) {
        case 0:
          N_VLinearSum(0.5, v[x], -0.25, v[y], v[z]);
          for (std::size_t i = 0; i < n; ++i) wanted[z][i] = 0.5 * wanted[x][i] + -0.25 * wanted[y][i];
          break;
        case 1:
          N_VLinearSum(1, v[x], 1, v[y], v[z]);
          for (std::size_t i = 0; i < n; ++i) wanted[z][i] = wanted[x][i] + wanted[y][i];
          break;
        case 2:
          N_VScale(0.125, v[x], v[z]);
          for (std::size_t i = 0; i < n; ++i) wanted[z][i] = 0.125 * wanted[x][i];
          break;
        default:
          N_VAbs(v[x], v[z]);
          for (std::size_t i = 0; i < n; ++i) wanted[z][i] = std::abs(wanted[x][i]);
      }
      if (step % 50 == 0) found.push_back(N_VWrmsNorm(v[x], v[y]));
    }
    for (int k = 0; k < kVectors; ++k) CHECK(std::equal(wanted[k].begin(), wanted[k].end(), data(v[k])));
    if (norms.empty()) norms = found;
    CHECK(norms == found);  // to the last bit
  }
}

TEST_CASE("values are within bounds if each is, and a NaN is not") {
  for (std::size_t n : {1, 3, 4, 7, 64}) {
    CAPTURE(n);
    std::vector<double> x(n, 1.0);
    const std::vector<double> low(n, 1.0), high(n, 2.0);
    auto within = [&] {
      return vector_kernels::all_within(static_cast<vector_kernels::Index>(n), x.data(), low.data(),
                                        high.data());
    };
    CHECK(within());
    for (std::size_t i = 0; i < n; ++i)
      for (const double value : {0.5, 2.5, std::nan(""), -HUGE_VAL, HUGE_VAL}) {
        x[i] = value;
        CHECK_FALSE(within());
        x[i] = 2;
        CHECK(within());
      }
  }
}
