// The first zero crossing of a component with several states that is solved exactly.
//
// Each watched difference is a sum of exponentials, seen from the side on which it is held. All are followed
// through intervals that grow, so that a long time without events is not searched where one of them crosses
// early. A crossing is one by more than the rounding errors of the difference: a diode whose current comes to
// rest at zero does not switch. The event is at the zero itself: what it assigns has its errors no larger.
#include <algorithm>
#include <cmath>

#include "runtime/components/exact_form.h"
#include "runtime/components/exponential_sum.h"

namespace runtime {

namespace {
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kRounding = 64 * kEpsilon;  // of a difference, relative to its terms
constexpr double kTogether = 1e-10;          // of a difference, relative to its largest magnitude so far
constexpr double kGrowth = 4;                // of the intervals
constexpr double kRest = 8;                  // times its rounding errors: what a difference at rest may reach
}  // namespace

/// Whether a difference crosses zero at this instant up to the errors of algebraic loops, as that of another
/// diode in the same path.
bool ExactForm::crosses_here(std::size_t component, std::uint32_t w) const {
  const std::size_t n = states();
  if (n == 1) return false;
  const ZeroCrossings& crossings = events.zero_crossings();
  const std::uint32_t k = crossings.functions().watched()[w];
  if (std::abs(crossings.functions().differences()[k]) > kTogether * crossings.largest(k)) return false;
  double rate = 0;
  for (std::size_t j = 0; j < n; ++j)
    rate += pieces[component].mode->slopes[w * n + j] * instance.values[part.model.states[j].derivative];
  return events.watched_differences().side(w, instance.parameters) * rate < 0;
}

/// Until the limit.
void ExactForm::find_end(std::size_t component, double limit) {
  const std::size_t n = states();
  Piece& piece = pieces[component];
  const Mode& mode = *piece.mode;
  const Spectrum& spectrum = *mode.spectrum;
  const double length = std::max(limit - piece.start, 0.0);
  double until = std::min(length, spectrum.horizon());
  spectrum.expand(rates(component), vectors_);
  const std::size_t watched = events.zero_crossings().functions().watched().size();
  terms_.resize(watched * spectrum.terms());
  above_.resize(watched);
  tolerances_.resize(watched);
  sizes_.resize(spectrum.blocks().size());
  bool coarse = false;
  const auto end_piece = [&] {
    piece.end = until < length ? piece.start + until : std::numeric_limits<double>::infinity();
    piece.watched = until < length ? Piece::kHorizon : Piece::kTime;
  };
  end_piece();
  std::vector<ExponentialSum> functions;
  functions.reserve(watched);
  for (std::uint32_t w = 0; w < watched; ++w) {
    const double side = events.watched_differences().side(w, instance.parameters);
    const double difference = differences_[events.zero_crossings().functions().watched()[w]];
    const std::span terms = std::span(terms_).subspan(w * spectrum.terms(), spectrum.terms());
    const double* row = mode.slopes.data() + w * n;
    spectrum.project(row, vectors_, terms, sizes_);
    double size = std::abs(difference), rate = 0;
    for (std::size_t j = 0; j < n; ++j) size += std::abs(row[j] * from(component)[j]);
    for (std::size_t b = 0; b < sizes_.size(); ++b) {
      rate += sizes_[b];
      size += sizes_[b] * std::min(until, 1 / std::abs(spectrum.blocks()[b].eigenvalue));
    }
    for (Spectrum::Complex& term : terms) term *= side;
    tolerances_[w] = kRounding * size;
    if (!std::isfinite(size)) return;  // the next row tells
    coarse = coarse || tolerances_[w] > Piece::kCoarse * events.watched_differences().nominal(w);
    functions.emplace_back(spectrum, side * difference + tolerances_[w], terms);
    const ExponentialSum::Sample now = functions.back().sample(0);
    above_[w] = now.value >= 0;
    if (above_[w] || now.slope >= -kRounding * rate) continue;
    piece.end = piece.start;  // it is beyond zero already, and leaves it
    piece.watched = w;
    piece.is_rounding = true;
    return;
  }
  if (coarse && spectrum.slowest_decay() > 0)
    until = std::min(until, Piece::kDecay / spectrum.slowest_decay());
  end_piece();
  double begin = 0, end = until, crossing = 0;
  if (spectrum.fastest() > 0) end = std::min(end, kGrowth / spectrum.fastest());
  for (; begin < until && !piece.ends_by_crossing(); begin = end, end = std::min(until, kGrowth * end)) {
    double first = end;
    const double resolution = 2 * kEpsilon * std::max(std::abs(piece.start), std::abs(piece.start + end));
    for (std::uint32_t w = 0; w < watched; ++w) {
      bool above = above_[w];
      const std::optional<double> fall = functions[w].first_fall(begin, first, resolution, above);
      above_[w] = above;
      if (!fall) continue;
      first = crossing = *fall;
      piece.watched = w;
    }
  }
  if (piece.ends_by_crossing()) end_at_crossing(piece, functions[piece.watched], crossing);
}

/// The end of a piece by a difference that falls below its rounding errors there: where it is zero.
void ExactForm::end_at_crossing(Piece& piece, const ExponentialSum& function, double s) const {
  const double zero = tolerances_[piece.watched];
  s = function.fall_before(s, zero);
  piece.end = piece.start + s;
  if (piece.end - piece.start < s) piece.end = std::nextafter(piece.end, HUGE_VAL);
  piece.is_rounding = std::max(std::abs(function.value(0)), std::abs(function.value(s / 2))) <= kRest * zero;
}

}  // namespace runtime
