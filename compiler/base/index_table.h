// Hash index of the elements of a table: open addressing over their numbers, four bytes each. The elements
// themselves are stored by the caller.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace sigrel {

/// `kStride` is the probing distance. Use a cache line if the hash function places sequences of elements in
/// adjacent buckets: two colliding sequences are then resolved in one step, instead of one element after the
/// other.
template <std::size_t kStride>
class StridingIndexTable {
 public:
  /// The number of the element with this hash for which `same(number)` holds; if there is none, adds and
  /// returns `next`. Numbers are added in ascending order; `hash_of(number)` is the hash of an element of the
  /// table.
  template <class Same, class HashOf>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t next, Same same, HashOf hash_of) {
    if ((count_ + 1) * 2 > buckets_.size()) grow(hash_of);
    std::size_t at = hash & (buckets_.size() - 1);
    for (; buckets_[at]; at = after(at))
      if (same(buckets_[at] - 1)) return buckets_[at] - 1;
    buckets_[at] = next + 1;
    ++count_;
    return next;
  }
  /// Adds element `next`, replacing the element for which `same(number)` holds, if there is one.
  template <class Same, class HashOf>
  void put(std::uint64_t hash, std::uint32_t next, Same same, HashOf hash_of) {
    if ((count_ + 1) * 2 > buckets_.size()) grow(hash_of);
    std::size_t at = hash & (buckets_.size() - 1);
    while (buckets_[at] && !same(buckets_[at] - 1)) at = after(at);
    count_ += !buckets_[at];
    buckets_[at] = next + 1;
  }
  /// The number of the element with this hash for which `same(number)` holds, or kMissing.
  template <class Same>
  std::uint32_t find(std::uint64_t hash, Same same) const {
    if (!buckets_.empty())
      for (std::size_t at = hash & (buckets_.size() - 1); buckets_[at]; at = after(at))
        if (same(buckets_[at] - 1)) return buckets_[at] - 1;
    return kMissing;
  }
  static constexpr std::uint32_t kMissing = ~0u;

  void clear() {
    buckets_ = std::vector<std::uint32_t>();
    count_ = 0;
  }

 private:
  /// Wraps around to the next position within each line, so that all buckets are probed.
  std::size_t after(std::size_t at) const {
    at += kStride;
    return at < buckets_.size() ? at : kStride == 1 ? 0 : (at + 1) & (kStride - 1);
  }

  template <class HashOf>
  void grow(HashOf hash_of) {
    std::vector<std::uint32_t> old(std::max<std::size_t>(64, buckets_.size() * 2), 0);
    old.swap(buckets_);
    for (std::uint32_t number : old) {
      if (!number) continue;
      std::size_t at = hash_of(number - 1) & (buckets_.size() - 1);
      while (buckets_[at]) at = after(at);
      buckets_[at] = number;
    }
  }

  std::vector<std::uint32_t> buckets_;  // number + 1
  std::size_t count_ = 0;
};

using IndexTable = StridingIndexTable<1>;

/// Mixes one more word into a hash; all bits of the result are usable.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0xFF51AFD7ED558CCDull;
  return hash ^ hash >> 32;
}

}  // namespace sigrel
