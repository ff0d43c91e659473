#include "compiler/reduce/delays.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/singularity/source_names.h"

namespace sigrel::reduce {
namespace {

void report_derivative_of_delay(const system::System& system, const dae::System& dae, std::uint32_t variable,
                                Origin origin, const std::string& why, Diagnostics& diagnostics) {
  auto delay = std::ranges::find_if(system.delays, [&](const system::Delay& d) {
    return dae.aliases[d.unknown].kind != dae::Alias::Zero && dae.aliases[d.unknown].variable == variable;
  });
  singularity::SourceNames terms(system);
  Diagnostic& d = diagnostics
                      .report(Code::DelayDifferentiated, system.sources[origin.source].span,
                              "the derivative of a delayed signal is needed")
                      .label(why);
  d.also(system.sources[delay->origin.source].span, "delayed here");
  d.note("the past is kept as values, and where it has a jump or a kink there is no derivative");
  d.help("delay the derivative instead: `v = der x`, and `delay v dt`");
  terms.note_instance(d, origin.instance);
}

}  // namespace

void report_derivatives_of_delays(const system::System& system, const dae::System& dae,
                                  const std::vector<singularity::UnsupportedDerivative>& found,
                                  Diagnostics& diagnostics) {
  constexpr std::size_t kEnough = 5;
  for (std::size_t k = 0; k < std::min(found.size(), kEnough); ++k)
    report_derivative_of_delay(system, dae, dae.aliases[found[k].unknown].variable, found[k].origin, "",
                               diagnostics);
}

void check_delays(const system::System& system, const dae::System& dae, Diagnostics& diagnostics) {
  if (system.delays.empty() || dae.derivative_of.empty()) return;
  std::unordered_map<std::uint32_t, std::uint32_t> rates;  // derivatives of delayed signals, and these
  for (const system::Delay& d : system.delays)
    if (dae.aliases[d.unknown].kind != dae::Alias::Zero)
      rates.emplace(dae.variables[dae.aliases[d.unknown].variable].derivative,
                    dae.aliases[d.unknown].variable);
  std::uint32_t equation = 0;
  auto look = [&](std::uint32_t variable, Origin origin) {
    auto at = rates.find(variable);
    if (at == rates.end() || dae.derivative_of[equation] == dae::kNone || diagnostics.has_errors()) return;
    report_derivative_of_delay(system, dae, at->second, origin,
                               "this ties states to each other, so its derivative is part of the model too",
                               diagnostics);
  };
  for (const EquationTable& table : dae.equations.tables)
    for (std::size_t row = 0; row < table.rows(); ++row, ++equation)
      for (std::uint32_t v : table.unknowns_of(row)) look(v, table.origins[row]);
  for (std::size_t row = 0; row < dae.equations.sums.rows(); ++row, ++equation)
    for (Term t : dae.equations.sums.terms_of(row)) look(t.unknown(), dae.equations.sums.origins[row]);
}

}  // namespace sigrel::reduce
