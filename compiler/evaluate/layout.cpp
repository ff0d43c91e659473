#include "compiler/evaluate/layout.h"

namespace sigrel::evaluate {
namespace {

std::size_t hash(const LayoutNode& n) {
  std::size_t h = static_cast<std::size_t>(n.kind) * 31 + n.record.value * 1000003u + n.size * 7919u;
  for (LayoutId e : n.elements) h = (h ^ e.value) * 0x9E3779B97F4A7C15ull + 1;
  return h ^ h >> 29;
}

bool same(const LayoutNode& a, const LayoutNode& b) {
  return a.kind == b.kind && a.record == b.record && a.size == b.size &&
         a.size_dependence == b.size_dependence && a.elements == b.elements;
}

}  // namespace

LayoutId Layouts::intern(LayoutNode node) {
  if ((nodes_.size() + 1) * 2 > buckets_.size()) {
    buckets_.assign(std::max<std::size_t>(64, buckets_.size() * 2), 0);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      std::size_t at = hash(nodes_[i]) & (buckets_.size() - 1);
      while (buckets_[at]) at = (at + 1) & (buckets_.size() - 1);
      buckets_[at] = i + 1;
    }
  }
  std::size_t at = hash(node) & (buckets_.size() - 1);
  for (; buckets_[at]; at = (at + 1) & (buckets_.size() - 1))
    if (same(nodes_[buckets_[at] - 1], node)) return LayoutId{buckets_[at] - 1};
  if (node.kind == core::LayoutKind::Vector) {
    node.scalars = node.size * nodes_[node.elements[0].value].scalars;
  } else if (!node.elements.empty() || node.kind == core::LayoutKind::Tuple) {
    node.scalars = 0;
    for (LayoutId e : node.elements) node.scalars += nodes_[e.value].scalars;
  }
  nodes_.push_back(std::move(node));
  buckets_[at] = static_cast<std::uint32_t>(nodes_.size());
  return LayoutId{nodes_.size() - 1};
}

LayoutId Layouts::scalar(core::LayoutKind kind) { return intern({kind, {}, 0, {}, 1}); }
LayoutId Layouts::record(core::RecordId r, std::vector<LayoutId> fields) {
  return intern({core::LayoutKind::Record, r, 0, std::move(fields), 0});
}
LayoutId Layouts::tuple(std::vector<LayoutId> elements) {
  return intern({core::LayoutKind::Tuple, {}, 0, std::move(elements), 0});
}
LayoutId Layouts::vector(LayoutId element, std::uint32_t size, std::uint32_t size_dependence) {
  return intern({core::LayoutKind::Vector, {}, size, {element}, 0, size_dependence});
}

bool Layouts::is_connector(LayoutId id) const {
  const LayoutNode& n = nodes_[id.value];
  return n.kind == core::LayoutKind::Record && program_.records[n.record.value].connector;
}

void Layouts::names(LayoutId id, LocalName prefix, bool inner, std::vector<LocalName>& out) const {
  const LayoutNode& n = nodes_[id.value];
  switch (n.kind) {
    case core::LayoutKind::Record: {
      const auto& fields = program_.records[n.record.value].fields;
      for (std::size_t i = 0; i < n.elements.size(); ++i)
        names(n.elements[i], field(prefix, fields[i].name), false, out);
      break;
    }
    case core::LayoutKind::Tuple:
      for (std::size_t i = 0; i < n.elements.size(); ++i)
        names(n.elements[i], field(prefix, sigrel::intern(std::to_string(i + 1))), false, out);
      break;
    case core::LayoutKind::Vector:
      // A vector of vectors is a matrix: one pair of brackets.
      for (std::uint32_t i = 1; i <= n.size; ++i)
        names(n.elements[0], inner ? next_index(prefix, i) : element(prefix, i),
              nodes_[n.elements[0].value].kind == core::LayoutKind::Vector, out);
      break;
    default: out.push_back(prefix);
  }
}

LocalName Layouts::name(LayoutId id, LocalName prefix, std::uint32_t scalar) const {
  for (bool inner = false;;) {
    const LayoutNode& n = nodes_[id.value];
    std::uint32_t at = 0;
    switch (n.kind) {
      case core::LayoutKind::Record:
      case core::LayoutKind::Tuple:
        for (; scalar >= nodes_[n.elements[at].value].scalars; ++at)
          scalar -= nodes_[n.elements[at].value].scalars;
        prefix = field(prefix, n.kind == core::LayoutKind::Record
                                   ? program_.records[n.record.value].fields[at].name
                                   : sigrel::intern(std::to_string(at + 1)));
        id = n.elements[at];
        inner = false;
        break;
      case core::LayoutKind::Vector: {
        const std::uint32_t each = nodes_[n.elements[0].value].scalars, index = scalar / each + 1;
        prefix = inner ? next_index(prefix, index) : element(prefix, index);
        scalar %= each;
        id = n.elements[0];
        inner = nodes_[id.value].kind == core::LayoutKind::Vector;
        break;
      }
      default: return prefix;
    }
  }
}

}  // namespace sigrel::evaluate
