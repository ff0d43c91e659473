#include "compiler/explain/blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/explain/structure_report.h"
#include "compiler/pipeline/solved_blocks.h"

namespace sigrel::explain {
namespace {

constexpr std::size_t kShown = 100;       // at most
constexpr std::size_t kShownInside = 20;  // equations of one block, at most

std::string name(const pipeline::Compiled& model, std::uint32_t variable) {
  return dae::variable_name(model.system, model.dae, variable);
}

std::string names(const pipeline::Compiled& model, const std::vector<std::uint32_t>& variables) {
  std::string text;
  for (std::size_t k = 0; k < variables.size() && k < kShownInside; ++k)
    text += (k ? ", " : "") + name(model, variables[k]);
  return variables.size() > kShownInside ? text + fmt::format(" and {} more", variables.size() - kShownInside)
                                         : text;
}

std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out += "  " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string more(std::size_t count, std::size_t shown, const char* indent) {
  return count > shown ? fmt::format("{}and {} more\n", indent, count - shown) : "";
}

/// Rows and columns of a picture.
struct Order {
  std::vector<std::uint32_t> equations, variables;
};

Order solution_order(const std::vector<pipeline::SolvedBlock>& blocks) {
  Order order;
  for (const pipeline::SolvedBlock& b : blocks) {
    order.equations.insert(order.equations.end(), b.inner_equations.begin(), b.inner_equations.end());
    order.equations.insert(order.equations.end(), b.residual_equations.begin(), b.residual_equations.end());
    order.variables.insert(order.variables.end(), b.inner_variables.begin(), b.inner_variables.end());
    order.variables.insert(order.variables.end(), b.tearing_variables.begin(), b.tearing_variables.end());
  }
  return order;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  return out;
}

}  // namespace

std::string blocks_text(const pipeline::Compiled& model, const SourceMap& sources) {
  const std::vector<pipeline::SolvedBlock> blocks = pipeline::solved_blocks(model.plan);
  std::size_t together = 0;
  for (const pipeline::SolvedBlock& b : blocks) together += !b.residual_equations.empty();
  if (blocks.empty()) return "no equations remain after reduction\n";
  std::string out = fmt::format("{} block{}: {} explicit equation{}, {} algebraic loop{}\n", blocks.size(),
                                blocks.size() == 1 ? "" : "s", blocks.size() - together,
                                blocks.size() - together == 1 ? "" : "s", together, together == 1 ? "" : "s");
  for (std::size_t k = 0; k < blocks.size() && k < kShown; ++k) {
    const pipeline::SolvedBlock& b = blocks[k];
    if (b.residual_equations.empty()) {
      out += fmt::format("\n{}. {}, from\n{}", k + 1, name(model, b.inner_variables[0]),
                         indented(equation_text(model, b.inner_equations[0], sources)));
      continue;
    }
    static constexpr const char* kKinds[] = {"nonlinear: Newton's method",
                                             "linear: factorised at every evaluation",
                                             "linear with constant coefficients: factorised once"};
    out += fmt::format("\n{}. algebraic loop of {} equation{}, {}\n", k + 1, b.size(),
                       b.size() == 1 ? "" : "s", kKinds[b.kind]);
    out += fmt::format("  {} tearing variable{}: {}\n", b.tearing_variables.size(),
                       b.tearing_variables.size() == 1 ? "" : "s", names(model, b.tearing_variables));
    for (std::size_t i = 0; i < b.inner_equations.size() && i < kShownInside; ++i)
      out += fmt::format("  {}, from\n{}", name(model, b.inner_variables[i]),
                         indented(equation_text(model, b.inner_equations[i], sources)));
    out += more(b.inner_equations.size(), kShownInside, "  ");
    out += b.residual_equations.size() == 1 ? "  residual equation\n" : "  residual equations\n";
    for (std::size_t i = 0; i < b.residual_equations.size() && i < kShownInside; ++i)
      out += indented(equation_text(model, b.residual_equations[i], sources));
    out += more(b.residual_equations.size(), kShownInside, "    ");
  }
  return out + more(blocks.size(), kShown, "\n");
}

std::string incidence_svg(const pipeline::Compiled& model) {
  const std::vector<pipeline::SolvedBlock> blocks = pipeline::solved_blocks(model.plan);
  const Order after = solution_order(blocks);
  Order before = after;
  std::ranges::sort(before.equations);
  std::ranges::sort(before.variables);
  const auto rows = pipeline::incidence_lists(model.dae);
  const std::size_t n = after.equations.size();
  const double cell = n <= 40 ? 14 : n <= 120 ? 7 : 3;
  const bool labels = cell == 14;
  double margin = 20;
  if (labels)
    for (std::uint32_t v : after.variables)
      margin = std::max(margin, 20 + 6.5 * static_cast<double>(name(model, v).size()));
  const double side = cell * static_cast<double>(n), gap = 40, width = 2 * side + 2 * margin + gap,
               height = side + margin + 50;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n",
      width, height);
  auto draw = [&](const Order& order, double left, const char* title, bool solution) {
    const double top = margin + 24;
    std::vector<std::size_t> column(model.dae.variables.size(), n);
    for (std::size_t c = 0; c < n; ++c) column[order.variables[c]] = c;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"16\" font-size=\"13\">{}</text>\n", left, title);
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#f4f6f8\" "
        "stroke=\"#9aa5b1\"/>\n",
        left, top, side, side);
    if (solution) {
      std::size_t at = 0;
      for (const pipeline::SolvedBlock& b : blocks) {
        if (!b.residual_equations.empty()) {
          const double x = left + cell * static_cast<double>(at), y = top + cell * static_cast<double>(at);
          const double torn = cell * static_cast<double>(b.tearing_variables.size()),
                       inner = cell * static_cast<double>(b.inner_equations.size());
          svg += fmt::format(
              "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#ffe9c7\"/>\n",
              x + inner, y, torn, inner + torn);
          svg += fmt::format(
              "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#ffe9c7\"/>\n", x,
              y + inner, inner + torn, torn);
          svg += fmt::format(
              "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
              "stroke=\"#c0392b\"/>\n",
              x, y, inner + torn, inner + torn);
        }
        at += b.size();
      }
    }
    for (std::size_t r = 0; r < n; ++r)
      for (std::uint32_t v : rows[order.equations[r]])
        if (column[v] < n)
          svg += fmt::format(
              "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
              left + cell * static_cast<double>(column[v]) + 0.5, top + cell * static_cast<double>(r) + 0.5,
              cell - 1, cell - 1, solution && column[v] > r ? "#c0392b" : "#34495e");
    if (labels)
      for (std::size_t c = 0; c < n; ++c)
        svg += fmt::format("<text transform=\"translate({:.1f},{:.1f}) rotate(-90)\">{}</text>\n",
                           left + cell * (static_cast<double>(c) + 0.8), top - 4,
                           escaped(name(model, order.variables[c])));
  };
  draw(before, margin, "source order", false);
  draw(after, margin + side + gap, "order of solution", true);
  return svg + "</svg>\n";
}

std::string incidence_dot(const pipeline::Compiled& model) {
  const std::vector<pipeline::SolvedBlock> blocks = pipeline::solved_blocks(model.plan);
  const auto rows = pipeline::incidence_lists(model.dae);
  std::string out = "graph incidence {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=10];\n";
  auto quoted = [&](std::uint32_t variable) {
    std::string text;
    for (char c : name(model, variable))
      text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return text;
  };
  std::vector<bool> determined(model.dae.variables.size(), false);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const pipeline::SolvedBlock& b = blocks[k];
    const bool together = !b.residual_equations.empty();
    if (together) out += fmt::format("  subgraph cluster_{} {{\n  label=\"block {}\";\n", k + 1, k + 1);
    for (const auto* list : {&b.inner_equations, &b.residual_equations})
      for (std::uint32_t e : *list)
        out += fmt::format("  e{} [shape=box, label=\"{}{}\"];\n", e + 1, e + 1,
                           list == &b.residual_equations ? " = 0" : "");
    for (const auto* list : {&b.inner_variables, &b.tearing_variables})
      for (std::uint32_t v : *list) {
        determined[v] = true;
        out += fmt::format("  v{} [label=\"{}\"{}];\n", v + 1, quoted(v),
                           list == &b.tearing_variables ? ", peripheries=2" : "");
      }
    if (together) out += "  }\n";
  }
  for (const pipeline::SolvedBlock& b : blocks) {
    auto edges = [&](std::uint32_t e, std::uint32_t given) {
      for (std::uint32_t v : rows[e])
        if (determined[v])
          out += fmt::format("  e{} -- v{}{};\n", e + 1, v + 1, v == given ? " [style=bold]" : "");
    };
    for (std::size_t i = 0; i < b.inner_equations.size(); ++i)
      edges(b.inner_equations[i], b.inner_variables[i]);
    for (std::uint32_t e : b.residual_equations) edges(e, dae::kNone);
  }
  return out + "}\n";
}

}  // namespace sigrel::explain
