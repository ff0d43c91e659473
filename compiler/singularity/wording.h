// Phrases that the messages about equations have in common: lists of names, counts, and the places that a
// message labels.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/system.h"

namespace sigrel::singularity {

/// "`a`", "`a` and `b`", "`a`, `b` and `c`", "`a`, `b`, `c`, `d`, `e` and 17 more".
std::string listed(const std::vector<std::string>& names, std::size_t shown = 5);
/// Another name that was perhaps meant. All names of one letter are near to each other: `b` is not taken for
/// `a`, but `bb` for `b`.
std::optional<std::string> near_name(const std::string& name, const std::vector<std::string>& others);
/// "1 equation", "3 equations", "no equation".
std::string counted(std::size_t n, const char* noun);
/// "one", "two", … "nine", "10".
std::string number_word(std::size_t n);

/// Where equations are written, seen from a relation: an equation of its body, or the use of a relation that
/// contributes some.
struct Place {
  Span span;
  std::string part;  // the name of the use; empty for an equation of the body
  std::size_t equations = 1;
  bool implicit = false;  // an equation of a node or an argument, which nobody wrote as an equation
  /// How many equations the use contributes may depend on a relation parameter.
  enum Bound : std::uint8_t { Exactly, AtLeast, AtMost } bound = Exactly;
  std::string node = {};  // of an equation that says that the flows at a node sum to zero
};

/// Implicit equations first, then uses, then the written equations of the body, each in source order: the
/// last place is the one to blame, the equation that was written last. Places with the same span and the same
/// part become one.
std::vector<Place> in_order_of_blame(std::vector<Place> places);
/// An equation of the body.
Place equation_place(const system::SourceEquation& equation);

/// "`r1` contributes at least 2 equations".
std::string contributes(const Place& place);
/// Labels all places but the last, which is the primary one: uses with what they contribute, nodes, and
/// equations of the body with `text`. At most `shown`, the last ones; the others are counted in a note.
void label_others(Diagnostic& diagnostic, std::span<const Place> places, const std::string& text,
                  std::size_t shown = 6);

}  // namespace sigrel::singularity
