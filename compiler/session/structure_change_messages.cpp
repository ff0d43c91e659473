// StructureChanges: what it says of modes that are not possible.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/pipeline/structures.h"
#include "compiler/session/structure_changes.h"

namespace sigrel::session {

using pipeline::Refusal;

namespace {

constexpr std::size_t kNamed = 5, kListed = 4, kTried = 6;  // unknowns, modes, combinations in a message

std::string_view text(Refusal why) {
  switch (why) {
    case Refusal::Impossible: return "not possible";
    case Refusal::Singular: return "singular";
    case Refusal::LeftAtOnce: return "left at once";
    case Refusal::Inconsistent: return "no consistent values";
    case Refusal::Undetermined: return "jumps not determined";
  }
  return {};
}

}  // namespace

/// What was tried at this instant, in words: the modes of the switches in which the combinations differ.
std::string StructureChanges::tried() const {
  const std::vector<pipeline::ModeSearch::Tried>& all = search_.tried();
  if (all.size() < 2) return {};
  std::map<std::uint32_t, std::uint32_t> first;
  std::set<std::uint32_t> differ;
  for (const auto& [modes, why] : all)
    for (const elaborate::ChosenMode& m : modes)
      if (const auto [at, is_new] = first.try_emplace(m.identity, m.mode); !is_new && at->second != m.mode)
        differ.insert(m.identity);
  std::vector<std::string> lines;
  for (const auto& [modes, why] : std::span(all).first(std::min(all.size(), kTried)))
    lines.push_back(fmt::format("{} ({})", text_of(modes, differ), text(why)));
  return fmt::format("{} combinations of modes were tried: {}{}", all.size(), fmt::join(lines, "; "),
                     all.size() > kTried ? "; …" : "");
}

std::string StructureChanges::text_of(const pipeline::Modes& modes,
                                      const std::set<std::uint32_t>& shown) const {
  std::vector<std::string> parts;
  std::size_t more = 0;
  for (const elaborate::ChosenMode& m : modes) {
    if (!shown.contains(m.identity)) continue;
    if (parts.size() == kListed) {
      ++more;
      continue;
    }
    const auto known = told_.find(m.identity);
    const std::string of = known == told_.end() ? "" : known->second.first;
    auto name = pipeline::mode_name(start_, m.identity, m.mode);
    if (!name) name = structures_->mode_name(m.identity, m.mode);
    parts.push_back(fmt::format("{}{}", of.empty() ? "" : "`" + of + "` ",
                                name ? sigrel::text(*name) : std::string_view("in another mode")));
  }
  if (parts.empty()) return "with other arguments";
  return fmt::format("{}{}", fmt::join(parts, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string StructureChanges::name_of(std::uint32_t unknown, std::uint32_t order) const {
  std::string name = system::unknown_name(current_->system, unknown);
  for (; order > 0; --order) name = "der(" + name + ")";
  return name;
}

/// The system of the next modes has errors: the first of them is the reason.
void StructureChanges::report_inconsistent(const Diagnostics& found, bool is_built) {
  const auto error = std::ranges::find(found.all(), Severity::Error, &Diagnostic::severity);
  const bool is_known = error != found.all().end();
  const bool is_limit =
      is_known && (error->code == Code::LimitExceeded || error->code == Code::EvaluationTooLong);
  Diagnostic& d =
      refused_.report(is_known && (is_limit || !is_built) ? error->code : Code::NoConsistentModes, until_,
                      fmt::format("at t = {:.9g} s the model changes to modes {}", time_,
                                  is_limit    ? "that exceed a limit"
                                  : !is_built ? "that are not possible"
                                              : "whose equations cannot be solved"));
  d.label(entered_.back());
  if (is_known) {
    if (error->primary)
      d.also(error->primary->span, "in these modes: " + error->message);
    else
      d.note("in these modes: " + error->message);
    for (const std::string& note : error->notes) d.note(note);
    d.helps = error->helps;
  }
  if (is_limit) {
    if (changes_ > 1) d.note(fmt::format("{} changes follow each other at this instant", changes_));
    return;
  }
  d.help(is_built ? "each combination of modes that a run reaches needs as many independent equations as "
                    "unknowns; small losses instead of ideal switches keep them so"
                  : "let the condition of the transition exclude these arguments of the mode");
}

/// All modes lead to others at once.
void StructureChanges::report_cycle() {
  Diagnostic& d =
      refused_.report(Code::EndlessEvents, until_,
                      fmt::format("transitions follow each other without end at t = {:.9g} s", time_));
  d.label(entered_.back());
  const std::size_t first = entered_.size() - std::min(entered_.size(), kListed);
  d.note(fmt::format("one after the other: {}",
                     fmt::join(entered_.begin() + std::ptrdiff_t(first), entered_.end(), "; ")));
  d.help(
      "the condition under which a mode is entered and the one under which it is left hold at the same time; "
      "let them exclude each other");
}

void StructureChanges::report_growth() {
  diagnostics_
      .report(Code::EndlessEvents, until_,
              fmt::format("transitions follow each other without end at t = {:.9g} s", time_))
      .label(entered_.back())
      .note(
          fmt::format("{} changes at this instant let the model grow from {} to {} unknowns and arguments of "
                      "modes",
                      changes_, size_before_, facts().size))
      .help(
          "the condition still holds in the mode that is entered: let it become false there; a list can be "
          "built by a function in one transition");
}

void StructureChanges::report(const std::string& why, std::span<const std::uint32_t> unknowns) {
  const system::System& system = current_->system;
  std::vector<std::string> names;
  for (const std::uint32_t u : unknowns)
    if (names.size() < kNamed) names.push_back("`" + system::unknown_name(system, u) + "`");
  if (!refused_.all().empty()) return;
  refused_
      .report(
          Code::JumpNotDetermined, until_,
          fmt::format("the jumps of {} at t = {:.9g} s are not determined", fmt::join(names, ", "), time_))
      .label("this entered another mode")
      .note(why)
      .help("`initially` in the entered mode says what holds when it begins");
}

/// Flows that the new modes stop, although something such as an inductor keeps them up.
void StructureChanges::report_interrupted(std::span<const Jump> flows) {
  if (!refused_.all().empty()) return;
  std::vector<std::string> names;
  for (const Jump& j : flows.first(std::min(flows.size(), kNamed)))
    names.push_back("`" + system::unknown_name(current_->system, j.unknown) + "`");
  refused_
      .report(Code::JumpNotDetermined, until_,
              fmt::format("{} {} interrupted at t = {:.9g} s", fmt::join(names, ", "),
                          flows.size() == 1 ? "is" : "are", time_))
      .label(entered_.back())
      .note(fmt::format("{} is {:.6g} before and has to be 0 at once: the impulse that stops it has no bound "
                        "in time",
                        names.front(), flows.front().before))
      .help("give the flow another way, such as a diode or a resistor in parallel")
      .help("`initially` in the entered mode says what holds when it begins, such as that the flow is 0");
}

}  // namespace sigrel::session
