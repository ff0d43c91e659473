#include "runtime/events/history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace runtime {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Of the largest value so far: a smaller change at an event is what solving equations anew makes, and no
// jump.
constexpr double kJump = 1e-6;
constexpr double kSame = 1e-12;
// Kinks of kinks are met as long as they are few: m lengths make m^k of them at level k.
constexpr double kManyKinks = 1000;
constexpr int kMostLevels = 5;

double just_after(double time) { return time + 8 * std::numeric_limits<double>::epsilon() * std::abs(time); }

/// The weights of the five equidistant nodes at a place between 0 and 1.
std::array<double, History::kNodes> weights(double place) {
  constexpr double kDenominator[] = {24, -6, 4, -6, 24};  // products of differences of 0 … 4
  const double x = 4 * place;
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
  for (auto* list : {&before_, &now_, &largest_}) list->assign(order_.size(), 0.0);
  noted_.assign(order_.size() * kNodes, 0.0);
}

bool History::measure(std::span<const double> parameters, Failure& failure) {
  auto length = [&](std::uint32_t d) { return parameters[model_.delays[d].length]; };
  for (std::uint32_t d = 0; d < order_.size(); ++d) {
    if (std::isfinite(length(d)) && length(d) > 0) continue;
    failure = Failure{.kind = FailureKind::BadDelay};
    failure.parameters.push_back({model_.delays[d].length, length(d)});
    return false;
  }
  std::ranges::stable_sort(order_, {},
                           [&](std::uint32_t d) { return std::pair(length(d), model_.delays[d].held); });
  groups_.clear();
  variables_.clear();
  for (std::uint32_t d : order_) variables_.push_back(model_.delays[d].variable);
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    if (groups_.empty() || groups_.back().length != length(order_[k]))
      groups_.push_back({length(order_[k]), k, k, k, {}, {}, 0});
    Group& group = groups_.back();
    ++group.last;
    if (!model_.delays[order_[k]].held) group.held = group.last;
  }
  for (Group& group : groups_) group.held = std::max(group.held, group.first);
  double kinks = static_cast<double>(groups_.size());
  for (levels_ = 1; levels_ < kMostLevels && kinks * static_cast<double>(groups_.size()) <= kManyKinks;
       ++levels_)
    kinks *= static_cast<double>(groups_.size());
  return true;
}

double History::shortest() const { return groups_.empty() ? kNever : groups_.front().length; }

double History::present(std::uint32_t k, std::span<const double> values) const {
  const Delay& d = model_.delays[order_[k]];
  return d.of == kNone ? 0.0 : d.negated ? 0.0 - values[d.of] : values[d.of];
}

bool History::catch_up(std::span<double> values) const {
  bool changes = false;
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    const double now = present(k, values);
    double& delayed = values[variables_[k]];
    changes = changes || !(std::abs(now - delayed) <= kSame * std::abs(now));
    delayed = now;
  }
  return changes;
}

void History::begin(double time, std::span<const double> values, double tolerance) {
  tolerance_ = tolerance;
  end_ = time;
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    before_[k] = now_[k] = present(k, values);
    largest_[k] = std::abs(now_[k]);
  }
  for (Group& group : groups_) add_break(group, 1);
}

void History::add_break(Group& group, int level) {
  if (!group.coming.empty() && group.coming.back().time == end_)
    group.coming.back().level = std::min(group.coming.back().level, level);
  else
    group.coming.push_back({end_, first_piece_ + starts_.size(), level});
}

void History::look(Group& group, double time, std::span<double> values) {
  auto set = [&](std::uint32_t k, double value) { values[variables_[k]] = value; };
  auto set_all = [&](const std::vector<double>& from) {
    for (std::uint32_t k = group.first; k < group.last; ++k) set(k, from[k]);
  };
  if (!group.since) return set_all(before_);
  // Between the last break that arrived and the next one.
  const std::size_t first = std::max(*group.since, first_piece_);
  const std::size_t last = group.coming.empty() ? first_piece_ + starts_.size() : group.coming.front().piece;
  if (first >= last) return set_all(now_);
  const double then = time - group.length;
  auto start = [&](std::size_t piece) { return starts_[piece - first_piece_]; };
  std::size_t& piece = group.piece;
  piece = std::clamp(piece, first, last - 1);
  while (piece + 1 < last && start(piece + 1) <= then) ++piece;
  while (piece > first && start(piece) > then) --piece;
  const std::size_t number = piece - first_piece_;
  const double end = number + 1 < starts_.size() ? starts_[number + 1] : end_;
  const double place = std::clamp((then - starts_[number]) / (end - starts_[number]), 0.0, 1.0);
  const double* nodes[kNodes];
  for (std::uint32_t k = 0; k < kNodes; ++k)
    nodes[k] = values_.data() + (number * kNodes + k) * order_.size();
  const std::array<double, kNodes> w = weights(place);
  for (std::uint32_t k = group.first; k < group.held; ++k)
    set(k, w[0] * nodes[0][k] + w[1] * nodes[1][k] + w[2] * nodes[2][k] + w[3] * nodes[3][k] +
               w[4] * nodes[4][k]);
  const double* held = nodes[static_cast<std::size_t>(place * (kNodes - 1))];
  for (std::uint32_t k = group.held; k < group.last; ++k) set(k, held[k]);
}

void History::recall(double time, std::span<double> values) {
  for (Group& group : groups_) look(group, time, values);
}

void History::note(std::uint32_t node, std::span<const double> values) {
  double* to = noted_.data() + node * order_.size();
  if (node == 0) {
    std::ranges::copy(now_, to);
    return;
  }
  for (std::uint32_t k = 0; k < order_.size(); ++k) to[k] = present(k, values);
}

bool History::agrees(std::span<const double> values) const {
  const std::array<double, kNodes> w = weights(kTest);
  const std::size_t n = order_.size();
  for (const Group& group : groups_)
    for (std::uint32_t k = group.first; k < group.held; ++k) {
      double between = 0, largest = largest_[k];
      for (std::uint32_t node = 0; node < kNodes; ++node) {
        between += w[node] * noted_[node * n + k];
        largest = std::max(largest, std::abs(noted_[node * n + k]));
      }
      if (std::abs(between - present(k, values)) > tolerance_ * largest) return false;
    }
  return true;
}

void History::append(double time) {
  starts_.push_back(end_);
  values_.insert(values_.end(), noted_.begin(), noted_.end());
  end_ = time;
  const std::size_t n = order_.size();
  for (std::uint32_t k = 0; k < n; ++k) {
    now_[k] = noted_[(kNodes - 1) * n + k];
    largest_[k] = std::max(largest_[k], std::abs(now_[k]));
  }
  arriving_ = -1;
}

void History::forget() {  // when it is half of all
  const auto old = starts_.size() / 2;
  if (starts_.size() < 64 || starts_[old] > end_ - groups_.back().length) return;
  starts_.erase(starts_.begin(), starts_.begin() + static_cast<std::ptrdiff_t>(old));
  values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(old * kNodes * order_.size()));
  first_piece_ += old;
}

double History::next() const {
  double next = kNever;
  for (const Group& group : groups_)
    if (!group.coming.empty()) next = std::min(next, group.coming.front().time + group.length);
  return next;
}

bool History::arrive(double time) {
  bool jump = false;
  for (Group& group : groups_)
    for (; !group.coming.empty() && group.coming.front().time + group.length <= just_after(time);
         group.coming.pop_front()) {
      const Break& b = group.coming.front();
      group.since = b.piece;
      jump = jump || b.level == 0;
      arriving_ = arriving_ < 0 ? b.level : std::min(arriving_, b.level);
    }
  return jump;
}

void History::happened(std::span<const double> values, bool changed) {
  const int kink = changed ? 1 : arriving_ >= 0 && arriving_ < levels_ ? arriving_ + 1 : -1;
  for (Group& group : groups_) {
    bool jump = false;
    for (std::uint32_t k = group.first; k < group.last; ++k) {
      const double now = present(k, values);
      largest_[k] = std::max(largest_[k], std::abs(now));
      jump = jump || std::abs(now - now_[k]) > kJump * largest_[k];
      now_[k] = now;
    }
    if (jump)
      add_break(group, 0);
    else if (kink > 0)
      add_break(group, kink);
  }
}

}  // namespace runtime
