// The systems of a model whose structure changes: compiled when a run first needs them, and kept.
//
// A system is that of a mode vector: the mode of each switch, with the structure of its arguments. The
// numbers in the arguments are parameters. Which initial equations a system has depends on the modes that are
// entered, so one mode vector may have several compiled models. Together they take no more memory than a
// limit: those that were used longest ago, and that no run holds, are given up.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/pipeline/mode_search.h"
#include "compiler/pipeline/pipeline.h"

namespace sigrel::pipeline {

/// The name of a mode of a switch, if the model is in it or has a transition to it.
std::optional<Name> mode_name(const Compiled& model, std::uint32_t identity, std::uint32_t mode);

class Structures {
 public:
  /// `backend` and the settings of the context are those of the model at the start; the sources and the
  /// compiler outlive it.
  Structures(std::unique_ptr<elaborate::Elaborator> elaborator, Backend backend, const Context& context)
      : elaborator_(std::move(elaborator)),
        backend_(backend),
        sources_(context.sources),
        compiler_(context.compiler),
        verify_(context.verify),
        limits_(context.limits) {}

  /// The model in these modes; null after errors, with what can be tried instead in `singular`.
  std::shared_ptr<const Compiled> in_modes(const Modes& modes, Diagnostics& diagnostics,
                                           SingularModes& singular);
  /// The same at the start of a run. It is not kept.
  std::shared_ptr<const Compiled> start_in(const Modes& modes, Diagnostics& diagnostics,
                                           SingularModes& singular);
  /// Of a model of these: JumpEquations::of.
  const dae::System* jump_equations(const Compiled& model);
  /// The modes of calls that have numbered what they met: identities, and modes. Who replays them has the
  /// same numbers, also in another process.
  const std::vector<Modes>& history() const { return history_; }
  /// Elaborator::has_used.
  bool has_used(std::size_t setting) const { return elaborator_->has_used(setting); }
  /// The name of a mode of a switch, if a kept system is in it or has a transition to it.
  std::optional<Name> mode_name(std::uint32_t identity, std::uint32_t mode);
  /// Whether these switches and modes have numbers.
  bool is_numbered(const Modes& modes) const { return elaborator_->is_numbered(modes); }
  /// False: this is not the beginning, or the continuation, of the history.
  bool replay(const std::vector<Modes>& history);
  /// The systems of modes that transitions lead to from the start, until `visit` returns false (LaterModes).
  /// Those that cannot be elaborated without a run are left out.
  void each_later(const Compiled& start, const std::function<bool(const system::System&)>& visit);
  /// Results::descriptions of names that the start does not have.
  void describe_later(const std::string& name, std::string description);
  std::string later_description(const std::string& name);
  /// How many were compiled; how many of them were given up (Limits::structures).
  std::size_t compiled() const { return compiled_; }
  std::size_t given_up() const { return given_up_; }
  /// About what those that are kept take.
  std::size_t bytes() const { return bytes_; }

 private:
  /// The models of one mode vector.
  struct Vector {
    std::vector<std::uint32_t> with_initial;  // identities of switches whose modes have initial equations
    struct Variant {
      std::vector<std::uint32_t> entered;                      // of these; ascending
      std::vector<std::pair<std::size_t, double>> structural;  // which of the given numbers must be so
      std::shared_ptr<const Compiled> model;
      std::uint64_t used = 0;  // when, in calls
      std::size_t bytes = 0;   // with those of its jump equations, if they have been made
    };
    std::vector<Variant> variants;
  };

  std::optional<elaborate::Result> elaborate(const Modes& modes, Diagnostics& diagnostics,
                                             bool at_start = false);
  std::unique_ptr<Compiled> compile_in(const Modes& modes, bool at_start, Diagnostics& diagnostics,
                                       SingularModes& singular);
  void limit_memory();

  std::unique_ptr<elaborate::Elaborator> elaborator_;
  Backend backend_;
  SourceMap& sources_;
  jit::Compiler& compiler_;
  bool verify_;
  Limits limits_;
  std::mutex mutex_;
  std::map<ModeKey, Vector> vectors_;
  std::uint64_t calls_ = 0;
  std::size_t bytes_ = 0;                         // of all kept models
  std::unordered_set<std::uint64_t> with_jumps_;  // numbers of models whose jump equations are counted
  std::size_t compiled_ = 0, given_up_ = 0;
  std::vector<Modes> history_;
  std::unordered_map<std::string, std::string> later_descriptions_;
};

}  // namespace sigrel::pipeline
