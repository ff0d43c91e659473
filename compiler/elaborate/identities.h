// Identities of instances, switches and unknowns that outlast a change of structure: the systems before and
// after it have numbers of their own. An instance is identified by its parent and its application in the
// source; an unknown or a switch by its instance and its declaration.
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/elaborate/switches.h"
#include "compiler/ir/system.h"

namespace sigrel::elaborate {

using InstanceIdentity = std::uint32_t;  // 0: the whole model
using UnknownIdentity = std::uint32_t;
using SwitchIdentity = std::uint32_t;

class Identities {
 public:
  /// Of the children of an instance, in order.
  void children(InstanceIdentity parent, const system::Template& body, std::vector<InstanceIdentity>& out);
  SwitchIdentity of_switch(InstanceIdentity instance, const SwitchPlace& place);
  /// Of all triggers of a system, given the identities of its instances.
  std::vector<std::uint32_t> triggers(const system::System& system,
                                      std::span<const InstanceIdentity> instances);

  /// Of all unknowns of a system, given those of its instances. Names that denote another unknown have an
  /// identity, too: the unknown and it.
  struct Unknowns {
    std::vector<UnknownIdentity> of;
    std::vector<std::pair<std::uint32_t, UnknownIdentity>> synonyms;
  };
  Unknowns unknowns(const system::System& system, std::span<const InstanceIdentity> instances);
  /// Of all identities so far.
  std::size_t count() const {
    return instances_.size() + unknowns_.size() + triggers_.size() + switches_.size();
  }

 private:
  // The parent or instance; name or span; and the number among those that are equal so far.
  using Key = std::array<std::uint64_t, 4>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t h = 0;
      for (const std::uint64_t word : key) h = mixed(h, word);
      return h;
    }
  };
  using Table = std::unordered_map<Key, std::uint32_t, Hash>;
  static std::uint32_t intern(Table& table, const Key& key, std::uint32_t first) {
    return table.try_emplace(key, static_cast<std::uint32_t>(table.size()) + first).first->second;
  }

  Table instances_, unknowns_, triggers_;
  std::map<std::pair<InstanceIdentity, SwitchPlace>, SwitchIdentity> switches_;
};

}  // namespace sigrel::elaborate
