// Names and places in the source of the equations and unknowns of a flat system, seen from one of its
// instances. For messages only.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/system.h"
#include "compiler/singularity/source_view.h"
#include "compiler/singularity/wording.h"

namespace sigrel::singularity {

class SourceNames {
 public:
  explicit SourceNames(const system::System& system) : system_(system) {}

  /// The innermost instance that contains all of these equations.
  std::uint32_t common_instance(std::span<const Origin> origins) const;
  /// The innermost instance that contains the declarations of all these unknowns.
  std::uint32_t common_owner(std::span<const std::uint32_t> unknowns) const;
  std::string relation(std::uint32_t instance) const;
  const system::Template& body(std::uint32_t instance) const {
    return system_.templates[system_.instances[instance].body];
  }
  /// The name of an unknown as the relation of an instance sees it: its interface, what is inside it, else
  /// the full name.
  std::string name(std::uint32_t unknown, std::uint32_t instance) const;
  /// Names in an order that puts what was declared in the source first.
  std::vector<std::string> names(std::vector<std::uint32_t> unknowns, std::uint32_t instance) const;
  bool is_flow(std::uint32_t unknown) const {
    return system::unknown_info(system_, unknown).kind == system::UnknownKind::Flow;
  }

  /// Where an unknown is to be found in the body of an instance: its declaration, or the use of the relation
  /// that has it.
  Span declaration(std::uint32_t unknown, std::uint32_t instance) const;
  /// The innermost instance that contains both.
  std::uint32_t common(std::uint32_t a, std::uint32_t b) const { return common(std::vector{a, b}); }

  /// Where the relation that owns an unknown declares it.
  SourceView::Local local(std::uint32_t unknown) const {
    const system::Instance& i = system_.instances[owner(unknown)];
    return {&system_.templates[i.body], unknown - i.first_unknown};
  }

  using Place = singularity::Place;
  /// Where the equations come from, seen from the body of an instance that contains them all, in
  /// the order of blame.
  std::vector<Place> places(std::span<const Origin> origins, std::uint32_t instance) const;
  /// The nearest instance around an equation, or the one that it is of, that is used in the file of the
  /// model; kRoot for equations of the model itself, and where there is none. `use_in_model`: where that is.
  std::uint32_t instance_in_model(Origin origin) const;
  std::optional<Span> use_in_model(Origin origin) const;
  /// Says which instance a relation's message is about, where that is not the whole model.
  void note_instance(Diagnostic& diagnostic, std::uint32_t instance) const;

 private:
  std::uint32_t common(const std::vector<std::uint32_t>& instances) const;
  std::uint32_t owner(std::uint32_t unknown) const;
  /// Where an instance is used in its parent.
  Span use(std::uint32_t instance) const {
    const system::Instance& i = system_.instances[instance];
    return body(i.parent).children[i.child].span;
  }
  const system::System& system_;
};

}  // namespace sigrel::singularity
