#include "runtime/quantised/row_graph.h"

namespace runtime {

namespace {

/// Calls visit(parameter) for every parameter that a row contains.
template <class Visit>
void each_row_parameter(const Model& model, const KernelBatch& batch, std::uint32_t row, const Visit& visit) {
  if (batch.kernel == kNone) return;
  const std::uint32_t* params =
      model.tables.data() + batch.table + static_cast<std::uint64_t>(batch.slots) * batch.count;
  for (std::uint32_t k = 0; k < batch.params; ++k)
    visit(params[static_cast<std::uint64_t>(k) * batch.count + row]);
}

}  // namespace

template <class Visit>
void RowGraph::each_read(std::uint32_t node, const Visit& visit) const {
  if (node >= nodes()) {
    const CrossingRow& c = crossing_rows_[node - nodes()];
    each_variable(model_, model_.batches[c.batch], c.row, visit);
    return;
  }
  const Step& step = steps_[step_of_[node]];
  auto foreign = [&](std::uint32_t variable) {
    if (producer_[variable] != node) visit(variable);
  };
  if (step.kind == Step::Assign) {
    each_variable(model_, model_.batches[step.index], node - first_node_[step_of_[node]], foreign);
  } else {
    for (const KernelBatch& batch : loop_batches(model_, model_.loops[step.index]))
      for (std::uint32_t row = 0; row < batch.count; ++row) each_variable(model_, batch, row, foreign);
  }
}

template <class Visit>
void RowGraph::each_parameter(std::uint32_t node, const Visit& visit) const {
  if (node >= nodes()) {
    const CrossingRow& c = crossing_rows_[node - nodes()];
    each_row_parameter(model_, model_.batches[c.batch], c.row, visit);
    return;
  }
  const Step& step = steps_[step_of_[node]];
  if (step.kind == Step::Assign) {
    each_row_parameter(model_, model_.batches[step.index], node - first_node_[step_of_[node]], visit);
  } else {
    for (const KernelBatch& batch : loop_batches(model_, model_.loops[step.index]))
      for (std::uint32_t row = 0; row < batch.count; ++row) each_row_parameter(model_, batch, row, visit);
  }
}

RowGraph::RowGraph(const Model& model) : model_(model) {
  steps_ = model.dynamic;
  steps_.insert(steps_.end(), model.compared.begin(), model.compared.end());
  std::uint32_t count = 0;
  for (std::uint32_t s = 0; s < steps_.size(); ++s) {
    first_node_.push_back(count);
    const std::uint32_t rows = steps_[s].kind == Step::Assign ? model.batches[steps_[s].index].count : 1;
    step_of_.insert(step_of_.end(), rows, s);
    count += rows;
  }
  first_node_.push_back(count);

  state_of_.assign(model.variables, kNone);
  for (std::uint32_t s = 0; s < model.states.size(); ++s) state_of_[model.states[s].variable] = s;
  computes_ = NumberLists::collect(count, [&](const auto& add) {
    for (std::uint32_t node = 0; node < count; ++node) {
      const Step& step = steps_[step_of_[node]];
      if (step.kind == Step::Assign) {
        add(node, solved_variable(model, model.batches[step.index], node - first_node_[step_of_[node]]));
        continue;
      }
      const AlgebraicLoop& loop = model.loops[step.index];
      for (std::uint32_t k = 0; k < loop.unknowns; ++k)
        add(node, model.tearing_variables[loop.first_unknown + k]);
      for (const KernelBatch& batch : loop_batches(model, loop))
        for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row)
          add(node, solved_variable(model, batch, row));
    }
  });
  producer_.assign(model.variables, kNone);
  for (std::uint32_t node = 0; node < count; ++node)
    for (const std::uint32_t v : computes_[node]) producer_[v] = node;

  crossing_of_.assign(model.parameters.size(), kNone);
  for (const ZeroCrossing& c : model.zero_crossings) {
    const std::uint32_t rows = model.batches[c.batch].count;
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t j = 0; j < held_width(c.kind); ++j)
        crossing_of_[c.first + j * rows + row] = crossings();
      crossing_rows_.push_back({c.batch, row});
    }
  }
  const std::uint32_t all = count + crossings();
  reads_ = NumberLists::collect(all, [&](const auto& add) {
    for (std::uint32_t node = 0; node < all; ++node) each_read(node, [&](std::uint32_t v) { add(node, v); });
  });
  readers_ = NumberLists::collect(model.variables, [&](const auto& add) {
    for (std::uint32_t node = 0; node < all; ++node)
      for (const std::uint32_t v : reads_[node]) add(v, node);
  });
  readers_of_held_ = NumberLists::collect(crossings(), [&](const auto& add) {
    for (std::uint32_t node = 0; node < all; ++node)
      each_parameter(node, [&](std::uint32_t p) {
        if (crossing_of_[p] != kNone) add(crossing_of_[p], node);
      });
  });
  reads_held_ = NumberLists::collect(all, [&](const auto& add) {
    for (std::uint32_t node = 0; node < all; ++node)
      each_parameter(node, [&](std::uint32_t p) {
        if (crossing_of_[p] != kNone) add(node, crossing_of_[p]);
      });
  });
  derivative_of_ = NumberLists::collect(model.variables, [&](const auto& add) {
    for (std::uint32_t s = 0; s < model.states.size(); ++s) add(model.states[s].derivative, s);
  });
  find_decisive();
}

RowGraph::Rows RowGraph::rows_of(std::uint32_t node) const {
  const std::uint32_t step = step_of_[node];
  const std::uint32_t row = node - first_node_[step];
  return {step, row, row + 1};
}

std::vector<std::uint8_t> RowGraph::depend_on_time() const {
  const std::uint32_t all = nodes() + crossings();
  std::vector<std::uint8_t> result(all, 0);
  if (model_.timed.empty()) return result;
  auto timed = [&](const KernelBatch& batch) {
    return batch.kernel != kNone && model_.timed[batch.kernel] != 0;
  };
  // In the order of evaluation, so what a node reads is known.
  for (std::uint32_t node = 0; node < all; ++node) {
    bool depends = false;
    if (node >= nodes()) {
      depends = timed(model_.batches[crossing_rows_[node - nodes()].batch]);
    } else if (const Step& step = steps_[step_of_[node]]; step.kind == Step::Assign) {
      depends = timed(model_.batches[step.index]);
    } else {
      for (const KernelBatch& batch : loop_batches(model_, model_.loops[step.index]))
        depends = depends || timed(batch);
    }
    for (const std::uint32_t v : reads_[node])
      depends = depends || (producer_[v] != kNone && result[producer_[v]]);
    result[node] = depends;
  }
  return result;
}

void RowGraph::find_decisive() {
  global_crossings_.assign(crossings(), 0);
  decisive_variables_.assign(model_.variables, 0);
  std::vector<std::uint32_t> open;  // variables
  auto want = [&](std::uint32_t variable) {
    if (decisive_variables_[variable]) return;
    decisive_variables_[variable] = 1;
    open.push_back(variable);
  };
  std::vector<std::uint32_t> crossings;  // that have become global
  auto hold = [&](std::uint32_t parameter) {
    const std::uint32_t c = crossing_of_[parameter];
    if (c == kNone || global_crossings_[c]) return;
    global_crossings_[c] = 1;
    crossings.push_back(c);
  };
  for (const std::uint32_t b : model_.events.conditions) {
    const KernelBatch& batch = model_.batches[b];
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      each_variable(model_, batch, row, want);
      each_row_parameter(model_, batch, row, hold);
    }
  }
  // What equations compute from is assigned before the event is processed, unless that is an event as well:
  // then `pre` in an assigned value would be of what is computed from the new values.
  std::vector<std::uint8_t> in_value(model_.variables, 0);
  for (const Assignment& a : model_.events.assignments)
    each_variable(model_, model_.batches[a.value.batch], a.value.row,
                  [&](std::uint32_t variable) { in_value[variable] = 1; });
  for (const Events::Previous& p : model_.events.previous) {
    if (p.of == kNone) continue;
    const bool of_equation = in_value[p.variable] && producer_[p.of] != kNone;
    if (of_equation || decisive_variables_[p.variable] || !readers_[p.variable].empty()) want(p.of);
  }
  auto follow = [&](std::uint32_t node) {
    each_parameter(node, hold);
    for (const std::uint32_t v : reads_[node]) want(v);
  };
  while (!open.empty() || !crossings.empty()) {
    if (!crossings.empty()) {
      const std::uint32_t node = nodes() + crossings.back();
      crossings.pop_back();
      follow(node);
      continue;
    }
    const std::uint32_t node = producer_[open.back()];
    open.pop_back();
    if (node != kNone) follow(node);
  }
}

}  // namespace runtime
