// Initial values by all equations of the start at once, square or not, where the initial schedule leads to
// none: where a coefficient vanishes at these values, another equation of the redundant ones may determine
// the variable. A double pendulum whose inner rod hangs, with all positions and velocities given, is an
// example: the length of the rod, differentiated, has no vertical velocity, and `der y = v` gives it.
//
// All equations are those of the initial schedule and the redundant initial equations, which are otherwise
// only checked; `state = guess` is none, and used last. What structure cannot know is decided by numbers:
//
//   1. The schedule is executed as far as its equations determine their variables with coefficients that are
//      not zero. An equation that fails joins the pool, where the redundant equations are; what needs its
//      variables waits.
//   2. An equation of the pool that depends on a single open variable at these values determines it. One
//      without open variables is checked.
//   3. Several equations of the pool that share open variables are solved by the Gauss-Newton method
//      (rectangular_system.h). Open variables that they determine are known. First these are equations
//      between positions, then those with velocities, and so on: a velocity must not move what positions
//      determine.
//   4. A state that is still open takes its guess. If equations contradict that, all begins anew without this
//      guess; the state starts from a solution near it unless equations determine it.
//   5. Equations that wait join the pool.
//
// After each variable that becomes known, the first of these that applies is next. Work is proportional to
// the model for 1., and to the open part for the others.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/solve/contradiction.h"
#include "runtime/solve/equation_rows.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

class ConsistentStart {
 public:
  explicit ConsistentStart(ModelInstance& instance);

  /// Sets all variables, from the guesses in the current values, so that all equations hold: to
  /// RectangularSystem::kTolerance those that are redundant, relative to the magnitude of their terms. False:
  /// `failure()`, StartContradicts with a combination of equations, or StartUndetermined.
  bool solve(double time);
  const Failure& failure() const { return failure_; }
  /// After StartContradicts: whether, apart from that, all variables are determined.
  bool all_determined() const { return all_known_; }
  /// After StartContradicts: whether the equations nearly hold, so that this is no place where Newton's
  /// method got stuck.
  bool nearly_holds() const { return nearly_holds_; }
  /// Whether an equation of the schedule did not determine its variable.
  bool singular() const { return singular_; }
  const GuessedStart& guessed() const { return guessed_; }

 private:
  /// Lists of numbers, one for each variable.
  class Lists {
   public:
    void reset(std::size_t variables) { heads_.assign(variables, kNone), nodes_.clear(); }
    void add(std::uint32_t variable, std::uint32_t number) {
      nodes_.push_back({number, heads_[variable]});
      heads_[variable] = static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    template <class Visit>
    void each(std::uint32_t variable, Visit visit) const {
      for (std::uint32_t n = heads_[variable]; n != kNone; n = nodes_[n].next) visit(nodes_[n].number);
    }

   private:
    struct Node {
      std::uint32_t number, next;
    };
    std::vector<std::uint32_t> heads_;
    std::vector<Node> nodes_;
  };
  struct Equation {  // of the pool
    BatchRow at;
    std::uint8_t level = 0;  // the smallest of all of its variables
    bool done = false;
    bool changed = true;  // a variable of it has become known since it was examined
    bool tried = false;   // by Gauss-Newton, since a variable of it has become known
    std::uint32_t visit = 0;
    bool used = false;    // in a solution that has determined some of its variables, not all
    bool solved = false;  // then its equations had a solution, at the present values of the variables
  };
  struct Waiting {  // for `open` variables
    BatchRow at;    // an equation, or
    std::uint32_t loop = kNone;
    std::uint32_t open = 0;
    bool done = false;
  };
  enum class Progress : std::uint8_t { None, Some, Failed };

  bool attempt();
  void begin();
  void execute_schedule();
  Progress advance();
  bool is_guess(BatchRow at) const { return equations_.equation(at) >= instance_.model.first_guess; }

  void wait_or_assign(BatchRow at);
  void wait_or_solve(std::uint32_t loop);
  void execute(const Waiting& item);
  bool execute_row(BatchRow at);
  bool execute_loop(std::uint32_t loop);
  std::vector<BatchRow> rows_of(std::uint32_t loop) const;
  std::vector<std::uint32_t> variables_of(std::uint32_t loop) const;
  void wait(Waiting item, std::span<const std::uint32_t> open);
  void add_to_pool(BatchRow at);
  void execute_ready();

  Progress examine_pool();
  Progress examine(std::uint32_t number);
  std::vector<std::uint32_t> influential(BatchRow at, std::span<const std::uint32_t> open, double vanishing);
  Progress solve_pool();
  std::vector<std::uint32_t> component_of(std::uint32_t first, std::vector<std::uint32_t>& unknowns);
  void find_levels();
  Progress solve_component(std::span<const std::uint32_t> members, std::vector<std::uint32_t> unknowns);
  bool take_guess();
  bool admit_waiting();
  bool keep_undetermined();
  void describe_undetermined();

  std::vector<std::uint32_t> open_variables(BatchRow at);
  void determine(std::span<const std::uint32_t> variables, std::span<const BatchRow> by);
  bool contradict(std::span<const BatchRow> rows);
  Point point() { return instance_.point(time_); }

  ModelInstance& instance_;
  EquationRows equations_;
  double time_ = 0;
  std::vector<double> start_;        // the values of the guesses
  std::vector<std::uint8_t> known_;  // by variable
  Determinations determinations_;
  std::vector<Equation> pool_;
  std::vector<Waiting> waiting_;
  std::vector<BatchRow> guesses_;  // `state = guess`
  Lists in_pool_, in_waiting_;     // by variable
  std::vector<std::uint32_t> examine_next_, ready_;
  static constexpr std::uint8_t kHighest = 4;
  // By variable: how often it is differentiated. Constants have the highest: an equation with one may be of
  // any.
  std::vector<std::uint8_t> levels_;
  std::array<std::vector<std::uint32_t>, kHighest + 1> try_next_;  // by level
  std::vector<std::uint32_t> visited_;                             // by variable: the last visit
  std::uint32_t visit_ = 0;
  std::size_t next_guess_ = 0;
  GuessedStart guessed_;
  Failure failure_;
  bool singular_ = false, all_known_ = false, nearly_holds_ = false;
};

}  // namespace runtime
