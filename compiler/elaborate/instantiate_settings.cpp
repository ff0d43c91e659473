// Settings of parameters by name: which instance each applies to, and those that apply to none.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/elaborate/instantiate.h"

namespace sigrel::elaborate {

Instantiator::CapturedSet Instantiator::apply_settings(std::uint32_t instance, const RelationObject& relation,
                                                       CapturedSet captured) {
  bool root = instance == system::kRoot;
  add_own_settings(instance, relation, captured);
  const auto& settings = settings_[pending_[instance].settings];
  if (!root && settings.empty()) return captured;
  std::vector<std::string> names = relations_.real_names(relation);
  std::vector<std::uint32_t> reals(relations_.parts(relation).reals.size());
  for (std::uint32_t k = 0; k < reals.size(); ++k) reals[k] = captured_real(captured, k);
  bool changed = false;
  std::string prefix = system::instance_name(system_, instance);
  if (!prefix.empty()) prefix += '.';
  for (std::uint32_t k = 0; k < names.size(); ++k) {
    std::optional<double> value;
    bool is_set = false;
    for (const PendingSetting& s : settings) {
      if (s.rest != names[k]) continue;
      is_set = true;
      if (s.own != evaluate::kNone) {
        reals[k] = s.parameter;
        own_settings_[s.own].used = true;
      } else {
        value = options_.set[s.option].value;
        used_settings_[s.option] = true;
      }
    }
    if (!root && !is_set) continue;
    reals[k] = named(prefix + names[k], reals[k], value);
    changed = true;
  }
  if (!changed) return captured;
  const CapturedSet copy = add_captured();
  captured_[copy.value].first_inner = captured_[captured.value].first_inner;
  system_.captured.insert(system_.captured.end(), reals.begin(), reals.end());
  return copy;
}

/// The parameters that `with` gives to a relation, which those from outside follow: these have precedence.
void Instantiator::add_own_settings(std::uint32_t instance, const RelationObject& relation,
                                    CapturedSet captured) {
  const std::size_t own = relation.relation().captured.size();
  if (relation.size == own) return;
  std::vector<PendingSetting> settings;
  std::size_t real = relations_.real_names(relation).size();
  for (std::size_t i = own; i < relation.size; ++i) {
    if (!is_object(relation.items[i], ObjectKind::Construct)) continue;
    const auto& update = *static_cast<const core::UpdateExpr*>(relation.items[i].object->code);
    for (const core::FieldUpdate& f : update.updates) {
      settings.push_back({0, text(f.path), static_cast<std::uint32_t>(own_settings_.size()),
                          captured_real(captured, real++)});
      own_settings_.push_back({f.path, f.span, instance});
    }
  }
  if (settings.empty()) return;
  const auto& outer = settings_[pending_[instance].settings];
  settings.insert(settings.end(), outer.begin(), outer.end());
  pending_[instance].settings = static_cast<std::uint32_t>(settings_.size());
  settings_.push_back(std::move(settings));
}

std::optional<Value> number_of_setting(const Setting& setting, Tag tag, Diagnostics& diagnostics) {
  const double value = setting.value;
  if (tag == Tag::Real) return Value::of_real(value);
  if (value != std::floor(value) || std::fabs(value) > 1e15 ||
      (tag == Tag::Bool && value != 0 && value != 1)) {
    diagnostics.report(Code::UnknownParameter, fmt::format("`{}` cannot be set to {}", setting.name, value))
        .help(tag == Tag::Bool ? "it is a Bool: give True or False" : "it is an Int: give a whole number");
    return std::nullopt;
  }
  return tag == Tag::Bool ? Value::of_bool(value != 0) : Value::of_int(static_cast<std::int64_t>(value));
}

/// Another relation value of the model's literal, with the Ints and Bools of the settings. Only the model has
/// such settings: those of an instance would have to agree with the arguments of its interface.
RelationObject* Instantiator::with_structural_settings(RelationObject& model) {
  RelationObject* changed = &model;
  const RelationCode& code = model.relation();
  for (std::uint32_t k = 0; k < code.captured.size(); ++k) {
    const Value old = model.items[k];
    if (old.tag != Tag::Int && old.tag != Tag::Bool) continue;
    const std::string name(text(code.global->local_names[code.captured[k].value]));
    structural_names_.push_back(name);
    for (std::size_t i = 0; i < options_.set.size(); ++i) {
      if (options_.set[i].name != name) continue;
      used_settings_[i] = true;
      const std::optional<Value> value = number_of_setting(options_.set[i], old.tag, machine_.diagnostics());
      if (!value) continue;
      if (changed == &model) {
        changed = machine_.heap().relation(code, model.size);
        std::ranges::copy(model.span(), changed->items);
      }
      changed->items[k] = *value;
    }
  }
  return changed;
}

/// The settings whose names begin with that of the child, without it.
std::uint32_t Instantiator::settings_of_child(std::uint32_t settings, const std::string& name) {
  std::vector<PendingSetting> inside;
  for (const PendingSetting& s : settings_[settings])
    if (s.rest.size() > name.size() + 1 && s.rest.starts_with(name) && s.rest[name.size()] == '.')
      inside.push_back({s.option, s.rest.substr(name.size() + 1), s.own, s.parameter});
  if (inside.empty()) return 0;
  settings_.push_back(std::move(inside));
  return static_cast<std::uint32_t>(settings_.size() - 1);
}

void Instantiator::report_unused_settings() {
  for (std::size_t i = 0; i < options_.set.size(); ++i) {
    if (used_settings_[i]) continue;
    Diagnostics found;
    Diagnostic& d =
        found.report(Code::UnknownParameter, fmt::format("no parameter is named `{}`", options_.set[i].name));
    suggest_parameter(d, options_.set[i].name, system::kRoot);
    if (system_.switches.empty())
      machine_.diagnostics().append(found);
    else
      unused_settings_.emplace_back(i, d);
  }
  std::vector<Span> reported;  // parts of one `for` share what is written
  for (const OwnSetting& s : own_settings_) {
    if (s.used || std::ranges::find(reported, s.span) != reported.end()) continue;
    reported.push_back(s.span);
    Diagnostics found;
    Diagnostic& d =
        found.report(Code::UnknownParameter, s.span,
                     fmt::format("`{}` has no parameter `{}`", text(relation_of(s.instance)), text(s.path)));
    suggest_parameter(d, text(s.path), s.instance);
    if (system_.switches.empty())
      machine_.diagnostics().append(found);
    else
      unused_changes_.emplace_back(s.span, d);
  }
}

void Instantiator::list_used_changes(std::vector<Span>& used) const {
  for (const OwnSetting& s : own_settings_)
    if (s.used && std::ranges::find(used, s.span) == used.end()) used.push_back(s.span);
}

/// The names that could have been set in the deepest instance that `name` denotes, seen from `instance`.
void Instantiator::suggest_parameter(Diagnostic& d, std::string_view name, std::uint32_t instance) {
  std::string_view rest = name;
  for (bool deeper = true; deeper;) {
    deeper = false;
    const system::Instance& at = system_.instances[instance];
    const auto& children = system_.templates[at.body].children;
    for (std::uint32_t c = 0; c < children.size() && !deeper; ++c)
      if (const std::string child = text(children[c].name);
          rest.size() > child.size() && rest.starts_with(child) && rest[child.size()] == '.') {
        rest.remove_prefix(child.size() + 1);
        instance = at.first_child + c;
        deeper = true;
      }
  }
  const std::string prefix(name.substr(0, name.size() - rest.size()));
  const system::Template& t = system_.templates[system_.instances[instance].body];
  std::vector<std::string> known = t.parameters;
  if (instance == system::kRoot)
    known.insert(known.end(), structural_names_.begin(), structural_names_.end());
  const std::size_t own = known.size();
  if (instance == system::kRoot)
    known.insert(known.end(), definitions_.names.begin(), definitions_.names.end());
  for (const system::ChildInfo& c : t.children) known.push_back(text(c.name));
  std::vector<std::string_view> views(known.begin(), known.end());
  if (auto best = did_you_mean(rest, views))
    d.help(fmt::format("did you mean `{}{}`?", prefix, *best));
  else if (own > 0)
    d.help(fmt::format("`{}` has the parameters {}",
                       prefix.empty() ? std::string(text(t.relation)) : prefix.substr(0, prefix.size() - 1),
                       fmt::join(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(own), ", ")));
}

}  // namespace sigrel::elaborate
