// Configurations of a mechanism: values of its coordinates that satisfy the constraints of its loops. They
// are found by the Levenberg-Marquardt method (Nocedal and Wright, Numerical Optimization, 2006, section
// 10.3), from the guesses and the initial values of the model.
#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/reduce/mechanisms/kinematics.h"

namespace sigrel::reduce {

/// Up to so many coordinates in loops other configurations, free coordinates and singular ones are looked
/// for.
inline constexpr std::uint32_t kFewCoordinates = 60;

struct Configuration {
  std::vector<double> values;  // of the unknowns; those that are no positions are 0
  bool found = false;
  bool is_stationary = false;     // not found: the distance that is left has no smaller value nearby
  std::vector<double> residuals;  // of the constraints, in their units
};

class ConfigurationSearch {
 public:
  ConfigurationSearch(const system::System& system, RowValues& rows, Kinematics& kinematics);

  /// One that satisfies the constraints, near the guesses and the initial values.
  Configuration start();
  /// Coordinates to which initial equations give numbers with which the loops cannot be closed, and the
  /// configuration with the least distance; none if they can. After `start`.
  struct Contradiction {
    std::vector<std::uint32_t> unknowns;
    Configuration configuration;
  };
  const std::optional<Contradiction>& contradiction() const { return contradiction_; }
  /// Whether the coordinate, or one that is equal to it, has a guess or an initial value.
  bool is_given(std::uint32_t coordinate) const { return given_[kinematics_.coordinates()[coordinate]]; }
  bool is_guessed(std::uint32_t coordinate) const { return guessed_[kinematics_.coordinates()[coordinate]]; }
  /// Whether its guess, if it has one, is not its value there.
  bool differs_from_guess(std::uint32_t coordinate, const Configuration& configuration) const {
    const std::uint32_t u = kinematics_.coordinates()[coordinate];
    return guessed_[u] &&
           !(std::abs(configuration.values[u] - given_value_[u]) <= 1e-9 * kinematics_.unit(u));
  }
  /// A configuration of another kind, in which a mechanism whose coordinates are all determined can be
  /// assembled as well. None: none was found from some values at random, or a coordinate has a guess, which
  /// chooses.
  struct Alternative {
    std::uint32_t unknown = 0;  // the coordinate that differs most
    double value = 0, other = 0;
    bool has_default = false;  // a guess in the definition of its part, which does not choose
  };
  std::optional<Alternative> alternative(const Configuration& configuration);
  bool is_few() const { return kinematics_.coordinates_in_loops() <= kFewCoordinates; }
  /// Another one: the coordinates are moved, in their units, where the constraints allow it, and corrected.
  /// `zero`: pivots that count as zero, relative to the largest one.
  Configuration moved(const Configuration& configuration, std::span<const double> by_coordinate,
                      double zero = kZeroPivot);

 private:
  struct Search {
    Kinematics::Rows rows = Kinematics::Rows::WithInitial;
    std::vector<bool> held = {};  // coordinates that do not change; none if it is empty
    std::span<const Kinematics::Target> targets = {};
    double zero = kZeroPivot;
  };
  double difference(std::uint32_t unknown, double a, double b) const;
  Configuration solve(std::vector<double> values, const Search& search);
  void keep_guesses(Configuration& configuration);
  void normalise(Configuration& configuration);
  Configuration solve_near_given();
  Configuration solve_with_initial_values();
  double distance_from_given(const Configuration& configuration) const;
  void find_given();
  bool add_turns(std::vector<double>& values);
  Configuration search();
  bool is_default(const system::Attribute& guess, std::span<const Span> heads) const;

  const system::System& system_;
  RowValues& rows_;
  Kinematics& kinematics_;
  std::vector<std::uint32_t> positions_, poses_;       // unknowns
  std::vector<bool> given_, guessed_, initial_given_;  // of unknowns
  std::vector<double> given_value_;                    // of unknowns
  std::vector<Kinematics::Target> targets_;            // guesses of positions that are no coordinates
  std::optional<Contradiction> contradiction_;
};

}  // namespace sigrel::reduce
