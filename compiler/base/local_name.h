// Local names: names with parts, for variables and instances inside a relation body: `x`, `x[3]`, `x[3].v`,
// `m[2,1]`, `resistor#2`. A local name is a part and the local name that it extends, so a million names are a
// table of a few words each, and their texts are built on demand. Equal construction yields equal ids; local
// names, like names, live as long as the process.
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
/// Another index in the same brackets: `m[2,1]` of `m[2]`
LocalName next_index(LocalName of, std::int64_t index);
/// `of#number`
LocalName numbered(LocalName of, std::uint32_t number);
/// Appends the parts of each name in `relative` to `of`: `x[3].p.v` from `x[3]` and `.p.v`, which extends
/// LocalName{}. A name in `relative` comes after its prefixes.
void under(LocalName of, std::span<const LocalName> relative, std::vector<LocalName>& out);

/// The existing name with this text, if there is one.
std::optional<LocalName> find_local_name(std::string_view text);

std::string text(LocalName name);
void append_text(LocalName name, std::string& out);

}  // namespace sigrel
