#include "runtime/events/state_choice.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace runtime {

namespace {
constexpr int kMostExponent = 1000;  // of a double, with some room

bool opposite(double a, double b) { return (a < 0 && b > 0) || (a > 0 && b < 0); }
}  // namespace

StateChoice::StateChoice(const Model& model, const StateSet& set, const std::vector<double>& nominal)
    : model_(model), set_(set), columns_(set.eliminated + set.candidates) {
  std::unordered_map<std::uint32_t, std::uint32_t> column;
  for (std::uint32_t k = 0; k < columns_; ++k) column.emplace(model.set_variables[set.first_variable + k], k);
  for (std::uint32_t r = 0; r < set.batches; ++r) rows_ += model.batches[set.first_batch + r].count;
  constant_.assign(rows_ * columns_, 0.0);
  std::size_t base = 0;
  std::uint32_t size = 0;
  for (std::uint32_t r = 0; r < set.batches; ++r) {
    const KernelBatch& batch = model.batches[set.first_batch + r];
    auto place = [&](std::uint32_t row, std::uint32_t variable, auto found) {
      if (auto it = column.find(variable); it != column.end())
        found(static_cast<std::uint32_t>((base + row) * columns_ + it->second));
    };
    if (batch.kernel == kNone) {
      const SumTable table(model, batch);
      for (std::uint32_t row = 0; row < batch.count; ++row)
        for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k)
          place(row, table.terms[k] >> 1,
                [&](std::uint32_t at) { constant_[at] += table.terms[k] & 1 ? -1.0 : 1.0; });
    } else {
      for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
        for (std::uint32_t row = 0; row < batch.count; ++row)
          place(row, slot_variable(model, batch, slot, row),
                [&](std::uint32_t at) { scatter_.push_back({size + slot * batch.count + row, at}); });
      size += batch.slots * batch.count;
    }
    base += batch.count;
  }
  coefficients_.assign(size, 0.0);
  for (std::uint32_t k = 0; k < columns_; ++k) {
    const bool candidate = k >= set.eliminated;
    scale_.push_back(candidate ? nominal[model.set_variables[set.first_variable + k + set.candidates]] *
                                     model.set_weights[set.first_weight + k - set.eliminated]
                               : 1.0);
  }
  for (std::uint32_t k = 0; k < set.states; ++k) selected_.push_back(k);
}

void StateChoice::fill(const Point& point) {
  double* coefficients = coefficients_.data();
  for (std::uint32_t r = 0; r < set_.batches; ++r) {
    const KernelBatch& batch = model_.batches[set_.first_batch + r];
    if (batch.kernel == kNone) continue;
    evaluate_partials(model_, batch, point, coefficients);
    coefficients += std::size_t{batch.slots} * batch.count;
  }
  matrix_ = constant_;
  for (const Scatter& s : scatter_) matrix_[s.position] += coefficients_[s.coefficient];
  for (std::size_t row = 0; row < rows_; ++row)
    for (std::size_t column = 0; column < columns_; ++column) at(row, column) *= scale_[column];
  basis_.assign(rows_, kNone);
  in_basis_.assign(columns_, 0);
}

/// Gauss-Jordan: the column becomes 1 in its row and 0 elsewhere. Rows of constraints are sparse, and columns
/// of the basis are unit vectors, so a row has few entries.
void StateChoice::pivot(std::size_t row, std::size_t column) {
  if (basis_[row] != kNone) in_basis_[basis_[row]] = 0;
  basis_[row] = static_cast<std::uint32_t>(column);
  in_basis_[column] = 1;
  const double inverse = 1 / at(row, column);
  entries_.clear();
  for (std::size_t c = 0; c < columns_; ++c)
    if (at(row, c) != 0) {
      at(row, c) *= inverse;
      entries_.push_back(c);
    }
  at(row, column) = 1;
  for (std::size_t r = 0; r < rows_; ++r) {
    const double factor = at(r, column);
    if (r == row || factor == 0) continue;
    for (const std::size_t c : entries_) at(r, c) -= factor * at(row, c);
    at(r, column) = 0;
  }
}

/// Pivots in the row without a pivot in which the column is largest. False: its entry is too small relative
/// to the others of the row.
bool StateChoice::pivot_column(std::size_t column) {
  std::size_t best = rows_;
  for (std::size_t r = 0; r < rows_; ++r)
    if (basis_[r] == kNone && (best == rows_ || std::abs(at(r, column)) > std::abs(at(best, column))))
      best = r;
  if (best == rows_) return false;
  double largest = 0;
  for (std::size_t c = 0; c < columns_; ++c) largest = std::max(largest, std::abs(at(best, c)));
  if (!(std::abs(at(best, column)) > 1e-10 * largest)) return false;
  pivot(best, column);
  return true;
}

bool StateChoice::regular(const Point& point) {
  if (set_.candidates > 0) return true;
  fill(point);
  for (const double value : matrix_)
    if (!std::isfinite(value)) return true;  // the evaluation of the equations reports it
  double determinant = 1;                    // times 2^exponent
  int exponent = 0;
  for (std::size_t k = 0; k < columns_; ++k) {
    std::size_t best = k;
    for (std::size_t r = k + 1; r < rows_; ++r)
      if (std::abs(at(r, k)) > std::abs(at(best, k))) best = r;
    if (best != k) {
      for (std::size_t c = 0; c < columns_; ++c) std::swap(at(best, c), at(k, c));
      determinant = -determinant;
    }
    int of_product = 0;
    determinant = std::frexp(determinant * at(k, k), &of_product);
    exponent += of_product;
    if (determinant == 0) break;
    for (std::size_t r = k + 1; r < rows_; ++r) {
      const double factor = at(r, k) / at(k, k);
      if (factor == 0) continue;
      for (std::size_t c = k; c < columns_; ++c) at(r, c) -= factor * at(k, c);
    }
  }
  if (samples_ == 0) exponent_ = exponent;
  determinant = std::ldexp(determinant, std::clamp(exponent - exponent_, -kMostExponent, kMostExponent));
  const Sample now{point.time, determinant};
  double expected = last_[1].determinant;
  if (samples_ == 2 && last_[1].time > last_[0].time)
    expected += (last_[1].determinant - last_[0].determinant) / (last_[1].time - last_[0].time) *
                (now.time - last_[1].time);
  largest_ = std::max(largest_, std::abs(determinant));
  const bool turned =
      samples_ == 2 && opposite(expected, last_[1].determinant) && std::abs(determinant) < 0.2 * largest_;
  const bool passed = samples_ > 0 && (determinant == 0 || opposite(determinant, last_[1].determinant));
  last_[0] = last_[1];
  last_[1] = now;
  samples_ = std::min(samples_ + 1, 2u);
  return !turned && !passed;
}

bool StateChoice::choose(const Point& point, std::span<double> parameters, bool fresh) {
  if (set_.candidates == 0) return false;
  fill(point);
  for (const double value : matrix_)
    if (!std::isfinite(value)) return false;
  for (std::size_t c = 0; c < set_.eliminated; ++c)
    if (!pivot_column(c)) return false;
  bool bad = fresh;
  std::vector<std::uint8_t> selected(columns_, 0);
  for (std::uint32_t s : selected_) selected[set_.eliminated + s] = 1;
  if (!fresh)
    for (std::size_t c = set_.eliminated; c < columns_; ++c)
      if (!selected[c] && !pivot_column(c)) bad = true;
  // The remaining rows pivot on the largest entries.
  struct Place {
    std::size_t row = 0, column = 0;
    double size = 0;
  };
  auto largest = [&](bool free_rows) {
    Place found;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (free_rows != (basis_[r] == kNone) || (!free_rows && basis_[r] < set_.eliminated)) continue;
      for (std::size_t c = set_.eliminated; c < columns_; ++c)
        if (!in_basis_[c] && std::abs(at(r, c)) > found.size) found = {r, c, std::abs(at(r, c))};
    }
    return found;
  };
  while (std::ranges::find(basis_, kNone) != basis_.end()) {
    const Place place = largest(true);
    if (place.size == 0) return false;  // the equations are dependent here: no selection is good
    pivot(place.row, place.column);
  }
  if (!bad && largest(false).size <= kSwitch) return false;
  for (std::size_t rounds = 0; rounds < 100 * columns_; ++rounds) {
    const Place place = largest(false);
    if (place.size <= kGood) break;
    pivot(place.row, place.column);
  }
  // Candidates that remain states keep their positions.
  std::vector<std::uint32_t> now;
  for (std::uint32_t k = 0; k < set_.candidates; ++k)
    if (!in_basis_[set_.eliminated + k]) now.push_back(k);
  bool changed = false;
  for (std::uint32_t& s : selected_) {
    auto remaining = std::ranges::find(now, s);
    if (remaining != now.end())
      now.erase(remaining);
    else
      s = kNone;
  }
  for (std::uint32_t& s : selected_)
    if (s == kNone) {
      s = now.front();
      now.erase(now.begin());
      changed = true;
    }
  if (!changed && !fresh) return false;
  write(point, parameters);
  return true;
}

void StateChoice::write(const Point& point, std::span<double> parameters) {
  for (std::uint32_t s = 0; s < set_.states; ++s) {
    for (std::uint32_t k = 0; k < set_.candidates; ++k)
      parameters[set_.first_selector + s * set_.candidates + k] = k == selected_[s] ? 1.0 : 0.0;
    const std::uint32_t* rates = model_.set_variables.data() + set_.first_variable + set_.eliminated;
    const std::uint32_t* values = rates + set_.candidates;
    const State& state = model_.states[set_.first_state + s];
    point.values[state.variable] = point.values[values[selected_[s]]];
    point.values[state.derivative] = point.values[rates[selected_[s]]];
  }
}

}  // namespace runtime
