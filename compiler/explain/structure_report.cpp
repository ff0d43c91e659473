#include "compiler/explain/structure_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/solve/parameters.h"
#include "runtime/solve/schedule.h"

namespace sigrel::explain {
namespace {

constexpr std::size_t kShown = 100;  // of each kind, at most

/// The source text of a span on one line.
std::string excerpt(const SourceMap& sources, Span span) {
  std::string text;
  bool space = false;
  for (char c : sources.text(span)) {
    if (c == '\n' || c == '\r' || c == '\t' || c == ' ') {
      space = true;
      continue;
    }
    if (space && !text.empty()) text += ' ';
    space = false;
    text += c;
    if (text.size() > 100) return text + " …";
  }
  return text;
}

std::string times(std::uint32_t n) { return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n); }

/// "the derivative of ", "the second derivative of ", …
std::string derivative(std::uint32_t n) {
  static constexpr const char* kOrdinals[] = {"", "", "second ", "third ", "fourth "};
  if (n == 0) return "";
  return n < std::size(kOrdinals) ? fmt::format("the {}derivative of ", kOrdinals[n])
                                  : fmt::format("the {}th derivative of ", n);
}

std::string rest(std::size_t count) {
  return count > kShown ? fmt::format("  and {} more\n", count - kShown) : "";
}

/// The variables of a set, "x, y".
std::string candidates(const pipeline::Compiled& model, const dae::StateSet& set) {
  std::string names;
  for (std::uint32_t rate : set.candidates)
    names += (names.empty() ? "" : ", ") +
             dae::variable_name(model.system, model.dae, model.dae.variables[rate].integral);
  return names;
}

/// The state set whose selected state, or its derivative, an equation defines; null for equations of the
/// source.
const dae::StateSet* chosen_by(const dae::System& dae, std::uint32_t equation) {
  for (const EquationTable& table : dae.equations.tables) {
    if (equation >= table.rows()) {
      equation -= static_cast<std::uint32_t>(table.rows());
      continue;
    }
    for (std::uint32_t v : table.unknowns_of(equation))
      if (dae.variables[v].set != dae::kNone) return &dae.sets[dae.variables[v].set];
    return nullptr;
  }
  return nullptr;
}

}  // namespace

std::string place(const SourceMap& sources, Span span) {
  const SourceFile& file = sources.file(span.file);
  Position at = file.position(span.begin);
  return fmt::format("{}:{}:{}", file.path, at.line, at.column);
}

std::string equation_text(const pipeline::Compiled& model, std::uint32_t number, const SourceMap& sources) {
  const auto dynamic = static_cast<std::uint32_t>(model.dae.equations.count());
  if (number < dynamic)
    if (const dae::StateSet* set = chosen_by(model.dae, number))
      return fmt::format("  the selection of a state from {}\n", candidates(model, *set));
  if (number >= dynamic)
    return origin_text(model, dae::origin(model.dae.initial, number - dynamic), sources, "");
  return origin_text(model, dae::origin(model.dae.equations, number), sources,
                     derivative(dae::differentiations(model.dae, number)));
}

std::string line_text(const pipeline::Compiled& model, std::uint32_t equation, const SourceMap& sources) {
  const auto dynamic = static_cast<std::uint32_t>(model.dae.equations.count());
  if (equation < dynamic)
    if (const dae::StateSet* set = chosen_by(model.dae, equation))
      return fmt::format("the selection of a state from {}", candidates(model, *set));
  const Origin origin = equation < dynamic ? dae::origin(model.dae.equations, equation)
                                           : dae::origin(model.dae.initial, equation - dynamic);
  const system::SourceEquation& source = model.system.sources[origin.source];
  const std::string prefix = equation < dynamic ? derivative(dae::differentiations(model.dae, equation)) : "";
  switch (source.kind) {
    case system::EquationKind::NodeSum:
      return fmt::format("{}the flows at the node `{}` sum to zero", prefix, text(source.component));
    case system::EquationKind::Potential:
      return fmt::format("{}the potentials at `{}` are equal", prefix, text(source.component));
    default: return prefix + (source.span.file.value < sources.size() ? excerpt(sources, source.span) : "");
  }
}

std::string origin_text(const pipeline::Compiled& model, Origin origin, const SourceMap& sources,
                        const std::string& prefix) {
  const system::SourceEquation& source = model.system.sources[origin.source];
  std::string path = system::instance_name(model.system, origin.instance);
  std::string out = "  " + prefix;
  switch (source.kind) {
    case system::EquationKind::NodeSum:
      out += fmt::format("the flows at the node `{}` sum to zero{}\n", text(source.component),
                         path.empty() ? "" : ", in " + path);
      break;
    case system::EquationKind::Potential:
      out += fmt::format("the potentials at `{}` are equal{}\n", text(source.component),
                         path.empty() ? "" : ", in " + path);
      break;
    case system::EquationKind::Written:
    case system::EquationKind::Argument:
    case system::EquationKind::Initial:
    case system::EquationKind::Assertion:
    case system::EquationKind::Event:
      out += fmt::format(
          "{}{}\n", excerpt(sources, source.span),
          path.empty()
              ? ""
              : fmt::format(
                    "    (`{}` in {})",
                    text(model.system.templates[model.system.instances[origin.instance].body].relation),
                    path));
      break;
  }
  if (source.span.file.value < sources.size()) out += fmt::format("    at {}\n", place(sources, source.span));
  return out;
}

std::vector<Kept> kept_variables(const system::System& system, const dae::System& dae) {
  std::vector<Kept> result(dae.variables.size(), Kept::Constant);
  auto mark = [&](std::uint32_t unknown, Kept kept) {
    if (dae.aliases[unknown].kind != dae::Alias::Zero) result[dae.aliases[unknown].variable] = kept;
  };
  for (const dae::Assignment& a : dae.assignments) result[a.variable] = Kept::Assigned;
  for (const system::Previous& p : system.events.previous) mark(p.unknown, Kept::Previous);
  for (const system::Delay& d : system.delays) mark(d.unknown, Kept::Delay);
  return result;
}

/// Calls section(title, variables) for each kind of constants of the run; values of `pre` are left out.
template <class Section>
void each_kept(const pipeline::Compiled& model, const std::vector<std::uint32_t>& constants,
               Section section) {
  const std::vector<Kept> kept = kept_variables(model.system, model.dae);
  for (auto [kind, title] :
       {std::pair(Kept::Constant, "constants of the run: computed at the start"),
        std::pair(Kept::Assigned, "discrete variables: change only at events"),
        std::pair(Kept::Delay, "delays: from history buffers; at the start the delayed value itself")}) {
    std::vector<std::uint32_t> variables;
    std::ranges::copy_if(constants, std::back_inserter(variables),
                         [&, k = kind](std::uint32_t v) { return kept[v] == k; });
    if (!variables.empty()) section(title, variables);
  }
}

std::string states_text(const pipeline::Compiled& model, const SourceMap& sources) {
  const dae::System& dae = model.dae;
  std::vector<std::uint32_t> states, others;
  const std::vector<bool> constant = dae::constants(dae);
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    const dae::Variable& variable = dae.variables[v];
    if (variable.derivative == dae::kNone || variable.set != dae::kNone) continue;
    if (!constant[v]) (variable.state ? states : others).push_back(v);
  }
  std::size_t count = states.size();
  for (const dae::StateSet& set : dae.sets) count += set.states.size();
  std::string out = count == 0 ? "no states: nothing is integrated\n"
                               : fmt::format("{} state{}\n", count, count == 1 ? "" : "s");
  for (std::size_t k = 0; k < states.size() && k < kShown; ++k)
    out += fmt::format(
        "  {}    declared at {}\n", dae::variable_name(model.system, dae, states[k]),
        place(sources, system::unknown_info(model.system, dae.variables[states[k]].unknown).span));
  out += rest(states.size());
  for (std::size_t k = 0; k < dae.sets.size() && k < kShown; ++k)
    if (!dae.sets[k].states.empty())
      out += fmt::format("  {} of {}    selected during the run: no fixed selection is valid everywhere\n",
                         dae.sets[k].states.size(), candidates(model, dae.sets[k]));
  out += rest(dae.sets.size());
  std::vector<std::uint32_t> constants;
  for (std::uint32_t v = 0; v < constant.size(); ++v)
    if (constant[v]) constants.push_back(v);
  each_kept(model, constants, [&](const char* title, const std::vector<std::uint32_t>& variables) {
    out += fmt::format("\n{}\n", title);
    for (std::size_t k = 0; k < variables.size() && k < kShown; ++k)
      out += fmt::format(
          "  {}    declared at {}\n", dae::variable_name(model.system, dae, variables[k]),
          place(sources, system::unknown_info(model.system, dae.variables[variables[k]].unknown).span));
    out += rest(variables.size());
  });
  std::vector<bool> named(dae.variables.size(), false);
  for (const dae::StateSet& set : dae.sets)
    for (std::uint32_t rate : set.candidates) named[dae.variables[rate].integral] = true;
  std::erase_if(others, [&](std::uint32_t v) { return named[v]; });
  if (others.empty()) return out;
  out += "\ndifferentiated, but not states: determined by equations\n";
  for (std::size_t k = 0; k < others.size() && k < kShown; ++k) {
    out += fmt::format("  {}, from\n", dae::variable_name(model.system, dae, others[k]));
    if (dae.assign[others[k]] != dae::kNone)
      out += "  " + equation_text(model, dae.assign[others[k]], sources);
  }
  return out + rest(others.size());
}

std::string initial_text(const pipeline::Compiled& model, const SourceMap& sources) {
  const dae::System& dae = model.dae;
  const runtime::Model& m = model.plan.model;
  const auto hard = static_cast<std::uint32_t>(dae.equations.count() + dae.initial.count());
  auto name = [&](std::uint32_t v) { return dae::variable_name(model.system, dae, v); };
  // The algebraic loop in which each variable is solved.
  std::vector<std::uint32_t> blocks, block_of(dae.variables.size(), dae::kNone);
  for (const runtime::Step& step : m.initial)
    if (step.kind == runtime::Step::Solve) {
      const runtime::AlgebraicLoop& loop = m.loops[step.index];
      for (std::uint32_t k = 0; k < loop.unknowns; ++k)
        block_of[m.tearing_variables[loop.first_unknown + k]] = static_cast<std::uint32_t>(blocks.size());
      blocks.push_back(step.index);
    }
  // From guesses of others (order/propagate_guesses.h): their values are known in a run only.
  std::vector<bool> follows(m.variables, false);
  for (const runtime::Step& step : m.initial)
    if (step.kind == runtime::Step::Guess)
      follows[runtime::solved_variable(m, m.batches[step.index], 0)] = true;
  const std::vector<double> values = runtime::evaluate_parameters(m);
  std::vector<bool> positions(m.variables, false);
  for (const system::Attribute& a : model.system.attributes)
    if (const dae::Alias& alias = model.dae.aliases[a.unknown];
        a.kind == system::AttributeKind::Position && alias.kind != dae::Alias::Zero)
      positions[alias.variable] = true;
  auto guess = [&](std::uint32_t v) {
    return follows[v] ? std::string("what follows from guesses of others")
           : m.start_of(v) == runtime::kNone
               ? std::string("0.0, the default: there is no guess")
               : fmt::format("{:.9g}, {}", values[m.start_of(v)],
                             !positions[v]    ? "its guess"
                             : m.has_guess(v) ? "where the joints close near its guess"
                                              : "where the joints close");
  };
  auto entry = [&](std::uint32_t v) {
    std::string out = "  " + name(v);
    const std::uint32_t e = model.plan.initial_assign[v];
    if (e >= hard) return out + fmt::format("    free: starts at {}\n", guess(v));
    if (block_of[v] != dae::kNone)
      return out + fmt::format("    solved in block {}, where the iteration starts at {}\n", block_of[v] + 1,
                               guess(v));
    return out + (e < dae.equations.count() ? "    follows from\n  " : "    given by\n  ") +
           equation_text(model, e, sources);
  };

  std::vector<std::uint32_t> states;
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    if (dae.variables[v].state && dae.variables[v].set == dae::kNone &&
        std::ranges::find(m.constants, v) == m.constants.end())
      states.push_back(v);
  for (const dae::StateSet& set : dae.sets)
    for (std::uint32_t rate : set.candidates) states.push_back(dae.variables[rate].integral);
  std::string out = states.empty() ? "no states: no initial values are needed\n" : "states\n";
  for (std::size_t k = 0; k < states.size() && k < kShown; ++k) out += entry(states[k]);
  out += rest(states.size());
  each_kept(model, m.constants, [&](const char* title, const std::vector<std::uint32_t>& variables) {
    out += fmt::format("\n{}\n", title);
    for (std::size_t k = 0; k < variables.size() && k < kShown; ++k) out += entry(variables[k]);
    out += rest(variables.size());
  });
  if (!blocks.empty()) out += "\nblocks: algebraic loops of the initial system\n";
  for (std::size_t b = 0; b < blocks.size() && b < kShown; ++b) {
    const runtime::AlgebraicLoop& loop = m.loops[blocks[b]];
    out += fmt::format("block {}:", b + 1);
    for (std::uint32_t k = 0; k < loop.unknowns && k < 10; ++k) {
      const std::uint32_t v = m.tearing_variables[loop.first_unknown + k];
      out += fmt::format("{} {} from {}", k ? "," : "", name(v),
                         follows[v]                        ? std::string("guesses of others")
                         : m.start_of(v) == runtime::kNone ? std::string("0")
                                                           : fmt::format("{:.9g}", values[m.start_of(v)]));
    }
    out += loop.unknowns > 10 ? fmt::format(" and {} more\n", loop.unknowns - 10) : "\n";
    std::size_t shown = 0;
    for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r)
      for (std::uint32_t row = 0; row < m.batches[r].count && shown < 10; ++row, ++shown) {
        const std::uint32_t e = m.equations[m.batches[r].equations + row];
        out += e < hard ? equation_text(model, e, sources) : std::string("  a guess\n");
      }
  }
  out += rest(blocks.size());
  if (!model.plan.redundant_initial.empty()) out += "\nredundant: these equations are only checked\n";
  for (std::size_t k = 0; k < model.plan.redundant_initial.size() && k < kShown; ++k)
    out += equation_text(model, model.plan.redundant_initial[k], sources);
  return out + rest(model.plan.redundant_initial.size());
}

std::string index_text(const pipeline::Compiled& model, const SourceMap& sources) {
  const dae::System& dae = model.dae;
  std::vector<std::uint32_t> times_of(dae.equations.count(), 0);
  std::uint32_t most = 0;
  for (std::uint32_t e = 0; e < dae.derivative_of.size(); ++e) {
    std::uint32_t base = e, n = dae::differentiations(dae, e);
    while (dae.derivative_of[base] != dae::kNone) base = dae.derivative_of[base];
    times_of[base] = std::max(times_of[base], n);
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t e = 0; e < times_of.size(); ++e)
    if (times_of[e] > 0) found.push_back(e), most = std::max(most, times_of[e]);
  if (found.empty()) return "no equation was differentiated: the states are independent\n";
  std::string out = fmt::format("{} differentiated equation{}, {} at most\n", found.size(),
                                found.size() == 1 ? "" : "s", times(most));
  std::ranges::stable_sort(found,
                           [&](std::uint32_t a, std::uint32_t b) { return times_of[a] > times_of[b]; });
  for (std::size_t k = 0; k < found.size() && k < kShown; ++k)
    out += fmt::format("{}\n{}", times(times_of[found[k]]), equation_text(model, found[k], sources));
  return out + rest(found.size());
}

}  // namespace sigrel::explain
