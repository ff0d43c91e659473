// The rope of rope_in_space.sr by hand: the articulated-body algorithm (Featherstone, Rigid Body Dynamics
// Algorithms, 2008, table 7.1) for a chain of revolute joints, and CVODE's Adams methods with fixed-point
// iteration, as the system is not stiff.
//
// `hand_rope N STOP TOLERANCE` prints the seconds of the integration, its steps and evaluations, the
// microseconds per evaluation and link, and the first angle.
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <time.h>

#include <vector>

namespace {

// Spatial vectors: angular part, then linear part. Each link has its frame at its joint.
using Vec = double[6];
using Mat = double[6][6];

constexpr double kMass = 1, kCentre = 0.5, kLength = 1, kGravity = 9.81;
constexpr double kInertia[3] = {kMass * (0.1 * 0.1 + 0.1 * 0.1) / 12, kMass * (1 + 0.1 * 0.1) / 12,
                                kMass * (1 + 0.1 * 0.1) / 12};
constexpr int kAxis = 1;  // of the angular part

struct Link {
  Mat x;  // from the coordinates of the parent
  Vec v, c, p, u_column, a;
  Mat inertia;
  double d, u;
};

struct Rope {
  std::vector<Link> links;
  long evaluations = 0;
};

void rigid_inertia(Mat m) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) m[i][j] = 0;
  const double c[3] = {kCentre, 0, 0};
  const double skew[3][3] = {{0, -c[2], c[1]}, {c[2], 0, -c[0]}, {-c[1], c[0], 0}};
  for (int i = 0; i < 3; ++i) {
    m[i][i] = kInertia[i];
    m[3 + i][3 + i] = kMass;
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) m[i][j] += kMass * skew[i][k] * skew[j][k];
      m[i][3 + j] = kMass * skew[i][j];
      m[3 + j][i] = kMass * skew[i][j];
    }
  }
}

// X = [E 0; -E r× E], for a turn by q about y and an offset r along x.
void transform(double q, double r, Mat x) {
  const double c = cos(q), s = sin(q);
  const double e[3][3] = {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
  const double skew[3][3] = {{0, 0, 0}, {0, 0, -r}, {0, r, 0}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      x[i][j] = x[3 + i][3 + j] = e[i][j];
      x[i][3 + j] = 0;
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += e[i][k] * skew[k][j];
      x[3 + i][j] = -sum;
    }
}

void cross(const double* a, const double* b, double* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

void multiply(const Mat m, const Vec v, Vec out) {
  for (int i = 0; i < 6; ++i) {
    out[i] = 0;
    for (int j = 0; j < 6; ++j) out[i] += m[i][j] * v[j];
  }
}

int rates(double, N_Vector state, N_Vector derivative, void* data) {
  Rope& rope = *static_cast<Rope*>(data);
  const double* y = N_VGetArrayPointer(state);
  double* dy = N_VGetArrayPointer(derivative);
  const long n = static_cast<long>(rope.links.size());
  ++rope.evaluations;
  for (long i = 0; i < n; ++i) {
    Link& link = rope.links[i];
    const double rate = y[n + i];
    transform(y[i], i ? kLength : 0, link.x);
    if (i)
      multiply(link.x, rope.links[i - 1].v, link.v);
    else
      for (double& v : link.v) v = 0;
    link.v[kAxis] += rate;
    const double joint[3] = {0, rate, 0};
    cross(link.v, joint, link.c);
    cross(link.v + 3, joint, link.c + 3);
    rigid_inertia(link.inertia);
    Vec h;
    multiply(link.inertia, link.v, h);
    double one[3], two[3];
    cross(link.v, h, one);
    cross(link.v + 3, h + 3, two);
    for (int k = 0; k < 3; ++k) link.p[k] = one[k] + two[k];
    cross(link.v, h + 3, link.p + 3);
  }
  for (long i = n; i-- > 0;) {
    Link& link = rope.links[i];
    for (int k = 0; k < 6; ++k) link.u_column[k] = link.inertia[k][kAxis];
    link.d = link.u_column[kAxis];
    link.u = -link.p[kAxis];
    if (!i) break;
    Link& parent = rope.links[i - 1];
    Mat reduced, half;
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        reduced[r][c] = link.inertia[r][c] - link.u_column[r] * link.u_column[c] / link.d;
    Vec bias;
    multiply(reduced, link.c, bias);
    for (int k = 0; k < 6; ++k) bias[k] += link.p[k] + link.u_column[k] * link.u / link.d;
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) {
        half[r][c] = 0;
        for (int k = 0; k < 6; ++k) half[r][c] += reduced[r][k] * link.x[k][c];
      }
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        for (int k = 0; k < 6; ++k) parent.inertia[r][c] += link.x[k][r] * half[k][c];
    for (int r = 0; r < 6; ++r)
      for (int k = 0; k < 6; ++k) parent.p[r] += link.x[k][r] * bias[k];
  }
  const Vec base = {0, 0, 0, 0, 0, kGravity};
  for (long i = 0; i < n; ++i) {
    Link& link = rope.links[i];
    multiply(link.x, i ? rope.links[i - 1].a : base, link.a);
    double u = link.u;
    for (int k = 0; k < 6; ++k) {
      link.a[k] += link.c[k];
      u -= link.u_column[k] * link.a[k];
    }
    dy[i] = y[n + i];
    dy[n + i] = u / link.d;
    link.a[kAxis] += dy[n + i];
  }
  return 0;
}

double seconds() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return fprintf(stderr, "usage: hand_rope N STOP TOLERANCE\n"), 1;
  const long n = atol(argv[1]);
  const double stop = atof(argv[2]), tolerance = atof(argv[3]);
  Rope rope;
  rope.links.resize(n);
  SUNContext context;
  if (SUNContext_Create(NULL, &context)) return 1;
  N_Vector y = N_VNew_Serial(2 * n, context);
  for (long i = 0; i < n; ++i) N_VGetArrayPointer(y)[i] = 0.1, N_VGetArrayPointer(y)[n + i] = 0;
  void* cvode = CVodeCreate(CV_ADAMS, context);
  CVodeInit(cvode, rates, 0, y);
  CVodeSStolerances(cvode, tolerance, tolerance);
  CVodeSetUserData(cvode, &rope);
  CVodeSetMaxNumSteps(cvode, 1000000);
  CVodeSetNonlinearSolver(cvode, SUNNonlinSol_FixedPoint(y, 0, context));
  CVodeSetStopTime(cvode, stop);
  const double begin = seconds();
  double t = 0;
  if (CVode(cvode, stop, y, &t, CV_NORMAL) < 0) return fprintf(stderr, "hand_rope: CVode\n"), 1;
  const double took = seconds() - begin;
  long steps = 0;
  CVodeGetNumSteps(cvode, &steps);
  printf("%.6f %ld %ld %.3f %.15g\n", took, steps, rope.evaluations, 1e6 * took / rope.evaluations / n,
         N_VGetArrayPointer(y)[0]);
  return 0;
}
