// Units of measurement: one table of the SI and common units, with prefixes, factors and offsets to SI.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sigrel {

/// An exact fraction, den > 0, in lowest terms.
struct Ratio {
  std::int32_t num = 0;
  std::int32_t den = 1;

  static Ratio of(std::int64_t num, std::int64_t den = 1);
  bool zero() const { return num == 0; }
  bool integral() const { return den == 1; }
  bool operator==(const Ratio&) const = default;
  friend Ratio operator+(Ratio a, Ratio b) {
    return of(std::int64_t{a.num} * b.den + std::int64_t{b.num} * a.den, std::int64_t{a.den} * b.den);
  }
  friend Ratio operator*(Ratio a, Ratio b) {
    return of(std::int64_t{a.num} * b.num, std::int64_t{a.den} * b.den);
  }
  Ratio operator-() const { return {-num, den}; }
  Ratio inverse() const { return num < 0 ? Ratio{-den, -num} : Ratio{den, num}; }
};

/// Exponents of m, kg, s, A, K, mol, cd; angles are numbers. For a size only the first entry is used, the
/// constant.
using Dimension = std::array<Ratio, 7>;

bool zero(const Dimension& d);

/// The meaning of a written unit: a number x of it is `x * factor + offset` in SI.
struct UnitScale {
  Dimension dimension{};
  double factor = 1;
  double offset = 0;
  bool coherent = true;  // made of SI units without a factor
};

/// A name with a prefix, as `km`; its exponent applies to all of it.
struct NamedUnit {
  std::array<std::int8_t, 7> dimension;
  double factor = 1, offset = 0;
};
std::optional<NamedUnit> find_unit(std::string_view name);
/// Multiplies `scale` by a power of a unit. A unit with an offset (degC, degF) must stand alone: `alone`;
/// else it counts as a difference (kelvin).
void multiply(UnitScale& scale, const NamedUnit& unit, int exponent, bool alone);

/// The unit that a text such as `km/h`, `kg*m^2/s` or `1` names, as in angle brackets of the language; `°C`
/// and
/// `%` stand for `degC` and `percent`. Nullopt if it is none; `unknown` is then the name that is no unit, or
/// empty if the text cannot be read.
std::optional<UnitScale> read_unit(std::string_view text, std::string* unknown = nullptr);
/// Whether a number means something else in the one unit than in the other. False where a text names none
/// that can be read, as `N.m` of Modelica.
bool units_differ(std::string_view a, std::string_view b);
/// All names without prefix.
std::vector<std::string_view> unit_names();
/// The unit that somebody may have meant by a name that is none: "h" for "hour"; empty if there is none.
std::string similar_unit(std::string_view name);

/// `x` of `unit` as a number in SI units, and the reverse.
double to_si(double x, const UnitScale& unit);
double from_si(double x, const UnitScale& unit);

/// `kg*m^2/s` with the fewest unit names: `V`, `V/s`, `N*m`; `1` for a number.
std::string dimension_text(const Dimension& dimension);

/// "" for 1, "^2", "^(1/2)".
std::string exponent_text(Ratio exponent);

/// The quantity of this dimension: "a voltage", "a time"; empty if there is no common word.
std::string quantity_name(const Dimension& dimension);

}  // namespace sigrel
