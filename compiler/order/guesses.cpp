#include "compiler/order/guesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "compiler/singularity/source_names.h"
#include "compiler/singularity/wording.h"

namespace sigrel::order {
namespace {

/// For each unknown whether it is an element of a rotation, which nobody gives one by one.
std::vector<bool> elements_of_rotations(const system::System& system, const dae::System& dae) {
  std::vector<bool> result(dae.aliases.size(), false);
  for (const system::Instance& instance : system.instances) {
    const system::Template& body = system.templates[instance.body];
    const auto interface = static_cast<std::uint32_t>(body.interface.size());
    for (const system::RotationEquation& equation : body.rotations)
      for (const std::uint32_t column : equation.columns) {
        const dae::Alias alias =
            dae.aliases[column < interface ? system.arguments[instance.first_argument + column]
                                           : instance.first_unknown + column - interface];
        if (alias.kind != dae::Alias::Zero) result[dae.variables[alias.variable].unknown] = true;
      }
  }
  return result;
}

/// "`x` or `y`": variables that may be given instead of the guessed states; empty when there are none.
std::string alternatives(const system::System& system, const dae::System& dae,
                         const InitialMatching& initial) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> names;
  IdVector<VariableId, bool> guessed(dae.variables.size(), false);
  for (VariableId v : initial.guessed) guessed[v] = true;
  bool more = false;
  // Of a mechanism it is known which coordinates its loops leave free: structure does not say that the
  // length of a quaternion is one, and the position of a platform is none.
  const bool in_loops = std::ranges::any_of(system.attributes, [](const system::Attribute& a) {
    return a.kind == system::AttributeKind::Independent;
  });
  using Declared = std::pair<std::uint32_t, Span>;  // order of the derivative, and the declaration
  auto declared = [&](VariableId v) {
    const dae::Variable& variable = dae.variables[v.value];
    return Declared{variable.order, system::unknown_info(system, variable.unknown).span};
  };
  const std::vector<bool> in_rotation = elements_of_rotations(system, dae);
  std::set<Declared> of_guessed;
  for (VariableId v : initial.guessed) of_guessed.insert(declared(v));
  for (VariableId v : initial.undetermined) {
    const dae::Variable& variable = dae.variables[v.value];
    if (variable.set != dae::kNone || variable.axis != 0 || guessed[v] || in_rotation[variable.unknown])
      continue;
    if (in_loops && !of_guessed.contains(declared(v))) continue;
    if (system::unknown_info(system, variable.unknown).kind != system::UnknownKind::Source) continue;
    more = names.size() == kShown;
    if (more) break;
    std::string name = dae::variable_name(system, dae, v.value);
    if (variable.order > 0 && name.starts_with("der(")) name = "der " + name.substr(4, name.size() - 5);
    names.push_back("`" + name + "`");
  }
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() && !more ? " or " : ", ") + names[k];
  return more ? text + " or others" : text;
}

/// For each variable whether only events change it.
std::vector<bool> discrete_variables(const system::System& system, const dae::System& dae,
                                     const plan::Plan& plan) {
  std::vector<bool> discrete(dae.variables.size(), false);
  for (std::uint32_t v : plan.model.constants) {
    const system::LocalInfo& info = system::unknown_info(system, dae.variables[v].unknown);
    discrete[v] = info.assigned || info.type != system::SignalType::Real;
  }
  return discrete;
}

/// A type of discrete variables and the start that they have without a declared one, as they are written.
struct TypeAndStart {
  std::string type, start;
};

TypeAndStart written_type(const system::LocalInfo& info) {
  const auto constructors = text(info.unit);
  switch (info.type) {
    case system::SignalType::Real: return {"Real", "0.0"};
    case system::SignalType::Bool: return {"Bool", "False"};
    case system::SignalType::Int: break;
  }
  if (constructors.empty()) return {"Int", "0"};
  return {"…", std::string(constructors.substr(0, constructors.find(" | ")))};
}

/// How a declaration states the start of `name`, "n" or "v[1]". Of an element: `elements` of this name have
/// none; they are declared together, or one by one in a `for`.
std::string start_help(std::string_view name, const TypeAndStart& of, std::size_t elements) {
  constexpr std::size_t kListed = 3;
  const std::string base(name.substr(0, name.find('[')));
  const std::string scalar = fmt::format("`discrete {} :: {} = {}`", base, of.type, of.start);
  if (base == name) return scalar + " states the start";
  if (name.find(',') != std::string_view::npos)
    return fmt::format("`discrete {} :: … = [[{}, …], …]` states the start of a matrix, {} in a `for`", base,
                       of.start, scalar);
  std::string list = of.start;
  for (std::size_t k = 1; k < std::min(elements, kListed); ++k) list += ", " + of.start;
  if (elements > kListed) list += ", …";
  return fmt::format("`discrete {} :: {}^{} = [{}]` states the start of a vector, {} in a `for`", base,
                     of.type, elements, list, scalar);
}

/// Says which discrete variables start from zero because nothing gives their start.
void note_discrete(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                   const std::vector<bool>& discrete, Diagnostic& note) {
  std::vector<std::string> names;
  const system::LocalInfo* first = nullptr;
  std::size_t elements = 0;  // of the declaration of the first
  for (std::uint32_t v : plan.guessed_states) {
    if (plan.model.start_of(v) != runtime::kNone || !discrete[v]) continue;
    names.push_back(dae::variable_name(system, dae, v));
    const system::LocalInfo& info = system::unknown_info(system, dae.variables[v].unknown);
    if (!first) first = &info;
    const std::string& start = names.front();
    const auto prefix = std::string_view(start).substr(0, start.rfind('['));
    elements += info.span == first->span && names.back().starts_with(prefix);
  }
  if (names.empty()) return;
  note.note(fmt::format("{} by events alone, from 0, False or the first constructor on",
                        singularity::listed(names) + (names.size() == 1 ? " changes" : " change")));
  note.help(start_help(text(first->name), written_type(*first), elements));
}

/// The SI unit of a variable, without the unit in which results show it.
std::string_view si_unit(const system::System& system, const dae::Variable& variable) {
  const std::string_view unit = text(system::unknown_info(system, variable.unknown).unit);
  return unit.substr(0, unit.find('|'));
}

/// Reports states that start from 0 K or 0 Pa because nothing gives their start, with an example of what
/// does: of these quantities no model means zero, so it is a forgotten start, and not a choice. False if
/// there are no such states.
bool warn_of_zero(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                  const std::vector<bool>& discrete, Diagnostics& diagnostics) {
  Diagnostic* last = nullptr;
  std::size_t reported = 0;
  for (const auto& [unit, example] : {std::pair("K", "20.0<degC>"), std::pair("Pa", "1.0<bar>")}) {
    std::vector<std::string> names;
    std::uint32_t first = 0;
    for (std::uint32_t v : plan.guessed_states) {
      if (plan.model.start_of(v) != runtime::kNone || discrete[v]) continue;
      if (si_unit(system, dae.variables[v]) != unit) continue;
      const std::string name = dae::variable_name(system, dae, v);
      if (name.starts_with("der(")) continue;
      if (names.empty()) first = v;
      names.push_back(name);
    }
    if (names.empty()) continue;
    const bool one = names.size() == 1;
    last = &diagnostics.report(
        Code::StartsAtZero,
        singularity::SourceNames(system).declaration(dae.variables[first].unknown, system::kRoot),
        fmt::format("{} {} from 0 {}, because nothing gives {} start", singularity::listed(names),
                    one ? "starts" : "start", unit, one ? "its" : "their"));
    last->help(fmt::format("give the start: `initially {} = {}`", names.front(), example));
    last->help(fmt::format("`guess {} = 0.0` states that zero is meant, as of a difference", names.front()));
    reported += names.size();
  }
  const std::size_t others = plan.guessed_states.size() - reported;
  if (last && others > 0)
    last->note(fmt::format("{} other state{} from {} guess{}", others, others == 1 ? " starts" : "s start",
                           others == 1 ? "its" : "their", others == 1 ? "" : "es"));
  return last != nullptr;
}

std::string help(const system::System& system, const dae::System& dae, const InitialMatching& initial) {
  std::string text = "give the start in an `initially` block";
  if (std::string others = alternatives(system, dae, initial); !others.empty())
    text += fmt::format("; {} would do as well", others);
  return text;
}

/// A scalar that stands for an element of a vector: "m.q[1]" and "der(m.q[1])" without the index; empty if
/// there is none.
std::string without_index(const std::string& name) {
  const std::size_t open = name.rfind('['), close = name.rfind(']');
  if (close == std::string::npos || name.find_first_not_of(')', close + 1) != std::string::npos) return {};
  return name.substr(0, open) + name.substr(close + 1);
}

/// "`x`, `m.q` and 3 other states": a vector by its name where all of its elements are among the states.
std::string listed_states(const system::System& system, const dae::System& dae,
                          const std::vector<std::uint32_t>& states) {
  constexpr std::size_t kShown = 3;
  auto base = [&](std::uint32_t v) { return without_index(dae::variable_name(system, dae, v)); };
  // How many elements the vector of an element has; they are neighbours.
  auto size = [&](std::uint32_t v) {
    auto vector = [&](std::uint32_t unknown) { return without_index(system::unknown_name(system, unknown)); };
    const std::uint32_t unknown = dae.variables[v].unknown;
    const std::string name = vector(unknown);
    std::uint32_t first = unknown, end = unknown + 1;
    while (first > 0 && vector(first - 1) == name) --first;
    while (end < dae.aliases.size() && vector(end) == name) ++end;
    return static_cast<std::ptrdiff_t>(end - first);
  };
  std::vector<std::string> names;
  std::vector<std::uint32_t> vectors;  // the first elements of those that are named as a whole
  std::size_t named = 0;
  for (std::size_t k = 0; k < states.size() && names.size() < kShown; ++k) {
    const std::uint32_t v = states[k];
    auto same = [&, name = base(v)](std::uint32_t other) { return base(other) == name; };
    if (std::ranges::any_of(vectors, same)) continue;
    const auto elements = base(v).empty() ? 1 : std::ranges::count_if(states, same);
    const bool whole = elements > 1 && elements == size(v);
    if (whole) vectors.push_back(v);
    names.push_back("`" + (whole ? base(v) : dae::variable_name(system, dae, v)) + "`");
    named += whole ? static_cast<std::size_t>(elements) : 1;
  }
  const std::size_t others = states.size() - named;
  std::string text = names.front();
  for (std::size_t k = 1; k < names.size(); ++k)
    text += (k + 1 == names.size() && others == 0 ? " and " : ", ") + names[k];
  return others == 0 ? text : text + fmt::format(" and {} other state{}", others, others == 1 ? "" : "s");
}

}  // namespace

void note_guesses(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                  const InitialMatching& initial, Diagnostics& diagnostics) {
  const auto& guessed = plan.guessed_states;
  if (guessed.empty()) return;
  const std::vector<bool> discrete = discrete_variables(system, dae, plan);
  if (warn_of_zero(system, dae, plan, discrete, diagnostics)) return;
  std::string text = "the start of " + listed_states(system, dae, guessed);
  text += guessed.size() == 1 ? " is taken from its guess" : " is taken from guesses";
  Span place =
      singularity::SourceNames(system).declaration(dae.variables[guessed.front()].unknown, system::kRoot);
  Diagnostic& note = diagnostics.report(Code::InitialFromGuesses, place, std::move(text));
  note_discrete(system, dae, plan, discrete, note);
  auto continuous = [&](std::uint32_t v) { return !discrete[v]; };
  auto by_default = [&](std::uint32_t v) {
    return plan.model.start_of(v) == runtime::kNone && continuous(v);
  };
  if (std::ranges::any_of(guessed, by_default)) note.note("a state without a guess starts from 0.0");
  auto may_close = [&](std::uint32_t v) {
    return plan.model.start_of(v) != runtime::kNone && !plan.model.start_is_computed.empty();
  };
  if (std::ranges::any_of(guessed, may_close))
    note.note("coordinates of loops start from a position in which the joints close, near their guesses");
  if (std::ranges::any_of(guessed, continuous)) note.help(help(system, dae, initial));
}

void report_missing_start(const system::System& system, const dae::System& dae,
                          const InitialMatching& initial, Diagnostics& diagnostics) {
  const auto& missing = initial.guessed;
  singularity::SourceNames terms(system);
  Diagnostic& d = diagnostics.report(
      Code::StartMissing, terms.declaration(dae.variables[missing.front().value].unknown, system::kRoot),
      fmt::format("{} {} missing", singularity::counted(missing.size(), "initial equation"),
                  missing.size() == 1 ? "is" : "are"));
  std::vector<std::string> names;
  for (VariableId v : missing) names.push_back(dae::variable_name(system, dae, v.value));
  d.label(fmt::format("nothing determines the start of `{}`", names.front()));
  if (names.size() > 1) d.note(fmt::format("the start of {} is open", singularity::listed(names)));
  d.note("with `--strict-initial`, guesses do not replace initial equations");
  d.help(help(system, dae, initial));
}

void warn_unused_guesses(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                         const Scheduler& start, const std::vector<VariableId>& propagated,
                         Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 5;
  IdVector<VariableId, bool> used(dae.variables.size(), false);
  for (std::uint32_t v : plan.guessed_states) used[VariableId{v}] = true;
  for (std::uint32_t v : plan.model.tearing_variables) used[VariableId{v}] = true;
  for (VariableId v : propagated) used[v] = true;
  // Those of positions have chosen in which configuration a mechanism is assembled.
  for (const system::Attribute& a : system.attributes)
    if (a.kind == system::AttributeKind::Position || a.kind == system::AttributeKind::FirstIterate)
      if (const dae::Alias& alias = dae.aliases[a.unknown]; alias.kind != dae::Alias::Zero)
        used[VariableId{alias.variable}] = true;
  for (BlockId b : ids<BlockId>(0, start.block_count()))
    if (auto equations = start.equations(b); equations.size() > 1)
      for (EquationId e : equations) used[start.variable_of(e)] = true;
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  struct Written {
    const system::Attribute* first;
    bool used;
  };
  std::map<Place, Written> places;
  // A part of another file, such as one of the library, has its guesses for every use of it.
  const FileId file = system.templates[system.instances[system::kRoot].body].span.file;
  for (const system::Attribute& a : system.attributes) {
    if (a.kind != system::AttributeKind::Guess || a.span.file != file) continue;
    auto [at, fresh] = places.try_emplace({a.span.file.value, a.span.begin, a.span.end}, Written{&a, false});
    const dae::Alias& alias = dae.aliases[a.unknown];
    if (alias.kind != dae::Alias::Zero && used[VariableId{alias.variable}]) at->second.used = true;
  }
  singularity::SourceNames terms(system);
  std::size_t reported = 0;
  for (const auto& [place, written] : places) {
    if (written.used || ++reported > kShown) continue;
    const std::string name = system::unknown_name(system, written.first->unknown);
    diagnostics
        .report(Code::UnusedGuess, written.first->span, fmt::format("the guess of `{}` is not used", name))
        .label(dae.aliases[written.first->unknown].kind == dae::Alias::Zero
                   ? "it is always zero"
                   : "the start follows from equations, without a search")
        .help("drop it; `initially` says what must hold at the start");
  }
}

}  // namespace sigrel::order
