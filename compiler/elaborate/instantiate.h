// Bodies to table rows, one instance after the other. The queue is the list of instances itself, so a chain
// of a million relations costs a million turns of a loop; a body is built when its skeleton is met for the
// first time.
#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "compiler/elaborate/body.h"
#include "compiler/elaborate/elaborate.h"

namespace sigrel::elaborate {

class Instantiator {
 public:
  Instantiator(Machine& machine, Relations& relations, system::System& system, const Options& options)
      : machine_(machine),
        relations_(relations),
        system_(system),
        options_(options),
        builder_(machine, relations, system, shapes_) {}

  /// Instantiates the model. False when an error was reported.
  bool run(RelationObject& model);
  /// What the instances were given, when the options ask for it.
  std::vector<Argument> take_arguments() { return std::move(arguments_); }

 private:
  // The Reals of a relation value in one instance: its own, and one bundle for each relation that it
  // captured.
  struct Bundle {
    std::uint32_t first_real = 0;   // of System::captured
    std::uint32_t first_inner = 0;  // of inner_
  };
  struct Pending {
    RelationObject* relation;
    LayoutId interface;
    std::uint32_t bundle;
    std::uint32_t depth;
    std::uint32_t settings;  // index of settings_, 0: none
    std::uint32_t earlier;   // an instance that contains it (Brent's cycle detection): the last at a depth
                             // that is a power of two
    std::uint32_t body = 0;  // of bodies_, when it has been instantiated
  };
  struct PendingSetting {
    std::size_t option;
    std::string_view rest;  // of its name, below the instance
  };
  // The bodies of one skeleton: one for each combination of values of the Reals that steer it.
  struct Family {
    std::vector<std::uint32_t> forced;
    std::map<std::vector<double>, std::uint32_t> bodies;
  };
  struct Fix {
    enum Kind : std::uint8_t { Row, Attribute, Previous } kind;
    RowKind row;
    std::uint32_t table;
    std::size_t position;
    std::uint32_t instance;
    const DeepPlan* deep;
  };

  std::optional<std::uint32_t> body_of(const Pending& pending, std::uint32_t bundle,
                                       std::span<const double> reals);
  void mark_forced(const Family& family, std::uint32_t bundle);
  std::uint32_t apply_settings(std::uint32_t instance, const RelationObject& relation, std::uint32_t bundle);
  RelationObject* with_structural_settings(RelationObject& model);
  std::uint32_t named(std::string name, std::uint32_t parameter, std::optional<double> value);
  std::uint32_t parameter(const system::Parameter& p);
  void add_rows(const Blueprint& b, std::uint32_t instance, RowKind kind);
  void add_events(const Blueprint& b, std::uint32_t instance);
  std::uint32_t unknown(const Blueprint& b, const system::Instance& instance, std::uint32_t column) const {
    return column < b.interface ? system_.arguments[instance.first_argument + column]
                                : instance.first_unknown + column - b.interface;
  }
  void note_arguments(std::uint32_t instance, const RelationObject& relation, std::uint32_t bundle,
                      std::span<const double> reals);
  bool repeats(std::uint32_t instance);
  bool fix();
  void report_unused_settings();

  Machine& machine_;
  Relations& relations_;
  system::System& system_;
  const Options& options_;
  Shapes shapes_;
  BodyBuilder builder_;

  std::vector<Pending> pending_;  // by instance
  std::vector<Bundle> bundles_;
  std::vector<std::uint32_t> inner_;
  std::vector<Body> bodies_;
  std::unordered_map<std::uint64_t, Family> families_;  // skeleton, interface
  std::vector<double> values_;                          // by parameter
  std::vector<std::uint32_t> reals_;                    // scratch: parameter of each Blueprint::reals
  std::vector<Fix> fixes_;
  std::vector<std::vector<PendingSetting>> settings_{{}};
  std::vector<bool> used_settings_;
  std::vector<std::string> structural_names_;  // what the model itself has besides Reals
  std::vector<bool> forced_;                   // parameters that decided a structure
  std::vector<Argument> arguments_;
  std::vector<std::uint32_t> argument_parameters_;  // parallel; kConstant: no number
};

}  // namespace sigrel::elaborate
