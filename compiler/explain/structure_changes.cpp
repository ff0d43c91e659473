#include "compiler/explain/structure_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace sigrel::explain {
namespace {

constexpr std::size_t kListed = 8;     // jumps, impulses of one change
constexpr std::size_t kVectors = 100;  // in a table

template <class List, class Write>
void list(std::string& out, const List& all, Write write) {
  for (std::size_t k = 0; k < std::min(all.size(), kListed); ++k) write(all[k]);
  if (all.size() > kListed) fmt::format_to(std::back_inserter(out), "  and {} more\n", all.size() - kListed);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> modes_of(const pipeline::Compiled& model) {
  std::vector<std::pair<std::string, std::string>> result;
  std::map<std::uint32_t, std::size_t> number, count;
  for (const system::Switch& s : model.system.switches) ++count[s.origin.instance];
  for (const system::Switch& s : model.system.switches) {
    std::string of = system::instance_name(model.system, s.origin.instance);
    if (count[s.origin.instance] > 1)
      of += fmt::format("{}switch {}", of.empty() ? "" : ", ", ++number[s.origin.instance]);
    result.emplace_back(std::move(of), std::string(sigrel::text(s.mode)));
  }
  return result;
}

std::string text(const StructureChange& change) {
  std::string out;
  const auto to = std::back_inserter(out);
  for (const StructureChange::Mode& m : change.modes) {
    const std::string of = m.of.empty() ? "the model" : "`" + m.of + "`";
    if (m.before.empty())
      fmt::format_to(to, "  {} begins in {}\n", of, m.after);
    else if (m.after.empty())
      fmt::format_to(to, "  {} ends\n", of);
    else
      fmt::format_to(to, "  {}: {} -> {}\n", of, m.before, m.after);
  }
  list(out, change.jumps, [&](const auto& j) {
    fmt::format_to(to, "  `{}` jumps from {:.9g} to {:.9g}\n", j.name, j.before, j.after);
  });
  list(out, change.impulses,
       [&](const auto& i) { fmt::format_to(to, "  `{}` has an impulse of {:.9g}\n", i.name, i.value); });
  return out;
}

void ModeVisits::enter(const pipeline::Compiled& model, double time) {
  Vector vector{modes_of(model), model.plan.model.states.size(), model.dae.equations.count()};
  // Arguments of a mode may be of another size.
  const auto found = std::ranges::find_if(vectors_, [&](const Vector& known) {
    return known.modes == vector.modes && known.equations == vector.equations;
  });
  present_ = static_cast<std::size_t>(found - vectors_.begin());
  if (found == vectors_.end()) vectors_.push_back(std::move(vector));
  ++vectors_[present_].visits;
  since_ = time;
}

void ModeVisits::change(const StructureChange& change) {
  if (change.modes.empty()) return;  // values have jumped
  const std::size_t before = present_;
  vectors_[before].seconds += change.time - since_;
  enter(*change.model, change.time);
  ++changes_[{before, present_}];
}

void ModeVisits::end(double time) {
  if (!vectors_.empty()) vectors_[present_].seconds += time - since_;
}

std::string ModeVisits::label(const Vector& vector, const char* separator) const {
  std::vector<std::string> parts;
  for (const auto& [of, mode] : vector.modes) parts.push_back(of.empty() ? mode : of + " " + mode);
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string ModeVisits::text() const {
  std::string out = fmt::format("{:>3} {:>12} {:>8} {:>7} {:>10}  modes\n", "no.", "time in s", "visits",
                                "states", "equations");
  const auto to = std::back_inserter(out);
  for (std::size_t k = 0; k < std::min(vectors_.size(), kVectors); ++k) {
    const Vector& v = vectors_[k];
    fmt::format_to(to, "{:>3} {:>12.6g} {:>8} {:>7} {:>10}  {}\n", k + 1, v.seconds, v.visits, v.states,
                   v.equations, label(v, ", "));
  }
  if (vectors_.size() > kVectors) fmt::format_to(to, "and {} more\n", vectors_.size() - kVectors);
  if (!changes_.empty()) out += "\nchanges\n";
  std::size_t shown = 0;
  for (const auto& [pair, count] : changes_) {
    if (++shown > kVectors) {
      fmt::format_to(to, "  and {} more\n", changes_.size() - kVectors);
      break;
    }
    fmt::format_to(to, "  {} -> {}  {} time{}\n", pair.first + 1, pair.second + 1, count,
                   count == 1 ? "" : "s");
  }
  return out;
}

std::string ModeVisits::dot() const {
  std::string out = "digraph modes {\n  node [shape=box, fontname=\"sans-serif\"];\n";
  const auto to = std::back_inserter(out);
  for (std::size_t k = 0; k < vectors_.size(); ++k)
    fmt::format_to(to, "  m{} [label=\"{}\\n{:.6g} s\"];\n", k + 1, label(vectors_[k], "\\n"),
                   vectors_[k].seconds);
  for (const auto& [pair, count] : changes_)
    fmt::format_to(to, "  m{} -> m{} [label=\"{}\"];\n", pair.first + 1, pair.second + 1, count);
  return out + "}\n";
}

}  // namespace sigrel::explain
