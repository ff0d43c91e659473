// The search for modes whose equations can be solved. Some combinations of the modes of ideal switches
// cannot: where all diodes of a bridge are open its potentials float, where two of them connect a source with
// itself its current has no equation. They are no errors but steps of a search, in which one switch after the
// other takes another mode.
//
// Candidates are combinations that differ in one switch from one that cannot be solved: a switch with a
// transition whose condition reads what is undetermined there. The one that lacks the fewest equations is
// tried first, so that independent circuits are put in order one after the other.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/elaborate/elaborate.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::pipeline {

using Modes = std::vector<elaborate::ChosenMode>;  // ascending identities
/// Identity and mode of each of them.
using ModeKey = std::vector<std::uint64_t>;
ModeKey key_of(const Modes& modes);

/// How many candidates are worth keeping of a model with that many modes. Those found together are tried in
/// order, so that later ones than the search would try are of no use; and together they stay small, also
/// where thousands of switches have transitions at once.
std::size_t most_candidates(std::size_t modes);

/// A system that cannot be solved.
struct SingularModes {
  std::size_t missing = 0;    // equations
  std::vector<Modes> others;  // the first candidates; empty too where the reason is another one
};
/// `dae`: reduced up to the error. `given`: the modes that the system was elaborated in; others are initial.
SingularModes singular_modes(const system::System& system, const elaborate::Structure& structure,
                             const dae::System& dae, const Modes& given);

class ModeSearch {
 public:
  /// Adds what can be tried instead of these modes.
  void refuse(const Modes& modes, const SingularModes& why);
  void add(const SingularModes& why);
  /// Whether they have been refused, or are to be tried.
  bool knows(const Modes& modes) const { return known_.contains(known_as(modes)); }
  /// The next ones to try; nullopt: there are none, or too many have been tried.
  std::optional<Modes> next();
  /// What was tried, in order.
  const std::vector<Modes>& tried() const { return tried_; }

 private:
  struct Candidate {
    std::size_t missing = 0, order = 0;
    Modes modes{};
    bool operator<(const Candidate& other) const {
      return std::pair(missing, order) < std::pair(other.missing, other.order);
    }
  };
  static ModeKey known_as(const Modes& modes);

  std::set<ModeKey> known_;  // with their numbers
  std::set<Candidate> candidates_;
  std::vector<Modes> tried_;
  std::size_t order_ = 0;
};

}  // namespace sigrel::pipeline
