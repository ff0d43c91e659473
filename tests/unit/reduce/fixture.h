// Systems written by hand, and a plain evaluation of plans to check them with.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"

namespace fixture {

using sigrel::EquationTable;
using sigrel::ExprId;

/// A system of one instance, `model`; every declaration and every equation has a line of its own in `source`.
class Builder {
 public:
  Builder();
  std::uint32_t unknown(std::string name,
                        sigrel::system::UnknownKind kind = sigrel::system::UnknownKind::Source);
  std::uint32_t parameter(double value);
  /// A shape; `number of slots` and parameters are counted from the residual.
  std::uint32_t shape(ExprId residual);
  std::uint32_t initial_shape(ExprId residual);
  void row(std::uint32_t shape, std::vector<std::uint32_t> unknowns,
           std::vector<std::uint32_t> parameters = {});
  void initial_row(std::uint32_t shape, std::vector<std::uint32_t> unknowns,
                   std::vector<std::uint32_t> parameters = {});
  /// Unknowns with signs: {{u, true}} is -u.
  void sum(std::initializer_list<std::pair<std::uint32_t, bool>> terms);
  void guess(std::uint32_t unknown, double value);

  // Expressions of residuals.
  ExprId s(std::uint32_t k) { return system.exprs.slot(k); }
  ExprId der(std::uint32_t k, std::uint32_t order = 1) { return system.exprs.der(k, order); }
  ExprId p(std::uint32_t k) { return system.exprs.param(k); }
  ExprId c(double v) { return system.exprs.constant(v); }
  ExprId time() { return system.exprs.time(); }
  ExprId add(ExprId a, ExprId b) { return system.exprs.binary(sigrel::Op::Add, a, b); }
  ExprId sub(ExprId a, ExprId b) { return system.exprs.binary(sigrel::Op::Sub, a, b); }
  ExprId mul(ExprId a, ExprId b) { return system.exprs.binary(sigrel::Op::Mul, a, b); }
  ExprId fn(sigrel::Op op, ExprId a) { return system.exprs.unary(op, a); }

  sigrel::system::System system;
  std::string source = "model = sigrel () where\n";

 private:
  std::uint32_t add_shape(sigrel::Equations& to, ExprId residual);
  sigrel::Span line(const std::string& text);
  sigrel::Origin next_source(sigrel::system::EquationKind kind, const std::string& text);
  std::string text(const EquationTable& table, const std::vector<std::uint32_t>& unknowns,
                   const std::vector<std::uint32_t>& parameters);
};

struct Evaluation {
  std::vector<double> values, parameters;
};
/// Runs the initial schedule; states then have their start values.
Evaluation evaluate_start(const sigrel::plan::Plan& plan);
/// Runs the dynamic and the observed schedule at a time from the states in `e.values`.
void evaluate_rates(const sigrel::plan::Plan& plan, Evaluation& e, double time);
/// The value of an unknown of the system.
double value_of(const sigrel::dae::System& dae, const Evaluation& e, std::uint32_t unknown);
/// The value of the derivative of an unknown.
double rate_of(const sigrel::dae::System& dae, const Evaluation& e, std::uint32_t unknown);

}  // namespace fixture
