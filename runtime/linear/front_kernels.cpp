#include "runtime/linear/front_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "runtime/linear/simd_dispatch.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // no vector is passed to a function that is not inlined

namespace runtime {

namespace {

#define ALWAYS_INLINE inline __attribute__((always_inline))

using Two __attribute__((vector_size(16))) = double;
using Four __attribute__((vector_size(32))) = double;
using Eight __attribute__((vector_size(64))) = double;

ALWAYS_INLINE void pick(const double* y, const std::uint32_t* at, Two& v) { v = Two{y[at[0]], y[at[1]]}; }
ALWAYS_INLINE void pick(const double* y, const std::uint32_t* at, Four& v) {
  v = Four{y[at[0]], y[at[1]], y[at[2]], y[at[3]]};
}
ALWAYS_INLINE void pick(const double* y, const std::uint32_t* at, Eight& v) {
  v = Eight{y[at[0]], y[at[1]], y[at[2]], y[at[3]], y[at[4]], y[at[5]], y[at[6]], y[at[7]]};
}

/// Calls `body` with the number of pivots of a panel as a compile-time constant.
template <class Body>
ALWAYS_INLINE void with_count(std::size_t count, const Body& body) {
  switch (count) {
    case 1: return body(std::integral_constant<std::size_t, 1>());
    case 2: return body(std::integral_constant<std::size_t, 2>());
    case 3: return body(std::integral_constant<std::size_t, 3>());
    case 4: return body(std::integral_constant<std::size_t, 4>());
    case 5: return body(std::integral_constant<std::size_t, 5>());
    case 6: return body(std::integral_constant<std::size_t, 6>());
    case 7: return body(std::integral_constant<std::size_t, 7>());
    default: return body(std::integral_constant<std::size_t, kWidth>());
  }
}

/// The kernels for one vector unit, which processes kWidth columns in kParts parts.
template <class Lanes>
struct Unit {
  static constexpr std::size_t W = sizeof(Lanes) / sizeof(double), kParts = kWidth / W;

  static ALWAYS_INLINE Lanes load(const double* at) {
    Lanes v;
    std::memcpy(&v, at, sizeof v);
    return v;
  }
  static ALWAYS_INLINE void store(const Lanes& v, double* at) { std::memcpy(at, &v, sizeof v); }
  static ALWAYS_INLINE void note(Lanes& most, const Lanes& value) {
    const Lanes magnitude = value < 0 ? -value : value;
    most = magnitude > most ? magnitude : most;
  }
  static ALWAYS_INLINE double largest_of(const Lanes& most, double other) {
    double all[W];
    store(most, all);
    return std::max(other, *std::max_element(all, all + W));
  }

  static ALWAYS_INLINE bool invert(const Panel& panel, Block square, const double* least, Largest& largest) {
    // The rows of the square and of I become U and L⁻¹; then U⁻¹ is computed from the last row upwards.
    bool fine = true;
    with_count(panel.pivots, [&](auto count) __attribute__((always_inline)) {
      constexpr std::size_t n = count, parts = (n + W - 1) / W;
      Lanes row[n][parts], inverse[n][parts] = {};
      double reciprocal[n], lower = largest.lower, upper = largest.upper;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t b = 0; b < parts; ++b) row[i][b] = load(square.at + i * square.distance + b * W);
      for (std::size_t k = 0; k < n; ++k) {
        const double pivot = row[k][k / W][k % W];
        fine = fine && std::abs(pivot) > least[k];  // not with NaN either
        reciprocal[k] = 1 / pivot;
        for (std::size_t i = k + 1; i < n; ++i) {
          const double factor = row[i][k / W][k % W] * reciprocal[k];
          lower = std::max(lower, std::abs(factor));
          upper = std::max(upper, std::abs(row[k][i / W][i % W]));
          for (std::size_t b = 0; b < parts; ++b) {
            row[i][b] -= factor * row[k][b];
            inverse[i][b] -= factor * inverse[k][b];
          }
          inverse[i][k / W][k % W] = -factor;
        }
      }
      largest.lower = lower;
      largest.upper = upper;
      double columns[n][kWidth] = {};
      auto transpose = [&](double* to) __attribute__((always_inline)) {
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t b = 0; b < parts; ++b) store(inverse[i][b], columns[i] + b * W);
        for (std::size_t k = 0; k < n; ++k)
          for (std::size_t i = 0; i < kWidth; ++i) to[k * kWidth + i] = i < n ? columns[i][k] : 0;
      };
      transpose(panel.lower);
      for (std::size_t i = n; i-- > 0;) {
        for (std::size_t b = 0; b < parts; ++b) {
          Lanes sum = {};
          for (std::size_t k = i + 1; k < n; ++k) sum -= row[i][k / W][k % W] * inverse[k][b];
          inverse[i][b] = sum * reciprocal[i];
        }
        inverse[i][i / W][i % W] = reciprocal[i];
      }
      transpose(panel.upper);
    });
    return fine;
  }

  static ALWAYS_INLINE void eliminate(const Panel& panel, Block upper, Block lower, Largest& largest) {
    Lanes most_lower = {}, most_upper = {};
    with_count(panel.pivots, [&](auto count) __attribute__((always_inline)) {
      constexpr std::size_t n = count;
      for (std::size_t c = 0; c < panel.length; c += W) {
        Lanes u[n], l[n];
        for (std::size_t k = 0; k < n; ++k) {
          u[k] = load(upper.at + k * upper.distance + c);
          l[k] = load(lower.at + k * lower.distance + c);
        }
        for (std::size_t i = n; i-- > 0;) {  // a row depends on those before it
          l[i] *= panel.upper[i * kWidth + i];
          for (std::size_t k = 0; k < i; ++k) {
            u[i] += panel.lower[k * kWidth + i] * u[k];
            l[i] += panel.upper[i * kWidth + k] * l[k];
          }
          note(most_upper, u[i]);
          note(most_lower, l[i]);
          store(u[i], upper.at + i * upper.distance + c);
          store(l[i], lower.at + i * lower.distance + c);
          store(u[i], panel.upper + n * kWidth + i * panel.length + c);
          store(l[i], panel.lower + n * kWidth + i * panel.length + c);
        }
      }
    });
    largest.lower = largest_of(most_lower, largest.lower);
    largest.upper = largest_of(most_upper, largest.upper);
  }

  template <std::size_t Rows>
  static ALWAYS_INLINE void subtract_rows(std::size_t depth, Block left, Block right, std::size_t columns,
                                          Block from, Block to) {
    for (std::size_t c = 0; c < columns; c += kWidth) {
      Lanes sum[Rows][kParts];
      for (std::size_t a = 0; a < Rows; ++a)
        for (std::size_t b = 0; b < kParts; ++b) sum[a][b] = load(from.at + a * from.distance + c + b * W);
      const double *l = left.at, *r = right.at + c;
      for (std::size_t k = 0; k < depth; ++k, l += left.distance, r += right.distance)
        for (std::size_t a = 0; a < Rows; ++a)
          for (std::size_t b = 0; b < kParts; ++b) sum[a][b] -= l[a] * load(r + b * W);
      for (std::size_t a = 0; a < Rows; ++a)
        for (std::size_t b = 0; b < kParts; ++b) store(sum[a][b], to.at + a * to.distance + c + b * W);
    }
  }
  static ALWAYS_INLINE void subtract_product(std::size_t depth, Block left, Block right, std::size_t rows,
                                             std::size_t columns, Block from, Block to) {
    auto next = [&](std::size_t count) {
      left.at += count;
      from.at += count * from.distance;
      to.at += count * to.distance;
    };
    for (; rows >= 4; rows -= 4, next(4)) subtract_rows<4>(depth, left, right, columns, from, to);
    for (; rows > 0; --rows, next(1)) subtract_rows<1>(depth, left, right, columns, from, to);
  }

  static ALWAYS_INLINE void solve_lower(std::span<const Panel> panels, double* y) {
    for (const Panel& panel : panels)
      with_count(panel.pivots, [&](auto count) __attribute__((always_inline)) {
        constexpr std::size_t n = count;
        double x[kWidth];
        Lanes sum[kParts];
        // Entries beyond the pivots do not change: the columns are zero there.
        for (std::size_t b = 0; b < kParts; ++b) {
          sum[b] = load(y + panel.first + b * W);
          for (std::size_t k = 0; k < n; ++k)
            sum[b] += y[panel.first + k] * load(panel.lower + k * kWidth + b * W);
        }
        for (std::size_t b = 0; b < kParts; ++b) {
          store(sum[b], x + b * W);
          store(sum[b], y + panel.first + b * W);
        }
        const double* column = panel.lower + n * kWidth;
        for (std::size_t c = 0; c < panel.length; c += kWidth) {
          double products[kWidth];
          for (std::size_t b = 0; b < kParts; ++b) {
            Lanes product = x[0] * load(column + c + b * W);
            for (std::size_t k = 1; k < n; ++k) product += x[k] * load(column + k * panel.length + c + b * W);
            store(product, products + b * W);
          }
          for (std::size_t lane = 0; lane < kWidth; ++lane) y[panel.later[c + lane]] -= products[lane];
        }
      });
  }

  static ALWAYS_INLINE void solve_upper(std::span<const Panel> panels, double* y) {
    for (std::size_t p = panels.size(); p-- > 0;) {
      const Panel& panel = panels[p];
      with_count(panel.pivots, [&](auto count) __attribute__((always_inline)) {
        constexpr std::size_t n = count;
        Lanes sum[n][kParts] = {};
        const double* row = panel.upper + n * kWidth;
        for (std::size_t c = 0; c < panel.length; c += kWidth)
          for (std::size_t b = 0; b < kParts; ++b) {
            Lanes known;
            pick(y, panel.later + c + b * W, known);
            for (std::size_t k = 0; k < n; ++k) sum[k][b] += load(row + k * panel.length + c + b * W) * known;
          }
        double* x = y + panel.first;
        Lanes solution[kParts] = {};
        for (std::size_t k = 0; k < n; ++k) {
          double s[kWidth];
          for (std::size_t b = 0; b < kParts; ++b) store(sum[k][b], s + b * W);
          const double left = x[k] - (((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])));
          for (std::size_t b = 0; b < kParts; ++b)
            solution[b] += left * load(panel.upper + k * kWidth + b * W);
        }
        double s[kWidth];
        for (std::size_t b = 0; b < kParts; ++b) store(solution[b], s + b * W);
        for (std::size_t k = 0; k < n; ++k) x[k] = s[k];
      });
    }
  }
};

#ifdef SEVERAL_TARGETS  // the loader selects the version for the machine
#define EACH_UNIT(DECLARATION, CALL)                                           \
  __attribute__((target("avx512f"))) DECLARATION { return Unit<Eight>::CALL; } \
  __attribute__((target("avx2"))) DECLARATION { return Unit<Four>::CALL; }     \
  __attribute__((target("default"))) DECLARATION { return Unit<Two>::CALL; }
#else
#define EACH_UNIT(DECLARATION, CALL) \
  DECLARATION { return Unit<Two>::CALL; }
#endif

EACH_UNIT(bool invert_here(const Panel& panel, Block square, const double* least, Largest& largest),
          invert(panel, square, least, largest))
EACH_UNIT(void eliminate_here(const Panel& panel, Block upper, Block lower, Largest& largest),
          eliminate(panel, upper, lower, largest))
EACH_UNIT(void subtract_here(std::size_t depth, Block left, Block right, std::size_t rows,
                             std::size_t columns, Block from, Block to),
          subtract_product(depth, left, right, rows, columns, from, to))
EACH_UNIT(void solve_lower_here(std::span<const Panel> panels, double* y), solve_lower(panels, y))
EACH_UNIT(void solve_upper_here(std::span<const Panel> panels, double* y), solve_upper(panels, y))

}  // namespace

bool invert(const Panel& panel, Block square, const double* least, Largest& largest) {
  return invert_here(panel, square, least, largest);
}
void eliminate(const Panel& panel, Block upper, Block lower, Largest& largest) {
  eliminate_here(panel, upper, lower, largest);
}
void subtract_product(std::size_t depth, Block left, Block right, std::size_t rows, std::size_t columns,
                      Block from, Block to) {
  subtract_here(depth, left, right, rows, columns, from, to);
}
void solve_lower(std::span<const Panel> panels, double* y) { solve_lower_here(panels, y); }
void solve_upper(std::span<const Panel> panels, double* y) { solve_upper_here(panels, y); }

}  // namespace runtime
