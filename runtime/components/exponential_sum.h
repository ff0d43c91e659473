// A function of time that a solution of linear differential equations gives, and its first fall below zero.
//
//   f(s) = c + Re sum over blocks i and k of g_ik E_k(l_i, s)          (spectrum.h)
//
// No zero is missed, however short the function is below it: an interval is left behind only if enclosures of
// the function, or of its derivative, show that there is none or exactly one. Each block is enclosed by its
// value and slope at the middle and a bound of its second derivative, or, where it has come to rest or varies
// much more quickly than the interval is long, by a bound of its magnitude: so one that decays in a
// nanosecond does not shorten the intervals of a second.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "runtime/components/spectrum.h"

namespace runtime {

class ExponentialSum {
 public:
  /// `terms`: Spectrum::project. Both outlive the function.
  ExponentialSum(const Spectrum& spectrum, double constant, std::span<const Spectrum::Complex> terms)
      : spectrum_(spectrum), constant_(constant), terms_(terms) {}

  struct Sample {
    double value = 0, slope = 0;
  };
  Sample sample(double s) const;
  double value(double s) const { return sample(s).value; }

  /// The least s in [from, to] at which the function has fallen below zero from above; at `from` it is below
  /// already unless `above`, which becomes what holds at `to`. Intervals shorter than `resolution` are not
  /// divided: there the values at both ends decide.
  std::optional<double> first_fall(double from, double to, double resolution, bool& above) const;
  /// Where the function falls below this level, s >= 0 being just behind that; 0 if it is below it from there
  /// to `s`.
  double fall_before(double s, double level) const;

 private:
  struct Enclosure {                            // over an interval
    double value = 0, slope = 0;                // at its middle
    double value_radius = 0, slope_radius = 0;  // how far either may be from that
  };
  Sample sample(const Spectrum::Block& block, double s) const;
  Enclosure enclose(double from, double to) const;
  double find_zero(double from, double to) const;

  const Spectrum& spectrum_;
  double constant_;
  std::span<const Spectrum::Complex> terms_;
};

}  // namespace runtime
