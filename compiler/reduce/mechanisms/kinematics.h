// The positions of a mechanism with loops, in coordinates that its other positions follow from explicitly.
//
// From what is fixed outwards, each position is computed from those before by one equation; where a joint
// leaves something open, it is a coordinate. Equations of which all unknowns are known by then are
// constraints between coordinates.
//
// In the plane the first frame of what nothing holds is three coordinates (in space joints give these).
//
// Example: a pendulum has the angle of its hinge as coordinate. If its end also slides on a rail, the
// position of the slider is a second one, and the end is where both say: a constraint.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/reduce/mechanisms/rank.h"
#include "compiler/reduce/mechanisms/row_values.h"

namespace sigrel::reduce {

class Kinematics {
 public:
  Kinematics(system::System& system, RowValues& rows);

  bool is_known(std::uint32_t unknown) const { return known_[unknown]; }
  bool is_flow(std::uint32_t unknown) const { return is_flow_[unknown]; }
  bool is_pose(std::uint32_t unknown) const { return is_pose_[unknown]; }
  /// Whether the unknown is a pose or a coordinate.
  bool is_position(std::uint32_t unknown) const { return is_position_[unknown]; }
  bool is_angle(std::uint32_t unknown) const { return has_unit(unknown, "rad"); }
  /// Whether the angle says the same with a whole turn more: not one of a gear.
  bool is_modulo_turns(std::uint32_t unknown) const { return is_modulo_turns_[unknown]; }
  bool is_torque(std::uint32_t unknown) const { return has_unit(unknown, "N*m"); }
  bool is_length(std::uint32_t unknown) const { return is_length_[unknown]; }
  /// Unknowns.
  std::span<const std::uint32_t> coordinates() const { return coordinates_; }
  /// Whether a constraint contains the coordinate, or what is computed from it.
  bool is_in_loop(std::uint32_t coordinate) const { return in_loop_[coordinate]; }
  std::uint32_t coordinates_in_loops() const { return coordinates_in_loops_; }
  /// Equations.
  std::span<const std::uint32_t> constraints() const { return constraints_; }
  /// Whether the constraint is one of joints, rather than one between what moves them.
  bool is_of_joints(std::uint32_t constraint) const { return is_of_frames(constraints_[constraint]); }
  /// By constraint: whether a coordinate occurs in it, or in what it is computed from. Otherwise it only says
  /// again, or denies, what other equations say.
  std::vector<bool> bind_coordinates() const;
  /// By constraint: whether the time occurs in it, or in what it is computed from.
  std::vector<bool> depend_on_time();
  /// The vector that an unknown is an element of: its instance, and its declaration there.
  using Vector = std::pair<std::uint32_t, std::pair<Span, std::string>>;
  Vector vector_of(std::uint32_t unknown) const;

  /// What coordinates and residuals are relative to, so that the size of a mechanism makes no difference: of
  /// lengths in a loop the longest link that moves in it, or in loops connected with it, at these values of
  /// the coordinates; of others the longest link of all. A link has its largest extent along an axis of the
  /// world, so thresholds hold up to a factor of two.
  void choose_units(std::vector<double> values);
  double length() const { return length_; }  // in metres
  double unit(std::uint32_t unknown) const { return unit_[unknown]; }
  /// Of a row of Rows::WithInitial.
  double unit_of(std::uint32_t row) const { return units_[row]; }
  std::size_t rows() const { return units_.size(); }
  /// By row of Rows::WithInitial: whole turns that the residual leaves out. It does that in sums of angles,
  /// as around a loop of planar joints, and for initial values of angles; other combinations of angles, as of
  /// a gear, have 0, and what is no combination of angles has NaN.
  std::vector<double> turns(std::vector<double>& values);
  /// Residuals leave out no turns from now on.
  void count_turns() { counts_turns_ = true; }

  /// How a position that is no coordinate is computed; in the order of computation.
  struct Step {
    std::uint32_t equation = 0, unknown = 0, slot = 0;
  };
  std::span<const Step> steps() const { return steps_; }
  /// Initial equations between positions, by their numbers in `initial_rows`.
  std::span<const std::uint32_t> initial_equations() const { return initial_; }
  RowValues& initial_rows() { return initial_rows_; }

  /// The constraints, and the initial equations after them.
  enum class Rows : std::uint8_t { Constraints, WithInitial };
  /// A value that a position is to have.
  struct Target {
    std::uint32_t unknown = 0;
    double value = 0;
  };
  /// In the units of these rows. `values`, of all unknowns: those of the coordinates are given, the other
  /// positions are computed. The targets come last.
  std::vector<double> residuals(std::vector<double>& values, Rows which,
                                std::span<const Target> targets = {});
  /// The derivatives of these rows with respect to the coordinates, by row, in their units.
  std::vector<MatrixEntry> jacobian(const std::vector<double>& values, Rows which,
                                    std::span<const Target> targets = {});

 private:
  bool has_unit(std::uint32_t unknown, std::string_view unit) const;
  bool is_of_frames(std::uint32_t equation) const;
  /// Of a column of the template: the interface first.
  std::uint32_t unknown_of(const system::Instance& instance, std::uint32_t column) const;
  void find_frames();
  void order();
  bool add_free_frame(std::vector<std::uint32_t>& front);
  void drop_unrelated_constraints();
  void find_loops();
  bool waits_for_pose(std::uint32_t equation) const;
  bool closes_loop(std::uint32_t equation) const;
  void leave_open(std::uint32_t equation, std::vector<std::uint32_t>& front);
  std::vector<std::uint32_t> replace_by_definitions(std::uint32_t equation,
                                                    std::vector<std::uint32_t> unknowns);
  std::uint32_t definition_of(std::uint32_t unknown, const std::vector<std::uint32_t>& used);
  void add_coordinate(std::uint32_t unknown);
  void propagate();
  void evaluate(std::vector<double>& values);
  std::vector<bool> varying() const;
  struct Loops {
    std::vector<std::uint32_t> constraints;  // by their places in `constraints_`
    std::vector<std::uint32_t> coordinates;  // unknowns
    std::vector<std::uint32_t> steps;        // by their places in `steps_`, ascending
  };
  std::vector<Loops> separate_loops(const std::vector<double>& values);
  std::optional<double> longest_link(std::span<const std::uint32_t> steps,
                                     std::span<const std::uint32_t> coordinates,
                                     const std::vector<double>& rigid, const std::vector<double>& values);
  std::vector<double> units_of(RowValues& rows, std::span<const std::uint32_t> equations,
                               std::span<const std::vector<double>> points,
                               const std::function<double(std::size_t row, std::uint32_t unknown)>& unit);
  void find_sums_of_angles();
  void find_turns();
  enum class Angles : std::uint8_t { None, Sum, Combination };
  Angles angles_in(RowValues& rows, std::uint32_t equation);
  double without_turns(std::size_t row, double residual) const;

  system::System& system_;
  RowValues& rows_;
  RowValues initial_rows_;
  std::vector<bool> is_flow_, is_pose_, is_position_, is_length_, known_;  // of unknowns
  std::vector<std::vector<std::uint32_t>> rows_of_;  // of unknowns: equations without derivatives and flows
  std::vector<std::vector<std::uint32_t>> pose_rows_of_;  // of these the ones with a pose
  std::vector<std::uint32_t> open_;                       // of equations: unknowns that are not known
  std::vector<Step> steps_;
  std::vector<std::uint32_t> step_of_;        // of unknowns; kNone
  std::vector<std::uint32_t> coordinate_of_;  // of unknowns; kNone
  std::vector<std::uint32_t> coordinates_, constraints_, ready_, initial_;
  std::vector<bool> in_loop_;  // of coordinates
  std::uint32_t coordinates_in_loops_ = 0;
  std::size_t next_free_ = 0;  // instance, for `add_free_frame`
  double length_ = 1;
  std::vector<double> none_;           // of unknowns: zeros
  std::vector<double> unit_;           // of unknowns
  std::vector<bool> is_modulo_turns_;  // of unknowns
  std::vector<bool> varies_;           // of unknowns: scratch
  std::vector<double> units_;          // of rows
  std::vector<Angles> angles_;         // of rows
  bool counts_turns_ = false;
  std::vector<double> gradient_;
};

}  // namespace sigrel::reduce
