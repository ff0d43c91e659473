#include "compiler/session/bounds.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

namespace sigrel::session {
namespace {

constexpr std::size_t kMostColumns = 1000;  // that are evaluated at each step
constexpr double kSlack = 1e-9;  // of a bound, relative: the rounding of a solution that stays on it
constexpr std::size_t kMostReported = 10;

}  // namespace

Bounds::Bounds(const pipeline::Compiled& model, std::span<const double> parameters,
               pipeline::Columns& columns) {
  std::map<std::pair<std::uint32_t, bool>, std::size_t> known;  // few have bounds; made only if some have
  for (std::uint32_t k = 0; k < model.system.attributes.size(); ++k) {
    const system::Attribute& a = model.system.attributes[k];
    if (a.kind != system::AttributeKind::Min && a.kind != system::AttributeKind::Max) continue;
    if (known.empty())
      for (std::size_t c = 0; c < columns.size(); ++c)
        known.try_emplace({columns.columns[c].variable, columns.columns[c].negated}, c);
    const dae::Alias& alias = model.dae.aliases[a.unknown];
    const runtime::Column column = alias.kind == dae::Alias::Zero
                                       ? runtime::Column{}
                                       : runtime::Column{alias.variable, alias.kind == dae::Alias::Negated};
    auto [at, fresh] = known.try_emplace({column.variable, column.negated}, columns.size());
    if (fresh) columns.add(system::unknown_name(model.system, a.unknown), column);
    bounds_.push_back({k, at->second, a.kind == system::AttributeKind::Min, parameters[a.parameter]});
  }
  steps_ = !bounds_.empty() && columns.size() <= kMostColumns;
}

runtime::Sink::Error Bounds::row(double time, std::span<const double> values) {
  step(time, values);
  if (asserted_ && violated_)
    return {.reason = "a variable is outside its bounds"};  // no later row is written
  return {};
}

void Bounds::step(double time, std::span<const double> values) {
  if (asserted_ && violated_) return;  // the run ends there
  for (Bound& b : bounds_) {
    const double value = values[b.column];
    const double outside = b.least ? b.value - value : value - b.value;
    if (!(outside > kSlack * std::max(1.0, std::abs(b.value)))) continue;
    if (!b.violated || outside > (b.least ? b.value - b.farthest : b.farthest - b.value)) {
      b.farthest = value;
      b.farthest_at = time;
    }
    if (!b.violated) b.since = time;
    b.violated = violated_ = true;
  }
  if (violated_ && stop_) stop_->store(true, std::memory_order_relaxed);
}

void Bounds::report(const pipeline::Compiled& model, Diagnostics& diagnostics) const {
  report(model, diagnostics, [&](const Bound& b, Diagnostic& d) {
    if (asserted_) {
      d.message += fmt::format(" at t = {:.6g} s: {:.6g}", b.since, b.farthest);
      return;
    }
    d.message += fmt::format(", first seen at t = {:.6g} s", b.since);
    d.note(fmt::format("it reaches {:.6g} at t = {:.6g} s", b.farthest, b.farthest_at));
  });
}

void Bounds::report_steady(const pipeline::Compiled& model, Diagnostics& diagnostics) const {
  report(model, diagnostics, [](const Bound& b, Diagnostic& d) {
    d.message += fmt::format(" in the steady state: {:.6g}", b.farthest);
  });
}

void Bounds::report(const pipeline::Compiled& model, Diagnostics& diagnostics,
                    const std::function<void(const Bound&, Diagnostic&)>& describe) const {
  std::size_t violated = 0;
  for (const Bound& b : bounds_) {
    if (!b.violated || ++violated > kMostReported) continue;
    const system::Attribute& a = model.system.attributes[b.attribute];
    Diagnostic& d = diagnostics.report(
        asserted_ ? Code::AssertionFailed : Code::OutsideBounds, a.span,
        fmt::format("`{}` is {} its `{}` {:.6g}", system::unknown_name(model.system, a.unknown),
                    b.least ? "below" : "above", b.least ? "min" : "max", b.value));
    describe(b, d);
    if (violated == 1)
      d.help(
          asserted_
              ? "without `assertBounds` this is a warning, and the run goes on"
              : "`assertBounds = True` in the experiment ends the run there; `min x y` and `max x y` limit "
                "a value");
  }
  if (violated > kMostReported)
    diagnostics.report(asserted_ ? Code::AssertionFailed : Code::OutsideBounds,
                       fmt::format("{} more `min` and `max` do not hold", violated - kMostReported));
}

}  // namespace sigrel::session
