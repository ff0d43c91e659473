// Operations whose value or slope jumps become zero crossings: between two events each of them is one smooth
// piece, which the equations read from discrete parameters. So integrators and Newton's method see smooth
// equations (but for the kinks named below), and the runtime locates the instants at which an argument leaves
// the piece.
//
//   y = if x < 1 then a else b   ->  y = if p then a else b, with the zero crossing x - 1 for p
//
//   y = floor x                  ->  y = p, with the piece [p, p + 1) of x
//
//   y = table1 … x               ->  y = c0 + c1 u + c2 u² + c3 u³, u = x - knot
//
//   y = sign x                   ->  y = (0 < x) - (x < 0), two comparisons
//
//   y = max a b, of time alone   ->  y = if a < b then b else a, a comparison
//
// The kinks of abs, min and max of other signals, and those of tables of two arguments, are not events.
#pragma once
#include <memory>

#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Moves these operations into `dae.zero_crossings`, and puts parameters in the place of each.
class ZeroCrossingPass {
 public:
  /// Both outlive it.
  ZeroCrossingPass(const system::System& system, dae::System& dae);
  ~ZeroCrossingPass();

  /// Those of equations and of conditions of triggers, before the index is reduced.
  void hold_in_equations();
  /// Then, once states and assignments are known, those of assigned values that equal one of these.
  void hold_in_values();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sigrel::reduce
