// Layouts of signals: which scalars a signal of a type consists of. A definition over signals of any type has
// a layout parameter for each such type, and every use passes the layouts. Layouts are requested during the
// walk and filled in when the types of the group are known.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/check/types/sizes.h"
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::check {

class Layouts {
 public:
  Layouts(Diagnostics& diagnostics, Types& types, Unifier& unifier, CoreBuilder& core, Sizes& sizes)
      : diagnostics_(diagnostics), types_(types), unifier_(unifier), core_(core), sizes_(sizes) {}

  /// Starts a definition, without layout parameters.
  void begin_definition() { parameters_.clear(); }
  /// Signals of `type` have the layout that `local` is bound to.
  void add_parameter(Type* type, core::LocalId local) { parameters_.emplace_back(type, local); }
  /// Ends the current definition: keeps its parameters for `finish`.
  void end_definition() { parameters_of_[core_.current()] = parameters_; }

  /// Sets `*place`, which is inside an arena node, to the layout of `type` at the end of the group.
  void request(const core::Layout** place, Type* type) {
    requests_.push_back({place, type, core_.current(), std::nullopt});
  }
  /// A unit of display, as it is written there.
  struct Display {
    std::string unit;
    Span span;
  };
  /// The same of a variable that results show in another unit than that of its type.
  void request(const core::Layout** place, Type* type, std::optional<Display> display) {
    requests_.push_back({place, type, core_.current(), std::move(display)});
  }
  /// Gives a use of a global the layouts of `instances` at the end of the group.
  void request(core::GlobalExpr* use, std::vector<Type*> instances) {
    uses_.push_back({use, core_.current(), std::move(instances)});
  }
  /// Fills in the requested layouts.
  void finish();
  /// Drops the requests of a group that is inferred again.
  void discard();

  /// The layout of `type` inside the current definition.
  const core::Layout* layout(Type* type);

  /// Makes a local definition that is used with signals of several types a function of their layouts.
  /// `rigid` are the types of its body that have these layouts.
  core::Binding abstract(core::Binding binding, std::span<Type* const> rigid);
  /// Makes `place` the application of a local definition to the layouts of `types`.
  core::ApplyExpr* apply(core::ApplyExpr* place, core::Expr* function, std::span<Type* const> types,
                         Span span);

 private:
  using Parameters = std::vector<std::pair<Type*, core::LocalId>>;
  struct Request {
    const core::Layout** place;
    Type* type;
    core::GlobalId owner;
    std::optional<Display> display;
  };
  struct Use {
    core::GlobalExpr* node;
    core::GlobalId owner;
    std::vector<Type*> instances;
  };

  const core::Layout* shown_in(const core::Layout* layout, Type* type, const Display& display);
  const core::Layout* variable_layout(Type* type);
  const core::Layout* constructor_layout(Type* type);
  core::Layout* make(core::LayoutKind kind);
  void enter(core::GlobalId owner);

  Diagnostics& diagnostics_;
  Types& types_;
  Unifier& unifier_;
  CoreBuilder& core_;
  Sizes& sizes_;
  Parameters parameters_;  // of the current definition
  std::unordered_map<core::GlobalId, Parameters> parameters_of_;
  std::vector<Request> requests_;
  std::vector<Use> uses_;
  std::unordered_map<const TypeConstructor*, const core::Layout*> cache_;
};

}  // namespace sigrel::check
