#include "runtime/results/plot_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace runtime {

namespace {

// Distinct in lightness as well as in hue, so that they hold in print and for most colour-blind readers.
constexpr std::array kColours = {"#2563c9", "#d9541e", "#2a9d52", "#8b3fb0", "#c79a10",
                                 "#12919e", "#c2306e", "#6b6f76", "#7a4a1f", "#5a8f00"};
constexpr std::array kDashes = {"", "7 4", "2 3", "9 3 2 3"};
constexpr double kCharacter = 7.2;  // width of one at 12 px, about
constexpr double kLegendLine = 20;

std::string escape(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) result += c;
    }
  }
  return result;
}

/// From dark blue by green to yellow, ever lighter: a table of five of the colours of matplotlib's viridis,
/// and lines between them.
std::string family_colour(std::size_t k, std::size_t count) {
  constexpr int kRow[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {216, 200, 30}};
  const double place = count < 2 ? 0 : 4.0 * static_cast<double>(k) / static_cast<double>(count - 1);
  const auto low = std::min<std::size_t>(3, static_cast<std::size_t>(place));
  int mixed[3];
  for (int i = 0; i < 3; ++i)
    mixed[i] = static_cast<int>(
        std::lround(kRow[low][i] + (place - static_cast<double>(low)) * (kRow[low + 1][i] - kRow[low][i])));
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

struct LegendItem {
  double x = 0, y = 0;
};

struct Frame {
  double top = 0, height = 0;  // of the pane
  double left = 0, right = 0;  // of its chart
};

std::vector<LegendItem> make_legend(const Plot& plot, double width) {
  std::vector<LegendItem> legend;
  double at = 0, line = 0;
  for (const Curve& curve : plot.curves) {
    if (curve.name.empty()) continue;  // it has no place in the legend
    const double item = 34 + kCharacter * static_cast<double>(text_width(legend_text(plot, curve))) + 18;
    if (at > 0 && at + item > width) at = 0, line += kLegendLine;
    legend.push_back({at, line});
    at += item;
  }
  return legend;
}

/// Where the chart of a pane begins and ends, below its title and legend.
std::pair<double, double> chart(const Plot& plot, const std::vector<LegendItem>& legend, const Frame& frame) {
  double top = frame.top + (plot.title.empty() ? 16 : 42);
  if (!legend.empty()) top += legend.back().y + kLegendLine + 8;
  return {top, std::max(frame.top + frame.height - 48, top + 20)};
}

int value_ticks(std::pair<double, double> chart) {
  return std::max(2, static_cast<int>((chart.second - chart.first) / 48));
}

void draw_curve(std::string& svg, const Plot& plot, const Curve& curve, const std::string& style,
                const Axis& x, const Axis& y, const Frame& frame, std::pair<double, double> chart) {
  auto out = std::back_inserter(svg);
  auto px = [&](double value) { return frame.left + x.position(value) * (frame.right - frame.left); };
  auto py = [&](double value) { return chart.second - y.position(value) * (chart.second - chart.first); };
  fmt::format_to(out, "<path fill=\"none\" stroke-width=\"1.8\" stroke-linejoin=\"round\" {} d=\"", style);
  bool down = false;
  const auto points =
      decimate(plot.times_of(curve), curve.values, x, static_cast<int>(frame.right - frame.left));
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (std::isnan(points[k].y)) {
      down = false;
      continue;
    }
    fmt::format_to(out, "{}{:.2f} {:.2f}", down ? 'L' : 'M', px(points[k].x), py(points[k].y));
    // A point between two gaps shows as a dot of its own.
    if (!down && (k + 1 == points.size() || std::isnan(points[k + 1].y))) svg += "h0.01";
    down = true;
  }
  svg += "\"/>\n";
}

void draw_pane(std::string& svg, const Plot& plot, const Axis& x, const Frame& frame) {
  auto out = std::back_inserter(svg);
  const std::vector<LegendItem> legend = make_legend(plot, frame.right - frame.left);
  const std::pair<double, double> range = chart(plot, legend, frame);
  const auto [top, bottom] = range;
  const double left = frame.left, right = frame.right;
  const Axis y = value_axis(plot, value_ticks(range));
  auto px = [&](double value) { return frame.left + x.position(value) * (frame.right - frame.left); };
  auto py = [&](double value) { return range.second - y.position(value) * (range.second - range.first); };

  if (!plot.title.empty())
    fmt::format_to(
        out,
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"16\" font-weight=\"600\" fill=\"#1c2026\">{}</text>\n",
        left, frame.top + 26, escape(plot.title));
  if (!plot.y_label.empty())
    fmt::format_to(out,
                   "<text text-anchor=\"middle\" transform=\"translate(14 {:.1f}) rotate(-90)\">{}</text>\n",
                   (top + bottom) / 2, escape(plot.y_label));

  svg += "<g stroke=\"#e3e6ea\" stroke-width=\"1\">\n";
  for (double tick : y.ticks)
    fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left, py(tick), right);
  for (double tick : x.ticks)
    fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", px(tick), top, bottom);
  svg += "</g>\n";
  if (y.low < 0 && y.high > 0)
    fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#a8afb8\"/>\n", left, py(0), right);
  fmt::format_to(out, "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" fill=\"none\" stroke=\"#6d747e\"/>\n",
                 left, top, bottom, right);
  svg += "<g text-anchor=\"end\">\n";
  for (std::size_t k = 0; k < y.ticks.size(); ++k)
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left - 8, py(y.ticks[k]) + 4,
                   escape(y.labels[k]));
  svg += "</g>\n<g text-anchor=\"middle\">\n";
  for (std::size_t k = 0; k < x.ticks.size(); ++k)
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", px(x.ticks[k]), bottom + 18,
                   x.labels[k]);
  fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n</g>\n", (left + right) / 2, bottom + 37,
                 escape(plot.x_label));

  std::size_t named = 0;
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const std::string colour =
        plot.family ? family_colour(c, plot.curves.size()) : kColours[c % kColours.size()];
    const char* dash = plot.family ? "" : kDashes[c / kColours.size() % kDashes.size()];
    const std::string style = fmt::format(
        "stroke=\"{}\"{}", colour, *dash ? fmt::format(" stroke-dasharray=\"{}\"", dash) : std::string());
    draw_curve(svg, plot, plot.curves[c], style, x, y, frame, range);
    if (plot.curves[c].name.empty()) continue;
    const LegendItem item = legend[named++];
    const double lx = left + item.x, ly = frame.top + (plot.title.empty() ? 16 : 42) + item.y + 10;
    fmt::format_to(
        out,
        "<path d=\"M{:.1f} {:.1f}h24\" stroke-width=\"2.5\" {}/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        lx, ly, style, lx + 31, ly + 4, escape(legend_text(plot, plot.curves[c])));
  }
}

}  // namespace

std::string plot_svg(const Plot& plot, const SvgOptions& options) {
  return plot_svg(std::span(&plot, 1), options);
}

std::string plot_svg(std::span<const Plot> panes, const SvgOptions& options) {
  const double width = std::max(options.width, 240),
               height = std::max(options.height, 160 * std::max(1, static_cast<int>(panes.size())));
  const Axis x = time_axis(panes, std::max(2, static_cast<int>(width / 90)));
  Frame frame{0, height / static_cast<double>(std::max<std::size_t>(1, panes.size())), 0, width - 24};
  // All charts begin at the same place: behind the longest label of any.
  std::size_t longest = 1;
  bool labelled = false;
  for (const Plot& plot : panes) {
    for (const std::string& label :
         value_axis(plot, value_ticks(chart(plot, make_legend(plot, width - 96), frame))).labels)
      longest = std::max(longest, text_width(label));
    labelled = labelled || !plot.y_label.empty();
  }
  frame.left = 24 + kCharacter * static_cast<double>(longest) + (labelled ? 10 : 0);

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"system-ui, 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\" fill=\"#3a3f47\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height);
  for (const Plot& plot : panes) {
    draw_pane(svg, plot, x, frame);
    frame.top += frame.height;
  }
  return svg + "</svg>\n";
}

}  // namespace runtime
