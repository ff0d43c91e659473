// The key of a family of bodies: those of one skeleton and interface, which differ in the values of
// structural Reals.
#pragma once
#include "compiler/base/index_table.h"
#include "compiler/elaborate/values.h"

namespace sigrel::elaborate {

struct BodyKey {
  std::uint32_t skeleton;
  LayoutId interface;
  bool operator==(const BodyKey&) const = default;
  struct Hash {
    std::size_t operator()(const BodyKey& k) const { return mixed(k.skeleton, k.interface.value); }
  };
};

}  // namespace sigrel::elaborate
