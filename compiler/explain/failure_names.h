// The names, values and places in a failure of a run, as messages show them. The base of the reports.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/explain/failure_report.h"

namespace sigrel::explain {

std::string number(double value);   // "0.5", "NaN", "-infinity"
std::string seconds(double value);  // "0.5 s"

/// Why the condition of an event or an assertion has no value (reduce/value_guards.h).
constexpr std::string_view kNoValueOfIntegers =
    "a side of a comparison in it is no number, by a root or logarithm of a negative number, or an Int is "
    "divided by "
    "zero, by `div` or `mod`, or too large";

class FailureNames {
 protected:
  FailureNames(const FailureContext& context, const runtime::Outcome& outcome)
      : c_(context), outcome_(outcome), f_(outcome.failure) {}

  /// "at the start", "at t = 0.5 s"
  std::string when() const;
  std::string variable(std::uint32_t v) const;
  /// Its value as the language writes it: `True`, a constructor, a number.
  std::string value(const runtime::FailedVariable& v) const;
  /// The first of the failed variables: "`x` = 1, `y` = 2 and 3 more", or without values.
  std::string variables(std::size_t limit, bool values) const;

  /// The origin of an equation of the model, or, with the numbers behind these, an initial one.
  Origin origin_of(std::uint32_t equation) const;
  /// Whether it is one of these.
  bool known(std::uint32_t equation) const;
  Span span_of(const Origin& origin) const { return c_.system.sources[origin.source].span; }

  /// Notes the file with the results up to the failure.
  void keep(Diagnostic& d) const;

  const FailureContext& c_;
  const runtime::Outcome& outcome_;
  const runtime::Failure& f_;
};

}  // namespace sigrel::explain
