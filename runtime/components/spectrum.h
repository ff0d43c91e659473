// A small real matrix by its invariant subspaces, and the functions of time that solve x' = f + A (x - x0).
//
//   A = V diag(l_i + N_i) V^-1,   N_i upper triangular, nearly nilpotent
//   x'(s) = exp(A s) f,           of block i: exp(l_i s) sum_k s^k / k! N_i^k w_i,   w = V^-1 f
//   x(s) - x0 = integral of that: E_k(l, s) = integral from 0 to s of exp(l u) u^k / k! du
//
// Of two conjugate eigenvalues one stands for both. Eigenvalues have blocks of their own unless their vectors
// are nearly parallel: then they share one (Bavely and Stewart, An algorithm for computing reducing subspaces
// by block diagonalization, SIAM J. Numer. Anal. 16, 1979). Of a single one N = 0, and E_0 = expm1(l s) / l
// is exact for every size of l s. A block of several needs powers of N; where its eigenvalues differ a
// little, they hold until `horizon`.
//
//   x' = v, v' = -g        l = 0 twice, N = (0 1; 0 0): x = x0 + v0 s - g s² / 2
#pragma once
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace runtime {

class Spectrum {
 public:
  using Complex = std::complex<double>;
  struct Block {
    Complex eigenvalue;                       // their mean, 1/s
    std::uint32_t first = 0, size = 0;        // columns of V
    std::uint32_t first_term = 0, terms = 1;  // k = 0 … terms - 1
  };

  static constexpr std::uint32_t kMostTerms = 64;  // of a block

  /// Of a matrix with finite entries, by rows; 1/s.
  explicit Spectrum(std::span<const double> matrix, std::size_t size);
  /// False: the eigenvalues have not been found, or a block has more than kMostTerms.
  bool valid() const { return valid_; }

  std::size_t size() const { return size_; }
  std::span<const Block> blocks() const { return blocks_; }
  std::size_t terms() const { return terms_; }  // of all blocks
  /// Seconds for which the terms represent the solution.
  double horizon() const { return horizon_; }
  /// The largest magnitude of an eigenvalue.
  double fastest() const { return fastest_; }

  /// The rate of the slowest term that decays, 1/s; 0: none does, or one grows.
  double slowest_decay() const {
    double slowest = 0;
    for (const Block& block : blocks_) {
      const double rate = -block.eigenvalue.real();
      if (rate < 0) return 0;
      if (rate > 0 && (slowest == 0 || rate < slowest)) slowest = rate;
    }
    return slowest;
  }

  /// `vectors`, by block and k: N_i^k w_i of x'(0) = `rates`.
  void expand(const double* rates, std::vector<Complex>& vectors) const;
  /// Of the sum of `row[j] x[j]'`: its term of each block and k, and by block the sum of the magnitudes that
  /// the first of these consists of.
  void project(const double* row, std::span<const Complex> vectors, std::span<Complex> terms,
               std::span<double> sizes) const;
  /// x(s) - x0.
  void displacement(std::span<const Complex> vectors, double s, double* out) const;

 private:
  std::size_t size_, terms_ = 0;
  bool valid_ = false;
  std::vector<Block> blocks_;
  std::vector<Complex> vectors_, inverse_;  // V and V^-1, by rows
  std::vector<Complex> nilpotent_;          // N of all blocks, by rows
  void join_conjugates();
  double horizon_ = std::numeric_limits<double>::infinity(), fastest_ = 0;
};

/// E_0 … E_(count - 1) at s. Returns exp(l s).
Spectrum::Complex exponential_integrals(Spectrum::Complex eigenvalue, double s,
                                        std::span<Spectrum::Complex> out);

}  // namespace runtime
