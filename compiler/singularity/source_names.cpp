#include "compiler/singularity/source_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace sigrel::singularity {

std::uint32_t SourceNames::common(const std::vector<std::uint32_t>& instances) const {
  // How many of them each subtree contains; parents come before their children.
  std::vector<std::size_t> inside(system_.instances.size(), 0);
  for (std::uint32_t i : instances) ++inside[i];
  for (std::size_t i = inside.size(); i-- > 1;) inside[system_.instances[i].parent] += inside[i];
  std::uint32_t best = system::kRoot;
  for (std::uint32_t i = 0; i < inside.size(); ++i)
    if (inside[i] >= instances.size()) best = i;
  return best;
}

std::uint32_t SourceNames::common_instance(std::span<const Origin> origins) const {
  std::vector<std::uint32_t> instances;
  for (Origin o : origins) instances.push_back(o.instance);
  return common(instances);
}

std::uint32_t SourceNames::common_owner(std::span<const std::uint32_t> unknowns) const {
  std::vector<std::uint32_t> instances;
  for (std::uint32_t u : unknowns) instances.push_back(owner(u));
  return common(instances);
}

std::uint32_t SourceNames::owner(std::uint32_t unknown) const {
  auto it = std::ranges::upper_bound(system_.instances, unknown, {}, &system::Instance::first_unknown);
  return static_cast<std::uint32_t>(it - system_.instances.begin() - 1);
}

Span SourceNames::declaration(std::uint32_t unknown, std::uint32_t instance) const {
  std::uint32_t at = owner(unknown), use = at;
  while (at != instance && at != system::kRoot) {
    use = at;
    at = system_.instances[at].parent;
  }
  if (at != instance || owner(unknown) == instance) return system::unknown_info(system_, unknown).span;
  return body(instance).children[system_.instances[use].child].span;
}

std::string SourceNames::relation(std::uint32_t instance) const {
  std::string name(text(body(instance).relation));
  return name.empty() ? "the model" : "`" + name + "`";
}

std::string SourceNames::name(std::uint32_t unknown, std::uint32_t instance) const {
  const auto& interface = body(instance).interface;
  for (std::size_t k = 0; k < interface.size(); ++k)
    if (system_.arguments[system_.instances[instance].first_argument + k] == unknown) return interface[k];
  std::string full = system::unknown_name(system_, unknown),
              prefix = system::instance_name(system_, instance);
  if (!prefix.empty() && full.starts_with(prefix + ".")) return full.substr(prefix.size() + 1);
  return full;
}

std::vector<std::string> SourceNames::names(std::vector<std::uint32_t> unknowns,
                                            std::uint32_t instance) const {
  std::ranges::stable_sort(unknowns, {},
                           [&](std::uint32_t u) { return system::unknown_info(system_, u).kind; });
  constexpr std::size_t kEnough = 20;  // no message shows more: the others are only counted
  std::vector<std::string> result(unknowns.size());
  for (std::size_t k = 0; k < std::min(kEnough, unknowns.size()); ++k)
    result[k] = name(unknowns[k], instance);
  return result;
}

std::vector<SourceNames::Place> SourceNames::places(std::span<const Origin> origins,
                                                    std::uint32_t instance) const {
  // Which use in the body an instance belongs to; parents come before their children.
  std::vector<std::uint32_t> use(system_.instances.size(), system::kRoot);
  for (std::uint32_t i = 1; i < use.size(); ++i) {
    std::uint32_t parent = system_.instances[i].parent;
    use[i] = parent == instance ? i : use[parent];
  }
  std::vector<std::size_t> contributed(system_.instances.size(), 0);
  std::vector<Place> result;
  for (Origin o : origins) {
    if (o.instance == instance || use[o.instance] == system::kRoot)
      result.push_back(equation_place(system_.sources[o.source]));
    else
      ++contributed[use[o.instance]];
  }
  for (std::uint32_t i = 0; i < contributed.size(); ++i) {
    if (contributed[i] == 0) continue;
    const system::ChildInfo& child = body(instance).children[system_.instances[i].child];
    result.push_back({child.span, text(child.name), contributed[i]});
  }
  return in_order_of_blame(std::move(result));
}

std::uint32_t SourceNames::instance_in_model(Origin origin) const {
  std::uint32_t i = origin.instance;
  while (i != system::kRoot && use(i).file != system_.templates[0].span.file) i = system_.instances[i].parent;
  return i;
}

std::optional<Span> SourceNames::use_in_model(Origin origin) const {
  const std::uint32_t i = instance_in_model(origin);
  return i == system::kRoot ? std::nullopt : std::optional(use(i));
}

void SourceNames::note_instance(Diagnostic& diagnostic, std::uint32_t instance) const {
  if (instance == system::kRoot) return;
  diagnostic.note(
      fmt::format("{} is used as `{}` here", relation(instance), system::instance_name(system_, instance)));
}

}  // namespace sigrel::singularity
