#include "compiler/reduce/aliases.h"

#include <algorithm>
#include <cstdlib>

namespace sigrel::reduce {

Aliases::Aliases(const system::System& system, Shapes& shapes)
    : system_(system),
      shapes_(shapes),
      classes_(system.unknowns),
      zero_(system.unknowns, false),
      next_(system.unknowns),
      coefficient_(system.unknowns, 0),
      met_(system.unknowns, false) {
  for (std::uint32_t u = 0; u < system.unknowns; ++u) next_[u] = u;
  std::uint32_t count = static_cast<std::uint32_t>(system.equations.count());
  fate_.assign(count, Fate::Kept);
  queued_.assign(count, false);
  patience_.assign(count, 1);
  table_of_.reserve(count);
  std::uint32_t number = 0;
  for (const EquationTable& table : system.equations.tables) {
    first_.push_back(static_cast<std::uint32_t>(table_of_.size()));
    table_of_.insert(table_of_.end(), table.rows(), number++);
  }
  first_.push_back(static_cast<std::uint32_t>(table_of_.size()));
  table_of_.insert(table_of_.end(), system.equations.sums.rows(), number);
}

void Aliases::index_occurrences() {
  // Equations that are aliases as they stand are used up once and for all: they need no index.
  const auto& tables = system_.equations.tables;
  const SumTable& sums = system_.equations.sums;
  std::vector<bool> general(tables.size());
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    pattern_.assign(tables[t].slots, SlotPattern::kItself);
    general[t] = shapes_[shapes_.specialise(t, pattern_)].form == Form::General;
  }
  auto each = [&](auto visit) {
    for (std::uint32_t t = 0; t < tables.size(); ++t) {
      if (!general[t]) continue;
      std::uint32_t slots = tables[t].slots, equation = first_[t];
      for (std::size_t at = 0; at < tables[t].unknowns.size(); at += slots, ++equation) {
        for (std::uint32_t k = 0; k < slots; ++k) visit(tables[t].unknowns[at + k], equation);
        if (slots == 0) break;
      }
    }
    for (std::uint32_t s = 0; s < sums.rows(); ++s)
      for (Term term : sums.terms_of(s)) visit(term.unknown(), first_.back() + s);
  };
  occurrence_offsets_.assign(system_.unknowns + 1, 0);
  each([&](std::uint32_t u, std::uint32_t) { ++occurrence_offsets_[u + 1]; });
  for (std::uint32_t u = 0; u < system_.unknowns; ++u) {
    classes_.set_weight(u, occurrence_offsets_[u + 1] + 1);
    occurrence_offsets_[u + 1] += occurrence_offsets_[u];
  }
  occurrences_.resize(occurrence_offsets_.back());
  std::vector<std::uint32_t> at(occurrence_offsets_.begin(), occurrence_offsets_.end() - 1);
  each([&](std::uint32_t u, std::uint32_t equation) { occurrences_[at[u]++] = equation; });
}

void Aliases::eliminate() {
  index_occurrences();
  const auto& tables = system_.equations.tables;
  const SumTable& sums = system_.equations.sums;
  // First what is an alias as it stands, then every other equation once in the light of these, then those
  // that changed.
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    pattern_.assign(tables[t].slots, SlotPattern::kItself);
    const Specialised shape = shapes_[shapes_.specialise(t, pattern_)];
    if (shape.form == Form::General) continue;
    for (std::size_t row = 0; row < tables[t].rows(); ++row)
      state_form(first_[t] + static_cast<std::uint32_t>(row), shape, tables[t].unknowns_of(row));
  }
  for (std::uint32_t s = 0; s < sums.rows(); ++s)
    if (sums.terms_of(s).size() <= 2) examine(first_.back() + s);
  for (std::uint32_t e = 0; e < fate_.size(); ++e)
    if (fate_[e] == Fate::Kept && !queued_[e]) examine(e);
  for (bool again = true; again;) {
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      queued_[queue_[head]] = false;
      if (fate_[queue_[head]] == Fate::Kept) examine(queue_[head]);
    }
    queue_.clear();
    // Wide rows wait for several changes; whether the last few were enough is looked at in the end.
    again = false;
    for (std::uint32_t t = 0; t < tables.size(); ++t) {
      if (tables[t].slots <= 32) continue;
      for (std::uint32_t row = 0; row < tables[t].rows(); ++row)
        if (fate_[first_[t] + row] == Fate::Kept) {
          examine(first_[t] + row);
          again = again || fate_[first_[t] + row] != Fate::Kept;
        }
    }
  }
}

void Aliases::touch_class(std::uint32_t root) {
  std::uint32_t u = root;
  do {
    for (std::uint32_t k = occurrence_offsets_[u]; k < occurrence_offsets_[u + 1]; ++k) {
      std::uint32_t e = occurrences_[k];
      if (fate_[e] != Fate::Kept || queued_[e] || --patience_[e] != 0) continue;
      queued_[e] = true;
      queue_.push_back(e);
    }
    u = next_[u];
  } while (u != root);
}

void Aliases::make_zero(std::uint32_t root) {
  zero_[root] = true;
  touch_class(root);
}

void Aliases::state_zero(std::uint32_t equation, std::uint32_t a) {
  std::uint32_t root = classes_.find(a).root;
  if (zero_[root]) {
    fate_[equation] = Fate::Redundant;
    return;
  }
  fate_[equation] = Fate::Used;
  if (noting_) merges_.push_back({equation, a, std::nullopt, false});
  make_zero(root);
}

void Aliases::state(std::uint32_t equation, std::uint32_t a, std::uint32_t b, bool opposite) {
  std::uint32_t ra = classes_.find(a).root, rb = classes_.find(b).root;
  if (zero_[ra] || zero_[rb]) {
    state_zero(equation, zero_[ra] ? b : a);
    return;
  }
  auto result = classes_.unite(a, b, opposite);
  switch (result.outcome) {
    case graph::SignedUnionFind::Outcome::Known: fate_[equation] = Fate::Redundant; return;
    case graph::SignedUnionFind::Outcome::Conflict: state_zero(equation, a); return;
    case graph::SignedUnionFind::Outcome::Merged: break;
  }
  fate_[equation] = Fate::Used;
  if (noting_) merges_.push_back({equation, a, b, opposite});
  touch_class(result.loser);
  std::swap(next_[result.winner], next_[result.loser]);
}

void Aliases::state_form(std::uint32_t equation, const Specialised& shape,
                         std::span<const std::uint32_t> unknowns) {
  switch (shape.form) {
    case Form::General: return;
    case Form::Equal: state(equation, unknowns[shape.a], unknowns[shape.b], false); return;
    case Form::Opposite: state(equation, unknowns[shape.a], unknowns[shape.b], true); return;
    case Form::Zero: state_zero(equation, unknowns[shape.a]); return;
    case Form::Nothing: fate_[equation] = Fate::Redundant; return;
    case Form::NoUnknown: fate_[equation] = Fate::Constant; return;
  }
}

void Aliases::examine(std::uint32_t equation) {
  std::uint32_t t = table_of_[equation];
  if (t < system_.equations.tables.size())
    examine_row(equation, t, equation - first_[t]);
  else
    examine_sum(equation, system_.equations.sums.terms_of(equation - first_.back()));
}

void Aliases::examine_row(std::uint32_t equation, std::uint32_t t, std::size_t row) {
  const EquationTable& table = system_.equations.tables[t];
  auto unknowns = table.unknowns_of(row);
  patience_[equation] = table.slots <= 32 ? 1 : table.slots / 8;
  // Relative to the slot itself, so that signs alone make no pattern.
  pattern_.assign(table.slots, SlotPattern::kItself);
  bool changed = false;
  for (std::uint32_t k = 0; k < table.slots; ++k) {
    auto member = classes_.find(unknowns[k]);
    if (zero_[member.root]) {
      pattern_[k] = SlotPattern::kZero;
      changed = true;
    } else if (met_[member.root]) {
      std::uint32_t earlier = static_cast<std::uint32_t>(coefficient_[member.root]);
      pattern_[k] = SlotPattern::same_as(earlier >> 1, (earlier & 1) != member.negative);
      changed = true;
    } else {
      met_[member.root] = true;
      coefficient_[member.root] = static_cast<std::int32_t>(k << 1 | (member.negative ? 1 : 0));
    }
  }
  for (std::uint32_t u : unknowns) {
    std::uint32_t root = classes_.find(u).root;
    met_[root] = false;
    coefficient_[root] = 0;
  }
  if (!changed) return;
  const Specialised& shape = shapes_[shapes_.specialise(t, pattern_)];
  if (shape.form == Form::General) return;
  const Specialised copy = shape;
  state_form(equation, copy, unknowns);
}

std::span<const Aliases::RootTerm> Aliases::terms(std::span<const Term> sum) {
  terms_.clear();
  for (Term term : sum) {
    auto member = classes_.find(term.unknown());
    if (zero_[member.root]) continue;
    if (!met_[member.root]) {
      met_[member.root] = true;
      terms_.push_back({member.root, 0});
    }
    coefficient_[member.root] += term.negative() != member.negative ? -1 : 1;
  }
  std::size_t kept = 0;
  for (RootTerm term : terms_) {
    term.coefficient = coefficient_[term.root];
    coefficient_[term.root] = 0;
    met_[term.root] = false;
    if (term.coefficient != 0) terms_[kept++] = term;
  }
  terms_.resize(kept);
  return terms_;
}

void Aliases::examine_sum(std::uint32_t equation, std::span<const Term> sum) {
  auto left = terms(sum);
  // What is said is said of the unknowns that stand in the sum.
  auto member = [&](std::uint32_t root) {
    return std::ranges::find_if(sum, [&](Term t) { return classes_.find(t.unknown()).root == root; })
        ->unknown();
  };
  switch (left.size()) {
    case 0: fate_[equation] = Fate::Redundant; return;
    case 1: state_zero(equation, member(left[0].root)); return;
    case 2:
      if (std::abs(left[0].coefficient) == std::abs(left[1].coefficient)) {
        std::uint32_t a = member(left[0].root), b = member(left[1].root);
        bool signs = classes_.find(a).negative != classes_.find(b).negative;
        return state(equation, a, b, (left[0].coefficient == left[1].coefficient) != signs);
      }
      break;
    default: break;
  }
  // A change takes away two terms at most, and two terms at most make an alias.
  patience_[equation] = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(left.size() - 1) / 2);
}

std::vector<std::uint32_t> Aliases::of_fate(Fate fate) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t e = 0; e < fate_.size(); ++e)
    if (fate_[e] == fate) result.push_back(e);
  return result;
}

}  // namespace sigrel::reduce
