// components::Library: the relation definitions of a program by themselves, before any model uses them. What
// elaboration hands to structural typing: of each relation body its scalar variables, which of them occur in
// which equation, and the relations it applies. No names of instances, no numbers: two resistors are one
// component.
//
// Children come before the components that apply them.
#pragma once
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/ir/core.h"
#include "compiler/ir/system.h"

namespace sigrel::components {

/// A relation parameter of a definition that is looked at by itself.
struct Hole {
  core::GlobalId definition;
  core::Hole parameter;
  std::uint32_t component = 0;
};
constexpr std::int32_t kNoPlace = INT32_MIN;

/// How a variable occurs in an equation: its derivative of that order, and what the residual's slope with
/// respect to it is: `factor` itself for all values of parameters and unknowns, or `factor` times one of the
/// equation's generic numbers, which depend on those. Generic numbers count from 1 in each equation.
///
/// Example: u = n * (a - b) has slopes 1 for u, -1 times number 1 for a, and 1 times number 1 for b.
struct Slope {
  std::uint32_t order = 0;
  std::uint32_t generic = 0;
  std::int64_t factor = 1;
  bool decides = false;  // a condition looks at the variable
};

/// Variables are numbered as in its template: the scalars of the interface, then the locals.
struct Component {
  std::uint32_t body = 0;  // of Library::system.templates
  std::uint32_t literal =
      0;  // which relation of the source; components of one literal differ in what it captured
  std::uint32_t interface = 0, locals = 0;
  std::optional<std::uint32_t> flows;  // of an interface of connectors alone that have as many potentials
  std::optional<std::uint32_t> hole;   // of Library::holes: it is one, and has no equations
  std::vector<std::uint32_t> holes;    // on which it depends, ascending

  // What is read inside children (`r1.u` in an equation): `reads` are columns after the locals of the
  // template, counted in `locals`. `opened` are the columns after the interface that whoever applies this
  // component reads, in ascending order.
  std::vector<system::LocalInfo> reads;
  std::vector<std::uint32_t> opened;

  // Equation e: variables[offsets[e]] … before variables[offsets[e + 1]], once for each derivative that
  // occurs; sources: of Library::system.
  std::vector<std::uint32_t> offsets{0}, variables, sources;
  std::vector<Slope> slopes;      // of each of `variables`
  std::vector<bool> homogeneous;  // by equation: it holds where everything is zero

  struct Application {
    std::uint32_t component = 0;
    std::uint32_t first_argument =
        0;  // of arguments: a variable for each scalar of its interface, then for each that is opened
  };
  core::GlobalId owner;  // the definition in which the relation is written
  /// Built for a sample of a size: with any larger size in its place it is the same, and what it applies
  /// moves with the size.
  bool holds_beyond = false;
  bool holds_everywhere = false;  // with any other size or turn of a loop in place of those in it
  /// Of interface and locals: where a variable stands in a row of parts whose number is the size; kNoPlace
  /// for others.
  std::vector<std::int32_t> places;

  std::vector<Application> applications;  // the children of the template, in its order
  std::vector<std::uint32_t> arguments;
};

/// Samples of one definition that differ in one size, in ascending order; or a single one, where there is no
/// size.
struct Family {
  core::GlobalId definition;
  std::vector<core::Choice> choices;  // with the name of the size that varies; its value says nothing
  struct Member {
    std::int64_t size = 0;
    std::uint32_t component = 0;
    bool holds_beyond = false;  // that the sample gives this component holds for larger sizes, as it moves
  };
  std::vector<Member> members;  // of the sizes that the definition takes; none: nothing is known
  bool varies() const { return std::ranges::any_of(choices, &core::Choice::varies); }
};

/// A component that has to keep a written contract.
struct Claim {
  core::ContractId contract;
  std::uint32_t component = 0;
  Span span;                // of the argument, or the name of the definition
  bool is_argument = true;  // else it is the relation of a definition
};

struct Library {
  system::System system;  // templates and sources only
  std::vector<Component> components;
  std::vector<Hole> holes;
  /// Components from here on were made for families only.
  std::uint32_t plain = 0;
  std::vector<Family> families;           // those of a definition are consecutive
  std::vector<core::Contract> contracts;  // of the program
  std::vector<Claim> claims;
  /// The definitions that are relations, or functions of numbers and relations that give one; absent where
  /// the structure depends on more than that. Those with sizes are families.
  std::vector<std::pair<core::GlobalId, std::optional<std::uint32_t>>> definitions;
  std::vector<Span> definition_spans;  // their names
};

}  // namespace sigrel::components
