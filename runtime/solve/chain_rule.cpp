#include "runtime/solve/chain_rule.h"

#include <algorithm>

#include "runtime/solve/algebraic_loop.h"

namespace runtime {

std::uint64_t ChainRule::direct_size(const Model& model) {
  std::uint64_t size = 0;
  auto add = [&](const KernelBatch& batch) {
    size += batch.kernel == kNone ? SumTable(model, batch).offsets[batch.count]
                                  : std::uint64_t(batch.slots) * batch.count;
  };
  for (const Step& step : model.dynamic) {
    if (step.kind == Step::Assign)
      add(model.batches[step.index]);
    else
      for (const KernelBatch& batch : loop_batches(model, model.loops[step.index])) add(batch);
  }
  return size;
}

struct ChainRule::Builder {
  ChainRule& chain;
  const Model& model;
  const Layout& layout;
  const Limits& limits;
  std::vector<std::uint8_t>* crowded;

  GradientIndex index;
  GradientBuilder gradients;
  std::vector<std::uint8_t> needed;  // per variable
  std::vector<Entry> entries;        // of the Jacobian
  std::vector<std::uint32_t> entry_places;
  std::size_t next_loop_row = 0;

  Builder(ChainRule& c, const Model& m, const Layout& l, const Limits& lim, std::vector<std::uint8_t>* out)
      : chain(c),
        model(m),
        layout(l),
        limits(lim),
        crowded(out),
        gradients(c.gradients_, m, l.unknowns.size() + (out ? m.variables : 0), index),
        needed(m.variables, 0) {}

  bool is_retained(std::uint32_t variable) const { return layout.retained[variable] != 0; }

  template <class Visit>
  void visit_slots(const KernelBatch& batch, std::uint32_t row, const Visit& visit) const {
    if (batch.kernel == kNone) {
      const SumTable table(model, batch);
      for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k) visit(table.terms[k] >> 1);
    } else {
      for (std::uint32_t slot = 0; slot < batch.slots; ++slot) visit(slot_variable(model, batch, slot, row));
    }
  }

  /// A piecewise constant variable has no gradient, and no derivative depends on others through it.
  void need(std::uint32_t variable) {
    if (!model.is_discrete(variable)) needed[variable] = 1;
  }

  /// Backwards: a variable is needed when a derivative, a retained variable's equation or a loop residual
  /// reads it.
  void mark_needed() {
    for (const State& state : model.states) needed[state.derivative] = 1;
    for (std::size_t s = model.dynamic.size(); s-- > 0;) {
      const Step& step = model.dynamic[s];
      if (step.kind == Step::Assign) {
        const KernelBatch& batch = model.batches[step.index];
        for (std::uint32_t row = batch.count; row-- > 0;) {
          const std::uint32_t variable = solved_variable(model, batch, row);
          if (!needed[variable] && !is_retained(variable)) continue;
          needed[variable] = 1;
          visit_slots(batch, row, [&](std::uint32_t v) { need(v); });
        }
      } else {
        const AlgebraicLoop& loop = model.loops[step.index];
        for (const KernelBatch& batch : loop_batches(model, loop))
          for (std::uint32_t row = 0; row < batch.count; ++row)
            visit_slots(batch, row, [&](std::uint32_t v) { need(v); });
        for (std::uint32_t k = 0; k < loop.unknowns; ++k)
          needed[model.tearing_variables[loop.first_unknown + k]] = 1;
      }
    }
  }

  void add_jacobian_row(std::uint32_t row) {
    for (std::uint32_t column : gradients.found) {
      entries.push_back({row, column});
      entry_places.push_back(gradients.place(column));
    }
  }

  /// The row of the equation `terms - own`, where `own` is an unknown or a rate, with the gradient at
  /// `place`.
  void equation_row(std::uint32_t row, std::uint32_t column, std::uint32_t place) {
    auto& found = gradients.found;
    gradients.unite();
    if (!gradients.has(column)) found.insert(std::lower_bound(found.begin(), found.end(), column), column);
    gradients.emit();
    gradients.add(gradients.place(column), GradientBuilder::kMinus, place);
    add_jacobian_row(row);
  }

  bool within_limits() const { return gradients.operations() <= limits.operations && gradients.fits(); }

  bool assign(const KernelBatch& batch, std::uint64_t offset, bool again = false) {
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      const std::uint32_t variable = solved_variable(model, batch, row);
      if (!needed[variable]) continue;
      gradients.collect(batch, row, offset, again);
      if (is_retained(variable)) {
        const bool rate = layout.rate_column[variable] != kNone;
        equation_row(layout.row_of_retained(variable), layout.row_of_retained(variable),
                     rate ? Gradients::kRatePlace : Gradients::kOnePlace);
      } else {
        gradients.unite();
        if (crowded && gradients.found.size() > limits.gradient) {
          // It will be an unknown: a single column to its readers, here one beyond those of the layout.
          (*crowded)[variable] = 1;
          gradients.seed(variable, static_cast<std::uint32_t>(layout.unknowns.size()) + variable,
                         Gradients::kOnePlace);
          continue;
        }
        gradients.emit();
        gradients.record(variable);
      }
      if (!within_limits()) return false;
    }
    return true;
  }

  /// Implicit form: the batches of a loop as assignments and rows.
  bool open_block(const AlgebraicLoop& loop) {
    for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r) {
      const KernelBatch& batch = model.batches[r];
      const std::uint64_t offset = gradients.add_part(r);
      if (!gradients.fits()) return false;
      if (batch.role == Role::Solve) {
        if (!assign(batch, offset)) return false;
        continue;
      }
      for (std::uint32_t row = 0; row < batch.count; ++row) {
        gradients.collect(batch, row, offset);
        gradients.unite();
        gradients.emit();
        add_jacobian_row(layout.loop_rows[next_loop_row++]);
      }
    }
    return within_limits();
  }

  /// Explicit form: a loop that is solved inside.
  bool block(std::uint32_t number) {
    const AlgebraicLoop& loop = model.loops[number];
    std::vector<std::uint64_t> offsets;
    std::vector<GradientBuilder::Term> all;  // of the residuals
    std::vector<std::size_t> row_ends;
    for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r) {
      const KernelBatch& batch = model.batches[r];
      offsets.push_back(gradients.add_part(r));
      if (!gradients.fits()) return false;
      if (batch.role == Role::Solve) {
        if (!assign(batch, offsets.back())) return false;  // tearing variables constant
        continue;
      }
      for (std::uint32_t row = 0; row < batch.count; ++row) {
        gradients.collect(batch, row, offsets.back());
        all.insert(all.end(), gradients.terms.begin(), gradients.terms.end());
        row_ends.push_back(all.size());
      }
    }
    // The tearing variables have no gradient yet, so `all` contains only the columns on which the loop
    // depends.
    gradients.terms = all;
    gradients.unite();
    Block b;
    b.loop = number;
    b.size = loop.unknowns;
    b.columns = static_cast<std::uint32_t>(gradients.found.size());
    const std::uint64_t places = 2ull * b.size * b.columns;
    if (places + gradients.next_place() >= kNone - 1 || places > limits.operations) return false;
    b.rows_at = gradients.next_place();
    for (std::size_t i = 0; i < row_ends.size(); ++i) {
      gradients.terms.assign(all.begin() + static_cast<std::ptrdiff_t>(i ? row_ends[i - 1] : 0),
                             all.begin() + static_cast<std::ptrdiff_t>(row_ends[i]));
      gradients.emit();
    }
    b.unknowns_at = gradients.next_place();
    b.operations_before = gradients.operations();
    for (std::uint32_t k = 0; k < loop.unknowns; ++k) {
      gradients.fresh_places();
      gradients.record(model.tearing_variables[loop.first_unknown + k]);
    }
    chain.blocks_.push_back(b);
    for (std::uint32_t r = 0; r < loop.batches; ++r)
      if (const KernelBatch& batch = model.batches[loop.first_batch + r];
          batch.role == Role::Solve && !assign(batch, offsets[r], true))
        return false;
    return within_limits();
  }

  bool build() {
    mark_needed();
    for (std::uint32_t c = 0; c < layout.unknowns.size(); ++c)
      gradients.seed(layout.unknowns[c], c, Gradients::kOnePlace);
    for (std::uint32_t v = 0; v < model.variables; ++v)
      if (layout.rate_column[v] != kNone) gradients.seed(v, layout.rate_column[v], Gradients::kRatePlace);
    for (const Step& step : model.dynamic) {
      if (step.kind == Step::Assign) {
        const KernelBatch& batch = model.batches[step.index];
        bool any = false;
        for (std::uint32_t row = 0; row < batch.count && !any; ++row)
          any = needed[solved_variable(model, batch, row)];
        if (!any) continue;
        const std::uint64_t offset = gradients.add_part(step.index);
        if (!gradients.fits() || !assign(batch, offset)) return false;
      } else if (!(layout.implicit ? open_block(model.loops[step.index]) : block(step.index))) {
        return false;
      }
    }
    if (crowded) return true;
    // Rows of the states: the gradient of the derivative, in the implicit form minus the state's own rate.
    for (std::uint32_t s = 0; s < model.states.size(); ++s) {
      const std::uint32_t derivative = model.states[s].derivative;
      if (!layout.implicit) {
        gradients.each(derivative, [&](std::uint32_t column, std::uint32_t place) {
          entries.push_back({s, column});
          entry_places.push_back(place);
        });
      } else if (layout.rate_column[derivative] != s) {
        gradients.terms.assign(1, {GradientBuilder::kPlus, derivative});
        equation_row(s, s, Gradients::kRatePlace);
      }
    }
    // The integrator adds to the diagonal of the explicit form. In the implicit one, entries that are always
    // zero would mislead the choice of pivots.
    for (std::uint32_t c = 0; c < layout.unknowns.size() && !layout.implicit; ++c) entries.push_back({c, c});
    if (!within_limits() || entries.size() >= kNone) return false;
    finish();
    return true;
  }

  void finish() {
    std::vector<std::uint32_t> positions;
    chain.pattern_ = compress(layout.unknowns.size(), entries, positions);
    chain.gather_.assign(chain.pattern_.nonzeros(), Gradients::kZeroPlace);
    for (std::size_t k = 0; k < entry_places.size(); ++k) chain.gather_[positions[k]] = entry_places[k];
    chain.diagonal_.assign(positions.begin() + static_cast<std::ptrdiff_t>(entry_places.size()),
                           positions.end());
    gradients.finish();
    std::uint32_t largest = 0;
    for (const Block& b : chain.blocks_) largest = std::max(largest, b.size);
    chain.column_buffer_.assign(largest, 0.0);
  }
};

bool ChainRule::build(const Model& model, const Layout& layout, const Limits& limits,
                      std::vector<std::uint8_t>* crowded) {
  *this = ChainRule{};
  model_ = &model;
  Builder builder(*this, model, layout, limits, crowded);
  return builder.build();
}

bool ChainRule::evaluate(Evaluator& evaluator, const Point& point, double rate, double* out) {
  gradients_.begin(*model_, point, rate);
  double* d = gradients_.values();
  for (const Block& block : blocks_) {
    gradients_.run_to(block.operations_before);
    AlgebraicLoopSolver& loop = evaluator.loop(block.loop);
    if (loop.factor(point) != LinearSystem::Status::Ok) return false;
    for (std::uint32_t column = 0; column < block.columns; ++column) {
      for (std::uint32_t i = 0; i < block.size; ++i)
        column_buffer_[i] = -d[block.rows_at + std::size_t(i) * block.columns + column];
      loop.solve_linear(column_buffer_.data());
      for (std::uint32_t i = 0; i < block.size; ++i)
        d[block.unknowns_at + std::size_t(i) * block.columns + column] = column_buffer_[i];
    }
  }
  gradients_.run_all();
  for (std::size_t k = 0; k < gather_.size(); ++k) out[k] = d[gather_[k]];
  return true;
}

}  // namespace runtime
