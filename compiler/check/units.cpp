#include "compiler/check/units.h"

#include <cmath>
#include <numbers>
#include <optional>

namespace sigrel::check {
namespace {

struct UnitRow {
  std::string_view name;
  Dimension dimension;  // m, kg, s, A, K, mol, cd
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
    {"Q", 1e30}, {"R", 1e27}, {"Y", 1e24}, {"Z", 1e21}, {"E", 1e18}, {"P", 1e15},  {"T", 1e12},  {"G", 1e9},
    {"M", 1e6},  {"k", 1e3},  {"h", 1e2},  {"da", 1e1}, {"d", 1e-1}, {"c", 1e-2},  {"m", 1e-3},  {"u", 1e-6},
    {"µ", 1e-6}, {"μ", 1e-6}, {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}, {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24},
    {"r", 1e-27}, {"q", 1e-30},
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
      {"volt", "V"},   {"ampere", "A"}, {"amp", "A"},     {"sec", "s"},     {"second", "s"},  {"metre", "m"},
      {"meter", "m"},  {"hour", "h"},   {"minute", "min"}, {"newton", "N"}, {"watt", "W"},    {"joule", "J"},
      {"kelvin", "K"}, {"celsius", "degC"}, {"henry", "H"}, {"farad", "F"}, {"gram", "g"},    {"degree", "deg"},
      {"degrees", "deg"}, {"radian", "rad"}, {"hertz", "Hz"}, {"pascal", "Pa"}, {"R", "Ohm"}, {"hz", "Hz"},
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
  value.written = &unit;
  for (const ast::UnitFactor& factor : unit.factors) {
    std::string_view name = text(factor.name.name);
    auto found = find_unit(name);
    if (!found) {
      if (variables && name.size() == 1 && name[0] >= 'a' && name[0] <= 'z') {
        value.has_variables = true;
        continue;
      }
      auto& d = diagnostics.report(Code::UnknownUnit, factor.name.span, "`" + std::string(name) + "` is not a unit");
      if (std::string near = suggestion(name); !near.empty())
        d.fix("did you mean `" + near + "`?", factor.name.span, near);
      else
        d.help("units are the SI units and common ones with prefixes, for example `mH`, `km/h`, `kg*m^2/s`, `degC`");
      continue;
    }
    for (std::size_t i = 0; i < value.dimension.size(); ++i)
      value.dimension[i] = static_cast<std::int8_t>(value.dimension[i] + found->row->dimension[i] * factor.exponent);
    value.factor *= std::pow(found->factor, factor.exponent);
    if (found->row->offset != 0 && unit.factors.size() == 1 && factor.exponent == 1) value.offset = found->row->offset;
  }
  return value;
}

double to_si(double x, const UnitValue& unit) {
  // Dividing by an exact power of ten rounds once; multiplying by its inverse would round twice (1.0e-6 * 1.0<mH>).
  double inverse = 1 / unit.factor;
  if (unit.factor < 1 && std::round(inverse) > 0 && std::abs(inverse - std::round(inverse)) < 1e-9 * inverse && inverse < 1e15)
    return x / std::round(inverse) + unit.offset;
  return x * unit.factor + unit.offset;
}

std::string unit_text(const UnitValue& unit) {
  if (!unit.written) return "1";
  std::string over, under;
  for (const ast::UnitFactor& factor : unit.written->factors) {
    std::string& side = factor.exponent < 0 ? under : over;
    int exponent = std::abs(factor.exponent);
    if (factor.exponent < 0) side += "/";
    else if (!side.empty()) side += "*";
    side += text(factor.name.name);
    if (exponent != 1) side += "^" + std::to_string(exponent);
  }
  return (over.empty() ? "1" : over) + under;
}

}  // namespace sigrel::check
