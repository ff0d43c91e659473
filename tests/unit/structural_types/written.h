// Definitions in numbers as Sigrel.
#pragma once
#include <fmt/format.h>

#include "random_definitions.h"

namespace written {

/// Definitions as text, in an order that nothing depends on.
class Text {
 public:
  /// `variable(v)` names the variables of the definition, interface first; `relation(r)` what it applies.
  template <class Variable, class Relation>
  void add(const std::string& name, const sigrel::structural_types::Definition& d, Variable variable,
           Relation relation) {
    auto list = [&](std::uint32_t first, std::uint32_t last, const char* type) {
      std::string text;
      for (std::uint32_t v = first; v < last; ++v)
        text += fmt::format("{}{}{}", v > first ? ", " : "", variable(v), type);
      return text;
    };
    std::vector<std::string> items;
    for (std::uint32_t e = 0; e < d.equations().rows(); ++e)
      items.push_back(equation(d.equations().row(e), variable, e));
    for (std::uint32_t a = 0; a < d.applications(); ++a) {
      std::string arguments;
      for (std::uint32_t i = 0; i < d.argument_count(a); ++i) {
        auto argument = d.argument(d.first_argument(a) + i);
        if (i > 0) arguments += ", ";
        const bool expression = d.is_expression(d.first_argument(a) + i);
        for (std::size_t k = 0; k < argument.size(); ++k)
          arguments += (k > 0 ? " + " : "") +
                       (expression ? fmt::format("{}.{} * ", k + 1, ++coefficient_) : "") +
                       variable(argument[k]);
      }
      items.push_back(relation(d.relation(a)) + " <> (" + arguments + ")");
    }
    std::string text = fmt::format("{} :: SR ({})\n{} = sigrel ({}) where", name,
                                   list(0, d.interface(), " :: Real"), name, list(0, d.interface(), ""));
    if (items.empty() && d.locals() == 0) text += " {}";
    text += "\n";
    if (d.locals() > 0)
      text += "  local " + list(d.interface(), d.interface() + d.locals(), "") + " :: Real\n";
    definitions_.push_back({std::move(text), std::move(items)});
  }
  /// With the items of every body and the definitions in the order of `dice`, if there is one.
  std::string text(random_definitions::Dice* dice = nullptr) const {
    std::string result;
    auto order = [&](std::size_t n) {
      auto count = static_cast<std::uint32_t>(n);
      return dice ? dice->sample(count, count) : in_order(count);
    };
    for (std::uint32_t d : order(definitions_.size())) {
      result += definitions_[d].head;
      for (std::uint32_t i : order(definitions_[d].items.size()))
        result += "  " + definitions_[d].items[i] + "\n";
      result += "\n";
    }
    return result;
  }

 private:
  static random_definitions::Variables in_order(std::uint32_t count) {
    random_definitions::Variables list(count);
    for (std::uint32_t k = 0; k < count; ++k) list[k] = k;
    return list;
  }
  /// A function of these variables of which nothing is special.
  template <class Variable>
  static std::string equation(std::span<const std::uint32_t> variables, Variable variable,
                              std::uint32_t number) {
    std::string text = number % 2 == 0 ? "sin " : "exp ";
    for (std::size_t k = 0; k < variables.size(); ++k)
      text += (k == 0 ? "" : k == 1 ? " + " : " * ") + variable(variables[k]);
    return text + fmt::format(" = {}.5", number);
  }
  struct Written {
    std::string head;
    std::vector<std::string> items;
  };
  std::vector<Written> definitions_;
  int coefficient_ = 100;  // every one is another, so that no two sums are the same number
};

}  // namespace written
