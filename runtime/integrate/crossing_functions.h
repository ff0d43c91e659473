// The watched differences of the model (events/watched_differences.h) as functions of the unknowns of the
// integrator; crossing_search.h looks for their zero crossings.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/watched_differences.h"
#include "runtime/integrate/reduced_system.h"

namespace runtime {

class CrossingFunctions {
 public:
  CrossingFunctions(ModelInstance& instance, ReducedSystem& system, WatchedDifferences& watched)
      : instance_(instance), system_(system), watched_differences_(watched) {}
  /// To be called after ReducedSystem::prepare: determines the steps that the functions need.
  void prepare();

  /// The number of watched differences.
  std::size_t count() const { return watched_differences_.watched(); }

  /// All of them, `count()` values. False: a value could not be computed.
  bool differences(double time, const double* y, const double* rates, double* out);
  /// Those with these watched numbers.
  bool differences(double time, const double* y, const double* rates, std::span<const std::uint32_t> which,
                   double* out);
  /// The side on which difference `k` is held: 1 above zero, -1 below.
  double side(std::size_t k) const { return watched_differences_.side(k, instance_.parameters); }
  /// Below this it is rounding error; 0 unless measured.
  double rounding(std::size_t k) const { return watched_differences_.rounding(k); }
  /// The estimated magnitude of its terms, where the differences were evaluated last.
  double terms(std::size_t k) const { return watched_differences_.terms(k, instance_.values); }
  /// Its nominal magnitude; 0 if it has none.
  double nominal(std::size_t k) const { return watched_differences_.nominal(k); }
  const Failure& failure() const { return instance_.failure(); }

 private:
  ModelInstance& instance_;
  ReducedSystem& system_;
  WatchedDifferences& watched_differences_;
  std::vector<Step> steps_;  // what the differences read
};

}  // namespace runtime
