#include "compiler/elaborate/flows.h"

#include <vector>

namespace sigrel::elaborate {

std::optional<std::uint32_t> flows_of(const Layouts& layouts, const core::Program& program,
                                      LayoutId interface) {
  std::uint32_t flows = 0;
  std::vector<LayoutId> todo{interface};
  while (!todo.empty()) {
    const LayoutNode& node = layouts[todo.back()];
    const bool connector = layouts.is_connector(todo.back());
    todo.pop_back();
    if (node.elements.empty() && node.kind != core::LayoutKind::Tuple) return std::nullopt;
    if (!connector) {
      for (std::uint32_t i = 0;
           i < (node.kind == core::LayoutKind::Vector ? node.size : node.elements.size()); ++i)
        todo.push_back(node.elements[node.kind == core::LayoutKind::Vector ? 0 : i]);
      continue;
    }
    const auto& fields = program.records[node.record.value].fields;
    std::uint32_t of_node = 0;
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (fields[i].flow) of_node += layouts[node.elements[i]].scalars;
    if (node.scalars != 2 * of_node) return std::nullopt;
    flows += of_node;
  }
  return flows;
}

}  // namespace sigrel::elaborate
