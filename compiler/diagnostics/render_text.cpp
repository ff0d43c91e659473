// Diagnostics as text for a terminal:
//
//   error[SR0201]: a voltage is added to a current
//     --> rc.sr:7:9
//      |
//    7 |   u = v + i
//      |       -   ^ Real<A>, because `i` is the flow of Pin
//      |       |
//      |       Real<V>, from its declaration in line 3
//      = help: did you mean `v + r * i`?
//
// There is one block per file, that of the primary span first; a block shows each line once, in the order of
// the file. The primary span is underlined with ^, the others with -. A span of several lines is drawn as a
// bracket in the margin.
#include <algorithm>
#include <set>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/diagnostics/display.h"

namespace sigrel {
namespace {

constexpr std::uint32_t kMaxWidth =
    160;  // of a source line; longer lines are cut to a window around their spans
constexpr std::uint32_t kContext = 24;  // columns kept before the first span of a cut line

enum class Style : std::uint8_t { Plain, Message, Error, Warning, Note, Gutter, Secondary };

const char* escape(Style style) {
  switch (style) {
    case Style::Plain: return "\033[0m";
    case Style::Message: return "\033[0;1m";
    case Style::Error: return "\033[0;1;31m";
    case Style::Warning: return "\033[0;1;33m";
    case Style::Note: return "\033[0;1;36m";
    case Style::Gutter: return "\033[0;1;34m";
    case Style::Secondary: return "\033[0;1;34m";
  }
  return "";
}

Style style_of(Severity severity) {
  switch (severity) {
    case Severity::Error: return Style::Error;
    case Severity::Warning: return Style::Warning;
    case Severity::Note: return Style::Note;
  }
  return Style::Plain;
}

const char* word_of(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "";
}

/// Text with styles, which are ignored without colour. Trailing blanks of lines are removed.
class Canvas {
 public:
  explicit Canvas(bool color) : color_(color) {}
  void put(Style style, std::string_view text) {
    if (color_ && style != current_ && !text.empty()) {
      line_ += escape(style);
      current_ = style;
    }
    line_ += text;
  }
  void newline() {
    if (color_ && current_ != Style::Plain) line_ += escape(Style::Plain);
    current_ = Style::Plain;
    while (!line_.empty() && line_.back() == ' ') line_.pop_back();
    out_ += line_;
    out_ += '\n';
    line_.clear();
  }
  std::string take() { return std::move(out_); }

 private:
  bool color_;
  Style current_ = Style::Plain;
  std::string line_, out_;
};

/// One row of underlines and labels below a source line, by display column.
class Row {
 public:
  void put(std::uint32_t column, std::string_view glyph, Style style) {
    if (cells_.size() <= column) cells_.resize(column + 1);
    cells_[column] = {std::string(glyph), style};
  }
  void text(std::uint32_t column, std::string_view text, Style style) {
    put(column, text, style);
    cells_.resize(column + 1);  // nothing follows a label
  }
  std::uint32_t end() const { return static_cast<std::uint32_t>(cells_.size()); }
  void draw(Canvas& canvas) const {
    for (const Cell& cell : cells_)
      canvas.put(cell.style, cell.glyph.empty() ? std::string_view(" ") : std::string_view(cell.glyph));
  }

 private:
  struct Cell {
    std::string glyph;
    Style style = Style::Plain;
  };
  std::vector<Cell> cells_;
};

/// A labelled span within its file.
struct Mark {
  bool primary = false;
  std::uint32_t first_line = 1, last_line = 1;
  std::uint32_t begin = 0, end = 0;  // byte offsets in the first and in the last line
  std::string label;
  bool multiline() const { return first_line != last_line; }
};

Mark make_mark(const SourceFile& file, const Label& label, bool primary) {
  Mark m;
  m.primary = primary;
  m.label = printable(label.text);
  std::ranges::replace(m.label, '\n', ' ');
  std::uint32_t end = std::max(label.span.begin, label.span.end);
  m.first_line = file.position(label.span.begin).line;
  // A span that ends right after a newline ends on the preceding line.
  m.last_line = file.position(end > label.span.begin ? end - 1 : end).line;
  auto within = [&](std::uint32_t line, std::uint32_t offset) {
    std::uint32_t in_line = offset - file.line_starts[line - 1];
    return std::min<std::uint32_t>(in_line, static_cast<std::uint32_t>(file.line(line).size()));
  };
  m.begin = within(m.first_line,
                   std::min<std::uint32_t>(label.span.begin, static_cast<std::uint32_t>(file.text.size())));
  m.end = within(m.last_line, std::min<std::uint32_t>(end, static_cast<std::uint32_t>(file.text.size())));
  return m;
}

/// The excerpt of one file.
class Excerpt {
 public:
  Excerpt(const SourceFile& file, std::vector<Mark> marks, Style primary, std::size_t gutter, Canvas& canvas)
      : file_(file), primary_(primary), gutter_(gutter), canvas_(canvas) {
    for (Mark& m : marks) (m.multiline() ? multi_ : single_).push_back(std::move(m));
    std::ranges::stable_sort(multi_, {}, &Mark::first_line);
  }

  void draw() {
    std::uint32_t before = 0;
    for (std::uint32_t line : lines()) {
      if (before != 0 && line > before + 1) {
        canvas_.put(Style::Gutter, "...");
        canvas_.put(Style::Plain, std::string(gutter_ > 2 ? gutter_ - 2 : 0, ' ') + " ");
        margin(before, before, true);
        canvas_.newline();
      }
      draw_line(line);
      before = line;
    }
  }

 private:
  Style style(const Mark& m) const { return m.primary ? primary_ : Style::Secondary; }

  /// The lines to show: all with a mark, the first and last ones of long spans, and single lines between.
  std::set<std::uint32_t> lines() const {
    std::set<std::uint32_t> shown;
    for (const Mark& m : single_) shown.insert(m.first_line);
    for (const Mark& m : multi_) {
      bool all = m.last_line - m.first_line < 5;
      for (std::uint32_t l = m.first_line; l <= m.last_line; ++l)
        if (all || l <= m.first_line + 1 || l + 1 >= m.last_line) shown.insert(l);
    }
    std::set<std::uint32_t> filled = shown;
    for (std::uint32_t l : shown)
      if (shown.contains(l + 2)) filled.insert(l + 1);
    return filled;
  }

  void gutter(std::string_view number) {
    canvas_.put(Style::Gutter, std::string(gutter_ - number.size(), ' ') + std::string(number) + " | ");
  }

  bool starts_line(const Mark& m) const {
    return file_.line(m.first_line).substr(0, m.begin).find_first_not_of(" \t") == std::string_view::npos;
  }

  /// The brackets of multi-line spans in the margin of `line`; `after`: below the line, where spans that
  /// start on it are open, too.
  void margin(std::uint32_t line, std::uint32_t last, bool after) {
    for (const Mark& m : multi_) {
      bool open =
          after ? m.first_line <= line && m.last_line > last : m.first_line < line && m.last_line >= last;
      bool corner = !after && m.first_line == line && starts_line(m);
      canvas_.put(style(m), open ? "| " : corner ? "/ " : "  ");
    }
  }

  void draw_line(std::uint32_t number) {
    DisplayLine shown = display(file_.line(number));
    std::vector<const Mark*> marks;
    for (const Mark& m : single_)
      if (m.first_line == number) marks.push_back(&m);
    std::ranges::stable_sort(marks, {}, &Mark::begin);

    cut_line(shown, marks);
    gutter(std::to_string(number));
    margin(number, number, false);
    canvas_.put(Style::Plain, shown.text);
    canvas_.newline();
    if (!marks.empty()) underline(number, shown, marks);
    for (std::size_t k = 0; k < multi_.size(); ++k) {
      const Mark& m = multi_[k];
      if (m.first_line == number && !starts_line(m)) bracket(number, k, shown.column(m.begin), true);
      if (m.last_line == number) bracket(number, k, std::max(shown.column(m.end), 1u) - 1, false);
    }
  }

  /// Cuts a long line to a window around its first mark.
  static void cut_line(DisplayLine& shown, const std::vector<const Mark*>& marks) {
    if (shown.width() <= kMaxWidth) return;
    std::uint32_t first = marks.empty() ? 0 : shown.column(marks.front()->begin);
    std::uint32_t cut = first > kMaxWidth - kContext ? first - kContext : 0;
    std::string text;
    // The replaced text is printable: compute its columns again.
    DisplayLine again = display(shown.text);
    for (std::size_t i = 0; i < shown.text.size(); ++i)
      if (again.columns[i] >= cut && again.columns[i] < cut + kMaxWidth) text += shown.text[i];
    bool more = shown.width() > cut + kMaxWidth;
    shown.text = (cut ? "…" : "") + text + (more ? "…" : "");
    std::uint32_t shift = cut ? cut - 1 : 0;
    for (std::uint32_t& c : shown.columns) c = std::min(c > shift ? c - shift : 0, kMaxWidth + 1);
  }

  /// The underlines of a line. The label of the last mark follows it on the same row; the others are below,
  /// from right to left.
  void underline(std::uint32_t number, const DisplayLine& shown, const std::vector<const Mark*>& marks) {
    Row row;
    std::uint32_t end = 0;
    auto begin_of = [&](const Mark* m) { return shown.column(m->begin); };
    for (bool primary : {false, true})
      for (const Mark* m : marks) {
        if (m->primary != primary) continue;
        std::uint32_t last = std::max(shown.column(m->end), begin_of(m) + 1);
        for (std::uint32_t c = begin_of(m); c < last; ++c) row.put(c, primary ? "^" : "-", style(*m));
        end = std::max(end, last);
      }
    const Mark* beside = marks.back();
    for (const Mark* m : marks)  // of spans with the same start, the longest has its label on the row
      if (begin_of(m) == begin_of(beside) && m->end > beside->end) beside = m;
    std::vector<const Mark*> hanging;
    for (const Mark* m : marks)
      if (m != beside && !m->label.empty()) hanging.push_back(m);
    if (!beside->label.empty()) row.text(end + 1, beside->label, style(*beside));
    draw_row(number, row);
    if (hanging.empty()) return;

    Row connectors;
    for (const Mark* m : hanging) connectors.put(begin_of(m), "|", style(*m));
    draw_row(number, connectors);
    while (!hanging.empty()) {
      const Mark* m = hanging.back();
      hanging.pop_back();
      Row labels;
      for (const Mark* other : hanging)
        if (begin_of(other) < begin_of(m)) labels.put(begin_of(other), "|", style(*other));
      labels.text(begin_of(m), m->label, style(*m));
      draw_row(number, labels);
    }
  }

  void draw_row(std::uint32_t number, const Row& row) {
    gutter("");
    margin(number, number, true);
    row.draw(canvas_);
    canvas_.newline();
  }

  /// `|____^ label` from the margin column of span k to `column`: its start (` ____^`) or its end.
  void bracket(std::uint32_t number, std::size_t k, std::uint32_t column, bool start) {
    const Mark& m = multi_[k];
    gutter("");
    for (std::size_t i = 0; i < k; ++i) {
      const Mark& other = multi_[i];
      bool open = other.first_line <= number && other.last_line > number;
      canvas_.put(style(other), open ? "| " : "  ");
    }
    std::uint32_t length = static_cast<std::uint32_t>(2 * (multi_.size() - k) - 1) + column;
    std::string line = (start ? " " : "|") + std::string(length, '_') + (m.primary ? "^" : "-");
    if (!start && !m.label.empty()) line += " " + m.label;
    canvas_.put(style(m), line);
    canvas_.newline();
  }

  const SourceFile& file_;
  Style primary_;
  std::size_t gutter_;
  Canvas& canvas_;
  std::vector<Mark> single_, multi_;
};

}  // namespace

std::string render_text(const Diagnostic& d, const SourceMap& sources, bool color) {
  Canvas canvas(color);
  Style style = style_of(d.severity);
  canvas.put(style, std::string(word_of(d.severity)) + "[" + std::string(info(d.code).id) + "]");
  canvas.put(Style::Message, ": ");
  std::string message = printable(d.message);
  std::ranges::replace(message, '\n', ' ');
  canvas.put(Style::Message, message);
  canvas.newline();

  struct Block {
    FileId file;
    Span start;
    std::vector<Mark> marks;
  };
  std::vector<Block> blocks;
  std::size_t last_line = 0;
  auto add = [&](const Label& label, bool primary) {
    const SourceFile& file = sources.file(label.span.file);
    auto block = std::ranges::find(blocks, label.span.file, &Block::file);
    if (block == blocks.end()) block = blocks.insert(blocks.end(), Block{label.span.file, label.span, {}});
    Mark mark = make_mark(file, label, primary);
    // The same span twice, for example a name and its only use: one underline is enough.
    bool seen = std::ranges::any_of(block->marks, [&](const Mark& m) {
      return m.first_line == mark.first_line && m.last_line == mark.last_line && m.begin == mark.begin &&
             m.end == mark.end && m.label == mark.label;
    });
    if (seen) return;
    last_line = std::max<std::size_t>(last_line, mark.last_line);
    block->marks.push_back(std::move(mark));
  };
  if (d.primary) add(*d.primary, true);
  for (const Label& label : d.secondary) add(label, false);

  std::size_t gutter = std::max<std::size_t>(2, std::to_string(last_line).size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const SourceFile& file = sources.file(blocks[i].file);
    if (i > 0) {
      canvas.put(Style::Gutter, std::string(gutter + 1, ' ') + "|");
      canvas.newline();
    }
    Position at = file.position(blocks[i].start.begin);
    canvas.put(Style::Gutter, std::string(gutter, ' ') + "--> ");
    canvas.put(Style::Plain,
               printable(file.path) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column));
    canvas.newline();
    canvas.put(Style::Gutter, std::string(gutter + 1, ' ') + "|");
    canvas.newline();
    Excerpt(file, std::move(blocks[i].marks), style, gutter, canvas).draw();
  }

  auto remark = [&](std::string_view kind, std::string_view text) {
    canvas.put(Style::Gutter, std::string(gutter + 1, ' ') + "= ");
    canvas.put(Style::Message, kind);
    canvas.put(Style::Plain, ": ");
    std::string clean = printable(text);
    std::string_view rest = clean;
    while (!rest.empty() && rest.back() == '\n') rest.remove_suffix(1);
    for (bool first = true; first || !rest.empty(); first = false) {
      if (!first) canvas.put(Style::Plain, std::string(gutter + 3 + kind.size() + 2, ' '));
      std::size_t line_end = std::min(rest.find('\n'), rest.size());
      canvas.put(Style::Plain, rest.substr(0, line_end));
      canvas.newline();
      rest.remove_prefix(std::min(line_end + 1, rest.size()));
    }
  };
  for (const std::string& note : d.notes) remark("note", note);
  for (const Help& help : d.helps) remark("help", help.text);
  return canvas.take();
}

}  // namespace sigrel
