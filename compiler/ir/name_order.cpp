#include "compiler/ir/name_order.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sigrel::system {

std::vector<std::uint32_t> places_by_name(const System& s) {
  // Of a template: its locals, and its children behind them, in the order of names.
  std::vector<std::vector<std::uint32_t>> orders(s.templates.size());
  auto order_of = [&](std::uint32_t body) -> const std::vector<std::uint32_t>& {
    const Template& t = s.templates[body];
    std::vector<std::uint32_t>& order = orders[body];
    if (!order.empty()) return order;
    std::vector<std::pair<std::string, std::uint32_t>> entries;
    for (const LocalInfo& local : t.locals)
      entries.emplace_back(text(local.name), static_cast<std::uint32_t>(entries.size()));
    for (const ChildInfo& child : t.children)
      entries.emplace_back(text(child.name), static_cast<std::uint32_t>(entries.size()));
    std::ranges::sort(entries);
    for (const auto& [name, entry] : entries) order.push_back(entry);
    return order;
  };
  struct Level {
    std::uint32_t instance, next;
  };
  std::vector<std::uint32_t> places(s.unknowns, 0);
  std::vector<Level> levels{{kRoot, 0}};
  std::uint32_t place = 0;
  while (!levels.empty()) {
    const Instance& instance = s.instances[levels.back().instance];
    const std::vector<std::uint32_t>& order = order_of(instance.body);
    if (levels.back().next == order.size()) {
      levels.pop_back();
      continue;
    }
    const std::uint32_t entry = order[levels.back().next++];
    const auto locals = static_cast<std::uint32_t>(s.templates[instance.body].locals.size());
    if (entry < locals)
      places[instance.first_unknown + entry] = place++;
    else
      levels.push_back({instance.first_child + entry - locals, 0});
  }
  return places;
}

}  // namespace sigrel::system
