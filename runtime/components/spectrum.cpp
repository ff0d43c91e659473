#include "runtime/components/spectrum.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace runtime {

namespace {

using Complex = Spectrum::Complex;
using Matrix = Eigen::MatrixXcd;
using Index = Eigen::Index;

// The largest entry of the matrix that separates blocks: so much of the accuracy is lost.
constexpr double kLargestCoupling = 1e3;
// Powers of the part of N that is not nilpotent, until they are below the precision at the horizon.
constexpr std::uint32_t kFurtherTerms = 12;
// An imaginary part that is smaller relative to the largest eigenvalue is zero.
constexpr double kRounding = 1e-13;
// Of exponentials that do not overflow.
constexpr double kLargestExponent = 300;
constexpr double kHorizon = 0.5;  // times the spread of the eigenvalues of a block

/// Scales rows and columns by powers of two so that their norms agree (Parlett and Reinsch, Balancing a
/// matrix for calculation of eigenvalues and eigenvectors, 1969). The result is D^-1 A D.
Eigen::VectorXd balance(Eigen::MatrixXd& a) {
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(a.rows());
  for (int pass = 0; pass < 20; ++pass) {
    bool changed = false;
    for (Index i = 0; i < a.rows(); ++i) {
      const double row = a.row(i).cwiseAbs().sum() - std::abs(a(i, i));
      const double column = a.col(i).cwiseAbs().sum() - std::abs(a(i, i));
      if (row == 0 || column == 0) continue;
      const int exponent = static_cast<int>(std::lround(std::log2(row / column) / 2));
      if (exponent == 0) continue;
      const double factor = std::ldexp(1.0, exponent);
      changed = true;
      scale[i] *= factor;
      a.row(i) /= factor;
      a.col(i) *= factor;
    }
    if (!changed) break;
  }
  return scale;
}

/// An order of the states in which the matrix is block upper triangular, its blocks the strongly connected
/// parts: a state that reads another one, and is not read by it, comes first.
std::vector<Index> triangular_order(const Eigen::MatrixXd& a) {
  const Index n = a.rows();
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> reads = a.array() != 0;
  for (Index k = 0; k < n; ++k) reads(k, k) = true;
  for (Index k = 0; k < n; ++k)  // Warshall
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) reads(i, j) = reads(i, j) || (reads(i, k) && reads(k, j));
  std::vector<std::pair<Index, Index>> key;  // by state: how many it does not read, the first of its part
  for (Index i = 0; i < n; ++i) {
    Index first = i;
    for (Index j = n - 1; j >= 0; --j)
      if (reads(i, j) && reads(j, i)) first = j;
    key.emplace_back(n - reads.row(i).count(), first);
  }
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index i) { return key[static_cast<std::size_t>(i)]; });
  return order;
}

/// A = U T U^H with T upper triangular, whose diagonal can be rearranged.
struct Schur {
  Matrix t, u;

  /// Exchanges the entries k and k + 1 of the diagonal by a rotation.
  void exchange(Index k) {
    const Complex upper = t(k, k + 1), difference = t(k + 1, k + 1) - t(k, k);
    const double length = std::hypot(std::abs(upper), std::abs(difference));
    const Complex first = t(k, k), second = t(k + 1, k + 1);
    Eigen::Matrix2cd rotation;  // its first column is the eigenvector of the second entry
    if (length == 0)
      rotation << 0, 1, 1, 0;
    else
      rotation << upper / length, -std::conj(difference) / length, difference / length,
          std::conj(upper) / length;
    t.middleCols(k, 2) = (t.middleCols(k, 2) * rotation).eval();
    t.middleRows(k, 2) = (rotation.adjoint() * t.middleRows(k, 2)).eval();
    u.middleCols(k, 2) = (u.middleCols(k, 2) * rotation).eval();
    t(k + 1, k) = 0;
    t(k, k) = second;
    t(k + 1, k + 1) = first;
  }

  /// Sorts the diagonal by group.
  void arrange(std::vector<std::uint32_t>& group) {
    for (std::size_t end = group.size(); end > 1; --end)
      for (std::size_t k = 0; k + 1 < end; ++k)
        if (group[k] > group[k + 1]) {
          exchange(static_cast<Index>(k));
          std::swap(group[k], group[k + 1]);
        }
  }

  /// X with T X = X D, where D consists of the blocks of the groups; one on its diagonal.
  Matrix separate(std::span<const std::uint32_t> group) const {
    const Index n = t.rows();
    Matrix x = Matrix::Identity(n, n);
    auto of = [&](Index k) { return group[static_cast<std::size_t>(k)]; };
    for (Index l = 0; l < n; ++l)
      for (Index k = l - 1; k >= 0; --k) {
        if (of(k) == of(l)) continue;
        Complex sum = 0;
        for (Index m = k + 1; m <= l; ++m) sum -= t(k, m) * x(m, l);
        for (Index m = k + 1; m < l; ++m)
          if (of(m) == of(l)) sum += x(k, m) * t(m, l);
        if (sum != Complex(0)) x(k, l) = sum / (t(k, k) - t(l, l));
      }
    return x;
  }
};

/// Joins groups until their separation has no large entry. X.
Matrix find_blocks(Schur& schur, std::vector<std::uint32_t>& group) {
  for (;;) {
    Matrix x = schur.separate(group);
    Index k = 0, l = 0;
    double largest = 0;
    for (Index j = 0; j < x.cols(); ++j)
      for (Index i = 0; i < j; ++i)
        if (group[static_cast<std::size_t>(i)] != group[static_cast<std::size_t>(j)] &&
            !(std::abs(x(i, j)) <= largest))
          largest = std::abs(x(i, j)), k = i, l = j;
    if (largest <= kLargestCoupling) return x;
    const std::uint32_t from = group[static_cast<std::size_t>(l)], to = group[static_cast<std::size_t>(k)];
    std::ranges::replace(group, std::max(from, to), std::min(from, to));
    schur.arrange(group);
  }
}

Complex expm1(Complex z) {
  const double growth = std::expm1(z.real());
  if (z.imag() == 0) return growth;
  const double half = std::sin(z.imag() / 2);
  return {growth * std::cos(z.imag()) - 2 * half * half, (growth + 1) * std::sin(z.imag())};
}

/// Without the scaling of the library's operator, which magnitudes of rates do not need.
Complex divided(Complex a, Complex b) {
  if (b.imag() == 0) return {a.real() / b.real(), a.imag() / b.real()};
  const double norm = std::norm(b);
  return {(a.real() * b.real() + a.imag() * b.imag()) / norm,
          (a.imag() * b.real() - a.real() * b.imag()) / norm};
}

}  // namespace

Complex exponential_integrals(Complex eigenvalue, double s, std::span<Complex> out) {
  constexpr double kSeries = 4;
  constexpr int kMostTerms = 60;
  const Complex z{eigenvalue.real() * s, eigenvalue.imag() * s};
  const Complex growth = expm1(z), e = growth + 1.0;
  out[0] = z == Complex(0) ? s : divided(growth, eigenvalue);
  const bool series = std::abs(z) <= kSeries;
  double power = 1;  // s^k / k!
  for (std::size_t k = 1; k < out.size(); ++k) {
    power *= s / static_cast<double>(k);
    if (!series) {
      out[k] = divided(e * power - out[k - 1], eigenvalue);
      continue;
    }
    Complex sum = 0, term = 1;  // z^j / j!
    for (int j = 0; j < kMostTerms && std::abs(term) > 1e-18; ++j) {
      sum += term / static_cast<double>(j + static_cast<int>(k) + 1);
      term *= z / static_cast<double>(j + 1);
    }
    out[k] = s * power * sum;
  }
  return e;
}

Spectrum::Spectrum(std::span<const double> matrix, std::size_t size) : size_(size) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Index>(size);
  const Eigen::Map<const Rows> given(matrix.data(), n, n);
  const std::vector<Index> order = triangular_order(given);
  Eigen::MatrixXd balanced = given(order, order);
  const Eigen::VectorXd scale = balance(balanced);
  const Eigen::ComplexSchur<Eigen::MatrixXd> found(balanced);
  valid_ = found.info() == Eigen::Success;
  Schur schur{found.matrixT(), found.matrixU()};
  std::vector<std::uint32_t> group(size);
  std::iota(group.begin(), group.end(), 0u);
  const Matrix x = find_blocks(schur, group);
  const Matrix v = scale.asDiagonal() * (schur.u * x).eval();
  const Matrix inverse = x.triangularView<Eigen::UnitUpper>().solve(schur.u.adjoint().eval()) *
                         scale.cwiseInverse().asDiagonal();
  vectors_.resize(size * size);
  inverse_.resize(size * size);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      vectors_[static_cast<std::size_t>(order[static_cast<std::size_t>(i)] * n + j)] = v(i, j);
      inverse_[static_cast<std::size_t>(j * n + order[static_cast<std::size_t>(i)])] = inverse(j, i);
    }
  for (std::uint32_t begin = 0; begin < size;) {
    Block block;
    block.first = begin;
    block.first_term = static_cast<std::uint32_t>(terms_);
    while (begin < size && group[begin] == group[block.first]) ++begin;
    block.size = begin - block.first;
    const Matrix part = schur.t.block(block.first, block.first, block.size, block.size);
    block.eigenvalue = part.trace() / static_cast<double>(block.size);
    const double spread = (part.diagonal().array() - block.eigenvalue).abs().maxCoeff();
    block.terms = block.size;
    if (spread > 0 && block.size > 1) {
      block.terms += kFurtherTerms;
      horizon_ = std::min(horizon_, kHorizon / spread);
    }
    for (Index i = 0; i < part.rows(); ++i)
      for (Index j = 0; j < part.cols(); ++j)
        nilpotent_.push_back(j < i                       ? Complex(0)
                             : i == j && block.size == 1 ? Complex(0)
                             : i == j                    ? part(i, j) - block.eigenvalue
                                                         : part(i, j));
    valid_ = valid_ && block.terms <= kMostTerms;
    fastest_ = std::max(fastest_, std::abs(block.eigenvalue));
    if (block.eigenvalue.real() > 0)
      horizon_ = std::min(horizon_, kLargestExponent / block.eigenvalue.real());
    terms_ += block.terms;
    blocks_.push_back(block);
  }
  join_conjugates();
}

/// If all blocks are of one eigenvalue.
void Spectrum::join_conjugates() {
  if (blocks_.size() < size_) return;
  for (Block& block : blocks_) {
    if (std::abs(block.eigenvalue.imag()) <= kRounding * fastest_) block.eigenvalue.imag(0);
  }
  auto upper = [](const Block& block) { return block.eigenvalue.imag() > 0; };
  auto lower = [](const Block& block) { return block.eigenvalue.imag() < 0; };
  if (std::ranges::count_if(blocks_, upper) != std::ranges::count_if(blocks_, lower)) return;
  std::erase_if(blocks_, lower);
  terms_ = 0;
  for (Block& block : blocks_) {
    block.first_term = static_cast<std::uint32_t>(terms_++);
    for (std::size_t i = 0; upper(block) && i < size_; ++i) vectors_[i * size_ + block.first] *= 2;
  }
}

void Spectrum::expand(const double* rates, std::vector<Complex>& vectors) const {
  vectors.clear();
  const Complex* nilpotent = nilpotent_.data();
  for (const Block& block : blocks_) {
    for (std::uint32_t i = block.first; i < block.first + block.size; ++i) {
      Complex w = 0;
      for (std::size_t j = 0; j < size_; ++j) w += inverse_[i * size_ + j] * rates[j];
      vectors.push_back(w);
    }
    for (std::uint32_t k = 1; k < block.terms; ++k) {
      const std::size_t before = vectors.size() - block.size;
      for (std::uint32_t i = 0; i < block.size; ++i) {
        Complex sum = 0;
        for (std::uint32_t j = i; j < block.size; ++j)
          sum += nilpotent[i * block.size + j] * vectors[before + j];
        vectors.push_back(sum);
      }
    }
    nilpotent += std::size_t{block.size} * block.size;
  }
}

void Spectrum::project(const double* row, std::span<const Complex> vectors, std::span<Complex> terms,
                       std::span<double> sizes) const {
  const Complex* vector = vectors.data();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    sizes[b] = 0;
    for (std::uint32_t k = 0; k < block.terms; ++k) terms[block.first_term + k] = 0;
    for (std::uint32_t i = 0; i < block.size; ++i) {
      Complex left = 0;
      double size = 0;
      for (std::size_t j = 0; j < size_; ++j) {
        const Complex product = row[j] * vectors_[j * size_ + block.first + i];
        left += product;
        size += std::abs(product);
      }
      sizes[b] += size * std::abs(vector[i]);
      for (std::uint32_t k = 0; k < block.terms; ++k)
        terms[block.first_term + k] += left * vector[k * block.size + i];
    }
    vector += std::size_t{block.terms} * block.size;
  }
}

void Spectrum::displacement(std::span<const Complex> vectors, double s, double* out) const {
  std::fill_n(out, size_, 0.0);
  Complex integrals[kMostTerms];
  const Complex* vector = vectors.data();
  for (const Block& block : blocks_) {
    exponential_integrals(block.eigenvalue, s, std::span(integrals).first(block.terms));
    for (std::uint32_t i = 0; i < block.size; ++i) {
      Complex z = 0;
      for (std::uint32_t k = 0; k < block.terms; ++k) z += integrals[k] * vector[k * block.size + i];
      for (std::size_t j = 0; j < size_; ++j) out[j] += (vectors_[j * size_ + block.first + i] * z).real();
    }
    vector += std::size_t{block.terms} * block.size;
  }
}

}  // namespace runtime
