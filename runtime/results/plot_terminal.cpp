#include "runtime/results/plot_terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace runtime {

namespace {

constexpr std::array kColours = {"34", "31", "32", "35", "33", "36", "94", "91", "92", "95"};
constexpr std::string_view kMarks = "*+xo#@%&$=";

// Bit of a braille cell by row and column of its dots (Unicode 15, section 21.1).
constexpr std::uint8_t kDots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

/// Cells of dots; ASCII cells have one dot.
class Canvas {
 public:
  Canvas(int columns, int rows, bool ascii)
      : columns_(columns),
        rows_(rows),
        across_(ascii ? 1 : 2),
        down_(ascii ? 1 : 4),
        ascii_(ascii),
        cells_(static_cast<std::size_t>(columns * rows), 0),
        owner_(cells_.size(), -1) {}

  int dots_across() const { return columns_ * across_; }
  int dots_down() const { return rows_ * down_; }

  void dot(int x, int y, int curve) {
    if (x < 0 || y < 0 || x >= dots_across() || y >= dots_down()) return;
    const auto cell = static_cast<std::size_t>(y / down_ * columns_ + x / across_);
    cells_[cell] |= ascii_ ? 1 : kDots[y % 4][x % 2];
    owner_[cell] = curve;
  }

  void line(int x0, int y0, int x1, int y1, int curve) {
    const int dx = std::abs(x1 - x0), dy = -std::abs(y1 - y0), sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
    for (int error = dx + dy;;) {
      dot(x0, y0, curve);
      if (x0 == x1 && y0 == y1) return;
      const int twice = 2 * error;
      if (twice >= dy) error += dy, x0 += sx;
      if (twice <= dx) error += dx, y0 += sy;
    }
  }

  std::string row(int row, bool colour) const {
    std::string text;
    int current = -1;
    std::size_t blanks = 0;  // trailing ones are left out
    for (int c = 0; c < columns_; ++c) {
      const auto cell = static_cast<std::size_t>(row * columns_ + c);
      if (!cells_[cell]) {
        ++blanks;
        continue;
      }
      text.append(blanks, ' ');
      blanks = 0;
      if (colour && owner_[cell] != current) {
        current = owner_[cell];
        text += fmt::format("\x1b[{}m", kColours[static_cast<std::size_t>(current) % kColours.size()]);
      }
      if (ascii_) {
        text += kMarks[static_cast<std::size_t>(owner_[cell]) % kMarks.size()];
      } else {  // U+2800 + dots
        text += "\xE2";
        text += static_cast<char>(0xA0 | cells_[cell] >> 6);
        text += static_cast<char>(0x80 | (cells_[cell] & 0x3F));
      }
    }
    if (current >= 0) text += "\x1b[0m";
    return text;
  }

 private:
  int columns_, rows_, across_, down_;
  bool ascii_;
  std::vector<std::uint8_t> cells_;
  std::vector<int> owner_;
};

void draw(Canvas& canvas, const Plot& plot, const Axis& x, const Axis& y) {
  auto place = [](double position, int dots) {
    return static_cast<int>(std::lround(std::clamp(position, 0.0, 1.0) * (dots - 1)));
  };
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    bool down = false;
    int px = 0, py = 0;
    for (const PlotPoint& point :
         decimate(plot.times_of(plot.curves[c]), plot.curves[c].values, x, canvas.dots_across())) {
      if (std::isnan(point.y)) {
        down = false;
        continue;
      }
      const int qx = place(x.position(point.x), canvas.dots_across());
      const int qy = canvas.dots_down() - 1 - place(y.position(point.y), canvas.dots_down());
      canvas.line(down ? px : qx, down ? py : qy, qx, qy, static_cast<int>(c));
      px = qx, py = qy, down = true;
    }
  }
}

/// Tick labels under the axis, each centred on its tick, none touching the last.
std::string label_line(const Axis& x, int margin, int columns, std::vector<int>& ticks) {
  std::string text;
  for (std::size_t k = 0; k < x.ticks.size(); ++k) {
    const int column = static_cast<int>(std::lround(x.position(x.ticks[k]) * (columns - 1)));
    ticks.push_back(column);
    const int length = static_cast<int>(x.labels[k].size());
    const int begin = std::min(margin + column - length / 2, margin + columns - length);
    if (begin < static_cast<int>(text.size()) + (text.empty() ? 0 : 1)) continue;
    text.append(static_cast<std::size_t>(begin) - text.size(), ' ');
    text += x.labels[k];
  }
  return text;
}

std::string legend(const Plot& plot, const TerminalOptions& options, int margin) {
  std::string text, line(static_cast<std::size_t>(margin), ' ');
  std::size_t used = line.size();
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const std::string name = legend_text(plot, plot.curves[c]);
    const std::size_t item = text_width(name) + 6;
    if (used > static_cast<std::size_t>(margin) && used + item > static_cast<std::size_t>(options.width)) {
      text += line + '\n';
      line.assign(static_cast<std::size_t>(margin), ' ');
      used = line.size();
    }
    if (used > static_cast<std::size_t>(margin)) line += "   ", used += 3;
    const std::string mark =
        options.ascii ? std::string(2, kMarks[c % kMarks.size()]) : std::string("\u2500\u2500");
    line += options.colour ? fmt::format("\x1b[{}m{}\x1b[0m {}", kColours[c % kColours.size()], mark, name)
                           : fmt::format("{} {}", mark, name);
    used += item - 3;
  }
  return plot.curves.empty() ? text : text + line + '\n';
}

int chart_rows(const TerminalOptions& options) { return std::max(options.height - 2, 3); }

std::string pane(std::span<const Plot> panes, const Plot& plot, std::size_t longest,
                 const TerminalOptions& options) {
  const int rows = chart_rows(options);
  const Axis y = value_axis(plot, std::max(2, rows / 4));
  const int margin = static_cast<int>(longest) + 2;
  const int columns = std::max(options.width - margin, 8);
  const Axis x = time_axis(panes, std::max(2, columns / 12));
  Canvas canvas(columns, rows, options.ascii);
  draw(canvas, plot, x, y);

  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (std::size_t k = 0; k < y.ticks.size(); ++k) {
    const long row = rows - 1 - std::lround(y.position(y.ticks[k]) * (rows - 1));
    labels[static_cast<std::size_t>(std::clamp(row, 0l, long(rows) - 1))] = y.labels[k];
  }
  std::string text;
  const std::string title =
      plot.title + (plot.title.empty() || plot.y_label.empty() ? "" : " ") + plot.y_label;
  if (!title.empty()) text += std::string(static_cast<std::size_t>(margin), ' ') + title + '\n';
  for (int r = 0; r < rows; ++r) {
    const std::string& label = labels[static_cast<std::size_t>(r)];
    const char* axis = options.ascii ? (label.empty() ? "|" : "+") : (label.empty() ? "\u2502" : "\u2524");
    text += fmt::format("{:>{}} {}{}\n", label, longest, axis, canvas.row(r, options.colour));
  }
  std::vector<int> ticks;
  const std::string below = label_line(x, margin, columns, ticks);
  text += std::string(longest + 1, ' ') + (options.ascii ? "+" : "\u2514");
  for (int c = 0; c < columns; ++c) {
    const bool tick = std::find(ticks.begin(), ticks.end(), c) != ticks.end();
    text += options.ascii ? (tick ? "+" : "-") : (tick ? "\u252C" : "\u2500");
  }
  return text + '\n' + below + '\n' + legend(plot, options, margin);
}

}  // namespace

std::string plot_terminal(const Plot& plot, const TerminalOptions& options) {
  return plot_terminal(std::span(&plot, 1), options);
}

std::string plot_terminal(std::span<const Plot> panes, const TerminalOptions& options) {
  std::size_t longest = 1;
  for (const Plot& plot : panes)
    for (const std::string& label : value_axis(plot, std::max(2, chart_rows(options) / 4)).labels)
      longest = std::max(longest, text_width(label));
  std::string text;
  for (const Plot& plot : panes) text += pane(panes, plot, longest, options);
  return text;
}

}  // namespace runtime
