// Quantised states: the line chosen for a state, the queue, and the error bound of linear systems.
#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/quantised/event_queue.h"
#include "runtime/quantised/polynomial.h"
#include "runtime/quantised/quantiser.h"
#include "tests/property/property.h"
#include "tests/unit/runtime/build_model.h"

using namespace runtime;
using property::Choices;

namespace {

/// A number in [-1, 1].
double unit(Choices& choices) { return static_cast<double>(choices.below(2001)) / 1000 - 1; }
double power_of_ten(Choices& choices, int low, int high) {
  return std::pow(10.0, low + static_cast<int>(choices.below(static_cast<std::uint32_t>(high - low + 1))));
}

constexpr std::size_t kNeighbours = 3;

/// x' = A x with a strictly dominant negative diagonal: the sum of the others in a row is at most half of it.
struct LinearSystem {
  struct Row {
    double diagonal = 0;
    std::uint32_t column[kNeighbours] = {};
    double value[kNeighbours] = {};
  };
  std::vector<Row> rows;
  std::vector<double> start;

  explicit LinearSystem(Choices& choices) : rows(1 + choices.below(12)) {
    for (Row& row : rows) {
      row.diagonal = -power_of_ten(choices, -1, 3) * (1 + choices.below(9));
      for (std::size_t k = 0; k < kNeighbours; ++k) {
        row.column[k] = choices.below(static_cast<std::uint32_t>(rows.size()));
        row.value[k] = unit(choices) * -row.diagonal / 2 / kNeighbours;
      }
      start.push_back(unit(choices));
    }
    // A term on the diagonal would weaken the dominance.
    for (std::uint32_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < kNeighbours; ++k)
        if (rows[i].column[k] == i) rows[i].value[k] = 0;
  }

  std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> result(x.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      result[i] = rows[i].diagonal * x[i];
      for (std::size_t k = 0; k < kNeighbours; ++k) result[i] += rows[i].value[k] * x[rows[i].column[k]];
    }
    return result;
  }

  /// exp(A t) x by the Taylor series, in steps h with |A| h below 1.
  std::vector<double> after(double t, std::vector<double> x) const {
    double norm = 0;
    for (const Row& row : rows) norm = std::max(norm, 1.5 * std::abs(row.diagonal));
    const int steps = static_cast<int>(std::ceil(t * norm)) + 1;
    for (int s = 0; s < steps; ++s) {
      std::vector<double> term = x;
      for (int k = 1; k < 22; ++k) {
        term = times(term);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += term[i] *= t / steps / k;
      }
    }
    return x;
  }
};

struct LinearModel : test::ModelBuilder {
  explicit LinearModel(const LinearSystem& system) {
    const test::Shape* shape = this->shape(
        2 + kNeighbours, 1 + kNeighbours,
        [](double, test::Values s, test::Values p) {
          double sum = p[0] * s[1];
          for (std::size_t k = 0; k < kNeighbours; ++k) sum += p[1 + k] * s[2 + k];
          return s[0] - sum;
        },
        [](double, test::Values, test::Values p, double* d) {
          d[0] = 1;
          for (std::size_t k = 0; k <= kNeighbours; ++k) d[1 + k] = -p[k];
        });
    for (const double x : system.start) state(x);
    std::vector<test::Row> rows;
    for (std::size_t i = 0; i < system.rows.size(); ++i) {
      const LinearSystem::Row& from = system.rows[i];
      test::Row row{{model.states[i].derivative, model.states[i].variable}, {parameter(from.diagonal)}};
      for (std::size_t k = 0; k < kNeighbours; ++k) {
        row.slots.push_back(model.states[from.column[k]].variable);
        row.params.push_back(parameter(from.value[k]));
      }
      rows.push_back(row);
    }
    model.dynamic = {assign(run(Role::Solve, shape, 0, rows))};
  }
};

}  // namespace

TEST_CASE("The line of a state begins within the quantum, and the state meets it with its slope") {
  property::holds([] {
    Choices choices(*property::decisions());
    const QuantiserInput in{.x = unit(choices),
                            .a = unit(choices) * power_of_ten(choices, -3, 6),
                            .u0 = unit(choices) * power_of_ten(choices, -3, 3),
                            .u1 = unit(choices) * power_of_ten(choices, -3, 3),
                            .quantum = power_of_ten(choices, -9, -2),
                            .longest = 1};
    const QuantisedState q = choose_quantised(in);
    RC_ASSERT(std::abs(q.value - in.x) <= in.quantum * (1 + 1e-9));
    for (const double h : {1e-6, 1e-3, 0.1}) {
      if (in.a * h > 0.5) continue;
      const QuantisedState line = quantised_after(in, h);
      const double rate = in.a * line.value + in.u0, rate_slope = in.a * line.slope + in.u1;
      const double scale = std::abs(in.x) + std::abs(in.u0) + std::abs(in.u1) +
                           std::abs(in.a) * (std::abs(line.value) + std::abs(line.slope));
      RC_ASSERT(std::abs(rate + h * rate_slope - line.slope) <= 1e-9 * scale);
      RC_ASSERT(std::abs(in.x + h * (rate + h / 2 * rate_slope) - (line.value + h * line.slope)) <=
                1e-9 * scale);
    }
  });
}

TEST_CASE("The first fall of a polynomial below zero") {
  property::holds([] {
    Choices choices(*property::decisions());
    const Quadratic p{std::abs(unit(choices)), unit(choices), unit(choices)};
    const double fall = first_fall(p);
    const double until = std::min(fall, 50.0);
    for (int k = 0; k < 1000; ++k) RC_ASSERT(p(until * k / 1000) >= -1e-9);
    if (fall < 50) RC_ASSERT(p(fall * (1 + 1e-6) + 1e-9) <= 1e-9);
  });
}

TEST_CASE("The queue gives the earliest event") {
  property::holds([] {
    Choices choices(*property::decisions());
    const std::uint32_t count = 1 + choices.below(20);
    EventQueue queue(count);
    std::vector<double> times(count, EventQueue::kNever);
    for (int k = 0; k < 100; ++k) {
      const std::uint32_t event = choices.below(count);
      times[event] = choices.below(5) == 0 ? EventQueue::kNever : choices.below(30);
      queue.set(event, times[event]);
      const auto least = std::ranges::min_element(times);
      RC_ASSERT(queue.first_time() == *least);
      RC_ASSERT(queue.first() == static_cast<std::uint32_t>(least - times.begin()));
    }
  });
}

TEST_CASE("The error of a linear system stays below the bound by its quanta") {
  property::holds(
      [] {
        Choices choices(*property::decisions());
        const LinearSystem system(choices);
        LinearModel model(system);
        const double tolerance = power_of_ten(choices, -6, -2);
        test::Recording recording(model.model);
        const Experiment experiment{.stop = 2, .tolerance = tolerance, .steps = 8, .solver = Solver::Qss};
        const Outcome outcome = simulate(model.model, experiment, recording.output);
        RC_ASSERT(outcome.status == Outcome::Completed);
        // e' = A (e + d), |d| at most the quantum, of which the largest is the tolerance, as no state grows:
        // |e| <= max |A_i| / (|a_ii| - sum of the others) <= (1 + 1/2) / (1 - 1/2).
        std::vector<double> exact = system.start;
        for (std::size_t row = 0; row <= 8; ++row) {
          if (row > 0) exact = system.after(0.25, exact);
          for (std::size_t i = 0; i < exact.size(); ++i) {
            const std::vector<double> column = recording.trajectory.column(model.model.states[i].variable);
            RC_ASSERT(std::abs(column[row] - exact[i]) <= 3.1 * tolerance);
          }
        }
      },
      {.cases = 100});
}
