// The source behind the equations and unknowns of a singular system, for messages: names, declarations and
// places. Reports (report.h) are written against this interface; a flat system (singular_system.cpp) and a
// relation definition (structural_types/definition_view.h) implement it.
//
// A scope is the relation that a message is about. In a flat system it is an instance, the innermost one that
// contains what the message mentions; a definition has one scope only.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/system.h"
#include "compiler/singularity/wording.h"

namespace sigrel::singularity {

class SourceView {
 public:
  using Scope = std::uint32_t;
  using Numbers = std::span<const std::uint32_t>;
  virtual ~SourceView() = default;

  virtual Scope scope_of_equations(Numbers equations) const = 0;
  virtual Scope scope_of_unknowns(Numbers unknowns) const = 0;
  /// The innermost scope that contains both.
  virtual Scope common(Scope a, Scope b) const = 0;
  /// "`rc`", or "the model".
  virtual std::string relation(Scope scope) const = 0;
  virtual Span definition(Scope scope) const = 0;
  /// Whether the relation is analysed for every context in which it may be used.
  virtual bool for_every_use(Scope scope) const = 0;
  /// Says which instance of the relation the message is about, if it is one of several.
  virtual void note_instance(Diagnostic& diagnostic, Scope scope) const = 0;

  /// The uses that contribute two equations, by name, if they are of one relation with the same arguments, or
  /// of different relations between the same nodes.
  struct SameUse {
    std::string first, second;
    bool same_relation = true;
  };
  virtual std::optional<SameUse> same_use(std::uint32_t /*equation*/, std::uint32_t /*other*/) const {
    return std::nullopt;
  }

  /// In the order of blame.
  virtual std::vector<Place> places(Numbers equations, Scope scope) const = 0;
  /// The unknowns that an equation contains, ascending.
  virtual std::vector<std::uint32_t> unknowns_of(std::uint32_t equation) const = 0;

  /// False for an unknown inside a part that is represented by its structural type.
  virtual bool has_name(std::uint32_t unknown) const = 0;
  virtual std::string name(std::uint32_t unknown, Scope scope) const = 0;
  virtual system::UnknownKind kind(std::uint32_t unknown) const = 0;
  /// What its relation says of the unknown; null for one of an interface.
  virtual const system::LocalInfo* declared_local(std::uint32_t unknown) const = 0;
  /// The body of the relation that declares the unknown, and the unknown's number among its locals.
  struct Local {
    const system::Template* body;
    std::uint32_t index;
  };
  virtual std::optional<Local> local(std::uint32_t unknown) const = 0;
  /// The declaration, or the use of the relation that declares the unknown.
  virtual Span declaration(std::uint32_t unknown, Scope scope) const = 0;
};

}  // namespace sigrel::singularity
