// Structural types for those who look at a program: `sigrel check --types`, `:structure`, `sigrel explain
// --structure`, `sigrel doc`.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/components.h"
#include "compiler/structural_types/families.h"

namespace sigrel::session {

struct StructuralTypes {
  components::Library library;
  std::vector<std::optional<structural_types::StructuralType>>
      types;                                // by component; absent where something is singular
  std::vector<structural_types::Fit> fits;  // by component: of relation parameters
  std::vector<structural_types::FamilyType>
      families;  // of library.families: definitions with parameters that steer structure
  std::unordered_map<core::GlobalId, std::uint32_t>
      components;  // of the definitions that have a type without their use

  /// "{p.v p.i n.v; p.i n.i}"; empty where there is none.
  std::string text(core::GlobalId definition) const;
};

/// Of each definition in `program.samples`; one that is singular in whatever it is used is reported.
StructuralTypes structural_types(const core::Program& program, Diagnostics& diagnostics);

/// Reports the definitions that are singular by themselves, harmlessly or not, among those that a model is
/// made of, with its own numbers. `main` is elaborated already.
void report_singular_parts(const core::Program& program, Diagnostics& diagnostics);

}  // namespace sigrel::session
