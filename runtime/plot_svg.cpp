#include "runtime/plot_svg.h"

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

struct LegendItem {
  double x = 0, y = 0;
};

}  // namespace

std::string plot_svg(const Plot& plot, const SvgOptions& options) {
  const double width = std::max(options.width, 240), height = std::max(options.height, 160);
  const Axis x = time_axis(plot, std::max(2, static_cast<int>(width / 90)));

  // The legend fills rows above the chart; its height sets the chart's.
  double top = plot.title.empty() ? 16 : 42;
  std::vector<LegendItem> legend;
  double at = 0, line = 0;
  const double legend_width = width - 96;
  for (const Curve& curve : plot.curves) {
    const double item = 34 + kCharacter * static_cast<double>(text_width(curve.name)) + 18;
    if (at > 0 && at + item > legend_width) at = 0, line += kLegendLine;
    legend.push_back({at, line});
    at += item;
  }
  const double legend_top = top;
  if (!legend.empty()) top += line + kLegendLine + 8;
  const double bottom = height - 48;
  const Axis y = value_axis(plot, std::max(2, static_cast<int>((bottom - top) / 48)));
  std::size_t longest = 1;
  for (const std::string& label : y.labels) longest = std::max(longest, label.size());
  const double left = 24 + kCharacter * static_cast<double>(longest), right = width - 24;
  auto px = [&](double value) { return left + x.position(value) * (right - left); };
  auto py = [&](double value) { return bottom - y.position(value) * (bottom - top); };

  std::string svg;
  auto out = std::back_inserter(svg);
  fmt::format_to(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                 "font-family=\"system-ui, 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\" fill=\"#3a3f47\">\n"
                 "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                 width, height);
  if (!plot.title.empty())
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"26\" font-size=\"16\" font-weight=\"600\" fill=\"#1c2026\">{}</text>\n", left,
                   escape(plot.title));

  svg += "<g stroke=\"#e3e6ea\" stroke-width=\"1\">\n";
  for (double tick : y.ticks) fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left, py(tick), right);
  for (double tick : x.ticks) fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", px(tick), top, bottom);
  svg += "</g>\n";
  if (y.low < 0 && y.high > 0)
    fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#a8afb8\"/>\n", left, py(0), right);
  fmt::format_to(out, "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" fill=\"none\" stroke=\"#6d747e\"/>\n", left, top, bottom,
                 right);
  svg += "<g text-anchor=\"end\">\n";
  for (std::size_t k = 0; k < y.ticks.size(); ++k)
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left - 8, py(y.ticks[k]) + 4, y.labels[k]);
  svg += "</g>\n<g text-anchor=\"middle\">\n";
  for (std::size_t k = 0; k < x.ticks.size(); ++k)
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", px(x.ticks[k]), bottom + 18, x.labels[k]);
  fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n</g>\n", (left + right) / 2, bottom + 37, escape(plot.x_label));

  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const char* colour = kColours[c % kColours.size()];
    const char* dash = kDashes[c / kColours.size() % kDashes.size()];
    const std::string style =
        fmt::format("stroke=\"{}\"{}", colour, *dash ? fmt::format(" stroke-dasharray=\"{}\"", dash) : std::string());
    const LegendItem item = legend[c];
    const double lx = left + item.x, ly = legend_top + item.y + 10;
    fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}h24\" stroke-width=\"2.5\" {}/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", lx,
                   ly, style, lx + 31, ly + 4, escape(plot.curves[c].name));
    fmt::format_to(out, "<path fill=\"none\" stroke-width=\"1.8\" stroke-linejoin=\"round\" {} d=\"", style);
    bool down = false;
    const auto points = decimate(plot.times, plot.curves[c].values, x, static_cast<int>(right - left));
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
  svg += "</svg>\n";
  return svg;
}

}  // namespace runtime
