// dae::System: what the reduce stage hands on. The same model with aliases, zeros and redundancy gone. A
// variable is a kept unknown or a derivative of one; derivatives are variables of their own, tied by
// `derivative` (ModiaBase's Avar), so a residual holds plain slots only, no `Der`. Every unknown of the
// system is still known: as a variable, a negated variable, or zero. Where it was needed, equations stand
// there with their derivatives (of these, `derivative_of` tells which), and only some of the variables that
// have a derivative are states: the equations determine all others from the states (index 1).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/equations.h"
#include "compiler/ir/system.h"

namespace sigrel::dae {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// How an unknown of the system is found again.
struct Alias {
  enum Kind : std::uint8_t { Variable, Negated, Zero } kind = Variable;
  std::uint32_t variable = 0;
};

struct Variable {
  std::uint32_t unknown =
      0;  // the system's unknown that it stands for (of a derivative: the unknown differentiated)
  std::uint32_t order : 31 = 0;      // how often it is differentiated
  bool state : 1 = false;            // it is integrated; it has a derivative then
  std::uint32_t derivative = kNone;  // the variable that is its time derivative: Avar
  std::uint32_t integral = kNone;    // the inverse of `derivative`
  std::uint32_t set = kNone;         // of a state that a set has for itself, and of its derivative: which set
};

/// Variables of which some are states, at one time these and at another those, because no choice is good
/// everywhere. The set has states of its own, each a selection of its candidates by parameters that the
/// runtime changes (runtime/events/state_choice.h): two equations for each say that it is a sum of selector
/// times candidate, and its derivative that of their rates. A set without candidates is one that is only
/// watched: its states were chosen for good, and the run must not come to a point where its equations do not
/// determine what is eliminated.
struct StateSet {
  std::vector<std::uint32_t> equations;  // differentiated equations, which tie the rates
  std::vector<std::uint32_t>
      eliminated;  // derivatives in these that are found from the others, whatever is chosen
  std::vector<std::uint32_t> candidates;  // derivatives; their integrals are what can be a state
  std::vector<double> weights;            // of the candidates: the smaller the rather a state
  std::vector<std::uint32_t> states;      // the variables that are selections
  std::uint32_t first_selector = 0;       // parameters, states × candidates
};

/// Comparisons that are events: one row for each. While the run is between two events, it is the parameter
/// `first + row` that says whether the difference is below zero.
struct ZeroCrossing {
  EquationTable differences;  // residual: left side minus right side, over variables; parameters may be those
                              // of other relations
  bool strict = false;        // <, not <=
  bool linear_in_time = false;  // no variable in it: known beforehand
  std::uint32_t first = 0;      // parameter of the first row
};

/// `target := value` when its trigger fires (system::Assignment); the target is a state, which includes
/// discrete variables.
struct Assignment {
  std::uint32_t trigger = 0;
  std::uint32_t variable = 0;
  bool negated = false;  // the variable is the opposite of the target
};

struct System {
  ExprPool exprs;
  Equations equations;  // rows refer to variables; residuals have plain slots
  Equations initial;
  Equations assertions;                 // conditions: true is what is not 0
  Equations conditions;                 // of triggers, tag: system::Events::triggers
  Equations values;                     // that are assigned, tag: `assignments`
  std::vector<Assignment> assignments;  // by number those of the system
  std::vector<Variable> variables;
  std::vector<Alias> aliases;  // one per unknown of the system
  /// For messages: `assign[v]` is the equation matched to variable v (kNone for states), by dense equation
  /// number.
  std::vector<std::uint32_t> assign;
  /// Per equation: the one of which it is the derivative (the inverse of Bequ), or kNone. Empty: no equation
  /// is one.
  std::vector<std::uint32_t> derivative_of;
  std::vector<ZeroCrossing> zero_crossings;
  std::vector<StateSet> sets;
  std::uint32_t held = 0;  // parameters that the run changes: those of relations and sets; their numbers go
                           // on where the system's end
};

/// How often an equation was differentiated.
std::uint32_t differentiations(const System& dae, std::uint32_t equation);

/// By variable: whether it is a state whose derivative is zero by an equation of its own, `der p = 0`. Such a
/// variable is found at the start and keeps its value; it is not integrated.
std::vector<bool> constants(const System& dae);

/// "der(c1.u)", the name of a variable.
std::string variable_name(const system::System& system, const System& dae, std::uint32_t variable);
/// The origin of an equation by its dense number.
Origin origin(const Equations& equations, std::uint32_t equation);
void verify(const system::System& system, const System& dae);
/// Ends the program with what was found and the system: a bug of ours.
[[noreturn]] void broken(const system::System& system, const System& dae, const std::string& what);
std::string print(const system::System& system, const System& dae);

}  // namespace sigrel::dae
