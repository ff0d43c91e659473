#include "compiler/pipeline/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/structures.h"

namespace sigrel::pipeline {
namespace {

constexpr std::size_t kSuggestionCandidates = 20'000;
constexpr std::uint32_t kRepeated = 3;  // a component that repeats more often is written once
constexpr std::uint32_t kLongestExpansion = 10'000'000;

/// For each instance whether all components of its path are labels; the interfaces of these are recorded.
std::vector<bool> labelled_paths(const system::System& system) {
  std::vector<bool> labelled(system.instances.size(), false);
  for (std::size_t i = 0; i < system.instances.size(); ++i) {  // parents come before their children
    const system::Instance& instance = system.instances[i];
    labelled[i] =
        i == system::kRoot ||
        (labelled[instance.parent] &&
         system.templates[system.instances[instance.parent].body].children[instance.child].labelled);
  }
  return labelled;
}

/// The paths of all instances. Repeated components are written as powers (`rest^1000`), so that paths of
/// recursive relations stay short; each path follows from its parent's in one step.
class Paths {
 public:
  explicit Paths(const system::System& system) : paths_(system.instances.size()) {
    for (std::uint32_t i = 1; i < paths_.size(); ++i) {  // parents come before their children
      const system::Instance& instance = system.instances[i];
      const LocalName name =
          system.templates[system.instances[instance.parent].body].children[instance.child].name;
      const Path& parent = paths_[instance.parent];
      const bool again = parent.count > 0 && parent.name == name;
      paths_[i] = {again ? parent.head : instance.parent, name, again ? parent.count + 1 : 1};
    }
  }

  /// Empty for the root, else the path followed by a dot.
  std::string prefix(std::size_t instance) const {
    std::vector<const Path*> parts;
    for (const Path* p = &paths_[instance]; p->count > 0; p = &paths_[p->head]) parts.push_back(p);
    std::string text;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      const Path& p = **part;
      if (p.count > kRepeated) {
        append_text(p.name, text);
        text += "^" + std::to_string(p.count) + ".";
        continue;
      }
      for (std::uint32_t k = 0; k < p.count; ++k) {
        append_text(p.name, text);
        text += '.';
      }
    }
    return text;
  }

 private:
  struct Path {
    std::uint32_t head = 0;   // the instance whose path precedes the component
    LocalName name;           // the last component
    std::uint32_t count = 0;  // its repetitions; 0 for the root
  };

  std::vector<Path> paths_;
};

/// `rest^3.c.u` as `rest.rest.rest.c.u`.
std::string expanded(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    std::size_t end = std::min(name.find('.'), name.size());
    std::string_view part = name.substr(0, end);
    std::uint32_t count = 1;
    if (std::size_t power = part.find('^'); power != std::string_view::npos) {
      std::uint32_t n = 0;
      auto [stop, error] = std::from_chars(part.data() + power + 1, part.data() + part.size(), n);
      if (error == std::errc{} && stop == part.data() + part.size() && n > 0 && n <= kLongestExpansion) {
        count = n;
        part = part.substr(0, power);
      }
    }
    for (; count > 0; --count) {
      if (!out.empty()) out += '.';
      out += part;
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return out;
}

/// The instance that owns an unknown: the last one with this first unknown.
std::size_t owner(const system::System& system, std::uint32_t unknown) {
  auto it = std::ranges::upper_bound(system.instances, unknown, {}, &system::Instance::first_unknown);
  return static_cast<std::size_t>(it - system.instances.begin()) - 1;
}

/// Every name with its unknown, in the order of the instances, until `visit` returns false.
template <class Visit>
void each_unknown(const system::System& system, Visit visit) {
  std::vector<bool> labelled = labelled_paths(system);
  const Paths paths(system);
  for (std::uint32_t i = 0; i < system.instances.size(); ++i) {
    const system::Instance& instance = system.instances[i];
    const system::Template& body = system.templates[instance.body];
    std::string prefix = paths.prefix(i);
    auto unknown = [&](std::size_t scalar) {
      return scalar < body.interface.size()
                 ? system.arguments[instance.first_argument + scalar]
                 : instance.first_unknown + static_cast<std::uint32_t>(scalar - body.interface.size());
    };
    if (labelled[i])
      for (std::size_t k = 0; k < body.interface.size(); ++k)
        if (!visit(prefix + body.interface[k], unknown(k))) return;
    for (std::size_t k = 0; k < body.locals.size(); ++k)
      if (body.locals[k].kind == system::UnknownKind::Source)
        if (!visit(prefix + text(body.locals[k].name), unknown(body.interface.size() + k))) return;
    for (const auto& [name, scalar] : body.synonyms)
      if (!visit(prefix + text(name), unknown(scalar))) return;
  }
}

}  // namespace

void Columns::add(std::string name, runtime::Column column) {
  names.push_back(std::move(name));
  columns.push_back(column);
}

bool is_element(std::string_view name, std::string_view vector) {
  auto strip = [](std::string_view& text) {
    if (!text.starts_with("der(") || !text.ends_with(")")) return false;
    text = text.substr(4, text.size() - 5);
    return true;
  };
  for (;;) {
    const bool derivative = strip(vector);
    if (strip(name) != derivative) return false;
    if (!derivative) break;
  }
  if (!name.starts_with(vector) || name.size() < vector.size() + 3) return false;
  const std::string_view index = name.substr(vector.size());
  return index.front() == '[' && index.back() == ']' && index.find('.') == std::string_view::npos;
}

static bool matches_whole(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool matches(std::string_view pattern, std::string_view name) {
  if (is_element(name, pattern) || matches_whole(pattern, name)) return true;
  if (pattern.find('*') == std::string_view::npos || !name.ends_with(']')) return false;
  const std::string_view vector = name.substr(0, name.rfind('['));
  return is_element(name, vector) && matches_whole(pattern, vector);
}

runtime::Column Results::column(std::uint32_t unknown) const {
  const dae::Alias& alias = dae_.aliases[unknown];
  switch (alias.kind) {
    case dae::Alias::Variable: return {alias.variable, false};
    case dae::Alias::Negated: return {alias.variable, true};
    case dae::Alias::Zero: break;
  }
  return {};
}

std::optional<runtime::Column> Results::find(std::string_view name) const {
  std::uint32_t order = 0;
  while (name.starts_with("der(") && name.ends_with(")")) {
    name = name.substr(4, name.size() - 5);
    ++order;
  }
  std::optional<std::uint32_t> unknown = names_.find(
      system::kRoot, name.find('^') == std::string_view::npos ? std::string(name) : expanded(name));
  if (!unknown) return std::nullopt;
  runtime::Column found = column(*unknown);
  for (; order > 0 && found.variable != runtime::kNone; --order) {
    found.variable = dae_.variables[found.variable].derivative;
    if (found.variable == dae::kNone) return std::nullopt;  // nothing computes this derivative
  }
  return found;
}

std::vector<std::uint32_t> matching_unknowns(const system::System& system,
                                             std::span<const std::string> patterns) {
  std::vector<std::uint32_t> found;
  system::Names names(system);
  for (const std::string& pattern : patterns)
    if (const auto unknown = names.find(system::kRoot, std::string_view(expanded(pattern)))) {
      found.push_back(*unknown);
    } else {
      each_unknown(system, [&](const std::string& name, std::uint32_t unknown) {
        if (matches(pattern, name)) found.push_back(unknown);
        return true;
      });
    }
  return found;
}

std::vector<std::string> matching_names(const system::System& system, const std::string& pattern) {
  std::string_view inner = pattern;
  std::uint32_t order = 0;
  for (; inner.starts_with("der(") && inner.ends_with(")"); ++order)
    inner = inner.substr(4, inner.size() - 5);
  std::vector<std::string> found;
  std::unordered_set<std::string> seen;
  each_unknown(system, [&](std::string name, std::uint32_t) {
    if (!matches(inner, name)) return true;
    for (std::uint32_t k = 0; k < order; ++k) name = "der(" + name + ")";
    if (seen.insert(name).second) found.push_back(std::move(name));
    return true;
  });
  return found;
}

std::string description_of(const system::System& system, std::string_view name) {
  std::string rates;
  while (name.starts_with("der(") && name.ends_with(")")) {
    name = name.substr(4, name.size() - 5);
    rates += "/s";
  }
  const auto unknown = system::find_unknown(system, name);
  if (!unknown) return {};
  const system::LocalInfo& info = system::unknown_info(system, *unknown);
  if (info.type != system::SignalType::Real) return description(info.type, text(info.unit));
  std::string_view unit = text(info.unit);
  if (!rates.empty()) unit = unit.substr(0, unit.find('|'));
  return unit.empty() ? std::string() : fmt::format("[{}{}]", unit, rates);
}

Results::Results(const Compiled& model) : Results(model.system, model.dae) { model_ = &model; }

/// In later modes; a name without `*` is searched until it is found.
std::vector<std::string> Results::later_names(const std::string& pattern) const {
  if (!model_ || !model_->structures) return {};
  const bool is_one = pattern.find('*') == std::string::npos;
  std::vector<std::string> found;
  std::unordered_set<std::string> seen;
  model_->structures->each_later(*model_, [&](const system::System& system) {
    for (std::string& name : matching_names(system, pattern))
      if (seen.insert(name).second) {
        model_->structures->describe_later(name, description_of(system, name));
        found.push_back(std::move(name));
      }
    return !is_one || found.empty();
  });
  return found;
}

std::size_t Results::count() const {
  std::vector<bool> labelled = labelled_paths(system_);
  std::vector<std::size_t> sources(system_.templates.size());
  for (std::size_t t = 0; t < sources.size(); ++t)
    sources[t] = static_cast<std::size_t>(std::ranges::count(
                     system_.templates[t].locals, system::UnknownKind::Source, &system::LocalInfo::kind)) +
                 system_.templates[t].synonyms.size();
  std::size_t n = 0;
  for (std::size_t i = 0; i < system_.instances.size(); ++i) {
    std::uint32_t body = system_.instances[i].body;
    n += sources[body] + (labelled[i] ? system_.templates[body].interface.size() : 0);
  }
  return n;
}

void Results::each(const std::function<bool(std::string, runtime::Column)>& visit) const {
  bool more = true;
  each_unknown(system_, [&](std::string name, std::uint32_t unknown) {
    return more = visit(std::move(name), column(unknown));
  });
  if (!more) return;
  std::vector<bool> is_zero(dae_.variables.size(), false);  // the derivatives of discrete variables
  for (const EquationTable& table : dae_.equations.tables)
    if (table.slots == 1 && dae_.exprs[table.residual].op == Op::Slot)
      for (const std::uint32_t v : table.unknowns) is_zero[v] = true;
  Columns found = states();
  for (std::size_t k = 0; more && k < found.size(); ++k) {
    const std::uint32_t derivative = dae_.variables[found.columns[k].variable].derivative;
    if (derivative != dae::kNone && !is_zero[derivative])
      more = visit("der(" + std::move(found.names[k]) + ")", {derivative, found.columns[k].negated});
  }
}

Columns Results::states() const {
  std::vector<bool> derived(system_.unknowns, false);  // `pre x` and `delay x`, which follow from x
  for (const system::Previous& p : system_.events.previous) derived[p.unknown] = true;
  for (const system::Delay& d : system_.delays) derived[d.unknown] = true;
  std::vector<std::uint32_t> states;
  for (std::uint32_t v = 0; v < dae_.variables.size(); ++v) {
    const dae::Variable& variable = dae_.variables[v];
    if (variable.state && variable.set == dae::kNone && !derived[variable.unknown]) states.push_back(v);
  }
  for (const dae::StateSet& set : dae_.sets)
    for (std::uint32_t rate : set.candidates) states.push_back(dae_.variables[rate].integral);
  return named(states);
}

Columns Results::named(std::span<const std::uint32_t> variables) const {
  Columns found;
  const Paths paths(system_);
  for (std::uint32_t v : variables) {
    const dae::Variable& variable = dae_.variables[v];
    if (variable.set != dae::kNone) {
      found.add(dae::variable_name(system_, dae_, v), {v, false});
      continue;
    }
    std::string name = paths.prefix(owner(system_, variable.unknown)) +
                       text(system::unknown_info(system_, variable.unknown).name);
    for (std::uint32_t k = 0; k < variable.order; ++k) name = "der(" + name + ")";
    found.add(std::move(name), {v, false});
  }
  return found;
}

Columns Results::by_default() const {
  if (count() > kSmall)
    if (Columns found = states(); found.size() > 0) return found;
  Columns found;  // the first names of a large model without states
  std::unordered_set<std::string> seen;
  each_unknown(system_, [&](std::string name, std::uint32_t unknown) {
    if (seen.insert(name).second) found.add(std::move(name), column(unknown));
    return found.size() < kSmall;
  });
  // States that the source does not name: derivatives.
  std::vector<bool> named(dae_.variables.size(), false);
  for (const runtime::Column& column : found.columns)
    if (column.variable != runtime::kNone) named[column.variable] = true;
  Columns states = this->states();
  for (std::size_t k = 0; k < states.size(); ++k)
    if (!named[states.columns[k].variable]) found.add(std::move(states.names[k]), states.columns[k]);
  return found;
}

std::vector<std::string> Results::descriptions(const Columns& columns) const {
  std::vector<std::string> found(columns.size());
  system::Names names(system_);
  // A variable and its alias may be shown in different units: each in that of its own declaration.
  const bool has_display = std::ranges::any_of(system_.templates, [](const auto& t) {
    return std::ranges::any_of(t.locals, [](const system::LocalInfo& info) {
      return info.type == system::SignalType::Real && text(info.unit).find('|') != std::string_view::npos;
    });
  });
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::uint32_t variable = columns.columns[c].variable;
    std::string_view unit;
    std::uint32_t order = 0;
    if (variable == runtime::kAbsent) {
      if (model_ && model_->structures) found[c] = model_->structures->later_description(columns.names[c]);
      continue;
    }
    if (variable != runtime::kNone) {
      if (dae_.variables[variable].set != dae::kNone) continue;
      const system::LocalInfo& info = system::unknown_info(system_, dae_.variables[variable].unknown);
      if (info.type != system::SignalType::Real) {
        found[c] = description(info.type, text(info.unit));
        continue;
      }
      unit = text(info.unit);
      order = dae_.variables[variable].order;
    }
    // A zero, or an alias of a variable without unit, may be declared with a unit.
    if (has_display || order > 0) unit = unit.substr(0, unit.find('|'));
    if ((unit.empty() || has_display) && order == 0)
      if (auto own = names.find(0, columns.names[c]))
        if (const auto own_unit = text(system::unknown_info(system_, *own).unit);
            unit.empty() || own_unit.find('|') != std::string_view::npos)
          unit = own_unit;
    if (unit.empty()) continue;
    found[c] = "[" + std::string(unit);
    for (; order > 0; --order) found[c] += "/s";
    found[c] += "]";
  }
  return found;
}

bool is_piecewise_constant(std::string_view description) {
  return !description.empty() && !description.starts_with('[');
}

std::string description(system::SignalType type, std::string_view unit) {
  switch (type) {
    case system::SignalType::Real: break;
    case system::SignalType::Int: return unit.empty() ? "Int" : std::string(unit);
    case system::SignalType::Bool: return "Bool";
  }
  return unit.empty() ? std::string() : fmt::format("[{}]", unit);
}

std::vector<std::string> state_names(std::string_view description) {
  if (!is_piecewise_constant(description) || description == "Int") return {};
  if (description == "Bool") return {"False", "True"};
  constexpr std::string_view kSeparator = " | ";
  std::vector<std::string> names;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = description.find(kSeparator);
    names.emplace_back(description.substr(0, end));
    if (end != std::string_view::npos) description.remove_prefix(end + kSeparator.size());
  }
  return names;
}

std::string value_text(std::string_view description, double value, int digits) {
  std::vector<std::string> names = state_names(description);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (value == static_cast<double>(k)) return std::move(names[k]);
  if (const auto display = display_unit(description))
    return fmt::format("{:.{}g} {}", from_si(value, display->scale), digits, display->text);
  return fmt::format("{:.{}g}", value, digits);
}

std::optional<DisplayUnit> display_unit(std::string_view description) {
  const std::size_t bar = description.find('|');
  if (!description.starts_with('[') || !description.ends_with(']') || bar == std::string_view::npos)
    return std::nullopt;
  const std::string_view text = description.substr(bar + 1, description.size() - bar - 2);
  const auto scale = read_unit(text);
  return scale ? std::optional(DisplayUnit{std::string(text), *scale}) : std::nullopt;
}

void convert(std::string_view description, std::span<double> values) {
  if (const auto display = display_unit(description))
    for (double& value : values) value = from_si(value, display->scale);
}

std::string shown_unit(std::string_view description) {
  if (const auto display = display_unit(description)) return "[" + display->text + "]";
  return is_piecewise_constant(description) ? std::string()
                                            : std::string(description.substr(0, description.find('|')));
}

std::vector<runtime::Constant> Results::constants(std::span<const double> parameters,
                                                  const Columns& columns) const {
  std::vector<runtime::Constant> found;
  std::unordered_set<std::string> seen;
  auto add = [&](std::string name, std::uint32_t parameter) {
    if (seen.insert(name).second) found.push_back({std::move(name), {}, parameters[parameter]});
  };
  auto without_columns = [&] {  // there are few constants when there are many columns
    std::unordered_set<std::string_view> taken;
    for (const std::string& name : columns.names)
      if (seen.contains(name)) taken.insert(name);
    std::erase_if(found, [&](const runtime::Constant& c) { return taken.contains(c.name); });
    return std::move(found);
  };
  for (const system::NamedParameter& p : system_.named_parameters) add(p.name, p.parameter);
  if (count() > kSmall) return without_columns();
  const Paths paths(system_);
  for (std::size_t i = 0; i < system_.instances.size(); ++i) {
    const system::Instance& instance = system_.instances[i];
    const std::vector<std::string>& names = system_.templates[instance.body].parameters;
    for (std::size_t k = 0; k < names.size(); ++k)
      add(paths.prefix(i) + names[k], system_.captured[instance.first_parameter + k]);
  }
  return without_columns();
}

Columns Results::select(std::span<const std::string> patterns, std::string_view what,
                        std::span<const std::optional<Span>> spans, Diagnostics& diagnostics) const {
  Columns found;
  std::unordered_set<std::string> seen;
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    const std::string& pattern = patterns[k];
    bool any = false;
    if (pattern.find('*') == std::string::npos) {
      if (auto column = find(pattern)) {
        any = true;
        if (seen.insert(pattern).second) found.add(pattern, *column);
      }
    }
    if (!any) {
      each([&](std::string name, runtime::Column column) {
        if (matches(pattern, name)) {
          any = true;
          if (seen.insert(name).second) found.add(std::move(name), column);
        }
        return true;
      });
    }
    if (any) continue;
    for (std::string& name : later_names(pattern)) {
      any = true;
      if (seen.insert(name).second) found.add(std::move(name), {runtime::kAbsent, false});
    }
    if (any) continue;

    std::string message = "no variable is named `" + pattern + "`";
    if (pattern.find('*') != std::string::npos) message = "no variable matches `" + pattern + "`";
    bool located = k < spans.size() && spans[k];
    Diagnostic& d =
        located ? diagnostics.report(Code::UnknownResult, *spans[k], message)
                      .label("in `" + std::string(what) + "`")
                : diagnostics.report(Code::UnknownResult, message + " (in `" + std::string(what) + "`)");
    std::vector<std::string> names;
    each([&](std::string name, runtime::Column) {
      names.push_back(std::move(name));
      return names.size() < kSuggestionCandidates;
    });
    std::vector<std::string_view> views(names.begin(), names.end());
    if (auto near = did_you_mean(pattern, views)) {
      if (located)
        d.fix("did you mean `" + std::string(*near) + "`?", *spans[k], '"' + std::string(*near) + '"');
      else
        d.help("did you mean `" + std::string(*near) + "`?");
    } else if (!names.empty()) {
      std::string some;
      for (std::size_t i = 0; i < names.size() && i < 6; ++i) some += (i ? ", `" : "`") + names[i] + "`";
      d.help("the model has " + some + (names.size() > 6 ? " and others" : ""));
    }
  }
  return found;
}

}  // namespace sigrel::pipeline
