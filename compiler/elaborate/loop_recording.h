// Recording of a loop pattern: the evaluation of an item as a function of its inputs.
#pragma once
#include <algorithm>
#include <array>

#include "compiler/elaborate/loop_patterns.h"

namespace sigrel::elaborate {

/// The Param leaves that stand for the input numbers while a pattern is recorded.
struct InputNumber {
  static constexpr std::uint32_t kFirst = 0x40000000;
  static std::uint32_t leaf(std::size_t k) { return kFirst + static_cast<std::uint32_t>(k); }
  static bool is(std::uint32_t leaf) { return leaf >= kFirst; }
  static std::size_t index(std::uint32_t leaf) { return leaf - kFirst; }
};

/// While it lives, the inputs are in the frame. What the evaluation creates is released at the end.
class LoopPatterns::Recording {
 public:
  Recording(BodyParts& parts, LoopInputs& inputs, const ParameterisedItem& item, LoopPattern& pattern)
      : parts_(parts),
        inputs_(inputs),
        item_(item),
        pattern_(pattern),
        scratch_(parts),
        created_(created()),
        structural_(parts.structural.reals) {
    Machine& machine = parts.machine;
    for (std::uint32_t k = 0; k < inputs.values.size(); ++k) slot(k) = inputs.values[k];
    for (std::size_t n = 0; n < inputs.numbers.size(); ++n) {
      const LoopInputs::Number& number = inputs.numbers[n];
      slot(number.reading) =
          Value::of_real(number.value.real, machine.parameters.param(InputNumber::leaf(n)).value);
    }
  }
  ~Recording() {
    for (std::uint32_t k = 0; k < inputs_.values.size(); ++k) slot(k) = {};
    scratch_.release();
  }
  Recording(const Recording&) = delete;

  LoopPattern& pattern() { return pattern_; }
  const LoopInputs& inputs() const { return inputs_; }

  Status evaluate(std::uint32_t function, Value& result) {
    return parts_.machine.chunk(parts_.machine.code().function(function), 0, result);
  }
  void add_row(ExprId residual, std::uint32_t source, RowKind kind) {
    pattern_.rows.push_back({0, source, static_cast<std::uint32_t>(columns_.size()),
                             static_cast<std::uint32_t>(pattern_.numbers.size())});
    pattern_.rows.back().table = parts_.rows.table(residual, kind, columns_, pattern_.numbers);
  }
  /// Completes the pattern. False if the result is not a function of the inputs: then the pattern holds for
  /// this iteration only.
  bool finish() {
    pattern_.rows.push_back({0, 0, static_cast<std::uint32_t>(columns_.size()),
                             static_cast<std::uint32_t>(pattern_.numbers.size())});
    for (ColumnRef c : columns_) {
      if (c.kind() == ColumnRef::New) {
        pattern_.slots.push_back({c.index(), true});
        continue;
      }
      const auto at = std::ranges::find(inputs_.columns, c) - inputs_.columns.begin();
      if (static_cast<std::size_t>(at) == inputs_.columns.size()) {
        is_function_ = false;
        inputs_.columns.push_back(c);
      }
      pattern_.slots.push_back({static_cast<std::uint32_t>(at) & 0x7FFFFFFFu, false});
    }
    // If an input number decides structure, other numbers may decide otherwise.
    std::set<std::uint32_t>& reals = parts_.structural.reals;
    for (auto r = reals.lower_bound(InputNumber::kFirst); r != reals.end(); r = reals.erase(r)) {
      is_function_ = false;
      const Value& v = inputs_.numbers[InputNumber::index(*r)].value;
      if (v.index != kConstant) parts_.structural.add(parts_.machine.parameters, ExprId{v.index});
    }
    return is_function_ && created() == created_;
  }
  /// Whether the evaluation decided no structure and cached no global.
  bool has_no_effects() const { return parts_.structural.reals == structural_ && !scratch_.caches_globals(); }

 private:
  std::array<std::size_t, 6> created() const {
    return {parts_.columns.size(), parts_.applications.children().size(),
            parts_.nodes.size(),   parts_.nodes.uses(),
            parts_.members.size(), parts_.events.size()};
  }
  Value& slot(std::uint32_t reading) { return parts_.machine.slot(item_.first + reading); }

  BodyParts& parts_;
  LoopInputs& inputs_;
  const ParameterisedItem& item_;
  LoopPattern& pattern_;
  Scratch scratch_;
  std::array<std::size_t, 6> created_;
  std::set<std::uint32_t> structural_;
  std::vector<ColumnRef> columns_;  // of the rows
  bool is_function_ = true;
};

}  // namespace sigrel::elaborate
