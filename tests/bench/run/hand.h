// What the hand-written programs share: CVODE (BDF) with KLU and an analytic sparse Jacobian, as a specialist
// sets them up.
//
// A program gives its right-hand side, the pattern and values of its Jacobian (compressed columns, diagonal
// included), and its start. `hand MODEL N STOP TOLERANCE [stock|simd] [cvode|ida]` prints the seconds of the
// integration, its steps, and the last values.
#pragma once
#include <sundials/sundials_types.h>

struct Model {
  const char* name;
  long (*size)(long n);
  long (*nonzeros)(long n);
  void (*start)(long n, double* y);
  void (*rates)(long n, double t, const double* y, double* dy);
  void (*pattern)(long n, sunindextype* starts, sunindextype* rows);
  void (*jacobian)(long n, double t, const double* y, double* values);
};

extern const Model kLadder, kDiodes, kSprings, kAdvection, kPendulums;
