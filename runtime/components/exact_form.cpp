#include "runtime/components/exact_form.h"

#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/components/dependency.h"
#include "runtime/components/row_index.h"
#include "runtime/numbers.h"

namespace runtime {

namespace {

// A difference of two numbers is rounding error up to this part of them.
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
// Modes of a form; a coefficient that takes new values at every event has no use for more.
constexpr std::size_t kMostModes = 100'000;

std::uint64_t hash_of(std::span<const double> numbers) {
  std::uint64_t hash = numbers.size();
  for (const double x : numbers)
    hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
  return hash;
}

/// A power of two near the magnitude: sums and quotients with it lose little.
double power_of_two(double magnitude) { return std::ldexp(1.0, std::ilogb(magnitude) + 1); }

template <class T>
std::vector<T> gathered(const std::vector<T>& whole, std::span<const std::uint32_t> numbers) {
  std::vector<T> own;
  own.reserve(numbers.size());
  for (const std::uint32_t k : numbers) own.push_back(whole[k]);
  return own;
}

}  // namespace

ExactForm::ExactForm(const Submodel& p, const ModelInstance& whole, const Times& t)
    : part([&] {
        Submodel own = p;
        own.link(whole.model);
        return own;
      }()),
      instance(part.model, gathered(whole.parameters, part.parameters),
               gathered(whole.nominal, part.variables)),
      events(instance, t.moment),
      times(t),
      stride(2 * part.variables.size() + part.parameters.size() + events.memory_size()) {
  find_written();
  find_coefficients();
}

void ExactForm::find_coefficients() {
  const RowIndex rows(part.model);
  const std::uint32_t first_parameter = rows.parameter_node(0);
  for (const std::uint32_t node : coefficient_nodes(rows, Variation(rows)))
    if (node < first_parameter)
      coefficient_variables_.push_back(node);
    else
      coefficient_parameters_.push_back(node - first_parameter);
  auto contains = [](const std::vector<std::uint32_t>& list) {
    return [&list](std::uint32_t k) { return std::ranges::find(list, k) != list.end(); };
  };
  mode_is_constant_ = coefficient_variables_.empty() && !common() &&
                      std::ranges::none_of(coefficient_parameters_, contains(written_parameters));
}

void ExactForm::find_written() {
  const Model& model = part.model;
  for (const Assignment& assignment : model.events.assignments)
    written_variables.push_back(assignment.variable);
  for (const Events::Previous& p : model.events.previous) written_variables.push_back(p.variable);
  for (const auto* steps : {&model.dynamic, &model.compared})
    for (const Step& step : *steps)
      for (std::uint32_t row = 0; step.kind == Step::Assign && row < model.batches[step.index].count; ++row)
        if (const std::uint32_t v = solved_variable(model, model.batches[step.index], row);
            std::ranges::binary_search(part.foreign_variables, v))
          written_variables.push_back(v);
  std::ranges::sort(written_variables);
  written_variables.erase(std::unique(written_variables.begin(), written_variables.end()),
                          written_variables.end());
  for (const ZeroCrossing& crossing : model.zero_crossings) {
    const std::uint32_t count = held_width(crossing.kind) * model.batches[crossing.batch].count;
    for (std::uint32_t k = 0; k < count; ++k) written_parameters.push_back(crossing.first + k);
  }
}

std::size_t ExactForm::append(const Submodel& of, const ModelInstance& whole) {
  pieces.emplace_back();
  numbers.resize(numbers.size() + stride);
  from_.resize(from_.size() + states());
  rates_.resize(rates_.size() + states());
  starts_.push_back(0);
  matrix_of_one_.push_back(0);
  slopes_of_one_.resize(slopes_of_one_.size() + events.zero_crossings().functions().watched().size());
  auto add = [](std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& list) {
    to.insert(to.end(), list.begin(), list.end());
  };
  add(variables, of.variables);
  add(parameters, of.parameters);
  add(crossings, of.crossings);
  add(triggers, of.triggers);
  for (const State& state : part.model.states) state_numbers.push_back(of.variables[state.variable]);
  for (std::size_t k = 0; k < of.variables.size(); ++k) {
    instance.values[k] = whole.values[of.variables[k]];
    instance.nominal[k] = whole.nominal[of.variables[k]];
  }
  std::ranges::copy(instance.nominal,
                    numbers.end() - static_cast<std::ptrdiff_t>(stride - instance.values.size()));
  for (std::size_t k = 0; k < of.parameters.size(); ++k)
    instance.parameters[k] = whole.parameters[of.parameters[k]];
  return pieces.size() - 1;
}

void ExactForm::load(std::size_t component) {
  const double* number = numbers.data() + component * stride;
  std::copy_n(number, instance.values.size(), instance.values.begin());
  number += instance.values.size();
  std::copy_n(number, instance.nominal.size(), instance.nominal.begin());
  number += instance.nominal.size();
  std::copy_n(number, instance.parameters.size(), instance.parameters.begin());
  events.load(number + instance.parameters.size());
}

void ExactForm::load_common(std::size_t component, const ModelInstance& whole) {
  const auto of_variables = numbers_of(variables, component, instance.values.size());
  const auto of_parameters = numbers_of(parameters, component, instance.parameters.size());
  for (const std::uint32_t v : part.foreign_variables) instance.values[v] = whole.values[of_variables[v]];
  for (const std::uint32_t p : part.foreign_parameters)
    instance.parameters[p] = whole.parameters[of_parameters[p]];
}

void ExactForm::save(std::size_t component) {
  double* to = numbers.data() + component * stride;
  to = std::ranges::copy(instance.values, to).out;
  to += instance.nominal.size();
  to = std::ranges::copy(instance.parameters, to).out;
  events.save(to);
}

void ExactForm::prefetch(std::size_t component) const {
  const double* row = numbers.data() + component * stride;
  for (std::size_t k = 0; k < stride; k += 8) __builtin_prefetch(row + k);
  __builtin_prefetch(&pieces[component]);
  __builtin_prefetch(from(component));
  __builtin_prefetch(rates(component));
  __builtin_prefetch(starts_.data() + component);
  if (states() > 1) return;
  __builtin_prefetch(matrix_of_one_.data() + component);
  __builtin_prefetch(slopes_of_one_.data() + component * slopes_of_one_.size() / components());
}

/// The state of a component, if there is one.
inline double ExactForm::state_of_one(std::size_t component, double time) const {
  const double s = std::max(time - starts_[component], 0.0), x = from_[component], f = rates_[component];
  const double z = matrix_of_one_[component] * s;
  return f == 0 || s == 0 ? x : x + f * s * (z == 0 ? 1.0 : std::expm1(z) / z);
}

void ExactForm::states_at(std::size_t component, double time, double* out) {
  if (states() == 1) {
    out[0] = state_of_one(component, time);
    return;
  }
  const double s = std::max(time - starts_[component], 0.0);
  const double *x = from(component), *f = rates(component);
  const Spectrum& spectrum = *pieces[component].mode->spectrum;
  spectrum.expand(f, vectors_);
  spectrum.displacement(vectors_, s, out);
  for (std::size_t j = 0; j < states(); ++j) out[j] += x[j];
}

void ExactForm::load_states(std::size_t component, double time, std::vector<double>& values) {
  states_.resize(states());
  states_at(component, time, states_.data());
  for (std::size_t j = 0; j < states(); ++j) values[part.model.states[j].variable] = states_[j];
}

std::optional<std::uint32_t> ExactForm::write_states(double time, std::span<double> whole) {
  std::optional<std::uint32_t> failed;
  if (states() == 1) {
    for (std::uint32_t k = 0; k < components(); ++k) {
      const double x = state_of_one(k, time);
      whole[state_numbers[k]] = x;
      if (!std::isfinite(x) && !failed) failed = k;
    }
    return failed;
  }
  states_.resize(states());
  for (std::uint32_t k = 0; k < components(); ++k) {
    states_at(k, time, states_.data());
    for (std::size_t j = 0; j < states_.size(); ++j) {
      whole[number_of_state(k, j)] = states_[j];
      if (!std::isfinite(states_[j]) && !failed) failed = k;
    }
  }
  return failed;
}

bool ExactForm::evaluate(double time) {
  const Point point = instance.point(time);
  if (!instance.evaluator.run(instance.model.dynamic, point) ||
      !instance.evaluator.run(instance.model.compared, point))
    return false;
  events.zero_crossings().functions().evaluate(point);
  return true;
}

bool ExactForm::process(std::size_t component, bool& changed) {
  const Piece& piece = pieces[component];
  const double time = piece.end;
  load_states(component, time, instance.values);
  events.begin_instant(time);
  if (!evaluate(time)) return false;
  if (piece.watched == Piece::kHorizon) return begin_piece(component, time);
  // Conditions of a sink are as the last event that activated it has left them.
  if (common()) events.handler().accept(instance.point(time));
  find_directions([&](std::uint32_t w) {
    return w == piece.watched || (piece.ends_by_crossing() && crosses_here(component, w));
  });
  if (!piece.ends_by_crossing() && std::ranges::count(directions, 0) == std::ssize(directions))
    directions.clear();
  return events.process(time, directions, changed, {.evaluated = true}) && advances(component, time) &&
         begin_piece(component, time);
}

void ExactForm::find_directions(const std::function<bool(std::uint32_t)>& crossed) {
  ZeroCrossingFunctions& functions = events.zero_crossings().functions();
  directions.assign(functions.watched().size(), 0);
  for (std::uint32_t w = 0; w < directions.size(); ++w) {
    const std::uint32_t k = functions.watched()[w];
    const bool below = functions.held(k, instance.parameters) != 0;
    const double difference = functions.differences()[k];
    if (crossed(w) || (below ? difference > 0 : difference < 0)) directions[w] = below ? 1 : -1;
  }
}

bool ExactForm::advances(std::size_t component, double time) {
  Piece& piece = pieces[component];
  auto failure = events.count_close(time, times.range(), times.stop, !piece.is_rounding, piece.close);
  if (failure) instance.failure() = std::move(*failure);
  return !failure;
}

bool ExactForm::begin_piece(std::size_t component, double time) {
  if (!events.functions_evaluated()) events.zero_crossings().functions().evaluate(instance.point(time));
  differences_ = events.zero_crossings().functions().differences();
  double *x = from_.data() + component * states(), *f = rates_.data() + component * states();
  for (std::size_t j = 0; j < states(); ++j) {
    const State& state = part.model.states[j];
    x[j] = instance.values[state.variable];
    f[j] = instance.values[state.derivative];
    if (std::isfinite(x[j]) && std::isfinite(f[j])) continue;
    instance.failure() = Failure{.kind = FailureKind::NotFinite, .time = time, .unknowns = 1};
    instance.failure().variables.push_back({state.variable, x[j], 0});
    return false;
  }
  Piece& piece = pieces[component];
  if (!piece.mode || !mode_is_constant_) {
    const Mode* before = piece.mode.get();
    if (!find_mode(component, time, piece.mode)) return false;
    if (states() == 1 && piece.mode.get() != before) {
      matrix_of_one_[component] = piece.mode->matrix[0];
      std::ranges::copy(piece.mode->slopes, slopes_of_one_.data() + component * piece.mode->slopes.size());
    }
  }
  piece.start = starts_[component] = time;
  piece.is_rounding = false;
  const double next = events.next_time_event(time);
  if (states() == 1)
    find_end_of_one(component);
  else
    find_end(component, std::min(next, times.stop));
  if (next <= piece.end) {
    piece.end = next;
    piece.watched = Piece::kTime;
    piece.is_rounding = false;
  }
  return true;
}

/// The mode of the current values, which are kept.
bool ExactForm::find_mode(std::size_t component, double time, std::shared_ptr<const Mode>& mode) {
  now_.clear();
  for (const std::uint32_t v : coefficient_variables_) now_.push_back(instance.values[v]);
  for (const std::uint32_t p : coefficient_parameters_) now_.push_back(instance.parameters[p]);
  if (mode && mode->coefficients == now_) return true;
  const std::uint64_t hash = hash_of(now_);
  const auto [first, last] = modes_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (it->second->coefficients == now_) {
      mode = it->second;
      return true;
    }
  auto measured = std::make_shared<Mode>();
  measured->coefficients = now_;
  before_ = instance.values;
  const bool fine = measure(component, time, *measured);
  std::ranges::copy(before_, instance.values.begin());
  if (!fine) return false;
  mode = measured;
  if (modes_.size() < kMostModes) modes_.emplace(hash, std::move(measured));
  return true;
}

bool ExactForm::measure(std::size_t component, double time, Mode& mode) {
  distances_.clear();
  for (std::size_t j = 0; j < states(); ++j)
    distances_.push_back(power_of_two(
        std::max(std::abs(from(component)[j]), instance.nominal[part.model.states[j].variable])));
  if (!measure_at(time, distances_, mode)) return false;
  if (all_finite(mode.matrix) && adjust(component, mode, distances_) && !measure_at(time, distances_, mode))
    return false;
  if (all_finite(mode.matrix)) {
    if (states() == 1) return true;
    if (mode.spectrum.emplace(mode.matrix, states()).valid()) return true;
  }
  instance.failure() = Failure{.kind = FailureKind::NotFinite, .time = time, .unknowns = 1};
  const std::uint32_t variable = part.model.states[0].variable;
  instance.failure().variables.push_back({variable, before_[variable], 0});
  return false;
}

/// A and C by differences over these distances.
bool ExactForm::measure_at(double time, std::span<const double> distances, Mode& mode) {
  const ZeroCrossingFunctions& functions = events.zero_crossings().functions();
  const std::size_t n = states();
  mode.matrix.resize(n * n);
  mode.slopes.resize(functions.watched().size() * n);
  for (std::size_t j = 0; j < n; ++j) {
    std::ranges::copy(before_, instance.values.begin());
    instance.values[part.model.states[j].variable] += distances[j];
    if (!evaluate(time)) return false;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t derivative = part.model.states[i].derivative;
      mode.matrix[i * n + j] = (instance.values[derivative] - before_[derivative]) / distances[j];
    }
    for (std::size_t w = 0; w < functions.watched().size(); ++w) {
      const std::uint32_t k = functions.watched()[w];
      mode.slopes[w * n + j] = (functions.differences()[k] - differences_[k]) / distances[j];
    }
  }
  return true;
}

/// Distances over which the rounding errors of the rates are small beside their changes: those to the
/// equilibrium. Whether these are others.
bool ExactForm::adjust(std::size_t component, const Mode& mode, std::vector<double>& distances) const {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(states());
  const Eigen::Map<const Rows> matrix(mode.matrix.data(), n, n);
  const Eigen::Map<const Eigen::VectorXd> rate(rates(component), n);
  const Eigen::VectorXd equilibrium = matrix.colPivHouseholderQr().solve(rate);
  bool changed = false;
  for (std::size_t j = 0; j < distances.size(); ++j) {
    const double distance = std::abs(equilibrium[static_cast<Eigen::Index>(j)]);
    if (!(distance > 4 * distances[j] && distance < 1e9 * distances[j])) continue;
    distances[j] = power_of_two(distance);
    changed = true;
  }
  return changed;
}

/// Where the first watched difference crosses zero.
void ExactForm::find_end_of_one(std::size_t component) {
  Piece& piece = pieces[component];
  piece.end = std::numeric_limits<double>::infinity();
  piece.watched = Piece::kTime;
  const double rate = rates(component)[0], coefficient = matrix_of_one_[component];
  if (rate == 0) return;
  const ZeroCrossingFunctions& functions = events.zero_crossings().functions();
  const double* slopes = slopes_of_one_.data() + component * functions.watched().size();
  bool coarse = false;
  for (std::uint32_t w = 0; w < functions.watched().size(); ++w) {
    const std::uint32_t k = functions.watched()[w];
    const double difference = differences_[k], slope = slopes[w];
    const double side = events.watched_differences().side(w, instance.parameters);
    const double rounding = kRounding * std::abs(slope * from(component)[0]);
    coarse = coarse || rounding > Piece::kCoarse * events.watched_differences().nominal(w);
    if (!(side * slope * rate < 0)) continue;  // it does not move towards the other side
    double end = piece.start;
    if (side * difference > 0) {
      const double change = -difference / slope / rate, z = coefficient * change;
      if (!(z > -1)) continue;  // beyond the equilibrium
      end += change * (z == 0 ? 1.0 : std::log1p(z) / z);
    }
    if (end < piece.end) {
      piece.end = end;
      piece.watched = w;
      piece.is_rounding = side * difference <= rounding;
    }
  }
  if (!coarse || !(coefficient < 0) || !(piece.end > piece.start - Piece::kDecay / coefficient)) return;
  piece.end = piece.start - Piece::kDecay / coefficient;
  piece.watched = Piece::kHorizon;
}

}  // namespace runtime
