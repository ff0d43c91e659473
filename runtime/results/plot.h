// Common to all plots: curves over time, axes with round ticks, decimation.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runtime {

struct Curve {
  std::string name;                   // empty: not in the legend
  std::vector<double> values{};       // one per time; a value that is not finite leaves a gap
  std::vector<double> times{};        // empty: those of the plot
  std::vector<std::string> states{};  // the names of the values 0, 1, … of a variable that has such names
};

struct Plot {
  std::string title{};
  std::string x_label = "time";
  std::vector<double> times{};  // ascending
  std::vector<Curve> curves{};
  std::string y_label{};
  bool family = false;  // the curves are one sequence: their colours show the position in it

  const std::vector<double>& times_of(const Curve& curve) const {
    return curve.times.empty() ? times : curve.times;
  }
};

/// A piecewise constant curve: each value holds until the next.
Curve make_steps(std::string name, std::span<const double> times, std::span<const double> values);

/// Whether values are probably those of a piecewise constant variable: whole numbers, few of which differ
/// from the one before.
bool looks_piecewise_constant(std::span<const double> values);

/// A range of numbers on round ticks.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  std::vector<std::string> labels;

  double position(double value) const { return (value - low) / (high - low); }  // 0 … 1
};

/// An axis over [low, high] with at most `most` ticks at 1, 2 or 5 times a power of ten. `widen` moves the
/// ends out to ticks.
Axis make_axis(double low, double high, int most, bool widen);

/// Axes that cover all finite values of plots. Panes one above the other share the time axis.
Axis time_axis(std::span<const Plot> plots, int most);
/// The states label the ticks if all curves have the same ones.
Axis value_axis(const Plot& plot, int most);
/// The name of a curve in the legend. It lists the states, "mode (0 Off, 1 Warming, 2 On)", if the axis does
/// not show them; Bool needs no list.
std::string legend_text(const Plot& plot, const Curve& curve);

struct PlotPoint {
  double x, y;  // NaN in y: a gap
};

/// The points of a curve, thinned to the first, least, greatest and last of each of `columns` slices of the
/// axis, so that every peak remains.
std::vector<PlotPoint> decimate(std::span<const double> times, std::span<const double> values,
                                const Axis& axis, int columns);

/// Number of characters of UTF-8 text.
std::size_t text_width(std::string_view text);

}  // namespace runtime
