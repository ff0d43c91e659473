// dae::System: the output of the reduce stage. The same model without aliases, zeros and redundant equations.
// A variable is a retained unknown or a derivative of one; derivatives are variables of their own, linked by
// `derivative` (ModiaBase's Avar), so residuals contain only plain slots, no `Der`. Every unknown of the
// system maps to a variable, a negated variable, or zero. For index reduction, equations are accompanied by
// their derivatives (`derivative_of` links them), and only some of the variables that have a derivative are
// states: the equations determine all other variables from the states (index 1).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/equations.h"
#include "compiler/ir/system.h"
#include "runtime/model.h"

namespace sigrel::dae {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// The variable that an unknown of the system maps to.
struct Alias {
  enum Kind : std::uint8_t { Variable, Negated, Zero } kind = Variable;
  std::uint32_t variable = 0;
};

struct Variable {
  std::uint32_t unknown =
      0;  // the unknown of the system; of a derivative, the unknown that is differentiated
  std::uint32_t order : 29 = 0;  // of differentiation
  bool state : 1 = false;        // it is integrated, and has a derivative
  /// 1 to 3: a component of the angular velocity of the frame in whose rotation the unknown is, in the axes
  /// of the world; it is no unknown of the system.
  std::uint32_t axis : 2 = 0;
  std::uint32_t derivative = kNone;  // the variable that is its time derivative: Avar
  std::uint32_t integral = kNone;    // the inverse of `derivative`
  std::uint32_t set = kNone;         // of a selected state and of its derivative: the state set
};

/// Variables of which some are states, selected dynamically because no fixed selection is valid everywhere
/// (dynamic state selection). The set has states of its own, each a selection of the candidates by parameters
/// that the runtime changes (runtime/events/state_choice.h): two equations define it as the sum of selectors
/// times candidates, and its derivative as the same sum of their derivatives. A set without candidates is
/// only monitored: its states were selected at compile time, and the run fails where its equations no longer
/// determine the eliminated derivatives.
struct StateSet {
  std::vector<std::uint32_t> equations;  // differentiated constraints on the derivatives
  std::vector<std::uint32_t>
      eliminated;  // derivatives that these equations determine from the candidates, under every selection
  std::vector<std::uint32_t> candidates;  // derivatives; their integrals are the possible states
  std::vector<double> weights;            // of the candidates; small weights are preferred as states
  std::vector<std::uint32_t> states;      // the selected states
  std::uint32_t first_selector = 0;       // parameters, states × candidates
};

/// Operations that trigger events, one per row (runtime::ZeroCrossing). Between two events the parameters
/// from `first` on hold their values.
struct ZeroCrossing {
  EquationTable differences;  // residual: the argument, over variables; its parameters may include those of
                              // other zero crossings
  bool strict = false;        // Comparison: <, not <=
  runtime::ZeroCrossing::Kind kind = runtime::ZeroCrossing::Comparison;
  std::uint32_t first = 0;  // held parameter j of a row: first + j * rows + row

  std::uint32_t held() const {
    return runtime::held_width(kind) * static_cast<std::uint32_t>(differences.rows());
  }
};

/// `target := value` when its trigger fires (system::Assignment); the target is a state or a discrete
/// variable, which is a state with derivative zero.
struct Assignment {
  std::uint32_t trigger = 0;
  std::uint32_t variable = 0;
  bool negated = false;  // the variable is the negative of the target
};

struct System {
  ExprPool exprs;
  Equations equations;  // rows refer to variables; residuals have plain slots
  Equations initial;
  Equations assertions;                 // conditions; nonzero is true
  Equations conditions;                 // of triggers; tag: index of system::Events::triggers
  Equations values;                     // assigned values; tag: index of `assignments`
  std::vector<Assignment> assignments;  // in the order of the system
  std::vector<Variable> variables;
  std::vector<Alias> aliases;  // one per unknown of the system
  /// For messages: `assign[v]` is the equation matched to variable v (kNone for states), by dense equation
  /// number.
  std::vector<std::uint32_t> assign;
  /// For each equation the one that it is the derivative of (the inverse of Bequ), or kNone. Empty if there
  /// are no differentiated equations.
  std::vector<std::uint32_t> derivative_of;
  std::vector<ZeroCrossing> zero_crossings;
  std::vector<StateSet> sets;
  std::uint32_t discrete_parameters =
      0;  // number of discrete parameters, which the run changes: those of zero crossings
          // and state sets; numbered after the parameters of the system
};

/// How often an equation was differentiated.
std::uint32_t differentiations(const System& dae, std::uint32_t equation);

/// For each variable whether it is a state with the equation `der p = 0`. Such a variable is computed at the
/// start and keeps its value; it is not integrated.
std::vector<bool> constants(const System& dae);

/// "der(c1.u)", the name of a variable.
std::string variable_name(const system::System& system, const System& dae, std::uint32_t variable);
/// The origin of an equation by its dense number.
Origin origin(const Equations& equations, std::uint32_t equation);
/// Whether conditions choose between terms of an equation that holds during the run.
bool has_branches(const System& dae, std::uint32_t equation);
void verify(const system::System& system, const System& dae);
/// What a zero crossing holds, given the text of its argument: "x - 1.0 < 0".
std::string held_text(runtime::ZeroCrossing::Kind kind, bool strict, const std::string& argument);
/// Aborts with the violated invariant and a dump of the system.
[[noreturn]] void broken(const system::System& system, const System& dae, const std::string& what);
std::string print(const system::System& system, const System& dae);

}  // namespace sigrel::dae
