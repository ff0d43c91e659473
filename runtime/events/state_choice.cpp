#include "runtime/events/state_choice.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "runtime/linear/sparse_pattern.h"

namespace runtime {

namespace {
constexpr int kMostExponent = 1000;             // of a double, with some room
constexpr double kLeastPivot = 1e-11;           // of the largest entry of its column, times 8
constexpr std::size_t kMostEntries = 25000000;  // of a dense matrix

bool opposite(double a, double b) { return (a < 0 && b > 0) || (a > 0 && b < 0); }
}  // namespace

StateChoice::StateChoice(const Model& model, const StateSet& set, const std::vector<double>& nominal)
    : model_(model), set_(set), columns_(set.eliminated + set.candidates) {
  std::unordered_map<std::uint32_t, std::uint32_t> column;
  for (std::uint32_t k = 0; k < columns_; ++k) column.emplace(model.set_variables[set.first_variable + k], k);
  for (std::uint32_t r = 0; r < set.batches; ++r) rows_ += model.batches[set.first_batch + r].count;
  std::size_t base = 0;
  std::uint32_t size = 0;
  for (std::uint32_t r = 0; r < set.batches; ++r) {
    const KernelBatch& batch = model.batches[set.first_batch + r];
    auto place = [&](std::uint32_t row, std::uint32_t variable, Source source) {
      const auto it = column.find(variable);
      if (it == column.end()) return;
      entries_.push_back({static_cast<std::uint32_t>(base + row), it->second});
      sources_.push_back(source);
    };
    if (batch.kernel == kNone) {
      const SumTable table(model, batch);
      for (std::uint32_t row = 0; row < batch.count; ++row)
        for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k)
          place(row, table.terms[k] >> 1, {kNone, table.terms[k] & 1 ? -1.0 : 1.0});
    } else {
      for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
        for (std::uint32_t row = 0; row < batch.count; ++row)
          place(row, slot_variable(model, batch, slot, row), {size + slot * batch.count + row});
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

/// The entries at a point. False: some are not finite.
bool StateChoice::evaluate(const Point& point) {
  double* coefficients = coefficients_.data();
  for (std::uint32_t r = 0; r < set_.batches; ++r) {
    const KernelBatch& batch = model_.batches[set_.first_batch + r];
    if (batch.kernel == kNone) continue;
    evaluate_partials(model_, batch, point, coefficients);
    coefficients += std::size_t{batch.slots} * batch.count;
  }
  values_.resize(entries_.size());
  bool finite = true;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Source& source = sources_[k];
    values_[k] = (source.coefficient == kNone ? source.constant : coefficients_[source.coefficient]) *
                 scale_[entries_[k].column];
    finite = finite && std::isfinite(values_[k]);
  }
  return finite;
}

/// For the present selection. False: it does not determine the dummy derivatives.
bool StateChoice::find_sensitivities() {
  if (!dummies_) {
    column_of_.assign(columns_, 0);
    state_of_.assign(columns_, kNone);
    for (std::uint32_t s = 0; s < set_.states; ++s) {
      column_of_[set_.eliminated + selected_[s]] = kNone;
      state_of_[set_.eliminated + selected_[s]] = s;
    }
    dummy_candidates_.clear();
    std::uint32_t next = 0;
    for (std::size_t c = 0; c < columns_; ++c) {
      if (column_of_[c] == kNone) continue;
      column_of_[c] = next++;
      if (c >= set_.eliminated) dummy_candidates_.push_back(static_cast<std::uint32_t>(c - set_.eliminated));
    }
    if (next != rows_) return false;
    std::vector<Entry> entries;
    std::vector<std::uint32_t> of, positions;
    for (std::uint32_t k = 0; k < entries_.size(); ++k) {
      if (column_of_[entries_[k].column] == kNone) continue;
      entries.push_back({entries_[k].row, column_of_[entries_[k].column]});
      of.push_back(k);
    }
    dummies_.emplace(compress(rows_, entries, positions));
    position_of_.assign(entries_.size(), kNone);
    for (std::size_t k = 0; k < of.size(); ++k) position_of_[of[k]] = positions[k];
  }
  const std::span<double> values = dummies_->values();
  std::ranges::fill(values, 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k)
    if (position_of_[k] != kNone) values[position_of_[k]] += values_[k];
  if (dummies_->factor(kLeastPivot) != LinearSystem::Status::Ok) return false;
  const std::size_t states = set_.states;
  of_states_.assign(rows_ * states, 0.0);  // B_S, by columns
  for (std::size_t k = 0; k < entries_.size(); ++k)
    if (const std::uint32_t s = state_of_[entries_[k].column]; s != kNone)
      of_states_[s * rows_ + entries_[k].row] += values_[k];
  sensitivities_.assign(dummy_candidates_.size() * states, 0.0);
  for (std::size_t s = 0; s < states; ++s) {
    double* solution = of_states_.data() + s * rows_;
    dummies_->solve(solution);
    for (std::size_t k = 0; k < dummy_candidates_.size(); ++k)
      sensitivities_[k * states + s] = solution[column_of_[set_.eliminated + dummy_candidates_[k]]];
  }
  return std::ranges::all_of(sensitivities_, [](double x) { return std::isfinite(x); });
}

/// Exchanges dummy candidates with states while a sensitivity is large. Whether the selection changed.
bool StateChoice::exchange(bool fresh) {
  const std::size_t states = set_.states;
  bool changed = false;
  for (std::size_t rounds = 0; rounds < 100 * columns_; ++rounds) {
    std::size_t found = sensitivities_.size();
    double largest = fresh || changed ? kGood : kSwitch;
    for (std::size_t k = 0; k < sensitivities_.size(); ++k)
      if (std::abs(sensitivities_[k]) > largest) {
        found = k;
        largest = std::abs(sensitivities_[k]);
      }
    if (found == sensitivities_.size()) break;
    changed = true;
    const std::size_t row = found / states, column = found % states;
    double* pivots = sensitivities_.data() + row * states;
    const double inverse = 1 / pivots[column];
    for (std::size_t r = 0; r < dummy_candidates_.size(); ++r) {
      double* other = sensitivities_.data() + r * states;
      if (r == row || other[column] == 0) continue;
      const double factor = other[column] * inverse;
      for (std::size_t s = 0; s < states; ++s) other[s] -= factor * pivots[s];
      other[column] = -factor;
    }
    for (std::size_t s = 0; s < states; ++s) pivots[s] *= inverse;
    pivots[column] = inverse;
    std::swap(dummy_candidates_[row], selected_[column]);
  }
  if (changed) dummies_.reset();
  return changed;
}

void StateChoice::fill() {
  matrix_.assign(rows_ * columns_, 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k) at(entries_[k].row, entries_[k].column) += values_[k];
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
  of_row_.clear();
  for (std::size_t c = 0; c < columns_; ++c)
    if (at(row, c) != 0) {
      at(row, c) *= inverse;
      of_row_.push_back(c);
    }
  at(row, column) = 1;
  for (std::size_t r = 0; r < rows_; ++r) {
    const double factor = at(r, column);
    if (r == row || factor == 0) continue;
    for (const std::size_t c : of_row_) at(r, c) -= factor * at(row, c);
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
  if (!evaluate(point)) return true;  // the evaluation of the equations reports it
  fill();
  double determinant = 1;  // times 2^exponent
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

/// Selects by elimination with the largest pivots. False: the equations are dependent at this point, and no
/// selection is good.
bool StateChoice::eliminate() {
  if (rows_ * columns_ > kMostEntries) return false;
  fill();
  for (std::size_t c = 0; c < set_.eliminated; ++c)
    if (!pivot_column(c)) return false;
  for (std::uint32_t k = 0; k + set_.states < set_.candidates; ++k) {
    std::size_t row = rows_, column = 0;
    double largest = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (basis_[r] != kNone) continue;
      for (std::size_t c = set_.eliminated; c < columns_; ++c)
        if (!in_basis_[c] && std::abs(at(r, c)) > largest) {
          row = r;
          column = c;
          largest = std::abs(at(r, c));
        }
    }
    if (row == rows_) return false;
    pivot(row, column);
  }
  // Candidates that remain states keep their positions.
  std::vector<std::uint32_t> now;
  for (std::uint32_t k = 0; k < set_.candidates; ++k)
    if (!in_basis_[set_.eliminated + k]) now.push_back(k);
  for (std::uint32_t& s : selected_)
    if (std::erase(now, s) == 0) s = kNone;
  for (std::uint32_t& s : selected_)
    if (s == kNone) {
      s = now.back();
      now.pop_back();
    }
  dummies_.reset();
  return true;
}

bool StateChoice::choose(const Point& point, std::span<double> parameters, bool fresh) {
  if (set_.candidates == 0 || !evaluate(point)) return false;
  bool changed = false;
  if (!find_sensitivities()) {
    std::vector<std::uint32_t> before = selected_;
    if (!eliminate() || !find_sensitivities()) {
      selected_ = std::move(before);
      dummies_.reset();
      return false;
    }
    changed = selected_ != before;
  }
  if (exchange(fresh || changed)) changed = true;
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
