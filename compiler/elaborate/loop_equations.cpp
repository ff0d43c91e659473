// Equations in loops: a row in each iteration.
#include <algorithm>

#include "compiler/elaborate/equate.h"
#include "compiler/elaborate/loop_recording.h"

namespace sigrel::elaborate {

std::optional<Machine::Status> LoopPatterns::equation(const core::EquationItem& item, RowKind kind,
                                                      bool retrying) {
  const ParameterisedItem* parameterised = nullptr;
  ItemPatterns* patterns = patterns_of(item, parameterised);
  if (!patterns) return std::nullopt;
  if (patterns->general.empty())
    for (const Reading& r : parameterised->readings) {
      const bool indexed =
          std::ranges::any_of(r.steps, [](const Reading::Step& s) { return !s.index.terms.empty(); });
      patterns->general.push_back(r.kind == Reading::Number || indexed);
    }
  const Scratch scratch(parts_);
  inputs_.values.clear();
  for (const Reading& r : parameterised->readings) {
    auto value = read(r);
    if (!value && r.strict && !retrying)
      return Status::NotReady;  // the `let` has to be evaluated, which may not be possible yet
    if (!value) return std::nullopt;
    inputs_.values.push_back(*value);
  }
  // If simplification would remove a term for a number of this iteration, the numbers are described by
  // themselves.
  for (bool numbers : {true, false}) {
    if (!describe(*patterns, numbers) || !inputs_.nodes.empty()) return std::nullopt;
    bool known = find(*patterns);
    if (!known && numbers && find_changing_numbers(*patterns)) {
      describe(*patterns, true);
      known = find(*patterns);
    }
    if (numbers) patterns->last = inputs_.values;
    if (known) {
      ++patterns->fitted;
    } else {
      LoopPattern pattern;
      bool is_function = true;
      if (auto status = record(item, *parameterised, kind, pattern, is_function))
        return status == Status::Failed ? status : std::nullopt;
      if (pattern.rows.empty()) {
        patterns->given_up = true;
        return std::nullopt;
      }
      keep(*patterns, std::move(pattern), is_function);
    }
    const LoopPattern& pattern = patterns->patterns.front();
    if (!set_numbers(pattern)) continue;
    for (std::size_t row = 0; row + 1 < pattern.rows.size(); ++row) add_row(pattern, row, kind);
    scratch.release();
    return Status::Done;
  }
  return std::nullopt;
}

/// Finds the Reals that differ from the previous iteration: they become general. Whether there are new ones.
bool LoopPatterns::find_changing_numbers(ItemPatterns& patterns) {
  if (patterns.last.size() != inputs_.values.size()) return false;
  bool changed = false;
  for (std::uint32_t k = 0; k < inputs_.values.size(); ++k) {
    const Value &v = inputs_.values[k], &last = patterns.last[k];
    if (v.tag != Tag::Real || last.tag != Tag::Real || patterns.general[k] ||
        (v.index == last.index && v.integer == last.integer))
      continue;
    patterns.general[k] = changed = true;
  }
  return changed;
}

/// Evaluates the item as a function of its inputs. Returns the status if it is not Done.
std::optional<Machine::Status> LoopPatterns::record(const core::EquationItem& item,
                                                    const ParameterisedItem& parameterised, RowKind kind,
                                                    LoopPattern& pattern, bool& is_function) {
  Recording recording(parts_, inputs_, parameterised, pattern);
  Value left, right;
  if (Status s = recording.evaluate(parameterised.left, left); s != Status::Done) return s;
  if (Status s = recording.evaluate(parameterised.right, right); s != Status::Done) return s;
  std::vector<Residual> residuals;
  if (Status s = equate(machine_, left, right, item.span, residuals); s != Status::Done) return s;
  // Each iteration has an equation between rotations of its own.
  if (kind != RowKind::Initial && rotation_given(parts_, left, right, residuals.size())) return std::nullopt;
  const auto origin =
      kind == RowKind::Initial ? system::EquationKind::Initial : system::EquationKind::Written;
  for (const Residual& r : residuals)
    recording.add_row(r.expression, parts_.rows.source(origin, item.span, r.component), kind);
  is_function = recording.finish() && recording.has_no_effects();
  return std::nullopt;
}

}  // namespace sigrel::elaborate
