#include "compiler/session/integer_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sigrel::session {
namespace {

/// The unknowns of type Int.
std::vector<std::uint32_t> integers(const system::System& system) {
  std::vector<std::vector<std::uint32_t>> locals;  // by template
  for (const system::Template& t : system.templates) {
    std::vector<std::uint32_t>& found = locals.emplace_back();
    for (std::uint32_t k = 0; k < t.locals.size(); ++k)
      if (t.locals[k].type == system::SignalType::Int) found.push_back(k);
  }
  std::vector<std::uint32_t> unknowns;
  for (const system::Instance& i : system.instances)
    for (std::uint32_t k : locals[i.body]) unknowns.push_back(i.first_unknown + k);
  return unknowns;
}

}  // namespace

IntegerRange::IntegerRange(const pipeline::Compiled& model, pipeline::Columns& columns, std::size_t most) {
  const std::vector<std::uint32_t> unknowns = integers(model.system);
  if (unknowns.empty()) return;
  std::unordered_map<std::uint32_t, std::size_t> known;  // columns by variable
  for (std::size_t c = 0; c < columns.size(); ++c) known.try_emplace(columns.columns[c].variable, c);
  std::vector<bool> taken(model.dae.variables.size());
  for (const dae::Assignment& a : model.dae.assignments) taken[a.variable] = true;
  const bool all = columns.size() + unknowns.size() <= most;
  for (const std::uint32_t unknown : unknowns) {
    const dae::Alias& alias = model.dae.aliases[unknown];
    if (alias.kind == dae::Alias::Zero || taken[alias.variable]) continue;
    taken[alias.variable] = true;
    auto at = known.find(alias.variable);
    if (at == known.end()) {
      if (!all) continue;
      at = known.try_emplace(alias.variable, columns.size()).first;
      columns.add(system::unknown_name(model.system, unknown), {alias.variable, false});
    }
    const bool opposite = columns.columns[at->second].negated != (alias.kind == dae::Alias::Negated);
    signals_.push_back({unknown, at->second, opposite ? -1.0 : 1.0});
  }
}

runtime::Sink::Error IntegerRange::row(double time, std::span<const double> values) {
  for (const Signal& signal : signals_)  // one that the present mode does not have is NaN
    if (!found_ && std::abs(values[signal.column]) >= runtime::kFirstInexact) {
      found_ = &signal;
      time_ = time;
      value_ = signal.sign * values[signal.column];
      return {.reason = "an Int signal is too large"};
    }
  return {};
}

void IntegerRange::report(const pipeline::Compiled& model, Diagnostics& diagnostics) const {
  if (!found_) return;
  diagnostics
      .report(Code::IntegerOverflow, system::unknown_info(model.system, found_->unknown).span,
              fmt::format("`{}` is too large for an Int signal at t = {:.9g} s: {:.6g}",
                          system::unknown_name(model.system, found_->unknown), time_, value_))
      .note("an Int signal is exact below 2^53 = 9007199254740992 in absolute value")
      .help("let it be a Real, or let it start anew, by `mod`, before it becomes so large");
}

}  // namespace sigrel::session
