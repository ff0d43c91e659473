// The positions of a mechanism with loops, in coordinates that its other positions follow from explicitly.
//
// From what is fixed outwards, each position is computed from those before by one equation; where a joint
// leaves something open, it is a coordinate. Equations of which all unknowns are known by then are
// constraints between coordinates.
#pragma once
#include <cmath>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "compiler/reduce/rotations/rank.h"
#include "compiler/reduce/rotations/row_values.h"

namespace sigrel::reduce {

class Kinematics {
 public:
  Kinematics(system::System& system, RowValues& rows);

  bool is_known(std::uint32_t unknown) const { return known_[unknown]; }
  bool is_flow(std::uint32_t unknown) const { return is_flow_[unknown]; }
  std::span<const std::uint32_t> coordinates() const { return coordinates_; }
  std::span<const std::uint32_t> constraints() const { return constraints_; }  // equations
  /// The vector that an unknown is an element of: its instance, and its declaration there.
  using Vector = std::pair<std::uint32_t, std::pair<Span, std::string>>;
  Vector vector_of(std::uint32_t unknown) const;
  /// Whether the constraint is one of joints, rather than one between what moves them.
  bool is_of_joints(std::uint32_t constraint) const { return is_of_frames(constraints_[constraint]); }

  /// A point that satisfies the constraints, near the guesses and the initial values.
  struct Point {
    std::vector<double> values;  // of the unknowns; those that are not known are 0
    bool found = false;
    bool is_stationary = false;  // not found: the distance that is left has no smaller value nearby
    std::vector<double> residuals;
  };
  Point start();
  /// Coordinates to which initial equations give numbers with which the loops cannot be closed, and the point
  /// with the least distance; none if they can. After `start`, if that has found a point.
  struct Contradiction {
    std::vector<std::uint32_t> unknowns;
    Point point;
  };
  std::optional<Contradiction> contradiction();
  /// Whether the coordinate, or one that is equal to it, has a guess or an initial value.
  bool is_given(std::uint32_t coordinate) const { return given_[coordinates_[coordinate]]; }
  /// Whether its guess, if it has one, is not its value at this point.
  bool differs_from_guess(std::uint32_t coordinate, const Point& point) const {
    const std::uint32_t u = coordinates_[coordinate];
    return guessed_[u] && !(std::abs(point.values[u] - given_value_[u]) <= 1e-9);
  }
  /// A position of another kind, in which a mechanism whose coordinates are all determined can be assembled
  /// as well. None: none was found from some positions at random, or a coordinate has a guess, which chooses.
  struct Alternative {
    std::uint32_t unknown = 0;  // a coordinate that differs
    double value = 0, other = 0;
  };
  std::optional<Alternative> alternative(const Point& point);
  /// Another point: the coordinates are moved at random where the constraints allow it, and corrected.
  Point perturbed(const Point& point);

  struct Entry {
    std::uint32_t row = 0, column = 0;  // constraint and coordinate
    double value = 0;
  };
  /// Coordinates of loops that the constraints and the initial equations leave free: they may start from
  /// their guesses. Those with a guess rather than others, and those of the first joints. Which ones these
  /// can be is a matter of numbers: the angle of a crank determines the distance of two ball joints, and
  /// leaves a turn about their line. `nearby`: a point where no derivative is zero by chance. Empty for large
  /// mechanisms.
  std::vector<std::uint32_t> independent(const Point& point, const Point& nearby);
  /// Coordinates of loops that are free at this point, but not nearby: the position is singular. Empty for
  /// large mechanisms.
  std::vector<std::uint32_t> free_only_at(const Point& point, const Point& nearby);
  /// The derivatives of the constraints with respect to the coordinates.
  std::vector<Entry> jacobian(const Point& point);

 private:
  /// The derivatives of the constraints and of the initial equations.
  struct LoopMatrix {
    std::vector<MatrixEntry> entries;
    std::uint32_t rows = 0;
    std::vector<bool> takes_part;  // of coordinates: in a constraint
  };
  LoopMatrix loop_matrix(const Point& point);
  std::vector<std::uint32_t> dependent_coordinates(const LoopMatrix& m, double threshold) const;
  bool is_of_frames(std::uint32_t equation) const;
  void find_frames();
  void order();
  bool waits_for_pose(std::uint32_t equation) const;
  bool closes_loop(std::uint32_t equation) const;
  void leave_open(std::uint32_t equation, std::vector<std::uint32_t>& front);
  void add_coordinate(std::uint32_t unknown);
  void propagate();
  void evaluate(std::vector<double>& values);
  std::vector<double> residuals(std::vector<double>& values);
  /// `held`: coordinates that do not change; none if it is empty.
  Point solve(std::vector<double> values, bool with_initial, const std::vector<bool>& held = {});
  void keep_guesses(Point& point, const std::vector<double>& guesses, bool with_initial);
  void keep_lengths(Point& point, const std::vector<double>& guesses);
  Point solve_near_given(const std::vector<double>& guesses, bool with_initial);
  double moved(const Point& point, const std::vector<double>& guesses) const;
  bool is_initial(std::uint32_t coordinate) const {
    return is_given(coordinate) && initial_given_[coordinates_[coordinate]];
  }
  std::vector<double> guesses();
  bool is_angle(std::uint32_t unknown) const;
  double any_value(std::uint32_t unknown, std::mt19937& random) const;
  bool is_default(const system::Attribute& guess, std::span<const Span> heads) const;
  void gradient_of(std::uint32_t equation, RowValues& rows, const std::vector<double>& values,
                   std::vector<std::pair<std::uint32_t, double>>& out);

  system::System& system_;
  RowValues& rows_;
  RowValues initial_rows_;
  std::vector<bool> is_flow_, is_pose_;                        // of unknowns
  std::vector<bool> known_, given_, guessed_, initial_given_;  // of unknowns
  bool holds_initial_values_ = true;                           // at the start
  std::vector<double> given_value_;                            // of unknowns
  std::vector<std::vector<std::uint32_t>> rows_of_;  // of unknowns: equations without derivatives and flows
  std::vector<std::uint32_t> open_;                  // of equations: unknowns that are not known
  struct Step {
    std::uint32_t equation = 0, unknown = 0, slot = 0;
  };
  std::vector<Step> steps_;
  std::vector<std::uint32_t> step_of_;        // of unknowns; kNone
  std::vector<std::uint32_t> coordinate_of_;  // of unknowns; kNone
  std::vector<std::uint32_t> coordinates_, constraints_, ready_, initial_;
  std::vector<double> gradient_;
};

}  // namespace sigrel::reduce
