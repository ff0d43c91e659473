#include "runtime/quantised/update_plan.h"

#include <algorithm>
#include <numeric>

namespace runtime {

namespace {
constexpr std::uint64_t kKept = 16;
constexpr std::uint64_t kSmall = 1'000'000;  // entries that are always kept
}  // namespace

UpdatePlans::UpdatePlans(const Model& model, const RowGraph& graph, const LocalClocks& clocks)
    : model_(model),
      graph_(graph),
      clocks_(clocks),
      states_(static_cast<std::uint32_t>(model.states.size())),
      crossings_(graph.crossings()),
      limit_(std::max<std::uint64_t>(kKept * graph.reads().items.size(), kSmall)),
      places_(std::size_t{states_} + 2 * std::size_t{crossings_} + clocks.local.size()),
      node_stamp_(std::size_t{graph.nodes()} + crossings_, 0),
      state_stamp_(states_, 0),
      crossing_stamp_(crossings_, 0) {
  std::vector<std::uint32_t> all(crossings_);
  std::iota(all.begin(), all.end(), 0u);
  all_crossings_ = part(all, Of::Crossings, kept_);
}

UpdatePlan UpdatePlans::plan(std::uint32_t source) {
  Places& places = places_[source];
  if (places.known) return view(places, kept_);
  if (kept_.numbers.size() + kept_.rows.size() > limit_) {
    scratch_.numbers.clear();
    scratch_.rows.clear();
    const Places now = work_out(source, scratch_);
    return view(now, scratch_);
  }
  places = work_out(source, kept_);
  places.known = true;
  return view(places, kept_);
}

UpdatePlans::Places UpdatePlans::work_out(std::uint32_t source, Lists& into) {
  Places result;
  const std::uint32_t first_tick = states_ + 2 * crossings_;
  if (source >= first_tick) {
    result.values = part(clocks_.reads[source - first_tick], Of::Variables, into);
  } else if (source >= states_ + crossings_) {
    const std::uint32_t crossing = source - states_ - crossings_;
    result.crossings = part({&crossing, 1}, Of::Crossings, into);
    return result;
  }
  affected(source);
  result.derivatives = part(changed_states_, Of::Derivatives, into);
  result.crossings = part(changed_crossings_, Of::Crossings, into);
  return result;
}

/// Collects the states whose derivatives depend on the source, and the crossings that depend on these states
/// or on a held value that changes.
void UpdatePlans::affected(std::uint32_t source) {
  ++clock_;
  changed_states_.clear();
  changed_crossings_.clear();
  open_.clear();
  auto visit_readers = [&](std::span<const std::uint32_t> readers) {
    for (const std::uint32_t node : readers)
      if (first_visit(node_stamp_, node)) open_.push_back(node);
  };
  auto change = [&](std::span<const std::uint32_t> states) {
    for (const std::uint32_t s : states)
      if (first_visit(state_stamp_, s)) changed_states_.push_back(s);
  };
  auto collect = [&](bool crossings, bool derivatives) {
    while (!open_.empty()) {
      const std::uint32_t node = open_.back();
      open_.pop_back();
      if (node >= graph_.nodes()) {
        if (crossings && first_visit(crossing_stamp_, node - graph_.nodes()))
          changed_crossings_.push_back(node - graph_.nodes());
        continue;
      }
      for (const std::uint32_t v : graph_.computes()[node]) {
        if (derivatives) change(graph_.derivative_of()[v]);
        visit_readers(graph_.readers()[v]);
      }
    }
  };
  if (source < states_) {
    const std::uint32_t variable = model_.states[source].variable;
    change({&source, 1});
    change(graph_.derivative_of()[variable]);
    visit_readers(graph_.readers()[variable]);
    collect(false, true);
  } else if (source >= states_ + 2 * crossings_) {
    for (const std::uint32_t a : clocks_.assigns[source - states_ - 2 * crossings_]) {
      const std::uint32_t variable = model_.events.assignments[a].variable;
      if (const std::uint32_t s = graph_.state_of(variable); s != kNone) change({&s, 1});
      change(graph_.derivative_of()[variable]);
      visit_readers(graph_.readers()[variable]);
    }
    collect(true, true);
  } else {
    visit_readers(graph_.readers_of_held()[source - states_]);
    collect(true, true);
    if (first_visit(crossing_stamp_, source - states_)) changed_crossings_.push_back(source - states_);
  }
  std::ranges::sort(changed_states_);
  // Crossings that read states whose derivatives, and so their trajectories, change.
  ++clock_;
  for (const std::uint32_t k : changed_crossings_) crossing_stamp_[k] = clock_;
  for (const std::uint32_t s : changed_states_) visit_readers(graph_.readers()[model_.states[s].variable]);
  collect(true, false);
  std::ranges::sort(changed_crossings_);
}

/// The rows that the targets need, and the states that these and the targets read.
UpdatePlans::Place UpdatePlans::part(std::span<const std::uint32_t> targets, Of of, Lists& into) {
  ++clock_;
  open_.clear();
  found_.clear();
  Place place{.numbers = into.numbers.size(), .rows = into.rows.size()};
  auto need = [&](std::uint32_t variable) {
    if (const std::uint32_t state = graph_.state_of(variable); state != kNone) {
      if (first_visit(state_stamp_, state)) into.numbers.push_back(state);
    } else if (const std::uint32_t node = graph_.producer(variable);
               node != kNone && first_visit(node_stamp_, node)) {
      open_.push_back(node);
    }
  };
  for (const std::uint32_t target : targets) {
    if (of == Of::Variables)
      need(target);
    else if (of == Of::Derivatives)
      need(model_.states[target].derivative);
    else
      for (const std::uint32_t v : graph_.reads()[graph_.nodes() + target]) need(v);
  }
  while (!open_.empty()) {
    const std::uint32_t node = open_.back();
    open_.pop_back();
    found_.push_back(node);
    for (const std::uint32_t v : graph_.reads()[node]) need(v);
  }
  place.inputs = static_cast<std::uint32_t>(into.numbers.size() - place.numbers);
  std::ranges::sort(found_);
  for (const std::uint32_t node : found_) {
    const RowGraph::Rows rows = graph_.rows_of(node);
    if (into.rows.size() > place.rows && into.rows.back().step == rows.step &&
        into.rows.back().end == rows.begin)
      into.rows.back().end = rows.end;
    else
      into.rows.push_back(rows);
  }
  place.row_count = static_cast<std::uint32_t>(into.rows.size() - place.rows);
  if (of == Of::Variables) return place;
  into.numbers.insert(into.numbers.end(), targets.begin(), targets.end());
  place.targets = static_cast<std::uint32_t>(targets.size());
  return place;
}

UpdatePlan UpdatePlans::view(const Places& places, const Lists& lists) {
  return {view(places.values, lists), view(places.derivatives, lists), view(places.crossings, lists)};
}

UpdatePart UpdatePlans::view(const Place& place, const Lists& lists) {
  const std::uint32_t* numbers = lists.numbers.data() + place.numbers;
  return {{numbers, place.inputs},
          {lists.rows.data() + place.rows, place.row_count},
          {numbers + place.inputs, place.targets}};
}

}  // namespace runtime
