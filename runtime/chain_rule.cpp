#include "runtime/chain_rule.h"

#include <algorithm>

#include "runtime/loop.h"

namespace runtime {

namespace {

// Fixed places in gradients_ and coefficients_.
constexpr std::uint32_t kZeroPlace = 0, kOnePlace = 1, kRatePlace = 2, kFirstPlace = 3;
constexpr std::uint32_t kPlus = 0, kMinus = 1, kFirstCoefficient = 2;

}  // namespace

Layout explicit_layout(const Model& model) {
  Layout layout;
  layout.column.assign(model.variables, kNone);
  layout.rate_column.assign(model.variables, kNone);
  layout.kept.assign(model.variables, 0);
  for (const State& state : model.states) {
    layout.column[state.variable] = static_cast<std::uint32_t>(layout.unknowns.size());
    layout.unknowns.push_back(state.variable);
  }
  return layout;
}

Layout implicit_layout(const Model& model, std::vector<std::uint8_t> kept) {
  Layout layout = explicit_layout(model);
  layout.implicit = true;
  layout.kept = std::move(kept);
  std::vector<std::uint32_t> state_of(model.variables, kNone);  // of a derivative that is not a state itself
  for (std::uint32_t s = 0; s < model.states.size(); ++s) {
    const std::uint32_t derivative = model.states[s].derivative;
    if (layout.column[derivative] == kNone && state_of[derivative] == kNone) state_of[derivative] = s;
  }
  auto keep = [&](std::uint32_t variable) {
    if (state_of[variable] != kNone) {
      layout.rate_column[variable] = state_of[variable];
      return true;
    }
    if (layout.column[variable] == kNone) {
      layout.column[variable] = static_cast<std::uint32_t>(layout.unknowns.size());
      layout.unknowns.push_back(variable);
    }
    return false;
  };
  std::vector<std::uint32_t> free_rows;
  for (const Step& step : model.dynamic) {
    if (step.kind == Step::Assign) {
      const Run& run = model.runs[step.index];
      for (std::uint32_t row = 0; row < run.count; ++row) {
        const std::uint32_t variable = solved_variable(model, run, row);
        if (layout.kept[variable]) keep(variable);
      }
    } else {
      const Loop& loop = model.loops[step.index];
      for (std::uint32_t k = 0; k < loop.unknowns; ++k) {
        const std::uint32_t variable = model.loop_unknowns[loop.first_unknown + k];
        if (keep(variable))
          free_rows.push_back(layout.rate_column[variable]);
        else
          free_rows.push_back(layout.column[variable]);
      }
    }
  }
  layout.loop_rows = std::move(free_rows);
  return layout;
}

std::uint64_t ChainRule::direct_size(const Model& model) {
  std::uint64_t size = 0;
  auto add = [&](const Run& run) {
    size += run.kernel == kNone ? SumTable(model, run).offsets[run.count] : std::uint64_t(run.slots) * run.count;
  };
  for (const Step& step : model.dynamic) {
    if (step.kind == Step::Assign)
      add(model.runs[step.index]);
    else
      for (std::uint32_t r = 0; r < model.loops[step.index].runs; ++r) add(model.runs[model.loops[step.index].first_run + r]);
  }
  return size;
}

// Builds the list of multiply-adds. `columns` and `places` hold the gradients end to end; `first` and `last` per variable.
struct ChainRule::Builder {
  ChainRule& chain;
  const Model& model;
  const Layout& layout;
  const Limits& limits;
  std::vector<std::uint8_t>* crowded;

  std::vector<std::uint32_t> columns, places;
  std::vector<std::uint32_t> first, last;       // per variable
  std::vector<std::uint32_t> stamp, place_of;   // per column: when last seen, and where
  std::uint32_t clock = 0;
  std::uint32_t next_place = kFirstPlace;
  std::vector<std::uint8_t> needed;             // per variable
  std::vector<Entry> entries;                   // of the Jacobian
  std::vector<std::uint32_t> entry_places;
  std::vector<std::uint32_t> found;             // columns of the row at hand

  struct Term {
    std::uint32_t coefficient, variable;
  };
  std::vector<Term> terms;

  Builder(ChainRule& c, const Model& m, const Layout& l, const Limits& lim, std::vector<std::uint8_t>* out)
      : chain(c), model(m), layout(l), limits(lim), crowded(out),
        first(m.variables, 0), last(m.variables, 0),
        stamp(l.unknowns.size() + (out ? m.variables : 0), 0), place_of(stamp.size(), 0), needed(m.variables, 0) {}

  void seed(std::uint32_t variable, std::uint32_t column, std::uint32_t place) {
    first[variable] = static_cast<std::uint32_t>(columns.size());
    columns.push_back(column);
    places.push_back(place);
    last[variable] = static_cast<std::uint32_t>(columns.size());
  }

  bool is_kept(std::uint32_t variable) const { return layout.kept[variable] != 0; }

  template <class Visit>
  void visit_slots(const Run& run, std::uint32_t row, const Visit& visit) const {
    if (run.kernel == kNone) {
      const SumTable table(model, run);
      for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k) visit(table.terms[k] >> 1);
    } else {
      for (std::uint32_t slot = 0; slot < run.slots; ++slot) visit(slot_variable(model, run, slot, row));
    }
  }

  /// A piecewise constant variable has no gradient, and nothing reaches a derivative through it.
  void need(std::uint32_t variable) {
    if (!model.is_discrete(variable)) needed[variable] = 1;
  }

  /// Backwards: a variable is needed when a derivative, a kept variable's equation or a loop residual reads it.
  void mark_needed() {
    for (const State& state : model.states) needed[state.derivative] = 1;
    for (std::size_t s = model.dynamic.size(); s-- > 0;) {
      const Step& step = model.dynamic[s];
      if (step.kind == Step::Assign) {
        const Run& run = model.runs[step.index];
        for (std::uint32_t row = run.count; row-- > 0;) {
          const std::uint32_t variable = solved_variable(model, run, row);
          if (!needed[variable] && !is_kept(variable)) continue;
          needed[variable] = 1;
          visit_slots(run, row, [&](std::uint32_t v) { need(v); });
        }
      } else {
        const Loop& loop = model.loops[step.index];
        for (std::uint32_t r = 0; r < loop.runs; ++r) {
          const Run& run = model.runs[loop.first_run + r];
          for (std::uint32_t row = 0; row < run.count; ++row) visit_slots(run, row, [&](std::uint32_t v) { need(v); });
        }
        for (std::uint32_t k = 0; k < loop.unknowns; ++k) needed[model.loop_unknowns[loop.first_unknown + k]] = 1;
      }
    }
  }

  /// The terms of a row: coefficient places and variables. A Solve row leaves its solved variable out.
  void collect_terms(const Run& run, std::uint32_t row, std::uint64_t offset, std::vector<Duplicate>* duplicates) {
    terms.clear();
    if (run.kernel == kNone) {
      const SumTable table(model, run);
      const bool solve = run.role == Role::Solve;
      const std::uint32_t solved = solve ? table.offsets[row] + table.positions[row] : kNone;
      // ± v + Σ ± t = 0: each term goes to the other side.
      const bool flip = solve && !(table.terms[solved] & 1);
      for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k) {
        if (k == solved) continue;
        const bool negative = ((table.terms[k] & 1) != 0) != flip;
        terms.push_back({negative ? kMinus : kPlus, table.terms[k] >> 1});
      }
      return;
    }
    const std::uint32_t solved = run.role == Role::Solve ? slot_variable(model, run, run.solved, row) : kNone;
    const auto solved_at = static_cast<std::uint32_t>(offset + std::uint64_t(run.solved) * run.count + row);
    for (std::uint32_t slot = 0; slot < run.slots; ++slot) {
      if (run.role == Role::Solve && slot == run.solved) continue;
      const auto at = static_cast<std::uint32_t>(offset + std::uint64_t(slot) * run.count + row);
      const std::uint32_t variable = slot_variable(model, run, slot, row);
      if (run.role == Role::Solve && variable == solved)
        duplicates->push_back({solved_at, at});
      else
        terms.push_back({at, variable});
    }
  }

  /// Collects the union of the columns of `terms` into `found`, sorted.
  void unite() {
    ++clock;
    found.clear();
    for (const Term& term : terms)
      for (std::uint32_t k = first[term.variable]; k < last[term.variable]; ++k) {
        if (stamp[columns[k]] == clock) continue;
        stamp[columns[k]] = clock;
        found.push_back(columns[k]);
      }
    std::sort(found.begin(), found.end());
  }

  /// Gives the columns in `found` places in a row and appends the multiply-adds of `terms`.
  void emit() {
    for (std::uint32_t column : found) place_of[column] = next_place++;
    for (const Term& term : terms)
      for (std::uint32_t k = first[term.variable]; k < last[term.variable]; ++k)
        chain.operations_.push_back({place_of[columns[k]], term.coefficient, places[k]});
  }

  void record(std::uint32_t variable) {
    first[variable] = static_cast<std::uint32_t>(columns.size());
    for (std::uint32_t column : found) {
      columns.push_back(column);
      places.push_back(place_of[column]);
    }
    last[variable] = static_cast<std::uint32_t>(columns.size());
  }

  void add_jacobian_row(std::uint32_t row) {
    for (std::uint32_t column : found) {
      entries.push_back({row, column});
      entry_places.push_back(place_of[column]);
    }
  }

  /// The row `terms - own`, where `own` is the single place of an unknown or of a rate.
  void equation_row(std::uint32_t row, std::uint32_t column, std::uint32_t place) {
    unite();
    if (stamp[column] != clock) found.insert(std::lower_bound(found.begin(), found.end(), column), column);
    emit();
    chain.operations_.push_back({place_of[column], kMinus, place});
    add_jacobian_row(row);
  }

  bool within_limits() const {
    return chain.operations_.size() <= limits.operations && columns.size() < kNone - 1 && next_place < kNone - 1;
  }

  bool assign(const Run& run, std::uint64_t offset, std::vector<Duplicate>& duplicates) {
    for (std::uint32_t row = 0; row < run.count; ++row) {
      const std::uint32_t variable = solved_variable(model, run, row);
      if (!needed[variable]) continue;
      collect_terms(run, row, offset, &duplicates);
      if (is_kept(variable)) {
        const bool rate = layout.rate_column[variable] != kNone;
        equation_row(layout.row_of_kept(variable), layout.row_of_kept(variable), rate ? kRatePlace : kOnePlace);
      } else {
        unite();
        if (crowded && found.size() > limits.gradient) {
          // It will be an unknown: to its readers a single column, here one of its own beyond those of the layout.
          (*crowded)[variable] = 1;
          seed(variable, static_cast<std::uint32_t>(layout.unknowns.size()) + variable, kOnePlace);
          continue;
        }
        emit();
        record(variable);
      }
      if (!within_limits()) return false;
    }
    return true;
  }

  bool block(std::uint32_t index, std::vector<std::uint64_t>& offsets) {
    const Loop& loop = model.loops[index];
    std::vector<Term> all;
    std::vector<std::uint32_t> row_ends;
    for (std::uint32_t r = 0; r < loop.runs; ++r) {
      const Run& run = model.runs[loop.first_run + r];
      for (std::uint32_t row = 0; row < run.count; ++row) {
        collect_terms(run, row, offsets[r], nullptr);
        all.insert(all.end(), terms.begin(), terms.end());
        row_ends.push_back(static_cast<std::uint32_t>(all.size()));
      }
    }
    std::vector<std::uint32_t> row_places;  // explicit form: start of each residual row
    if (!layout.implicit) {
      // The unknowns have no gradient yet, so `all` reaches what the loop depends on only.
      terms = all;
      unite();
      const std::vector<std::uint32_t> shared = found;
      Block b;
      b.loop = index;
      b.size = loop.unknowns;
      b.columns = static_cast<std::uint32_t>(shared.size());
      if (2ull * b.size * b.columns + next_place >= kNone - 1 || 2ull * b.size * b.columns > limits.operations) return false;
      b.rows_at = next_place;
      for (std::size_t i = 0; i < row_ends.size(); ++i) {
        terms.assign(all.begin() + (i ? row_ends[i - 1] : 0), all.begin() + row_ends[i]);
        emit();
      }
      b.unknowns_at = next_place;
      b.operations_before = chain.operations_.size();
      for (std::uint32_t k = 0; k < loop.unknowns; ++k) {
        for (std::uint32_t column : found) place_of[column] = next_place++;
        record(model.loop_unknowns[loop.first_unknown + k]);
      }
      chain.blocks_.push_back(b);
      return within_limits();
    }
    for (std::size_t i = 0; i < row_ends.size(); ++i) {
      terms.assign(all.begin() + (i ? row_ends[i - 1] : 0), all.begin() + row_ends[i]);
      unite();
      emit();
      add_jacobian_row(layout.loop_rows[next_loop_row++]);
    }
    return within_limits();
  }
  std::size_t next_loop_row = 0;

  std::uint64_t add_part(std::uint32_t run, std::uint64_t& size) {
    const std::uint64_t offset = size;
    if (model.runs[run].kernel == kNone) return offset;
    chain.parts_.push_back({run, offset});
    chain.duplicates_.emplace_back();
    size += std::uint64_t(model.runs[run].slots) * model.runs[run].count;
    return offset;
  }

  bool build() {
    mark_needed();
    for (std::uint32_t c = 0; c < layout.unknowns.size(); ++c) seed(layout.unknowns[c], c, kOnePlace);
    for (std::uint32_t v = 0; v < model.variables; ++v)
      if (layout.rate_column[v] != kNone) seed(v, layout.rate_column[v], kRatePlace);
    std::uint64_t size = kFirstCoefficient;
    std::vector<Duplicate> none;
    for (const Step& step : model.dynamic) {
      if (step.kind == Step::Assign) {
        const Run& run = model.runs[step.index];
        bool any = false;
        for (std::uint32_t row = 0; row < run.count && !any; ++row) any = needed[solved_variable(model, run, row)];
        if (!any) continue;
        const std::uint64_t offset = add_part(step.index, size);
        if (size >= kNone - 1) return false;
        if (!assign(run, offset, run.kernel == kNone ? none : chain.duplicates_.back())) return false;
      } else {
        const Loop& loop = model.loops[step.index];
        std::vector<std::uint64_t> offsets;
        for (std::uint32_t r = 0; r < loop.runs; ++r) offsets.push_back(add_part(loop.first_run + r, size));
        if (size >= kNone - 1 || !block(step.index, offsets)) return false;
      }
    }
    if (crowded) return true;
    // Rows of the states: their derivative's gradient; in the implicit form minus their own rate.
    for (std::uint32_t s = 0; s < model.states.size(); ++s) {
      const std::uint32_t derivative = model.states[s].derivative;
      if (!layout.implicit) {
        for (std::uint32_t k = first[derivative]; k < last[derivative]; ++k) {
          entries.push_back({s, columns[k]});
          entry_places.push_back(places[k]);
        }
      } else if (layout.rate_column[derivative] != s) {
        terms.assign(1, {kPlus, derivative});
        equation_row(s, s, kRatePlace);
      }
    }
    for (std::uint32_t c = 0; c < layout.unknowns.size(); ++c) entries.push_back({c, c});
    if (!within_limits() || entries.size() >= kNone) return false;
    finish(size);
    return true;
  }

  void finish(std::uint64_t coefficients) {
    std::vector<std::uint32_t> positions;
    chain.pattern_ = compress(layout.unknowns.size(), entries, positions);
    chain.gather_.assign(chain.pattern_.nonzeros(), kZeroPlace);
    for (std::size_t k = 0; k < entry_places.size(); ++k) chain.gather_[positions[k]] = entry_places[k];
    chain.diagonal_.assign(positions.end() - static_cast<std::ptrdiff_t>(layout.unknowns.size()), positions.end());
    chain.coefficients_.assign(coefficients, 0.0);
    chain.coefficients_[kPlus] = 1;
    chain.coefficients_[kMinus] = -1;
    chain.gradients_.assign(next_place, 0.0);
    std::uint32_t largest = 0;
    for (const Block& b : chain.blocks_) largest = std::max(largest, b.size);
    chain.column_buffer_.assign(largest, 0.0);
    chain.operations_.shrink_to_fit();
  }
};

bool ChainRule::build(const Model& model, const Layout& layout, const Limits& limits, std::vector<std::uint8_t>* crowded) {
  *this = ChainRule{};
  model_ = &model;
  Builder builder(*this, model, layout, limits, crowded);
  return builder.build();
}

bool ChainRule::evaluate(Evaluator& evaluator, const Point& point, double rate, double* out) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Run& run = model_->runs[parts_[p].run];
    double* partials = coefficients_.data() + parts_[p].offset;
    evaluate_partials(*model_, run, point, partials);
    if (run.role != Role::Solve) continue;
    for (const Duplicate& d : duplicates_[p]) coefficients_[d.into] += coefficients_[d.from];
    const std::size_t count = run.count;
    double* solved = partials + run.solved * count;
    for (std::size_t i = 0; i < count; ++i) solved[i] = -1 / solved[i];
    for (std::uint32_t slot = 0; slot < run.slots; ++slot) {
      if (slot == run.solved) continue;
      double* column = partials + slot * count;
      for (std::size_t i = 0; i < count; ++i) column[i] *= solved[i];
    }
  }
  std::fill(gradients_.begin(), gradients_.end(), 0.0);
  gradients_[kOnePlace] = 1;
  gradients_[kRatePlace] = rate;
  double* d = gradients_.data();
  const double* c = coefficients_.data();
  std::size_t done = 0;
  auto run_to = [&](std::size_t end) {
    for (; done < end; ++done) {
      const Operation& op = operations_[done];
      d[op.destination] += c[op.coefficient] * d[op.source];
    }
  };
  for (const Block& block : blocks_) {
    run_to(block.operations_before);
    LoopSolver& loop = evaluator.loop(block.loop);
    if (loop.factor(point) != LinearSystem::Status::Ok) return false;
    for (std::uint32_t column = 0; column < block.columns; ++column) {
      for (std::uint32_t i = 0; i < block.size; ++i)
        column_buffer_[i] = -d[block.rows_at + std::size_t(i) * block.columns + column];
      loop.solve_linear(column_buffer_.data());
      for (std::uint32_t i = 0; i < block.size; ++i)
        d[block.unknowns_at + std::size_t(i) * block.columns + column] = column_buffer_[i];
    }
  }
  run_to(operations_.size());
  for (std::size_t k = 0; k < gather_.size(); ++k) out[k] = d[gather_[k]];
  return true;
}

}  // namespace runtime
