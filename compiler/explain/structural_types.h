// Structural types of the definitions of a program: for `sigrel check --types`, `:structure`,
// `sigrel explain --structure` and `sigrel doc`.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/components.h"
#include "compiler/structural_types/families.h"

namespace sigrel::explain {

struct StructuralTypes {
  components::Library library;
  structural_types::Checked checked;
  /// Of library.families: definitions with structural parameters.
  std::vector<structural_types::FamilyType> families;
  /// The components of definitions that have a type independent of their use.
  std::unordered_map<core::GlobalId, std::uint32_t> components;

  /// "{p.v p.i n.v; p.i n.i}"; empty if the definition has no type.
  std::string text(core::GlobalId definition) const;
};

/// Of each definition in `program.samples`. Reports definitions that are singular in every use.
StructuralTypes structural_types(const core::Program& program, Diagnostics& diagnostics);

}  // namespace sigrel::explain
