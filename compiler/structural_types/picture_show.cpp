// Pictures as text and as SVG.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/diagnostics/display.h"
#include "compiler/structural_types/family.h"
#include "compiler/structural_types/picture.h"

namespace sigrel::structural_types {
namespace {

/// What of a picture is shown: all, or of a large one the part that matters.
struct View {
  std::vector<std::uint32_t> rows, columns;
  std::uint32_t interface = 0;  // of `columns`
  std::string left_out;         // "", or what is not shown
};

View view_of(const Picture& p, std::size_t most_rows, std::size_t most_columns) {
  View view;
  if (p.rows.size() <= most_rows && p.columns.size() <= most_columns) {
    for (std::uint32_t r = 0; r < p.rows.size(); ++r) view.rows.push_back(r);
    for (std::uint32_t c = 0; c < p.columns.size(); ++c) view.columns.push_back(c);
    view.interface = p.interface;
    return view;
  }
  const bool blamed = !p.type;  // then these alone
  std::vector<bool> occurs(p.columns.size(), false);
  for (std::uint32_t c = 0; c < p.columns.size(); ++c)
    occurs[c] = blamed ? p.columns[c].blamed : c < p.interface;
  for (std::uint32_t r = 0; r < p.rows.size() && view.rows.size() < most_rows; ++r)
    if (!blamed || p.rows[r].blamed) view.rows.push_back(r);
  if (!blamed)
    for (std::uint32_t r : view.rows)
      for (std::uint32_t c : p.rows[r].columns) occurs[c] = true;
  for (std::uint32_t c = 0; c < p.columns.size() && view.columns.size() < most_columns; ++c)
    if (occurs[c]) view.columns.push_back(c);
  for (std::uint32_t c : view.columns) view.interface += c < p.interface;
  view.left_out = fmt::format("shown: {} of {} equations, {} of {} unknowns", view.rows.size(), p.rows.size(),
                              view.columns.size(), p.columns.size());
  return view;
}

std::vector<std::string> interface_names(const Picture& p, std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t c = 0; c < count; ++c) names.push_back(p.columns[c].name);
  return names;
}

/// "{1 1 1; 0 1 1}"; empty if it would be long.
std::string matrix(std::span<const std::vector<std::uint32_t>> rows, std::uint32_t columns) {
  if (columns == 0 || columns > 12 || rows.size() > 12) return {};
  std::string text = "{";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r > 0) text += "; ";
    for (std::uint32_t c = 0; c < columns; ++c)
      fmt::format_to(std::back_inserter(text), "{}{:d}", c > 0 ? " " : "",
                     std::ranges::binary_search(rows[r], c));
  }
  return text + "}";
}
std::string matrix(const StructuralType& type) {
  if (type.hidden() > 0) return {};
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::uint32_t r = 0; r < type.rows(); ++r) rows.emplace_back(type.row(r).begin(), type.row(r).end());
  return matrix(rows, type.interface());
}

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

struct Fact {
  std::string name, text, matrix;
};
/// What is said below the matrix.
std::vector<Fact> facts(const Picture& p) {
  std::vector<Fact> result;
  const std::size_t locals = p.columns.size() - p.interface;
  std::string count = counted(p.rows.size(), "equation");
  if (locals > 0) count += " - " + counted(locals, "local");
  if (!p.type) {
    const auto rows = static_cast<std::size_t>(std::ranges::count(p.rows, true, &Picture::Row::blamed));
    const auto columns =
        static_cast<std::size_t>(std::ranges::count(p.columns, true, &Picture::Column::blamed));
    const std::string what =
        rows > columns
            ? fmt::format("{} {}", counted(rows, "equation"), rows == 1 ? "contains" : "contain")
            : fmt::format("{} {} in", counted(columns, "unknown"), columns == 1 ? "occurs" : "occur");
    const std::size_t other = std::min(rows, columns);
    if (rows == columns)
      result.push_back(
          {"singular",
           "each equation has its unknown, but their coefficients are dependent whatever the parameters are",
           {}});
    else
      result.push_back(
          {"singular",
           fmt::format("the marked {} {}", what,
                       other == 0 ? std::string(rows > columns ? "no unknown" : "no equation")
                                  : "only " + counted(other, rows > columns ? "unknown" : "equation")),
           {}});
    result.push_back({"count", count, {}});
    return result;
  }
  const std::vector<std::string> names = interface_names(p, p.type->interface());
  std::string note;
  if (locals == 0) {
    std::vector<std::vector<std::uint32_t>> rows;
    Incidence written{p.interface, 0, {}};
    for (const Picture::Row& row : p.rows) {
      rows.push_back(row.columns);
      written.rows.targets.insert(written.rows.targets.end(), row.columns.begin(), row.columns.end());
      written.rows.end_row();
    }
    result.push_back({"written", to_text(StructuralType(written), names), matrix(rows, p.interface)});
    written.rows.columns = p.interface;
    if (same_type(StructuralType(std::move(written)), *p.type, 1000) == false)
      note = "an argument that is an expression is one number, from which one of its unknowns can be found";
  }
  result.push_back({"type", to_text(*p.type, names), matrix(*p.type)});
  if (p.maximal) result.push_back({"maximal", to_text(*p.maximal, names), matrix(*p.maximal)});
  result.push_back({"rank", fmt::format("{{#{}}}: {}", p.type->rank(), count), {}});
  if (p.freedom)
    result.push_back({"initial",
                      fmt::format("{}{}", p.interface > 0 && *p.freedom > 0 ? "at most " : "",
                                  counted(*p.freedom, "condition")),
                      {}});
  if (!p.assumed.empty()) result.push_back({"with", "any relation as " + p.assumed, {}});
  if (!note.empty()) result.push_back({"note", std::move(note), {}});
  return result;
}

/// At most `width` columns of a terminal.
std::string shortened(const std::string& text, std::uint32_t width) {
  if (display_width(text) <= width) return text;
  const DisplayLine line = display(text);
  std::size_t end = text.size();
  while (end > 0 && (line.column(end) > width - 1 || (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80))
    --end;
  return text.substr(0, end) + "…";
}
std::string padded(const std::string& text, std::uint32_t width) {
  return text + std::string(width - std::min(width, display_width(text)), ' ');
}
std::string centred(const std::string& text, std::uint32_t width) {
  std::uint32_t space = width - std::min(width, display_width(text));
  return std::string(space / 2, ' ') + text + std::string(space - space / 2, ' ');
}

}  // namespace

std::string to_text(const Picture& p) {
  constexpr std::uint32_t kText = 40, kWidth = 72;
  const View view = view_of(p, 60, 30);

  // Names over the columns if there is room; else numbers, with the names below.
  std::uint32_t total = 0;
  for (std::uint32_t c : view.columns) total += 1 + std::max(3u, display_width(p.columns[c].name));
  const bool numbered = total > kWidth;
  auto header = [&](std::size_t k) {
    return numbered ? std::to_string(k + 1) : printable(p.columns[view.columns[k]].name);
  };
  std::vector<std::uint32_t> width;
  for (std::size_t k = 0; k < view.columns.size(); ++k)
    width.push_back(std::max(3u, display_width(header(k))));
  std::uint32_t left = 0, line_width = 1;
  for (std::uint32_t r : view.rows) {
    left = std::max(left, std::min(kText, display_width(p.rows[r].text)));
    line_width = std::max(line_width, static_cast<std::uint32_t>(std::to_string(p.rows[r].line).size()));
  }

  std::string out;
  auto line = [&](std::string margin, auto cell) {
    for (std::size_t k = 0; k < view.columns.size(); ++k) {
      if (k == view.interface && k > 0) margin += " |";
      margin += " " + centred(cell(k), width[k]);
    }
    while (margin.ends_with(' ')) margin.pop_back();
    out += margin + "\n";
  };
  const std::string empty_margin(2 + line_width + 2 + left + 1, ' ');
  line(empty_margin, header);
  if (!p.type)
    line(empty_margin,
         [&](std::size_t k) { return std::string(p.columns[view.columns[k]].blamed ? "!" : ""); });
  const char* nothing = view.columns.size() > 12 ? "." : "0";
  for (std::uint32_t r : view.rows) {
    const Picture::Row& row = p.rows[r];
    std::string number = row.continued ? "" : std::to_string(row.line);
    std::string margin = std::string(row.blamed ? "! " : "  ") +
                         std::string(line_width - number.size(), ' ') + number + "  " +
                         padded(row.continued ? "" : shortened(row.text, kText), left) + " ";
    line(std::move(margin), [&](std::size_t k) {
      const std::uint32_t c = view.columns[k];
      return std::string(row.matched == c                             ? "[1]"
                         : std::ranges::binary_search(row.columns, c) ? "1"
                                                                      : nothing);
    });
  }
  if (!view.left_out.empty()) out += "  " + view.left_out + "\n";
  if (numbered) {
    std::string names = " ";
    out += "\n";
    for (std::size_t k = 0; k < view.columns.size(); ++k) {
      std::string name = fmt::format(" {} {}", k + 1, printable(p.columns[view.columns[k]].name));
      if (k + 1 < view.columns.size()) name += ",";
      if (display_width(names) + display_width(name) > 100) out += std::exchange(names, " ") + "\n";
      names += name;
    }
    out += names + "\n";
  }
  out += "\n";
  const std::vector<Fact> below = facts(p);
  std::uint32_t text_width = 0;
  for (const Fact& fact : below)
    if (!fact.matrix.empty()) text_width = std::max(text_width, display_width(fact.text));
  for (const Fact& fact : below)
    out += fmt::format("  {:<9} {}{}\n", fact.name,
                       fact.matrix.empty() ? fact.text : padded(fact.text, text_width) + "   ", fact.matrix);
  return out;
}

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      default: result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return result;
}

struct Drawing {
  double width = 0, height = 0;
  std::string svg;
};

Drawing drawing_of(const Picture& p, double offset) {
  constexpr double kCell = 26, kCharacter = 7.3, kGap = 14, kMargin = 20;
  const View view = view_of(p, 200, 120);
  std::uint32_t longest_name = 1, longest_text = 1;
  for (std::uint32_t c : view.columns)
    longest_name = std::max(longest_name, std::min(40u, display_width(p.columns[c].name)));
  for (std::uint32_t r : view.rows)
    longest_text = std::max(longest_text, std::min(48u, display_width(p.rows[r].text)));
  const std::vector<Fact> below = facts(p);
  const auto columns = static_cast<double>(view.columns.size()), rows = static_cast<double>(view.rows.size());
  const bool both = view.interface > 0 && view.interface < view.columns.size();
  const double left = kMargin + kCharacter * (longest_text + 5), header = kMargin + 30;
  const double top = header + 18 + (longest_name > 3 ? longest_name * kCharacter * 0.72 + 8 : 18);
  const double right = left + columns * kCell + (both ? kGap : 0), bottom = top + rows * kCell;
  double wide = right + longest_name * kCharacter * 0.72;
  for (const Fact& f : below)
    wide = std::max(wide, kMargin + 80 + kCharacter * (display_width(f.text) + display_width(f.matrix) + 4));
  wide = std::max(wide + kMargin, 320.0);
  const double high =
      bottom + 28 + 20 * static_cast<double>(below.size()) + (view.left_out.empty() ? 0 : 20) + kMargin;
  auto x = [&](std::size_t k) {
    return left + static_cast<double>(k) * kCell + (both && k >= view.interface ? kGap : 0);
  };

  std::string svg;
  auto out = std::back_inserter(svg);
  fmt::format_to(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\"{5} width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
      "{0:.0f} {1:.0f}\" "
      "font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"12\" "
      "fill=\"#3a3f47\">\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n"
      "<text x=\"{2}\" y=\"{3}\" font-size=\"16\" font-weight=\"600\" fill=\"#1c2026\">{4}</text>\n",
      wide, high, kMargin, kMargin + 14,
      escaped(p.modes.empty() ? p.relation : p.relation + " in " + p.modes),
      offset > 0 ? fmt::format(" y=\"{:.0f}\"", offset) : "");
  auto block = [&](std::size_t first, std::size_t last, const char* name, const char* colour) {
    if (first == last) return;
    const bool narrow = first == 0 && last - first < 3;  // then the name begins left of the block
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" fill=\"#7a808a\"{}>{}</text>\n",
                   narrow ? x(last - 1) + kCell : x(first), header + 6, narrow ? " text-anchor=\"end\"" : "",
                   name);
    fmt::format_to(out, "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                   x(first), top, static_cast<double>(last - first) * kCell, bottom - top, colour);
  };
  block(0, view.interface, "interface", "#eef3fb");
  block(view.interface, view.columns.size(), "locals", "#f5f5f2");
  for (std::size_t k = 0; k < view.columns.size(); ++k) {
    const Picture::Column& column = p.columns[view.columns[k]];
    if (column.blamed)
      fmt::format_to(out,
                     "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"#fbe3df\"/>\n",
                     x(k), top, kCell, bottom - top);
  }
  svg += "<g stroke=\"#ffffff\" stroke-width=\"1\">\n";
  for (std::size_t k = 0; k <= view.columns.size(); ++k)
    fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", k == view.columns.size() ? right : x(k), top,
                   bottom);
  for (std::size_t r = 0; r <= view.rows.size(); ++r)
    fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left, top + static_cast<double>(r) * kCell,
                   right);
  svg += "</g>\n";
  for (std::size_t k = 0; k < view.columns.size(); ++k) {
    const Picture::Column& column = p.columns[view.columns[k]];
    const char* colour = column.blamed ? "#b3261e" : "#1c2026";
    const std::string name = escaped(shortened(column.name, 40));
    if (longest_name > 3)
      fmt::format_to(out, "<text transform=\"translate({:.1f} {:.1f}) rotate(-45)\" fill=\"{}\">{}</text>\n",
                     x(k) + kCell / 2 + 2, top - 7, colour, name);
    else
      fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">{}</text>\n",
                     x(k) + kCell / 2, top - 7, colour, name);
  }
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const Picture::Row& row = p.rows[view.rows[i]];
    const double y = top + static_cast<double>(i) * kCell, middle = y + kCell / 2;
    if (row.blamed)
      fmt::format_to(out,
                     "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#e8695c\" "
                     "fill-opacity=\"0.18\"/>\n",
                     kMargin - 6, y, right - kMargin + 6, kCell);
    if (!row.continued)
      fmt::format_to(out,
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"#7a808a\">{}</text>\n<text "
                     "x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                     kMargin + 3.2 * kCharacter, middle + 4, row.line, kMargin + 4.2 * kCharacter, middle + 4,
                     escaped(shortened(row.text, 48)));
    for (std::size_t k = 0; k < view.columns.size(); ++k) {
      const std::uint32_t c = view.columns[k];
      if (row.matched == c)
        fmt::format_to(
            out, "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"18\" rx=\"4\" fill=\"#2563c9\"/>\n",
            x(k) + kCell / 2 - 9, middle - 9);
      if (std::ranges::binary_search(row.columns, c))
        fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\"{}>1</text>\n",
                       x(k) + kCell / 2, middle + 4,
                       row.matched == c ? " fill=\"#ffffff\" font-weight=\"600\"" : "");
    }
  }
  double y = bottom + 28;
  if (!view.left_out.empty()) {
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#7a808a\">{}</text>\n", kMargin, y,
                   view.left_out);
    y += 20;
  }
  for (const Fact& fact : below) {
    fmt::format_to(out,
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#7a808a\">{}</text><text x=\"{:.1f}\" "
                   "y=\"{:.1f}\" xml:space=\"preserve\">{}{}{}</text>\n",
                   kMargin, y, fact.name, kMargin + 80, y, escaped(fact.text),
                   fact.matrix.empty() ? "" : "   ", escaped(fact.matrix));
    y += 20;
  }
  svg += "</svg>\n";
  return {wide, high, std::move(svg)};
}

}  // namespace

std::string to_svg(std::span<const Picture> pictures) {
  if (pictures.size() == 1) return drawing_of(pictures[0], 0).svg;
  double width = 0, height = 0;
  std::string svg;
  for (const Picture& p : pictures) {
    const Drawing one = drawing_of(p, height);
    width = std::max(width, one.width);
    height += one.height;
    svg += one.svg;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\">\n{}</svg>\n", width,
      height, svg);
}

}  // namespace sigrel::structural_types
