// When the argument of one zero crossing will leave the piece that is held: a polynomial of the second degree
// through its values at three times, and how long that is to be trusted. The argument of a comparison is its
// difference, and its pieces are the two sides of zero.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/interval.h"
#include "runtime/quantised/polynomial.h"

namespace runtime {

/// The error of the predicted time of a crossing, as a part of the time range.
constexpr double kPredictionError = 1e-6;

struct CrossingPrediction {
  double time = 0;       // at which the argument was evaluated
  Quadratic argument;    // from `time` on
  double held = 0;       // ZeroCrossingFunctions::held
  Interval piece;        // the arguments for which this is held
  double largest = 0;    // distance from the ends of pieces so far
  double magnitude = 0;  // of the argument so far
  double interval = 0;   // seconds: the scale of finite differences
  double trusted = 0;    // seconds
  double zero = 0;       // within this distance the argument is at an end, until it is further inside
  double deepest = 0;    // distance outside at which the piece has been held, since the argument was inside
  int deeper = 0;        // how often this distance has grown
  bool outside = false;  // rests at an end to which it has jumped and which does not belong to the piece

  /// Sets the polynomial by the values g, g1, g2 at `now` and h and 2 h later.
  void set(double now, double g, double g1, double g2, double h, double longest) {
    constexpr double kRounding = 32 * std::numeric_limits<double>::epsilon();
    constexpr double kError = 1e-3;  // of the largest distance
    constexpr double kGrowth = 4;
    constexpr double kShort = 1e-2;
    outside = false;
    const double previous = now - time;
    const double error = std::abs(argument(previous) - g);
    const double second = g - 2 * g1 + g2;
    const bool curved = std::abs(second) > kRounding * std::max({std::abs(g), std::abs(g1), std::abs(g2)});
    argument = {g, (curved ? 4 * g1 - 3 * g - g2 : g2 - g) / (2 * h), curved ? second / (2 * h * h) : 0};
    magnitude = std::max(magnitude, std::abs(g));
    // The distance by which a jump has left a bounded piece is no measure.
    const double inside = distance();
    largest = std::max(largest, piece.is_bounded() ? inside : std::abs(inside));
    const double before = std::max(trusted, interval);
    trusted = std::min(longest, std::max(before, kGrowth * previous));
    // The error of the prediction grows with the third power of time; after a short time other errors
    // prevail.
    if (error > kRounding * magnitude && previous > kShort * before)
      trusted = std::min(trusted, previous * std::cbrt(kError * largest / error));
    time = now;
    if (std::abs(inside) > zero) zero = 0;
    if (inside > rounding()) {
      deepest = 0;
      deeper = 0;
    }
  }
  /// The argument is no number at `now`: what is held stays until it is one.
  void set_undefined(double now, double longest) {
    const bool low = std::isfinite(piece.low), high = std::isfinite(piece.high);
    argument = {low && high ? (piece.low + piece.high) / 2 : low ? piece.low + 1 : piece.high - 1, 0, 0};
    time = now;
    trusted = longest;
    zero = 0;
    outside = false;
  }
  /// Whether the argument rests exactly at an end.
  bool rests_at_end() const { return distance() == 0 && argument.c1 == 0 && argument.c2 == 0; }
  void hold(double value, Interval bounds) {
    held = value;
    piece = bounds;
  }
  /// What is held has been decided at this instant: an argument that is on the other side of an end, or
  /// within rounding errors of it, is at this end. False: so it has been decided again and again, each time
  /// further outside, as for a ball whose last bounce no longer lifts it above the ground.
  bool accept_held() {
    constexpr int kMostDecisions = 8;
    outside = false;
    const double inside = distance();
    if (inside > rounding()) return true;
    zero = std::max(rounding(), -2 * inside);
    if (-inside > std::max(deepest, rounding())) {
      deepest = -inside;
      ++deeper;
    }
    return deeper < kMostDecisions;
  }

  /// From the nearest end of the piece: positive inside.
  double distance() const { return std::min(argument.c0 - piece.low, piece.high - argument.c0); }
  /// Arguments that differ by this are the same, up to rounding.
  double rounding() const {
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    return kEpsilon * (64 * magnitude + 4 * std::abs(argument.c1 * time));
  }
  /// Whether the argument leaves the piece now, up to rounding errors. One that rests exactly at the end does
  /// not.
  bool leaves() const {
    if (outside) return true;
    auto falls = [&](double inside, double slope) {
      return zero == 0 ? inside < 0 || (inside <= rounding() && slope < 0) : inside < -zero;
    };
    return falls(argument.c0 - piece.low, argument.c1) || falls(piece.high - argument.c0, -argument.c1);
  }
  /// Seconds after `time` until it does: 0 where it is outside already. An argument at an end, right after a
  /// crossing, has to leave the piece by more than rounding errors.
  double next_exit() const {
    if (outside) return 0;
    double next = std::numeric_limits<double>::infinity();
    if (std::isfinite(piece.low)) next = std::min(next, first_fall(argument + (zero - piece.low)));
    if (std::isfinite(piece.high)) next = std::min(next, first_fall(-argument + (zero + piece.high)));
    return next;
  }
};

}  // namespace runtime
