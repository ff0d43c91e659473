// References from a body to hidden variables of its children: `r1.u`, `x[2].c.u`. The name is resolved for
// each instance, when its children exist.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/elaborate/blueprint.h"

namespace sigrel::elaborate {

class MemberReferences {
 public:
  explicit MemberReferences(Machine& machine) : machine_(machine) {}

  /// The value `child.name[indices]`.
  Value add(ChildId child, Name name, std::span<const Value> indices, Span span);
  /// `member.name[indices]`
  Value field(MemberId member, Name name, std::span<const Value> indices, Span span);
  /// `member[indices]`
  Value index(MemberId member, std::span<const Value> indices);

  const MemberReference& operator[](MemberId m) const { return references_[m.value]; }
  std::size_t size() const { return references_.size(); }
  std::vector<MemberReference> take() { return std::move(references_); }

  template <class Visitor>
  void for_each_list(Visitor&& visit) {
    visit(references_);
  }

 private:
  Value add(ChildId child, Name name, Span span);

  struct Key {
    ChildId child;
    Name name;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const { return mixed(k.child.value, k.name.value); }
  };
  Machine& machine_;
  std::vector<MemberReference> references_;
  std::unordered_map<Key, MemberId, Hash> index_;
};

/// The reference that a Member value denotes.
inline MemberId member_of(const Object& member) { return MemberId{member.a}; }

}  // namespace sigrel::elaborate
