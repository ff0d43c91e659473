// Sparse linear systems: solutions of regular matrices, and matrices that have none.
#include <algorithm>
#include <cmath>

#include "runtime/linear/linear_system.h"
#include "tests/property/property.h"

using namespace runtime;

namespace {

struct Element {
  std::uint32_t row, column;
  double value;
};

/// Dense, by rows.
struct Dense {
  std::size_t n;
  std::vector<double> values;
  double& operator()(std::size_t r, std::size_t c) { return values[r * n + c]; }
  double operator()(std::size_t r, std::size_t c) const { return values[r * n + c]; }
};

double norm(const Dense& a) {  // the largest sum of a row
  double largest = 0;
  for (std::size_t r = 0; r < a.n; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < a.n; ++c) sum += std::fabs(a(r, c));
    largest = std::max(largest, sum);
  }
  return largest;
}
double norm(const std::vector<double>& x) {
  double largest = 0;
  for (double v : x) largest = std::max(largest, std::fabs(v));
  return largest;
}

/// The condition number in the norm of the largest sum of a row, from the inverse by Gauss and Jordan's
/// method with complete pivoting; infinite when a pivot vanishes.
double condition(const Dense& matrix) {
  const std::size_t n = matrix.n;
  Dense a = matrix, inverse{n, std::vector<double>(n * n, 0.0)};
  for (std::size_t k = 0; k < n; ++k) inverse(k, k) = 1;
  std::vector<bool> row_used(n, false), column_used(n, false);
  std::vector<std::size_t> column_of_row(n, 0);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t row = n, column = n;
    double largest = 0;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c)
        if (!row_used[r] && !column_used[c] && std::fabs(a(r, c)) > largest)
          largest = std::fabs(a(r, c)), row = r, column = c;
    if (row == n) return HUGE_VAL;
    row_used[row] = column_used[column] = true;
    column_of_row[row] = column;
    const double pivot = a(row, column);
    for (std::size_t c = 0; c < n; ++c) a(row, c) /= pivot, inverse(row, c) /= pivot;
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = r == row ? 0 : a(r, column);
      if (factor == 0) continue;
      for (std::size_t c = 0; c < n; ++c)
        a(r, c) -= factor * a(row, c), inverse(r, c) -= factor * inverse(row, c);
    }
  }
  return norm(matrix) * norm(inverse);  // rows of the inverse are permuted, which leaves its norm
}

double number() {
  const int value = *rc::gen::resize(100, rc::gen::inRange(-999, 1000));
  return (value < 0 ? value - 1 : value + 1) * 1e-3;
}

/// An entry in each row and column, at places that a permutation gives, and others anywhere; entries have
/// sizes between 0.001 and 1.
std::vector<Element> elements(std::uint32_t n) {
  const auto keys = *rc::gen::container<std::vector<std::uint16_t>>(
      n, rc::gen::resize(100, rc::gen::inRange<std::uint16_t>(0, 1000)));
  std::vector<std::uint32_t> column(n);
  for (std::uint32_t k = 0; k < n; ++k) column[k] = k;
  std::ranges::stable_sort(column, {}, [&](std::uint32_t k) { return keys[k]; });
  std::vector<Element> result;
  for (std::uint32_t r = 0; r < n; ++r) result.push_back({r, column[r], number()});
  const auto places = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
      rc::gen::resize(100, rc::gen::pair(rc::gen::inRange(0u, n), rc::gen::inRange(0u, n))));
  for (auto [r, c] : places) result.push_back({r, c, number()});
  return result;
}

struct Assembled {
  SparsePattern pattern;
  std::vector<double> values;
  Dense dense;
};
Assembled assemble(std::uint32_t n, const std::vector<Element>& elements) {
  std::vector<Entry> entries;
  for (const Element& e : elements) entries.push_back({e.row, e.column});
  std::vector<std::uint32_t> positions;
  Assembled result{compress(n, entries, positions), {}, {n, std::vector<double>(std::size_t{n} * n, 0.0)}};
  result.values.assign(result.pattern.nonzeros(), 0.0);
  for (std::size_t k = 0; k < elements.size(); ++k) {  // places that occur twice add up
    result.values[positions[k]] += elements[k].value;
    result.dense(elements[k].row, elements[k].column) += elements[k].value;
  }
  return result;
}

void set_values(LinearSystem& system, const std::vector<double>& values) {
  std::ranges::copy(values, system.values().begin());
}

/// Solves with a known solution: the residual is as small as the norms allow, the error as the condition
/// does.
void check_solution(LinearSystem& system, const Assembled& matrix, double condition_number) {
  const std::size_t n = matrix.dense.n;
  std::vector<double> wanted(n), right(n, 0.0), x(n);
  for (std::size_t k = 0; k < n; ++k) wanted[k] = 1 - 0.01 * static_cast<double>(k * k % 17);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) right[r] += matrix.dense(r, c) * wanted[c];
  system.solve(right.data(), x.data());
  double residual = 0, error = 0;
  for (std::size_t r = 0; r < n; ++r) {
    double sum = right[r];
    for (std::size_t c = 0; c < n; ++c) sum -= matrix.dense(r, c) * x[c];
    residual = std::max(residual, std::fabs(sum));
    error = std::max(error, std::fabs(x[r] - wanted[r]));
  }
  RC_LOG() << "condition " << condition_number << ", residual " << residual << ", error " << error << "\n";
  RC_ASSERT(residual <= 1e-11 * (norm(matrix.dense) * norm(x) + norm(right)));
  RC_ASSERT(error <= 1e-13 * condition_number * static_cast<double>(n));
}

}  // namespace

TEST_CASE("regular systems are solved with a small residual, dense and sparse, in any order of elimination") {
  int regular = 0;
  property::holds(
      [&] {
        const auto n = *rc::gen::inRange(1u, 40u);
        std::vector<Element> list = elements(n);
        const Assembled first = assemble(n, list);
        for (Element& e : list) e.value *= 1 - 0.1 * static_cast<double>((e.row + 2 * e.column) % 5);
        const Assembled second = assemble(n, list);  // with the pivots that were chosen for the first
        const double c1 = condition(first.dense), c2 = condition(second.dense);
        if (c1 > 1e8 || c2 > 1e8) return;
        ++regular;
        auto check = [&](LinearSystem system) {
          set_values(system, first.values);
          RC_ASSERT((system.factor() == LinearSystem::Status::Ok));
          check_solution(system, first, c1);
          set_values(system, second.values);
          RC_ASSERT((system.factor() == LinearSystem::Status::Ok));
          check_solution(system, second, c2);
        };
        check(LinearSystem(first.pattern, 1000));
        for (Ordering ordering : {Ordering::Auto, Ordering::Amd, Ordering::Leaves, Ordering::Ends})
          check(LinearSystem(first.pattern, 0, ordering));
      },
      {.cases = 1500, .size = 100});
  CHECK(regular >= 1000);
}

TEST_CASE("a matrix with two equal columns, or with a row too few, is singular") {
  property::holds(
      [] {
        const auto n = *rc::gen::inRange(2u, 30u);
        std::vector<Element> list = elements(n);
        const auto from = *rc::gen::inRange(0u, n), to = (from + 1 + *rc::gen::inRange(0u, n - 1)) % n;
        const bool equal = *rc::gen::arbitrary<bool>();
        std::erase_if(list, [&](const Element& e) { return equal ? e.column == to : e.row == to; });
        for (std::size_t k = 0, size = list.size(); equal && k < size; ++k)
          if (list[k].column == from) list.push_back({list[k].row, to, list[k].value});
        const Assembled matrix = assemble(n, list);
        for (std::size_t dense_limit : {std::size_t{0}, std::size_t{1000}}) {
          LinearSystem system(matrix.pattern, dense_limit);
          set_values(system, matrix.values);
          RC_ASSERT((system.factor() == LinearSystem::Status::Singular));
          RC_ASSERT(system.singular_column() < n);
        }
      },
      {.cases = 1500, .size = 100});
}
