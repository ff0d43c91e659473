// components::Library: the relation definitions of a program, independent of their use. The input of
// structural typing: for each relation body its scalar variables, the incidence of its equations, and the
// relations it applies. It has no instance names and no parameter values: two resistors with different values
// are one component.
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

/// A relation parameter of a definition that is analysed by itself.
struct Hole {
  core::GlobalId definition;
  core::Hole parameter;
  std::uint32_t component = 0;
};
constexpr std::int32_t kNoPlace = INT32_MIN;

/// The coefficient of a variable, or of its derivative of the given order, in an equation: the partial
/// derivative of the residual. It is `factor` for all values of parameters and unknowns, or `factor` times a
/// generic number of the equation, which depends on them. Generic numbers count from 1 in each equation.
///
/// Example: u = n * (a - b) has coefficients 1 for u, -1 times number 1 for a, and 1 times number 1 for b.
struct Coefficient {
  std::uint32_t order = 0;
  std::uint32_t generic = 0;
  std::int64_t factor = 1;
  bool decides = false;  // the variable occurs in a condition
};

/// Variables are numbered as in the template: the scalars of the interface, then the locals.
struct Component {
  std::uint32_t body = 0;  // of Library::system.templates
  std::uint32_t literal =
      0;  // the relation in the source; components of one literal differ in captured values
  std::uint32_t interface = 0, locals = 0;
  std::optional<std::uint32_t> flows;  // of interfaces of connectors with as many potentials as flows
  std::optional<std::uint32_t> hole;   // index of Library::holes if it is a hole, which has no equations
  std::vector<std::uint32_t> holes;    // holes that it depends on, ascending

  // Members of children that equations read (`r1.u`): `reads` are columns after the locals of the template,
  // counted in `locals`. `opened` are the columns after the interface that components which apply this one
  // read, in ascending order.
  std::vector<system::LocalInfo> reads;
  std::vector<std::uint32_t> exposed;

  // Equation e: variables[offsets[e]] up to variables[offsets[e + 1]] (exclusive), one entry for each order
  // of differentiation; sources: of Library::system.
  std::vector<std::uint32_t> offsets{0}, variables, sources;
  std::vector<Coefficient> coefficients;  // of each of `variables`
  std::vector<bool> homogeneous;          // for each equation whether it holds if all variables are zero

  struct Application {
    std::uint32_t component = 0;
    std::uint32_t first_argument =
        0;  // into arguments: a variable for each scalar of its interface, then for each in `opened`
  };
  core::GlobalId owner;  // the definition that contains the relation
  /// Built for a sample of a size: it is the same for every larger size, and its applications depend on the
  /// size in the same way.
  bool holds_beyond = false;
  bool holds_everywhere = false;  // the same for every size and every iteration of a loop
  /// For interface and locals: the position of a variable in a sequence of parts whose length is the size;
  /// kNoPlace for others.
  std::vector<std::int32_t> places;

  std::vector<Application> applications;  // the children of the template, in its order
  std::vector<std::uint32_t> arguments;

  /// A relation with switches has no equations of its own: it is one of these, with one mode of each of its
  /// switches.
  struct Combination {
    std::vector<std::uint32_t> choices;      // a number for each mode of each switch
    std::optional<std::uint32_t> component;  // absent: it cannot be known here
  };
  std::vector<Combination> combinations;
  std::vector<Name> modes;  // of a component that is a combination: the modes of its switches
};

/// Samples of one definition that differ in one size, in ascending order; a single sample if there is no
/// size.
struct Family {
  core::GlobalId definition;
  std::vector<core::Choice> choices;  // includes the varying size, with an unused value
  struct Member {
    std::int64_t size = 0;
    std::uint32_t component = 0;
    bool holds_beyond = false;  // larger sizes yield the corresponding component
  };
  std::vector<Member> members;  // for the sizes that the definition accepts; empty: unknown
  bool varies() const { return std::ranges::any_of(choices, &core::Choice::varies); }
};

/// A component that must satisfy a written contract.
struct Claim {
  core::ContractId contract;
  std::uint32_t component = 0;
  Span span;                // of the argument, or the name of the definition
  bool is_argument = true;  // otherwise the relation of a definition
};

struct Library {
  system::System system;  // templates and sources only
  std::vector<Component> components;
  std::vector<Hole> holes;
  /// Components from here on belong to families only.
  std::uint32_t plain = 0;
  std::vector<Family> families;           // those of a definition are consecutive
  std::vector<core::Contract> contracts;  // of the program
  std::vector<Claim> claims;
  /// The definitions that are relations, or functions of numbers and relations that return one; nullopt if
  /// the structure depends on other arguments. Definitions with sizes are in `families`.
  std::vector<std::pair<core::GlobalId, std::optional<std::uint32_t>>> definitions;
  std::vector<Span> definition_spans;  // of their names
};

}  // namespace sigrel::components
