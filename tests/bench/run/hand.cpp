#include "hand.h"

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

#include "runtime/integrate/vector.h"

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

// The implicit form: F = y' - f(t, y), dF/dy + c dF/dy' = c I - J.
static int residual(double t, N_Vector y, N_Vector dy, N_Vector r, void* data) {
  const Setting* s = (const Setting*)data;
  double* out = N_VGetArrayPointer(r);
  const double* rate = N_VGetArrayPointer(dy);
  s->model->rates(s->n, t, N_VGetArrayPointer(y), out);
  for (long i = 0, n = s->model->size(s->n); i < n; ++i) out[i] = rate[i] - out[i];
  return 0;
}
static int implicit_jacobian(double t, double c, N_Vector y, N_Vector, N_Vector, SUNMatrix J, void* data,
                             N_Vector, N_Vector, N_Vector) {
  const Setting* s = (const Setting*)data;
  sunindextype *starts = SM_INDEXPTRS_S(J), *rows = SM_INDEXVALS_S(J);
  double* values = SM_DATA_S(J);
  s->model->pattern(s->n, starts, rows);
  s->model->jacobian(s->n, t, N_VGetArrayPointer(y), values);
  for (long j = 0, n = s->model->size(s->n); j < n; ++j)
    for (sunindextype k = starts[j]; k < starts[j + 1]; ++k) values[k] = (rows[k] == j ? c : 0) - values[k];
  return 0;
}

static int fail(const char* what) {
  fprintf(stderr, "hand: %s\n", what);
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 5) return fail("usage: hand MODEL N STOP TOLERANCE [stock|simd] [cvode|ida]");
  const Model* models[] = {&kLadder, &kDiodes, &kSprings, &kAdvection, &kPendulums};
  Setting s = {NULL, atol(argv[2])};
  for (const Model* m : models)
    if (!strcmp(m->name, argv[1])) s.model = m;
  if (!s.model) return fail("no such model");
  const double stop = atof(argv[3]), tolerance = atof(argv[4]);
  const bool simd = argc > 5 && !strcmp(argv[5], "simd"), implicit = argc > 6 && !strcmp(argv[6], "ida");

  SUNContext context;
  if (SUNContext_Create(NULL, &context)) return fail("context");
  const long size = s.model->size(s.n);
  N_Vector y = simd ? runtime::new_vector(size, context) : N_VNew_Serial(size, context);
  if (simd)
    y->ops->nvgetvectorid = [](N_Vector) {
      return SUNDIALS_NVEC_SERIAL;
    };  // an array, which is what KLU's wrapper wants to know
  else
    N_VEnableFusedOps_Serial(y, SUNTRUE);
  s.model->start(s.n, N_VGetArrayPointer(y));
  long steps = 0, evaluations = 0, setups = 0, jacobians = 0;
  double begin = 0, t = 0;
  auto matrix = [&] { return SUNSparseMatrix(size, size, s.model->nonzeros(s.n), CSC_MAT, context); };
  auto linear_solver = [&](SUNMatrix J) {
    SUNLinearSolver solver = SUNLinSol_KLU(y, J, context);
    SUNLinSol_KLUSetOrdering(solver, 0);
    return solver;
  };
  if (implicit) {
    N_Vector dy = N_VClone(y);
    s.model->rates(s.n, 0, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    void* ida = IDACreate(context);
    begin = seconds();
    IDAInit(ida, residual, 0, y, dy);
    IDASStolerances(ida, tolerance, tolerance);
    IDASetUserData(ida, &s);
    IDASetMaxNumSteps(ida, 1000000);
    SUNMatrix J = matrix();
    IDASetLinearSolver(ida, linear_solver(J), J);
    IDASetJacFn(ida, implicit_jacobian);
    IDASetStopTime(ida, stop);
    for (int k = 1; k <= 10; ++k)
      if (IDASolve(ida, stop * k / 10, &t, y, dy, IDA_NORMAL) < 0) return fail("IDASolve");
    IDAGetNumSteps(ida, &steps);
    IDAGetNumResEvals(ida, &evaluations);
    IDAGetNumLinSolvSetups(ida, &setups);
    IDAGetNumJacEvals(ida, &jacobians);
  } else {
    void* cvode = CVodeCreate(CV_BDF, context);
    begin = seconds();
    CVodeInit(cvode, rates, 0, y);
    CVodeSStolerances(cvode, tolerance, tolerance);
    CVodeSetUserData(cvode, &s);
    CVodeSetMaxNumSteps(cvode, 1000000);
    SUNMatrix J = matrix();
    CVodeSetLinearSolver(cvode, linear_solver(J), J);
    CVodeSetJacFn(cvode, jacobian);
    CVodeSetStopTime(cvode, stop);
    for (int k = 1; k <= 10; ++k)
      if (CVode(cvode, stop * k / 10, y, &t, CV_NORMAL) < 0) return fail("CVode");
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumRhsEvals(cvode, &evaluations);
    CVodeGetNumLinSolvSetups(cvode, &setups);
    CVodeGetNumJacEvals(cvode, &jacobians);
  }
  const double took = seconds() - begin;
  const double* v = N_VGetArrayPointer(y);
  printf("%.6f %ld %ld %ld %ld %.15g %.15g\n", took, steps, evaluations, setups, jacobians, v[0],
         v[size / 2]);
  return 0;
}
