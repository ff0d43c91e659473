#include "compiler/explain/dependence_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "compiler/singularity/source_names.h"

namespace sigrel::explain {
namespace {

class Dependence {
 public:
  Dependence(const FailureContext& context, const runtime::Failure& failure)
      : c_(context), f_(failure), names_(context.system) {
    const auto dynamic = static_cast<std::uint32_t>(c_.dae.equations.count());
    for (const runtime::FailedEquation& e : f_.equations) {
      if (e.equation >= dynamic) continue;
      origins_.push_back(dae::origin(c_.dae.equations, e.equation));
      balances_ &= has_flow(e.equation);
      if (dae::has_branches(c_.dae, e.equation)) chosen_.push_back(origins_.back());
    }
  }

  bool usable() const { return f_.dependent && !origins_.empty() && !f_.combined.empty(); }
  bool chosen_by_conditions() const { return !chosen_.empty(); }
  bool contradicts() const { return std::abs(f_.left_over) > f_.rounding; }

  std::vector<std::uint32_t> constrained_states() const {
    std::vector<std::uint32_t> states;
    std::ranges::copy_if(f_.constrained, std::back_inserter(states),
                         [&](std::uint32_t v) { return c_.dae.variables[v].derivative != dae::kNone; });
    return states;
  }
  std::vector<std::uint32_t> combined_derivatives() const {
    std::vector<std::uint32_t> derivatives;
    std::ranges::copy_if(f_.combined, std::back_inserter(derivatives),
                         [&](std::uint32_t v) { return c_.dae.variables[v].integral != dae::kNone; });
    return derivatives;
  }

  /// Whether the equations balance forces of mechanisms in space, and none is a constraint between
  /// accelerations: then their sum is the power of a motion.
  bool balances_forces() const {
    return balances_ &&
           std::ranges::all_of(origins_, [&](Origin o) { return !names_.body(o.instance).poses.empty(); });
  }

  std::string listed(const std::vector<std::uint32_t>& variables) const {
    std::vector<std::string> names;
    for (const std::uint32_t v : variables) names.push_back(dae::variable_name(c_.system, c_.dae, v));
    return singularity::listed(names, 4);
  }
  std::string when() const { return f_.initial ? "at the start" : fmt::format("at t = {:.9g} s", f_.time); }

  /// At the equation to blame, with `label`; the others are secondary.
  Diagnostic& report(Code code, const std::string& message, const std::string& label,
                     Diagnostics& diagnostics) {
    const std::uint32_t where = names_.common_instance(origins_);
    std::vector<singularity::Place> places = names_.places(origins_, where);
    if (!chosen_.empty()) {  // the equation with the condition is the one to blame
      const Span span = names_.places(chosen_, where).back().span;
      const auto at = std::ranges::find(places, span, &singularity::Place::span);
      if (at != places.end()) std::rotate(at, at + 1, places.end());
    }
    Diagnostic& d = diagnostics.report(code, places.back().span, message).label(label);
    singularity::label_others(d, places, "together with this");
    names_.note_instance(d, where);
    return d;
  }

  std::string sum() const {
    std::string text =
        fmt::format("{} add up to one without {}", singularity::counted(f_.dependent_equations, "equation"),
                    listed(f_.combined));
    if (f_.dependent_equations == 1)
      text = fmt::format("the equation does not contain {}", listed(f_.combined));
    return contradicts() ? fmt::format("{}, and its sides differ by {:.6g}", text, std::abs(f_.left_over))
                         : text;
  }

 private:
  bool has_flow(std::uint32_t equation) const {
    const auto is_flow = [&](std::uint32_t v) {
      const dae::Variable& variable = c_.dae.variables[v];
      return variable.set == dae::kNone && names_.is_flow(variable.unknown);
    };
    std::size_t row = equation;
    for (const EquationTable& table : c_.dae.equations.tables) {
      if (row < table.rows()) return std::ranges::any_of(table.unknowns_of(row), is_flow);
      row -= table.rows();
    }
    return std::ranges::any_of(c_.dae.equations.sums.terms_of(row),
                               [&](const Term& t) { return is_flow(t.unknown()); });
  }

  const FailureContext& c_;
  const runtime::Failure& f_;
  singularity::SourceNames names_;
  bool balances_ = true;                  // each of them contains a flow
  std::vector<Origin> origins_, chosen_;  // all, and those that conditions choose
};

}  // namespace

Diagnostic* report_constrained_states(const FailureContext& context, const runtime::Failure& failure,
                                      Diagnostics& diagnostics) {
  Dependence found(context, failure);
  if (!found.usable()) return nullptr;
  const std::vector<std::uint32_t> states = found.constrained_states();
  const std::vector<std::uint32_t> derivatives = found.combined_derivatives();
  if (states.empty() || (derivatives.empty() && !found.chosen_by_conditions())) return nullptr;
  const std::string constraint =
      fmt::format("at these values {}: it constrains {}", found.sum(), found.listed(states));
  if (found.chosen_by_conditions()) {
    Diagnostic& d = found.report(
        Code::HiddenConstraint,
        fmt::format("the index of the equations changes with a condition {}", found.when()),
        fmt::format("constrains {} while the condition is as it is", found.listed(states)), diagnostics);
    d.note(constraint);
    d.note("the condition changes how many states there are, and so the form of the equations");
    d.help(
        "a change of structure is a `switch` with modes; or let an ideal switch or diode have small losses, "
        "a "
        "resistance while it conducts and a conductance while it blocks");
    return &d;
  }
  Diagnostic& d = found.report(
      Code::HiddenConstraint,
      fmt::format("only a combination of {} is determined {}", found.listed(derivatives), found.when()),
      "contains them in the same combination as the others", diagnostics);
  d.note(constraint);
  d.help(
      "use values for which they are determined, or write the constraint between the states as an equation");
  return &d;
}

Diagnostic* report_floating(const FailureContext& context, const runtime::Failure& failure,
                            Diagnostics& diagnostics) {
  Dependence found(context, failure);
  if (!found.usable() || !found.chosen_by_conditions() || found.contradicts()) return nullptr;
  Diagnostic& d = found.report(
      Code::LinearBlockSingular,
      fmt::format("linear equations do not determine {} {}", found.listed(failure.combined), found.when()),
      "with this condition, one of the equations follows from the others", diagnostics);
  d.note(fmt::format(
      "{} can have any value while the conditions are as they are: behind ideal switches or diodes "
      "that block, everything floats",
      found.listed(failure.combined)));
  d.help(
      "let an ideal switch or diode have small losses, a resistance while it conducts and a conductance "
      "while it "
      "blocks, such as those of `Electrical.switchingDiode`, or connect what floats to a reference by a "
      "large "
      "resistance");
  return &d;
}

Diagnostic* report_massless(const FailureContext& context, const runtime::Failure& failure,
                            Diagnostics& diagnostics) {
  Dependence found(context, failure);
  if (!found.usable() || found.contradicts() || !found.balances_forces()) return nullptr;
  const std::vector<std::uint32_t> accelerations = found.combined_derivatives();
  if (accelerations.empty()) return nullptr;
  Diagnostic& d = found.report(
      Code::LinearBlockSingular,
      fmt::format("no mass or inertia determines {} {}", found.listed(accelerations), found.when()),
      "the balances of forces and torques add up to one without an acceleration", diagnostics);
  d.note("parts of the mechanism can move although nothing resists their acceleration");
  d.help(
      "connect a body between these joints, or remove those whose motion others allow as well, such as one "
      "of two hinges in line");
  return &d;
}

}  // namespace sigrel::explain
