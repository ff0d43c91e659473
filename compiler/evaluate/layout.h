// Layouts with evaluated sizes. Hash-consed: equal layouts have equal ids.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/local_name.h"
#include "compiler/ir/core.h"

namespace sigrel::evaluate {

using LayoutId = Id<struct LayoutTag>;

struct LayoutNode {
  core::LayoutKind kind = core::LayoutKind::Real;  // Real, Int, Bool, Record, Tuple, Vector
  core::RecordId record{};
  std::uint32_t size = 0;            // Vector
  std::vector<LayoutId> elements{};  // Record, Tuple: each; Vector: one
  std::uint32_t scalars = 1;
  std::uint32_t size_dependence = 0xFFFFFFFF;  // Vector of a sample: of its size, encoded
};

class Layouts {
 public:
  explicit Layouts(const core::Program& program) : program_(program) {}
  LayoutId scalar(core::LayoutKind kind);
  LayoutId record(core::RecordId record, std::vector<LayoutId> fields);
  LayoutId tuple(std::vector<LayoutId> elements);
  LayoutId vector(LayoutId element, std::uint32_t size, std::uint32_t size_dependence = 0xFFFFFFFF);
  const LayoutNode& operator[](LayoutId id) const { return nodes_[id.value]; }
  bool is_connector(LayoutId id) const;
  /// The name of each scalar below `prefix`: "p.v", "p.i", "x[3]".
  void names(LayoutId id, LocalName prefix, std::vector<LocalName>& out) const {
    names(id, prefix, false, out);
  }
  /// The name of one of these scalars.
  LocalName name(LayoutId id, LocalName prefix, std::uint32_t scalar) const;

 private:
  LayoutId intern(LayoutNode node);
  void names(LayoutId id, LocalName prefix, bool inner, std::vector<LocalName>& out) const;
  const core::Program& program_;
  std::vector<LayoutNode> nodes_;
  std::vector<std::uint32_t> buckets_;
};

}  // namespace sigrel::evaluate
