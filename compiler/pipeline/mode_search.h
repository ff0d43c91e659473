// The search for modes whose equations can be solved. Some combinations of the modes of ideal switches
// cannot: where all diodes of a bridge are open its potentials float, where two of them connect a source with
// itself its current has no equation. They are no errors but steps of a search, in which one switch after the
// other takes another mode.
//
// Candidates are combinations that differ in one switch from one that is not possible. Where several
// transitions are due, all of them are tried, and if that leads nowhere, such as to a combination that cannot
// be solved, one of them after the other. These candidates come first, of the newest combination the first
// transition: block pivots, and single pivots where they fail (Júdice and Pires, Computers and Operations
// Research 21, 1994, with the rule of Murty, Opsearch 11, 1974), which end for complementarity problems of
// passive circuits. Bridges in series so change one after the other, where through the combination in which
// all diodes block, and everything floats, the search would grow exponentially with their number.
//
// Where equations are missing, the candidates are switches with a transition whose condition reads what is
// undetermined there; those of the combination that lacks the fewest are tried first, so that independent
// circuits are put in order one after the other, and of several the newest.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
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
  std::size_t missing = 0;    // equations; none where transitions are due that are too many together
  std::vector<Modes> others;  // the first candidates; empty too where the reason is another one
  bool is_built = false;      // false: an error of its modes themselves, such as a vector of -1 elements
};
/// Why modes do not continue a run.
enum class Refusal : std::uint8_t {
  Impossible,    // SingularModes::is_built is false
  Singular,      // the equations do not determine all unknowns
  LeftAtOnce,    // their transitions, or impulses, lead to modes that are tried
  Inconsistent,  // no start satisfies the equations
  Undetermined,  // the jumps are not determined
};
/// `dae`: reduced up to the error. `given`: the modes that the system was elaborated in; others are initial.
SingularModes singular_modes(const system::System& system, const elaborate::Structure& structure,
                             const dae::System& dae, const Modes& given);

/// What can be tried instead of modes whose start contradicts itself: those that differ in one more switch
/// from the initial ones. Fewer of these are tried first.
SingularModes neighbours(const system::System& system, const elaborate::Structure& structure,
                         const Modes& given);

class ModeSearch {
 public:
  struct Tried {
    Modes modes;
    Refusal why{};
  };
  /// Adds what can be tried instead of these modes.
  void refuse(const Modes& modes, Refusal why, const SingularModes& singular = {});
  void add(const SingularModes& why);
  /// Whether they have been refused, or are to be tried.
  bool knows(const Modes& modes) const { return known_.contains(known_as(modes)); }
  /// The next ones to try; nullopt: there are none, or too many have been tried.
  std::optional<Modes> next();
  /// What was tried, in order.
  const std::vector<Tried>& tried() const { return tried_; }

 private:
  struct Candidate {
    std::size_t missing = 0, age = 0, order = 0;  // `age`: less is newer
    Modes modes{};
    bool operator<(const Candidate& other) const {
      return std::tie(missing, age, order) < std::tie(other.missing, other.age, other.order);
    }
  };
  static ModeKey known_as(const Modes& modes);

  std::set<ModeKey> known_;  // with their numbers
  std::set<Candidate> candidates_;
  std::vector<Tried> tried_;
  std::size_t age_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace sigrel::pipeline
