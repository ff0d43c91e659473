#include "runtime/events/history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/rounding.h"

namespace runtime {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// A change at an event that is smaller than this part of the largest value so far comes from solving the
// equations again and is no jump.
constexpr double kJump = 1e-6;
constexpr double kSame = 1e-12;
// Limit on the kinks that are tracked: with m different lengths there are m^k of order k.
constexpr double kMaxKinks = 1000;
constexpr int kMaxOrder = 5;

/// The Lagrange weights of the five equidistant nodes at a position in [0, 1].
std::array<double, History::kNodes> weights(double position) {
  constexpr double kDenominator[] = {24, -6, 4, -6, 24};  // products of differences of 0 … 4
  const double x = 4 * position;
  std::array<double, History::kNodes> result{};
  for (std::uint32_t k = 0; k < History::kNodes; ++k) {
    double product = 1;
    for (std::uint32_t j = 0; j < History::kNodes; ++j)
      if (j != k) product *= x - j;
    result[k] = product / kDenominator[k];
  }
  return result;
}

}  // namespace

History::History(const Model& model) : model_(model), order_(model.delays.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  for (auto* list : {&before_start_, &at_end_, &largest_}) list->assign(order_.size(), 0.0);
  samples_.assign(order_.size() * kNodes, 0.0);
}

bool History::read_lengths(std::span<const double> parameters, Failure& failure) {
  auto length = [&](std::uint32_t d) { return parameters[model_.delays[d].length]; };
  for (std::uint32_t d = 0; d < order_.size(); ++d) {
    if (std::isfinite(length(d)) && length(d) > 0) continue;
    failure = Failure{.kind = FailureKind::BadDelay};
    failure.parameters.push_back({model_.delays[d].length, length(d)});
    return false;
  }
  std::ranges::stable_sort(
      order_, {}, [&](std::uint32_t d) { return std::pair(length(d), model_.delays[d].piecewise_constant); });
  groups_.clear();
  variables_.clear();
  for (std::uint32_t d : order_) variables_.push_back(model_.delays[d].variable);
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    if (groups_.empty() || groups_.back().length != length(order_[k]))
      groups_.push_back({length(order_[k]), k, k, k, {}, {}, 0});
    Group& group = groups_.back();
    ++group.last;
    if (!model_.delays[order_[k]].piecewise_constant) group.constant = group.last;
  }
  for (Group& group : groups_) group.constant = std::max(group.constant, group.first);
  double kinks = static_cast<double>(groups_.size());
  for (max_order_ = 1; max_order_ < kMaxOrder && kinks * static_cast<double>(groups_.size()) <= kMaxKinks;
       ++max_order_)
    kinks *= static_cast<double>(groups_.size());
  return true;
}

void History::visit(Archive& archive) {
  started_ = true;
  archive.fixed(groups_);
  archive(tolerance_, end_);
  for (auto* list : {&before_start_, &at_end_, &largest_}) archive.fixed(*list);
  archive(first_piece_, starts_, values_, arrived_order_);
}

double History::shortest_delay() const { return groups_.empty() ? kNever : groups_.front().length; }

double History::source(std::uint32_t k, std::span<const double> values) const {
  const Delay& d = model_.delays[order_[k]];
  return d.of == kNone ? 0.0 : d.negated ? 0.0 - values[d.of] : values[d.of];
}

bool History::set_to_current(std::span<double> values) const {
  bool changes = false;
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    const double now = source(k, values);
    double& delayed = values[variables_[k]];
    changes = changes || !(std::abs(now - delayed) <= kSame * std::abs(now));
    delayed = now;
  }
  return changes;
}

void History::start(double time, std::span<const double> values, double tolerance) {
  started_ = true;
  tolerance_ = tolerance;
  end_ = time;
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    before_start_[k] = at_end_[k] = source(k, values);
    largest_[k] = std::abs(at_end_[k]);
  }
  for (Group& group : groups_) add_discontinuity(group, 1);
}

void History::continue_from(const History& past, std::span<const Continued> continued,
                            std::span<const double> values, double tolerance) {
  started_ = true;
  tolerance_ = tolerance;
  end_ = past.end_;
  first_piece_ = past.first_piece_;
  starts_ = past.starts_;
  const std::size_t n = order_.size(), before = past.order_.size(), nodes = starts_.size() * kNodes;
  std::vector<std::uint32_t> place(before);  // of each delay of `past`
  for (std::uint32_t k = 0; k < before; ++k) place[past.order_[k]] = k;
  values_.resize(nodes * n);
  for (Group& group : groups_) {
    bool known = false;
    for (std::uint32_t k = group.first; k < group.last; ++k) {
      const Continued from = continued[order_[k]];
      auto take = [&](double value) { return from.negated ? 0.0 - value : value; };
      if (from.delay == kNone) {
        before_start_[k] = at_end_[k] = values[variables_[k]];
        largest_[k] = std::abs(at_end_[k]);
        for (std::size_t node = 0; node < nodes; ++node) values_[node * n + k] = at_end_[k];
        continue;
      }
      const std::uint32_t old = place[from.delay];
      before_start_[k] = take(past.before_start_[old]);
      at_end_[k] = take(past.at_end_[old]);
      largest_[k] = past.largest_[old];
      for (std::size_t node = 0; node < nodes; ++node)
        values_[node * n + k] = take(past.values_[node * before + old]);
      if (std::exchange(known, true)) continue;
      const auto then = std::ranges::upper_bound(past.groups_, old, {}, &Group::first) - 1;
      group.pending = then->pending;
      group.since = then->since;
    }
  }
}

void History::add_discontinuity(Group& group, int order) {
  if (!group.pending.empty() && group.pending.back().time == end_)
    group.pending.back().order = std::min(group.pending.back().order, order);
  else
    group.pending.push_back({end_, first_piece_ + starts_.size(), order});
}

void History::evaluate(Group& group, double time, std::span<double> values) {
  auto set = [&](std::uint32_t k, double value) { values[variables_[k]] = value; };
  auto set_all = [&](const std::vector<double>& from) {
    for (std::uint32_t k = group.first; k < group.last; ++k) set(k, from[k]);
  };
  if (!group.since) return set_all(before_start_);
  // Pieces from the last discontinuity that arrived up to the next one.
  const std::size_t first = std::max(*group.since, first_piece_);
  const std::size_t last =
      group.pending.empty() ? first_piece_ + starts_.size() : group.pending.front().piece;
  if (first >= last) return set_all(at_end_);
  const double then = time - group.length;
  auto start = [&](std::size_t piece) { return starts_[piece - first_piece_]; };
  std::size_t& piece = group.piece;
  piece = std::clamp(piece, first, last - 1);
  while (piece + 1 < last && start(piece + 1) <= then) ++piece;
  while (piece > first && start(piece) > then) --piece;
  const std::size_t number = piece - first_piece_;
  const double end = number + 1 < starts_.size() ? starts_[number + 1] : end_;
  const double position = std::clamp((then - starts_[number]) / (end - starts_[number]), 0.0, 1.0);
  const double* nodes[kNodes];
  for (std::uint32_t k = 0; k < kNodes; ++k)
    nodes[k] = values_.data() + (number * kNodes + k) * order_.size();
  const std::array<double, kNodes> w = weights(position);
  for (std::uint32_t k = group.first; k < group.constant; ++k)
    set(k, w[0] * nodes[0][k] + w[1] * nodes[1][k] + w[2] * nodes[2][k] + w[3] * nodes[3][k] +
               w[4] * nodes[4][k]);
  const double* constant = nodes[static_cast<std::size_t>(position * (kNodes - 1))];
  for (std::uint32_t k = group.constant; k < group.last; ++k) set(k, constant[k]);
}

void History::evaluate(double time, std::span<double> values) {
  if (!started_) return;
  for (Group& group : groups_) evaluate(group, time, values);
}

void History::sample(std::uint32_t node, std::span<const double> values) {
  double* to = samples_.data() + node * order_.size();
  if (node == 0) {
    std::ranges::copy(at_end_, to);
    return;
  }
  for (std::uint32_t k = 0; k < order_.size(); ++k) to[k] = source(k, values);
}

bool History::is_accurate(std::span<const double> values) const {
  const std::array<double, kNodes> w = weights(kTest);
  const std::size_t n = order_.size();
  for (const Group& group : groups_)
    for (std::uint32_t k = group.first; k < group.constant; ++k) {
      double between = 0, largest = largest_[k];
      for (std::uint32_t node = 0; node < kNodes; ++node) {
        between += w[node] * samples_[node * n + k];
        largest = std::max(largest, std::abs(samples_[node * n + k]));
      }
      if (std::abs(between - source(k, values)) > tolerance_ * largest) return false;
    }
  return true;
}

void History::append_piece(double end) {
  starts_.push_back(end_);
  values_.insert(values_.end(), samples_.begin(), samples_.end());
  end_ = end;
  const std::size_t n = order_.size();
  for (std::uint32_t k = 0; k < n; ++k) {
    at_end_[k] = samples_[(kNodes - 1) * n + k];
    largest_[k] = std::max(largest_[k], std::abs(at_end_[k]));
  }
  arrived_order_ = -1;
}

void History::discard_old() {  // half of the pieces at a time
  const auto old = starts_.size() / 2;
  if (starts_.size() < 64 || starts_[old] > end_ - groups_.back().length) return;
  starts_.erase(starts_.begin(), starts_.begin() + static_cast<std::ptrdiff_t>(old));
  values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(old * kNodes * order_.size()));
  first_piece_ += old;
}

double History::next_arrival() const {
  double next = kNever;
  for (const Group& group : groups_)
    if (!group.pending.empty()) next = std::min(next, group.pending.front().time + group.length);
  return next;
}

bool History::arrive(double time) {
  bool jump = false;
  for (Group& group : groups_)
    for (; !group.pending.empty() && group.pending.front().time + group.length <= just_after(time);
         group.pending.pop_front()) {
      const Discontinuity& b = group.pending.front();
      group.since = b.piece;
      jump = jump || b.order == 0;
      arrived_order_ = arrived_order_ < 0 ? b.order : std::min(arrived_order_, b.order);
    }
  return jump;
}

void History::end_instant(std::span<const double> values, bool changed) {
  const int kink = changed ? 1 : arrived_order_ >= 0 && arrived_order_ < max_order_ ? arrived_order_ + 1 : -1;
  for (Group& group : groups_) {
    bool jump = false;
    for (std::uint32_t k = group.first; k < group.last; ++k) {
      const double now = source(k, values);
      largest_[k] = std::max(largest_[k], std::abs(now));
      // Piecewise constant signals, as Ints, change by events alone.
      jump = jump || std::abs(now - at_end_[k]) > (k >= group.constant ? 0 : kJump * largest_[k]);
      at_end_[k] = now;
    }
    if (jump)
      add_discontinuity(group, 0);
    else if (kink > 0)
      add_discontinuity(group, kink);
  }
}

}  // namespace runtime
