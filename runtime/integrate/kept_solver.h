// What one part of a simulation leaves to the next part of the same model, when its structure has changed in
// between and has changed back: what follows from the model alone, such as the pattern of its Jacobian, and
// what is a good start for similar values, such as the pivots of its factors. A transition to a known
// structure then costs about twice what an event costs.
//
// A part that continues from a checkpoint has none of this. So that its rows are the same, a part that ends
// at a checkpoint leaves nothing either.
#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/integrate/experiment.h"
#include "runtime/integrate/reduced_system.h"
#include "runtime/linear/linear_system.h"
#include "runtime/linear/spectral_radius.h"

namespace runtime {

struct KeptSolver {
  FormChoice choice{};  // of the form that was prepared
  std::optional<ReducedSystem::Prepared> prepared{};
  std::optional<LinearSystem> linear{};
  SpectralRadius spectral_radius{};
  bool adams = false;  // the method that was used last
};

/// Those of the models that were used last.
class KeptSolvers {
 public:
  /// Takes that of a model, or an empty one.
  KeptSolver take(const std::shared_ptr<const Model>& model) {
    for (auto it = all_.begin(); it != all_.end(); ++it) {
      if (it->model.lock() != model) continue;
      KeptSolver found = std::move(it->solver);
      nonzeros_ -= it->nonzeros;
      all_.erase(it);
      return found;
    }
    return {};
  }
  /// `model` has an owner; others are not kept.
  void keep(const std::shared_ptr<const Model>& model, KeptSolver solver) {
    if (model.use_count() == 0 || !solver.prepared) return;
    const std::uint64_t nonzeros = solver.prepared->chain.pattern().nonzeros();
    all_.push_front({model, nonzeros, std::move(solver)});
    nonzeros_ += nonzeros;
    while (!all_.empty() && (all_.size() > kMost || nonzeros_ > kMostNonzeros)) {
      nonzeros_ -= all_.back().nonzeros;
      all_.pop_back();
    }
  }
  void clear() {
    all_.clear();
    nonzeros_ = 0;
  }

 private:
  // Together some hundred megabytes; a longer list would take longer to search than to make anew.
  static constexpr std::size_t kMost = 64;
  static constexpr std::uint64_t kMostNonzeros = 2'000'000;
  struct Entry {
    std::weak_ptr<const Model> model;
    std::uint64_t nonzeros = 0;
    KeptSolver solver;
  };
  std::list<Entry> all_;  // used last first
  std::uint64_t nonzeros_ = 0;
};

}  // namespace runtime
