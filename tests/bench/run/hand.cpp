#include "hand.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

#include "runtime/vector.h"

static double seconds() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

struct Setting {
  const Model* model;
  long n;
};

static int rates(double t, N_Vector y, N_Vector dy, void* data) {
  const Setting* s = (const Setting*)data;
  s->model->rates(s->n, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
  return 0;
}
static int jacobian(double t, N_Vector y, N_Vector, SUNMatrix J, void* data, N_Vector, N_Vector, N_Vector) {
  const Setting* s = (const Setting*)data;
  s->model->pattern(s->n, SM_INDEXPTRS_S(J), SM_INDEXVALS_S(J));
  s->model->jacobian(s->n, t, N_VGetArrayPointer(y), SM_DATA_S(J));
  return 0;
}

static int fail(const char* what) {
  fprintf(stderr, "hand: %s\n", what);
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 5) return fail("usage: hand MODEL N STOP TOLERANCE [serial|simd]");
  const Model* models[] = {&kLadder, &kDiodes, &kSprings, &kAdvection, &kPendulums};
  Setting s = {NULL, atol(argv[2])};
  for (const Model* m : models)
    if (!strcmp(m->name, argv[1])) s.model = m;
  if (!s.model) return fail("no such model");
  const double stop = atof(argv[3]), tolerance = atof(argv[4]);
  const bool simd = argc > 5 && !strcmp(argv[5], "simd");

  SUNContext context;
  if (SUNContext_Create(NULL, &context)) return fail("context");
  const long size = s.model->size(s.n);
  N_Vector y = simd ? runtime::new_vector(size, context) : N_VNew_Serial(size, context);
  if (simd)
    y->ops->nvgetvectorid = [](N_Vector) { return SUNDIALS_NVEC_SERIAL; };  // an array, which is what KLU's wrapper wants to know
  else
    N_VEnableFusedOps_Serial(y, SUNTRUE);
  s.model->start(s.n, N_VGetArrayPointer(y));
  void* cvode = CVodeCreate(CV_BDF, context);
  const double begin = seconds();
  CVodeInit(cvode, rates, 0, y);
  CVodeSStolerances(cvode, tolerance, tolerance);
  CVodeSetUserData(cvode, &s);
  CVodeSetMaxNumSteps(cvode, 1000000);
  SUNMatrix J = SUNSparseMatrix(size, size, s.model->nonzeros(s.n), CSC_MAT, context);
  SUNLinearSolver solver = SUNLinSol_KLU(y, J, context);
  SUNLinSol_KLUSetOrdering(solver, 0);
  CVodeSetLinearSolver(cvode, solver, J);
  CVodeSetJacFn(cvode, jacobian);
  CVodeSetStopTime(cvode, stop);
  double t = 0;
  for (int k = 1; k <= 10; ++k)
    if (CVode(cvode, stop * k / 10, y, &t, CV_NORMAL) < 0) return fail("CVode");
  const double took = seconds() - begin;
  long steps = 0, evaluations = 0, setups = 0, jacobians = 0;
  CVodeGetNumSteps(cvode, &steps);
  CVodeGetNumRhsEvals(cvode, &evaluations);
  CVodeGetNumLinSolvSetups(cvode, &setups);
  CVodeGetNumJacEvals(cvode, &jacobians);
  const double* v = N_VGetArrayPointer(y);
  printf("%.6f %ld %ld %ld %ld %.15g %.15g\n", took, steps, evaluations, setups, jacobians, v[0], v[size / 2]);
  return 0;
}
