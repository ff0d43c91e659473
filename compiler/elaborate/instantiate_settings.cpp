// Settings of parameters by name: which instance each applies to, and those that apply to none.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/elaborate/instantiate.h"

namespace sigrel::elaborate {

Instantiator::CapturedSet Instantiator::apply_settings(std::uint32_t instance, const RelationObject& relation,
                                                       CapturedSet captured) {
  bool root = instance == system::kRoot;
  const auto& settings = settings_[pending_[instance].settings];
  if (!root && settings.empty()) return captured;
  std::vector<std::string> names = relations_.real_names(relation);
  std::vector<std::uint32_t> reals(names.size());
  bool changed = false;
  std::string prefix = system::instance_name(system_, instance);
  if (!prefix.empty()) prefix += '.';
  for (std::uint32_t k = 0; k < names.size(); ++k) {
    reals[k] = captured_real(captured, k);
    std::optional<double> value;
    for (const PendingSetting& s : settings)
      if (s.rest == names[k]) {
        value = options_.set[s.option].value;
        used_settings_[s.option] = true;
      }
    if (!root && !value) continue;
    reals[k] = named(prefix + names[k], reals[k], value);
    changed = true;
  }
  if (!changed) return captured;
  const CapturedSet copy = add_captured();
  captured_[copy.value].first_inner = captured_[captured.value].first_inner;
  system_.captured.insert(system_.captured.end(), reals.begin(), reals.end());
  return copy;
}

/// Another relation value of the model's literal, with the Ints and Bools of the settings. Only the model has
/// such settings: those of an instance would have to agree with the arguments of its interface.
RelationObject* Instantiator::with_structural_settings(RelationObject& model) {
  RelationObject* changed = &model;
  const RelationCode& code = model.relation();
  for (std::uint32_t k = 0; k < model.size; ++k) {
    const Value old = model.items[k];
    if (old.tag != Tag::Int && old.tag != Tag::Bool) continue;
    const std::string name(text(code.global->local_names[code.captured[k].value]));
    structural_names_.push_back(name);
    for (std::size_t i = 0; i < options_.set.size(); ++i) {
      if (options_.set[i].name != name) continue;
      used_settings_[i] = true;
      const double value = options_.set[i].value;
      if (value != std::floor(value) || std::fabs(value) > 1e15 ||
          (old.tag == Tag::Bool && value != 0 && value != 1)) {
        machine_.diagnostics()
            .report(Code::UnknownParameter, fmt::format("`{}` cannot be set to {}", name, value))
            .help(old.tag == Tag::Bool ? "it is a Bool: give True or False"
                                       : "it is an Int: give a whole number");
        continue;
      }
      if (changed == &model) {
        changed = machine_.heap().relation(code, model.size);
        std::ranges::copy(model.span(), changed->items);
      }
      changed->items[k] =
          old.tag == Tag::Bool ? Value::of_bool(value != 0) : Value::of_int(static_cast<std::int64_t>(value));
    }
  }
  return changed;
}

/// The settings whose names begin with that of the child, without it.
std::uint32_t Instantiator::settings_of_child(std::uint32_t settings, const std::string& name) {
  std::vector<PendingSetting> inside;
  for (const PendingSetting& s : settings_[settings])
    if (s.rest.size() > name.size() + 1 && s.rest.starts_with(name) && s.rest[name.size()] == '.')
      inside.push_back({s.option, s.rest.substr(name.size() + 1)});
  if (inside.empty()) return 0;
  settings_.push_back(std::move(inside));
  return static_cast<std::uint32_t>(settings_.size() - 1);
}

void Instantiator::report_unused_settings() {
  system::Names names(system_);
  for (std::size_t i = 0; i < options_.set.size(); ++i) {
    if (used_settings_[i]) continue;
    // The names that could have been set in the deepest instance that the name denotes.
    std::string_view rest = options_.set[i].name;
    std::uint32_t instance = system::kRoot;
    for (bool deeper = true; deeper;) {
      deeper = false;
      const system::Instance& at = system_.instances[instance];
      const auto& children = system_.templates[at.body].children;
      for (std::uint32_t c = 0; c < children.size() && !deeper; ++c)
        if (const std::string name = text(children[c].name);
            rest.size() > name.size() && rest.starts_with(name) && rest[name.size()] == '.') {
          rest.remove_prefix(name.size() + 1);
          instance = at.first_child + c;
          deeper = true;
        }
    }
    std::string prefix = system::instance_name(system_, instance);
    if (!prefix.empty()) prefix += '.';
    const system::Template& t = system_.templates[system_.instances[instance].body];
    std::vector<std::string> known = t.parameters;
    if (instance == system::kRoot)
      known.insert(known.end(), structural_names_.begin(), structural_names_.end());
    for (const system::ChildInfo& c : t.children) known.push_back(text(c.name));
    Diagnostics found;
    Diagnostic& d =
        found.report(Code::UnknownParameter, fmt::format("no parameter is named `{}`", options_.set[i].name));
    std::vector<std::string_view> views(known.begin(), known.end());
    if (auto best = did_you_mean(rest, views))
      d.help(fmt::format("did you mean `{}{}`?", prefix, *best));
    else if (known.size() > t.children.size())
      d.help(fmt::format(
          "`{}` has the parameters {}",
          prefix.empty() ? std::string(text(t.relation)) : prefix.substr(0, prefix.size() - 1),
          fmt::join(known.begin(), known.end() - static_cast<std::ptrdiff_t>(t.children.size()), ", ")));
    if (system_.switches.empty())
      machine_.diagnostics().append(found);
    else
      unused_settings_.emplace_back(i, d);
  }
}

}  // namespace sigrel::elaborate
