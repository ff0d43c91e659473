#include "compiler/explain/failure_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/pipeline/results.h"

namespace sigrel::explain {

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  return fmt::format("{:.6g}", value);
}

std::string seconds(double value) { return fmt::format("{:.9g} s", value); }

std::string FailureNames::when() const { return f_.initial ? "at the start" : "at t = " + seconds(f_.time); }

std::string FailureNames::variable(std::uint32_t v) const {
  return "`" + dae::variable_name(c_.system, c_.dae, v) + "`";
}

std::string FailureNames::value(const runtime::FailedVariable& v) const {
  const system::LocalInfo& info = system::unknown_info(c_.system, c_.dae.variables[v.variable].unknown);
  if (info.type == system::SignalType::Real || !std::isfinite(v.value)) return number(v.value);
  return pipeline::value_text(pipeline::description(info.type, sigrel::text(info.unit)), v.value, 17);
}

std::string FailureNames::variables(std::size_t limit, bool values) const {
  std::string text;
  const std::size_t n = std::min(limit, f_.variables.size());
  for (std::size_t i = 0; i < n; ++i)
    text +=
        (i ? ", " : "") + variable(f_.variables[i].variable) + (values ? " = " + value(f_.variables[i]) : "");
  const std::size_t all = std::max<std::size_t>(f_.unknowns, f_.variables.size());
  if (all > n) text += fmt::format(" and {} more", all - n);
  return text;
}

Origin FailureNames::origin_of(std::uint32_t equation) const {
  const std::size_t dynamic = c_.dae.equations.count();
  return equation < dynamic ? dae::origin(c_.dae.equations, equation)
                            : dae::origin(c_.dae.initial, equation - static_cast<std::uint32_t>(dynamic));
}

bool FailureNames::known(std::uint32_t equation) const {
  return equation < c_.dae.equations.count() + c_.dae.initial.count();
}

void FailureNames::keep(Diagnostic& d) const {
  if (!c_.kept_results.empty() && !f_.initial)
    d.note("results up to t = " + seconds(outcome_.reached) + " are kept in " + c_.kept_results);
}

}  // namespace sigrel::explain
