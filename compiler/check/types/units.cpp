#include "compiler/check/types/units.h"

#include <algorithm>

namespace sigrel::check {
namespace {

std::string suggestion(std::string_view name) {
  if (std::string word = similar_unit(name); !word.empty()) return word;
  if (auto near = did_you_mean(name, unit_names())) return std::string(*near);
  return {};
}

}  // namespace

UnitValue resolve_unit(const ast::Unit& unit, bool variables, Diagnostics& diagnostics) {
  UnitValue value;
  for (const ast::UnitFactor& factor : unit.factors) {
    std::string_view name = text(factor.name.name);
    auto found = find_unit(name);
    if (!found) {
      if (variables && name.size() == 1 && name[0] >= 'a' && name[0] <= 'z') {
        auto at = std::ranges::find(value.variables, factor.name.name, &std::pair<Name, Ratio>::first);
        if (at == value.variables.end()) at = value.variables.insert(at, {factor.name.name, Ratio{}});
        at->second = at->second + Ratio::of(factor.exponent);
        continue;
      }
      auto& d = diagnostics.report(Code::UnknownUnit, factor.name.span,
                                   "`" + std::string(name) + "` is not a unit");
      if (std::string near = suggestion(name); !near.empty())
        d.fix("did you mean `" + near + "`?", factor.name.span, near);
      else
        d.help(
            "units are the SI units and common ones with prefixes, for example `mH`, `km/h`, `kg*m^2/s`, "
            "`degC`");
      value.known = false;
      continue;
    }
    multiply(value, *found, factor.exponent, unit.factors.size() == 1);
  }
  return value;
}

std::string unit_text(const ast::Unit& unit) {
  std::string over, under;
  for (const ast::UnitFactor& factor : unit.factors) {
    std::string& side = factor.exponent < 0 ? under : over;
    if (factor.exponent < 0)
      side += "/";
    else if (!side.empty())
      side += "*";
    side += std::string(text(factor.name.name)) + exponent_text(Ratio::of(factor.exponent));
  }
  return (over.empty() ? "1" : over) + under;
}

}  // namespace sigrel::check
