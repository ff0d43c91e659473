#include "compiler/reduce/aliases.h"

#include <algorithm>
#include <cstdlib>

namespace sigrel::reduce {

Aliases::Aliases(const system::System& system, Shapes& shapes)
    : system_(system),
      shapes_(shapes),
      classes_(system.unknowns),
      zero_(system.unknowns, false),
      kept_(system.unknowns, false),
      next_(system.unknowns),
      coefficient_(system.unknowns, 0),
      met_(system.unknowns, false) {
  for (UnknownId u : ids<UnknownId>(0, system.unknowns)) next_[u] = u;
  std::uint32_t count = static_cast<std::uint32_t>(system.equations.count());
  fate_.assign(count, Fate::Kept);
  queued_.assign(count, false);
  changes_left_.assign(count, 1);
  table_of_.reserve(count);
  std::uint32_t number = 0;
  for (const EquationTable& table : system.equations.tables) {
    first_.push_back(static_cast<std::uint32_t>(table_of_.size()));
    table_of_.append(table.rows(), number++);
  }
  first_.push_back(static_cast<std::uint32_t>(table_of_.size()));
  table_of_.append(system.equations.sums.rows(), number);
}

void Aliases::index_occurrences() {
  // Equations that are aliases from the beginning are examined once: they need no index.
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
        for (std::uint32_t k = 0; k < slots; ++k) visit(tables[t].unknowns[at + k], EquationId{equation});
        if (slots == 0) break;
      }
    }
    for (std::uint32_t s = 0; s < sums.rows(); ++s)
      for (Term term : sums.terms_of(s)) visit(term.unknown(), row_of_sums(s));
  };
  occurrence_offsets_.assign(system_.unknowns + 1, 0);
  each([&](std::uint32_t u, EquationId) { ++occurrence_offsets_[u + 1]; });
  for (std::uint32_t u = 0; u < system_.unknowns; ++u) {
    classes_.set_weight(u, occurrence_offsets_[u + 1] + 1);
    occurrence_offsets_[u + 1] += occurrence_offsets_[u];
  }
  occurrences_.resize(occurrence_offsets_.back());
  std::vector<std::uint32_t> at(occurrence_offsets_.begin(), occurrence_offsets_.end() - 1);
  each([&](std::uint32_t u, EquationId equation) { occurrences_[at[u]++] = equation; });
}

void Aliases::eliminate() {
  index_occurrences();
  const auto& tables = system_.equations.tables;
  const SumTable& sums = system_.equations.sums;
  // First the equations that are aliases from the beginning, then every other one once in the light of these,
  // then those that changed.
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    pattern_.assign(tables[t].slots, SlotPattern::kItself);
    const Specialised shape = shapes_[shapes_.specialise(t, pattern_)];
    if (shape.form == Form::General) continue;
    for (std::size_t row = 0; row < tables[t].rows(); ++row)
      apply_form(row_of_table(t, row), shape, tables[t].unknowns_of(row));
  }
  for (std::uint32_t s = 0; s < sums.rows(); ++s)
    if (sums.terms_of(s).size() <= 2) examine(row_of_sums(s));
  for (EquationId e : ids<EquationId>(0, fate_.size()))
    if (fate_[e] == Fate::Kept && !queued_[e]) examine(e);
  for (bool again = true; again;) {
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      queued_[queue_[head]] = false;
      if (fate_[queue_[head]] == Fate::Kept) examine(queue_[head]);
    }
    queue_.clear();
    // Wide rows wait for several changes: in the end all of them are examined, whatever number is left.
    again = false;
    for (std::uint32_t t = 0; t < tables.size(); ++t) {
      if (tables[t].slots <= 32) continue;
      for (std::size_t row = 0; row < tables[t].rows(); ++row) {
        const EquationId e = row_of_table(t, row);
        if (fate_[e] != Fate::Kept) continue;
        examine(e);
        again = again || fate_[e] != Fate::Kept;
      }
    }
  }
}

void Aliases::queue_equations_of_class(UnknownId root) {
  UnknownId u = root;
  do {
    for (std::uint32_t k = occurrence_offsets_[u.value]; k < occurrence_offsets_[u.value + 1]; ++k) {
      const EquationId e = occurrences_[k];
      if (fate_[e] != Fate::Kept || queued_[e] || --changes_left_[e] != 0) continue;
      queued_[e] = true;
      queue_.push_back(e);
    }
    u = next_[u];
  } while (u != root);
}

void Aliases::make_zero(EquationId equation, UnknownId a) {
  if (kept_[a]) return;
  const UnknownId root = find(a).root;
  if (zero_[root]) {
    fate_[equation] = Fate::Redundant;
    return;
  }
  fate_[equation] = Fate::Used;
  if (noting_) merges_.push_back({equation, a, std::nullopt, false});
  zero_[root] = true;
  queue_equations_of_class(root);
}

void Aliases::unite(EquationId equation, UnknownId a, UnknownId b, bool opposite) {
  if (kept_[a] || kept_[b]) return;
  const UnknownId root_a = find(a).root, root_b = find(b).root;
  if (zero_[root_a] || zero_[root_b]) return make_zero(equation, zero_[root_a] ? b : a);
  const auto result = classes_.unite(a.value, b.value, opposite);
  switch (result.outcome) {
    case graph::SignedUnionFind::Outcome::Known: fate_[equation] = Fate::Redundant; return;
    case graph::SignedUnionFind::Outcome::Conflict: return make_zero(equation, a);
    case graph::SignedUnionFind::Outcome::Merged: break;
  }
  fate_[equation] = Fate::Used;
  if (noting_) merges_.push_back({equation, a, b, opposite});
  const UnknownId winner{result.winner}, loser{result.loser};
  queue_equations_of_class(loser);
  std::swap(next_[winner], next_[loser]);
}

void Aliases::apply_form(EquationId equation, const Specialised& shape,
                         std::span<const std::uint32_t> unknowns) {
  const auto unknown = [&](std::uint32_t slot) { return UnknownId{unknowns[slot]}; };
  switch (shape.form) {
    case Form::General: return;
    case Form::Equal: unite(equation, unknown(shape.a), unknown(shape.b), false); return;
    case Form::Opposite: unite(equation, unknown(shape.a), unknown(shape.b), true); return;
    case Form::Zero: make_zero(equation, unknown(shape.a)); return;
    case Form::Nothing: fate_[equation] = Fate::Redundant; return;
    case Form::NoUnknown: fate_[equation] = Fate::Constant; return;
  }
}

void Aliases::examine(EquationId equation) {
  const std::uint32_t t = table_of_[equation];
  if (t < system_.equations.tables.size())
    examine_row(equation, t, equation.value - first_[t]);
  else
    examine_sum(equation, system_.equations.sums.terms_of(equation.value - first_.back()));
}

void Aliases::examine_row(EquationId equation, std::uint32_t t, std::size_t row) {
  const EquationTable& table = system_.equations.tables[t];
  auto unknowns = table.unknowns_of(row);
  changes_left_[equation] = table.slots <= 32 ? 1 : table.slots / 8;
  // Signs are relative to the slot itself, so that they alone do not make a pattern.
  pattern_.assign(table.slots, SlotPattern::kItself);
  bool changed = false;
  for (std::uint32_t k = 0; k < table.slots; ++k) {
    auto member = find(UnknownId{unknowns[k]});
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
    const UnknownId root = find(UnknownId{u}).root;
    met_[root] = false;
    coefficient_[root] = 0;
  }
  if (!changed) return;
  const Specialised& shape = shapes_[shapes_.specialise(t, pattern_)];
  if (shape.form == Form::General) return;
  const Specialised copy = shape;
  apply_form(equation, copy, unknowns);
}

std::span<const Aliases::RootTerm> Aliases::terms(std::span<const Term> sum) {
  terms_.clear();
  for (Term term : sum) {
    auto member = find(UnknownId{term.unknown()});
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

void Aliases::examine_sum(EquationId equation, std::span<const Term> sum) {
  auto left = terms(sum);
  // Merges are recorded between unknowns that the sum contains.
  auto member = [&](UnknownId root) {
    return UnknownId{std::ranges::find_if(sum, [&](Term t) {
                       return find(UnknownId{t.unknown()}).root == root;
                     })->unknown()};
  };
  switch (left.size()) {
    case 0: fate_[equation] = Fate::Redundant; return;
    case 1: make_zero(equation, member(left[0].root)); return;
    case 2:
      if (std::abs(left[0].coefficient) == std::abs(left[1].coefficient)) {
        const UnknownId a = member(left[0].root), b = member(left[1].root);
        bool signs = find(a).negative != find(b).negative;
        return unite(equation, a, b, (left[0].coefficient == left[1].coefficient) != signs);
      }
      break;
    default: break;
  }
  // A change removes two terms at most, and an alias has two terms at most.
  changes_left_[equation] = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(left.size() - 1) / 2);
}

std::vector<EquationId> Aliases::of_fate(Fate fate) const {
  std::vector<EquationId> result;
  for (EquationId e : ids<EquationId>(0, fate_.size()))
    if (fate_[e] == fate) result.push_back(e);
  return result;
}

}  // namespace sigrel::reduce
