// A steady state: values at which the derivatives of all states are zero, and other conditions hold, and of
// these, if asked, one that minimises a variable.
//
//   min f(z)  where  c(z) = 0,  lower <= z <= upper
//
// z are the states, and inputs and parameters that are left free; all other variables follow from them by the
// schedules of the model. c are rates of states and variables with given values. Sequential quadratic
// programming (Nocedal and Wright, Numerical Optimization (2006), chapter 18): damped BFGS, bounds by a
// primal-dual active set (Hintermüller, Ito and Kunisch 2003), an l1 merit function with a second-order
// correction. Without an objective every step is the shortest that solves the linear conditions: Newton's
// method where they determine it. The derivatives are those of linearize.h, exact; those with respect to
// parameters are central differences, which say where to look and not what is found: the conditions
// themselves are evaluated exactly.
//
// For a few dozen free values: dense matrices. The minimum is a local one.
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
  std::uint32_t index = 0;  // a variable (of an input: cut off from what determines it), or a parameter
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

struct SteadyProblem {
  std::vector<FreeValue> free;
  std::vector<std::uint32_t> at_rest;  // variables that must be zero
  std::vector<std::pair<Column, double>> given;
  std::optional<Column> objective;
  double sign = 1;  // -1: the objective is maximised
};

struct Steady {
  enum Status : std::uint8_t {
    Found,
    NotDetermined,  // `subject` of the free values can move without violating a condition, and there is no
                    // objective
    NotFound,     // the search ended elsewhere: `conditions` are not met, or the objective falls without end
    InputInLoop,  // `subject` of the free values is an unknown of a simultaneous block
    NotComputed,  // the first point: `failure`
  } status = NotFound;
  std::uint32_t subject =
      0xFFFFFFFFu;  // NotFound: a free value on which no condition depends, if there is one
  Failure failure;
  std::uint32_t iterations = 0;
  bool endless = false;  // NotFound: the objective falls without end
  std::vector<std::pair<std::uint32_t, double>>
      conditions;                      // NotFound: number (at_rest, then given), residual; worst first
  std::vector<std::uint8_t> at_bound;  // per free value
  std::vector<double> values, parameters;
  std::uint32_t freedom = 0;  // NotDetermined: how many values can move independently
};

/// `values` is a point of the model at time `time`, from which the search begins. `overrides` are parameters
/// that are not as the model says; `parameters` all of them at that point.
Steady find_steady(const Model& model, double time, std::vector<double> values,
                   std::vector<double> parameters, const Overrides& overrides, const SteadyProblem& problem);

}  // namespace runtime
