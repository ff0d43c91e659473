// Which equations contradict each other, among those that determined variables one after the other.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/solve/equation_rows.h"

namespace runtime {

/// By variable: the equations that determined it.
class Determinations {
 public:
  void reset(std::size_t variables) {
    group_.assign(variables, kNone);
    ends_.clear(), rows_.clear();
  }
  void add(std::span<const std::uint32_t> variables, std::span<const BatchRow> by) {
    for (const std::uint32_t v : variables) group_[v] = static_cast<std::uint32_t>(ends_.size());
    rows_.insert(rows_.end(), by.begin(), by.end());
    ends_.push_back(static_cast<std::uint32_t>(rows_.size()));
  }
  std::uint32_t group_of(std::uint32_t variable) const { return group_[variable]; }
  std::span<const BatchRow> rows(std::uint32_t group) const {
    const std::uint32_t begin = group == 0 ? 0 : ends_[group - 1];
    return {rows_.data() + begin, ends_[group] - begin};
  }

 private:
  std::vector<std::uint32_t> group_, ends_;
  std::vector<BatchRow> rows_;
};

/// More equations are not examined.
constexpr std::size_t kMostContradicting = 300;

struct Contradiction {
  std::vector<BatchRow> rows;
  std::vector<double>
      factors;           // of the equations, linearised: with these they add up to one without variables
  double left_over = 0;  // which is this instead of zero
  std::vector<BatchRow>
      causes;  // the equations examined: the first ones, and those that determined their variables
};

/// The combination of `rows`, and of equations that determined their variables, that contradicts. Without
/// factors: there are too many equations, and the result has `rows` alone.
Contradiction find_contradiction(EquationRows& equations, std::span<const BatchRow> rows,
                                 const Determinations& determinations, const Point& point);

}  // namespace runtime
