// Poles of linear algebraic loops within a step.
//
// A linear loop divides by the determinant of its coefficients, which no kernel does, so the enclosures of a
// step (sharp_rows.h) do not see it. Where the sign of a determinant has changed in a step, the moment is
// isolated by bisection, and values at some distance from it tell whether the solution has a pole there. It
// has none where a mechanism passes a singular position.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/integrate/defect.h"
#include "runtime/integrate/integrator.h"

namespace runtime {

class LoopPoles {
 public:
  /// A part of a step, in seconds.
  struct Part {
    double from = 0, length = 0;
  };

  /// Watches the linear loops with varying coefficients. `defect` evaluates the model inside a step.
  LoopPoles(ModelInstance& instance, Defect& defect);

  /// A step begins at the current values.
  void begin(double time);
  /// Whether the determinant of a loop has another sign, at the current values, than where the step begins.
  bool has_turned(double time);
  /// After `has_turned`: a part of the step from `begin` to where the integrator is in which a solution has a
  /// pole, or the model no solution. Changes the values of the instance.
  std::optional<Part> find(double begin, Integrator& integrator);
  /// The step was accepted: the next one begins where it ends.
  void advance();

 private:
  struct WatchedLoop {
    std::uint32_t loop = 0;
    int before = 0, now = 0;  // signs at both ends of the step (AlgebraicLoopSolver::determinant_sign)
  };
  /// One whose sign differs at both ends of the step.
  struct TurnedLoop {
    std::uint32_t loop = 0;
    bool untorn = false;  // the signs are those without tearing
    int before = 0, now = 0;
  };
  /// A time, and the signs of the turned loops there.
  struct Bound {
    double time = 0;
    std::vector<int> signs;
  };
  /// The first turned loop changes its sign between these.
  struct Isolation {
    Bound low, high;
    bool mixed = false;  // its sign was found without tearing: signs are to be compared anew
  };

  int sign(const TurnedLoop& turned, double time);
  std::optional<Part> compare_untorn(std::vector<TurnedLoop>& turned, Integrator& integrator);
  std::optional<Part> isolate(std::vector<TurnedLoop>& turned, Integrator& integrator, Isolation& found);
  std::optional<Part> find_residue(std::vector<TurnedLoop>& turned, const Isolation& isolation,
                                   Integrator& integrator);

  ModelInstance& instance_;
  Defect& defect_;
  double begin_ = 0;  // of the step, in `find`
  std::vector<WatchedLoop> loops_;
};

}  // namespace runtime
