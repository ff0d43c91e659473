// Steady states: values at which the derivatives of all states are zero and further conditions hold; among
// these, if requested, one that minimises a variable.
//
//   min f(z)  where  c(z) = 0,  lower <= z <= upper
//
// z are the states and the free inputs and parameters; the schedules of the model compute all other variables
// from them. c are derivatives of states and variables with given values. Sequential quadratic
// programming (Nocedal and Wright, Numerical Optimization (2006), chapter 18): damped BFGS, bounds by a
// primal-dual active set (Hintermüller, Ito and Kunisch 2003), an l1 merit function with a second-order
// correction. Without an objective every step is the shortest solution of the linearised conditions: Newton's
// method where they determine it. Derivatives are those of linearize.h, exact; derivatives by parameters are
// central differences, whose error affects the search but not the result, because the conditions themselves
// are evaluated exactly.
//
// Meant for a few dozen free values: matrices are dense. The minimum is a local one.
//
// Example: h' = (0.01 v - 0.02 sqrt (19.62 h)) / 0.2, v free, h = 5 given: z = (h, v), c = (h', h - 5): v
// = 19.809.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/results/output.h"
#include "runtime/solve/parameters.h"

namespace runtime {

struct FreeValue {
  enum Kind : std::uint8_t { State, Input, Parameter } kind = State;
  std::uint32_t index = 0;  // a variable (that of an input is not computed by its equation), or a parameter
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

struct SteadyProblem {
  std::vector<FreeValue> free;
  std::vector<std::uint32_t> at_rest;            // variables that must be zero
  std::vector<std::pair<Column, double>> given;  // variables with their values
  std::optional<Column> objective;
  double sign = 1;  // -1: the objective is maximised
};

struct Steady {
  enum Status : std::uint8_t {
    Found,
    NotDetermined,  // without an objective: free value `subject` can change without violating a condition
    NotFound,       // the search failed: `conditions` are violated, or the objective is unbounded
    InputInLoop,    // free value `subject` is an unknown of an algebraic loop
    NotComputed,    // the first point cannot be evaluated: `failure`
  } status = NotFound;
  std::uint32_t subject = kNone;  // NotFound: a free value on which no condition depends, if there is one
  Failure failure;
  std::uint32_t iterations = 0;
  bool endless = false;  // NotFound: the objective is unbounded
  std::uint32_t far =
      kNone;  // NotFound: a free value that went beyond 1e9 of its units, which ended the search
  /// NotFound: number (`at_rest`, then `given`) and residual of violated conditions, worst first.
  std::vector<std::pair<std::uint32_t, double>> conditions;
  /// Per free value: 1 at its lower bound, 2 at its upper one, else 0. NotFound: the bound that it would
  /// leave if it were to satisfy the conditions (by their derivatives, where the search ended).
  std::vector<std::uint8_t> at_bound;
  bool left_branch =
      false;  // Found: the solution of an algebraic loop may be another one than that of the start
  std::vector<double> values, parameters;
  std::uint32_t freedom = 0;  // NotDetermined: the dimension of the solution set
};

/// Searches from `values` and `parameters`, a consistent point of the model at `time`. `overrides`:
/// parameters that differ from the model's.
Steady find_steady(const Model& model, double time, std::vector<double> values,
                   std::vector<double> parameters, const Overrides& overrides, const SteadyProblem& problem);

}  // namespace runtime
