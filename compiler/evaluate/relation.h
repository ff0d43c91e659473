// A relation value as (skeleton, captured parameters). The skeleton is the structural part: the relation
// literal and its captures without the numbers of the Reals. Relations with the same skeleton share one body;
// the Reals are its parameters. A captured relation contributes its skeleton, and its Reals stay a set of
// captured parameters of their own, so that a relation which captures the rest of a chain costs the same for
// every length of the rest.
#pragma once
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/evaluate/bytecode.h"
#include "compiler/evaluate/value.h"

namespace sigrel::evaluate {

class Relations {
 public:
  explicit Relations(Heap& heap, const core::Program& program) : heap_(heap), program_(program) {}

  /// The number of another body, for RelationObject::captured_in.
  std::uint32_t next_body() { return ++bodies_; }

  /// The id of the relation's skeleton.
  std::uint32_t skeleton(RelationObject& relation);

  /// Whether any of these values depends on the size of a sample. `key` identifies the values up to the
  /// numbers of their Reals.
  bool depends_on_size(std::span<const Value> values, std::vector<std::uint64_t>& key);

  /// The number of Reals captured by a relation of this skeleton.
  std::uint32_t real_count(std::uint32_t skeleton) const { return real_counts_[skeleton]; }

  /// The Reals and the relations among the captures, in the order of the skeleton.
  struct Parts {
    std::vector<Value> reals;
    std::vector<RelationObject*> relations;
  };
  Parts parts(const RelationObject& relation) const;

  /// The captures as the body of the relation sees them: Real k is `reals[k]`, a parameter expression with
  /// the value for which the body is built; captured relation j has `own_captured` = j.
  std::vector<Value> body_captures(const RelationObject& relation, std::span<const Value> reals);

  /// The Reals and signals in a value, also those that relations in it captured, in a fixed order; a relation
  /// of the body's own captures stands for those below it.
  static std::vector<Value> numbers(const Value& value);
  /// A copy of the value with other numbers (zeros if none are given), of which none is shared with another
  /// value.
  Value with_numbers(const Value& value, std::span<const double> numbers);
  /// Identifies a value up to its numbers: equal words, equal structure.
  std::vector<std::uint64_t> structure(const Value& value);

  /// The names of the captured Reals: "r", "d.r".
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
  std::vector<bool> size_dependent_;        // by skeleton
  std::uint32_t bodies_ = 0;
};

}  // namespace sigrel::evaluate
