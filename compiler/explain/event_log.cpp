#include "compiler/explain/event_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "compiler/explain/structure_report.h"
#include "compiler/ir/dae.h"
#include "compiler/pipeline/results.h"
#include "runtime/solve/parameters.h"

namespace sigrel::explain {
namespace {

constexpr std::size_t kLongest = 60;  // characters of a condition that are shown

/// The source text of a condition, on one line.
std::string snippet(std::string_view source) {
  std::string text;
  for (const char c : source) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

/// Whether the comparisons of a source text are all of the kind `a > b` or `a >= b`.
bool has_only_greater(std::string_view source) {
  return source.find('>') != std::string_view::npos && source.find('<') == std::string_view::npos;
}

bool is_number_or_parameter(const Node& node) { return node.op == Op::Const || node.op == Op::Param; }

}  // namespace

EventLog::EventLog(const pipeline::Compiled& model, const SourceMap& sources, Write write, Settings set)
    : sources_(sources), write_(std::move(write)), set_(std::move(set)) {
  begin(model);
}

void EventLog::begin(const pipeline::Compiled& model) {
  model_ = &model;
  runtime::Overrides overrides;
  for (const auto& [name, value] : set_)
    for (const system::NamedParameter& p : model.system.named_parameters)
      if (p.name == name) overrides.emplace_back(p.parameter, value);
  numbers_ = runtime::evaluate_parameters(model.plan.model, overrides);
  conditions_.clear();
  repeated_.clear();
  found_written_ = false;
  for (const dae::ZeroCrossing& crossing : model.dae.zero_crossings)
    for (std::size_t row = 0; row < crossing.differences.rows(); ++row)
      conditions_.push_back({.origin = crossing.differences.origins[row]});
  comparisons_ = conditions_.size();
  for (const system::Trigger& trigger : model.system.events.triggers) {
    conditions_.push_back({.origin = trigger.origin, .fires = true});
  }
  if (!write_) return;
  const std::vector<dae::Assignment>& assignments = model.dae.assignments;
  assignments_.resize(assignments.size());
  std::iota(assignments_.begin(), assignments_.end(), 0u);
  std::ranges::stable_sort(assignments_, {}, [&](std::uint32_t a) { return assignments[a].trigger; });
}

std::string EventLog::place(const Condition& condition) const {
  return explain::place(sources_, model_->system.sources[condition.origin.source].span);
}

/// Which comparisons are conditions by themselves, and which triggers are repeated in a `for`.
void EventLog::find_written() {
  if (std::exchange(found_written_, true)) return;
  const dae::System& dae = model_->dae;
  std::vector<std::uint32_t> first;  // comparison of each zero crossing
  std::uint32_t count = 0;
  for (const dae::ZeroCrossing& z : dae.zero_crossings) {
    first.push_back(count);
    count += static_cast<std::uint32_t>(z.differences.rows());
  }
  for (const EquationTable& table : dae.conditions.tables) {
    const Node& condition = dae.exprs[table.residual];
    if (condition.op != Op::Param) continue;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const std::uint32_t held = table.parameters_of(row)[condition.a];
      const auto after = std::ranges::upper_bound(dae.zero_crossings, held, {}, &dae::ZeroCrossing::first);
      if (after == dae.zero_crossings.begin()) continue;
      const auto z = after - dae.zero_crossings.begin() - 1;
      const std::uint32_t number = first[static_cast<std::size_t>(z)] + (held - (after - 1)->first);
      const std::size_t trigger = comparisons_ + table.tags[row];
      const Origin origin = conditions_[trigger].origin;
      if (held >= (after - 1)->first + (after - 1)->held() || conditions_[number].origin != origin) continue;
      conditions_[number].twin = static_cast<std::uint32_t>(trigger);
      conditions_[trigger].twin = number;
    }
  }
  std::vector<Origin> origins;
  for (std::size_t k = comparisons_; k < conditions_.size(); ++k) origins.push_back(conditions_[k].origin);
  auto key = [](const Origin& o) { return std::pair(o.instance, o.source); };
  std::ranges::sort(origins, {}, key);
  for (std::size_t k = 1; k < origins.size(); ++k)
    if (origins[k] == origins[k - 1] && (repeated_.empty() || repeated_.back() != origins[k]))
      repeated_.push_back(origins[k]);
}

/// Whether the condition, a trigger or its twin, is one of several of a `for`: what is written in the source
/// does not tell them apart.
bool EventLog::is_repeated(std::size_t number) {
  auto key = [](const Origin& o) { return std::pair(o.instance, o.source); };
  return std::ranges::binary_search(repeated_, key(conditions_[number].origin), {}, key);
}

/// "h < 0": left and right side of the comparison by the names of the whole model, a number on the right,
/// `time` on the left.
std::string EventLog::flat_text(std::size_t number) const {
  const dae::System& dae = model_->dae;
  const dae::ZeroCrossing* crossing = dae.zero_crossings.data();
  std::size_t row = number;
  for (; row >= crossing->differences.rows(); ++crossing) row -= crossing->differences.rows();
  const EquationTable& table = crossing->differences;
  const std::span<const std::uint32_t> parameters = table.parameters_of(row);
  auto slot = [&](std::uint32_t k, std::uint32_t) {
    return dae::variable_name(model_->system, dae, table.unknowns_of(row)[k]);
  };
  auto parameter = [&](std::uint32_t k) {
    const std::uint32_t p = parameters[k];
    if (p < model_->system.parameters.size()) return fmt::format("{:.6g}", numbers_[p]);
    return std::string("…");  // the value of another comparison
  };
  const bool of_integers =
      table.slots > 0 && std::ranges::all_of(table.unknowns_of(row), [&](std::uint32_t v) {
        return system::unknown_info(model_->system, dae.variables[v].unknown).type == system::SignalType::Int;
      });
  auto constant = [&](double value) {  // as the language writes it
    const std::string digits = fmt::format("{}", value);
    return !of_integers && digits.find_first_not_of("-0123456789") == std::string::npos ? digits + ".0"
                                                                                        : digits;
  };
  auto side = [&](ExprId id) {
    const Node& node = dae.exprs[id];
    return node.op == Op::Const ? constant(node.value) : print(dae.exprs, id, slot, parameter);
  };
  const Node& root = dae.exprs[table.residual];
  if (crossing->kind != runtime::ZeroCrossing::Comparison)
    return snippet(dae::held_text(crossing->kind, crossing->strict, side(table.residual)));
  if (root.op == Op::Neg)
    return snippet(fmt::format("{} {} 0", side(ExprId{root.a}), crossing->strict ? ">" : ">="));
  // `s < -0.5` is the difference `s + 0.5`.
  if (root.op == Op::Add && dae.exprs[ExprId{root.b}].op == Op::Const)
    return snippet(fmt::format("{} {} {}", side(ExprId{root.a}), crossing->strict ? "<" : "<=",
                               constant(0.0 - dae.exprs[ExprId{root.b}].value)));
  if (root.op != Op::Sub)
    return snippet(fmt::format("{} {} 0", side(table.residual), crossing->strict ? "<" : "<="));
  const ExprId left{root.a}, right{root.b};
  if (is_number_or_parameter(dae.exprs[left]) || dae.exprs[right].op == Op::Time)
    return snippet(fmt::format("{} {} {}", side(right), crossing->strict ? ">" : ">=", side(left)));
  if (has_only_greater(sources_.text(model_->system.sources[conditions_[number].origin.source].span)))
    return snippet(fmt::format("{} {} {}", side(right), crossing->strict ? ">" : ">=", side(left)));
  return snippet(fmt::format("{} {} {}", side(left), crossing->strict ? "<" : "<=", side(right)));
}

/// How many parameters a comparison reads.
std::size_t EventLog::parameters_of(std::size_t number) const {
  const dae::ZeroCrossing* crossing = model_->dae.zero_crossings.data();
  for (; number >= crossing->differences.rows(); ++crossing) number -= crossing->differences.rows();
  return crossing->differences.params;
}

/// "true" of a comparison, else the number of the piece.
std::string EventLog::held_value(std::size_t number, double value) const {
  const dae::ZeroCrossing* crossing = model_->dae.zero_crossings.data();
  for (std::size_t row = number; row >= crossing->differences.rows(); ++crossing)
    row -= crossing->differences.rows();
  if (crossing->kind == runtime::ZeroCrossing::Comparison) return value != 0 ? "true" : "false";
  return fmt::format("{:.6g}", value);
}

std::string EventLog::trigger_text(std::size_t trigger) const {
  const system::Trigger& t = model_->system.events.triggers[trigger];
  std::string source = snippet(sources_.text(model_->system.sources[t.origin.source].span));
  switch (t.kind) {
    case system::Trigger::When: return source;
    case system::Trigger::Every: return "every " + source;
    case system::Trigger::Terminate:
    case system::Trigger::Transition: break;
  }
  return source;
}

/// ": `p.x > 0.3`" of `x > 0.1 * i`: what a comparison that is shown as written compares with, if that is not
/// in the text.
std::string EventLog::numbers(std::size_t number) {
  const std::string& shown = text(number);
  const Condition& c = conditions_[number];
  if (c.twin == kNone || parameters_of(number) == 0) return {};
  const std::string flat = "`" + flat_text(number) + "`";
  return shown.starts_with(flat) ? std::string() : ": " + flat;
}

const std::string& EventLog::text(std::size_t number) {
  Condition& c = conditions_[number];
  if (!c.text.empty()) return c.text;
  find_written();
  const bool written = c.twin == kNone ? c.fires : !is_repeated(number);
  const std::size_t trigger = c.fires ? number : c.twin, comparison = c.fires ? c.twin : number;
  c.text = "`" + (written ? trigger_text(trigger - comparisons_) : flat_text(comparison)) + "`";
  if (const std::string instance = system::instance_name(model_->system, c.origin.instance);
      !instance.empty())
    c.text += " in `" + instance + "`";
  return c.text;
}

std::string EventLog::value(std::uint32_t variable, double value) const {
  const std::uint32_t unknown = model_->dae.variables[variable].unknown;
  const system::LocalInfo& info = system::unknown_info(model_->system, unknown);
  // All digits of an Int, and those of a Real that results show.
  const int digits = info.type == system::SignalType::Real ? 9 : 17;
  return pipeline::value_text(pipeline::description(info.type, sigrel::text(info.unit)), value, digits);
}

/// The jumps of the variables that a trigger assigns in its round, each once.
std::string EventLog::jumps(runtime::FiredTrigger fired, std::span<const runtime::Jump> jumps,
                            std::vector<std::uint8_t>& shown) const {
  std::string text;
  const std::vector<dae::Assignment>& all = model_->dae.assignments;
  for (const std::uint32_t index : std::ranges::equal_range(
           assignments_, fired.trigger, {}, [&](std::uint32_t a) { return all[a].trigger; })) {
    const dae::Assignment& a = all[index];
    const std::pair key(fired.round, a.variable);
    auto key_of = [](const runtime::Jump& j) { return std::pair(j.round, j.variable); };
    const auto jump = std::ranges::lower_bound(jumps, key, {}, key_of);
    if (jump == jumps.end() || key_of(*jump) != key) continue;
    std::uint8_t& done = shown[static_cast<std::size_t>(jump - jumps.begin())];
    if (std::exchange(done, 1)) continue;
    text += fmt::format("{}`{}` = {} -> {}", text.empty() ? ": " : ", ",
                        dae::variable_name(model_->system, model_->dae, a.variable),
                        value(a.variable, jump->before), value(a.variable, jump->after));
  }
  return text;
}

void EventLog::event(const runtime::EventReport& report) {
  ++events_;
  arrivals_ += report.arrival;
  for (const runtime::ChangedComparison& c : report.comparisons) ++conditions_[c.number].count;
  for (const runtime::FiredTrigger& t : report.triggers) ++conditions_[comparisons_ + t.trigger].count;
  if (!write_) return;
  std::string log = fmt::format("t = {:.9g} s\n", report.time);
  const auto out = std::back_inserter(log);
  if (report.arrival) log += "  a jump of a delayed signal arrived\n";
  for (const runtime::ChangedComparison& c : report.comparisons)
    fmt::format_to(out, "  {}  {} became {}{}{}\n", place(conditions_[c.number]), text(c.number),
                   held_value(c.number, c.value), report.reversal ? " again" : "", numbers(c.number));
  shown_.assign(report.jumps.size(), 0);
  std::uint32_t round = 0;
  for (const runtime::FiredTrigger& t : report.triggers) {
    if (t.round != std::exchange(round, t.round)) fmt::format_to(out, "  round {}:\n", t.round + 1);
    const std::size_t number = comparisons_ + t.trigger;
    fmt::format_to(out, "  {}  {} fired{}\n", place(conditions_[number]), text(number),
                   jumps(t, report.jumps, shown_));
  }
  write_(log);
}

void EventLog::follow(const pipeline::Compiled& model) {
  leave();
  begin(model);
}

void EventLog::change(const StructureChange& change) {
  if (write_) write_(fmt::format("t = {:.9g} s\n", change.time) + explain::text(change));
}

std::pair<std::uint32_t, std::uint32_t> EventLog::line_of(const Condition& condition) const {
  const Span span = model_->system.sources[condition.origin.source].span;
  return {span.file.value, sources_.file(span.file).position(span.begin).line};
}

/// Keeps the counts of the present structure.
void EventLog::leave() {
  for (std::size_t k = 0; k < conditions_.size(); ++k) {
    if (conditions_[k].count == 0) continue;
    const auto [file, line] = line_of(conditions_[k]);
    past_[{file, line, text(k), conditions_[k].fires}] += std::exchange(conditions_[k].count, 0);
  }
}

void EventLog::visit_past(runtime::Archive& archive) {
  std::uint64_t size = past_.size();
  archive(size);
  if (!archive.loads()) {
    for (auto& [key, count] : past_) {
      auto [file, line, text, fires] = key;
      archive(file, line, text, fires, count);
    }
    return;
  }
  past_.clear();
  for (std::uint64_t k = 0; k < size && archive.fine(); ++k) {
    Key key;
    std::uint64_t count = 0;
    archive(std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key), count);
    past_.emplace(std::move(key), count);
  }
}

/// The lines of conditions, of which `counted` gives the text by number.
std::vector<std::string> EventLog::lines_of(std::span<const Counted> conditions,
                                            const std::function<std::string(std::size_t)>& counted) const {
  struct Line {
    std::uint64_t count = 0;
    std::size_t conditions = 0, most = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Line> lines;  // by file and line
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    if (conditions[k].count == 0) continue;
    Line& line = lines[conditions[k].at];
    if (line.conditions++ == 0 || conditions[k].count > conditions[line.most].count) line.most = k;
    line.count += conditions[k].count;
  }
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, Line>> sorted(lines.begin(), lines.end());
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& entry) { return entry.second.count; });
  std::vector<std::string> texts;
  for (const auto& [at, line] : sorted) {
    std::string text = fmt::format("{:>10}  {}:{}  {}", line.count, sources_.file(FileId{at.first}).path,
                                   at.second, counted(line.most));
    if (const std::size_t others = line.conditions - 1; others != 0) {
      const std::uint64_t rest = line.count - conditions[line.most].count;
      text += fmt::format(", {} other condition{} {} time{}", others, others == 1 ? "" : "s", rest,
                          rest == 1 ? "" : "s");
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> EventLog::lines() {
  auto counted = [](const std::string& condition, bool fires, std::uint64_t count) {
    return fmt::format("{} {} {} time{}", condition, fires ? "fired" : "changed", count,
                       count == 1 ? "" : "s");
  };
  std::vector<Counted> found;
  if (past_.empty()) {
    for (const Condition& c : conditions_) found.push_back({line_of(c), c.count});
    return lines_of(
        found, [&](std::size_t k) { return counted(text(k), conditions_[k].fires, conditions_[k].count); });
  }
  leave();
  std::vector<const Key*> keys;
  for (const auto& [key, count] : past_) {
    keys.push_back(&key);
    found.push_back({{std::get<0>(key), std::get<1>(key)}, count});
  }
  return lines_of(found, [&](std::size_t k) {
    return counted(std::get<2>(*keys[k]), std::get<3>(*keys[k]), found[k].count);
  });
}

std::string EventLog::counts() {
  std::string text = fmt::format("{} event{}\n", events_, events_ == 1 ? "" : "s");
  if (arrivals_ > 0) text += fmt::format("{:>10}  jumps of delayed signals arrived\n", arrivals_);
  for (const std::string& line : lines()) text += line + '\n';
  return text;
}

}  // namespace sigrel::explain
