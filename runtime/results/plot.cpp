#include "runtime/results/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

namespace {

std::string tick_label(double value, double step, double largest) {
  if (value == 0) return "0";
  if (largest >= 1e6 || largest < 1e-3) {
    const int digits = std::max(0, static_cast<int>(std::floor(std::log10(largest) + 1e-9)) -
                                       static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    std::string text = fmt::format("{:.{}e}", value, std::min(digits, 15));
    // 1.5e+06 -> 1.5e6
    const std::size_t e = text.find('e');
    const int exponent = std::stoi(text.substr(e + 1));
    return fmt::format("{}e{}", text.substr(0, e), exponent);
  }
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 15);
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

Axis make_axis(double low, double high, int most, bool widen) {
  most = std::max(most, 2);
  if (!(low <= high)) low = 0, high = 1;
  const double magnitude = std::max(std::abs(low), std::abs(high));
  if (high - low <= magnitude * 1e-12) {  // a constant: some room around it
    const double room = magnitude == 0 ? 1 : magnitude * 0.1;
    low -= room;
    high += room;
  }
  const double raw = (high - low) / most;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power * 10;
  for (double factor : {1.0, 2.0, 5.0})
    if (power * factor >= raw * (1 - 1e-9)) {
      step = power * factor;
      break;
    }
  Axis axis;
  const double first = widen ? std::floor(low / step + 1e-9) : std::ceil(low / step - 1e-9);
  const double last = widen ? std::ceil(high / step - 1e-9) : std::floor(high / step + 1e-9);
  axis.low = widen ? first * step : low;
  axis.high = widen ? last * step : high;
  const double largest = std::max(std::abs(first * step), std::abs(last * step));
  for (double k = first; k <= last; ++k) {
    axis.ticks.push_back(k * step);
    axis.labels.push_back(tick_label(k * step, step, largest));
  }
  return axis;
}

Curve make_steps(std::string name, std::span<const double> times, std::span<const double> values) {
  Curve curve{std::move(name)};
  for (std::size_t k = 0; k < std::min(times.size(), values.size()); ++k) {
    if (k > 0 && values[k] != values[k - 1]) {
      curve.times.push_back(times[k]);
      curve.values.push_back(values[k - 1]);
    }
    curve.times.push_back(times[k]);
    curve.values.push_back(values[k]);
  }
  return curve;
}

bool looks_piecewise_constant(std::span<const double> values) {
  std::size_t changes = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] != std::floor(values[k]) || !std::isfinite(values[k])) return false;
    changes += k > 0 && values[k] != values[k - 1];
  }
  return changes > 0 && 2 * changes < values.size();
}

Axis time_axis(std::span<const Plot> plots, int most) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  auto take = [&](const std::vector<double>& times) {
    if (times.empty()) return;
    low = std::min(low, times.front());
    high = std::max(high, times.back());
  };
  for (const Plot& plot : plots) {
    take(plot.times);
    for (const Curve& curve : plot.curves) take(curve.times);
  }
  return make_axis(low, high, most, false);
}

namespace {

/// The states of all curves; empty if they differ.
std::span<const std::string> common_states(const Plot& plot) {
  if (plot.curves.empty()) return {};
  const std::vector<std::string>& first = plot.curves.front().states;
  if (std::ranges::any_of(plot.curves, [&](const Curve& c) { return c.states != first; })) return {};
  return first;
}

/// Names instead of numbers at the ticks of whole numbers; other ticks are left out.
void name_ticks(Axis& axis, std::span<const std::string> states) {
  Axis named{axis.low, axis.high, {}, {}};
  for (const double tick : axis.ticks) {
    const double number = std::round(tick);
    if (std::abs(tick - number) > 1e-9 || number < 0 || number >= static_cast<double>(states.size()))
      continue;
    named.ticks.push_back(number);
    named.labels.push_back(states[static_cast<std::size_t>(number)]);
  }
  axis = std::move(named);
}

}  // namespace

std::string legend_text(const Plot& plot, const Curve& curve) {
  static const std::vector<std::string> kBool = {"False", "True"};
  if (curve.states.empty() || curve.states == kBool || !common_states(plot).empty()) return curve.name;
  std::string text = curve.name + " (";
  for (std::size_t k = 0; k < curve.states.size(); ++k)
    text += fmt::format("{}{} {}", k ? ", " : "", k, curve.states[k]);
  return text + ")";
}

Axis value_axis(const Plot& plot, int most) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Curve& curve : plot.curves)
    for (double value : curve.values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  const std::span<const std::string> states = common_states(plot);
  if (states.empty()) return make_axis(low, high, most, true);
  constexpr std::size_t kMostNames = 12;  // that have a tick each, however few ticks there should be
  if (states.size() <= kMostNames) most = std::max(most, static_cast<int>(states.size()));
  Axis axis = make_axis(0, static_cast<double>(states.size()) - 1, most, true);
  name_ticks(axis, states);
  return axis;
}

std::vector<PlotPoint> decimate(std::span<const double> times, std::span<const double> values,
                                const Axis& axis, int columns) {
  const std::size_t count = std::min(times.size(), values.size());
  std::vector<PlotPoint> points;
  if (count <= static_cast<std::size_t>(columns) * 4) {
    for (std::size_t k = 0; k < count; ++k)
      points.push_back({times[k], std::isfinite(values[k]) ? values[k] : std::nan("")});
    return points;
  }
  std::size_t begin = 0;
  while (begin < count) {
    const double slice = std::floor(axis.position(times[begin]) * columns);
    std::size_t end = begin, least = begin, greatest = begin;
    bool gap = false;
    for (; end < count && std::floor(axis.position(times[end]) * columns) == slice; ++end) {
      if (!std::isfinite(values[end])) {
        gap = true;
        continue;
      }
      if (!(values[least] <= values[end])) least = end;
      if (!(values[greatest] >= values[end])) greatest = end;
    }
    std::size_t keep[] = {begin, std::min(least, greatest), std::max(least, greatest), end - 1};
    std::size_t last = count;
    for (std::size_t k : keep) {
      if (k == last || !std::isfinite(values[k])) continue;
      points.push_back({times[k], values[k]});
      last = k;
    }
    if (gap) points.push_back({times[end - 1], std::nan("")});
    begin = end;
  }
  return points;
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace runtime
