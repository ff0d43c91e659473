// Local names: names with parts, as variables and instances inside a relation body have them: `x`, `x[3]`,
// `x[3].v`, `m[2,1]`, `resistor#2`. One is a part and the local name that it belongs to, so a million names
// are a table of a few words each, and their texts are made when somebody reads them. Made in the same way,
// they have the same id; like names they live as long as the process.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/ids.h"
#include "compiler/base/name.h"

namespace sigrel {

/// LocalName{} is the empty text.
using LocalName = Id<struct LocalNameTag>;

LocalName local_name(Name name);
LocalName local_name(std::string_view text);
/// `of.name`
LocalName field(LocalName of, Name name);
/// `of[index]`
LocalName element(LocalName of, std::int64_t index);
/// One more index in the same brackets: `m[2,1]` of `m[2]`
LocalName next_index(LocalName of, std::int64_t index);
/// `of#number`
LocalName numbered(LocalName of, std::uint32_t number);
/// The parts of each of `relative` behind `of`: `x[3].p.v` of `x[3]` and `.p.v`, which is made of
/// LocalName{}. A name whose first parts are another one's stands behind that.
void under(LocalName of, std::span<const LocalName> relative, std::vector<LocalName>& out);

/// The name that was made with this text, if one was.
std::optional<LocalName> find_local_name(std::string_view text);

std::string text(LocalName name);
void append_text(LocalName name, std::string& out);

}  // namespace sigrel
