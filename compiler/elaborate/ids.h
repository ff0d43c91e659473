// Ids of the tables of a body.
#pragma once
#include <bit>
#include <cstdint>

#include "compiler/base/ids.h"

namespace sigrel::elaborate {

using ColumnId = Id<struct ColumnTag>;
using NodeId = Id<struct NodeTag>;
using UseId = Id<struct UseTag>;
using ChildId = Id<struct ChildTag>;
using MemberId = Id<struct MemberTag>;      // of Blueprint::members
using RealId = Id<struct RealTag>;          // of Blueprint::reals
using CapturedId = Id<struct CapturedTag>;  // of Blueprint::captured
using TriggerId = Id<struct TriggerTag>;    // of Blueprint::triggers

/// A reference to a scalar variable from a body: a column of the body, or a hidden variable of one of its
/// children. Slots of signal expressions hold it in one word.
class ColumnRef {
 public:
  enum Kind : std::uint32_t {
    Own,     // a column of the body
    New,     // in a loop pattern: a column that each iteration creates
    Member,  // a hidden variable of a child
  };
  constexpr ColumnRef() = default;
  constexpr ColumnRef(ColumnId column) : ColumnRef(Own, column.value) {}
  constexpr ColumnRef(MemberId member) : ColumnRef(Member, member.value) {}
  static constexpr ColumnRef created(std::uint32_t k) { return {New, k}; }

  static constexpr ColumnRef of_slot(std::uint32_t slot) { return std::bit_cast<ColumnRef>(slot); }
  constexpr std::uint32_t slot() const { return std::bit_cast<std::uint32_t>(*this); }

  constexpr Kind kind() const { return static_cast<Kind>(kind_); }
  constexpr bool is_member() const { return kind_ == Member; }
  constexpr bool is_own() const { return kind_ == Own; }
  constexpr std::uint32_t index() const { return index_; }
  constexpr ColumnId column() const { return ColumnId{index_}; }
  constexpr MemberId member() const { return MemberId{index_}; }
  constexpr bool operator==(const ColumnRef&) const = default;

 private:
  constexpr ColumnRef(Kind kind, std::uint32_t index) : index_(index), kind_(kind) {}
  std::uint32_t index_ : 30 = 0;
  std::uint32_t kind_ : 2 = Own;
};
static_assert(sizeof(ColumnRef) == sizeof(std::uint32_t));

}  // namespace sigrel::elaborate
