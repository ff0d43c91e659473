#include "compiler/base/units.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

namespace sigrel {

Ratio Ratio::of(std::int64_t num, std::int64_t den) {
  if (den < 0) num = -num, den = -den;
  std::int64_t g = std::gcd(num, den);
  if (g > 1) num /= g, den /= g;
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();  // no size or exponent is as large
  return {static_cast<std::int32_t>(std::clamp(num, -kMax, kMax)),
          static_cast<std::int32_t>(std::min(den, kMax))};
}

bool zero(const Dimension& d) {
  return std::ranges::all_of(d, [](Ratio r) { return r.zero(); });
}

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

}  // namespace

// A whole name wins over a prefix and a unit: `min` is a minute, `Pa` a pascal, `cd` a candela.
std::optional<NamedUnit> find_unit(std::string_view name) {
  for (const UnitRow& row : kUnits)
    if (row.name == name) return NamedUnit{row.dimension, row.factor, row.offset};
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.name)) continue;
    std::string_view rest = name.substr(prefix.name.size());
    for (const UnitRow& row : kUnits)
      if (row.prefixes && row.name == rest)
        return NamedUnit{row.dimension, prefix.factor * row.factor, row.offset};
  }
  return std::nullopt;
}

std::vector<std::string_view> unit_names() {
  std::vector<std::string_view> names;
  for (const UnitRow& row : kUnits) names.push_back(row.name);
  return names;
}

void multiply(UnitScale& scale, const NamedUnit& unit, int exponent, bool alone) {
  for (std::size_t i = 0; i < scale.dimension.size(); ++i)
    scale.dimension[i] = scale.dimension[i] + Ratio::of(unit.dimension[i] * exponent);
  scale.coherent &= unit.factor == 1 && unit.offset == 0;
  scale.factor *= std::pow(unit.factor, exponent);
  if (unit.offset != 0 && alone && exponent == 1) scale.offset = unit.offset;
}

std::optional<UnitScale> read_unit(std::string_view text, std::string* unknown) {
  struct Factor {
    NamedUnit unit;
    int exponent;
  };
  std::vector<Factor> factors;
  bool under = false;
  while (true) {
    std::size_t end = text.find_first_of("*/^");
    std::string_view name = text.substr(0, end);
    text.remove_prefix(name.size());
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name == "°C") name = "degC";
    if (name == "%") name = "percent";
    auto unit = find_unit(name);
    if (!unit) {
      if (unknown) *unknown = name;
      return std::nullopt;
    }
    int exponent = 1;
    if (text.starts_with('^')) {
      text.remove_prefix(1);
      const bool negative = text.starts_with('-');
      if (negative) text.remove_prefix(1);
      if (text.empty() || text[0] < '1' || text[0] > '9') return std::nullopt;
      exponent = negative ? '0' - text[0] : text[0] - '0';
      text.remove_prefix(1);
    }
    factors.push_back({*unit, under ? -exponent : exponent});
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.empty()) break;
    if (text[0] != '*' && text[0] != '/') return std::nullopt;
    under = text[0] == '/';
    text.remove_prefix(1);
  }
  UnitScale scale;
  for (const Factor& factor : factors) multiply(scale, factor.unit, factor.exponent, factors.size() == 1);
  return scale;
}

std::string similar_unit(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"volt", "V"},   {"ampere", "A"},  {"amp", "A"},      {"sec", "s"},        {"second", "s"},
      {"metre", "m"},  {"meter", "m"},   {"hour", "h"},     {"minute", "min"},   {"newton", "N"},
      {"watt", "W"},   {"joule", "J"},   {"kelvin", "K"},   {"celsius", "degC"}, {"henry", "H"},
      {"farad", "F"},  {"gram", "g"},    {"degree", "deg"}, {"degrees", "deg"},  {"radian", "rad"},
      {"hertz", "Hz"}, {"pascal", "Pa"}, {"R", "Ohm"},      {"hz", "Hz"},        {"kmh", "km/h"},
      {"kph", "km/h"}, {"mph", "mi/h"},  {"Nm", "N*m"},     {"RPM", "rpm"},
  };
  for (auto [word, unit] : kWords)
    if (name == word) return std::string(unit);
  return {};
}

bool units_differ(std::string_view a, std::string_view b) {
  const auto first = read_unit(a), second = read_unit(b);
  return first && second &&
         (first->dimension != second->dimension || first->factor != second->factor ||
          first->offset != second->offset);
}

double to_si(double x, const UnitScale& unit) {
  // Dividing by an exact power of ten rounds once; multiplying by its inverse would round twice (1.0e-6
  // * 1.0<mH>).
  double inverse = 1 / unit.factor;
  if (unit.factor < 1 && std::round(inverse) > 0 &&
      std::abs(inverse - std::round(inverse)) < 1e-9 * inverse && inverse < 1e15)
    return x / std::round(inverse) + unit.offset;
  return x * unit.factor + unit.offset;
}

double from_si(double x, const UnitScale& unit) {
  const double inverse = 1 / unit.factor;
  if (unit.factor < 1 && std::round(inverse) > 0 &&
      std::abs(inverse - std::round(inverse)) < 1e-9 * inverse && inverse < 1e15)
    return (x - unit.offset) * std::round(inverse);
  return (x - unit.offset) / unit.factor;
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
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = Ratio::of(found->dimension[i]);
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

}  // namespace sigrel
