#include "runtime/components/submodel.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "runtime/components/dependency.h"

namespace runtime {

using Kind = RowIndex::Kind;

void Submodel::link(const Model& whole) {
  std::vector<std::uint32_t> number(whole.kernels.size(), kNone);
  auto linked = [&](std::uint32_t& kernel) {
    if (kernel == kNone || kernel >= number.size()) return;
    if (number[kernel] == kNone) {
      number[kernel] = static_cast<std::uint32_t>(model.kernels.size());
      model.kernels.push_back(whole.kernels[kernel]);
    }
    kernel = number[kernel];
  };
  for (KernelBatch& batch : model.batches) {
    linked(batch.kernel);
    linked(batch.partials);
    linked(batch.residual);
  }
  auto gather = [&](const auto& of, auto& own) {
    if (of.empty()) return;
    own.resize(model.kernels.size());
    for (std::size_t kernel = 0; kernel < number.size(); ++kernel)
      if (number[kernel] != kNone) own[number[kernel]] = of[kernel];
  };
  gather(whole.timed, model.timed);
  gather(whole.linearity, model.linearity);
  gather(whole.sharpness, model.sharpness);
  gather(whole.enclosures, model.enclosures);
}

void renumber(Failure& failure, const Submodel& part, const Submodel& executed) {
  // The failure has equations of the part that was executed, in numbers of the whole model.
  const bool crossings = failure.kind == FailureKind::EndlessEvents;
  const std::vector<std::uint32_t>& from = crossings ? executed.crossings : executed.model.equations;
  const std::vector<std::uint32_t>& to = crossings ? part.crossings : part.model.equations;
  auto equation = [&](std::uint32_t& number) {
    const auto at = std::ranges::find(from, number);
    if (at != from.end()) number = to[static_cast<std::size_t>(at - from.begin())];
  };
  for (FailedEquation& e : failure.equations) equation(e.equation);
  for (Follower& f : failure.followers) equation(f.equation);
  for (FailedVariable& v : failure.variables) v.variable = part.variables[v.variable];
  for (Follower& f : failure.followers) f.variable = part.variables[f.variable];
  for (FailedParameter& p : failure.parameters) p.parameter = part.parameters[p.parameter];
  for (std::uint32_t& t : failure.triggers) t = part.triggers[t];
  for (std::uint32_t& e : failure.assignments) e = part.assignments[e];
}

Extraction::Extraction(const RowIndex& rows)
    : rows_(rows),
      whole_(rows.model()),
      stamp_(rows.nodes(), 0),
      number_(rows.nodes(), 0),
      row_stamp_(rows.size(), 0),
      place_(rows.size()),
      time_function_(rows.crossings(), kNone) {
  std::uint32_t next = 0, number = 0;  // time functions are in the order of the rows
  for (std::uint32_t c = 0; c < whole_.zero_crossings.size(); ++c)
    for (std::uint32_t row = 0; row < whole_.batches[whole_.zero_crossings[c].batch].count; ++row, ++number)
      if (next < whole_.time_functions.size() && whole_.time_functions[next].zero_crossing == c &&
          whole_.time_functions[next].row == row)
        time_function_[number] = next++;
}

bool Extraction::close(std::vector<std::uint32_t>& rows, std::span<const std::uint32_t> component,
                       std::size_t most) {
  ++row_clock_;
  stack_ = rows;
  for (const std::uint32_t row : rows) row_stamp_[row] = row_clock_;
  while (!stack_.empty()) {
    const std::uint32_t row = stack_.back();
    stack_.pop_back();
    auto need = [&](std::uint32_t node) {
      for (const std::uint32_t writer : rows_.writers(node)) {
        if (component[writer] != Dependency::kShared) break;  // then none is
        if (row_stamp_[writer] == row_clock_) continue;
        row_stamp_[writer] = row_clock_;
        rows.push_back(writer);
        stack_.push_back(writer);
      }
    };
    rows_.each_read(row, need);
    if (rows.size() > most) return false;
  }
  std::ranges::sort(rows);
  return true;
}

std::uint32_t Extraction::local(std::uint32_t node, std::vector<std::uint32_t>& list, std::uint32_t number) {
  if (stamp_[node] != clock_) {
    stamp_[node] = clock_;
    number_[node] = static_cast<std::uint32_t>(list.size());
    list.push_back(number);
  }
  return number_[node];
}

/// A batch of some of the rows of a batch.
std::uint32_t Extraction::batch(const KernelBatch& of, std::span<const std::uint32_t> rows) {
  Model& model = part_->model;
  KernelBatch own = of;
  own.count = static_cast<std::uint32_t>(rows.size());
  own.table = model.tables.size();
  own.equations = model.equations.size();
  for (const std::uint32_t row : rows) model.equations.push_back(whole_.equations[of.equations + row]);
  if (of.kernel == kNone) {
    const SumTable sums(whole_, of);
    std::uint32_t offset = 0;
    model.tables.push_back(0);
    for (const std::uint32_t row : rows)
      model.tables.push_back(offset += sums.offsets[row + 1] - sums.offsets[row]);
    for (const std::uint32_t row : rows)
      if (of.role == Role::Solve) model.tables.push_back(sums.positions[row]);
    for (const std::uint32_t row : rows)
      for (std::uint32_t k = sums.offsets[row]; k < sums.offsets[row + 1]; ++k) {
        const std::uint32_t term = sums.terms[k];
        model.tables.push_back(variable(term >> 1) << 1 | (term & 1));
      }
  } else {
    for (std::uint32_t column = 0; column < of.slots + of.params; ++column)
      for (const std::uint32_t row : rows) {
        const std::uint32_t number = slot_variable(whole_, of, column, row);
        model.tables.push_back(column < of.slots ? variable(number) : parameter(number));
      }
  }
  model.batches.push_back(own);
  return static_cast<std::uint32_t>(model.batches.size() - 1);
}

std::uint32_t Extraction::whole_batch(const KernelBatch& of) {
  within_.resize(of.count);
  std::iota(within_.begin(), within_.end(), 0u);
  return batch(of, within_);
}

Step Extraction::loop(std::uint32_t number) {
  Model& model = part_->model;
  AlgebraicLoop own = whole_.loops[number];
  own.first_batch = static_cast<std::uint32_t>(model.batches.size());
  for (const KernelBatch& of : loop_batches(whole_, whole_.loops[number])) whole_batch(of);
  const std::uint32_t* unknowns = whole_.tearing_variables.data() + own.first_unknown;
  own.first_unknown = static_cast<std::uint32_t>(model.tearing_variables.size());
  for (std::uint32_t k = 0; k < own.unknowns; ++k) model.tearing_variables.push_back(variable(unknowns[k]));
  model.loops.push_back(own);
  return {Step::Solve, static_cast<std::uint32_t>(model.loops.size() - 1)};
}

void Extraction::section(const RowIndex::Section& section, std::span<const std::uint32_t> rows) {
  Model& model = part_->model;
  auto steps_of = [&](Kind kind) -> std::vector<Step>& {
    return kind == Kind::Dynamic ? model.dynamic : kind == Kind::Compared ? model.compared : model.asserted;
  };
  auto of_batch = [&] { return batch(rows_.batch_of(section), rows); };
  switch (section.kind) {
    case Kind::State:
      for (const std::uint32_t row : rows)
        model.states.push_back(
            {variable(whole_.states[row].variable), variable(whole_.states[row].derivative)});
      break;
    case Kind::Dynamic:
    case Kind::Compared:
    case Kind::Asserted:
      if (section.loop) {
        steps_of(section.kind).push_back(loop(section.index));
        break;
      }
      steps_of(section.kind).push_back({Step::Assign, of_batch()});
      for (std::uint32_t k = 0; k < rows.size(); ++k)
        place_[section.first + rows[k]] = {steps_of(section.kind).back().index, k};
      break;
    case Kind::Crossing: crossing(section, rows); break;
    case Kind::Condition:
      model.events.conditions.push_back(of_batch());
      for (const std::uint32_t row : rows)
        model.events.condition_triggers.push_back(
            trigger(whole_.events.condition_triggers[section.tag + row]));
      break;
    case Kind::Value:
      model.events.values.push_back(of_batch());
      for (std::uint32_t k = 0; k < rows.size(); ++k) {
        const std::uint32_t number = section.tag + rows[k];
        Assignment own = whole_.events.assignments[number];
        own.trigger = trigger(own.trigger);
        own.variable = variable(own.variable);
        own.value = {model.events.values.back(), k};
        model.events.assignments.push_back(own);
        part_->assignments.push_back(number);
      }
      break;
    case Kind::Previous:
      for (const std::uint32_t row : rows) {
        const Events::Previous& p = whole_.events.previous[row];
        model.events.previous.push_back(
            {variable(p.variable), p.of == kNone ? kNone : variable(p.of), p.negated});
      }
      break;
    case Kind::Clock:
      for (const std::uint32_t row : rows) {
        Clock own = whole_.events.clocks[row];
        const std::uint32_t* jitters = whole_.events.jitters.data() + own.first_jitter;
        own.first_jitter = static_cast<std::uint32_t>(model.events.jitters.size());
        for (std::uint32_t k = 0; k < own.jitters; ++k) model.events.jitters.push_back(parameter(jitters[k]));
        own.trigger = trigger(own.trigger);
        for (std::uint32_t* p : {&own.period, &own.offset, &own.start, &own.stop}) *p = parameter(*p);
        model.events.clocks.push_back(own);
      }
      break;
    case Kind::Alternative:
      for (const std::uint32_t row : rows) {
        const Events::Alternative& a = whole_.events.alternatives[row];
        model.events.alternatives.push_back({trigger(a.trigger), trigger(a.preceding)});
      }
      break;
    case Kind::Delay:
      for (const std::uint32_t row : rows) {
        Delay own = whole_.delays[row];
        own.variable = variable(own.variable);
        if (own.of != kNone) own.of = variable(own.of);
        own.length = parameter(own.length);
        model.delays.push_back(own);
      }
      break;
    case Kind::Assertion: model.assertions.push_back(of_batch()); break;
  }
}

void Extraction::crossing(const RowIndex::Section& section, std::span<const std::uint32_t> rows) {
  Model& model = part_->model;
  ZeroCrossing own = whole_.zero_crossings[section.crossing];
  own.first = parameter(own.first + rows[0]);
  own.batch = batch(rows_.batch_of(section), rows);
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    const std::uint32_t number = rows_.crossing_number(section.first + rows[k]);
    part_->crossings.push_back(number);
    if (time_function_[number] == kNone) continue;
    const TimeFunction& of = whole_.time_functions[time_function_[number]];
    model.time_functions.push_back({static_cast<std::uint32_t>(model.zero_crossings.size()), k,
                                    static_cast<std::uint32_t>(model.time_rows.size()), of.rows});
    for (std::uint32_t r = 0; r < of.rows; ++r)
      model.time_rows.push_back(place_[rows_.row_of(whole_.time_rows[of.first_row + r])]);
  }
  model.zero_crossings.push_back(own);
  if (own.kind == ZeroCrossing::Table && model.piece_tables.empty()) {
    model.piece_tables = whole_.piece_tables;
    model.knots = whole_.knots;
    model.coefficients = whole_.coefficients;
  }
}

void Extraction::extract(std::span<const std::uint32_t> rows, Submodel& part) {
  ++clock_;
  part_ = &part;
  part.variables.clear();
  part.parameters.clear();
  part.triggers.clear();
  part.crossings.clear();
  part.assignments.clear();
  part.foreign_variables.clear();
  part.foreign_parameters.clear();
  Model& model = part.model;
  for (auto* list : {&model.tables, &model.equations, &model.tearing_variables, &model.events.conditions,
                     &model.events.condition_triggers, &model.events.values, &model.events.jitters,
                     &model.assertions, &model.events.terminating, &model.events.terminal})
    list->clear();
  for (auto* list : {&model.dynamic, &model.compared, &model.asserted}) list->clear();
  model.states.clear(), model.batches.clear(), model.loops.clear(), model.zero_crossings.clear();
  model.events.assignments.clear(), model.events.clocks.clear(), model.events.previous.clear();
  model.delays.clear(), model.kernels.clear(), model.timed.clear(), model.enclosures.clear();
  model.sharpness.clear(), model.linearity.clear();
  model.events.alternatives.clear(), model.time_functions.clear(), model.time_rows.clear();
  model.piece_tables.clear(), model.knots.clear(), model.coefficients.clear();
  std::vector<std::uint32_t> own;
  auto each_section = [&](const auto& visit) {
    for (std::size_t begin = 0; begin < rows.size();) {
      const RowIndex::Section& s = rows_.section_of(rows[begin]);
      own.clear();
      for (; begin < rows.size() && rows[begin] < s.first + s.rows; ++begin)
        own.push_back(rows[begin] - s.first);
      visit(s);
    }
  };
  // The held parameters of a batch have successive numbers: they are the first.
  each_section([&](const RowIndex::Section& s) {
    if (s.kind != Kind::Crossing) return;
    const ZeroCrossing& of = whole_.zero_crossings[s.crossing];
    for (std::uint32_t j = 0; j < held_width(of.kind); ++j)
      for (const std::uint32_t row : own) parameter(of.first + j * s.rows + row);
  });
  each_section([&](const RowIndex::Section& s) { section(s, own); });
  auto those_of_part = [&](const std::vector<std::uint32_t>& triggers, std::vector<std::uint32_t>& list) {
    for (const std::uint32_t t : triggers)
      if (stamp_[rows_.trigger_node(t)] == clock_) list.push_back(trigger(t));
  };
  those_of_part(whole_.events.terminating, model.events.terminating);
  those_of_part(whole_.events.terminal, model.events.terminal);
  model.variables = static_cast<std::uint32_t>(part.variables.size());
  model.parameters.assign(part.parameters.size(), {});
  model.discrete.clear();
  for (const std::uint32_t v : part.variables)
    if (!whole_.discrete.empty()) model.discrete.push_back(whole_.discrete[v]);
  model.events.triggers = static_cast<std::uint32_t>(part.triggers.size());
  write_structure();
}

void Extraction::write_structure() {
  const Model& m = part_->model;
  std::vector<std::uint32_t>& out = part_->structure;
  out = {m.variables, static_cast<std::uint32_t>(m.parameters.size()), m.events.triggers};
  auto list = [&](const std::vector<std::uint32_t>& values) {
    out.push_back(static_cast<std::uint32_t>(values.size()));
    out.insert(out.end(), values.begin(), values.end());
  };
  auto records = [&](const auto& values, const auto& fields) {
    out.push_back(static_cast<std::uint32_t>(values.size()));
    for (const auto& value : values)
      for (const std::uint32_t field : fields(value)) out.push_back(field);
  };
  auto word = [](auto value) { return static_cast<std::uint32_t>(value); };
  list(m.tables);
  records(m.batches, [&](const KernelBatch& b) {
    return std::array{word(b.role), b.kernel, b.partials, b.residual, b.slots, b.params, b.solved, b.count};
  });
  records(m.states, [&](const State& s) { return std::array{s.variable, s.derivative}; });
  records(m.loops, [&](const AlgebraicLoop& l) {
    return std::array{l.first_batch, l.batches, l.unknowns, word(l.kind)};
  });
  list(m.tearing_variables);
  for (const auto* steps : {&m.dynamic, &m.compared, &m.asserted})
    records(*steps, [&](const Step& s) { return std::array{word(s.kind), s.index}; });
  records(m.zero_crossings,
          [&](const ZeroCrossing& z) { return std::array{z.batch, z.first, word(z.strict), word(z.kind)}; });
  records(m.time_functions,
          [&](const TimeFunction& f) { return std::array{f.zero_crossing, f.row, f.first_row, f.rows}; });
  records(m.time_rows, [&](const BatchRow& r) { return std::array{r.batch, r.row}; });
  for (const auto* values : {&m.events.conditions, &m.events.condition_triggers, &m.events.values,
                             &m.events.jitters, &m.events.terminating, &m.events.terminal, &m.assertions})
    list(*values);
  records(m.events.assignments, [&](const Assignment& a) {
    return std::array{a.trigger, a.variable, word(a.negated), word(a.integer)};
  });
  records(m.events.clocks, [&](const Clock& c) {
    return std::array{c.trigger, c.period, c.offset, c.start, c.stop, c.first_jitter, c.jitters};
  });
  records(m.events.alternatives,
          [&](const Events::Alternative& a) { return std::array{a.trigger, a.preceding}; });
  records(m.events.previous,
          [&](const Events::Previous& p) { return std::array{p.variable, p.of, word(p.negated)}; });
  records(m.delays, [&](const Delay& d) {
    return std::array{d.variable, d.of, d.length, word(d.negated), word(d.piecewise_constant)};
  });
}

}  // namespace runtime
