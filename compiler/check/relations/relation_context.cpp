#include "compiler/check/relations/relation_context.h"

namespace sigrel::check {

std::uint32_t RelationContext::loops_around(std::uint32_t of) const {
  std::uint32_t loops = 0;
  for (std::int32_t b = static_cast<std::int32_t>(of); b >= 0; b = blocks[static_cast<std::size_t>(b)].parent)
    loops += blocks[static_cast<std::size_t>(b)].loops;
  return loops;
}

std::uint32_t RelationContext::unshared_loops(std::uint32_t label_block, std::uint32_t use_block) const {
  std::uint32_t a = label_block, b = use_block, loops = 0;
  while (a != b) {
    if (blocks[a].depth >= blocks[b].depth) {
      loops += blocks[a].loops;
      a = static_cast<std::uint32_t>(blocks[a].parent);
    } else {
      b = static_cast<std::uint32_t>(blocks[b].parent);
    }
  }
  return loops;
}

LabelInfo* RelationContext::find_label(Name name) const {
  auto at = labels_by_name.find(name);
  if (at == labels_by_name.end()) return nullptr;
  for (std::int32_t b = static_cast<std::int32_t>(block); b >= 0;
       b = blocks[static_cast<std::size_t>(b)].parent)
    for (LabelInfo* label : at->second)
      if (label->block == static_cast<std::uint32_t>(b)) return label;
  return at->second.front();
}

}  // namespace sigrel::check
