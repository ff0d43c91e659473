// What the next structure begins with: the values of unknowns and their derivatives, conditions that hold,
// and delays. By identity, which an unknown keeps from one structure to the next (elaborate::Structure).
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/pipeline/pipeline.h"
#include "compiler/session/jumps.h"
#include "runtime/integrate/structure.h"

namespace sigrel::session {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// The variable that is the derivative of this order; kNone if there is none.
std::uint32_t derivative(const dae::System& dae, std::uint32_t variable, std::uint32_t order);

/// The value of the derivative of an unknown, from those of all variables; NaN if it has none.
double value_of(const dae::System& dae, std::span<const double> values, std::uint32_t unknown,
                std::uint32_t order);

class CarriedValues {
 public:
  /// Takes all values of a structure that ends. `differentiated`: by its equations (jumps.h).
  void record(const pipeline::Compiled& model, std::span<const Differentiated> differentiated,
              const runtime::StructureEnd& end);
  /// Another change at the instant: takes what has begun in the meantime, too.
  void add_new(const pipeline::Compiled& model, const runtime::StructureEnd& end);
  /// NaN: there is none.
  double before(std::uint32_t identity, std::uint32_t order) const;
  void set(std::uint32_t order, std::uint32_t identity, double value);

  /// What the structure `model` begins with. `is_new`: by switch, whether its mode, or one around it, was
  /// entered; what belongs to such a mode begins anew.
  void carry_over(const pipeline::Compiled& model, std::span<const Differentiated> differentiated,
                  const std::vector<bool>& is_new, runtime::NextStructure& next) const;

 private:
  struct PastDelay {
    std::uint32_t number = 0;  // in `history_`
    bool negated = false;
  };
  struct Held {
    bool now = false, always = false;  // since the start of the run
  };

  void set_guesses(const pipeline::Compiled& model, std::span<const Differentiated> differentiated,
                   const std::vector<bool>& is_new, runtime::NextStructure& next) const;
  std::vector<double> previous(const pipeline::Compiled& model, const std::vector<bool>& is_new) const;
  runtime::PastDelays past_delays(const pipeline::Compiled& model, const std::vector<bool>& is_new) const;
  void set_conditions(const pipeline::Compiled& model, runtime::NextStructure& next) const;

  std::vector<std::vector<double>> values_;          // by order of differentiation and identity; NaN: none
  std::shared_ptr<const runtime::History> history_;  // of the structure that `values_` are from
  std::unordered_map<std::uint32_t, PastDelay> delays_;  // by identity of the delayed unknown
  std::map<std::pair<std::uint32_t, Span>, Held> held_;  // by identity of triggers, and place: conditions
};

}  // namespace sigrel::session
