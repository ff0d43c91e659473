// A flat system for messages: equations are numbers of a list, unknowns those of the system, and scopes are
// instances.
#pragma once
#include "compiler/incidence/incidence.h"
#include "compiler/ir/dae.h"
#include "compiler/singularity/source_names.h"
#include "compiler/singularity/source_view.h"

namespace sigrel::singularity {

class SystemView final : public SourceView {
 public:
  /// The equations of the system.
  explicit SystemView(const system::System& system);
  /// Those of the reduced system. Variables count as the unknown of which they are a derivative.
  SystemView(const system::System& system, const dae::System& dae);

  const incidence::EquationList& equations() const { return equations_; }
  Span span_of(Origin origin, Scope scope) const;

  Scope scope_of_equations(Numbers equations) const override;
  Scope scope_of_unknowns(Numbers unknowns) const override { return names_.common_owner(unknowns); }
  Scope common(Scope a, Scope b) const override { return names_.common(a, b); }
  std::string relation(Scope scope) const override { return names_.relation(scope); }
  Span definition(Scope scope) const override { return names_.body(scope).span; }
  bool for_every_use(Scope) const override { return false; }
  void note_instance(Diagnostic& diagnostic, Scope scope) const override {
    names_.note_instance(diagnostic, scope);
  }
  std::vector<Place> places(Numbers equations, Scope scope) const override;
  std::vector<std::uint32_t> unknowns_of(std::uint32_t equation) const override;
  bool has_name(std::uint32_t) const override { return true; }
  std::string name(std::uint32_t unknown, Scope scope) const override { return names_.name(unknown, scope); }
  system::UnknownKind kind(std::uint32_t unknown) const override {
    return system::unknown_info(system_, unknown).kind;
  }
  const system::LocalInfo* declared_local(std::uint32_t unknown) const override {
    return &system::unknown_info(system_, unknown);
  }
  std::optional<Local> local(std::uint32_t unknown) const override { return names_.local(unknown); }
  Span declaration(std::uint32_t unknown, Scope scope) const override {
    return names_.declaration(unknown, scope);
  }

 private:
  std::vector<Origin> origins(Numbers equations) const;

  const system::System& system_;
  SourceNames names_;
  incidence::EquationList equations_;
  IdVector<VariableId, std::uint32_t> unknown_of_;  // empty: the equations contain unknowns
};

}  // namespace sigrel::singularity
