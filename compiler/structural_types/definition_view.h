// A relation definition for messages about it: its composition with the types of its parts (structure), or
// its expansion down to the last equation (mixed layer). It has one scope, itself.
#pragma once
#include <set>

#include "compiler/ir/components.h"
#include "compiler/singularity/source_view.h"
#include "compiler/structural_types/definition.h"
#include "compiler/structural_types/flat.h"

namespace sigrel::structural_types {

class DefinitionView : public singularity::SourceView {
 public:
  Scope scope_of_equations(Numbers) const override { return 0; }
  Scope scope_of_unknowns(Numbers) const override { return 0; }
  Scope common(Scope, Scope) const override { return 0; }
  std::string relation(Scope = 0) const override;
  Span definition(Scope = 0) const override { return template_.span; }
  bool for_every_use(Scope) const override { return component_.interface > 0; }
  void note_instance(Diagnostic&, Scope) const override {}

 protected:
  DefinitionView(const components::Library& library, std::uint32_t component)
      : library_(library),
        component_(library.components[component]),
        template_(library.system.templates[component_.body]) {}
  singularity::Place own_equation(std::uint32_t equation) const;
  singularity::Place use(std::uint32_t application) const;
  const system::Template& template_of(const components::Component& component) const {
    return library_.system.templates[component.body];
  }
  /// A variable of a component that is not in its interface.
  const system::LocalInfo& local(const components::Component& component, std::uint32_t variable) const;
  std::string name_in(const components::Component& component, std::uint32_t variable) const;
  system::UnknownKind kind_in(const components::Component& component, std::uint32_t variable) const;
  const system::LocalInfo* local_in(const components::Component& component, std::uint32_t variable) const;
  std::optional<Local> place_in(const components::Component& component, std::uint32_t variable) const;
  Span declaration_in(const components::Component& component, std::uint32_t variable) const;

  const components::Library& library_;
  const components::Component& component_;
  const system::Template& template_;
};

/// Equations are rows of the composition, unknowns its columns: those of the definition have names.
class CompositionView final : public DefinitionView {
 public:
  /// `open_parts`: what the composition says of parts that depend on a relation parameter.
  CompositionView(const components::Library& library, std::uint32_t component, const Composition& composition,
                  singularity::Place::Bound open_parts = singularity::Place::Exactly)
      : DefinitionView(library, component), composition_(composition), open_parts_(open_parts) {}

  std::optional<SameUse> same_use(std::uint32_t equation, std::uint32_t other) const override;
  std::vector<singularity::Place> places(Numbers equations, Scope = 0) const override;
  std::vector<std::uint32_t> unknowns_of(std::uint32_t equation) const override;
  bool has_name(std::uint32_t unknown) const override {
    return unknown < component_.interface + component_.locals;
  }
  std::string name(std::uint32_t unknown, Scope = 0) const override { return name_in(component_, unknown); }
  system::UnknownKind kind(std::uint32_t unknown) const override {
    return has_name(unknown) ? kind_in(component_, unknown) : system::UnknownKind::Auxiliary;
  }
  const system::LocalInfo* declared_local(std::uint32_t unknown) const override {
    return has_name(unknown) ? local_in(component_, unknown) : nullptr;
  }
  std::optional<Local> local(std::uint32_t unknown) const override {
    return has_name(unknown) ? place_in(component_, unknown) : std::nullopt;
  }
  Span declaration(std::uint32_t unknown, Scope) const override {
    return declaration_in(component_, unknown);
  }

 private:
  std::set<std::uint32_t> potentials(const components::Component::Application& use) const;

  const Composition& composition_;
  singularity::Place::Bound open_parts_;
};

/// Equations and unknowns are rows and columns of the expansion; names are paths, "r1.u".
class ExpansionView final : public DefinitionView {
 public:
  ExpansionView(const components::Library& library, std::uint32_t component, const Flat& flat)
      : DefinitionView(library, component), flat_(flat) {}

  /// The application of the definition that contains an instance; nothing for the definition itself.
  std::optional<std::uint32_t> application_of(std::uint32_t instance) const;

  std::vector<singularity::Place> places(Numbers equations, Scope = 0) const override;
  std::vector<std::uint32_t> unknowns_of(std::uint32_t equation) const override;
  bool has_name(std::uint32_t) const override { return true; }
  std::string name(std::uint32_t unknown, Scope = 0) const override;
  system::UnknownKind kind(std::uint32_t unknown) const override;
  const system::LocalInfo* declared_local(std::uint32_t unknown) const override;
  std::optional<Local> local(std::uint32_t unknown) const override;
  Span declaration(std::uint32_t unknown, Scope) const override;

 private:
  const components::Component& component_of(std::uint32_t instance) const {
    return library_.components[flat_.components[flat_.expansion.instances[instance].definition]];
  }
  const Flat& flat_;
};

}  // namespace sigrel::structural_types
