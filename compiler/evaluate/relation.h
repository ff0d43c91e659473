// A relation value as (skeleton, reals). The skeleton is what is structural: the literal, and its captures
// with every Real taken out; equal skeletons have equal ids, so their bodies are built once. The Reals are
// parameters. A relation that is captured by another contributes its skeleton, and its Reals stay a bundle of
// their own: a relation that captures the rest of a chain costs the same however long the rest is.
#pragma once
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/evaluate/bytecode.h"
#include "compiler/evaluate/value.h"

namespace sigrel::elaborate {

class Relations {
 public:
  explicit Relations(Heap& heap, const core::Program& program) : heap_(heap), program_(program) {}

  /// The id of the relation's skeleton.
  std::uint32_t skeleton(RelationObject& relation);

  /// Whether something in these values moves with the size of a sample; `key` is what they are, but for
  /// Reals.
  bool moves(std::span<const Value> values, std::vector<std::uint64_t>& key);

  /// How many Reals a relation of this skeleton captured.
  std::uint32_t real_count(std::uint32_t skeleton) const { return real_counts_[skeleton]; }

  /// The Reals and the relations among the captures, in the skeleton's order.
  struct Parts {
    std::vector<Value> reals;
    std::vector<RelationObject*> relations;
  };
  Parts parts(const RelationObject& relation) const;

  /// The captures as its body sees them: Real number k is the parameter expression `reals[k]` with the value
  /// given there, relation number j knows that its Reals are the body's own bundle j.
  std::vector<Value> opened(const RelationObject& relation, std::span<const Value> reals);

  /// How a user calls Real number k: "r", "d.r".
  std::vector<std::string> real_names(const RelationObject& relation) const;

 private:
  bool compute(RelationObject& relation, std::vector<RelationObject*>& missing);
  Heap& heap_;
  const core::Program& program_;
  struct Hash {
    std::size_t operator()(const std::vector<std::uint64_t>& words) const {
      std::uint64_t h = words.size();
      for (std::uint64_t w : words) {
        h = (h ^ w) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 29;
      }
      return h;
    }
  };
  std::unordered_map<std::vector<std::uint64_t>, std::uint32_t, Hash> skeletons_;
  std::vector<std::uint32_t> real_counts_;  // by skeleton
  std::vector<bool> moving_;                // by skeleton
};

}  // namespace sigrel::elaborate
