#include "compiler/elaborate/member_references.h"

#include <fmt/format.h>

#include <string>

namespace sigrel::elaborate {
namespace {

/// `name[1,2]`; the name itself without indices.
Name indexed(std::string name, std::span<const Value> indices) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    name += fmt::format("{}{}", i ? "," : "[", indices[i].integer);
  if (!indices.empty()) name += "]";
  return intern(name);
}

}  // namespace

Value MemberReferences::add(ChildId child, Name name, Span span) {
  auto [it, fresh] = index_.try_emplace({child, name}, MemberId{references_.size()});
  if (fresh) references_.push_back({child, name, span});
  Object* o = machine_.heap().object(ObjectKind::Member, 0);
  o->a = it->second.value;
  return Value::of(o);
}

Value MemberReferences::add(ChildId child, Name name, std::span<const Value> indices, Span span) {
  return add(child, indices.empty() ? name : indexed(std::string(text(name)), indices), span);
}

Value MemberReferences::field(MemberId member, Name name, std::span<const Value> indices, Span span) {
  const MemberReference& outer = references_[member.value];
  return add(outer.child, indexed(std::string(text(outer.name)) + "." + std::string(text(name)), indices),
             span);
}

Value MemberReferences::index(MemberId member, std::span<const Value> indices) {
  const MemberReference& outer = references_[member.value];
  return add(outer.child, indexed(std::string(text(outer.name)), indices), outer.span);
}

}  // namespace sigrel::elaborate
