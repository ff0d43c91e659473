#include <math.h>

#include "hand.h"

// Every model stores its Jacobian by columns; columns of a chain have the rows before, at and after the
// diagonal.

// ---- RC ladder: C u_i' = (u_{i-1} - u_i) / R - (u_i - u_{i+1}) / R, u_0 = 1
// ---------------------------------------------------------------

static const double R = 1.0, C = 1.0e-3;

static long chain_size(long n) { return n; }
static long chain_nonzeros(long n) { return 3 * n - 2; }
static void chain_pattern(long n, sunindextype* starts, sunindextype* rows) {
  long k = 0;
  for (long j = 0; j < n; ++j) {
    starts[j] = k;
    if (j > 0) rows[k++] = j - 1;
    rows[k++] = j;
    if (j < n - 1) rows[k++] = j + 1;
  }
  starts[n] = k;
}
static void zero_start(long n, double* y) {
  for (long i = 0; i < n; ++i) y[i] = 0;
}

static void ladder_rates(long n, double, const double* u, double* du) {
  const double g = 1 / (R * C);
  if (n == 1) {
    du[0] = g * (1 - u[0]);
    return;
  }
  du[0] = g * (1 - 2 * u[0] + u[1]);
  for (long i = 1; i < n - 1; ++i) du[i] = g * (u[i - 1] - 2 * u[i] + u[i + 1]);
  du[n - 1] = g * (u[n - 2] - u[n - 1]);
}
static void ladder_jacobian(long n, double, const double*, double* v) {
  const double g = 1 / (R * C);
  for (long j = 0; j < n; ++j) {
    if (j > 0) *v++ = g;
    *v++ = j < n - 1 ? -2 * g : -g;
    if (j < n - 1) *v++ = g;
  }
}
const Model kLadder = {"ladder",     chain_size,    chain_nonzeros, zero_start,
                       ladder_rates, chain_pattern, ladder_jacobian};

// ---- the same with a diode at every node: … - I_s (exp(u_i / U_T) - 1)
// ---------------------------------------------------------------------

static const double Is = 1.0e-6, Ut = 0.05;

static void diode_rates(long n, double t, const double* u, double* du) {
  ladder_rates(n, t, u, du);
  for (long i = 0; i < n; ++i) du[i] -= Is * (exp(u[i] / Ut) - 1) / C;
}
static void diode_jacobian(long n, double, const double* u, double* v) {
  const double g = 1 / (R * C);
  for (long j = 0; j < n; ++j) {
    if (j > 0) *v++ = g;
    *v++ = (j < n - 1 ? -2 * g : -g) - Is / Ut * exp(u[j] / Ut) / C;
    if (j < n - 1) *v++ = g;
  }
}
const Model kDiodes = {"diodes",    chain_size,    chain_nonzeros, zero_start,
                       diode_rates, chain_pattern, diode_jacobian};

// ---- masses, springs and dampers: m v_i' = c (x_{i-1} - 2 x_i + x_{i+1}) + d (v_{i-1} - 2 v_i + v_{i+1}),
// x_0 = 0.1 sin t --------------------

static const double M = 1, K = 1000, D = 2;

static long pairs_size(long n) { return 2 * n; }
static void pairs_start(long n, double* y) { zero_start(2 * n, y); }
static long springs_nonzeros(long n) { return 2 * n + 2 * (3 * n - 2); }
static void springs_pattern(long n, sunindextype* starts, sunindextype* rows) {
  long k = 0;
  for (long j = 0; j < n; ++j) {  // x_j acts on v_{j-1}, v_j, v_{j+1}
    starts[j] = k;
    rows[k++] =
        j;  // nothing, yet on the diagonal of I - γJ: without it SUNDIALS makes room by moving everything
    if (j > 0) rows[k++] = n + j - 1;
    rows[k++] = n + j;
    if (j < n - 1) rows[k++] = n + j + 1;
  }
  for (long j = 0; j < n; ++j) {  // v_j on x_j and its neighbours' v
    starts[n + j] = k;
    rows[k++] = j;
    if (j > 0) rows[k++] = n + j - 1;
    rows[k++] = n + j;
    if (j < n - 1) rows[k++] = n + j + 1;
  }
  starts[2 * n] = k;
}
static void springs_rates(long n, double t, const double* y, double* dy) {
  const double *x = y, *v = y + n;
  double *dx = dy, *dv = dy + n;
  const double x0 = 0.1 * sin(t), v0 = 0.1 * cos(t);
  for (long i = 0; i < n; ++i) dx[i] = v[i];
  for (long i = 0; i < n; ++i) {
    const double left = K * ((i > 0 ? x[i - 1] : x0) - x[i]) + D * ((i > 0 ? v[i - 1] : v0) - v[i]);
    const double right = i < n - 1 ? K * (x[i] - x[i + 1]) + D * (v[i] - v[i + 1]) : 0;
    dv[i] = (left - right) / M;
  }
}
static void springs_jacobian(long n, double, const double*, double* a) {
  for (int half = 0; half < 2; ++half) {
    const double f = (half ? D : K) / M;
    for (long j = 0; j < n; ++j) {
      *a++ = half;
      if (j > 0) *a++ = f;
      *a++ = j < n - 1 ? -2 * f : -f;
      if (j < n - 1) *a++ = f;
    }
  }
}
const Model kSprings = {"springs",     pairs_size,      springs_nonzeros, pairs_start,
                        springs_rates, springs_pattern, springs_jacobian};

// ---- advection and diffusion on a square of n × n cells: u' = D ∇²u - a · ∇u, upwind, u = 1 on the left
// edge, 0 on the others ----------------

static const double Diffusion = 1.0, Ax = 20.0, Ay = 10.0;

static long grid_size(long n) { return n * n; }
static long grid_nonzeros(long n) { return 5 * n * n - 4 * n; }
static void grid_pattern(long n, sunindextype* starts, sunindextype* rows) {
  long k = 0;
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < n; ++i) {
      const long c = j * n + i;
      starts[c] = k;
      if (j > 0) rows[k++] = c - n;
      if (i > 0) rows[k++] = c - 1;
      rows[k++] = c;
      if (i < n - 1) rows[k++] = c + 1;
      if (j < n - 1) rows[k++] = c + n;
    }
  starts[n * n] = k;
}
static void grid_start(long n, double* y) { zero_start(n * n, y); }
static void grid_rates(long n, double, const double* u, double* du) {
  const double h = 1.0 / (n + 1), d = Diffusion / (h * h), ax = Ax / h, ay = Ay / h;
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < n; ++i) {
      const long c = j * n + i;
      const double w = i > 0 ? u[c - 1] : 1, e = i < n - 1 ? u[c + 1] : 0, s = j > 0 ? u[c - n] : 0,
                   t = j < n - 1 ? u[c + n] : 0;
      du[c] = d * (w + e + s + t - 4 * u[c]) - ax * (u[c] - w) - ay * (u[c] - s);
    }
}
static void grid_jacobian(long n, double, const double*, double* v) {
  const double h = 1.0 / (n + 1), d = Diffusion / (h * h), ax = Ax / h, ay = Ay / h;
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < n; ++i) {
      if (j > 0) *v++ = d;
      if (i > 0) *v++ = d;
      *v++ = -4 * d - ax - ay;
      if (i < n - 1) *v++ = d + ax;
      if (j < n - 1) *v++ = d + ay;
    }
}
const Model kAdvection = {"advection", grid_size,    grid_nonzeros, grid_start,
                          grid_rates,  grid_pattern, grid_jacobian};

// ---- pendulums coupled by torsion springs: φ_i'' = -g/l sin φ_i + k (φ_{i-1} - 2 φ_i + φ_{i+1}), free ends,
// the first one lifted --------------

static const double Gl = 9.81, Kc = 5.0;

static void pendulums_start(long n, double* y) {
  zero_start(2 * n, y);
  y[0] = 2;
}
static void pendulums_rates(long n, double, const double* y, double* dy) {
  const double *phi = y, *w = y + n;
  for (long i = 0; i < n; ++i) dy[i] = w[i];
  for (long i = 0; i < n; ++i) {
    double sum = -Gl * sin(phi[i]);
    if (i > 0) sum += Kc * (phi[i - 1] - phi[i]);
    if (i < n - 1) sum -= Kc * (phi[i] - phi[i + 1]);
    dy[n + i] = sum;
  }
}
static long pendulums_nonzeros(long n) { return 3 * n - 2 + 3 * n; }
static void pendulums_pattern(long n, sunindextype* starts, sunindextype* rows) {
  long k = 0;
  for (long j = 0; j < n; ++j) {
    starts[j] = k;
    rows[k++] =
        j;  // nothing, yet on the diagonal of I - γJ: without it SUNDIALS makes room by moving everything
    if (j > 0) rows[k++] = n + j - 1;
    rows[k++] = n + j;
    if (j < n - 1) rows[k++] = n + j + 1;
  }
  for (long j = 0; j < n; ++j) {
    starts[n + j] = k;
    rows[k++] = j;
    rows[k++] = n + j;  // nothing
  }
  starts[2 * n] = k;
}
static void pendulums_jacobian(long n, double, const double* y, double* v) {
  for (long j = 0; j < n; ++j) {
    *v++ = 0;
    if (j > 0) *v++ = Kc;
    *v++ = -Gl * cos(y[j]) - Kc * ((j > 0) + (j < n - 1));
    if (j < n - 1) *v++ = Kc;
  }
  for (long j = 0; j < n; ++j) {
    *v++ = 1;
    *v++ = 0;
  }
}
const Model kPendulums = {"pendulums",     pairs_size,        pendulums_nonzeros, pendulums_start,
                          pendulums_rates, pendulums_pattern, pendulums_jacobian};
