#include "runtime/analysis/linearize.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "runtime/linear/linear_system.h"

namespace runtime {
namespace {

/// The partial derivatives of equations, as one list of entries: row, variable, value. Of those that are only
/// observed, which no derivative of a state needs, the ones that compute `wanted` variables: what a
/// derivative that is not finite belongs to may be of no concern.
class Equations {
 public:
  struct Entry {
    std::uint32_t row, variable;
    double value;
  };
  Equations(const Model& model, const Point& point, std::vector<std::uint8_t> wanted)
      : model_(model), point_(point) {
    const std::vector<Step> observed = needed_steps(model, model.observed, wanted);
    const std::vector<std::uint8_t> all(model.variables, 1);
    for (auto [steps, computed] :
         {std::pair{std::span(model.invariant), &all}, std::pair{std::span(model.dynamic), &all},
          std::pair{std::span<const Step>(observed), &std::as_const(wanted)}})
      for (const Step& step : steps)
        if (step.kind == Step::Assign)
          add(model.batches[step.index], true, *computed);
        else
          for (const KernelBatch& batch : loop_batches(model, model.loops[step.index]))
            add(batch, false, all);
  }
  std::vector<Entry> entries;
  std::vector<std::uint32_t>
      assigned;  // per row: the variable that it assigns, or kNone in an algebraic loop

 private:
  /// `computed`: by variable; rows that assign others are left out.
  void add(const KernelBatch& batch, bool assigns, const std::vector<std::uint8_t>& computed) {
    std::vector<std::uint32_t> number(batch.count, kNone);
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      const std::uint32_t variable = assigns ? solved_variable(model_, batch, row) : kNone;
      if (assigns && !computed[variable]) continue;
      number[row] = static_cast<std::uint32_t>(assigned.size());
      assigned.push_back(variable);
    }
    auto add_entry = [&](std::uint32_t row, std::uint32_t variable, double value) {
      if (number[row] != kNone) entries.push_back({number[row], variable, value});
    };
    if (batch.kernel == kNone) {
      const SumTable table(model_, batch);
      for (std::uint32_t row = 0; row < batch.count; ++row)
        for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k)
          add_entry(row, table.terms[k] >> 1, table.terms[k] & 1 ? -1.0 : 1.0);
      return;
    }
    if (batch.partials == kNone) {  // it assigns a discrete variable, which is constant
      for (std::uint32_t row = 0; row < batch.count; ++row)
        if (number[row] != kNone) add_entry(row, assigned[number[row]], 1.0);
      return;
    }
    std::vector<double> partials(std::size_t{batch.slots} * batch.count);
    evaluate_partials(model_, batch, point_, partials.data());
    for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
      for (std::uint32_t row = 0; row < batch.count; ++row) {
        const std::uint32_t v = slot_variable(model_, batch, slot, row);
        if (number[row] != kNone && (!model_.is_discrete(v) || v == assigned[number[row]]))
          add_entry(row, v, partials[std::size_t{slot} * batch.count + row]);
      }
  }
  const Model& model_;
  const Point& point_;
};

}  // namespace

std::variant<LinearModel, NotLinear> linearize(const Model& model, const Point& point,
                                               std::span<const Column> inputs,
                                               std::span<const Column> outputs) {
  const std::size_t states = model.states.size(), independents = states + inputs.size();
  if (independents > kMaxColumns) return NotLinear{NotLinear::TooLarge};
  std::vector<std::uint8_t> wanted(model.variables, 0);
  for (std::span<const Column> columns : {inputs, outputs})
    for (const Column& column : columns)
      if (column.variable != kNone) wanted[column.variable] = 1;
  for (const State& state : model.states) wanted[state.derivative] = 1;
  const Equations equations(model, point, std::move(wanted));

  // The independent variables: states, then inputs; an input that is a state is not integrated.
  std::vector<std::uint32_t> independent(model.variables, kNone);
  for (std::uint32_t s = 0; s < states; ++s) independent[model.states[s].variable] = s;
  std::vector<bool> is_removed(equations.assigned.size(), false), is_state(model.variables, false);
  for (const State& s : model.states) is_state[s.variable] = true;
  std::vector<std::uint32_t> row_of(model.variables, kNone);
  for (std::uint32_t r = 0; r < equations.assigned.size(); ++r)
    if (equations.assigned[r] != kNone) row_of[equations.assigned[r]] = r;
  for (std::uint32_t k = 0; k < inputs.size(); ++k) {
    const std::uint32_t v = inputs[k].variable;
    if (v == kNone) return NotLinear{NotLinear::InputIsZero, k};
    if (independent[v] != kNone && independent[v] >= states) return NotLinear{NotLinear::InputTwice, k};
    if (!is_state[v] && std::ranges::find(model.constants, v) == model.constants.end()) {
      if (row_of[v] == kNone) return NotLinear{NotLinear::InputInLoop, k};
      is_removed[row_of[v]] = true;
    }
    independent[v] = static_cast<std::uint32_t>(states) + k;
  }

  for (const Equations::Entry& e : equations.entries)
    if (!is_removed[e.row] && !std::isfinite(e.value)) return NotLinear{NotLinear::NotFinite, e.variable};

  std::vector<bool> constant(model.variables, false);
  for (std::uint32_t v : model.constants) constant[v] = independent[v] == kNone;
  std::vector<std::uint32_t> column(model.variables, kNone), variable, row(is_removed.size(), kNone);
  for (const Equations::Entry& e : equations.entries)
    if (independent[e.variable] == kNone && !constant[e.variable] && column[e.variable] == kNone) {
      column[e.variable] = static_cast<std::uint32_t>(variable.size());
      variable.push_back(e.variable);
    }
  std::uint32_t rows = 0;
  for (std::uint32_t r = 0; r < row.size(); ++r)
    if (!is_removed[r]) row[r] = rows++;
  if (rows != variable.size()) return NotLinear{NotLinear::Singular, variable.empty() ? kNone : variable[0]};

  std::vector<Entry> pattern;
  std::vector<double> values;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> right(independents);
  for (const Equations::Entry& e : equations.entries) {
    if (is_removed[e.row] || constant[e.variable]) continue;
    if (independent[e.variable] != kNone) {
      right[independent[e.variable]].emplace_back(row[e.row], e.value);
    } else {
      pattern.push_back({row[e.row], column[e.variable]});
      values.push_back(e.value);
    }
  }
  std::vector<std::uint32_t> positions;
  LinearSystem system(compress(rows, pattern, positions));
  std::ranges::fill(system.values(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) system.values()[positions[k]] += values[k];
  if (rows && system.factor() != LinearSystem::Status::Ok)
    return NotLinear{NotLinear::Singular, variable[system.singular_column()]};

  LinearModel result;
  for (const State& s : model.states) result.states.push_back(s.variable);
  result.a.resize(states * states);
  result.b.resize(states * inputs.size());
  result.c.resize(outputs.size() * states);
  result.d.resize(outputs.size() * inputs.size());
  std::vector<double> solution(rows);
  for (std::size_t m = 0; m < independents; ++m) {
    const bool input = m >= states;
    const std::size_t k = input ? m - states : m;
    const double sign = input && inputs[k].negated ? -1.0 : 1.0;
    std::ranges::fill(solution, 0.0);
    for (auto [r, value] : right[m]) solution[r] -= sign * value;
    if (rows) system.solve(solution.data());
    auto derivative_of = [&](std::uint32_t v) -> double {
      if (v == kNone) return 0.0;
      if (independent[v] != kNone) return independent[v] == m ? sign : 0.0;
      return column[v] == kNone ? 0.0 : solution[column[v]];
    };
    const std::size_t width = input ? inputs.size() : states;
    std::vector<double>& of_states = input ? result.b : result.a;
    std::vector<double>& of_outputs = input ? result.d : result.c;
    for (std::size_t s = 0; s < states; ++s)
      of_states[s * width + k] = derivative_of(model.states[s].derivative);
    for (std::size_t y = 0; y < outputs.size(); ++y) {
      const double derivative = derivative_of(outputs[y].variable);
      of_outputs[y * width + k] = outputs[y].negated ? -derivative : derivative;
    }
  }
  for (auto* list : {&result.a, &result.b, &result.c, &result.d})
    for (double& value : *list) value += 0.0;  // no -0
  return result;
}

namespace {
constexpr double kRounding = 1e-12;  // of the largest eigenvalue
}

std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix) {
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  if (n == 0) return {};
  Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> a(matrix.data(), n,
                                                                                             n);
  const auto found = Eigen::EigenSolver<Eigen::MatrixXd>(a, false).eigenvalues();
  std::vector<std::complex<double>> result(found.begin(), found.end());
  // Those without damping have real parts that are rounding errors: they come in the order of their
  // frequencies.
  double largest = 0;
  for (const std::complex<double> x : result) largest = std::max(largest, std::abs(x));
  const double unit = kRounding * largest;
  const auto key = [&](std::complex<double> x) {
    return std::tuple(unit > 0 ? -std::round(x.real() / unit) : 0.0, std::abs(x.imag()), -x.imag());
  };
  std::ranges::sort(result, {}, key);
  return result;
}

}  // namespace runtime
