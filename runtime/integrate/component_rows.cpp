#include "runtime/integrate/component_rows.h"

#include <cmath>

namespace runtime {

const Output ComponentRows::kNoOutput;

bool ComponentRows::row(double time, const std::vector<double>& values) {
  // A row that misses the time of an event by a rounding error is at that time (TimeLoop::write_rows).
  const double margin = time < stop_ ? 8 * std::numeric_limits<double>::epsilon() * std::abs(time) : 0;
  if (!components_.advance(time, margin, values, parameters_)) {
    failure_ = components_.failure();
    return false;
  }
  if (!whole_.evaluator.run(observed_, whole_.point(time))) {
    failure_ = whole_.failure();
    failure_.time = time;
    return false;
  }
  return recorder_.row(time, whole_.values);
}

}  // namespace runtime
