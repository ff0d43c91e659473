#include "compiler/pipeline/dump_json.h"

#include <nlohmann/json.hpp>

#include "compiler/graph/blt.h"
#include "compiler/ir/core_print.h"
#include "compiler/pipeline/solved_blocks.h"

namespace sigrel::pipeline {
namespace {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& json) {
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace);
}

const char* kind_name(system::EquationKind kind) {
  switch (kind) {
    case system::EquationKind::Written: return "written";
    case system::EquationKind::Argument: return "argument";
    case system::EquationKind::NodeSum: return "node sum";
    case system::EquationKind::Potential: return "potential";
    case system::EquationKind::Initial: return "initial";
    case system::EquationKind::Assertion: return "assertion";
    case system::EquationKind::Event: return "event";
  }
  return "";
}

const char* kind_name(system::UnknownKind kind) {
  switch (kind) {
    case system::UnknownKind::Source: return "source";
    case system::UnknownKind::Auxiliary: return "auxiliary";
    case system::UnknownKind::Flow: return "flow";
  }
  return "";
}

const char* kind_name(system::AttributeKind kind) {
  switch (kind) {
    case system::AttributeKind::Guess: return "guess";
    case system::AttributeKind::Position: return "position";
    case system::AttributeKind::FirstIterate: return "first iterate";
    case system::AttributeKind::Independent: return "independent";
    case system::AttributeKind::Nominal: return "nominal";
    case system::AttributeKind::Min: return "min";
    case system::AttributeKind::Max: return "max";
    case system::AttributeKind::StatePreference: return "state";
  }
  return "";
}

ordered_json origin_json(const system::System& system, Origin origin) {
  return {{"instance", system::instance_name(system, origin.instance)},
          {"kind", kind_name(system.sources[origin.source].kind)},
          {"from", system::describe_origin(system, origin)}};
}

/// Every equation as text with its unknowns. `name(k, order)` is the name of an unknown or variable.
template <class NameOf>
ordered_json equations_json(const system::System& system, const ExprPool& exprs, const Equations& equations,
                            NameOf name) {
  ordered_json list = ordered_json::array();
  std::size_t number = 0;
  for (std::size_t t = 0; t < equations.tables.size(); ++t) {
    const EquationTable& table = equations.tables[t];
    for (std::size_t row = 0; row < table.rows(); ++row) {
      auto unknowns = table.unknowns_of(row);
      auto parameters = table.parameters_of(row);
      std::string text = print(
          exprs, table.residual,
          [&](std::uint32_t k, std::uint32_t order) { return name(unknowns[k], order); },
          [&](std::uint32_t k) { return "p" + std::to_string(parameters[k]); });
      list.push_back({{"number", ++number},
                      {"shape", t},
                      {"text", "0 = " + text},
                      {"unknowns", std::vector<std::uint32_t>(unknowns.begin(), unknowns.end())},
                      {"parameters", std::vector<std::uint32_t>(parameters.begin(), parameters.end())},
                      {"origin", origin_json(system, table.origins[row])}});
    }
  }
  for (std::size_t row = 0; row < equations.sums.rows(); ++row) {
    std::string text = "0 =";
    ordered_json unknowns = ordered_json::array();
    bool first = true;
    for (Term term : equations.sums.terms_of(row)) {
      text += std::string(term.negative() ? " - " : first ? " " : " + ") + name(term.unknown(), 0);
      unknowns.push_back(term.unknown());
      first = false;
    }
    list.push_back({{"number", ++number},
                    {"shape", nullptr},
                    {"text", std::move(text)},
                    {"unknowns", std::move(unknowns)},
                    {"parameters", ordered_json::array()},
                    {"origin", origin_json(system, equations.sums.origins[row])}});
  }
  return list;
}

/// Calls visit(tag, text, origin) for each row of the tables; the text is that of the residual.
template <class NameOf, class Visit>
void each_row(const ExprPool& exprs, const Equations& equations, NameOf name, Visit visit) {
  for (const EquationTable& table : equations.tables)
    for (std::size_t row = 0; row < table.rows(); ++row)
      visit(table.tags.empty() ? 0 : table.tags[row],
            print(
                exprs, table.residual,
                [&](std::uint32_t k, std::uint32_t order) { return name(table.unknowns_of(row)[k], order); },
                [&](std::uint32_t k) { return "p" + std::to_string(table.parameters_of(row)[k]); }),
            table.origins[row]);
}

/// The events. `target(k)` is the name of the variable that assignment k changes, `of(u)` that of an unknown.
template <class NameOf, class Target, class Unknown>
ordered_json events_json(const system::System& system, const ExprPool& exprs, const Equations& conditions,
                         const Equations& values, NameOf name, Target target, Unknown of) {
  static constexpr const char* kKinds[] = {"when", "every", "terminate", "until"};
  ordered_json triggers = ordered_json::array(), assignments = ordered_json::array(),
               clocks = ordered_json::array(), previous = ordered_json::array();
  for (const system::Trigger& t : system.events.triggers)
    triggers.push_back({{"kind", kKinds[t.kind]},
                        {"conditions", ordered_json::array()},
                        {"initial", t.initial},
                        {"terminal", t.terminal},
                        {"preceding", t.preceding ? ordered_json(*t.preceding) : ordered_json(nullptr)},
                        {"origin", origin_json(system, t.origin)}});
  each_row(exprs, conditions, name, [&](std::uint32_t trigger, std::string text, Origin) {
    triggers[trigger]["conditions"].push_back(std::move(text));
  });
  assignments.get_ref<ordered_json::array_t&>().resize(system.events.assignments.size());
  each_row(exprs, values, name, [&](std::uint32_t k, std::string text, Origin origin) {
    assignments[k] = {{"trigger", system.events.assignments[k].trigger},
                      {"target", target(k)},
                      {"value", std::move(text)},
                      {"origin", origin_json(system, origin)}};
  });
  for (const system::Clock& c : system.events.clocks) {
    auto first = system.events.jitters.begin() + static_cast<std::ptrdiff_t>(c.first_jitter);
    clocks.push_back(
        {{"trigger", c.trigger},
         {"period", c.period},
         {"offset", c.offset},
         {"start", c.start},
         {"stop", c.stop},
         {"jitter", std::vector<std::uint32_t>(first, first + static_cast<std::ptrdiff_t>(c.jitters))}});
  }
  for (const system::Previous& p : system.events.previous)
    previous.push_back({{"variable", of(p.unknown)}, {"of", of(p.of)}});
  return {{"triggers", std::move(triggers)},
          {"assignments", std::move(assignments)},
          {"clocks", std::move(clocks)},
          {"previous", std::move(previous)}};
}

template <class Unknown>
ordered_json delays_json(const system::System& system, Unknown of) {
  ordered_json list = ordered_json::array();
  for (const system::Delay& d : system.delays)
    list.push_back({{"variable", of(d.unknown)},
                    {"of", of(d.of)},
                    {"length", d.length},
                    {"held", d.piecewise_constant},
                    {"origin", origin_json(system, d.origin)}});
  return list;
}

ordered_json shapes_json(const ExprPool& exprs, const Equations& equations) {
  ordered_json list = ordered_json::array();
  for (const EquationTable& table : equations.tables)
    list.push_back({{"residual", print(exprs, table.residual)},
                    {"slots", table.slots},
                    {"params", table.params},
                    {"rows", table.rows()}});
  return list;
}

ordered_json one_based(const std::vector<std::uint32_t>& numbers) {
  ordered_json list = ordered_json::array();
  for (std::uint32_t n : numbers) list.push_back(n == dae::kNone ? 0 : n + 1);
  return list;
}

/// The vectors of ModiaBase: 1-based, 0 for none. `sigrel structure graph` reads them. The blocks are those
/// of the plan; without a plan, the strongly connected components of the matching.
ordered_json graph_json(const dae::System& dae, const plan::Plan* plan) {
  const auto rows = incidence_lists(dae);
  const std::size_t variables = dae.variables.size();
  std::vector<std::uint32_t> assign = dae.assign, inverse(rows.size(), dae::kNone), derivative(variables),
                             above(rows.size(), dae::kNone);
  assign.resize(variables, dae::kNone);
  ordered_json blt = ordered_json::array(), tearing = ordered_json::array(), active = ordered_json::array(),
               g = ordered_json::array();
  if (plan) {
    for (const SolvedBlock& b : solved_blocks(*plan)) {
      std::vector<std::uint32_t> equations = b.inner_equations;
      equations.insert(equations.end(), b.residual_equations.begin(), b.residual_equations.end());
      blt.push_back(one_based(equations));
      tearing.push_back({{"eSolved", one_based(b.inner_equations)},
                         {"vSolved", one_based(b.inner_variables)},
                         {"eResidue", one_based(b.residual_equations)},
                         {"vTear", one_based(b.tearing_variables)}});
    }
  } else {
    graph::Bipartite graph;
    graph.columns = static_cast<std::uint32_t>(variables);
    for (const auto& row : rows) {
      graph.targets.insert(graph.targets.end(), row.begin(), row.end());
      graph.end_row();
    }
    const graph::Blocks blocks = graph::blt(graph, assign);
    for (std::uint32_t b = 0; b < blocks.count(); ++b) {
      auto block = blocks.block(b);
      blt.push_back(one_based({block.begin(), block.end()}));
    }
  }
  for (const auto& row : rows) g.push_back(one_based(row));
  for (std::uint32_t v = 0; v < variables; ++v) {
    if (assign[v] != dae::kNone) inverse[assign[v]] = v;
    derivative[v] = dae.variables[v].derivative;
    active.push_back(assign[v] != dae::kNone);
  }
  for (std::uint32_t e = 0; e < dae.derivative_of.size(); ++e)
    if (dae.derivative_of[e] != dae::kNone) above[dae.derivative_of[e]] = e;
  ordered_json result = {{"G", std::move(g)},
                         {"assign", one_based(assign)},
                         {"invAssign", one_based(inverse)},
                         {"Avar", one_based(derivative)},
                         {"Bequ", one_based(above)},
                         {"vActive", std::move(active)},
                         {"blt", std::move(blt)}};
  if (plan) result["tearing"] = std::move(tearing);
  return result;
}

ordered_json parameter_json(const system::Parameter& p) {
  if (p.op == Op::Const) return {{"value", p.value}};
  return {{"op", spelling(p.op)}, {"a", p.a}, {"b", p.b}, {"c", p.c}};
}

}  // namespace

std::string core_json(const core::Program& program) {
  ordered_json globals = ordered_json::array();
  for (std::uint32_t g = 0; g < program.globals.size(); ++g) {
    const core::Global& global = program.globals[g];
    globals.push_back({{"name", text(global.name)},
                       {"module", text(global.module)},
                       {"type", global.type},
                       {"body", global.body ? ordered_json(core::print(program, core::GlobalId{g}))
                                            : ordered_json(nullptr)}});
  }
  return text_of({{"globals", std::move(globals)}});
}

std::string system_json(const system::System& system) {
  auto name = [&](std::uint32_t unknown, std::uint32_t order) {
    std::string text = system::unknown_name(system, unknown);
    for (; order > 0; --order) text = "der(" + text + ")";
    return text;
  };
  ordered_json unknowns = ordered_json::array();
  for (std::uint32_t u = 0; u < system.unknowns; ++u)
    unknowns.push_back({{"name", system::unknown_name(system, u)},
                        {"kind", kind_name(system::unknown_info(system, u).kind)}});
  ordered_json parameters = ordered_json::array();
  for (const system::Parameter& p : system.parameters) parameters.push_back(parameter_json(p));
  ordered_json named = ordered_json::object();
  for (const system::NamedParameter& p : system.named_parameters) named[p.name] = p.parameter;
  ordered_json attributes = ordered_json::array();
  for (const system::Attribute& a : system.attributes)
    attributes.push_back(
        {{"unknown", a.unknown}, {"attribute", kind_name(a.kind)}, {"parameter", a.parameter}});
  ordered_json instances = ordered_json::array();
  for (std::uint32_t i = 0; i < system.instances.size(); ++i)
    instances.push_back({{"name", system::instance_name(system, i)},
                         {"relation", text(system.templates[system.instances[i].body].relation)},
                         {"parent", system.instances[i].parent}});
  return text_of(
      {{"shapes", shapes_json(system.exprs, system.equations)},
       {"unknowns", std::move(unknowns)},
       {"parameters", std::move(parameters)},
       {"named_parameters", std::move(named)},
       {"attributes", std::move(attributes)},
       {"instances", std::move(instances)},
       {"equations", equations_json(system, system.exprs, system.equations, name)},
       {"initial", equations_json(system, system.exprs, system.initial, name)},
       {"assertions", equations_json(system, system.exprs, system.assertions, name)},
       {"events", events_json(
                      system, system.exprs, system.events.conditions, system.events.values, name,
                      [&](std::uint32_t k) { return name(system.events.assignments[k].target, 0); },
                      [&](std::uint32_t u) { return name(u, 0); })},
       {"delays", delays_json(system, [&](std::uint32_t u) { return name(u, 0); })}});
}

std::string dae_json(const system::System& system, const dae::System& dae) {
  auto name = [&](std::uint32_t variable, std::uint32_t) {
    return dae::variable_name(system, dae, variable);
  };
  auto number = [](std::uint32_t v) { return v == dae::kNone ? ordered_json(nullptr) : ordered_json(v); };
  ordered_json variables = ordered_json::array();
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    variables.push_back({{"name", name(v, 0)},
                         {"derivative", number(dae.variables[v].derivative)},
                         {"integral", number(dae.variables[v].integral)},
                         {"state", dae.variables[v].state},
                         {"assign", number(v < dae.assign.size() ? dae.assign[v] : dae::kNone)}});
  auto of = [&](std::uint32_t unknown) -> std::string {
    const dae::Alias& alias = dae.aliases[unknown];
    return alias.kind == dae::Alias::Zero
               ? "0"
               : (alias.kind == dae::Alias::Negated ? "-" : "") + name(alias.variable, 0);
  };
  auto target = [&](std::uint32_t k) {
    return (dae.assignments[k].negated ? "-" : "") + name(dae.assignments[k].variable, 0);
  };
  ordered_json aliases = ordered_json::object();
  for (std::uint32_t u = 0; u < dae.aliases.size(); ++u) aliases[system::unknown_name(system, u)] = of(u);
  ordered_json crossings = ordered_json::array();
  for (const dae::ZeroCrossing& r : dae.zero_crossings) {
    Equations one;
    one.tables.push_back(r.differences);
    static constexpr const char* kKinds[] = {"comparison", "floor", "round", "table"};
    std::uint32_t parameter = r.first;
    each_row(dae.exprs, one, name, [&](std::uint32_t, const std::string& text, Origin origin) {
      crossings.push_back({{"parameter", parameter++},
                           {"kind", kKinds[r.kind]},
                           {"text", dae::held_text(r.kind, r.strict, text)},
                           {"origin", origin_json(system, origin)}});
    });
  }
  ordered_json derivatives = ordered_json::array();
  for (std::uint32_t of : dae.derivative_of) derivatives.push_back(number(of));
  ordered_json sets = ordered_json::array();
  for (const dae::StateSet& set : dae.sets)
    sets.push_back({{"states", set.states},
                    {"candidates", set.candidates},
                    {"eliminated", set.eliminated},
                    {"equations", set.equations}});
  return text_of({{"shapes", shapes_json(dae.exprs, dae.equations)},
                  {"variables", std::move(variables)},
                  {"derivative_of", std::move(derivatives)},
                  {"sets", std::move(sets)},
                  {"aliases", std::move(aliases)},
                  {"graph", graph_json(dae, nullptr)},
                  {"equations", equations_json(system, dae.exprs, dae.equations, name)},
                  {"initial", equations_json(system, dae.exprs, dae.initial, name)},
                  {"assertions", equations_json(system, dae.exprs, dae.assertions, name)},
                  {"zero_crossings", std::move(crossings)},
                  {"events", events_json(system, dae.exprs, dae.conditions, dae.values, name, target, of)},
                  {"delays", delays_json(system, of)}});
}

std::string plan_json(const system::System& system, const dae::System& dae, const plan::Plan& plan) {
  const runtime::Model& model = plan.model;
  auto name = [&](std::uint32_t v) {
    return v < dae.variables.size() ? dae::variable_name(system, dae, v) : "v" + std::to_string(v);
  };
  auto names_of = [&](const std::uint32_t* first, std::size_t n) {
    ordered_json list = ordered_json::array();
    for (std::size_t k = 0; k < n; ++k) list.push_back(name(first[k]));
    return list;
  };
  ordered_json kernels = ordered_json::array();
  for (const plan::Kernel& kernel : plan.kernels) {
    ordered_json outputs = ordered_json::array();
    for (ExprId id : kernel.outputs) outputs.push_back(print(plan.exprs, id));
    const char* role = kernel.role == runtime::Role::Residual ? "residual"
                       : kernel.role == runtime::Role::Solve  ? "solve"
                                                              : "partials";
    kernels.push_back({{"role", role},
                       {"slots", kernel.slots},
                       {"params", kernel.params},
                       {"solved", kernel.solved},
                       {"outputs", std::move(outputs)}});
  }
  auto batch_json = [&](const runtime::KernelBatch& batch) {
    ordered_json json = {
        {"kernel", batch.kernel == runtime::kNone ? ordered_json("sum") : ordered_json(batch.kernel)},
        {"rows", batch.count}};
    if (batch.role == runtime::Role::Solve && batch.kernel != runtime::kNone)
      json["assigns"] = names_of(
          model.tables.data() + batch.table + std::uint64_t{batch.solved} * batch.count, batch.count);
    json["equations"] = std::vector<std::uint32_t>(
        model.equations.begin() + static_cast<std::ptrdiff_t>(batch.equations),
        model.equations.begin() + static_cast<std::ptrdiff_t>(batch.equations + batch.count));
    return json;
  };
  auto schedule = [&](const std::vector<runtime::Step>& steps) {
    ordered_json list = ordered_json::array();
    for (const runtime::Step& step : steps) {
      if (step.kind != runtime::Step::Solve) {
        const char* key = step.kind == runtime::Step::Guess ? "guesses" : "batch";
        list.push_back({{key, batch_json(model.batches[step.index])}});
        continue;
      }
      const runtime::AlgebraicLoop& loop = model.loops[step.index];
      ordered_json inner = ordered_json::array(), residuals = ordered_json::array();
      for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r)
        (model.batches[r].role == runtime::Role::Solve ? inner : residuals)
            .push_back(batch_json(model.batches[r]));
      static constexpr const char* kKinds[] = {"nonlinear", "linear", "linear with constant coefficients"};
      list.push_back({{"algebraic_loop",
                       {{"kind", kKinds[loop.kind]},
                        {"tearing_variables",
                         names_of(model.tearing_variables.data() + loop.first_unknown, loop.unknowns)},
                        {"inner", std::move(inner)},
                        {"residual_equations", std::move(residuals)}}}});
    }
    return list;
  };
  ordered_json states = ordered_json::array();
  for (const runtime::State& s : model.states)
    states.push_back({{"state", name(s.variable)}, {"derivative", name(s.derivative)}});
  return text_of({{"variables", model.variables},
                  {"states", std::move(states)},
                  {"graph", graph_json(dae, &plan)},
                  {"kernels", std::move(kernels)},
                  {"initial", schedule(model.initial)},
                  {"invariant", schedule(model.invariant)},
                  {"dynamic", schedule(model.dynamic)},
                  {"observed", schedule(model.observed)}});
}

std::string listing_json(const std::string& text) { return text_of({{"text", text}}); }

}  // namespace sigrel::pipeline
