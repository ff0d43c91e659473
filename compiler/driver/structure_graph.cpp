// sigrel structure graph: matching, index reduction, blocks and tearing of a graph given as lists of numbers
// in the notation of ModiaBase (1-based, 0 for none), for comparison with published examples.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "compiler/driver/command.h"
#include "compiler/graph/augmenting_path.h"
#include "compiler/graph/blt.h"
#include "compiler/graph/pantelides.h"
#include "compiler/graph/tearing.h"
#include "compiler/pipeline/files.h"

namespace sigrel::driver {
namespace {

using nlohmann::ordered_json;
using Numbers = std::vector<std::uint32_t>;
using graph::kNone;

constexpr std::uint32_t kLargest = 100'000'000;  // number of a variable

struct GraphDocument {
  graph::Bipartite rows;
  std::optional<Numbers> derivative, equation_derivative, assign;  // A, B
  std::vector<bool> active;
  std::optional<Numbers> equations;  // es
  std::vector<Numbers> variables;    // vs
  Numbers fixed_equations, fixed_variables;
  std::optional<std::vector<Numbers>> solvable;  // ascending
};

/// Reads the document, or the entry `graph` of a dump; stops at the first error.
class GraphReader {
 public:
  GraphReader(const ordered_json& root)
      : root_(root.is_object() && !root.contains("G") && root.contains("graph") ? root["graph"] : root) {}

  std::optional<GraphDocument> read() {
    if (!root_.is_object() || !root_.contains("G")) fail("the document has no `G`");
    for (const auto& [key, value] : root_.items())
      if (!known(key)) fail(fmt::format("unknown entry `{}`", key));
    std::vector<Numbers> rows = lists("G", kLargest);
    std::uint32_t columns = 0;
    for (const Numbers& row : rows)
      for (std::uint32_t v : row) columns = std::max(columns, v + 1);
    for (const char* key : {"A", "Avar", "assign", "vActive"})
      if (auto it = root_.find(key); it != root_.end() && it->is_array())
        columns = std::max<std::uint32_t>(columns, it->size());
    document_.rows.columns = columns;
    for (const Numbers& row : rows) {
      document_.rows.targets.insert(document_.rows.targets.end(), row.begin(), row.end());
      document_.rows.end_row();
    }
    const std::uint32_t equations = document_.rows.rows();
    document_.derivative = association(root_.contains("Avar") ? "Avar" : "A", columns, columns);
    document_.equation_derivative = association(root_.contains("Bequ") ? "Bequ" : "B", equations, equations);
    for (const auto& vector : {document_.derivative, document_.equation_derivative})
      if (flaw.empty() && vector && endless(*vector)) fail("a chain of derivatives in `A` or `B` is cyclic");
    if (document_.equation_derivative && !document_.derivative) fail("`B` requires `A`");
    document_.assign = association("assign", columns, equations);
    read_active(columns);
    read_tearing(equations, columns);
    if (!flaw.empty()) return std::nullopt;
    return std::move(document_);
  }

  std::string flaw;

 private:
  static bool known(const std::string& key) {
    // `Avar` and `Bequ` are aliases; the last three are results, which dumps also contain.
    for (const char* name : {"G", "A", "B", "assign", "vActive", "es", "vs", "eSolvedFixed", "vSolvedFixed",
                             "solvable", "Avar", "Bequ", "invAssign", "blt", "tearing"})
      if (key == name) return true;
    return false;
  }
  void fail(std::string message) {
    if (flaw.empty()) flaw = std::move(message);
  }
  /// A 0-based number; kNone for 0, if `none` allows it.
  std::uint32_t number(const ordered_json& j, const char* key, std::uint32_t largest, bool none) {
    if (j.is_number_integer())
      if (auto n = j.get<std::int64_t>(); n >= (none ? 0 : 1) && n <= largest)
        return n == 0 ? kNone : static_cast<std::uint32_t>(n - 1);
    fail(fmt::format("`{}` in `{}` is not a number from {} to {}", j.dump(), key, none ? 0 : 1, largest));
    return none ? kNone : 0;
  }
  Numbers numbers(const ordered_json& j, const char* key, std::uint32_t largest, bool none) {
    Numbers result;
    if (!j.is_array()) {
      fail(fmt::format("`{}` is not a list of numbers", key));
      return result;
    }
    for (const ordered_json& n : j) result.push_back(number(n, key, largest, none));
    Numbers sorted = result;
    std::ranges::sort(sorted);
    if (auto twice = std::ranges::adjacent_find(sorted, [](auto a, auto b) { return a == b && a != kNone; });
        twice != sorted.end())
      fail(fmt::format("`{}` contains {} twice", key, *twice + 1));
    return result;
  }
  std::vector<Numbers> lists(const char* key, std::uint32_t largest) {
    std::vector<Numbers> result;
    auto it = root_.find(key);
    if (it == root_.end()) return result;
    if (!it->is_array())
      fail(fmt::format("`{}` is not a list of lists of numbers", key));
    else
      for (const ordered_json& row : *it) result.push_back(numbers(row, key, largest, false));
    return result;
  }
  std::optional<Numbers> association(const char* key, std::uint32_t size, std::uint32_t largest) {
    auto it = root_.find(key);
    if (it == root_.end()) return std::nullopt;
    Numbers result = numbers(*it, key, largest, true);
    if (result.size() > size)
      fail(fmt::format("`{}` has {} entries; at most {} are allowed", key, result.size(), size));
    result.resize(size, kNone);
    return result;
  }
  static bool endless(const Numbers& association) {
    Numbers below = graph::inverse(association);
    std::size_t reached = 0;
    for (std::uint32_t start = 0; start < below.size(); ++start)
      if (below[start] == kNone)
        for (std::uint32_t k = start; k != kNone; k = association[k]) ++reached;
    return reached != association.size();
  }
  void read_active(std::uint32_t columns) {
    document_.active.assign(columns, true);
    auto it = root_.find("vActive");
    if (it == root_.end()) return;
    if (!it->is_array()) return fail("`vActive` is not a list of true and false");
    for (std::size_t v = 0; v < it->size(); ++v) {
      const ordered_json& j = (*it)[v];
      if (!j.is_boolean()) return fail(fmt::format("`{}` in `vActive` is not true or false", j.dump()));
      document_.active[v] = j.get<bool>();
    }
  }
  void read_tearing(std::uint32_t equations, std::uint32_t columns) {
    auto it = root_.find("es");
    if (it != root_.end()) document_.equations = numbers(*it, "es", equations, false);
    auto vs = root_.find("vs");
    if ((it == root_.end()) != (vs == root_.end())) return fail("`es` and `vs` require each other");
    if (vs != root_.end()) {
      bool groups = vs->is_array() && !vs->empty() && vs->front().is_array();
      document_.variables =
          groups ? lists("vs", columns) : std::vector<Numbers>{numbers(*vs, "vs", columns, false)};
    }
    auto fixed = [&](const char* key, std::uint32_t largest) {
      auto found = root_.find(key);
      return found == root_.end() ? Numbers{} : numbers(*found, key, largest, false);
    };
    document_.fixed_equations = fixed("eSolvedFixed", equations);
    document_.fixed_variables = fixed("vSolvedFixed", columns);
    if (document_.fixed_equations.size() != document_.fixed_variables.size())
      fail("`eSolvedFixed` and `vSolvedFixed` differ in length");
    if (!document_.fixed_equations.empty() && !document_.equations) fail("`eSolvedFixed` requires `es`");
    std::vector<bool> equation_seen(equations, false), variable_seen(columns, false);
    auto once = [&](std::vector<bool>& seen, const Numbers& list, const char* what) {
      for (std::uint32_t k : list) {
        if (k < seen.size() && seen[k]) fail(fmt::format("{} {} is solved twice", what, k + 1));
        if (k < seen.size()) seen[k] = true;
      }
    };
    once(equation_seen, document_.fixed_equations, "equation");
    if (document_.equations) once(equation_seen, *document_.equations, "equation");
    once(variable_seen, document_.fixed_variables, "variable");
    for (const Numbers& group : document_.variables) once(variable_seen, group, "variable");
    if (flaw.empty()) check_fixed();
    if (root_.contains("solvable")) {
      document_.solvable = lists("solvable", columns);
      document_.solvable->resize(equations);
      for (Numbers& row : *document_.solvable) std::ranges::sort(row);
    }
  }
  /// The fixed equations are solved in the given order.
  void check_fixed() {
    std::vector<bool> later(document_.rows.columns, false);
    for (std::uint32_t v : document_.fixed_variables) later[v] = true;
    for (std::size_t k = 0; k < document_.fixed_equations.size(); ++k) {
      later[document_.fixed_variables[k]] = false;
      for (std::uint32_t v : document_.rows.row(document_.fixed_equations[k]))
        if (later[v])
          fail(fmt::format("equation {} of `eSolvedFixed` needs variable {}, which is solved later",
                           document_.fixed_equations[k] + 1, v + 1));
    }
  }

  const ordered_json& root_;
  GraphDocument document_;
};

ordered_json one_based(std::span<const std::uint32_t> numbers) {
  ordered_json result = ordered_json::array();
  for (std::uint32_t n : numbers) result.push_back(n == kNone ? 0 : n + 1);
  return result;
}

const char* verdict_name(graph::Consistency verdict) {
  switch (verdict) {
    case graph::Consistency::Consistent: return "consistent";
    case graph::Consistency::TooManyEquations: return "too many equations";
    case graph::Consistency::TooManyVariables: return "too many variables";
    case graph::Consistency::Singular: return "singular";
  }
  return "";
}

ordered_json consistency(const graph::ConsistencyReport& report) {
  ordered_json result{{"verdict", verdict_name(report.verdict)}};
  if (!report.equations.empty()) {
    result["equations"] = one_based(report.equations);
    for (const graph::HallSet& set : report.competing_equations)
      result["competingEquations"].push_back(one_based(set.rows));
  }
  if (!report.variables.empty()) {
    result["variables"] = one_based(report.variables);
    for (const graph::HallSet& set : report.competing_variables)
      result["competingVariables"].push_back(one_based(set.columns));
  }
  return result;
}

ordered_json torn(const graph::Torn& t) {
  return {{"eSolved", one_based(t.solved_equations)},
          {"vSolved", one_based(t.solved_variables)},
          {"eResidue", one_based(t.residual_equations)},
          {"vTear", one_based(t.torn)}};
}

/// `published`: use the order of the published algorithms; else the algorithms of the compiler.
ordered_json analyse(GraphDocument d, bool published) {
  ordered_json result = ordered_json::object();
  std::optional<Numbers> assign = std::move(d.assign);
  auto match = [&](const graph::Bipartite& g, const std::vector<bool>& active) {
    if (published) return graph::matching_in_order(g, active).row_of_column;
    graph::Bipartite restricted;
    restricted.columns = g.columns;
    for (std::uint32_t r = 0; r < g.rows(); ++r) {
      for (std::uint32_t v : g.row(r))
        if (active[v]) restricted.targets.push_back(v);
      restricted.end_row();
    }
    return graph::maximum_matching(restricted).row_of_column;
  };

  const bool all_active = std::ranges::count(d.active, false) == 0;
  bool reduced = true;
  if (d.derivative && !d.equation_derivative) {
    graph::ConsistencyReport report = graph::check_consistency(d.rows, *d.derivative);
    result["consistency"] = consistency(report);
    reduced = report.equations.empty();
    if (reduced) {
      graph::Differentiated s =
          graph::pantelides(std::move(d.rows), std::move(*d.derivative), {},
                            published ? graph::SearchOrder::Published : graph::SearchOrder::Fast);
      d.rows = std::move(s.graph);
      d.derivative = std::move(s.variable_derivative);
      d.equation_derivative = std::move(s.equation_derivative);
      d.active.resize(d.rows.columns, true);
      if (assign)
        assign->resize(d.rows.columns, kNone);
      else if (all_active)
        assign = std::move(s.matching.row_of_column);
    }
  } else if (d.derivative && all_active) {
    for (std::uint32_t v = 0; v < d.rows.columns; ++v) d.active[v] = (*d.derivative)[v] == kNone;
  }
  if (!assign) assign = match(d.rows, d.active);

  Numbers inverse(d.rows.rows(), kNone), unassigned, unassigned_equations;
  for (std::uint32_t v = 0; v < assign->size(); ++v)
    if ((*assign)[v] == kNone)
      unassigned.push_back(v);
    else
      inverse[(*assign)[v]] = v;
  for (std::uint32_t e = 0; e < inverse.size(); ++e)
    if (inverse[e] == kNone) unassigned_equations.push_back(e);
  result["assign"] = one_based(*assign);
  result["invAssign"] = one_based(inverse);
  result["unassigned"] = one_based(unassigned);
  result["unassignedEquations"] = one_based(unassigned_equations);
  if (d.derivative) {
    result["A"] = one_based(*d.derivative);
    if (d.equation_derivative) result["B"] = one_based(*d.equation_derivative);
  }
  result["G"] = ordered_json::array();
  for (std::uint32_t e = 0; e < d.rows.rows(); ++e) result["G"].push_back(one_based(d.rows.row(e)));

  // An equation without variables is a block of its own, as published: it is matched to an additional
  // variable.
  Numbers completed = *assign;
  completed.insert(completed.end(), unassigned_equations.begin(), unassigned_equations.end());
  graph::Blocks blocks = graph::blt(d.rows, completed);
  result["blt"] = ordered_json::array();
  for (std::uint32_t b = 0; b < blocks.count(); ++b) result["blt"].push_back(one_based(blocks.block(b)));

  graph::Bipartite columns = graph::transpose(d.rows);
  graph::Tearing tearing(d.rows, columns);
  auto solvable = [&](std::uint32_t e, std::uint32_t v) {
    return !d.solvable || (e < d.solvable->size() && std::ranges::binary_search((*d.solvable)[e], v));
  };
  auto order = published ? graph::TearingOrder::AsGiven : graph::TearingOrder::FewestFirst;
  if (d.equations) {
    result["tearing"] = torn(
        tearing.tear({*d.equations, d.variables, d.fixed_equations, d.fixed_variables}, solvable, order));
  } else {
    result["tearing"] = ordered_json::array();
    for (std::uint32_t b = 0; b < blocks.count(); ++b) {
      std::vector<Numbers> variables(1);
      for (std::uint32_t e : blocks.block(b))
        if (inverse[e] != kNone) variables[0].push_back(inverse[e]);
      result["tearing"].push_back(torn(tearing.tear({blocks.block(b), variables}, solvable, order)));
    }
  }
  return result;
}

int print_graph(const Globals& globals, const std::string& path, bool published) {
  SourceMap sources;
  Diagnostics diagnostics;
  if (auto text = pipeline::read_file(path); !text) {
    diagnostics.report(Code::FileNotFound, "`" + path + "` cannot be read").note(text.error());
  } else {
    bool too_deep = false;
    ordered_json root = ordered_json::parse(
        *text,
        [&](int depth, ordered_json::parse_event_t, ordered_json&) {
          too_deep |= depth > 8;
          return depth <= 8;
        },
        false);
    if (root.is_discarded() || too_deep) {
      diagnostics.report(Code::GraphDocument, "`" + path + "` is not valid JSON");
    } else {
      GraphReader reader(root);
      if (auto document = reader.read())
        fmt::print("{}\n", analyse(std::move(*document), published).dump());
      else
        diagnostics.report(Code::GraphDocument, reader.flaw)
            .help("see `sigrel explain SR0630` for an example");
    }
  }
  print_diagnostics(globals, diagnostics, sources);
  return diagnostics.has_errors() ? kUserError : kSuccess;
}

}  // namespace

void add_structure_graph(CLI::App& app, const Globals& globals, int& exit_code) {
  auto found =
      app.get_subcommands([](const CLI::App* command) { return command->get_name() == "structure"; });
  CLI::App* structure =
      found.empty()
          ? app.add_subcommand("structure", "Run structural algorithms without models")->require_subcommand(1)
          : found[0];
  auto path = std::make_shared<std::string>();
  auto fast = std::make_shared<bool>(false);
  CLI::App* command = structure->add_subcommand(
      "graph", "Compute matching, index reduction, blocks and tearing of a graph given as JSON");
  command->add_option("file", *path, "JSON document; see `sigrel explain SR0630`")
      ->required()
      ->type_name("FILE.json");
  command->add_flag(
      "--fast", *fast,
      "Use the algorithms of the compiler, for large graphs, instead of the published order of equations and "
      "variables");
  command->callback([&globals, &exit_code, path, fast] { exit_code = print_graph(globals, *path, !*fast); });
}

}  // namespace sigrel::driver
