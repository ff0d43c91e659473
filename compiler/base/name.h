// Interned names. Equal text, equal id: after the parser no stage compares strings.
#pragma once
#include <string>
#include <string_view>

#include "compiler/base/ids.h"

namespace sigrel {

/// Name{} is the empty text.
using Name = Id<struct NameTag>;

/// The id of `text`; the same for every call with the same text.
Name intern(std::string_view text);

/// Whether `text` has been interned: false for a name that no source read so far contains.
bool is_interned(std::string_view text);

/// The text of an interned name; valid for the life of the process.
std::string_view text(Name name);

}  // namespace sigrel
