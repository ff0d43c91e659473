// The reduced system that an integrator solves, y' = f(t, y) or F(t, y, y') = 0, and its sparse Jacobian.
//
// Form. The explicit form has the states as unknowns; algebraic loops are solved in every evaluation. It is
// chosen when no nonlinear loop has more than a few tearing variables and the Jacobian stays sparse, or where
// bodies on joints are one linear loop.
// Otherwise the implicit form adds the tearing variables to the unknowns, which the integrator then predicts,
// and variables whose gradients would fill the Jacobian (chain_rule.h).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/history.h"
#include "runtime/failure.h"
#include "runtime/integrate/form.h"
#include "runtime/model.h"
#include "runtime/solve/chain_rule.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

class NeededRows;

class ReducedSystem {
 public:
  ReducedSystem(ModelInstance& instance, History& history);

  /// Chooses the form and, but for quantised states, works out the pattern of the Jacobian. False: TooDense.
  /// Again, where a run changes its integrator.
  bool prepare(FormChoice choice);
  /// What `prepare` works out, which follows from the model and the choice alone.
  struct Prepared;
  /// For another system of the same model. This one is of no use any more.
  Prepared take();
  /// Instead of `prepare`, with the same choice.
  void prepare(Prepared prepared);

  Form form() const { return form_; }
  FormReason reason() const { return reason_; }
  /// Number of unknowns: the length of `y`, and in the implicit form of `rates` (their time derivatives; null
  /// in the explicit form).
  std::size_t size() const { return layout_.unknowns.size(); }
  /// The first of them are the states.
  std::size_t states() const { return model_.states.size(); }
  /// The variable of each unknown.
  std::span<const std::uint32_t> unknowns() const { return layout_.unknowns; }
  double nominal(std::size_t unknown) const { return instance_.nominal[layout_.unknowns[unknown]]; }
  /// Whether the Jacobian is too large to be formed: the explicit form of a system with linear loops that are
  /// solved inside. `jacobian` is then not there.
  bool matrix_free() const { return reason_ == FormReason::Krylov; }
  const ChainRule& jacobian() const { return chain_; }
  /// Assigned variables that became unknowns to keep the Jacobian sparse.
  std::uint32_t retained_variables() const { return retained_variables_; }

  /// Reads the unknowns and their derivatives from the current values.
  void read(double* y, double* rates) const;
  /// Writes them, and the delayed signals at this time, to the current values. No other variable changes.
  void load(double time, const double* y, const double* rates);
  /// Loads and evaluates the dynamic schedule; in the implicit form no loop is solved.
  bool evaluate(double time, const double* y, const double* rates);

  /// The steps that compute the `wanted` variables (per variable: 1) from the unknowns.
  std::vector<Step> steps_for(std::vector<std::uint8_t> wanted) const;
  /// Loads and evaluates the steps that `steps_for` gave.
  bool evaluate(double time, const double* y, const double* rates, std::span<const Step> steps);

  // Callbacks of integrators; no allocation. False: a value is not finite or a loop inside fails
  // (`failure()`).
  /// y' into `out`, `size()` values.
  bool derivatives(double time, const double* y, double* out);
  /// F(t, y, y') into `out`, `size()` values.
  bool residuals(double time, const double* y, const double* rates, double* out);
  /// Explicit: df/dy. Implicit: dF/dy + rate * dF/dy'. `out` in the order of jacobian().pattern().
  bool jacobian(double time, const double* y, const double* rates, double rate, double* out);

  /// Sets all variables from the unknowns: loops are solved again, so that results satisfy the equations and
  /// not only the integrator's tolerance; then `observed` is evaluated. False: `failure()`.
  bool output(double time, const double* y, const double* rates, std::span<const Step> observed);
  /// The same for these rows of the dynamic schedule alone, with states.
  bool output(double time, const double* y, const double* rates, std::span<const Step> observed,
              const NeededRows& rows);
  /// The equations that fail at this point, after a callback returned false.
  Failure explain(double time, const double* y, const double* rates);
  const Failure& failure() const { return instance_.failure(); }

 private:
  struct RetainedRow {  // of a batch, in order
    std::uint32_t variable, row;
    bool rate;             // the unknown is the derivative of a state
    std::uint32_t source;  // unknown or state
  };
  struct OpenBatch {  // of the dynamic schedule, those of its loops among them, in order
    std::uint32_t batch;
    std::uint32_t retained_end;  // in retained_rows_: after this batch
  };
  struct StateRow {
    std::uint32_t state, derivative;
  };
  struct Rate {
    std::uint32_t variable, state;
  };

 public:
  struct Prepared {
    Form form = Form::Static;
    FormReason reason = FormReason::Requested;
    Layout layout;
    ChainRule chain;
    std::vector<Rate> rates;
    std::vector<StateRow> state_rows;
    std::vector<RetainedRow> retained_rows;
    std::vector<OpenBatch> open_batches;
    std::vector<double> batch_residuals;
    std::uint32_t retained_variables = 0;
  };

 private:
  std::size_t linear_loop_unknowns() const;
  bool prepare_implicit(std::uint64_t limit);
  void collect_rows();
  void open(std::uint32_t batch);
  Point point(double time) { return instance_.point(time); }

  ModelInstance& instance_;
  const Model& model_;
  History& history_;
  Form form_ = Form::Static;
  FormReason reason_ = FormReason::Requested;
  Layout layout_;
  ChainRule chain_;
  std::vector<Rate> rates_;           // variables that are y' of a state
  std::vector<StateRow> state_rows_;  // implicit: derivative - y'
  std::vector<RetainedRow> retained_rows_;
  std::vector<OpenBatch> open_batches_;
  std::vector<double> batch_residuals_;
  std::uint32_t retained_variables_ = 0;
};

}  // namespace runtime
