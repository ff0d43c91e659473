// Bodies to table rows, instance by instance. The queue is the list of instances itself, so a chain of a
// million relations takes a million iterations and no recursion. A body is built at the first instance of its
// skeleton.
#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "compiler/elaborate/body.h"
#include "compiler/elaborate/body_key.h"
#include "compiler/elaborate/elaborate.h"
#include "compiler/elaborate/identities.h"

namespace sigrel::elaborate {

/// The modes that a run has entered, by instance. Initial equations hold only for what is new then: the parts
/// of modes that are `entered`.
struct EnteredModes {
  struct Mode {
    GivenMode given;
    bool entered = false;
  };
  std::unordered_map<InstanceIdentity, std::vector<Mode>> modes;
  bool at_start = false;  // of the run: all initial equations hold
};

/// The numbers that the module of `main` defines.
struct Definitions {
  std::vector<std::string> names;  // those that settings can change
  std::vector<bool> set;           // by setting: whether it is for one of them
};

/// The value of a setting for a Real, an Int or a Bool; nullopt (reported) if it is none.
std::optional<Value> number_of_setting(const Setting& setting, Tag tag, Diagnostics& diagnostics);

class Instantiator {
 public:
  /// `modes`: of a run that has changed the structure; null at its start.
  Instantiator(Machine& machine, Relations& relations, system::System& system, const Options& options,
               const Definitions& definitions, Identities& identities, const EnteredModes* modes)
      : machine_(machine),
        relations_(relations),
        system_(system),
        options_(options),
        definitions_(definitions),
        identities_(identities),
        modes_(modes),
        shapes_(system),
        builder_(machine, relations, system, shapes_) {
    if (options.one_by_one) builder_.apply_one_by_one();
  }

  /// Instantiates the model. False when an error was reported.
  bool run(RelationObject& model);
  /// The arguments of the instances, when the options ask for them.
  std::vector<Argument> take_arguments() { return std::move(arguments_); }
  /// By System::switches, and the targets by System::transitions.
  struct SwitchValue {
    SwitchIdentity identity;
    InstanceIdentity instance;
    SwitchPlace place;
    Value mode;
    bool is_given;
    bool has_initial = false;  // its mode, or a part of it, has initial equations
  };
  std::vector<SwitchValue>& switches() { return switches_; }
  std::vector<Value>& targets() { return targets_; }
  std::vector<InstanceIdentity>& instances() { return instance_identities_; }
  /// By instance: the innermost switch in whose mode it is.
  std::vector<std::uint32_t>& owners() { return owners_; }
  const std::vector<bool>& structural() const { return structural_; }
  const std::vector<bool>& used_settings() const { return used_settings_; }
  /// Result::unused_settings.
  std::vector<std::pair<std::size_t, Diagnostic>> take_unused_settings() {
    return std::move(unused_settings_);
  }
  /// The same for the parameters that `with` gives, by where they are written.
  std::vector<std::pair<Span, Diagnostic>> take_unused_changes() { return std::move(unused_changes_); }
  /// Adds where parameters are written that `with` gives and some part has.
  void list_used_changes(std::vector<Span>& used) const;

 private:
  // The captured parameters of a relation value in one instance: its own Reals, and one set for each relation
  // that it captured.
  using CapturedSet = Id<struct CapturedSetTag>;
  struct Captured {
    std::uint32_t first_real = 0;   // of System::captured
    std::uint32_t first_inner = 0;  // of inner_
  };
  struct Pending {
    RelationObject* relation;
    LayoutId interface;
    CapturedSet captured;
    std::uint32_t depth;
    std::uint32_t settings;  // index of settings_, 0: none
    std::uint32_t earlier;   // an instance that contains it (Brent's cycle detection): the last at a depth
                             // that is a power of two
    std::uint32_t body = 0;  // of bodies_, when it has been instantiated
  };
  struct PendingSetting {
    std::size_t option;
    std::string_view rest;                // of its name, below the instance
    std::uint32_t own = evaluate::kNone;  // of own_settings_, instead of the option
    std::uint32_t parameter = 0;          // then its value
  };
  /// A parameter that `with` gives to the relation of an instance.
  struct OwnSetting {
    Name path;
    Span span;
    std::uint32_t instance;
    bool used = false;
  };
  // The bodies of one skeleton and interface: one for each combination of values of the structural Reals.
  struct Family {
    std::vector<std::uint32_t> structural;
    std::map<std::vector<double>, std::uint32_t> bodies;
  };
  // A member reference in the system, resolved when all instances exist.
  struct Unresolved {
    enum Kind : std::uint8_t { Row, Attribute, Previous } kind;
    RowKind row;
    std::uint32_t table;
    std::size_t position;
    std::uint32_t instance;
    const MemberReference* reference;
  };

  std::optional<std::uint32_t> body_of(RelationObject& relation, LayoutId interface, CapturedSet captured,
                                       std::span<const double> reals);
  void mark_structural(const Family& family, CapturedSet captured);
  CapturedSet apply_settings(std::uint32_t instance, const RelationObject& relation, CapturedSet captured);
  void add_own_settings(std::uint32_t instance, const RelationObject& relation, CapturedSet captured);
  RelationObject* with_structural_settings(RelationObject& model);
  std::uint32_t named(std::string name, std::uint32_t parameter, std::optional<double> value);
  std::uint32_t parameter(const system::Parameter& p);
  RelationObject* relation_in_mode(std::uint32_t instance, CapturedSet& captured);
  CapturedSet captured_of_relation(const RelationObject& relation);
  void add_switches(const Body& body, std::uint32_t instance, CapturedSet captured);
  std::pair<std::uint32_t, std::uint32_t> add_mode_numbers(const Body& body, std::uint32_t instance,
                                                           CapturedSet captured,
                                                           std::span<const ModeNumberPlan> numbers,
                                                           std::span<RelationObject* const> relations);
  void add_captured_numbers(const RelationObject& relation, CapturedSet set);
  void add_transitions(const Body& body, std::uint32_t instance, CapturedSet captured);
  std::uint32_t owner_of(std::uint32_t instance, std::uint32_t body_switch) const {
    return body_switch == system::kNoSwitch ? owners_[instance] : first_switch_ + body_switch;
  }
  bool starts(std::uint32_t instance, const RowPlan& initial);
  bool is_new(std::uint32_t owner) const { return owner != system::kNoSwitch && is_new_[owner]; }
  void add_rows(const Blueprint& b, std::uint32_t instance, RowKind kind);
  void add_events(const Blueprint& b, std::uint32_t instance);
  std::uint32_t unknown(const Blueprint& b, const system::Instance& instance, ColumnId column) const {
    return column.value < b.interface ? system_.arguments[instance.first_argument + column.value]
                                      : instance.first_unknown + column.value - b.interface;
  }
  // The parameter of the system for captured Real `k`.
  std::uint32_t captured_real(CapturedSet set, std::size_t k) const {
    return system_.captured[captured_[set.value].first_real + k];
  }
  CapturedSet add_captured();
  CapturedSet captured_of_model(RelationObject& model);
  std::optional<LayoutId> interface_of_model(const RelationObject& model);
  void add_reals(const Blueprint& b, CapturedSet captured);
  void add_sums(const Blueprint& b, std::uint32_t instance);
  void add_attributes(const Blueprint& b, std::uint32_t instance);
  void add_captured_of_children(const Blueprint& b, CapturedSet captured);
  void add_children(const Body& body, std::uint32_t instance);
  std::uint32_t settings_of_child(std::uint32_t settings, const std::string& name);
  void label_part(std::uint32_t i);
  bool instantiate(std::uint32_t instance);
  void evaluate_parameters();
  void mark_structural_operands();
  bool is_within_limits(std::uint32_t instance, const Blueprint& b);
  void report_endless(std::uint32_t deepest);
  const system::Template& template_of(std::uint32_t instance) const {
    return system_.templates[system_.instances[instance].body];
  }
  Name relation_of(std::uint32_t instance) const { return template_of(instance).relation; }
  /// Where the instance's parent applies its relation.
  Span application_of(std::uint32_t instance) const {
    const system::Instance& self = system_.instances[instance];
    return template_of(self.parent).children[self.child].span;
  }
  void list_arguments(std::uint32_t instance, const RelationObject& relation, CapturedSet captured,
                      std::span<const double> reals);
  bool contains_itself(std::uint32_t instance);
  bool resolve_members();
  void report_no_member(const Unresolved& u, system::Names& names, std::uint32_t child);
  void report_unused_settings();
  void suggest_parameter(Diagnostic& diagnostic, std::string_view name, std::uint32_t instance);

  Machine& machine_;
  Relations& relations_;
  system::System& system_;
  const Options& options_;
  const Definitions& definitions_;
  Identities& identities_;
  const EnteredModes* modes_;
  std::vector<InstanceIdentity> instance_identities_;  // if there are switches
  std::vector<SwitchValue> switches_;
  std::vector<Value> targets_;
  std::vector<std::uint32_t> owners_;
  std::vector<bool> is_new_;        // by switch: whether its mode, or one around it, was entered
  std::uint32_t first_switch_ = 0;  // of the instance
  Shapes shapes_;
  BodyBuilder builder_;

  std::vector<Pending> pending_;  // by instance
  std::vector<Captured> captured_;
  std::vector<CapturedSet> inner_;
  std::vector<Body> bodies_;
  std::unordered_map<BodyKey, Family, BodyKey::Hash> families_;
  std::vector<double> values_;        // by parameter
  std::vector<std::uint32_t> reals_;  // scratch: parameter of each of Blueprint::reals
  std::vector<CapturedSet> sets_;     // scratch: of each of Blueprint::captured
  std::vector<double> real_values_;   // scratch: of the captured Reals of an instance
  std::vector<Unresolved> unresolved_;
  std::vector<std::vector<PendingSetting>> settings_{{}};
  std::vector<bool> used_settings_;
  std::vector<OwnSetting> own_settings_;
  std::vector<std::pair<std::size_t, Diagnostic>> unused_settings_;
  std::vector<std::pair<Span, Diagnostic>> unused_changes_;
  std::vector<std::string> structural_names_;  // the Ints and Bools that the model captured
  std::vector<bool> structural_;               // by parameter: its value decided structure
  std::vector<Argument> arguments_;
  std::vector<std::uint32_t> argument_parameters_;  // parallel; kNone: no number
};

}  // namespace sigrel::elaborate
