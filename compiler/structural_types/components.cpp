#include "compiler/structural_types/components.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/singularity/report.h"
#include "compiler/structural_types/combinations.h"
#include "compiler/structural_types/definition_report.h"
#include "compiler/structural_types/family.h"
#include "compiler/structural_types/flat.h"

namespace sigrel::structural_types {
namespace {

using singularity::counted;

class Check {
 public:
  Check(const components::Library& library, Diagnostics& diagnostics, Withheld* withheld)
      : library_(library), reported_to_(diagnostics), withheld_(withheld), holes_(library, result_.types) {}

  Checked run() {
    auto count = static_cast<std::uint32_t>(library_.components.size());
    result_.types.resize(count);
    result_.fits.resize(count);
    verdicts_.resize(count);
    singularities_.resize(count);
    singular_.resize(count);
    alternatives_.resize(count);
    result_.at_most.resize(count);
    result_.unknown.resize(count);
    for (std::uint32_t c = 0; c < count; ++c) {
      const components::Component& component = library_.components[c];
      if (!component.combinations.empty())
        switching(c);
      else if (component.holes.empty())
        closed(c);
      else
        open(c);
      singular_[c] = verdicts_[c] == Singular;
    }
    for (const components::Claim& claim : library_.claims) kept(claim);
    reported_to_.append(diagnostics_);
    for (std::uint32_t c = 0; c < count; ++c) {
      diagnostics_.clear();
      if (library_.components[c].combinations.empty())
        judge(c);
      else
        judge_modes(c);
      drop_repeated_nodes();
      if (c < library_.plain || !diagnostics_.has_errors())
        reported_to_.append(diagnostics_);
      else if (withheld_ && diagnostics_.has_errors())
        withheld_->emplace_back(c, diagnostics_.all().front());
    }
    return std::move(result_);
  }

 private:
  enum Verdict : std::uint8_t {
    Fine,
    Singular,
    Spoilt,  // a part has no type: the part is reported
    Unfit,   // its definition can be completed, but not with the relations that it is applied to here
    Reported
  };

  // A node that is the cause in several uses of its relation is reported once; an error replaces the warning.
  void drop_repeated_nodes() {
    auto about = [](const Diagnostic& a, const Diagnostic& b) {
      return a.code == Code::LoneNode && b.code == a.code && a.primary->span == b.primary->span;
    };
    auto in = [&](const Diagnostics& all, const Diagnostic& d, bool only_errors) {
      return std::ranges::any_of(all.all(), [&](const Diagnostic& other) {
        return about(other, d) && (!only_errors || other.severity == Severity::Error);
      });
    };
    diagnostics_.erase_if(
        [&](const Diagnostic& d) { return in(reported_to_, d, d.severity == Severity::Error); });
    reported_to_.erase_if([&](const Diagnostic& d) { return in(diagnostics_, d, true); });
  }

  // Refused modes are reported with what applies the combinations.
  void switching(std::uint32_t c) {
    const components::Component& component = library_.components[c];
    holes_.fit(c);
    refused_[c] = refused_modes(component, singular_);
    bool known = refused_[c].empty();
    for (const components::Component::Combination& in_modes : component.combinations) {
      if (in_modes.component && singular_[*in_modes.component]) continue;
      known = known && in_modes.component && !alternatives_[*in_modes.component].empty();
      if (known) alternatives_[c].add(alternatives_[*in_modes.component]);
    }
    if (!known) alternatives_[c] = {};
    set_types(c, refused_[c].empty());
  }

  /// Of its alternatives. `possible`: it is not singular.
  void set_types(std::uint32_t c, bool possible) {
    result_.types[c] = alternatives_[c].join();
    result_.at_most[c] = alternatives_[c].approximate || alternatives_[c].types().size() > 1;
    result_.unknown[c] = !result_.types[c] && possible;
    if (alternatives_[c].empty()) verdicts_[c] = Spoilt;
  }

  static bool applies(const components::Component& component, const std::vector<bool>& some) {
    return std::ranges::any_of(component.applications, [&](auto& a) -> bool { return some[a.component]; });
  }

  void closed(std::uint32_t c) {
    const components::Component& component = library_.components[c];
    std::vector<const Alternatives*> parts;
    bool known = true, changes = false;
    for (auto& a : component.applications) {
      parts.push_back(&alternatives_[a.component]);
      known = known && !parts.back()->empty();
      changes = changes || parts.back()->types().size() > 1;
    }
    if (!known) {
      result_.unknown[c] = applies(component, result_.unknown);
      verdicts_[c] = Spoilt;
      return;
    }
    if (changes) {
      const std::optional<Alternatives> found =
          alternatives_of(definition_by_application(component, library_.components), parts);
      if (found) alternatives_[c] = *found;
      set_types(c, !found || !found->empty());
      if (found && found->empty()) verdicts_[c] = Singular;
      return;
    }
    Definition definition = definition_of(component, library_.components);
    auto child_type = [&](std::uint32_t r) -> const StructuralType& { return *result_.types[r]; };
    result_.types[c] = type_of(definition, child_type).type;
    if (result_.types[c]) singularities_[c] = mixed_.check(c, definition);
    if (singularities_[c]) {
      for (auto [equation, variable] : singularities_[c]->references)
        definition.take_as_zero(equation, variable);
      if (singularities_[c]->harmless())
        result_.types[c] = type_of(definition, child_type).type;
      else
        result_.types[c].reset();
    }
    if (!result_.types[c]) {
      verdicts_[c] = Singular;
      return;
    }
    alternatives_[c].add(*result_.types[c]);
    alternatives_[c].approximate = std::ranges::any_of(parts, &Alternatives::approximate);
    result_.at_most[c] = alternatives_[c].approximate;
  }

  void open(std::uint32_t c) {
    const Fit& fit = result_.fits[c] = holes_.fit(c);
    if (fit.only) result_.types[c] = holes_.type_at(c, *fit.only);
    if (result_.types[c]) alternatives_[c].add(*result_.types[c]);
    result_.unknown[c] = applies(library_.components[c], result_.unknown);
    if (fit.kind == Fit::None) verdicts_[c] = Singular;
    if (fit.kind == Fit::Spoilt) verdicts_[c] = Spoilt;
    if (fit.kind == Fit::Some && library_.components[c].modes.empty() &&
        !generic_.contains(library_.components[c].literal))
      generic_[library_.components[c].literal] = c;
  }

  /// Of what changes: in the modes at the start.
  Typing type(std::uint32_t c) {
    return type_of(
        definition_of(library_.components[c], library_.components),
        [&](std::uint32_t r) -> const StructuralType& { return alternatives_[r].types().front(); });
  }

  // The same relation of the source with relation parameters in place of its arguments, if some arguments fit
  // it.
  std::optional<std::uint32_t> generic(std::uint32_t c) const {
    if (!library_.components[c].modes.empty()) return std::nullopt;
    auto at = generic_.find(library_.components[c].literal);
    return at == generic_.end() || at->second == c ? std::nullopt : std::optional(at->second);
  }

  // If no mode is possible, the fault of the first one: it may be in what they have in common.
  void judge_modes(std::uint32_t c) {
    const components::Component& component = library_.components[c];
    const std::vector<std::uint32_t>& refused_modes = refused_.at(c);
    const bool completable = std::ranges::any_of(
        component.combinations, [&](auto& m) { return !m.component || !singular_[*m.component]; });
    std::vector<Diagnostic> found;
    std::vector<std::vector<std::string>> in_modes;
    for (std::uint32_t refused : refused_modes) {
      diagnostics_.clear();
      judge_definition(refused);
      for (const Diagnostic& d : diagnostics_.all()) {
        std::size_t k = 0;
        auto is_other = [&](const Diagnostic& f) {
          return f.code != d.code || f.primary->span != d.primary->span || f.message != d.message;
        };
        while (k < found.size() && is_other(found[k])) ++k;
        if (k == found.size()) {
          found.push_back(d);
          in_modes.emplace_back();
        }
        in_modes[k].push_back(modes(library_.components[refused]));
      }
    }
    diagnostics_.clear();
    if (!completable && !found.empty()) found.resize(1);
    for (std::size_t k = 0; k < found.size(); ++k) {
      Diagnostic& d = found[k];
      if (completable || in_modes[k].size() < refused_modes.size())
        d.message += fmt::format(" in the mode{} `{}`", in_modes[k].size() > 1 ? "s" : "",
                                 fmt::join(in_modes[k], "`, `"));
      // The run of a model finds other modes.
      if (completable && component.interface == 0) d.severity = Severity::Warning;
      diagnostics_.append(std::move(d));
    }
  }

  void judge(std::uint32_t c) {
    if (library_.components[c].modes.empty() || verdicts_[c] != Singular) judge_definition(c);
  }

  void judge_definition(std::uint32_t c) {
    const components::Component& component = library_.components[c];
    if (verdicts_[c] == Fine && warned_of_nodes_.insert(component.literal).second)
      warn_of_lone_nodes(library_, result_.types, c, diagnostics_);
    if (verdicts_[c] == Fine && singularities_[c] && warned_.insert(component.literal).second)
      return report_coefficients(*singularities_[c], library_, c, diagnostics_);
    if (verdicts_[c] == Fine || !component.exposed.empty())
      return;  // opened: reported where it is singular by itself
    auto unfit_part = std::ranges::find_if(component.applications,
                                           [&](auto& a) { return verdicts_[a.component] == Unfit; });
    bool by_part = verdicts_[c] == Spoilt;
    if (by_part && unfit_part == component.applications.end()) return;
    if (generic(c)) {
      auto named =
          std::ranges::find(library_.definitions, std::optional(c), [](auto& d) { return d.second; });
      verdicts_[c] = named == library_.definitions.end() ? Unfit : Reported;
      if (verdicts_[c] == Reported)
        unfit(c, library_.definition_spans[static_cast<std::size_t>(named - library_.definitions.begin())]);
      return;
    }
    verdicts_[c] = Reported;
    if (by_part) {
      auto index = static_cast<std::size_t>(unfit_part - component.applications.begin());
      return unfit(unfit_part->component, library_.system.templates[component.body].children[index].span);
    }
    if (singularities_[c]) return report_coefficients(*singularities_[c], library_, c, diagnostics_);
    if (component.holes.empty()) return report_structure(library_, result_.types, c, type(c), diagnostics_);
    // Applied to a parameter of another definition, it has the same fault again.
    if (!component.modes.empty() || reported_.insert(component.literal).second)
      nothing_fits(c, result_.fits[c]);
  }

  std::string relation_name(std::uint32_t c) const {
    return std::string(text(library_.system.templates[library_.components[c].body].relation));
  }

  // Reports an application whose definition other arguments would fit.
  void unfit(std::uint32_t c, Span span) {
    // The innermost one shows the reason.
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (auto& a : library_.components[c].applications)
        if (verdicts_[a.component] == Unfit) {
          c = a.component;
          deeper = true;
          break;
        }
    }
    const components::Component& actual = library_.components[c];
    const components::Component& other = library_.components[*generic(c)];
    const Fit& fit = result_.fits[*generic(c)];
    if (std::ranges::any_of(actual.applications, [&](auto& a) { return broken_.contains(a.component); }))
      return;  // the broken contract is the reason
    if (!reported_unfit_.insert({span.begin, actual.literal}).second) return;
    Diagnostic& d = diagnostics_.report(
        Code::NoRelationFits, span,
        fmt::format("`{}` cannot be completed by what it is applied to", relation_name(c)));
    bool found = false;
    std::set<std::uint32_t> mentioned;
    for (std::size_t i = 0; i < std::min(actual.applications.size(), other.applications.size()); ++i) {
      const components::Component& hole = library_.components[other.applications[i].component];
      std::uint32_t given = actual.applications[i].component;
      if (!hole.hole || !result_.types[given] || !mentioned.insert(*hole.hole).second) continue;
      auto at = std::ranges::lower_bound(other.holes, *hole.hole) - other.holes.begin();
      auto [first, last] = fit.sizes[static_cast<std::size_t>(at)];
      const StructuralType& type = *result_.types[given];
      std::string has = fmt::format("`{}` has {}: {}", relation_name(given), counted(type.rank(), "equation"),
                                    to_text(type, library_, given));
      if (type.rank() >= first && type.rank() <= last) {
        if (mentioned.size() <= 4) d.note(has);
        continue;
      }
      if (!found) d.label(has);
      std::string needs = first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
      d.also(library_.holes[*hole.hole].parameter.span,
             fmt::format("{} {} needed here", needs, last == 1 ? "equation is" : "equations are"));
      found = true;
    }
    if (!found) {
      d.label(singularities_[c] ? "with these, some of its equations are redundant"
                                : "other arguments could complete it");
      if (actual.holes.empty() && std::ranges::all_of(actual.applications, [&](auto& a) {
            return result_.types[a.component].has_value();
          }))
        if (const Typing typing = type(c); !typing.type) {
          const singularity::StructuralCauses causes = typing.causes();
          d.note(causes.over ? fmt::format("{} would determine only {}",
                                           counted(causes.over->set.rows.size(), "equation"),
                                           counted(causes.over->set.columns.size(), "unknown"))
                             : "nothing would determine all of its unknowns");
        }
    }
    d.help("`sigrel check --types` shows what fits a definition, and what an argument can determine");
  }

  // B(contract) is part of what the relation can determine; of an open component: of the best that it can be.
  void kept(const components::Claim& claim) {
    const components::Component& component = library_.components[claim.component];
    for (const components::Component::Combination& combination : component.combinations)
      if (combination.component)
        kept({claim.contract, *combination.component, claim.span, claim.is_argument});
    if (!component.combinations.empty()) return;
    auto& actual = result_.types[claim.component];
    if (!actual || (component.hole && !holes_.promised(component))) return;
    auto contract = holes_.promised(claim.contract, component.interface);
    if (!contract || !component.exposed.empty()) return;
    // A count promises no structure.
    bool count = library_.contracts[claim.contract.value].form == core::Contract::Count;
    if (count ? contract->rank() == actual->rank() : included(*contract, *actual).value_or(true)) return;
    if (!broken_.insert(claim.component).second) return;  // passed on, it breaks another one
    Span written = library_.contracts[claim.contract.value].span;
    std::string name = relation_name(claim.component);
    Diagnostic& d = diagnostics_.report(
        Code::ContractBroken, claim.span,
        claim.is_argument ? fmt::format("`{}` does not keep the contract of this argument", name)
                          : fmt::format("`{}` does not keep its contract", name));
    d.label(fmt::format("`{}` has {}{}", name, to_text(*actual, library_, claim.component),
                        component.modes.empty() ? "" : fmt::format(" in the mode `{}`", modes(component))));
    d.also(written, fmt::format("{} is promised", count ? fmt::format("{{#{}}}", contract->rank())
                                                        : to_text(*contract, library_, claim.component)));
    if (contract->rank() != actual->rank()) {
      d.note(fmt::format("{} {} promised, `{}` has {}", counted(contract->rank(), "equation"),
                         contract->rank() == 1 ? "is" : "are", name, actual->rank()));
    } else if (auto sets = bases(*contract, 10'000)) {
      for (auto& set : *sets) {
        if (rank(*actual, set) == set.size()) continue;
        std::vector<std::string> names;
        for (std::uint32_t column : set)
          names.push_back("`" + library_.system.templates[component.body].interface[column] + "`");
        d.note(fmt::format("it is promised to determine {}{} when the others are given, which it cannot",
                           fmt::join(names, ", "), set.size() > 1 ? " together" : ""));
        break;
      }
    }
  }

  // One cause, one error: a fault that even the smallest or the largest relations have does not depend on the
  // arguments.
  void nothing_fits(std::uint32_t c, const Fit& fit) {
    const components::Component& component = library_.components[c];
    Sizes smallest, largest;
    for (std::uint32_t h : component.holes) {
      const Interval& any = result_.fits[library_.holes[h].component].sizes[0];
      smallest.push_back(any.first);
      largest.push_back(any.last);
    }
    if (holes_.parts_fit(c, smallest))
      if (const Typing typing = holes_.typing_at(c, smallest); typing.over_determined) {
        singularity::StructuralCauses causes = typing.causes();
        causes.under.clear();
        return singularity::report_structural(
            CompositionView(library_, c, typing.composition, singularity::Place::AtLeast), causes,
            diagnostics_);
      }
    if (holes_.parts_fit(c, largest))
      if (const Typing typing = holes_.typing_at(c, largest); typing.under_determined) {
        singularity::StructuralCauses causes = typing.causes();
        causes.over.reset();
        return singularity::report_structural(
            CompositionView(library_, c, typing.composition, singularity::Place::AtMost), causes,
            diagnostics_);
      }
    if (!fit.nearest) return parts_disagree(c);
    Sizes sizes = *fit.nearest;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (std::uint32_t& size = sizes[i]; size > smallest[i];) {
        --size;
        if (holes_.parts_fit(c, sizes) && !holes_.typing_at(c, sizes).under_determined) continue;
        ++size;
        break;
      }
    whatever_the_arguments(c, sizes, smallest);
  }

  // The set that competes for too few unknowns with the smallest relations that leave none undetermined.
  void whatever_the_arguments(std::uint32_t c, const Sizes& sizes, const Sizes& smallest) {
    const components::Component& component = library_.components[c];
    const Typing typing = holes_.typing_at(c, sizes);
    const CompositionView view(library_, c, typing.composition);
    const singularity::StructuralCauses causes = typing.causes();
    const graph::HallSet& set = causes.over->set;
    const std::vector<singularity::Place> places = view.places(set.rows);
    Diagnostic& d = diagnostics_.report(
        Code::NoRelationFits, places.back().span,
        fmt::format("{} cannot be completed, whatever {}", view.relation(), parameters(component)));
    std::string found = fmt::format("{} determine only {}", counted(set.rows.size(), "equation"),
                                    counted(set.columns.size(), "unknown"));
    if (!set.columns.empty()) found += ": " + singularity::listed(view, set.columns, 0);
    if (!places.back().part.empty()) found = singularity::contributes(places.back()) + "; " + found;
    d.label(std::move(found));
    singularity::label_others(d, places, "together with this");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == smallest[i]) continue;
      Sizes fewer = sizes;
      --fewer[i];
      if (!holes_.parts_fit(c, fewer)) continue;
      const Typing less = holes_.typing_at(c, fewer);
      if (!less.under_determined) continue;
      const CompositionView with_less(library_, c, less.composition);
      d.note(fmt::format("`{}` is taken to have {}; with fewer, nothing determines {}",
                         parameter(component.holes[i]), counted(sizes[i], "equation"),
                         singularity::listed(with_less, less.causes().under.front().set.columns, 0)));
    }
    d.help(
        "no argument can make up for both: drop one of the equations, or relate the unknowns that are left "
        "to "
        "others");
  }

  std::string_view parameter(std::uint32_t hole) const {
    return text(library_.holes[hole].parameter.parameter);
  }
  std::string parameters(const components::Component& component) const {
    std::string list;
    auto& holes = component.holes;
    for (std::size_t i = 0; i < holes.size(); ++i)
      list += fmt::format("{}`{}`", i == 0 ? "" : i + 1 < holes.size() ? ", " : " and ", parameter(holes[i]));
    return list + (holes.size() > 1 ? " are" : " is");
  }

  // Two parts need different relations in one place.
  void parts_disagree(std::uint32_t c) {
    const components::Component& component = library_.components[c];
    auto& children = library_.system.templates[component.body].children;
    for (std::size_t i = 0; i < component.holes.size(); ++i) {
      std::uint32_t hole = component.holes[i];
      std::optional<std::size_t> most,
          least;  // the application that needs the largest, and the one that allows the smallest
      auto interval = [&](std::size_t a) -> std::optional<Interval> {
        std::uint32_t part = component.applications[a].component;
        auto& holes = library_.components[part].holes;
        auto at = std::ranges::lower_bound(holes, hole);
        if (at == holes.end() || *at != hole) return std::nullopt;
        return result_.fits[part].sizes[static_cast<std::size_t>(at - holes.begin())];
      };
      for (std::size_t a = 0; a < component.applications.size(); ++a) {
        auto mine = interval(a);
        if (!mine) continue;
        if (!most || mine->first > interval(*most)->first) most = a;
        if (!least || mine->last < interval(*least)->last) least = a;
      }
      if (!most || interval(*most)->first <= interval(*least)->last) continue;
      std::size_t later = std::max(*most, *least), earlier = std::min(*most, *least);
      auto needs = [&](std::size_t a) {
        return fmt::format(
            "`{}` needs {} {} of `{}`", text(children[a].name), a == *most ? "at least" : "at most",
            counted(a == *most ? interval(a)->first : interval(a)->last, "equation"), parameter(hole));
      };
      diagnostics_
          .report(
              Code::NoRelationFits, children[later].span,
              fmt::format("`{}` cannot be completed, whatever {}",
                          text(library_.system.templates[component.body].relation), parameters(component)))
          .label(needs(later))
          .also(children[earlier].span, needs(earlier));
      return;
    }
  }

  const components::Library& library_;
  Diagnostics& reported_to_;
  Withheld* withheld_;
  Diagnostics diagnostics_;  // of one component
  Checked result_;
  Holes holes_;
  MixedLayer mixed_{library_};
  std::vector<Verdict> verdicts_;
  std::vector<std::optional<Singularity>> singularities_;        // of those whose structure is in order
  std::vector<bool> singular_;                                   // by component, from its own equations
  std::map<std::uint32_t, std::vector<std::uint32_t>> refused_;  // of components with switches
  std::vector<Alternatives> alternatives_;                       // by component; empty where nothing is known
  std::map<std::uint32_t, std::uint32_t> generic_;  // literal -> component with holes that some arguments fit
  std::set<std::uint32_t> reported_, warned_, warned_of_nodes_;  // literals
  std::set<std::uint32_t> broken_;                               // components that break a contract
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported_unfit_;
};

}  // namespace

Checked check(const components::Library& library, Diagnostics& diagnostics, Withheld* withheld) {
  return Check(library, diagnostics, withheld).run();
}

std::optional<Composition> composition_of(const components::Library& library,
                                          std::span<const std::optional<StructuralType>> types,
                                          std::uint32_t component) {
  const components::Component& c = library.components[component];
  if (!c.combinations.empty()) return std::nullopt;
  if (!std::ranges::all_of(c.applications, [&](auto& a) { return types[a.component].has_value(); }))
    return std::nullopt;
  return compose(definition_of(c, library.components),
                 [&](std::uint32_t r) -> const StructuralType& { return *types[r]; });
}

}  // namespace sigrel::structural_types
