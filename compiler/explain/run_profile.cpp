#include "compiler/explain/run_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "compiler/explain/structure_report.h"
#include "compiler/incidence/incidence.h"
#include "runtime/solve/schedule.h"

namespace sigrel::explain {
namespace {

constexpr std::size_t kShown = 10;  // lines, parts, loops and states, at most
constexpr std::size_t kNamed = 3;   // tearing variables of a loop, at most

/// For each instance the part of the main relation that it belongs to; of the main relation itself the root.
std::vector<std::uint32_t> parts_of(const system::System& system) {
  constexpr std::uint32_t kRoot = 0;
  std::vector<std::uint32_t> part(system.instances.size(), kRoot);
  std::vector<std::uint32_t> path;
  for (std::uint32_t i = 1; i < part.size(); ++i) {
    std::uint32_t at = i;
    for (path.clear(); at != kRoot && part[at] == kRoot; at = system.instances[at].parent) path.push_back(at);
    const std::uint32_t top = at != kRoot ? part[at] : path.back();
    for (const std::uint32_t known : path) part[known] = top;
  }
  return part;
}

}  // namespace

void RunProfile::begin(const runtime::Model& model) {
  if (begun_) add();
  if (next_) model_ = std::exchange(next_, nullptr);
  begun_ = true;
  Profile::begin(model);
}

/// Divides the costs of a batch among the origins of its rows.
void RunProfile::add_rows(const pipeline::Compiled& model, const runtime::KernelBatch& batch,
                          double seconds) {
  const dae::System& dae = model.dae;
  const auto dynamic = static_cast<std::uint32_t>(dae.equations.count());
  const auto all = dynamic + static_cast<std::uint32_t>(dae.initial.count());
  // Rows of one batch are mostly of one line, and of few parts.
  std::map<std::uint32_t, std::uint64_t> sources;
  std::unordered_map<std::uint32_t, std::uint64_t> instances;
  std::map<std::uint32_t, std::uint32_t> examples;  // an equation of each source
  for (std::uint32_t row = 0; row < batch.count; ++row) {
    const std::uint32_t equation = model.plan.model.equations[batch.equations + row];
    if (equation >= all) continue;
    const Origin origin = equation < dynamic ? dae::origin(dae.equations, equation)
                                             : dae::origin(dae.initial, equation - dynamic);
    ++sources[origin.source];
    ++instances[origin.instance];
    examples.emplace(origin.source, equation);
  }
  const double each = batch.count > 0 ? seconds / batch.count : 0;
  for (const auto& [source, rows] : sources) {
    const Span span = model.system.sources[source].span;
    const std::string at = span.file.value < sources_.size() ? place(sources_, span) : std::string();
    Line& line = lines_[{at, line_text(model, examples[source], sources_)}];
    line.seconds += each * static_cast<double>(rows);
    line.rows = std::max(line.rows, rows);
  }
  for (const auto& [instance, rows] : instances)
    seconds_of_[part_[instance]] += each * static_cast<double>(rows);
}

/// Adds what was measured of the present model.
void RunProfile::add() {
  const pipeline::Compiled& model = *model_;
  const runtime::Model& plan = model.plan.model;
  part_ = parts_of(model.system);
  seconds_of_.clear();
  for (std::size_t b = 0; b < batches.size(); ++b) {
    if (batches[b].calls == 0) continue;
    total_.equations += batches[b].seconds;
    add_rows(model, plan.batches[b], batches[b].seconds);
  }
  for (std::size_t l = 0; l < loops.size(); ++l) {
    if (loops[l].calls == 0) continue;
    const runtime::AlgebraicLoop& loop = plan.loops[l];
    std::string name;
    std::size_t equations = 0;
    for (std::uint32_t k = 0; k < loop.unknowns && k < kNamed; ++k)
      name += (k ? ", " : "") +
              dae::variable_name(model.system, model.dae, plan.tearing_variables[loop.first_unknown + k]);
    if (loop.unknowns > kNamed) name += fmt::format(" and {} more", loop.unknowns - kNamed);
    for (const runtime::KernelBatch& batch : runtime::loop_batches(plan, loop)) equations += batch.count;
    total_.equations += loops[l].seconds;
    Loop& known = loops_[name];
    known.name = name;
    known.equations = equations;
    known.solutions += loops[l].calls;
    known.iterations += loops[l].iterations;
    known.seconds += loops[l].seconds;
    for (const runtime::KernelBatch& batch : runtime::loop_batches(plan, loop))
      add_rows(model, batch,
               loops[l].seconds * batch.count / static_cast<double>(std::max<std::size_t>(equations, 1)));
  }
  for (const auto& [part, seconds] : seconds_of_)
    parts_[part == 0 ? std::string() : system::instance_name(model.system, part)] += seconds;
  for (std::uint32_t v = 0; v < limits.size(); ++v)
    if (limits[v] > 0) limits_[dae::variable_name(model.system, model.dae, v)] += limits[v];
  Profile::begin(plan);
}

RunProfile::Summary RunProfile::summary() {
  if (begun_) add();
  Summary s = total_;
  for (const auto& [key, line] : lines_) {
    s.lines.push_back(line);
    std::tie(s.lines.back().place, s.lines.back().text) = key;
  }
  for (const auto& [name, seconds] : parts_) s.parts.push_back({name, seconds});
  for (const auto& [name, loop] : loops_) s.loops.push_back(loop);
  for (const auto& [name, count] : limits_) s.limits.push_back({name, count});
  const auto by_seconds = [](const auto& a, const auto& b) { return a.seconds > b.seconds; };
  std::ranges::stable_sort(s.lines, by_seconds);
  std::ranges::stable_sort(s.parts, by_seconds);
  std::ranges::stable_sort(s.loops, by_seconds);
  std::ranges::stable_sort(s.limits, std::greater(), &Limit::steps);
  s.steps = steps;
  s.unlimited = unlimited;
  s.rates = rates;
  s.jacobians = jacobians;
  return s;
}

std::string RunProfile::text(const runtime::Statistics& statistics) {
  const Summary s = summary();
  std::string out = "time\n";
  const double whole =
      statistics.seconds_initialise + statistics.seconds_integrate + statistics.seconds_write;
  const auto row = [&](std::string_view name, double seconds, const std::string& what = "") {
    out += fmt::format("  {:<22} {:>10.3f} ms {:>5.1f} %{}{}\n", name, 1e3 * seconds,
                       whole > 0 ? 100 * seconds / whole : 0, what.empty() ? "" : "   ", what);
  };
  const auto times = [](std::uint64_t n) { return fmt::format("{} time{}", n, n == 1 ? "" : "s"); };
  row("initial values", statistics.seconds_initialise);
  if (s.equations > 0)
    row("equations", s.equations,
        fmt::format("{} for the solver, and for checks, rows and events", times(s.rates.calls)));
  if (s.jacobians.calls > 0) row("Jacobians", s.jacobians.seconds, times(s.jacobians.calls));
  row("solver, events", std::max(0.0, statistics.seconds_integrate - s.equations - s.jacobians.seconds));
  row("results", statistics.seconds_write);

  const auto share = [&](double seconds) { return s.equations > 0 ? 100 * seconds / s.equations : 0; };
  const auto more = [&](std::size_t count) {
    if (count > kShown) out += fmt::format("  and {} more\n", count - kShown);
  };
  if (s.equations > 0) {
    out += "equations, by line\n";
    for (const Line& line : std::span(s.lines).first(std::min(s.lines.size(), kShown)))
      out += fmt::format("  {:>5.1f} %  {}{}{}\n", share(line.seconds), line.text,
                         line.place.empty() ? "" : "   at " + line.place,
                         line.rows > 1 ? fmt::format(", {} rows", line.rows) : "");
    more(s.lines.size());
    if (s.parts.size() > 1) {
      out += "equations, by part\n";
      for (const Part& part : std::span(s.parts).first(std::min(s.parts.size(), kShown)))
        out += fmt::format("  {:>5.1f} %  {}\n", share(part.seconds),
                           part.name.empty() ? "(the main relation itself)" : part.name);
      more(s.parts.size());
    }
  }
  if (!s.loops.empty()) {
    out += "algebraic loops\n";
    for (const Loop& loop : std::span(s.loops).first(std::min(s.loops.size(), kShown)))
      out += fmt::format(
          "  {:>5.1f} %  {}: {} equation{}, solved {}{}\n", share(loop.seconds), loop.name, loop.equations,
          loop.equations == 1 ? "" : "s", times(loop.solutions),
          loop.iterations > 0 ? fmt::format(", {} iterations of Newton's method", loop.iterations) : "");
    more(s.loops.size());
  }
  if (s.steps > 0) {
    out += fmt::format("{} steps, limited by the error of\n", s.steps);
    const auto part = [&](std::uint64_t steps) {
      return 100 * static_cast<double>(steps) / static_cast<double>(s.steps);
    };
    for (const Limit& limit : std::span(s.limits).first(std::min(s.limits.size(), kShown)))
      out += fmt::format("  {:>5.1f} %  {}\n", part(limit.steps), limit.variable);
    more(s.limits.size());
    if (s.unlimited > 0)
      out += fmt::format("  {:>5.1f} %  nothing: an event, the longest step, or growth after a restart\n",
                         part(s.unlimited));
  } else if (!statistics.busiest.empty()) {
    out +=
        "quantised states evaluate single rows, whose times are not measured; `--stats` lists the states "
        "with "
        "most steps\n";
  }
  return out;
}

}  // namespace sigrel::explain
