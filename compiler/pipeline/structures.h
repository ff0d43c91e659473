// The systems of a model whose structure changes: compiled when a run first needs them, and kept.
//
// A system is that of a mode vector: the mode of each switch, with the structure of its arguments. The
// numbers in the arguments are parameters. Which initial equations a system has depends on the modes that are
// entered, so one mode vector may have several compiled models.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "compiler/pipeline/mode_search.h"
#include "compiler/pipeline/pipeline.h"

namespace sigrel::pipeline {

/// The reduced system of a model, with its flat equations, in which each unknown that is differentiated is a
/// variable of its own. Null if it cannot be reduced.
std::unique_ptr<dae::System> with_own_variables(const Compiled& model);

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
  const Compiled* in_modes(const Modes& modes, Diagnostics& diagnostics, SingularModes& singular);
  /// with_own_variables of such a model.
  const dae::System* own_variables(const Compiled& model);
  std::size_t count() const { return count_; }

 private:
  /// The models of one mode vector.
  struct Vector {
    std::vector<std::uint32_t> with_initial;  // identities of switches whose modes have initial equations
    struct Variant {
      std::vector<std::uint32_t> entered;                      // of these; ascending
      std::vector<std::pair<std::size_t, double>> structural;  // which of the given numbers must be so
      std::unique_ptr<Compiled> model;
    };
    std::vector<Variant> variants;
  };

  std::unique_ptr<elaborate::Elaborator> elaborator_;
  Backend backend_;
  SourceMap& sources_;
  jit::Compiler& compiler_;
  bool verify_;
  Limits limits_;
  std::mutex mutex_;
  std::map<ModeKey, Vector> vectors_;
  std::unordered_map<const Compiled*, std::unique_ptr<dae::System>> own_variables_;
  std::size_t count_ = 0;
};

}  // namespace sigrel::pipeline
