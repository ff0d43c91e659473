#include "compiler/structural_types/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/structural_types/chain.h"
#include "compiler/structural_types/family.h"

namespace sigrel::structural_types {
namespace {

constexpr std::size_t kLongestPeriod = 3;

class Induction {
 public:
  Induction(const components::Library& library, const components::Family& family, const Checked& checked)
      : library_(library),
        members_(family.members),
        types_(checked.types),
        fits_(checked.fits),
        unknown_(checked.unknown) {
    for (std::size_t m = 0; m < members_.size(); ++m) root_.emplace(members_[m].component, m);
  }

  FamilyType run(bool varies) {
    FamilyType result;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (m > 0 && same(m - 1, m) && consecutive(m - 1))
        result.ranges.back().last = m;
      else
        result.ranges.push_back({m, m});
    }
    // The needs of relation parameters are known for the samples only.
    if (std::ranges::any_of(members_, [&](auto& m) -> bool {
          return !library_.components[m.component].holes.empty() || unknown_[m.component];
        }))
      return result;
    std::optional<std::size_t> repeats;
    if (varies) repeats = periodic();
    std::size_t from = members_.size();
    while (from > 0 && !type(from - 1)) --from;
    if (from < members_.size()) result.singular_from = from;
    result.proved = !varies || repeats.has_value();
    if (repeats && *repeats == 1) result.ranges.back().beyond = true;
    return result;
  }

 private:
  const std::optional<StructuralType>& type(std::size_t m) const { return types_[members_[m].component]; }
  bool consecutive(std::size_t m) const {
    return m + 1 < members_.size() && members_[m + 1].size == members_[m].size + 1;
  }

  bool same(std::size_t a, std::size_t b) const {
    const auto &x = type(a), &y = type(b);
    if (fits_[members_[a].component].sizes != fits_[members_[b].component].sizes) return false;
    if (!x || !y) return x.has_value() == y.has_value();
    return x->interface() == y->interface() && (*x == *y || same_type(*x, *y).value_or(false));
  }

  // The period with which all sizes repeat the last samples; none if nothing shows that they do.
  std::optional<std::size_t> periodic() {
    std::size_t count = members_.size();
    for (std::size_t k = 0; k + 1 < count; ++k) {
      if (!consecutive(k) || !members_[k].holds_beyond) continue;
      lag_ = 0;
      base_ = k;
      pairs_.clear();
      if (!moves(members_[k].component, members_[k + 1].component)) {
        if (row_of_parts(k)) return 1;
        continue;
      }
      // T(n) depends on as many sizes before it as `lag_`, for n from k on.
      if (lag_ == 0) return 1;
      for (std::size_t period = 1; period <= kLongestPeriod; ++period) {
        if (count < lag_ + period) break;
        std::size_t first = count - lag_ - period;  // the last `lag_` samples, and those a period before
        if (first + lag_ < k) break;
        bool repeats = true;
        for (std::size_t i = first; i < first + lag_; ++i) repeats &= same(i, i + period);
        for (std::size_t i = first; i + 1 < count; ++i) repeats &= consecutive(i);
        if (repeats) return period;
      }
      return std::nullopt;
    }
    return std::nullopt;
  }

  // Whether `b` is what `a` becomes when the size grows by one, and the same step holds for every larger
  // size.
  bool moves(std::uint32_t a, std::uint32_t b) {
    if (a == b) return true;
    auto x = root_.find(a), y = root_.find(b);
    if (x != root_.end() && y != root_.end() && x->second < base_ && y->second == x->second + 1 &&
        consecutive(x->second)) {
      lag_ = std::max(lag_, base_ - x->second);
      return true;
    }
    if (!pairs_.insert({a, b}).second) return true;
    const components::Component &c = library_.components[a], &d = library_.components[b];
    if (!c.holds_beyond || c.interface != d.interface || c.locals != d.locals || c.exposed != d.exposed ||
        c.offsets != d.offsets || c.variables != d.variables || c.arguments != d.arguments ||
        c.applications.size() != d.applications.size() || c.combinations.size() != d.combinations.size())
      return false;
    for (std::size_t i = 0; i < c.combinations.size(); ++i) {
      const auto &in_modes = c.combinations[i], &larger = d.combinations[i];
      if (in_modes.choices != larger.choices || !in_modes.component || !larger.component ||
          !moves(*in_modes.component, *larger.component))
        return false;
    }
    for (std::size_t i = 0; i < c.applications.size(); ++i)
      if (c.applications[i].first_argument != d.applications[i].first_argument ||
          !moves(c.applications[i].component, d.applications[i].component))
        return false;
    return true;
  }

  // Whether every longer row has the type of member k.
  bool row_of_parts(std::size_t k) const {
    std::uint32_t a = members_[k].component, b = members_[k + 1].component;
    const components::Component &c = library_.components[a], &d = library_.components[b];
    if (!c.holds_beyond || !c.exposed.empty() || !d.exposed.empty() || c.interface != d.interface ||
        !same(k, k + 1))
      return false;
    for (const components::Component* part : {&c, &d})
      if (!std::ranges::all_of(part->applications,
                               [&](auto& application) { return holds_everywhere(application.component); }))
        return false;
    auto shorter = composition_of(library_, types_, a), longer = composition_of(library_, types_, b);
    return shorter && longer &&
           repeats({&*shorter, c.interface, c.places}, {&*longer, d.interface, d.places});
  }

  // As deep as parts are nested.
  bool holds_everywhere(std::uint32_t component) const {
    const components::Component& c = library_.components[component];
    return c.holds_everywhere &&
           std::ranges::all_of(c.applications, [&](auto& a) { return holds_everywhere(a.component); }) &&
           std::ranges::all_of(c.combinations,
                               [&](auto& m) { return m.component && holds_everywhere(*m.component); });
  }

  const components::Library& library_;
  const std::vector<components::Family::Member>& members_;
  std::span<const std::optional<StructuralType>> types_;
  std::span<const Fit> fits_;
  const std::vector<bool>& unknown_;
  std::map<std::uint32_t, std::size_t> root_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::size_t base_ = 0, lag_ = 0;
};

std::string join(const std::vector<std::string>& parts) {
  std::string result;
  for (const std::string& p : parts) result += (result.empty() ? "" : ", ") + p;
  return result;
}

const core::Choice* varying(const components::Family& family) {
  auto at = std::ranges::find_if(family.choices, &core::Choice::varies);
  return at == family.choices.end() ? nullptr : &*at;
}

// "mode = On, m = 2": the parameters that all members of a family share.
std::string chosen(const components::Family& family) {
  std::vector<std::string> parts;
  for (const core::Choice& c : family.choices)
    if (!c.varies) parts.push_back(fmt::format("{} = {}", c.parameter, c.value));
  return join(parts);
}

std::string sizes(const components::Family& family, const FamilyType::Range& range) {
  std::string name = varying(family)->parameter;
  std::int64_t first = family.members[range.first].size, last = family.members[range.last].size;
  if (range.beyond) return fmt::format("for all {} >= {}", name, first);
  return first == last ? fmt::format("for {} = {}", name, first)
                       : fmt::format("for {} = {} .. {}", name, first, last);
}

}  // namespace

std::vector<FamilyType> types_of_families(const components::Library& library, const Checked& checked) {
  std::vector<FamilyType> result;
  for (const components::Family& family : library.families)
    result.push_back(Induction(library, family, checked).run(family.varies()));
  return result;
}

namespace {

class FamilyReport {
 public:
  FamilyReport(const components::Library& library, std::span<const std::optional<StructuralType>> types,
               const Withheld& withheld, Diagnostics& diagnostics)
      : library_(library), types_(types), withheld_(withheld), diagnostics_(diagnostics) {
    for (std::uint32_t c = 0; c < library.plain; ++c)
      if (!types[c]) reported_.insert(library.components[c].body);
  }

  // The component below `root` whose own equations are at fault; of a relation that was reported already, the
  // reported one.
  std::optional<std::uint32_t> culprit(std::uint32_t root) const {
    std::vector<std::uint32_t> work{root};
    std::set<std::uint32_t> seen;
    while (!work.empty()) {
      std::uint32_t c = work.back();
      work.pop_back();
      if (!seen.insert(c).second) continue;
      bool below = false;
      auto& applications = library_.components[c].applications;
      for (auto a = applications.rbegin(); a != applications.rend(); ++a)
        if (!types_[a->component]) {
          below = true;
          work.push_back(a->component);
        }
      if (!below) return c;
    }
    return std::nullopt;
  }

  void report(const components::Family& family, const FamilyType& type, std::uint32_t at) {
    std::uint32_t body = library_.components[at].body;
    if (!reported_.insert(body).second) return;
    const Diagnostic* found = nullptr;
    for (auto& [component, diagnostic] : withheld_)
      if (component == at || (!found && library_.components[component].body == body)) found = &diagnostic;
    if (!found) return;
    const core::Choice* size = varying(family);
    std::string circumstances = chosen(family);
    std::string prefix, note;
    if (size) {
      std::int64_t from = family.members[*type.singular_from].size;
      prefix = type.proved ? fmt::format("for every {} from {} on", size->parameter, from)
                           : fmt::format("for every {} from {} to {}", size->parameter, from,
                                         family.members.back().size);
      if (!circumstances.empty()) prefix += ", " + circumstances;
      note = fmt::format("this is what happens for {} = {}{}", size->parameter, from,
                         type.proved ? "" : "; larger sizes were not tried");
    } else {
      prefix = "whatever its arguments are";
      note = fmt::format("this is what happens for {}", circumstances);
    }
    diagnostics_.erase_if([&](const Diagnostic& w) {  // a warning about what this error is about
      auto here = [&](const Label& l) { return l.span == found->primary->span; };
      return w.code == Code::LoneNode && w.severity == Severity::Warning &&
             (here(*w.primary) || std::ranges::any_of(w.secondary, here));
    });
    Diagnostic& d = diagnostics_.report(Code::SingularForSizes, found->primary->span,
                                        fmt::format("{}, {}", prefix, found->message));
    d.primary = found->primary;
    d.secondary = found->secondary;
    d.notes = found->notes;
    d.helps = found->helps;
    d.notes.insert(d.notes.begin(), std::move(note));
  }

 private:
  const components::Library& library_;
  std::span<const std::optional<StructuralType>> types_;
  const Withheld& withheld_;
  Diagnostics& diagnostics_;
  std::set<std::uint32_t> reported_;  // bodies
};

}  // namespace

void report_families(const components::Library& library, std::span<const std::optional<StructuralType>> types,
                     std::span<const FamilyType> family_types, const Withheld& withheld,
                     Diagnostics& diagnostics) {
  struct Refused {
    const components::Family* family;
    const FamilyType* type;
    std::uint32_t culprit;
  };
  FamilyReport report(library, types, withheld, diagnostics);
  std::vector<Refused> refused;
  for (std::size_t f = 0, end = 0; f < family_types.size(); f = end) {
    for (end = f;
         end < family_types.size() && library.families[end].definition == library.families[f].definition;)
      ++end;
    if (!std::all_of(family_types.begin() + static_cast<std::ptrdiff_t>(f),
                     family_types.begin() + static_cast<std::ptrdiff_t>(end),
                     [](auto& t) { return t.refused(); }))
      continue;
    const components::Family& family = library.families[f];
    if (auto at = report.culprit(family.members[*family_types[f].singular_from].component))
      refused.push_back({&family, &family_types[f], *at});
  }
  // The definition in which the relation is written comes first: the message is about its own sizes.
  for (bool own : {true, false})
    for (const Refused& r : refused)
      if ((library.components[r.culprit].owner == r.family->definition) == own)
        report.report(*r.family, *r.type, r.culprit);
}

std::string to_text(std::span<const components::Family> families, std::span<const FamilyType> family_types,
                    const Checked& checked, const components::Library& library) {
  constexpr std::size_t kShown = 3;
  struct Alternative {
    std::string condition, type;
  };
  std::vector<Alternative> alternatives;
  std::set<std::string> different;  // types, for any sizes
  for (std::size_t f = 0; f < families.size(); ++f) {
    if (families[f].members.empty()) continue;
    std::vector<std::string> parts;
    for (const FamilyType::Range& range : family_types[f].ranges) {
      std::uint32_t component = families[f].members[range.first].component;
      // The base of a recursion may have other names for its interface.
      std::uint32_t last = families[f].members.back().component;
      bool alike = library.components[last].interface == library.components[component].interface;
      std::string type = to_text(checked, library, component, alike ? last : component);
      if (type.empty() && (checked.unknown[component] || !library.components[component].holes.empty()))
        continue;
      if (type.empty()) type = "none";
      different.insert(type);
      if (!varying(families[f]))
        parts.push_back(type);
      else if (parts.size() < kShown)
        parts.push_back(type + " " + sizes(families[f], range));
      else if (parts.size() == kShown)
        parts.push_back("…");
    }
    std::string text;
    for (const std::string& p : parts) text += (text.empty() ? "" : "; ") + p;
    if (!text.empty()) alternatives.push_back({chosen(families[f]), text});
  }
  if (alternatives.empty()) return {};
  bool equal =
      std::ranges::all_of(alternatives, [&](const Alternative& a) { return a.type == alternatives[0].type; });
  bool all_values = std::ranges::none_of(
      families, [](const components::Family& f) { return f.varies() && f.choices.size() > 1; });
  if (equal && (alternatives.size() == 1 ? alternatives[0].condition.empty() : all_values))
    return alternatives[0].type;
  if (different.size() == 1 && !all_values) return *different.begin() + " for all sizes that were tried";
  std::string result;
  for (const Alternative& a : alternatives)
    result += fmt::format("{}{}: {}", result.empty() ? "" : "; ", a.condition, a.type);
  return result;
}

}  // namespace sigrel::structural_types
