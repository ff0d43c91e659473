#include "compiler/reduce/mechanisms/mobility.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <span>

#include "compiler/reduce/mechanisms/rank.h"

namespace sigrel::reduce {
namespace {

using Rows = Kinematics::Rows;

// Of columns of derivatives: what is a rounding error, and what at a singular configuration, which can only
// be found to the root of the accuracy of the constraints.
constexpr double kRounding = 1e-7, kSingular = 1e-5;
// Of a movement to a configuration nearby. Near a singular configuration, which itself is a regular one, the
// constraints change directions within a short way, too; what they take back of an even shorter one is less.
constexpr double kShort[] = {2e-3, 4e-4};
// Of a short movement: the part that the constraints have taken back, where they do not allow it.
constexpr double kTakenBack = 0.05;
constexpr double kLeastWay = 1e-4;  // others are rounding errors: the constraints allow no movement
constexpr int kDirections = 6;      // at random, that are examined
constexpr double kShorter = 0.4;    // than the way before, where that led nowhere

/// The part of a movement of the coordinates that changes no constraint to the first order.
std::vector<double> tangent(const std::vector<MatrixEntry>& jacobian, std::uint32_t rows,
                            std::vector<double> movement, double zero) {
  std::vector<double> along(rows, 0.0);
  for (const MatrixEntry& e : jacobian) along[e.row] += e.value * movement[e.column];
  const std::vector<double> back =
      least_squares(jacobian, rows, static_cast<std::uint32_t>(movement.size()), along, zero);
  for (std::size_t k = 0; k < movement.size(); ++k) movement[k] -= back[k];
  return movement;
}

/// In the units of the coordinates.
std::vector<double> at_random(const Kinematics& kinematics, std::mt19937& random) {
  std::uniform_real_distribution<double> number(0.02, 0.08);
  std::vector<double> result(kinematics.coordinates().size());
  for (double& movement : result) movement = random() % 2 ? number(random) : -number(random);
  return result;
}

/// Of coordinates: in a constraint.
std::vector<bool> take_part(Kinematics& kinematics, const Configuration& at) {
  std::vector<bool> result(kinematics.coordinates().size(), false);
  for (const MatrixEntry& e : kinematics.jacobian(at.values, Rows::Constraints)) result[e.column] = true;
  return result;
}

/// Coordinates that the constraints and the initial equations leave free: those with a given value if
/// possible, then those of the first joints.
std::vector<std::uint32_t> independent_coordinates(const ConfigurationSearch& search, Kinematics& kinematics,
                                                   const Configuration& at, double threshold) {
  // Those that are to be free come last.
  std::vector<std::uint32_t> order(kinematics.coordinates().size());
  std::iota(order.rbegin(), order.rend(), 0u);
  std::ranges::stable_partition(order, [&](std::uint32_t k) { return !search.is_given(k); });
  const std::size_t rows = kinematics.constraints().size() + kinematics.initial_equations().size();
  return dependent_on_earlier(kinematics.jacobian(at.values, Rows::WithInitial),
                              static_cast<std::uint32_t>(rows), order, threshold);
}

/// The coordinate that moves most in a motion that is possible to the first order only: a short movement
/// along it is taken back by the constraints.
std::optional<std::uint32_t> free_to_first_order(ConfigurationSearch& search, Kinematics& kinematics,
                                                 const Configuration& at) {
  const auto coordinates = kinematics.coordinates();
  const auto rows = static_cast<std::uint32_t>(kinematics.constraints().size());
  const std::vector<MatrixEntry> jacobian = kinematics.jacobian(at.values, Rows::Constraints);
  std::mt19937 random(1);
  auto taken_back = [&](std::vector<double> movement, double scale) -> std::optional<std::uint32_t> {
    std::vector<double> way(coordinates.size());
    for (double& m : movement) m *= scale;
    // Pivots are of the order of the way at a singular configuration, but of its square beside the
    // configurations of a mechanism like Bricard's, whose constraints depend on each other at these alone.
    const Configuration there = search.moved(at, movement, 0.1 * scale * scale);
    if (!there.found) return std::nullopt;
    for (std::size_t k = 0; k < way.size(); ++k)
      way[k] = (there.values[coordinates[k]] - at.values[coordinates[k]]) / kinematics.unit(coordinates[k]);
    const std::vector<double> left = tangent(jacobian, rows, std::move(way), kSingular);
    double whole = 0, taken = 0, most = 0;
    std::uint32_t coordinate = 0;
    for (std::uint32_t k = 0; k < left.size(); ++k) {
      const double back = std::abs(movement[k] - left[k]);
      whole += movement[k] * movement[k];
      taken += back * back;
      if (back > most) {
        most = back;
        coordinate = k;
      }
    }
    if (!(std::sqrt(taken) > std::max(kTakenBack * std::sqrt(whole), kLeastWay * scale))) return std::nullopt;
    return coordinate;
  };
  for (int direction = 0; direction < kDirections; ++direction) {
    const std::vector<double> movement = tangent(jacobian, rows, at_random(kinematics, random), kSingular);
    std::optional<std::uint32_t> coordinate;
    for (const double scale : kShort)
      if (coordinate = taken_back(movement, scale); !coordinate) break;
    if (coordinate) return coordinate;
  }
  return std::nullopt;
}

}  // namespace

Configuration displaced(Kinematics& kinematics, const Configuration& from) {
  Configuration result = from;
  std::mt19937 random(1);
  const std::vector<double> movement = at_random(kinematics, random);
  for (std::size_t k = 0; k < movement.size(); ++k) {
    const std::uint32_t u = kinematics.coordinates()[k];
    result.values[u] += movement[k] * kinematics.unit(u);
  }
  result.residuals = kinematics.residuals(result.values, Rows::Constraints);
  result.found = false;
  return result;
}

Configuration nearby(ConfigurationSearch& search, Kinematics& kinematics, const Configuration& from) {
  const auto rows = static_cast<std::uint32_t>(kinematics.constraints().size());
  const std::vector<MatrixEntry> jacobian = kinematics.jacobian(from.values, Rows::Constraints);
  std::mt19937 random(1);
  Configuration result;
  double scale = 1;
  for (int direction = 0; direction < kDirections && !result.found; ++direction, scale *= kShorter) {
    std::vector<double> movement = tangent(jacobian, rows, at_random(kinematics, random), kRounding);
    for (double& m : movement) m *= scale;
    result = search.moved(from, movement);
    if (!search.is_few()) break;
  }
  return result;
}

std::vector<std::uint32_t> free_coordinates(const ConfigurationSearch& search, Kinematics& kinematics,
                                            const Configuration& at, const Configuration& nearby) {
  const auto coordinates = kinematics.coordinates();
  if (!search.is_few()) return {};
  std::vector<std::uint32_t> result = independent_coordinates(search, kinematics, at, kRounding);
  // A vector takes part with all of its elements: the derivatives by the first number of the quaternion
  // (1, 0, 0, 0) are zero.
  const std::vector<bool> takes_part = take_part(kinematics, nearby.found ? nearby : at);
  std::set<Kinematics::Vector> vectors;
  for (std::uint32_t k = 0; k < coordinates.size(); ++k)
    if (takes_part[k]) vectors.insert(kinematics.vector_of(coordinates[k]));
  std::erase_if(result,
                [&](std::uint32_t k) { return !vectors.contains(kinematics.vector_of(coordinates[k])); });
  return result;
}

std::optional<SingularCoordinate> singular_coordinate(ConfigurationSearch& search, Kinematics& kinematics,
                                                      const Configuration& at, const Configuration& nearby) {
  if (!search.is_few() || !nearby.found) return std::nullopt;
  const std::vector<bool> takes_part = take_part(kinematics, nearby);
  const std::vector<std::uint32_t> here = independent_coordinates(search, kinematics, at, kSingular),
                                   there = independent_coordinates(search, kinematics, nearby, kSingular);
  if (here.size() > there.size())
    for (const std::uint32_t k : here)
      if (std::ranges::find(there, k) == there.end() && takes_part[k]) return SingularCoordinate{k, true};
  if (const auto k = free_to_first_order(search, kinematics, at)) return SingularCoordinate{*k, false};
  return std::nullopt;
}

}  // namespace sigrel::reduce
