#include "compiler/check/types/units.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace sigrel::check {
namespace {

using Exponents = std::array<std::int8_t, 7>;

struct UnitRow {
  std::string_view name;
  Exponents dimension;  // m, kg, s, A, K, mol, cd
  double factor = 1;
  double offset = 0;
  bool prefixes = false;  // takes SI prefixes
};

constexpr double kPi = std::numbers::pi;

// The SI Brochure, 9th edition (2019), tables 2, 4 and 8; the conversions of NIST SP 811, appendix B.
constexpr UnitRow kUnits[] = {
    {"1", {}},
    {"m", {1, 0, 0, 0, 0, 0, 0}, 1, 0, true},
    {"g", {0, 1, 0, 0, 0, 0, 0}, 1e-3, 0, true},
    {"s", {0, 0, 1, 0, 0, 0, 0}, 1, 0, true},
    {"A", {0, 0, 0, 1, 0, 0, 0}, 1, 0, true},
    {"K", {0, 0, 0, 0, 1, 0, 0}, 1, 0, true},
    {"mol", {0, 0, 0, 0, 0, 1, 0}, 1, 0, true},
    {"cd", {0, 0, 0, 0, 0, 0, 1}, 1, 0, true},
    {"rad", {}, 1, 0, true},
    {"sr", {}, 1, 0, true},
    {"Hz", {0, 0, -1, 0, 0, 0, 0}, 1, 0, true},
    {"N", {1, 1, -2, 0, 0, 0, 0}, 1, 0, true},
    {"Pa", {-1, 1, -2, 0, 0, 0, 0}, 1, 0, true},
    {"J", {2, 1, -2, 0, 0, 0, 0}, 1, 0, true},
    {"W", {2, 1, -3, 0, 0, 0, 0}, 1, 0, true},
    {"C", {0, 0, 1, 1, 0, 0, 0}, 1, 0, true},
    {"V", {2, 1, -3, -1, 0, 0, 0}, 1, 0, true},
    {"F", {-2, -1, 4, 2, 0, 0, 0}, 1, 0, true},
    {"Ohm", {2, 1, -3, -2, 0, 0, 0}, 1, 0, true},
    {"ohm", {2, 1, -3, -2, 0, 0, 0}, 1, 0, true},
    {"Ω", {2, 1, -3, -2, 0, 0, 0}, 1, 0, true},
    {"S", {-2, -1, 3, 2, 0, 0, 0}, 1, 0, true},
    {"Wb", {2, 1, -2, -1, 0, 0, 0}, 1, 0, true},
    {"T", {0, 1, -2, -1, 0, 0, 0}, 1, 0, true},
    {"H", {2, 1, -2, -2, 0, 0, 0}, 1, 0, true},
    {"lm", {0, 0, 0, 0, 0, 0, 1}, 1, 0, true},
    {"lx", {-2, 0, 0, 0, 0, 0, 1}, 1, 0, true},
    {"Bq", {0, 0, -1, 0, 0, 0, 0}, 1, 0, true},
    {"Gy", {2, 0, -2, 0, 0, 0, 0}, 1, 0, true},
    {"Sv", {2, 0, -2, 0, 0, 0, 0}, 1, 0, true},
    {"kat", {0, 0, -1, 0, 0, 1, 0}, 1, 0, true},
    {"degC", {0, 0, 0, 0, 1, 0, 0}, 1, 273.15},
    {"degF", {0, 0, 0, 0, 1, 0, 0}, 5.0 / 9.0, 459.67 * 5.0 / 9.0},
    {"deg", {}, kPi / 180},
    {"rev", {}, 2 * kPi},
    {"rpm", {0, 0, -1, 0, 0, 0, 0}, 2 * kPi / 60},
    {"min", {0, 0, 1, 0, 0, 0, 0}, 60},
    {"h", {0, 0, 1, 0, 0, 0, 0}, 3600},
    {"d", {0, 0, 1, 0, 0, 0, 0}, 86400},
    {"yr", {0, 0, 1, 0, 0, 0, 0}, 365.25 * 86400},
    {"L", {3, 0, 0, 0, 0, 0, 0}, 1e-3, 0, true},
    {"l", {3, 0, 0, 0, 0, 0, 0}, 1e-3, 0, true},
    {"t", {0, 1, 0, 0, 0, 0, 0}, 1e3, 0, true},
    {"bar", {-1, 1, -2, 0, 0, 0, 0}, 1e5, 0, true},
    {"atm", {-1, 1, -2, 0, 0, 0, 0}, 101325},
    {"psi", {-1, 1, -2, 0, 0, 0, 0}, 6894.757293168361},
    {"eV", {2, 1, -2, 0, 0, 0, 0}, 1.602176634e-19, 0, true},
    {"cal", {2, 1, -2, 0, 0, 0, 0}, 4.184, 0, true},
    {"Wh", {2, 1, -2, 0, 0, 0, 0}, 3600, 0, true},
    {"Ah", {0, 0, 1, 1, 0, 0, 0}, 3600, 0, true},
    {"P", {-1, 1, -1, 0, 0, 0, 0}, 0.1, 0, true},
    {"in", {1, 0, 0, 0, 0, 0, 0}, 0.0254},
    {"ft", {1, 0, 0, 0, 0, 0, 0}, 0.3048},
    {"mi", {1, 0, 0, 0, 0, 0, 0}, 1609.344},
    {"nmi", {1, 0, 0, 0, 0, 0, 0}, 1852},
    {"kn", {1, 0, -1, 0, 0, 0, 0}, 1852.0 / 3600.0},
    {"lb", {0, 1, 0, 0, 0, 0, 0}, 0.45359237},
    {"lbf", {1, 1, -2, 0, 0, 0, 0}, 4.4482216152605},
    {"hp", {2, 1, -3, 0, 0, 0, 0}, 745.6998715822702},
    {"ha", {2, 0, 0, 0, 0, 0, 0}, 1e4},
    {"percent", {}, 1e-2},
    {"ppm", {}, 1e-6},
};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr Prefix kPrefixes[] = {
    {"Q", 1e30},  {"R", 1e27},  {"Y", 1e24},  {"Z", 1e21},  {"E", 1e18},  {"P", 1e15},  {"T", 1e12},
    {"G", 1e9},   {"M", 1e6},   {"k", 1e3},   {"h", 1e2},   {"da", 1e1},  {"d", 1e-1},  {"c", 1e-2},
    {"m", 1e-3},  {"u", 1e-6},  {"µ", 1e-6},  {"μ", 1e-6},  {"n", 1e-9},  {"p", 1e-12}, {"f", 1e-15},
    {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24}, {"r", 1e-27}, {"q", 1e-30},
};

struct Found {
  const UnitRow* row;
  double factor;
};

// A whole name wins over a prefix and a unit: `min` is a minute, `Pa` a pascal, `cd` a candela.
std::optional<Found> find_unit(std::string_view name) {
  for (const UnitRow& row : kUnits)
    if (row.name == name) return Found{&row, row.factor};
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.name)) continue;
    std::string_view rest = name.substr(prefix.name.size());
    for (const UnitRow& row : kUnits)
      if (row.prefixes && row.name == rest) return Found{&row, prefix.factor * row.factor};
  }
  return std::nullopt;
}

std::string suggestion(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"volt", "V"},   {"ampere", "A"},  {"amp", "A"},      {"sec", "s"},        {"second", "s"},
      {"metre", "m"},  {"meter", "m"},   {"hour", "h"},     {"minute", "min"},   {"newton", "N"},
      {"watt", "W"},   {"joule", "J"},   {"kelvin", "K"},   {"celsius", "degC"}, {"henry", "H"},
      {"farad", "F"},  {"gram", "g"},    {"degree", "deg"}, {"degrees", "deg"},  {"radian", "rad"},
      {"hertz", "Hz"}, {"pascal", "Pa"}, {"R", "Ohm"},      {"hz", "Hz"},
  };
  for (auto [word, unit] : kWords)
    if (name == word) return std::string(unit);
  std::vector<std::string_view> candidates;
  for (const UnitRow& row : kUnits) candidates.push_back(row.name);
  if (auto near = did_you_mean(name, candidates)) return std::string(*near);
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
    for (std::size_t i = 0; i < value.dimension.size(); ++i)
      value.dimension[i] = value.dimension[i] + Ratio::of(found->row->dimension[i] * factor.exponent);
    value.coherent &= found->factor == 1 && found->row->offset == 0;
    value.factor *= std::pow(found->factor, factor.exponent);
    if (found->row->offset != 0 && unit.factors.size() == 1 && factor.exponent == 1)
      value.offset = found->row->offset;
  }
  return value;
}

double to_si(double x, const UnitValue& unit) {
  // Dividing by an exact power of ten rounds once; multiplying by its inverse would round twice (1.0e-6
  // * 1.0<mH>).
  double inverse = 1 / unit.factor;
  if (unit.factor < 1 && std::round(inverse) > 0 &&
      std::abs(inverse - std::round(inverse)) < 1e-9 * inverse && inverse < 1e15)
    return x / std::round(inverse) + unit.offset;
  return x * unit.factor + unit.offset;
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

std::string exponent_text(Ratio exponent) {
  int n = std::abs(exponent.num);
  if (exponent.den != 1) return "^(" + std::to_string(n) + "/" + std::to_string(exponent.den) + ")";
  return n == 1 ? "" : "^" + std::to_string(n);
}

namespace {

// The names that derived units are printed with, best first.
constexpr std::string_view kPrinted[] = {"m", "kg", "s",  "A", "K", "mol", "cd", "V", "Ohm", "W",
                                         "J", "N",  "Pa", "F", "H", "C",   "Wb", "T", "S"};

Dimension dimension_of(std::string_view name) {
  Dimension d{};
  auto found = find_unit(name);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = Ratio::of(found->row->dimension[i]);
  return d;
}

Dimension combine(const Dimension& a, Ratio x, const Dimension& b, Ratio y) {
  Dimension d;
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = a[i] * x + b[i] * y;
  return d;
}

}  // namespace

std::string dimension_text(const Dimension& dimension) {
  if (zero(dimension)) return "1";
  static const std::vector<std::pair<std::string_view, Dimension>> units = [] {
    std::vector<std::pair<std::string_view, Dimension>> list;
    for (auto name : kPrinted) list.emplace_back(name, dimension_of(name));
    return list;
  }();
  for (int power : {1, -1, 2, -2, 3, -3})
    for (auto& [name, d] : units)
      if (dimension == combine(d, Ratio::of(power), {}, {}))
        return (power < 0 ? "1/" : "") + std::string(name) + exponent_text(Ratio::of(power));
  // Two units: of the base, then a derived and a base one, then two derived ones.
  constexpr std::size_t kBase = 7;
  for (std::size_t derived = 0; derived <= 2; ++derived)
    for (int power : {-1, 1, -2, 2})
      for (std::size_t i = derived > 0 ? kBase : 0; i < (derived > 0 ? units.size() : kBase); ++i)
        for (std::size_t j = derived > 1 ? kBase : 0; j < (derived > 1 ? units.size() : kBase); ++j)
          if (dimension == combine(units[i].second, Ratio::of(1), units[j].second, Ratio::of(power)))
            return std::string(units[i].first) + (power < 0 ? "/" : "*") + std::string(units[j].first) +
                   exponent_text(Ratio::of(power));
  std::string over, under;
  for (std::size_t i : {1u, 0u, 2u, 3u, 4u, 5u, 6u}) {
    if (dimension[i].zero()) continue;
    std::string& side = dimension[i].num < 0 ? under : over;
    if (dimension[i].num < 0)
      side += "/";
    else if (!side.empty())
      side += "*";
    side += std::string(units[i].first) + exponent_text(dimension[i]);
  }
  return (over.empty() ? "1" : over) + under;
}

std::string quantity_name(const Dimension& dimension) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"V", "a voltage"},
      {"A", "a current"},
      {"Ohm", "a resistance"},
      {"S", "a conductance"},
      {"F", "a capacitance"},
      {"H", "an inductance"},
      {"C", "a charge"},
      {"W", "a power"},
      {"J", "an energy or a torque"},
      {"N", "a force"},
      {"Pa", "a pressure"},
      {"m", "a length"},
      {"kg", "a mass"},
      {"s", "a time"},
      {"K", "a temperature"},
      {"Wb", "a magnetic flux"},
      {"Hz", "a frequency or an angular velocity"},
      {"mol", "an amount of substance"},
      {"cd", "a luminous intensity"}};
  if (zero(dimension)) return "a number";
  for (auto [unit, name] : kNames)
    if (dimension == dimension_of(unit)) return std::string(name);
  auto is = [&](std::string_view over, int p, std::string_view under, int q) {
    return dimension == combine(dimension_of(over), Ratio::of(p), dimension_of(under), Ratio::of(q));
  };
  if (is("m", 1, "s", -1)) return "a velocity";
  if (is("m", 1, "s", -2)) return "an acceleration";
  if (is("m", 2, "s", 0)) return "an area";
  if (is("m", 3, "s", 0)) return "a volume";
  if (is("kg", 1, "s", -1)) return "a mass flow";
  if (is("m", 3, "s", -1)) return "a volume flow";
  if (is("kg", 1, "m", -3)) return "a density";
  return {};
}

}  // namespace sigrel::check
