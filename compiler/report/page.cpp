#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "compiler/doc/markup.h"
#include "compiler/doc/page.h"
#include "compiler/explain/blocks.h"
#include "compiler/explain/structure_report.h"
#include "compiler/explain/why_report.h"
#include "compiler/pipeline/results.h"
#include "compiler/pipeline/solved_blocks.h"
#include "compiler/report/curves.h"
#include "compiler/report/embedded.h"
#include "compiler/report/report.h"
#include "compiler/report/typeset.h"

namespace sigrel::report {
namespace {

using doc::escape;
using nlohmann::ordered_json;

constexpr std::size_t kNumbers = 1'500'000;  // of all curves; more are thinned
constexpr std::size_t kFewest = 400;         // rows of a curve that is thinned
constexpr std::size_t kEquations = 1'000;    // that are listed
constexpr std::size_t kExplained = 400;      // variables with an answer to "why?"
constexpr std::size_t kWork = 400'000;       // equations × variables, for these answers
constexpr std::size_t kSource = 400'000;     // bytes of a source file that is shown
constexpr std::size_t kParameters = 1'000;   // that are listed

/// Names inside of a recursion of thousands of levels are as long.
std::string shortened(const std::string& name) {
  constexpr std::size_t kLong = 160;
  if (name.size() <= kLong) return name;
  return name.substr(0, kLong / 2) + "…" + name.substr(name.size() - kLong / 2);
}

std::string pre(std::string_view text, std::string_view classes = {}) {
  return fmt::format("<pre{}>{}</pre>\n", classes.empty() ? "" : fmt::format(" class=\"{}\"", classes),
                     escape(text));
}

class Writer {
 public:
  explicit Writer(const Report& report) : r_(report), system_(report.model.system), dae_(report.model.dae) {}

  std::string page() {
    anchor(r_.root, 1);  // the first file that is shown
    std::string body;
    body += header();
    body += "<main>\n" + tree() + "<div>\n";
    body += section("messages", "Messages", messages());
    body += section("plots", "Plots", plots());
    body += section("equations", "Equations", equations());
    body += section("parameters", "Parameters", parameters());
    body += section("states", "States", states());
    body += section("events", "Events", events());
    body += section("statistics", "Statistics", statistics());
    body += section("source", "Source", sources());
    body += "</div>\n</main>\n<div id=\"why\"></div>\n";
    body += "<script type=\"application/json\" id=\"data\">" + data() + "</script>\n<script>" +
            std::string(kPlots) + std::string(kScript) + "</script>\n";
    return doc::document(r_.title, body, kStyle);
  }

 private:
  std::string section(std::string_view id, std::string_view title, const std::string& inside) {
    if (inside.empty()) return {};
    return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, title, inside);
  }

  std::string header() const {
    std::string out = "<header><h1>" + escape(r_.title) + "</h1><nav>";
    for (const char* name :
         {"messages", "plots", "equations", "parameters", "states", "events", "statistics", "source"})
      if (!(std::string_view(name) == "messages" && r_.messages.all().empty()) &&
          !(std::string_view(name) == "events" && r_.events.empty()))
        out += fmt::format("<a href=\"#{0}\">{0}</a>", name);
    return out +
           "</nav><div id=\"clock\"><span id=\"now\"></span><input type=\"range\" id=\"time\" min=\"0\" "
           "max=\"1000\" "
           "step=\"any\" aria-label=\"time\"/></div></header>\n";
  }

  std::string tree() const {
    return "<aside id=\"tree\"><input type=\"search\" id=\"search\" placeholder=\"find a variable\"/>"
           "<div id=\"variables\"></div></aside>\n";
  }

  std::string messages() const {
    std::string out;
    for (const Diagnostic& d : r_.messages.all()) {
      const char* kind = d.severity == Severity::Error     ? "error"
                         : d.severity == Severity::Warning ? "warning"
                                                           : "note";
      out += pre(render_text(d, r_.sources, false), fmt::format("message linked {}", kind));
    }
    return out;
  }

  std::string plots() {
    std::string out =
        "<div id=\"panes\"></div>\n<p class=\"dim\"><button id=\"add\">new pane</button> Drag to zoom, "
        "double-click for the whole time, click for the values at a time. Variables that are ticked on "
        "the left join the last pane.</p>\n";
    const runtime::Trajectory& t = r_.run.trajectory;
    if (thinned())
      out += fmt::format(
          "<p class=\"dim\">The run has {} rows of {} variables: curves are thinned to about {} rows each. "
          "The least and the greatest value of each part are kept; a file of results has all rows.</p>\n",
          t.rows(), t.columns(), most_rows());
    if (r_.other) out += comparison();
    return out;
  }

  /// The largest differences between the two runs, at the rows of the other one.
  std::string comparison() const {
    struct Difference {
      std::string name;
      double largest = 0, at = 0, scale = 0;
    };
    std::vector<Difference> found;
    const runtime::Trajectory &a = r_.run.trajectory, &b = *r_.other;
    std::size_t missing = 0;
    for (std::size_t c = 0; c < b.columns(); ++c) {
      const auto it = std::ranges::find(a.names(), b.names()[c]);
      if (it == a.names().end()) {
        ++missing;
        continue;
      }
      const auto own = static_cast<std::size_t>(it - a.names().begin());
      Difference d{b.names()[c]};
      std::size_t row = 0;
      for (std::size_t k = 0; k < b.rows(); ++k) {
        const double t = b.time(k);
        while (row + 1 < a.rows() && a.time(row + 1) <= t) ++row;
        if (a.rows() == 0 || t < a.time(0) || t > a.time(a.rows() - 1)) continue;
        double value = a.value(row, own);
        if (row + 1 < a.rows() && a.time(row + 1) > a.time(row) &&
            !pipeline::is_piecewise_constant(r_.run.description(*it)))
          value += (a.value(row + 1, own) - value) * (t - a.time(row)) / (a.time(row + 1) - a.time(row));
        d.scale = std::max({d.scale, std::abs(value), std::abs(b.value(k, c))});
        if (const double apart = std::abs(value - b.value(k, c)); apart > d.largest)
          d.largest = apart, d.at = t;
      }
      found.push_back(d);
    }
    const auto relative = [](const Difference& d) { return d.scale > 0 ? d.largest / d.scale : 0; };
    std::ranges::stable_sort(found, std::greater(), relative);
    std::string out = fmt::format(
        "<h3>Compared with {}</h3>\n<table><tr><th>variable</th><th>largest difference</th>"
        "<th>of the largest value</th><th>at t</th></tr>\n",
        escape(r_.other_title));
    for (std::size_t k = 0; k < found.size() && k < 20; ++k)
      out += fmt::format(
          "<tr><td data-why=\"{0}\">{0}</td><td>{1:.4g}</td><td>{2:.3g} %</td><td>{3:.6g} s</td></tr>\n",
          escape(found[k].name), found[k].largest, 100 * relative(found[k]), found[k].at);
    out += "</table>\n";
    if (missing > 0)
      out += fmt::format("<p class=\"dim\">{} variable{} of {} {} not in this run.</p>\n", missing,
                         missing == 1 ? "" : "s", escape(r_.other_title), missing == 1 ? "is" : "are");
    return out;
  }

  std::string name(std::uint32_t variable) const {
    return shortened(dae::variable_name(system_, dae_, variable));
  }

  /// The file and line of a span as a link into the source on this page.
  std::string link(Span span) {
    if (span.file.value >= r_.sources.size()) return {};
    const SourceFile& file = r_.sources.file(span.file);
    const std::size_t slash = file.path.rfind('/');
    const std::uint32_t line = file.position(span.begin).line;
    return fmt::format("<a href=\"#{}\">{}:{}</a>", anchor(span.file, line),
                       escape(slash == std::string::npos ? file.path : file.path.substr(slash + 1)), line);
  }
  /// Of a line. Numbers of files are those of `file_numbers`, which the script has, too.
  std::string anchor(FileId file, std::uint32_t line) {
    const auto [at, fresh] = file_numbers_.emplace(file.value, file_list_.size());
    if (fresh) file_list_.push_back(file);
    return fmt::format("f{}l{}", at->second, line);
  }

  /// The row of an equation: what it is solved for, the equation, where it is written.
  std::string equation(std::uint32_t number, const std::string& solved, std::string_view kind) {
    const auto dynamic = static_cast<std::uint32_t>(dae_.equations.count());
    const Origin origin =
        number < dynamic ? dae::origin(dae_.equations, number) : dae::origin(dae_.initial, number - dynamic);
    const system::SourceEquation& source = system_.sources[origin.source];
    std::string text = explain::equation_text(r_.model, number, r_.sources);
    text = text.substr(2, text.find('\n') - 2);
    const bool written =
        source.kind == system::EquationKind::Written && source.span.file.value < r_.sources.size();
    const std::string part = shortened(system::instance_name(system_, origin.instance));
    std::string shown;
    const std::string_view equation = written ? r_.sources.text(source.span) : std::string_view();
    const std::size_t begin =
        written ? text.find(equation.substr(0, equation.find('\n'))) : std::string::npos;
    if (begin != std::string::npos) {
      const std::string before = text.substr(0, begin);
      shown = "<span class=\"dim\">" + escape(before) + "</span>" +
              (equation.size() <= 300 ? typeset(equation) : "<code>" + escape(text) + "</code>");
    } else {
      shown = escape(text.substr(0, text.find("    (`")));
    }
    return fmt::format("<tr{}><td>{}</td><td>{}</td><td class=\"dim\">{}</td><td>{}</td></tr>\n",
                       kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), solved, shown, escape(part),
                       link(source.span));
  }

  std::string why(std::uint32_t variable) const {
    const std::string text = escape(name(variable));
    return fmt::format("<span data-why=\"{0}\">{0}</span>", text);
  }

  std::string equations() {
    const std::vector<pipeline::SolvedBlock> blocks = pipeline::solved_blocks(r_.model.plan);
    std::string out;
    if (r_.run.last && r_.run.last.get() != &r_.model)
      out +=
          "<p class=\"dim\">The structure changed during the run: these are the equations at its "
          "start.</p>\n";
    out += fmt::format(
        "<p>{} equations of the model, {} after elimination and index reduction, in the order in which "
        "they are solved. Equations of an algebraic loop are solved simultaneously.</p>\n",
        system_.equations.count(), dae_.equations.count());
    out +=
        "<table class=\"equations\"><tr><th>determines</th><th>equation</th><th>part</th><th>at</th></tr>\n";
    // What only events change has no equation that anybody wrote.
    const std::vector<bool> constants = dae::constants(dae_);
    const auto is_kept = [&](const pipeline::SolvedBlock& b) {
      const std::uint32_t integral = b.size() == 1 && !b.inner_variables.empty()
                                         ? dae_.variables[b.inner_variables[0]].integral
                                         : dae::kNone;
      return integral != dae::kNone && constants[integral];
    };
    std::size_t listed = 0, all = 0;
    for (const pipeline::SolvedBlock& b : blocks) all += b.size();
    for (const pipeline::SolvedBlock& b : blocks) {
      if (listed >= kEquations) break;
      if (is_kept(b)) continue;
      const std::string_view kind = b.residual_equations.empty() ? "" : "loop";
      if (!kind.empty()) {
        std::vector<std::string> torn;
        for (const std::uint32_t v : b.tearing_variables)
          if (torn.size() < 20) torn.push_back(why(v));
        out += fmt::format(
            "<tr class=\"loop\"><td colspan=\"4\" class=\"dim\">algebraic loop of {} equations, {}; tearing "
            "variables: {}{}</td></tr>\n",
            b.size(), b.kind == runtime::AlgebraicLoop::Nonlinear ? "nonlinear" : "linear",
            fmt::join(torn, ", "), b.tearing_variables.size() > 20 ? ", …" : "");
      }
      for (std::size_t i = 0; i < b.inner_equations.size() && listed < kEquations; ++i, ++listed)
        out += equation(b.inner_equations[i], why(b.inner_variables[i]), kind);
      for (const std::uint32_t e : b.residual_equations)
        if (listed++ < kEquations) out += equation(e, "", kind);
    }
    out += "</table>\n";
    if (all > kEquations) out += fmt::format("<p class=\"dim\">and {} more</p>\n", all - kEquations);
    if (all > 0 && all <= explain::kLargestPicture)
      out += "<h3>Incidence</h3>\n<div class=\"scroll\">" + explain::incidence_svg(r_.model) + "</div>\n";
    return out;
  }

  std::string parameters() const {
    const std::vector<runtime::Constant> found =
        pipeline::Results(system_, dae_).constants(r_.run.outcome.parameters, {});
    if (found.empty() || r_.run.outcome.parameters.empty()) return {};
    std::string out = "<table><tr><th>parameter</th><th>value</th></tr>\n";
    for (std::size_t k = 0; k < found.size() && k < kParameters; ++k)
      out += fmt::format("<tr><td>{}</td><td>{:.10g}</td></tr>\n", escape(found[k].name), found[k].value);
    out += "</table>\n";
    if (found.size() > kParameters)
      out += fmt::format("<p class=\"dim\">and {} more</p>\n", found.size() - kParameters);
    return out;
  }

  std::string states() const {
    return pre(explain::states_text(r_.model, r_.sources), "linked") + "<h3>Initial values</h3>\n" +
           pre(explain::initial_text(r_.model, r_.sources), "linked") + differentiated();
  }
  std::string differentiated() const {
    const std::string index = explain::index_text(r_.model, r_.sources);
    return index.empty() ? index : "<h3>Index reduction</h3>\n" + pre(index, "linked");
  }

  std::string events() const {
    if (r_.events.empty()) return {};
    return pre(r_.event_counts, "linked") + "<details><summary>The log</summary>" + pre(r_.events, "linked") +
           "</details>\n";
  }

  std::string statistics() const { return pre(r_.profile) + pre(r_.statistics, "linked"); }

  std::string sources() {
    std::string out;
    for (std::size_t k = 0; k < file_list_.size(); ++k) {
      const SourceFile& file = r_.sources.file(file_list_[k]);
      if (file.text.size() > kSource) {
        out += fmt::format("<p><code>{}</code> is too large to be shown.</p>\n", escape(file.path));
        continue;
      }
      std::string lines;
      for (std::uint32_t line = 1; line <= file.line_count(); ++line)
        lines +=
            fmt::format("<span class=\"line\" id=\"f{}l{}\">{}</span>\n", k, line, escape(file.line(line)));
      out += fmt::format(
          "<details{}><summary><code>{}</code></summary><pre class=\"source\">{}</pre></details>\n",
          k == 0 ? " open=\"open\"" : "", escape(file.path), lines);
    }
    return out;
  }

  std::size_t most_rows() const {
    const std::size_t columns = std::max<std::size_t>(r_.run.trajectory.columns(), 1);
    return std::max(kFewest, kNumbers / columns / (r_.other ? 2 : 1));
  }
  bool thinned() const { return r_.run.trajectory.rows() > most_rows(); }

  std::string data() const {
    const runtime::Trajectory& t = r_.run.trajectory;
    ordered_json j;
    j["times"] = t.times();
    j["series"] = ordered_json::object();
    for (std::size_t c = 0; c < t.columns(); ++c)
      j["series"][t.names()[c]] = curve(r_.run, t, c, most_rows(), false);
    if (r_.other) {
      j["other"] = ordered_json::object();
      for (std::size_t c = 0; c < r_.other->columns(); ++c)
        if (std::ranges::find(t.names(), r_.other->names()[c]) != t.names().end())
          j["other"][r_.other->names()[c]] = curve(r_.run, *r_.other, c, most_rows(), true);
      j["otherTitle"] = r_.other_title;
    }
    j["panes"] = r_.run.panes;
    j["why"] = ordered_json::object();
    const std::size_t most = std::min(kExplained, kWork / std::max<std::size_t>(dae_.equations.count(), 1));
    std::size_t explained = 0;
    const auto explain = [&](const std::string& name) {
      if (explained >= most || j["why"].contains(name)) return;
      ++explained;
      if (const auto text = explain::why_text(r_.model, name, r_.sources)) j["why"][name] = *text;
    };
    for (const std::vector<std::string>& pane : r_.run.panes)
      for (const std::string& name : pane) explain(name);
    for (const std::string& name : t.names()) explain(name);
    j["files"] = ordered_json::array();
    for (const FileId file : file_list_) j["files"].push_back(r_.sources.file(file).path);
    return script_text(j);
  }

  const Report& r_;
  const system::System& system_;
  const dae::System& dae_;
  std::map<std::uint32_t, std::size_t> file_numbers_;
  std::vector<FileId> file_list_;
};

}  // namespace

std::string page(const Report& report) { return Writer(report).page(); }

}  // namespace sigrel::report
