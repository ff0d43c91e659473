#include "compiler/singularity/wording.h"

#include <fmt/format.h>

#include <algorithm>

namespace sigrel::singularity {

std::string listed(const std::vector<std::string>& names, std::size_t shown) {
  std::string text;
  std::size_t n = names.size() <= shown + 1 ? names.size() : shown;
  for (std::size_t k = 0; k < n; ++k) {
    if (k > 0) text += k + 1 == names.size() ? " and " : ", ";
    text += "`" + names[k] + "`";
  }
  if (n < names.size()) text += fmt::format(" and {} more", names.size() - n);
  return text;
}

std::optional<std::string> near_name(const std::string& name, const std::vector<std::string>& others) {
  std::vector<std::string_view> candidates;
  for (const std::string& other : others)
    if (name.size() > 1 || other.size() > 1) candidates.push_back(other);
  const auto near = did_you_mean(name, candidates);
  return near ? std::optional(std::string(*near)) : std::nullopt;
}

std::string counted(std::size_t n, const char* noun) {
  return n == 0   ? fmt::format("no {}", noun)
         : n == 1 ? fmt::format("1 {}", noun)
                  : fmt::format("{} {}s", n, noun);
}

std::string number_word(std::size_t n) {
  static const char* const words[] = {"none", "one", "two",   "three", "four",
                                      "five", "six", "seven", "eight", "nine"};
  return n < std::size(words) ? words[n] : std::to_string(n);
}

std::vector<Place> in_order_of_blame(std::vector<Place> places) {
  auto rank = [](const Place& p) { return p.implicit ? 0 : p.part.empty() ? 2 : 1; };
  std::ranges::stable_sort(places, [&](const Place& a, const Place& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.span < b.span;
  });
  std::vector<Place> merged;
  for (Place& p : places)
    if (!merged.empty() && merged.back().span == p.span && merged.back().part == p.part &&
        merged.back().node == p.node)
      merged.back().equations += p.equations;  // components of one equation, iterations of one `for`
    else
      merged.push_back(std::move(p));
  return merged;
}

Place equation_place(const system::SourceEquation& equation) {
  using enum system::EquationKind;
  return {.span = equation.span,
          .part = {},
          .implicit = equation.kind == Argument || equation.kind == NodeSum || equation.kind == Potential,
          .node = equation.kind == NodeSum ? text(equation.component) : std::string()};
}

std::string contributes(const Place& place) {
  const char* bound = place.bound == Place::AtLeast  ? "at least "
                      : place.bound == Place::AtMost ? "at most "
                                                     : "";
  return fmt::format("`{}` contributes {}{}", place.part, bound, counted(place.equations, "equation"));
}

static std::string balance(const std::string& node) {
  return fmt::format("the flows at `{}` sum to zero", node);
}

void label_others(Diagnostic& diagnostic, std::span<const Place> places, const std::string& text,
                  std::size_t shown) {
  const std::size_t others = places.empty() ? 0 : places.size() - 1;
  std::size_t left_out = 0;
  for (std::size_t k = 0; k < others; ++k) {
    if (others - k > shown)  // the last ones are nearest to the primary one
      left_out += places[k].equations;
    else
      diagnostic.also(places[k].span, !places[k].part.empty()   ? contributes(places[k])
                                      : !places[k].node.empty() ? balance(places[k].node)
                                                                : text);
  }
  if (left_out > 0)
    diagnostic.note(
        fmt::format("{} more belong{} to this set", counted(left_out, "equation"), left_out == 1 ? "s" : ""));
}

}  // namespace sigrel::singularity
